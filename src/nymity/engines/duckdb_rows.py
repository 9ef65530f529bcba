"""DuckDBRows: rows of Parquet files, counted, joined and sorted by DuckDB, which spills what does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from nymity.core.errors import ParameterError, TableError
from nymity.core.extras import require
from nymity.engines.engine_rows import RECORDS
from nymity.engines.failures import told
from nymity.engines.parquet_source import OfParquet, ParquetSource
from nymity.engines.parquet_writing import rows_a_group
from nymity.engines.recoding_plan import RecodingPlan
from nymity.engines.shuffling import shuffle_file
from nymity.engines.sql_plan import grouped, names_of, quoted
from nymity.engines.sql_rows import SqlRows

#: DuckDB goes beyond the limit it is given, by what buffers of readers and writers take.
_SHARE = 0.7
_ROWS_AT_A_TIME = 250_000
#: What DuckDB reads as a pattern in the name of a file, unless it stands in brackets.
_PATTERN = re.compile(r"[*?\[]")
#: Settings that would let rows be read by others, or leave the machine.
_OURS = ("memory_limit", "temp_directory", "enable_external_access", "preserve_insertion_order", "disabled_optimizers")
#: What believes the bounds in a footer, in which not-a-number has no part, and then finds none in the rows.
_BY_BOUNDS = "statistics_propagation,filter_pushdown"


class DuckDBRows(OfParquet, SqlRows):
    """Rows of Parquet files in a database that lives in memory and in a private folder."""

    kind: ClassVar[str] = "duckdb"
    floats: ClassVar[tuple[str, str]] = ("FLOAT", "DOUBLE")

    def __init__(self, source: ParquetSource, folder: Path, memory: int, settings: Mapping[str, str]) -> None:
        _check_columns(source.columns)
        self._source, self.folder, self.memory = source, folder, memory
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
        # No extension is fetched from anywhere while records of people are read.
        ours |= {"preserve_insertion_order": "false", "autoinstall_known_extensions": "false", "TimeZone": "UTC"}
        if any(dtype.is_float() for dtype in source.columns.values()):
            ours["disabled_optimizers"] = _BY_BOUNDS
        with told(self.kind, "read", self._error):
            self._connection: Any = duckdb.connect(":memory:")
            try:
                for name, value in {**ours, **settings}.items():
                    self._run(f"SET {quoted(name)} = {_literal(value)}")
                self._run(f"CREATE TEMP VIEW source AS SELECT * FROM {_read(source)}")
            except BaseException:
                self._connection.close()
                raise

    def apply(self, plan: RecodingPlan, path: Path) -> None:
        """Join the dictionaries and the classes, and write rows in order."""
        with told(self.kind, "apply", self._error):
            query = self._loaded(plan)
            names = ", ".join(f"p{i} AS {quoted(name)}" for i, name in enumerate(plan.columns))
            # By number: a column that is published under the name p0 would be taken for the first one.
            order = ", ".join(f"{i + 1} NULLS FIRST" for i in range(len(plan.columns)))
            shuffled = plan.order == "shuffled"
            target = self.folder / "sorted.parquet" if shuffled else path
            self._run(
                f"COPY (SELECT {names} FROM ({query}) q ORDER BY {order}) TO {_literal(str(target))} "
                "(FORMAT parquet, COMPRESSION zstd, PRESERVE_ORDER true, "
                f"ROW_GROUP_SIZE {rows_a_group(len(plan.columns))})"
            )
        if shuffled:
            shuffle_file(target, path, self.folder, self.memory, plan)

    def measure(self, path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Group the rows of the file."""
        written = ParquetSource.of(path)
        names = names_of(written.columns)
        query = grouped([names[name] for name in columns], _read(written))
        return self._parts(query, "measure")

    def close(self) -> None:
        """Close the connection; spilled rows go with the folder."""
        self._connection.close()

    # -- inside ----------------------------------------------------------------------------------------

    def _run(self, query: str) -> None:
        self._watched(lambda: self._connection.execute(query))

    def _watched(self, work: Callable[[], Any]) -> Any:
        """Let DuckDB work in a thread of its own: in this one it would not always notice an interrupt."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            future = pool.submit(work)
            try:
                while not wait([future], timeout=0.1).done:
                    pass
            except BaseException:
                self._connection.interrupt()
                raise
            return future.result()

    def _fetched(self, query: str, stage: str) -> pl.DataFrame:
        with told(self.kind, stage, self._error):
            found = pl.from_arrow(self._watched(lambda: self._connection.sql(query).to_arrow_table()))
        assert isinstance(found, pl.DataFrame)
        return found

    def _parts(self, query: str, stage: str) -> Iterator[pl.DataFrame]:
        with told(self.kind, stage, self._error):
            reader = self._watched(lambda: self._connection.sql(query).to_arrow_reader(_ROWS_AT_A_TIME))
            yield _with_records(reader.schema.empty_table())
            while (batch := self._watched(lambda: next(reader, None))) is not None:
                yield _with_records(batch)

    def _load(self, name: str, table: pl.DataFrame) -> None:
        self._connection.register("nymity_given", table.to_arrow())
        self._run(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM nymity_given")
        self._connection.unregister("nymity_given")


def _with_records(rows: Any) -> pl.DataFrame:
    found = pl.from_arrow(rows)
    assert isinstance(found, pl.DataFrame)
    return found.with_columns(pl.col(RECORDS).cast(pl.Int64))


def _check_columns(columns: Mapping[str, pl.DataType]) -> None:
    """Refuse what DuckDB reads as something else: it takes two such names for one, and reads such numbers as bytes."""
    folded: dict[bytes, str] = {}  # of the letters of ASCII, which DuckDB compares so
    for name, kind in columns.items():
        if (other := folded.setdefault(name.encode().lower(), name)) != name:
            raise TableError(
                f"column {name!r}",
                expected="names that differ in more than case, which DuckDB ignores",
                got=f"also {other!r}",
                hint="rename one of them, or engine 'streaming'",
            )
        if kind in (pl.Int128, pl.UInt128):
            raise TableError(
                f"column {name!r}",
                expected="numbers of up to 64 bits, which DuckDB reads in Parquet files",
                got=str(kind),
                hint="engine 'streaming', or write the column as text or decimal",
            )


def _read(source: ParquetSource) -> str:
    """Return the expression that reads files, columns named s0, s1, … by their place: names may stand for others."""
    files = ", ".join(_literal(_PATTERN.sub(r"[\g<0>]", str(file))) for file in source.files)
    return f"read_parquet([{files}], hive_partitioning = false) AS files({', '.join(source.safe)})"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
