"""Which benchmarks there are: those that installed distributions register."""

from __future__ import annotations

from importlib.metadata import EntryPoint

from nymity.core.extras import load, registered
from nymity.core.progress import Observer, silent
from nymity.core.validation import one_of
from nymity_lab.bench.result import BenchResult

GROUP = "nymity.benches"


def benches() -> dict[str, EntryPoint]:
    """Return every installed benchmark by name."""
    return registered(GROUP)[0]


def run_bench(name: str, observe: Observer = silent) -> BenchResult:
    """Run one benchmark."""
    installed = benches()
    one_of("bench", name, installed)
    result: BenchResult = load(installed[name], None, expected="a function of an observer")(observe)
    return result
