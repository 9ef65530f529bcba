"""SQLite files. Cells have types of their own there, and there are no comments but in the text of the statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

import polars as pl

from nymity.core.errors import TableError
from nymity.core.extras import require
from nymity.database.address import Address
from nymity.database.database_kind import PLACE, FileKind, quoted

if TYPE_CHECKING:
    from nymity.database.session import Session

#: Rows that the driver looks at before it settles on the types of columns: all of them, in tables of any size.
_ROWS_AT_ONCE = 1 << 30


class SQLite(FileKind):
    """A file of SQLite."""

    name = "sqlite"
    row_id = "rowid"
    schemas = "SELECT name FROM pragma_database_list"
    types_columns = False
    types: ClassVar[Mapping[Any, str]] = {pl.String: "TEXT", pl.Int64: "INTEGER", pl.Float64: "REAL"}

    def connect(self, address: Address, *, read_only: bool) -> Any:
        """Open the file; one that is only read must be there."""
        assert address.file is not None
        place = f"file:{quote(str(address.file.absolute()))}?mode={'ro' if read_only else 'rwc'}"
        return require("adbc_driver_sqlite.dbapi", extra="database", purpose="SQLite").connect(place)

    def opening(self, *, read_only: bool) -> Iterable[str]:
        """Wait for others a while, and overwrite what is dropped: whoever gets the file must not get it too."""
        return ["PRAGMA busy_timeout = 10000", *([] if read_only else ["PRAGMA secure_delete = ON"])]

    def before_fetching(self, cursor: Any) -> None:
        """Let types be found from all rows: from the first thousand they would be guessed."""
        cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_ROWS_AT_ONCE)})

    def has_table(self, session: Session, schema: str | None, table: str) -> bool:
        """Look into the list of tables, where the case of letters does not count."""
        place = "sqlite_master" if schema is None else f"{quoted(schema)}.sqlite_master"
        return bool(session.rows(f"SELECT 1 FROM {place} WHERE lower(name) = lower({PLACE})", [table]))

    def column(self, name: str, kind: str, says: str) -> str:
        """Put what a column is into the statement, which SQLite keeps as it is."""
        return f"{quoted(name)} {kind} /* {says.replace('*/', '* /')} */"

    def check_cells(self, session: Session, query: str, *, expected: str) -> None:
        """Refuse columns with text beside numbers: the driver would write the numbers as nobody wrote them."""
        names = session.fetch(f"SELECT * FROM ({query}) LIMIT 0", expected=expected).column_names
        if not names:
            return
        counted = ", ".join(
            f"max(typeof({quoted(name)}) = '{kind}')" for name in names for kind in ("text", "integer", "real", "blob")
        )
        found = [bool(value) for value in session.rows(f"SELECT {counted} FROM ({query})")[0]]
        for at, name in enumerate(names):
            text, whole, real, blob = found[4 * at : 4 * at + 4]
            if blob or (text and (whole or real)):
                raise TableError(
                    f"column {name!r}",
                    expected="only text, or only numbers",
                    got="bytes" if blob else "text beside numbers",
                    hint=f"a query with cast({quoted(name)} as text)",
                )

    def _storable(self, column: pl.Series) -> pl.Series:
        if column.dtype.is_temporal() and column.dtype != pl.Duration:
            return column.dt.to_string("iso")
        if column.dtype == pl.Boolean:
            return column.cast(pl.String)
        return super()._storable(column)


SQLITE = SQLite()
