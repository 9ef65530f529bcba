"""DatabaseOutput: a table of a database as the place of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import polars as pl

from nymity.core import validation
from nymity.core.errors import JobError
from nymity.database.address import Address
from nymity.database.arrow_cells import table_of
from nymity.database.database_kind import qualified, spelled
from nymity.database.kinds import kind_of
from nymity.database.session import Session
from nymity.io import ReadOptions

#: The table that says what was published, and by which certificate; recovery asks it.
RECORDS = "nymity_releases"
#: What is said of a table that grows.
BATCHES = (
    "batches can be subtracted: the table grows by a batch with each release, and whoever has it from before knows "
    "which rows are new; each batch keeps the promises by itself, and so does the whole table"
)


@dataclass(frozen=True, kw_only=True)
class DatabaseOutput:
    """Which table a release becomes: the URL of its database, the name, the schema it lies in, and the mode.

    ``create`` refuses a table that is there, ``append`` adds the release to what nymity published there before (and
    makes the table if there is none), ``replace`` drops a table that nymity published and makes it anew, all in one
    transaction. A batch that was appended before is refused unless ``repeat`` says that it is meant. A password does
    not stand in the URL (:mod:`nymity.database.address`).
    """

    url: str | None = None
    table: str
    schema: str | None = None
    mode: Literal["create", "append", "replace"] = "create"
    repeat: bool = False

    def __post_init__(self) -> None:
        validation.one_of("output.mode", self.mode, ("create", "append", "replace"))
        for name in ("table", "schema"):
            value = getattr(self, name)
            if value is not None or name == "table":
                validation.instance(f"output.{name}", value, str, expected="a name")
                kind = None if self.url is None else kind_of(self.address)
                if kind is not None:
                    kind.check_names(f"output.{name}", [value])
        validation.instance("output.repeat", self.repeat, bool, expected="true or false")
        if self.repeat and not self.grows:
            raise JobError("output.repeat", expected="mode = 'append' with it", got=f"mode = {self.mode!r}")
        if self.table.lower() == RECORDS:
            raise JobError("output.table", expected="a table of its own", got=f"{RECORDS!r}, where releases are listed")

    @cached_property
    def address(self) -> Address:
        """The URL, checked."""
        if self.url is None:
            raise JobError(
                "output.url",
                expected="the URL of the database: certificates do not tell it",
                got="none",
                hint="--url postgresql://host/database, or the job with --job",
            )
        return Address.of("output.url", self.url)

    @property
    def in_files(self) -> bool:
        """Whether there are files, apart from the certificate's."""
        return False

    @property
    def row_order(self) -> str:
        """In which order rows are written: that of their cells. Nobody promises to read them in it."""
        return "sorted"

    @property
    def place(self) -> str:
        """Where the table is, without users."""
        return f"{self.address.shown}, table {spelled(self.schema, self.table)}"

    @property
    def file_name(self) -> str:
        """Name of the released table."""
        return self.table

    @property
    def sensitive_file_name(self) -> str:
        """Name of the second table, where sensitive values are published apart from quasi-identifiers."""
        return f"{self.table}_sensitive"

    @property
    def children_file_name(self) -> str:
        """Name of the table of children, where there are two tables of the same people."""
        return f"{self.table}_children"

    @property
    def neutralizes(self) -> bool:
        """Whether formulas are neutralized: no spreadsheet opens a database."""
        return False

    @property
    def grows(self) -> bool:
        """Whether it is added to what was published before."""
        return self.mode == "append"

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What this way to publish leaves open, whatever the records are."""
        return (BATCHES,) if self.grows else ()

    def found_at(self, folder: Path, name: str) -> str:
        """Say where a table of the release is: not in the folder that its certificate lies in."""
        del folder
        return f"{self.address.shown}, table {spelled(self.schema, name)}"

    def like(self, source: ReadOptions) -> DatabaseOutput:
        """Return it as it is: a table of a database has no delimiter and no encoding of its own."""
        del source
        return self

    def within(self, folder: Path) -> DatabaseOutput:
        """Let a relative path start at a folder."""
        return self if self.url is None else replace(self, url=self.address.within(folder).url)

    def at(self, url: str | None) -> DatabaseOutput:
        """Return it with the URL of its database."""
        return replace(self, url=url)

    def read(self, names: Sequence[str]) -> list[pl.DataFrame]:
        """Read published tables, rows in the order in which they were written."""
        with Session(self.address, "output", read_only=True) as session:
            tables = []
            for name in names:
                session.kind.check_names("output.table", [name])
                statement = f"SELECT * FROM {qualified(self.schema, name)} ORDER BY {session.kind.row_id}"
                tables.append(table_of(session.fetch(statement, expected=f"to read the table {name!r}"), name))
            return tables

    def public(self) -> dict[str, str]:
        """Return it as certificates have it: without the URL."""
        named = {"table": self.table, "schema": self.schema, "mode": self.mode}
        return {name: value for name, value in named.items() if value is not None and value != "create"}
