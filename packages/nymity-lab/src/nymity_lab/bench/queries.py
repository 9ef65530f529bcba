"""Count queries: what it costs to ask a release and its original 5,000 of them.

Costs are the CPU time of all threads for everything from frames to errors, kernels loaded, median of three: reading
cells, counting different rows, and answering. The census has seven quasi-identifiers and occupation in 50 groups.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from nymity.core.progress import Observer, silent
from nymity.partition.mondrian import Mondrian
from nymity.privacy import KAnonymity
from nymity.table.attribute import quasi, sensitive
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from nymity.utility import QueryError, Released, count_queries
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import public

PROVENANCE = "none: the buckets here are random and keep no promise; the study of bucketization compares errors"

_QUASI = ("Age", "Gender", "Education", "Marital", "Race", "WorkClass", "Birthplace")
_SENSITIVE = "Occ200"


def bench_queries(observe: Observer = silent) -> BenchResult:
    """Measure on the census; needs it under NYMITY_DATA."""
    return measured("queries", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    table = public("acs").table.select(*_QUASI, _SENSITIVE)
    schema = Schema({**dict.fromkeys(_QUASI, quasi()), _SENSITIVE: sensitive()})
    yield _line("the census itself", table, Released(frame=table, schema=schema), unit)
    yield _line("buckets of 10", table, _bucketized(table, 10), unit)
    outcome = Mondrian().run(encode(table, schema), [KAnonymity(k=10)], columns=table.columns)
    released = Released(frame=outcome.recoding.apply(table).table, schema=schema, recoding=outcome.recoding)
    yield _line("Mondrian, k=10", table, released, unit)


def _line(name: str, table: pl.DataFrame, release: Released, unit: float) -> Line:
    found: list[QueryError] = []

    def work() -> None:
        found.append(count_queries(table, release))

    work()  # warm-up
    seconds = cpu_seconds(work, repeat=3)
    error = found[-1]
    note = f"relative error {error.mean:.1%} in the mean, {error.median:.1%} in the median, {seconds:.1f} s"
    return Line(
        name=f"5,000 queries, {table.height:,} records, {name}", value=seconds / unit, unit="G", target=48, note=note
    )


def _bucketized(table: pl.DataFrame, size: int) -> Released:
    """Put records into buckets at random; what buckets must keep does not matter here."""
    order = np.random.default_rng(1).permutation(table.height)
    numbered = table[order].with_columns(pl.Series(BUCKET, np.arange(table.height) // size))
    counts = numbered.group_by(BUCKET, _SENSITIVE).len(COUNT)
    return Released(frame=numbered.drop(_SENSITIVE), counts=counts)
