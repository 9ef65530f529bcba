"""Buckets: speed and loss on the occupations of the census.

Costs are the CPU time of all threads: for a whole plan from counts and thresholds, for filling it, and for making both
tables of a release from an encoded table.
Thresholds are min(1, 8 f + 0.02), as Wang (2014, table 7.2) takes them. For more values each one is divided at random,
as there (section 7.3.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from nymity.bucket import Plan, fill, plan
from nymity.bucket.methods import Buckets
from nymity.core.draws import KeyedDraws
from nymity.core.progress import Observer, silent
from nymity.privacy import FPrivacy
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import EncodedTable, encode
from nymity.table.schema import Schema
from nymity_lab.bench.measuring import measured, peak_megabytes
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import public

_QUASI = ("Age", "Gender", "Education", "Marital", "Race", "WorkClass", "Birthplace")

PROVENANCE = (
    "Wang (2014, figures 7.3, 7.5 and 7.6) compares the same methods on another census, in figures without numbers"
)


def bench_bucket(observe: Observer = silent) -> BenchResult:
    """Measure everything on the census; needs it under NYMITY_DATA."""
    return measured("bucket", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    fifty = _counts(500_000)
    yield _planning("two-size", fifty, unit, target=0.04)
    yield _planning("two-size", _divided(fifty, 64), unit, target=0.8)
    yield _growth(unit)
    yield _planning("two-size-exhaustive", fifty, unit, repeat=1)
    yield _planning("two-size-loss", fifty, unit, repeat=1)
    yield _planning("top-down", fifty, unit)
    yield _proof(fifty)
    for seconds in (10, 30):
        yield _gap(_counts(500_000, "Occupation"), seconds)
    everyone = _plan("top-down", _counts(665_800))
    cost = cpu_seconds(lambda: fill(everyone)) / unit
    yield Line(name="fill, 665,800 records, 50 values", value=cost, unit="G", target=0.4)
    yield from _records(unit)


def _records(unit: float) -> Iterator[Line]:
    """Plan buckets for the whole census, make both tables, and write and verify them."""
    census = public("acs").table.select([*_QUASI, "Occ200"])
    schema = Schema({**dict.fromkeys(_QUASI, quasi()), "Occ200": sensitive()})
    promise = FPrivacy(thresholds={"a": 8, "c": 0.02}, attribute="Occ200")
    encoded = encode(census, schema)
    made = partial(_both_tables, Buckets(plan="top-down"), encoded, promise, census)
    name = f"both tables, {census.height:,} records"
    yield Line(name=name, value=cpu_seconds(made, repeat=3) / unit, unit="G", target=8)
    yield Line(name="peak memory of the process so far", value=peak_megabytes(), unit="MB", target=1_000)
    release = publish(census, schema, privacy=promise, method=Buckets(plan="top-down"), seed=0)
    with TemporaryDirectory() as folder:
        cost = cpu_seconds(lambda: release.save(Path(folder) / "release", force=True), repeat=1) / unit
    yield Line(name=f"writing and verifying {census.height:,} records", value=cost, unit="G")


def _both_tables(method: Buckets, table: EncodedTable, promise: FPrivacy, census: pl.DataFrame) -> None:
    draws = KeyedDraws.seeded(0)
    method.run(table, [promise], columns=census.columns, draws=draws).recoding.apply(census, draws=draws)


def _planning(method: str, counts: list[int], unit: float, *, target: float | None = None, repeat: int = 5) -> Line:
    found: list[Plan] = []
    cost = cpu_seconds(lambda: found.append(_plan(method, counts)), repeat=repeat) / unit
    name = f"{method}, {sum(counts):,} records, {len(counts):,} values"
    return Line(name=name, value=cost, unit="G", target=target, note=f"loss {found[0].loss:,}")


def _growth(unit: float) -> Line:
    """Compare ten times as many records of the same shares, both in turn because machines are not steady."""
    few = _counts(50_000)
    pair = [partial(_plan, "two-size", counts) for counts in (few, [10 * count for count in few])]
    times = np.median([[cpu_seconds(work, repeat=1) for work in pair] for _ in range(31)], axis=0)
    note = f"{times[0] / unit:.4f} and {times[1] / unit:.4f} G"
    return Line(
        name="two-size, 500,000 records / 50,000", value=float(times[1] / times[0]), unit="", target=1.2, note=note
    )


def _proof(counts: list[int]) -> Line:
    found = _plan("optimal", counts)
    proof = "proved optimal" if found.optimal else f"bound {found.bound:,}"
    name = f"optimal, {sum(counts):,} records, {len(counts)} values"
    return Line(name=name, value=found.seconds, unit="s", target=60, note=f"loss {found.loss:,}, {proof}")


def _gap(counts: list[int], seconds: int) -> Line:
    """Return how far the default method comes with hundreds of values in its ten seconds, or in more."""
    n = sum(counts)
    found = plan(counts, [min(Fraction(1), 8 * Fraction(c, n) + Fraction(1, 50)) for c in counts], seconds=seconds)
    assert found.bound is not None  # this method always proves one
    gap = 1 - found.bound / found.loss
    note = f"loss {found.loss:,}"
    return Line(
        name=f"best, {n:,} records, {len(counts)} values, {seconds} s: gap", value=100 * gap, unit="%", note=note
    )


def _plan(method: str, counts: list[int]) -> Plan:
    n = sum(counts)
    thresholds = [min(Fraction(1), 8 * Fraction(c, n) + Fraction(1, 50)) for c in counts]
    return plan(counts, thresholds, sizes=(min(-(-1 // share) for share in thresholds), 50), method=method, seconds=60)


def _counts(rows: int, column: str = "Occ200") -> list[int]:
    counts: list[int] = public("acs").table[column].head(rows).value_counts()["count"].sort().to_list()
    return counts


def _divided(counts: list[int], parts: int) -> list[int]:
    """Divide the records of each value among so many at random."""
    random = np.random.default_rng(0)
    divided = [random.multinomial(count, np.full(parts, 1 / parts)) for count in counts]
    return [count for count in np.concatenate(divided).tolist() if count]
