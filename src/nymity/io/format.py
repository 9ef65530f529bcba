"""Format: a kind of file, told by its suffix and confirmed by its first bytes, with its way to be read and written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import polars as pl

from nymity.core.errors import TableError
from nymity.io.coded import CodedColumn, CodedTable
from nymity.io.dictionary import Dictionary
from nymity.io.neutralize import neutralize
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.proposal import Proposal


@dataclass(frozen=True, kw_only=True)
class FileSignature:
    """The bytes that files of a kind start and end with; ``rename`` says what to do about one with a wrong suffix.

    ``others`` are those that older files start with.
    """

    name: str
    start: bytes
    others: tuple[bytes, ...] = ()
    end: bytes = b""
    rename: str

    def fits(self, head: bytes, tail: bytes) -> bool:
        """Return whether a file starts and ends like this; one that has to end in some way is more than its start."""
        ended = not self.end or (len(head) > len(self.start) and tail.endswith(self.end))
        return head.startswith((self.start, *self.others)) and ended


GZIP = FileSignature(name="gzip", start=b"\x1f\x8b", rename="rename it to .csv.gz, or unpack it")


@dataclass(frozen=True, kw_only=True)
class Format(ABC):
    """One kind of file. Subclasses say how it is read and written; a suffix belongs to one format.

    ``signature`` is None for text. ``released``: jobs may name it for what they publish. ``written``: it is not
    for reading alone.
    """

    suffix: str
    signature: FileSignature | None = None
    released: bool = True
    written: bool = True

    #: What is found out from the records of a file unless it is stated.
    guesses: ClassVar[tuple[str, ...]] = ()
    #: Cells keep their types, so that one value can have several forms; and no spreadsheet opens such files.
    keeps_types: ClassVar[bool] = False
    #: Text may be given as numbers when they are written.
    takes_numbers: ClassVar[bool] = False
    #: A folder of such files is a table, too.
    may_be_folder: ClassVar[bool] = False
    #: Cells are text, and types are found from them.
    is_text: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The suffix as jobs write it, without its first dot."""
        return self.suffix.removeprefix(".")

    @abstractmethod
    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read a table, with types where nothing is lost by them."""

    @abstractmethod
    def read_texts(self, path: Path, options: ReadOptions, columns: Collection[str] | None) -> pl.DataFrame:
        """Read a table as text, each cell by itself; of other than these columns only what is missing counts."""

    def reread(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read a table that nymity wrote, with types by which no cell would be written differently."""
        return self.read(path, options)

    def reread_coded(self, path: Path, options: ReadOptions) -> CodedTable | None:
        """Do the same by the different cells of columns, where the format can and the file is large."""
        del path, options
        return None

    def holds(self, path: Path, table: pl.DataFrame) -> bool:
        """Whether a file has the cells of a table, where that is found out without reading it whole."""
        del path, table
        return False

    @abstractmethod
    def write(self, table: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write a table: the same cells give the same bytes."""

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse names of columns that such files cannot have; most can have any."""
        del names

    def strangers(self, path: Path) -> list[str]:
        """Return what a file holds that is no part of a table as nymity writes it: comments, sheets, names of authors.

        Nothing of that is in the cells that a reader returns, so a check that looks at cells alone would let it pass.
        Plain text has nothing but cells.
        """
        del path
        return []

    def described(self, path: Path) -> Dictionary:
        """Return what a file says of its columns beside their cells; most formats say nothing."""
        del path
        return Dictionary()

    def opened(self, path: Path) -> AbstractContextManager[tuple[Format, Path]]:
        """Give the format and the path of the table itself; a packed file unpacks it."""
        return nullcontext((self, path))

    def declared(self, path: Path, table: pl.DataFrame, options: ReadOptions) -> ReadOptions:
        """Return the options with the codes for *missing* that a file declares itself; most formats have none."""
        del path, table
        return options

    def proposed(self, path: Path, options: ReadOptions) -> tuple[ReadOptions, tuple[Proposal, ...]]:
        """Return the options for a file that nobody described yet, with what a person should decide before reading."""
        del path
        return options, ()

    def found_options(self, path: Path, options: ReadOptions) -> ReadOptions:
        """Return the options with everything that reading would find out."""
        del path
        return options

    def read_found(self, path: Path, options: ReadOptions) -> tuple[pl.DataFrame, ReadOptions]:
        """Read cells as they stand there, text where the format has nothing else, and tell what was found out."""
        return self.read(path, options), self.found_options(path, options)

    def read_coded(self, path: Path, options: ReadOptions) -> tuple[tuple[CodedColumn, ...], ReadOptions] | None:
        """Read a large table by the different cells of its columns, where the format has text that allows it."""
        del path, options
        return None

    def read_back(self, options: WriteOptions) -> ReadOptions:
        """Return how a file is read that was written with these options."""
        del options
        return ReadOptions(header=True, footer=0)

    def unstated(self, options: ReadOptions) -> list[str]:
        """Name what would be found out from the records, because nobody stated it."""
        return [name for name in self.guesses if getattr(options, name) is None]


@dataclass(frozen=True, kw_only=True)
class SpreadsheetFormat(Format):
    """A format that spreadsheet programs open: one value per cell, and none that they would run."""

    def write(self, table: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write the cells, neutralized unless the options say otherwise."""
        cells = flat(table)
        self.write_cells(neutralize(cells) if options.neutralize_formulas else cells, path, options)

    @abstractmethod
    def write_cells(self, cells: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write numbers, truth values and text."""


def flat(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with numbers, truth values and numbered text as they are and all else as text."""
    for name, dtype in table.schema.items():
        if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
            raise TableError(
                f"column {name!r}",
                expected="one value per cell",
                got=str(dtype),
                hint="write .parquet, or split the column into several",
            )
    return pl.DataFrame({column.name: _flat_column(column) for column in table.get_columns()})


def _flat_column(column: pl.Series) -> pl.Series:
    if column.dtype.is_temporal():  # "iso" keeps fractions of seconds, which a plain cast of times drops
        return column.alias("cells").dt.to_string("iso")
    return column.cast(pl.String) if column.dtype in (pl.Categorical, pl.Null) else column
