"""DuckDB files, by the driver that the package ``duckdb`` has for ADBC."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from nymity.core.disk import HIDDEN_PREFIX, flush
from nymity.core.errors import DatabaseError
from nymity.core.extras import require
from nymity.core.paths import resolved
from nymity.database.address import Address
from nymity.database.database_kind import PLACE, FileKind, literal, quoted

if TYPE_CHECKING:
    from nymity.database.session import Session


#: What the copy of a file is attached as.
_FRESH = "nymity_fresh"
#: What is somebody's, and not DuckDB's own, by the kind of thing.
_USERS = {
    "views": "NOT internal AND database_name = current_database()",
    "sequences": "database_name = current_database()",
    "functions": "NOT internal AND database_name = current_database()",
    "types": "NOT internal AND database_name = current_database()",
    "indexes": "database_name = current_database()",
}


class DuckDB(FileKind):
    """A file of DuckDB."""

    name = "duckdb"
    row_id = "rowid"
    schemas = "SELECT schema_name FROM information_schema.schemata WHERE catalog_name = current_database()"
    zoned = "TIMESTAMPTZ"
    has_comments = True
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
        """Open the file; a copy of it that a run left which died is removed."""
        driver = require("adbc_driver_duckdb", extra="database", purpose="DuckDB")
        manager = require("adbc_driver_manager.dbapi", extra="database", purpose="DuckDB")
        settings = {"path": str(address.file), "access_mode": "READ_ONLY" if read_only else "READ_WRITE"}
        made = manager.connect(driver=driver.driver_path(), entrypoint="duckdb_adbc_init", db_kwargs=settings)
        if not read_only and address.file is not None:  # the lock is ours
            _remove(_fresh_file(address.file))
        return made

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

    def forget_dropped(self, session: Session, schema: str | None, ours: Collection[str]) -> None:
        """Write the file anew, without the blocks of dropped tables, if everything in it is nymity's.

        DuckDB keeps them, whatever VACUUM and CHECKPOINT do. The copy is compared, and takes the place of the file
        while the lock on that is held. Where others have something in the file, it stays as it is. What DuckDB has yet
        to write into the old file must be there first: it lies beside it, and would be taken for that of the new one.
        """
        assert session.address.file is not None
        file, fresh = resolved(session.address.file), _fresh_file(session.address.file)
        ((name, first),) = session.rows("SELECT current_database(), current_schema()")
        within = first if schema is None else schema
        if _others(session, within, ours):
            return
        try:
            session.run(f"ATTACH {literal(str(fresh))} AS {_FRESH}")
            session.run(f"COPY FROM DATABASE {quoted(name)} TO {_FRESH}", expected="to rewrite the file")
            for table in sorted(ours):
                _compare(session, quoted(name), f"{quoted(within)}.{quoted(table)}")
            session.commit()
            session.run(f"DETACH {_FRESH}")
            session.run(f"CHECKPOINT {quoted(name)}", expected="to write everything into the file")
            _refuse_pending(session, file)
            shutil.copymode(file, fresh)
            flush(fresh)
            os.replace(fresh, file)  # noqa: PTH105
            flush(file.parent)
        finally:
            _remove(fresh)


def _refuse_pending(session: Session, file: Path) -> None:
    """Refuse to put another file beside what DuckDB has not written into this one."""
    if file.with_name(f"{file.name}.wal").exists():
        where = f"output ({session.address.shown})"
        raise DatabaseError(where, expected="everything written into the file", got=f"{file.name}.wal next to it")


def _others(session: Session, schema: str, ours: Collection[str]) -> bool:
    """Return whether there is anything in a file but tables of nymity in a schema."""
    places = ", ".join(PLACE for _ in ours)
    kinds = ("views", "sequences", "functions", "types", "indexes")
    further = " ".join(f"UNION ALL SELECT 1 FROM duckdb_{kind}() WHERE {_USERS[kind]}" for kind in kinds)
    found = session.rows(
        "SELECT 1 FROM duckdb_tables() WHERE NOT internal AND database_name = current_database() "
        f"AND (schema_name <> {PLACE} OR table_name NOT IN ({places})) {further}",
        [schema, *ours],
    )
    return bool(found)


def _compare(session: Session, name: str, table: str) -> None:
    """Refuse a copy of a table, by its schema and name, that has not the same rows in the same order."""
    old, new = (f"(SELECT t AS {one} FROM {place}.{table} AS t)" for one, place in (("a", name), ("b", _FRESH)))
    ((wrong,),) = session.rows(f"SELECT count(*) FROM {old} POSITIONAL JOIN {new} WHERE a IS DISTINCT FROM b")
    if wrong:
        raise DatabaseError(
            f"output ({session.address.shown})", expected="the same rows in a copy of the file", got=f"{wrong:,} others"
        )


def _fresh_file(file: Path) -> Path:
    """Return where the copy of a file waits for its place."""
    return resolved(file).with_name(f"{HIDDEN_PREFIX}{resolved(file).name}")


def _remove(fresh: Path) -> None:
    for path in (fresh, fresh.with_name(f"{fresh.name}.wal")):
        path.unlink(missing_ok=True)


DUCKDB = DuckDB()
