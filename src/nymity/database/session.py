"""Session: one connection to a database with one transaction under way, through ADBC.

Every statement goes through here, so that what fails is an error of ours, and identifiers are quoted by one function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import polars as pl

from nymity.core.errors import DatabaseError
from nymity.core.extras import require
from nymity.database.address import Address
from nymity.database.driver_errors import told
from nymity.database.kinds import kind_of

#: What is expected of a statement of ours unless more is known.
_STATEMENT = "a statement that the database runs"
_ROWS_AT_A_TIME = 1 << 16


class Session:
    """A connection; ``where`` is the field of a job that named it, and stands in errors.

    Leaving the block without :meth:`commit` rolls back. ``read_only``: what writes is refused by the database itself.
    """

    def __init__(self, address: Address, where: str, *, read_only: bool = False) -> None:
        self.address, self.where, self.kind = address, where, kind_of(address)
        self.new_file = address.file if address.file is not None and not address.file.exists() else None
        self.committed = False
        if self.new_file is not None and (read_only or not self.new_file.parent.is_dir()):
            missing = self.new_file if read_only else self.new_file.parent
            absolute = not missing.is_absolute() and Path("/", missing).exists()
            hint = (
                f"one more slash: a path from the root is {address.kind}:////{missing}"
                if absolute
                else "check the path"
            )
            raise DatabaseError(where, expected="a database to open", got=f"no {missing}", hint=hint)
        with told(address, where, "to connect to a database", cells=False):
            self._connection: Any = self.kind.connect(address, read_only=read_only)
        try:
            for statement in self.kind.opening(read_only=read_only):
                self.run(statement)
        except BaseException:
            self.close()
            raise

    def run(self, statement: str, parameters: Sequence[object] = (), *, expected: str = "") -> None:
        """Run a statement that returns nothing; ``expected`` says what it is for."""
        with (
            told(self.address, self.where, expected or _STATEMENT),
            self._connection.cursor() as cursor,
        ):
            cursor.execute(self.kind.with_places(statement), tuple(parameters) or None)

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows; ``PLACE`` stands for each parameter."""
        with told(self.address, self.where, _STATEMENT), self._connection.cursor() as cursor:
            cursor.execute(self.kind.with_places(statement), tuple(parameters) or None)
            found: list[tuple[Any, ...]] = cursor.fetchall()
            return found

    def fetch(self, statement: str, *, expected: str) -> Any:
        """Run a query and return its rows as a table of Arrow."""
        with told(self.address, self.where, expected), self._connection.cursor() as cursor:
            self.kind.before_fetching(cursor)
            cursor.execute(statement)
            return cursor.fetch_arrow_table()

    def batches(self, statement: str, *, expected: str) -> Iterator[Any]:
        """Run a query and return its rows as tables of Arrow, one after another, while the database makes the next."""
        arrow = require("pyarrow", extra="database", purpose="a database")
        with told(self.address, self.where, expected), self._connection.cursor() as cursor:
            self.kind.before_fetching(cursor)
            cursor.execute(statement)
            for batch in cursor.fetch_record_batch():
                yield arrow.Table.from_batches([batch])

    def ingest(self, table: str, schema: str | None, frame: pl.DataFrame, *, temporary: bool = False) -> None:
        """Append rows to a table, maybe a temporary one; so many at a time that they fit into a processor's caches."""
        arrow = require("pyarrow", extra="database", purpose="a database")
        rows = arrow.Table.from_batches(*_batches(frame))
        with told(self.address, self.where, f"to write the table {table!r}"), self._connection.cursor() as cursor:
            more = {"temporary": True} if temporary else {"db_schema_name": schema}
            cursor.adbc_ingest(table, rows, mode="append", **more)

    def commit(self) -> None:
        """Commit the transaction."""
        with told(self.address, self.where, "to commit"):
            self._connection.commit()
        self.committed = True

    def close(self) -> None:
        """Roll back whatever was not committed; a file that was made for nothing is removed."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        for step in (connection.rollback, connection.close):
            with suppress(OSError, RuntimeError, _driver_error()):  # a lost connection is rolled back by the server
                step()
        if self.new_file is not None and not self.committed:
            for suffix in ("", "-journal", "-wal", "-shm", ".wal"):
                self.new_file.with_name(self.new_file.name + suffix).unlink(missing_ok=True)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _batches(frame: pl.DataFrame) -> tuple[list[Any], Any]:
    rows = frame.to_arrow()
    return rows.to_batches(_ROWS_AT_A_TIME), rows.schema


def _driver_error() -> type[Exception]:
    known: type[Exception] = require("adbc_driver_manager", extra="database", purpose="a database").Error
    return known
