"""Risk: what it costs to measure it, and to find what drives it.

Costs are the CPU time of all threads for everything from frames to results, kernels loaded, median of three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from nymity.core.progress import Observer, silent
from nymity.lattice.optimal import OptimalLattice
from nymity.partition.mondrian import Mondrian
from nymity.privacy import KAnonymity
from nymity.publishing.running.pipeline import publish
from nymity.risk import AttackReport, Linkage, attack, drivers, measure_risk
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import public

PROVENANCE = "targets of our own"

_PEOPLE = 317_238_626


def bench_risk(observe: Observer = silent) -> BenchResult:
    """Measure on Adult and the census; needs them under NYMITY_DATA."""
    return measured("risk", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    adult, census = public("adult").table, public("acs").table
    ten = census.columns[:10]

    def line(name: str, work: Callable[[], Any], target: float | None, note: Callable[[Any], str]) -> Line:
        found = work()  # warm-up
        return Line(name=name, value=cpu_seconds(work, repeat=3) / unit, unit="G", target=target, note=note(found))

    def classes(found: Any) -> str:
        return f"{found.classes:,} classes, {found.unique_records:,} unique records"

    def linked(report: AttackReport) -> str:
        result = report["linkage"]
        return f"{result.successes:,.0f} of {result.n:,} attempts succeed, {result.figures['claims']['made']:,} claims"

    def uniques(found: Any) -> str:
        return f"{sum(found.minimal_uniques.values()):,} minimal uniques of {found.combinations.height:,} combinations"

    for method in (OptimalLattice(suppression=0.05), Mondrian()):
        release = publish(adult, public("adult").schema(), privacy=[KAnonymity(k=5)], method=method)
        yield line(
            f"linkage, 1,000 targets × 100 subsets of columns, Adult by {method.key}",
            partial(attack, release, original=adult, attacks=[Linkage(subsets=100)]),
            24,
            linked,
        )
    yield line("profile, Adult", lambda: measure_risk(adult, adult.columns, population_size=_PEOPLE), 0.4, classes)
    yield line(
        "combinations and minimal uniques to size 4, Adult", lambda: drivers(adult, adult.columns, size=4), 2.4, uniques
    )
    yield line(
        f"profile, census, {census.height:,} records, 10 columns",
        lambda: measure_risk(census, ten, population_size=_PEOPLE),
        8,
        classes,
    )
    yield line(
        "combinations and minimal uniques to size 3, census", lambda: drivers(census, ten, size=3), None, uniques
    )
