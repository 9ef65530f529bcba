"""How every benchmark runs: the unit first, then its lines one by one, with what they were measured with."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from importlib.metadata import version

from nymity.bench.result import BenchResult, Line
from nymity.bench.unit import sort_unit
from nymity.core.progress import Observer, Progress, report


def measured(name: str, provenance: str, lines: Callable[[float], Iterator[Line]], observe: Observer) -> BenchResult:
    """Measure the sort unit, then the lines that depend on it."""
    unit, found = sort_unit(), []
    for line in lines(unit):
        found.append(line)
        report(observe, Progress(stage=f"measured {line.name}", done=len(found)))
    packages = ("nymity", "numpy", "numba", "polars")
    return BenchResult(
        name=name,
        sort_unit_seconds=unit,
        versions={"python": platform.python_version(), **{package: version(package) for package in packages}},
        provenance=provenance,
        lines=tuple(found),
    )
