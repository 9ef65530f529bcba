"""PostgreSQLRows: rows of a table of PostgreSQL, counted, joined and sorted by the server.

Counting and applying are one transaction (REPEATABLE READ): both see the rows of the same moment, whoever writes
meanwhile. Dictionaries and classes are temporary tables of it; it is rolled back, so nothing of it stays. Rows leave
the server once, as they are published, and what is measured is the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from nymity.core.errors import JobError, TableError
from nymity.database import DatabaseSource, Session, qualified
from nymity.engines.failures import told
from nymity.engines.parquet_writing import write_parts
from nymity.engines.recoding_plan import RecodingPlan
from nymity.engines.shuffling import shuffle_file
from nymity.engines.sql_plan import names_of, quoted
from nymity.engines.sql_rows import SqlRows
from nymity.engines.streaming import measured_parts

#: Types of the server whose cells mean the same everywhere.
_PLAIN = {
    "text": pl.String(),
    "varchar": pl.String(),
    "bool": pl.Boolean(),
    "int2": pl.Int16(),
    "int4": pl.Int32(),
    "int8": pl.Int64(),
    "float4": pl.Float32(),
    "float8": pl.Float64(),
    "date": pl.Date(),
    "time": pl.Time(),
    "timestamp": pl.Datetime("us"),
    "timestamptz": pl.Datetime("us", "UTC"),
}
_TYPES: dict[Any, str] = {pl.Int16: "smallint", pl.Int32: "integer"}


class PostgreSQLRows(SqlRows):
    """Rows of a table, or of a query, on a server."""

    kind: ClassVar[str] = "postgresql"
    floats: ClassVar[tuple[str, str]] = ("real", "double precision")

    def __init__(self, source: DatabaseSource, folder: Path, memory: int, settings: Mapping[str, str]) -> None:
        if source.address.kind != "postgresql":
            raise JobError(
                "source.url", expected="a PostgreSQL server", got=source.address.kind, hint="engine 'memory'"
            )
        self.folder, self.memory = folder, memory
        self._session = Session(source.address, "source")
        try:
            # All queries see the table as it was at the first: rows that come meanwhile are in no count and in no
            # release.
            self._session.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            for name, value in settings.items():
                self._session.run(f"SET LOCAL {quoted(name)} = {_literal(value)}", expected=f"the setting {name!r}")
            self._columns = self._found(source)
            self._names = names_of(self._columns)
            listed = ", ".join(f"{quoted(name)} AS {safe}" for name, safe in self._names.items())
            self._place = f"(SELECT {listed} FROM {_from(source)}) source"
            ((self._height,),) = self._session.rows(f"SELECT count(*) FROM {self._place}")
        except BaseException:
            self._session.close()
            raise

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """Those of the table."""
        return self._columns

    @property
    def height(self) -> int:
        """Rows of the table when the transaction began."""
        return int(self._height)

    def apply(self, plan: RecodingPlan, path: Path) -> None:
        """Join the dictionaries and the classes on the server, and write rows as they come."""
        query, types = self._loaded(plan), self._types(plan)
        # The order of a server's language would be another one on the next server.
        bytewise = [' COLLATE "C"' if kind == pl.String else "" for kind in types.values()]
        order = ", ".join(f"p{i}{how} NULLS FIRST" for i, how in enumerate(bytewise))
        query = f"SELECT * FROM ({query}) q ORDER BY {order}"
        shuffled = plan.order == "shuffled"
        target = self.folder / "sorted.parquet" if shuffled else path
        with told(self.kind, "apply"):
            batches = self._session.batches(query, expected="to recode the rows")
            write_parts(target, types, (_named(batch, types) for batch in batches))
            if shuffled:
                shuffle_file(target, path, self.folder, self.memory, plan)

    def measure(self, path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Group the rows of the file, which is on this machine."""
        return measured_parts(path, columns, self.folder, self.memory)

    def close(self) -> None:
        """Roll back: nothing was changed that should stay."""
        self._session.close()

    # -- inside ----------------------------------------------------------------------------------------

    def _found(self, source: DatabaseSource) -> dict[str, pl.DataType]:
        """Return the columns with their types, or say which one has none that engines hold alike."""
        rows = self._session.fetch(f"SELECT * FROM {_from(source)} LIMIT 0", expected=f"to read {source.path}")
        found: dict[str, pl.DataType] = {}
        for field in rows.schema:
            declared = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode() or _arrow_type(field.type)
            if declared not in _PLAIN:
                raise TableError(
                    f"column {field.name!r}",
                    expected=f"one of the types {', '.join(_PLAIN)}",
                    got=declared,
                    hint="a query that leaves it out, or casts it; or engine 'memory'",
                )
            found[field.name] = _PLAIN[declared]
        return found

    def _cell(self, name: str) -> str:
        made = super()._cell(name)
        return f'({made} COLLATE "C")' if self._columns[name] == pl.String else made

    def _fetched(self, query: str, stage: str) -> pl.DataFrame:
        return _framed(self._session.fetch(query, expected="to count rows"))

    def _parts(self, query: str, stage: str) -> Iterator[pl.DataFrame]:
        del stage  # of which only counting is asked of the server
        found = pl.DataFrame()
        for batch in self._session.batches(query, expected="to count rows"):
            found = _framed(batch)
            yield found
        if not found.width:
            yield self._fetched(query, "count")  # there are none

    def _load(self, name: str, table: pl.DataFrame) -> None:
        kinds = {
            column: _TYPES.get(dtype.base_type()) or self._session.kind.type_of(dtype)
            for column, dtype in table.schema.items()
        }
        self._session.run(f"DROP TABLE IF EXISTS pg_temp.{name}")
        listed = ", ".join(f"{column} {kind}" for column, kind in kinds.items())
        self._session.run(f"CREATE TEMPORARY TABLE {name} ({listed})", expected="a temporary table")
        self._session.ingest(name, None, table, temporary=True)
        self._session.run(f"ANALYZE {name}")


def _from(source: DatabaseSource) -> str:
    if source.query is not None:
        return f"({source.query.strip().rstrip(';')}) AS given"
    assert source.table is not None
    return qualified(source.schema, source.table)


def _framed(rows: Any) -> pl.DataFrame:
    found = pl.from_arrow(rows)
    assert isinstance(found, pl.DataFrame)
    return found


def _named(batch: Any, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    found = _framed(batch)
    return pl.DataFrame({name: found[f"p{i}"].cast(kind).alias(name) for i, (name, kind) in enumerate(types.items())})


def _arrow_type(kind: Any) -> str:
    """Return the server's name for a type that Arrow has by itself."""
    text = str(kind)
    zoned = text.startswith("timestamp") and "tz=" in text
    known = {
        "string": "text",
        "bool": "bool",
        "int16": "int2",
        "int32": "int4",
        "int64": "int8",
        "float": "float4",
        "double": "float8",
        "date32[day]": "date",
        "time64[us]": "time",
        "timestamp[us]": "timestamp",
    }
    return "timestamptz" if zoned else known.get(text, text)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
