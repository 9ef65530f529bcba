"""SparkRows: rows of Parquet files, counted, joined and sorted by Spark, on one machine or on a cluster.

Spark runs SQL alone, no Python on its workers. Files that it writes are gathered into one by polars, with the types of
the source: Spark has no unsigned numbers of 64 bits, and writes parts.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from nymity.core.errors import FileError, TableError
from nymity.core.extras import require
from nymity.engines.engine_rows import RECORDS
from nymity.engines.failures import told
from nymity.engines.parquet_source import OfParquet, ParquetSource
from nymity.engines.parquet_writing import rows_a_group
from nymity.engines.recoding_plan import RecodingPlan
from nymity.engines.shuffling import shuffle_file
from nymity.engines.sql_plan import grouped, names_of
from nymity.engines.sql_rows import SqlRows

_OLDEST_JAVA = 17
#: What Spark reads as a pattern in the name of a file, unless a backslash stands before it.
_PATTERN = re.compile(r"[{}\[\]*?\\]")
_ROWS_AT_A_TIME = 250_000


class SparkRows(OfParquet, SqlRows):
    """Rows of Parquet files in a session of Spark; one that the program has already is used, and left running."""

    kind: ClassVar[str] = "spark"
    floats: ClassVar[tuple[str, str]] = ("FLOAT", "DOUBLE")

    def __init__(
        self, source: ParquetSource, folder: Path, memory: int, master: str | None, settings: Mapping[str, str]
    ) -> None:
        self._source, self.folder, self.memory = source, folder, memory
        self._names, self._numbers = names_of(source.columns), count()
        sql: Any = require("pyspark.sql", extra="spark", purpose="engine 'spark'")
        errors: Any = require("pyspark.errors", extra="spark", purpose="engine 'spark'")
        bridge: Any = require("py4j.protocol", extra="spark", purpose="engine 'spark'")
        self._errors = (errors.PySparkException, bridge.Py4JError, RuntimeError)
        _refuse_types(source.columns)
        # A session of the caller is used and left as it is; only one of ours is stopped.
        there = sql.SparkSession.getActiveSession()
        self._ours = there is None
        with told(self.kind, "read", *self._errors):
            self._session = there or _session(sql, folder, memory, master, settings)
            for name, value in _MEANING.items():
                self._session.conf.set(name, value)
            frame = self._session.read.parquet(*map(_named, source.files))
            frame.toDF(*self._names.values()).createOrReplaceTempView("source")

    def apply(self, plan: RecodingPlan, path: Path) -> None:
        """Join the dictionaries and the classes, sort, and gather what Spark writes into one file."""
        with told(self.kind, "apply", *self._errors):
            query = self._loaded(plan)
            query += f" ORDER BY {', '.join(f'p{i} NULLS FIRST' for i in range(len(plan.columns)))}"
            parts = self._written(query)
            one_file = path if plan.order == "sorted" else self.folder / "sorted.parquet"
            cells = [pl.col(f"p{i}").cast(kind).alias(f"p{i}") for i, kind in enumerate(self._types(plan).values())]
            names = {f"p{i}": name for i, name in enumerate(plan.columns)}
            scan = pl.scan_parquet(parts, glob=False, hive_partitioning=False)
            gathered = scan.select(cells).rename(names)
            gathered.sink_parquet(one_file, maintain_order=True, row_group_size=rows_a_group(len(cells)))
        if plan.order != "sorted":
            shuffle_file(one_file, path, self.folder, self.memory, plan)

    def measure(self, path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Group the rows of the file."""
        with told(self.kind, "measure", *self._errors):
            frame = self._session.read.parquet(_named(path))
            names = dict(zip(frame.columns, (f"s{i}" for i in range(len(frame.columns))), strict=True))
            frame.toDF(*names.values()).createOrReplaceTempView("written")
        yield from self._parts(grouped([names[name] for name in columns], "written"), "measure")

    def close(self) -> None:
        """Stop the session, if it is ours."""
        if self._ours:
            self._session.stop()

    # -- inside ----------------------------------------------------------------------------------------

    def _fetched(self, query: str, stage: str) -> pl.DataFrame:
        with told(self.kind, stage, *self._errors):
            return pl.scan_parquet(self._written(query), glob=False, hive_partitioning=False).collect()

    def _parts(self, query: str, stage: str) -> Iterator[pl.DataFrame]:
        with told(self.kind, stage, *self._errors):
            found = pl.scan_parquet(self._written(query), glob=False, hive_partitioning=False)
            yield found.head(0).collect().with_columns(pl.col(RECORDS).cast(pl.Int64))
            for batch in found.collect_batches(chunk_size=_ROWS_AT_A_TIME, maintain_order=False, engine="streaming"):
                yield batch.with_columns(pl.col(RECORDS).cast(pl.Int64))

    def _written(self, query: str) -> list[Path]:
        """Run a query, and return the files of its rows in their order."""
        place = self.folder / f"spark-{next(self._numbers)}"
        self._session.sql(query).write.parquet(str(place))
        if not (place / "_SUCCESS").exists():
            raise FileError("engine spark", expected="all tasks to write their rows", got="a job that did not end")
        return sorted(place.glob("part-*.parquet"))

    def _load(self, name: str, table: pl.DataFrame) -> None:
        place = self.folder / f"given-{next(self._numbers)}.parquet"
        table.write_parquet(place)
        self._session.read.parquet(_named(place)).createOrReplaceTempView(name)


#: What decides the meaning of cells and files, whatever the session was started with.
_MEANING = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.mergeSchema": "false",
}


def _session(sql: Any, folder: Path, memory: int, master: str | None, settings: Mapping[str, str]) -> Any:
    """Start a session; what stands in its way is looked for first, for Spark tells it on its own screen alone."""
    check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spilled = folder / "spark"
    spilled.mkdir(mode=0o700, exist_ok=True)
    ours = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(spilled),
        "spark.sql.warehouse.dir": str(spilled / "warehouse"),
        "spark.driver.memory": f"{memory // 2**20}m",
        "spark.log.level": "ERROR",
    }
    if (master or "local").startswith("local"):  # 200 tasks for each stage are meant for clusters
        ours["spark.sql.shuffle.partitions"] = str(4 * (os.cpu_count() or 1))
    builder = sql.SparkSession.builder.appName("nymity").master(master or "local[*]")
    for name, value in {**ours, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _named(file: Path) -> str:
    """Return the name of a file as Spark takes it: it passes hidden files over, and cannot open one with a colon."""
    if file.name[0] in "._" or ":" in file.name:
        raise FileError(
            str(file),
            expected="a name that Spark reads: without a colon, and no dot or underscore in front",
            got=repr(file.name),
            hint="rename the file, or engine 'duckdb'",
        )
    return _PATTERN.sub(r"\\\g<0>", str(file))


def check_java() -> None:
    """Refuse to start Spark without a Java that it runs on."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    hint = f"install a Java of version {_OLDEST_JAVA} or later, and let JAVA_HOME name it"
    try:
        done = subprocess.run([java or "java", "-version"], capture_output=True, text=True, timeout=60, check=False)
        said = done.stderr + done.stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        where = f"JAVA_HOME, {home}" if home else "the search path"
        raise FileError("engine spark", expected="a Java", got=f"none by {where}", hint=hint) from error
    match = re.search(r'version "(\d+)(?:\.(\d+))?', said)
    number = 0 if match is None else int(match[2] or 0) if match[1] == "1" else int(match[1])
    if number < _OLDEST_JAVA:
        got = said.splitlines()[0] if said else "one that says nothing"
        raise FileError("engine spark", expected=f"Java {_OLDEST_JAVA} or later", got=got, hint=hint)


def _refuse_types(columns: Mapping[str, pl.DataType]) -> None:
    for name, kind in columns.items():
        fine = kind == pl.Time or (isinstance(kind, pl.Datetime) and kind.time_unit == "ns") or kind == pl.Int128
        if fine:
            raise TableError(
                f"column {name!r}",
                expected="types that Spark reads: times of day, nanoseconds and 128 bits are none of them",
                got=str(kind),
                hint="microseconds in place of nanoseconds, or engine 'duckdb'",
            )
