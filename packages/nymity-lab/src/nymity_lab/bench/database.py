"""A million rows into PostgreSQL, and out of it, beside ADBC alone.

What nymity writes lies in one transaction with its certificate, is commented, and is read back and compared before it
is committed. The reference is a plain ``adbc_ingest`` and commit of the same rows into the same server, which is
started for this and listens on a socket alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from nymity.core.extras import require
from nymity.core.progress import Observer, silent
from nymity.database import DatabaseOutput, DatabaseSource, TableWriter
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.postgresql_server import running_server
from nymity_lab.bench.result import BenchResult, Line

PROVENANCE = "adbc-driver-postgresql alone, in the same run: adbc_ingest and commit; execute and fetch_arrow_table"

ROWS, RUNS, LIMIT = 1_000_000, 5, 1.5


def bench_database(observe: Observer = silent) -> BenchResult:
    """Measure writing and reading; needs the extra ``database`` and a server that can be started."""
    return measured("database", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    del unit
    frame = _rows(ROWS)
    with running_server() as server:
        url = server.url()
        driver = require("adbc_driver_postgresql.dbapi", extra="database", purpose="PostgreSQL")

        def write_bare() -> None:
            with driver.connect(url) as connection, connection.cursor() as cursor:
                cursor.execute("DROP TABLE IF EXISTS bare")
                cursor.adbc_ingest("bare", frame, mode="create")
                connection.commit()

        def read_bare() -> None:
            with driver.connect(url) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT * FROM bare")
                cursor.fetch_arrow_table()

        bare, ours = _shortest(write_bare, lambda: _write(url, frame))
        read, own = _shortest(read_bare, lambda: DatabaseSource(url=url, table="bare").read())
    words = f"{ROWS:,} rows"
    yield Line(name=f"write {words}, read back and compared", value=ours, unit="s", target=LIMIT * bare, reference=bare)
    yield Line(name=f"write {words}: times ADBC alone", value=ours / bare, unit="", target=LIMIT)
    both = bare + read
    yield Line(name=f"write {words}: times ADBC alone that also reads them", value=ours / both, unit="")
    yield Line(name=f"read {words}, in the order of their cells", value=own, unit="s", reference=read)


def _write(url: str, frame: pl.DataFrame) -> None:
    """Write as a release is written, but for its promises, which are measured in memory."""
    with TableWriter(DatabaseOutput(url=url, table="released", mode="replace")) as writer:
        writer.check(["released"])
        if not writer.put("released", frame, "a table", dict.fromkeys(frame.columns, "a column")).equals(frame):
            raise AssertionError("what was read back is not what was written")
        writer.record(str(time.time_ns()).encode(), "")
        writer.commit()


def _shortest(*works: Callable[[], object]) -> list[float]:
    """Return the shortest time of each, tried in turns, so that what else the machine does falls on all alike."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(RUNS):
        for work, seconds in zip(works, found, strict=True):
            start = time.perf_counter()
            work()
            seconds.append(time.perf_counter() - start)
    return [min(seconds) for seconds in found]


def _rows(records: int) -> pl.DataFrame:
    """Return a table like a release: text, days, numbers and truth values."""
    draw = np.random.default_rng(1)
    tens = pl.Series(draw.integers(0, 9, records) * 10)
    frame = pl.DataFrame(
        {
            "age": tens.cast(pl.String) + "-" + (tens + 9).cast(pl.String),
            "sex": pl.Series(np.where(draw.random(records) < 0.5, "f", "m")),
            "postcode": pl.Series(draw.integers(100, 999, records)).cast(pl.String) + "**",
            "day": pl.Series(draw.integers(0, 20_000, records).astype(np.int32)).cast(pl.Date),
            "code": "A" + pl.Series(draw.integers(10, 99, records)).cast(pl.String),
            "cost": (draw.random(records) * 1000).round(2),
            "visits": draw.integers(0, 50, records),
            "dead": draw.random(records) < 0.1,
        }
    )
    return frame.sort(frame.columns)
