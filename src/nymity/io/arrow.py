"""Arrow files (.arrow, .feather of version 2): cells keep their types."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from nymity.core.errors import FileError, TableError
from nymity.core.quoting import relayed
from nymity.io.arrow_size import check_arrow, has_metadata
from nymity.io.calendar import refuse_other_years
from nymity.io.compact import compact
from nymity.io.format import FileSignature, Format
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.scan import too_wide
from nymity.io.text_cells import text_cells


@dataclass(frozen=True, kw_only=True)
class Arrow(Format):
    """The file form of Arrow's columns, which Feather of version 2 is too."""

    keeps_types = True

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read the columns with the types that the file names; categories as the text they stand for."""
        check_arrow(path)
        try:
            width = len(pl.read_ipc_schema(path))
            if width > MAX_COLUMNS:
                raise too_wide(str(path), width)
            with path.open("rb") as file:  # not by its path: a mapped file must not change below the table
                table = pl.read_ipc(file)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:  # damage makes it panic
            raise FileError(
                str(path), expected="an intact Arrow file", got=relayed(error), hint="write or download the file again"
            ) from error
        refuse_other_years(table, str(path))
        for column in table.get_columns():
            if column.dtype == pl.String and (column.alias("cells").str.len_bytes() > MAX_CELL_BYTES).any():
                raise TableError(
                    f"{path}, column {column.name!r}",
                    expected=f"cells of at most {MAX_CELL_BYTES:,} bytes",
                    got="a longer one",
                )
        return table

    def read_texts(self, path: Path, options: ReadOptions, columns: Collection[str] | None) -> pl.DataFrame:
        """Read the cells and write each by its type."""
        return text_cells(self.read(path, options), columns)

    def strangers(self, path: Path) -> list[str]:
        """Metadata, and categories that no cell has."""
        found = [f"{path.name} has metadata, which no release has"] if has_metadata(path) else []
        listed = [name for name, kind in pl.read_ipc_schema(path).items() if kind in (pl.Categorical, pl.Enum)]
        return [*found, *(f"{path.name} lists categories of {name!r}, which no release does" for name in listed)]

    def write(self, table: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write the cells in new buffers, so that nothing else is in the file."""
        with path.open("wb") as file:
            compact(table).write_ipc(file, compression="uncompressed")


ARROW = Arrow(
    suffix=".arrow",
    signature=FileSignature(name="Arrow", start=b"ARROW1", rename="rename it to .arrow"),
)
FEATHER = Arrow(suffix=".feather", signature=ARROW.signature, released=False)
