"""Which benchmarks there are: those that installed distributions register."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint
from inspect import signature

from nymity.core.errors import ParameterError
from nymity.core.extras import load, registered
from nymity.core.progress import Observer, silent
from nymity.core.validation import one_of
from nymity_lab.bench.result import BenchResult

GROUP = "nymity.benches"


def benches() -> dict[str, EntryPoint]:
    """Return every installed benchmark by name."""
    return registered(GROUP)[0]


def run_bench(name: str, observe: Observer = silent, *, only: str | None = None) -> BenchResult:
    """Run one benchmark, or ``only`` the part of that name where it has parts."""
    installed = benches()
    one_of("bench", name, installed)
    bench: Callable[..., BenchResult] = load(installed[name], None, expected="a function of an observer")
    if only is None:
        return bench(observe)
    if "only" not in signature(bench).parameters:
        raise ParameterError(
            "bench: only", expected="a benchmark of several parts", got=name, hint="measure all of it: leave only out"
        )
    return bench(observe, only=only)
