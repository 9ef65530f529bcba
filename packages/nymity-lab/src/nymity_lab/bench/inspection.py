"""What a first look at a large table costs: roles, uniqueness and hierarchies of a million records of 50 columns."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from nymity.core.progress import Observer, silent
from nymity.publishing.preparing.inspect import inspect
from nymity_lab.bench.large_files import inspected
from nymity_lab.bench.measuring import in_new_process, measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds

PROVENANCE = "generated: a million records of 50 columns: numbers, names, codes, categories, measurements, notes"
RECORDS = 1_000_000


def bench_inspect(observe: Observer = silent) -> BenchResult:
    """Measure the look at a frame in memory, the whole command on a file, and the memory that they take."""
    return measured("inspect", PROVENANCE, _lines, observe)


def many_columns(records: int, seed: int = 20) -> pl.DataFrame:
    """Generate a table as a hospital might export it, with 50 columns."""
    drawn = np.random.default_rng(seed)

    def texts(form: str, number: int) -> pl.Series:
        return pl.Series([form.format(i) for i in range(number)]).gather(drawn.integers(0, number, records))

    columns: dict[str, object] = {
        "patient_id": pl.Series([f"P{i:07d}" for i in range(records)]).gather(drawn.permutation(records)),
        "person_no": drawn.integers(1, 2 + records // 3, records),
        "birth": pl.Series(drawn.integers(-15_000, 15_000, records).astype(np.int32)).cast(pl.Date),
        "surname": texts("name{}", 20_000),
        "zip": texts("{:05d}", 9_000),
        "sex": texts("sex {}", 2),
        "age": drawn.integers(0, 95, records),
        "note": texts("called twice about item {} yesterday", 50_000),
    }
    columns |= {f"cat{i}": texts("value {}", 3 + 5 * i) for i in range(12)}
    columns |= {f"code{i}": drawn.integers(0, 4 * (i + 1) ** 2, records) for i in range(16)}
    columns |= {f"measure{i}": np.round(drawn.lognormal(3, 1, records), 2) for i in range(14)}
    return pl.DataFrame(columns)


def _lines(unit: float) -> Iterator[Line]:
    table = many_columns(RECORDS)
    inspect(table.head(1000))  # what is compiled or loaded once
    seconds = cpu_seconds(partial(inspect, table))
    yield Line(name="inspect a million records of 50 columns", value=seconds / unit, unit="G", target=12)
    yield Line(name="peak memory of the process", value=float(in_new_process(_MEMORY)), unit="MB", target=2000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table.write_csv(path)
        del table
        cpu, peak = min(inspected(path) for _ in range(2))  # the first may have to compile
    yield Line(name="nymity inspect of the same as .csv, the whole command", value=cpu / unit, unit="G", target=12)
    yield Line(name="nymity inspect of the same as .csv: peak memory", value=peak, unit="MB", target=2000)


_MEMORY = """
from nymity.publishing.preparing.inspect import inspect
from nymity_lab.bench.inspection import RECORDS, many_columns
from nymity_lab.bench.measuring import peak_megabytes
inspect(many_columns(RECORDS))
print(peak_megabytes())
"""
