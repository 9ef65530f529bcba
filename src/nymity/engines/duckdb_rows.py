"""DuckDBRows: rows of Parquet files, counted, joined and sorted by DuckDB, which spills what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from nymity.core.errors import ParameterError
from nymity.core.extras import require
from nymity.engines.engine_rows import RECORDS, Rows
from nymity.engines.failures import told
from nymity.engines.parquet_source import ParquetSource
from nymity.engines.recoding_plan import RecodingPlan
from nymity.engines.shuffling import shuffle_file
from nymity.engines.sql_plan import (
    CLASSES,
    dictionaries,
    dictionary_name,
    form_of,
    grouped,
    is_gap,
    names_of,
    quoted,
    statement,
)

#: DuckDB goes beyond the limit it is given, by what buffers of readers and writers take.
_SHARE = 0.7
_ROWS_AT_A_TIME = 250_000
#: Settings that would let rows be read by others, or leave the machine.
_OURS = ("memory_limit", "temp_directory", "enable_external_access", "preserve_insertion_order")


class DuckDBRows(Rows):
    """Rows of Parquet files in a database that lives in memory and in a private folder."""

    kind: ClassVar[str] = "duckdb"

    def __init__(self, source: ParquetSource, folder: Path, memory: int, settings: Mapping[str, str]) -> None:
        self._source, self._folder, self._memory = source, folder, memory
        self._names = names_of(source.columns)
        duckdb: Any = require("duckdb", extra="engines", purpose="engine 'duckdb'")
        self._error: type[Exception] = duckdb.Error
        for name in settings:
            if name.lower() in _OURS:
                raise ParameterError(
                    f"engine.settings.{name}", expected="a setting that nymity does not make itself", got=name
                )
        spilled = folder / "duckdb"
        spilled.mkdir(mode=0o700, exist_ok=True)
        ours = {"memory_limit": f"{int(memory * _SHARE)}B", "temp_directory": str(spilled)}
        ours |= {"preserve_insertion_order": "false", "autoinstall_known_extensions": "false", "TimeZone": "UTC"}
        with told(self.kind, "read", self._error):
            self._connection: Any = duckdb.connect(":memory:")
            try:
                for name, value in {**ours, **settings}.items():
                    self._run(f"SET {quoted(name)} = {_literal(value)}")
                files = ", ".join(_literal(str(file)) for file in source.files)
                columns = ", ".join(f"{quoted(name)} AS {safe}" for name, safe in self._names.items())
                read = f"read_parquet([{files}], hive_partitioning = false)"
                self._run(f"CREATE TEMP VIEW source AS SELECT {columns} FROM {read}")
            except BaseException:
                self._connection.close()
                raise

    @property
    def columns(self) -> Mapping[str, pl.DataType]:
        """Those of the files."""
        return self._source.columns

    @property
    def height(self) -> int:
        """Rows of all files."""
        return self._source.height

    def head(self, columns: Sequence[str], rows: int) -> pl.DataFrame:
        """Some rows."""
        listed = ", ".join(f"{self._cell(name)} AS c{i}" for i, name in enumerate(columns))
        found = self._fetched(f"SELECT {listed} FROM source LIMIT {rows}", "read")
        return pl.DataFrame({name: found[f"c{i}"] for i, name in enumerate(columns)})

    def gaps(self, columns: Sequence[str]) -> dict[str, int]:
        """Count them in one pass."""
        if not columns:
            return {}
        counts = ", ".join(f"count(*) FILTER (WHERE {self._gap(name)}) AS c{i}" for i, name in enumerate(columns))
        found = self._fetched(f"SELECT {counts} FROM source", "read")
        return {name: int(found[f"c{i}"][0]) for i, name in enumerate(columns)}

    def count(self, columns: Sequence[str], dropping: Sequence[str] = ()) -> pl.DataFrame:
        """Group by all of them."""
        query = grouped([self._cell(name) for name in columns], self._kept(dropping))
        return self._typed(self._fetched(query, "count"), columns)

    def apply(self, plan: RecodingPlan, path: Path) -> None:
        """Join the dictionaries and the classes, and write rows in order."""
        with told(self.kind, "apply", self._error):
            for i, table in enumerate(dictionaries(plan)):
                self._load(dictionary_name(i), table)
            self._load(CLASSES, plan.classes)
            query = statement(plan, self._cell, self._kept(plan.dropping))
            names = ", ".join(f"p{i} AS {quoted(name)}" for i, name in enumerate(plan.columns))
            sort = plan.order == "sorted"
            order = f" ORDER BY {', '.join(f'p{i} NULLS FIRST' for i in range(len(plan.columns)))}" if sort else ""
            target = path if sort else self._folder / "unordered.parquet"
            self._run(
                f"COPY (SELECT {names} FROM ({query}) q{order}) TO {_literal(str(target))} "
                "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 500000, PRESERVE_ORDER true)"
                if sort
                else f"COPY (SELECT {names} FROM ({query}) q) TO {_literal(str(target))} (FORMAT parquet)"
            )
        if not sort:
            shuffle_file(target, path, self._folder, self._memory, plan)

    def measure(self, path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Group the rows of the file."""
        written = f"read_parquet({_literal(str(path))}, hive_partitioning = false)"
        query = grouped([quoted(name) for name in columns], written)
        with told(self.kind, "measure", self._error):
            reader = self._connection.sql(query).to_arrow_reader(_ROWS_AT_A_TIME)
            for batch in reader:
                found = pl.from_arrow(batch)
                assert isinstance(found, pl.DataFrame)
                yield found.with_columns(pl.col(RECORDS).cast(pl.Int64))

    def close(self) -> None:
        """Close the connection; spilled rows go with the folder."""
        self._connection.close()

    # -- inside ----------------------------------------------------------------------------------------

    def _cell(self, name: str) -> str:
        dtype = self.columns[name]
        return form_of(self._names[name], dtype, _number(dtype))

    def _gap(self, name: str) -> str:
        dtype = self.columns[name]
        return is_gap(self._names[name], dtype, _number(dtype))

    def _kept(self, dropping: Sequence[str]) -> str:
        where = " AND ".join(f"NOT {self._gap(name)}" for name in dropping)
        return f"(SELECT * FROM source WHERE {where}) kept" if where else "source"

    def _run(self, query: str) -> None:
        self._connection.execute(query)

    def _fetched(self, query: str, stage: str) -> pl.DataFrame:
        with told(self.kind, stage, self._error):
            found = pl.from_arrow(self._connection.sql(query).to_arrow_table())
        assert isinstance(found, pl.DataFrame)
        return found

    def _typed(self, found: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """Give cells the types that polars reads in the files."""
        cells = {}
        for i, name in enumerate(columns):
            kind, column = self.columns[name], found[f"c{i}"]
            wanted = pl.String() if kind in (pl.Categorical, pl.Enum) else kind
            cells[f"c{i}"] = column if column.dtype == wanted else _as(column, wanted)
        return pl.DataFrame({**cells, RECORDS: found[RECORDS].cast(pl.Int64)})

    def _load(self, name: str, table: pl.DataFrame) -> None:
        self._connection.register("nymity_given", table.to_arrow())
        self._run(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM nymity_given")
        self._connection.unregister("nymity_given")


def _as(column: pl.Series, wanted: pl.DataType) -> pl.Series:
    """Return a column as polars read it in the file: the instants and days are the same."""
    return column.cast(wanted)


def _number(dtype: pl.DataType) -> str:
    return "FLOAT" if dtype == pl.Float32 else "DOUBLE"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
