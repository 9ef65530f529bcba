"""DatabaseSource: a table, or the rows of a query, of a database as the source of a job."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from nymity.core import pieces, validation
from nymity.core.errors import JobError, TableError
from nymity.core.paths import seen_from
from nymity.database.address import Address
from nymity.database.arrow_cells import table_of
from nymity.database.database_kind import parted, qualified, spelled
from nymity.database.kinds import kind_of
from nymity.database.session import Session
from nymity.io import (
    DetectedReading,
    Dictionary,
    ReadOptions,
    Valued,
    detected_texts,
    text_cells,
    valued_cells,
    valued_texts,
)
from nymity.table.content_order import content_order

#: What may be stated about the meaning of cells.
_OF_CELLS = ("missing", "missing_in", "decimal", "thousands", "dates", "dates_in")


@dataclass(frozen=True, kw_only=True)
class DatabaseSource:
    """Where a table lies in a database: its URL, and either a table, with its schema, or a query that selects rows.

    A password does not stand in the URL (:mod:`nymity.database.address`). The database is only read, and refuses a
    query that writes. Rows of a database have no order; they are taken in the order of their cells, so that a row has
    the same number whenever the same rows are read.

    ``missing``, ``missing_in``, ``decimal``, ``thousands``, ``dates`` and ``dates_in`` say what cells mean, as in
    :class:`nymity.io.ReadOptions`. Where one of them is stated, columns of text are read as those of a text file;
    without any they stay text.
    """

    url: str
    table: str | None = None
    schema: str | None = None
    query: str | None = None
    missing: tuple[str | int | float, ...] = ()
    missing_in: Mapping[str, tuple[str | int | float, ...]] = field(default_factory=dict, hash=False)
    decimal: str | None = None
    thousands: str | None = None
    dates: str | tuple[str, ...] | None = None
    dates_in: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _ = self.address
        for name in _OF_CELLS:
            object.__setattr__(self, name, getattr(self.reading, name))  # as it is checked there
        for name in ("table", "schema", "query"):
            if getattr(self, name) is not None:
                validation.instance(f"source.{name}", getattr(self, name), str, expected="text")
        if bool(self.table) == bool(self.query):
            raise JobError(
                "source.table",
                expected="either a table or a query",
                got="both" if self.table else "neither",
                hint='table = "patients", or query = "select ..."; on the command line --table or --query',
            )
        if self.schema is not None and self.table is None:
            raise JobError("source.schema", expected="a table with it", got="a query, which names schemas itself")

    @staticmethod
    def named(table: str | None, **fields: Any) -> DatabaseSource:
        """Return the source of a table by its name on the command line: TABLE or SCHEMA.TABLE, maybe quoted."""
        schema, name = (None, None) if table is None else parted("--table", table)
        return DatabaseSource(table=name, schema=schema, **fields)

    @cached_property
    def address(self) -> Address:
        """The URL, checked."""
        return Address.of("source.url", self.url)

    @property
    def path(self) -> str:
        """What it is called where others name their file."""
        return "query" if self.table is None else spelled(self.schema, self.table)

    @property
    def files(self) -> tuple[Path, ...]:
        """The file that is read, if the database is one."""
        return () if self.address.file is None else (self.address.file,)

    @property
    def options(self) -> ReadOptions:
        """How to read other tables, in files, beside it."""
        return ReadOptions()

    def within(self, folder: Path) -> DatabaseSource:
        """Let a relative path start at a folder."""
        return replace(self, url=self.address.within(folder).url)

    @cached_property
    def reading(self) -> ReadOptions:
        """What cells mean."""
        return ReadOptions(**{name: getattr(self, name) for name in _OF_CELLS})

    @property
    def stated_values(self) -> dict[str, Any]:
        """What is said about the meaning of cells, as plain data: public, unlike where they lie."""
        return {name: pieces.plain(given) for name, given in self.reading.of_values.items()}

    def read(self) -> pl.DataFrame:
        """Read the table, its columns with the types that the database has, or that their text has as is stated."""
        return self.read_valued().table

    def read_valued(self, *, text_as_numbers: bool = False) -> Valued:
        """Read the table, and what was taken as missing in it; text stays text, whatever is asked."""
        return valued_texts(self._read(as_texts=False), self.reading, self.path)

    def read_detected(
        self, missing_in: Mapping[str, tuple[Any, ...]], dictionary: Dictionary | None
    ) -> tuple[pl.DataFrame, DetectedReading, Dictionary]:
        """Read the table as it seems to be meant, where that is not stated; ``missing_in`` has precedence."""
        options, known = replace(self.reading, missing_in={**self.missing_in, **missing_in}), dictionary or Dictionary()
        table, found = detected_texts(self._read(as_texts=False), options, known, self.path)
        return table, found, known

    @property
    def shown(self) -> str:
        """What it is called on a screen."""
        return f"{self.path} of {self.address.shown}"

    def named_from(self, folder: Path) -> dict[str, Any]:
        """Return the fields that name it in a job file of a folder."""
        file = self.address.file
        url = self.url if file is None else f"{self.address.kind}:///{quote(seen_from(folder, file))}"
        fields = {"url": url, "schema": self.schema, "table": self.table, "query": self.query}
        return {name: value for name, value in fields.items() if value is not None}

    def read_texts(self, columns: Collection[str] | None) -> pl.DataFrame:
        """Read the table as text, each cell by itself; of other than these columns only what is missing counts."""
        return valued_cells(text_cells(self._read(as_texts=True), columns), self.reading)

    def check_stated(self) -> None:
        """Refuse what would let one record change others, where a differentially private method is to publish it."""
        why = ""
        if self.query is not None:
            why = "a query, in which one record can change the rows of others (limit, group by, joins)"
        elif not kind_of(self.address).types_columns:
            why = f"{self.address.kind}, in which the type of one cell can change how others are read"
        if why:
            raise JobError(
                "source",
                expected="a table whose rows and types do not depend on each other: what is found out is not private",
                got=why,
                hint="a table or view of a server, or a text file",
            )

    def _read(self, *, as_texts: bool) -> pl.DataFrame:
        with Session(self.address, "source", read_only=True) as session:
            if self.query is not None:
                statement = self.query.strip().rstrip(";")
            else:
                assert self.table is not None
                session.kind.check_names("source.table", [self.table])
                self._check_dot(session)
                statement = f"SELECT * FROM {qualified(self.schema, self.table)}"
            session.kind.check_cells(session, statement, expected=f"to read {self.path}")
            rows = session.fetch(statement, expected=f"to read {self.path}")
        table = table_of(rows, self.path, as_texts=as_texts)
        if not table.width:
            raise TableError(self.path, expected="a table with columns", got="one without")
        return table[content_order(table)]

    def _check_dot(self, session: Session) -> None:
        """Where a name has a dot, and what is there is what the other way to read it names, say so."""
        if self.table is None or (self.schema is None and "." not in self.table):
            return
        first, _, rest = self.table.partition(".")
        other = (first, rest) if self.schema is None else (None, f"{self.schema}.{self.table}")
        if not _is_there(session, self.schema, self.table) and other[1] and _is_there(session, *other):
            said = f"schema = {other[0]!r} and table = {other[1]!r}" if other[0] else f"table = {other[1]!r} alone"
            raise JobError(
                "source.table",
                expected="a table that is there",
                got=f"{self.path}, which is not, whereas {spelled(*other)} is",
                hint=f"{said} in a job; --table '{spelled(*other)}'",
            )


def _is_there(session: Session, schema: str | None, table: str) -> bool:
    known = schema is None or session.kind.has_schema(session, schema)
    return known and session.kind.has_table(session, schema, table)
