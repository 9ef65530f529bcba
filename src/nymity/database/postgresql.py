"""PostgreSQL, through ADBC and libpq: credentials come from where libpq looks for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from nymity.core.extras import require
from nymity.database.address import Address
from nymity.database.database_kind import PLACE, DatabaseKind, literal
from nymity.database.packed_columns import PackedColumns

if TYPE_CHECKING:
    from nymity.database.session import Session

#: How long a transaction of another process is waited for.
_PATIENCE = "20s"
#: Blocks of a table that are packed at a time: 128 MiB, where they are as large as usual.
_BLOCKS = 16_384


class PostgreSQL(DatabaseKind):
    """A server."""

    name = "postgresql"
    row_id = "ctid"
    schemas = "SELECT nspname FROM pg_catalog.pg_namespace"
    zoned = "timestamptz"
    has_comments = True
    longest_name = 63
    types: ClassVar[Mapping[Any, str]] = {
        pl.String: "text",
        pl.Boolean: "boolean",
        pl.Int64: "bigint",
        pl.Float64: "double precision",
        pl.Float32: "real",
        pl.Date: "date",
        pl.Time: "time",
        pl.Datetime: "timestamp",
    }

    def connect(self, address: Address, *, read_only: bool) -> Any:
        """Connect as libpq does."""
        del read_only
        return require("adbc_driver_postgresql.dbapi", extra="database", purpose="PostgreSQL").connect(address.url)

    def opening(self, *, read_only: bool) -> Iterable[str]:
        """Let the server refuse to write where a table is only read, and write whole or not at all in any case."""
        return ["SET TRANSACTION READ ONLY"] if read_only else []

    def with_places(self, statement: str) -> str:
        """Number the places."""
        number = count(1)
        return "".join(f"${next(number)}" if character == PLACE else character for character in statement)

    def has_table(self, session: Session, schema: str | None, table: str) -> bool:
        """Look into the catalog; without a schema where a new table would be made."""
        found = session.rows(
            "SELECT 1 FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace "
            f"WHERE c.relname = {PLACE} AND n.nspname = {'current_schema()' if schema is None else PLACE}",
            [table, *([] if schema is None else [schema])],
        )
        return bool(found)

    def holds(self, session: Session, place: str, cells: pl.DataFrame) -> bool | None:
        """Let the server pack each column, some blocks of the table at a time, and compare the bytes."""
        packed = PackedColumns.of(cells)
        if packed is None:
            return None
        for setting in ("jit = off", "synchronize_seqscans = off", "max_parallel_workers_per_gather = 0"):
            session.run(f"SET LOCAL {setting}")  # rows in the order in which they lie
        sizes = f"pg_catalog.pg_relation_size({literal(place)}), pg_catalog.current_setting('block_size')::bigint"
        ((size, of_block),) = session.rows(f"SELECT {sizes}")
        at, blocks = 0, -(-size // of_block)
        for first in range(0, blocks, _BLOCKS):
            part = f" WHERE ctid >= '({first},0)' AND ctid < '({first + _BLOCKS},0)'" if blocks > _BLOCKS else ""
            found = session.fetch(f"SELECT {packed.selected} FROM {place}{part}", expected="to read the table back")
            if not packed.are(found, at):
                return False
            at += found.columns[0][0].as_py()
        return at == cells.height

    def claim(self, session: Session, mark: str) -> None:
        """Take a lock that ends with the transaction, whichever way it ends."""
        session.rows(f"SELECT pg_catalog.pg_advisory_xact_lock({PLACE})", [_number(mark)])

    def wait_for(self, session: Session, mark: str) -> None:
        """Take the same lock: a server may still be committing for a client that is gone."""
        session.run(f"SET LOCAL lock_timeout = '{_PATIENCE}'")
        session.rows(f"SELECT pg_catalog.pg_advisory_xact_lock({PLACE})", [_number(mark)])


def _number(mark: str) -> int:
    return int(mark[:16], 16) - 2**63


POSTGRESQL = PostgreSQL()
