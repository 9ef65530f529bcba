"""Columnar files, whose cells keep their types: what Arrow and Parquet share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from nymity.core.errors import FileError, TableError
from nymity.core.quoting import relayed
from nymity.io.calendar import refuse_other_years
from nymity.io.format import Format
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS
from nymity.io.options import ReadOptions
from nymity.io.scan import too_wide
from nymity.io.text_cells import text_cells


@dataclass(frozen=True, kw_only=True)
class ColumnarFormat(Format):
    """Columns have the types that the file names; text is written as it is, for no spreadsheet runs it."""

    keeps_types = True

    @abstractmethod
    def check(self, path: Path) -> None:
        """Refuse a file that claims more than it holds, before anything of it is unpacked."""

    @abstractmethod
    def types(self, path: Path) -> dict[str, pl.DataType]:
        """Return the columns and their types, as the file names them."""

    @abstractmethod
    def cells(self, path: Path) -> pl.DataFrame:
        """Read all cells."""

    @abstractmethod
    def metadata(self, path: Path) -> list[str]:
        """Say what a file tells beside its cells."""

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read the columns with the types that the file names."""
        # Before the library reads it: a few bytes can claim to unpack to more than there is memory.
        self.check(path)
        try:
            width = len(self.types(path))
            if width > MAX_COLUMNS:
                raise too_wide(str(path), width)
            table = self.cells(path)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:  # damage makes it panic
            name = "columnar" if self.signature is None else self.signature.name
            raise FileError(
                str(path),
                expected=f"an intact {name} file",
                got=relayed(error),
                hint="write or download the file again",
            ) from error
        self.refuse_beyond(table, path)
        return table

    def refuse_beyond(self, table: pl.DataFrame, path: Path) -> None:
        """Refuse cells that are no days, or longer than any that are read."""
        refuse_other_years(table, str(path))
        for column in table.get_columns():
            if column.dtype == pl.String and (column.alias("cells").str.len_bytes() > MAX_CELL_BYTES).any():
                raise TableError(
                    f"{path}, column {column.name!r}",
                    expected=f"cells of at most {MAX_CELL_BYTES:,} bytes",
                    got="a longer one",
                )

    def read_texts(self, path: Path, options: ReadOptions, columns: Collection[str] | None) -> pl.DataFrame:
        """Read the cells and write each by its type."""
        return text_cells(self.read(path, options), columns)

    def strangers(self, path: Path) -> list[str]:
        """Metadata, and categories that no cell has."""
        listed = [name for name, kind in self.types(path).items() if kind in (pl.Categorical, pl.Enum)]
        categories = (f"{path.name} lists categories of {name!r}, which no release does" for name in listed)
        return [*self.metadata(path), *categories]
