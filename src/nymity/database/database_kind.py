"""DatabaseKind: what each kind of database does in its own way: connecting, types, comments, the order of rows."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from nymity.core.errors import ParameterError, TableError
from nymity.core.quoting import as_given
from nymity.database.address import Address

if TYPE_CHECKING:
    from nymity.database.session import Session


#: Stands in a statement where a parameter goes. No name has it, whereas a column may be called "?".
PLACE = "\0"
#: One part of the name of a table, as somebody types it.
_NAME = r'("(?:[^"]|"")+"|[^".]+)'


class DatabaseKind(ABC):
    """One kind of database; an instance of each is in the registry."""

    name: ClassVar[str]
    #: The column that tells in which order rows were written.
    row_id: ClassVar[str]
    #: Bytes that a name may have; beyond them some databases cut it without a word.
    longest_name: ClassVar[int] = 1_000
    #: Whether a cell's type is told by its column alone. If each cell has its own, one record can change others.
    types_columns: ClassVar[bool] = True
    #: Types of columns by those of polars; :meth:`storable` makes the rest into these.
    types: ClassVar[Mapping[Any, str]]
    #: Type of moments that have a time zone; without one it is that of other moments.
    zoned: ClassVar[str] = ""
    #: What asks for the names of all schemas.
    schemas: ClassVar[str]
    #: Whether it keeps comments beside tables and columns.
    has_comments: ClassVar[bool] = False

    @abstractmethod
    def connect(self, address: Address, *, read_only: bool) -> Any:
        """Return a connection of the driver, with a transaction under way."""

    def opening(self, *, read_only: bool) -> Iterable[str]:
        """Return the statements that a session begins with."""
        del read_only
        return ()

    def with_places(self, statement: str) -> str:
        """Return a statement with places for parameters as the driver writes them: question marks, or numbers."""
        return statement.replace(PLACE, "?")

    def before_fetching(self, cursor: Any) -> None:
        """Prepare a cursor whose rows will be fetched."""
        del cursor

    def check_cells(self, session: Session, query: str, *, expected: str) -> None:
        """Refuse columns whose cells have several types; most databases have none."""
        del session, query, expected

    @abstractmethod
    def has_table(self, session: Session, schema: str | None, table: str) -> bool:
        """Return whether there is a table, or a view, of this name."""

    def has_schema(self, session: Session, name: str) -> bool:
        """Return whether there is a schema of this name, in whatever case of letters."""
        return name.lower() in [schema.lower() for (schema,) in session.rows(self.schemas)]

    def holds(self, session: Session, place: str, cells: pl.DataFrame) -> bool | None:
        """Return whether a table has these rows in this order; None where one has to read it to know."""
        del session, place, cells
        return None

    def forget_dropped(self, session: Session, schema: str | None, ours: Collection[str]) -> None:
        """Leave nothing of dropped tables behind, once that is committed; ``ours`` are the tables that nymity made.

        Most kinds need not: SQLite overwrites rows, and the files of a server are nobody's to give away.
        """
        del session, schema, ours

    def wait_for(self, session: Session, mark: str) -> None:
        """Wait for a transaction of another process that was given a mark, so that it is over when rows are read.

        A file is locked by processes that live, and what a dead one began is rolled back by whoever opens it.
        """
        del session, mark

    def claim(self, session: Session, mark: str) -> None:
        """Let others wait for the end of this transaction."""
        del session, mark

    def comments(self, table: str, says: str, columns: Mapping[str, str]) -> Iterable[str]:
        """Return the statements that say beside a table, and beside its columns, what they are."""
        if not self.has_comments:
            return
        yield f"COMMENT ON TABLE {table} IS {literal(says)}"
        for name, what in columns.items():
            yield f"COMMENT ON COLUMN {table}.{quoted(name)} IS {literal(what)}"

    def column(self, name: str, kind: str, says: str) -> str:
        """Return how a column is declared."""
        del says
        return f"{quoted(name)} {kind}"

    def storable(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table with types that this kind has, or say which column has none."""
        return pl.DataFrame({column.name: self._storable(column) for column in frame.get_columns()})

    def type_of(self, dtype: pl.DataType) -> str:
        """Return the type of a column."""
        has_zone = isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
        return self.zoned if has_zone and self.zoned else self.types[dtype.base_type()]

    def _storable(self, column: pl.Series) -> pl.Series:
        dtype = column.dtype
        if dtype in (pl.Categorical, pl.Enum, pl.Null):
            return column.cast(pl.String)
        if dtype.is_integer() and dtype not in (pl.UInt64, pl.Int128, pl.UInt128):
            return column.cast(pl.Int64)
        if dtype == pl.Datetime and column.dtype.time_unit != "us":  # type: ignore[attr-defined]
            return column.dt.cast_time_unit("us")
        if dtype.base_type() in self.types:
            return column
        raise TableError(
            f"column {column.name!r}",
            expected=f"cells that a table of {self.name} holds",
            got=str(dtype),
            hint="give the column as text, numbers, truth values or dates",
        )

    def check_names(self, where: str, names: Collection[str]) -> None:
        """Refuse names that this kind would cut, or take for one."""
        for name in names:
            if not name or "\0" in name or len(name.encode()) > self.longest_name:
                raise ParameterError(
                    where,
                    expected=f"names of 1 to {self.longest_name} bytes, as {self.name} has them",
                    got=as_given(name),
                    hint="a shorter name" if name else "name the column in the source; a query can (select … as day)",
                )


class FileKind(DatabaseKind):
    """A database in a file, that names no two columns alike but for the case of their letters."""

    def check_names(self, where: str, names: Collection[str]) -> None:
        """Refuse also names that differ in the case of letters alone."""
        super().check_names(where, names)
        low = [name.lower() for name in names]
        twice = next((name for name in names if low.count(name.lower()) > 1), None)
        if twice is not None:
            raise ParameterError(where, expected=f"names that {self.name} tells apart", got=f"{twice!r} in two cases")


def quoted(name: str) -> str:
    """Quote an identifier (SQL:2023, 5.2): whatever is in it, it is one name."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text for a statement that takes no parameters, such as a comment."""
    return "'" + text.replace("'", "''") + "'"


def qualified(schema: str | None, table: str) -> str:
    """Return a table's name, quoted, with its schema where there is one."""
    return quoted(table) if schema is None else f"{quoted(schema)}.{quoted(table)}"


def spelled(schema: str | None, table: str) -> str:
    """Write a table's name as :func:`parted` reads it: in quotes is what has a dot or a quote itself."""
    return ".".join(quoted(one) if set(one) & set('."') else one for one in (schema, table) if one)


def parted(where: str, text: str) -> tuple[str | None, str]:
    """Read TABLE or SCHEMA.TABLE; a name with a dot or a quote stands in double quotes, as in SQL."""
    found = re.fullmatch(rf"(?:{_NAME}\.)?{_NAME}", text)
    if found is None:
        raise ParameterError(
            where,
            expected="TABLE or SCHEMA.TABLE, a name with a dot or a quote in double quotes",
            got=as_given(text),
            hint="""'"my.table"', wards."my.table\"""",
        )
    schema, table = (one[1:-1].replace('""', '"') if one and one[0] == '"' else one for one in found.groups())
    assert table is not None
    return schema, table


def listed(names: Sequence[str]) -> str:
    """Return quoted names with commas between."""
    return ", ".join(map(quoted, names))
