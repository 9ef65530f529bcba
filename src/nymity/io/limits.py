"""Bounds on what is read, so that a wrong or hostile file is refused before it fills the memory."""

from __future__ import annotations

from typing import Final

#: Most columns a table may have. A wider "table" is nearly always a file read with the wrong delimiter.
MAX_COLUMNS: Final = 10_000

#: Most bytes (as UTF-8, quotes included) one cell may have: 16 MiB. Longer cells come from an unclosed quote,
#: from binary content or from a decompression bomb, and are found while the file streams in.
MAX_CELL_BYTES: Final = 16 * 1024 * 1024

#: Rows the detection of delimiter and header looks at.
SAMPLE_ROWS: Final = 100

#: Bounds of the xlsx format itself (ECMA-376): rows with the header, columns, characters per cell.
EXCEL_ROWS: Final = 1_048_576
EXCEL_COLUMNS: Final = 16_384
EXCEL_CELL_CHARACTERS: Final = 32_767

#: A sheet is laid out as one block from its first cell to its last. It may have so many cells, or so many times as many
#: as are filled, where that is more: one cell in the last corner must not make a block of 17 billion.
SPARSE_CELLS: Final = 2**24
SPARSE_TIMES: Final = 20

#: Cells of a Parquet file, whose runs of equal cells take next to no bytes: so many, or so many for each of its bytes.
PARQUET_CELLS: Final = 2**27
PARQUET_CELLS_A_BYTE: Final = 200
