"""Parquet files: cells keep their types."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from nymity.core.errors import FileError, TableError
from nymity.core.quoting import relayed
from nymity.io.calendar import refuse_other_years
from nymity.io.compact import compact
from nymity.io.format import FileSignature, Format
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.parquet_size import check_parquet
from nymity.io.scan import too_wide
from nymity.io.text_cells import text_cells

#: Metadata that Parquet files of tables have anyway.
_METADATA = {"ARROW:schema"}


@dataclass(frozen=True, kw_only=True)
class Parquet(Format):
    """Columns have the types that the file names; text is written as it is, for no spreadsheet runs it."""

    keeps_types = True

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read a Parquet file, whose columns have the types it names."""
        check_parquet(path)
        try:
            width = len(pl.read_parquet_schema(path))
            if width > MAX_COLUMNS:
                raise too_wide(str(path), width)
            table = pl.read_parquet(path, hive_partitioning=False)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:  # damage makes it panic
            raise FileError(
                str(path),
                expected="an intact Parquet file",
                got=relayed(error),
                hint="write or download the file again",
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
        further = sorted(pl.read_parquet_metadata(path).keys() - _METADATA)
        found = [f"{path.name} has metadata that no release has: {', '.join(further)}"] if further else []
        listed = [name for name, kind in pl.read_parquet_schema(path).items() if kind in (pl.Categorical, pl.Enum)]
        return [*found, *(f"{path.name} lists categories of {name!r}, which no release does" for name in listed)]

    def write(self, table: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write the cells in new buffers, so that nothing else is in the file."""
        compact(table).write_parquet(path)


PARQUET = Parquet(
    suffix=".parquet",
    signature=FileSignature(name="Parquet", start=b"PAR1", end=b"PAR1", rename="rename it to .parquet"),
)
