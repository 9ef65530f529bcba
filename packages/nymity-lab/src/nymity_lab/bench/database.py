"""A million rows into PostgreSQL, and out of it, beside ADBC alone.

What nymity writes lies in one transaction with its certificate, is commented, and is read back and compared before it
is committed. The reference is a plain ``adbc_ingest`` and commit of the same rows into the same server, which is
started for this and listens on a socket alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from nymity.core.extras import require
from nymity.core.progress import Observer, silent
from nymity.database import DatabaseOutput, DatabaseSource, TableWriter
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.postgresql_server import Server, running_server
from nymity_lab.bench.result import BenchResult, Line

PROVENANCE = "adbc-driver-postgresql alone, in the same run: adbc_ingest and commit; execute and fetch_arrow_table"

ROWS, RUNS, LIMIT = 1_000_000, 5, 1.5


def bench_database(observe: Observer = silent) -> BenchResult:
    """Measure writing and reading; needs the extra ``database`` and a server that can be started."""
    return measured("database", PROVENANCE, _lines, observe)


@dataclass(frozen=True, kw_only=True)
class ServerCost:
    """What something took: seconds on the clock, and of the CPU, those of the server among them."""

    clock: float
    cpu: float


def _lines(unit: float) -> Iterator[Line]:
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

        bare, read, ours, own = _least(
            server, write_bare, read_bare, lambda: _write(url, frame), DatabaseSource(url=url, table="bare").read
        )
    words = f"{ROWS:,} rows"
    written = f"write {words}, read back and compared"
    yield Line(name=written, value=ours.cpu / unit, unit="G", target=LIMIT * bare.cpu / unit, reference=bare.cpu / unit)
    yield Line(name=f"{written}: clock", value=ours.clock, unit="s", target=LIMIT * bare.clock, reference=bare.clock)
    both = (bare.cpu + read.cpu) / unit
    yield Line(name=f"{written}, beside ADBC that reads, too", value=ours.cpu / unit, unit="G", reference=both)
    ordered = f"read {words}, in the order of their cells"
    yield Line(name=ordered, value=own.cpu / unit, unit="G", reference=read.cpu / unit)
    yield Line(name=f"{ordered}: clock", value=own.clock, unit="s", reference=read.clock)


def _write(url: str, frame: pl.DataFrame) -> None:
    """Write as a release is written, but for its promises, which are measured in memory."""
    with TableWriter(DatabaseOutput(url=url, table="released", mode="replace")) as writer:
        writer.check(["released"])
        if not writer.put("released", frame, "a table", dict.fromkeys(frame.columns, "a column")).equals(frame):
            raise AssertionError("what was read back is not what was written")
        writer.record(str(time.time_ns()).encode(), "")
        writer.commit()


def _least(server: Server, *works: Callable[[], object]) -> list[ServerCost]:
    """Return the least cost of each, tried in turns, so that what else the machine does falls on all alike."""
    found: list[list[ServerCost]] = [[] for _ in works]
    for _ in range(RUNS):
        for work, costs in zip(works, found, strict=True):
            start, before = time.perf_counter(), time.process_time() + server.cpu_seconds()
            work()
            clock = time.perf_counter() - start
            costs.append(ServerCost(clock=clock, cpu=time.process_time() + server.cpu_seconds() - before))
    return [ServerCost(clock=min(one.clock for one in costs), cpu=min(one.cpu for one in costs)) for costs in found]


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
