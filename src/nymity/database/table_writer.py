"""TableWriter: the tables of a release, written in one transaction that is committed together with files.

The transaction ends with a row in ``nymity_releases``, beside the table: the certificate and its hash. Whoever wants to
know whether a run that died got as far as its commit looks for that hash (:class:`nymity.core.journal.Remote`).
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType

import polars as pl

from nymity.core.errors import DatabaseError
from nymity.database.arrow_cells import table_of
from nymity.database.database_kind import PLACE, listed, qualified
from nymity.database.database_output import RECORDS, DatabaseOutput
from nymity.database.session import Session
from nymity.table.text import as_text

_RECORD_COLUMNS = {
    "certificate_sha256": "PRIMARY KEY",
    "table_name": "NOT NULL",
    "all_tables": "NOT NULL",
    "mode": "NOT NULL",
    "content_sha256": "NOT NULL",
    "written": "NOT NULL",
    "certificate": "NOT NULL",
}


class TableWriter:
    """Writes a release to a database; a context that rolls back unless :meth:`commit` was called."""

    def __init__(self, output: DatabaseOutput) -> None:
        self.output = output
        self.mark: str | None = None
        self._put: dict[str, list[object]] = {}  # columns and number of rows of each table
        self._session: Session | None = None
        self._dropped = False

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def place(self) -> str:
        """Where the table is, without users."""
        return self.output.place

    @property
    def session(self) -> Session:
        """The connection, made when it is first needed."""
        if self._session is None:
            self._session = Session(self.output.address, "output")
        return self._session

    def close(self) -> None:
        """Roll back what was not committed."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    # -- before and while writing --------------------------------------------------------------------------

    def check(self, names: Sequence[str]) -> None:
        """Refuse tables that are in the way, or that are not nymity's to change."""
        session = self.session
        for name in names:
            session.kind.check_names("output.table", [name])
            there = session.kind.has_table(session, self.output.schema, name)
            first, _, rest = name.partition(".")
            if not there and rest and self.output.schema is None and session.kind.has_schema(session, first):
                raise DatabaseError(
                    f"output.table ({self.place})",
                    expected="a name, and its schema apart from it",
                    got=f"{name!r}, which begins with a schema",
                    hint=f"table = {rest!r}, and schema = {first!r} unless tables go there anyway",
                )
            if there and self.output.mode == "create":
                raise DatabaseError(
                    f"output.table ({self.place})",
                    expected="no table of this name yet",
                    got=f"a table {name!r}",
                    hint="another name, or mode = 'replace' or 'append' if nymity published it",
                )
            if there and (got := self._not_ours(name)):
                raise DatabaseError(
                    f"output.table ({self.place})",
                    expected=f"a table that nymity published, to {self.output.mode} it",
                    got=f"{name!r}, {got}",
                    hint="another name; nymity never changes tables of others",
                )

    def refuse_repeated(self, content_sha256: str) -> None:
        """Refuse a batch that was appended before, unless it is said to be meant."""
        session = self.session
        if self.output.repeat or not self.output.grows:
            return
        if not session.kind.has_table(session, self.output.schema, RECORDS):
            return
        where = f"WHERE table_name = {PLACE} AND content_sha256 = {PLACE}"
        written = session.rows(f"SELECT written FROM {self._records} {where}", [self.output.table, content_sha256])
        if written:
            raise DatabaseError(
                f"output.table ({self.place})",
                expected="a batch that was not appended yet",
                got=f"the cells of the batch of {written[0][0]}",
                hint="add repeat = true next to the mode, if the same rows are meant to be there twice",
            )

    def put(self, name: str, frame: pl.DataFrame, says: str, columns: Mapping[str, str]) -> pl.DataFrame:
        """Write a table and return what the database then holds of it, in the order in which it was written.

        ``says`` and ``columns`` are comments on the table and its columns.
        """
        kind, schema = self.session.kind, self.output.schema
        kind.check_names("columns", frame.columns)
        there = kind.has_table(self.session, schema, name)
        if self.output.mode == "replace" and not self._put:
            self._drop()
        cells = kind.storable(frame)
        if there and self.output.mode == "append":
            cells = self._fitting(cells, name)
        else:
            self._create(name, cells, says, columns)
        self.session.ingest(name, schema, cells)
        found = self._read_back(name, cells, appended=there and self.output.mode == "append")
        self._put[name] = [found.columns, found.height]
        return found

    def record(self, certificate: bytes, content_sha256: str) -> None:
        """Enter the certificate beside the table; its hash is what the transaction is known by."""
        mark = hashlib.sha256(certificate).hexdigest()
        session = self.session
        if not session.kind.has_table(session, self.output.schema, RECORDS):
            text = session.kind.type_of(pl.String())
            columns = ", ".join(f"{name} {text} {rule}" for name, rule in _RECORD_COLUMNS.items())
            session.run(f"CREATE TABLE {self._records} ({columns})", expected=f"to make the table {RECORDS}")
        session.kind.claim(session, mark)
        written = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        tables = json.dumps(self._put, ensure_ascii=False)
        values = [mark, self.output.table, tables, self.output.mode, content_sha256, written, certificate.decode()]
        places = ", ".join(PLACE for _ in values)
        session.run(f"INSERT INTO {self._records} ({listed(list(_RECORD_COLUMNS))}) VALUES ({places})", values)
        self.mark = mark

    def commit(self) -> None:
        """Commit the transaction, and leave nothing of what was replaced in a file."""
        self.session.commit()
        if self._dropped:
            self._forget_dropped()
        self.close()

    def has(self, mark: str) -> bool:
        """Return whether the release of a mark was committed."""
        self.close()
        file = self.output.address.file
        if file is not None and not file.exists():
            return False
        with Session(self.output.address, "output") as session:
            session.kind.wait_for(session, mark)
            if not session.kind.has_table(session, self.output.schema, RECORDS):
                return False
            return bool(session.rows(f"SELECT 1 FROM {self._records} WHERE certificate_sha256 = {PLACE}", [mark]))

    def _forget_dropped(self) -> None:
        """Warn of what fails: the release stands."""
        session = self.session
        told = session.rows(f"SELECT all_tables FROM {self._records}")
        ours = {RECORDS, *(name for (tables,) in told for name in json.loads(tables))}
        try:
            session.kind.forget_dropped(session, self.output.schema, ours)
        except (DatabaseError, OSError) as error:
            warnings.warn(f"{self.place}: what was replaced may still lie in the file ({error})", stacklevel=2)

    # -- how -----------------------------------------------------------------------------------------------

    @property
    def _records(self) -> str:
        return qualified(self.output.schema, RECORDS)

    def _drop(self) -> None:
        """Drop the tables of the release that is replaced, and what is said of them."""
        if not self.session.kind.has_table(self.session, self.output.schema, RECORDS):
            return
        for name in sorted(self._ours()):
            if self.session.kind.has_table(self.session, self.output.schema, name):
                place = qualified(self.output.schema, name)
                self.session.run(f"DROP TABLE {place}", expected=f"to replace the table {name!r}")
                self._dropped = True
        self.session.run(f"DELETE FROM {self._records} WHERE table_name = {PLACE}", [self.output.table])

    def _ours(self) -> dict[str, list[object]]:
        """Return the tables that nymity published under this name, each with its columns and rows as it left them."""
        if not self.session.kind.has_table(self.session, self.output.schema, RECORDS):
            return {}
        told = self.session.rows(
            f"SELECT all_tables FROM {self._records} WHERE table_name = {PLACE}", [self.output.table]
        )
        shapes = [item for (tables,) in told for item in json.loads(tables).items()]
        return dict(sorted(shapes, key=lambda item: item[1][1]))  # a table that is added to only grows

    def _not_ours(self, name: str) -> str:
        """Say why a table is not one that nymity published; nothing if it is."""
        ours = self._ours()
        if name not in ours:
            return f"which {RECORDS} does not list"
        changed = self._shape(name) != ours[name]
        return "which has other columns or another number of rows than nymity gave it" if changed else ""

    def _shape(self, name: str) -> list[object]:
        """Return the columns and the number of rows of a table."""
        place = qualified(self.output.schema, name)
        columns = self.session.fetch(f"SELECT * FROM {place} LIMIT 0", expected="to read the table").column_names
        ((records,),) = self.session.rows(f"SELECT count(*) FROM {place}")
        return [list(columns), int(records)]

    def _create(self, name: str, cells: pl.DataFrame, says: str, columns: Mapping[str, str]) -> None:
        kind, place = self.session.kind, qualified(self.output.schema, name)
        declared = ", ".join(
            kind.column(column.name, kind.type_of(column.dtype), columns.get(column.name, "")) for column in cells
        )
        self.session.run(f"CREATE TABLE {place} ({declared})", expected=f"to make the table {name!r}")
        for statement in kind.comments(place, says, columns):
            self.session.run(statement)

    def _fitting(self, cells: pl.DataFrame, name: str) -> pl.DataFrame:
        """Return a batch with the columns and types of the table it is added to."""
        place = qualified(self.output.schema, name)
        rows = self.session.fetch(f"SELECT * FROM {place} LIMIT 0", expected="to read the table")
        there = dict(zip(rows.column_names, table_of(rows, name).dtypes, strict=True))
        if list(there) != cells.columns:
            raise self._unlike(name, f"the columns {', '.join(there)}", f"{', '.join(cells.columns)}")
        fitting = []
        for column in cells.get_columns():
            wanted = there[column.name]
            if wanted == pl.String and column.dtype != pl.String:
                column = as_text(column).alias(column.name)  # a column may be generalized in one batch alone
            elif self.session.kind.types_columns and wanted != column.dtype:
                raise self._unlike(name, f"{wanted} in {column.name!r}", str(column.dtype))
            fitting.append(column)
        return pl.DataFrame(fitting)

    def _unlike(self, name: str, expected: str, got: str) -> DatabaseError:
        return DatabaseError(
            f"output.table ({self.place})",
            expected=f"a batch that fits the table {name!r}: {expected}",
            got=got,
            hint="publish it to another table, or all of it with mode = 'replace'",
        )

    def _read_back(self, name: str, cells: pl.DataFrame, *, appended: bool) -> pl.DataFrame:
        """Read the table as others will; a new one usually comes in the order in which it was written."""
        place = qualified(self.output.schema, name)
        statement = f"SELECT {listed(cells.columns)} FROM {place}"
        if not appended:
            alike = self.session.kind.holds(self.session, place, cells)
            if alike or (alike is None and self._is_as_written(statement, cells, name)):
                return cells
        statement = f"{statement} ORDER BY {self.session.kind.row_id}"
        return table_of(self.session.fetch(statement, expected="to read the table back"), name)

    def _is_as_written(self, statement: str, cells: pl.DataFrame, name: str) -> bool:
        """Compare rows with those that were written, without a second copy of the table."""
        at, alike = 0, True
        for batch in self.session.batches(statement, expected="to read the table back"):
            if alike:  # what differs is read to its end: the connection is used again
                alike = table_of(batch, name).equals(cells[at : at + batch.num_rows])
            at += batch.num_rows
        return alike and at == cells.height
