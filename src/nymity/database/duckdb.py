"""DuckDB files, by the driver that the package ``duckdb`` has for ADBC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from nymity.core.extras import require
from nymity.database.address import Address
from nymity.database.database_kind import PLACE, FileKind, literal, quoted

if TYPE_CHECKING:
    from nymity.database.session import Session


class DuckDB(FileKind):
    """A file of DuckDB."""

    name = "duckdb"
    row_id = "rowid"
    types: ClassVar[Mapping[Any, str]] = {
        pl.String: "VARCHAR",
        pl.Boolean: "BOOLEAN",
        pl.Int64: "BIGINT",
        pl.UInt64: "UBIGINT",
        pl.Float64: "DOUBLE",
        pl.Float32: "FLOAT",
        pl.Date: "DATE",
        pl.Time: "TIME",
        pl.Datetime: "TIMESTAMP",
    }

    def connect(self, address: Address, *, read_only: bool) -> Any:
        """Open the file."""
        driver = require("adbc_driver_duckdb", extra="database", purpose="DuckDB")
        manager = require("adbc_driver_manager.dbapi", extra="database", purpose="DuckDB")
        settings = {"path": str(address.file), "access_mode": "READ_ONLY" if read_only else "READ_WRITE"}
        return manager.connect(driver=driver.driver_path(), entrypoint="duckdb_adbc_init", db_kwargs=settings)

    def opening(self, *, read_only: bool) -> Iterable[str]:
        """Shut out other files: a query of a read-only database may still copy rows to them, or read them."""
        return ["SET enable_external_access = false", "SET lock_configuration = true"] if read_only else []

    def has_table(self, session: Session, schema: str | None, table: str) -> bool:
        """Look into the catalog, where the case of letters does not count."""
        found = session.rows(
            f"SELECT 1 FROM information_schema.tables WHERE lower(table_name) = lower({PLACE}) "
            f"AND table_schema = {'current_schema()' if schema is None else PLACE}",
            [table, *([] if schema is None else [schema])],
        )
        return bool(found)

    def type_of(self, dtype: pl.DataType) -> str:
        """Keep that times have a zone."""
        zoned = isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
        return "TIMESTAMPTZ" if zoned else super().type_of(dtype)

    def comments(self, table: str, says: str, columns: Mapping[str, str]) -> Iterable[str]:
        """Comment the table and each column."""
        yield f"COMMENT ON TABLE {table} IS {literal(says)}"
        for name, what in columns.items():
            yield f"COMMENT ON COLUMN {table}.{quoted(name)} IS {literal(what)}"


DUCKDB = DuckDB()
