"""The speed figures: ours, the targets and the references, measured in one run.

A distribution registers its benchmarks as entry points of the group ``nymity.benches``, each a function that takes an
observer and returns a :class:`~nymity_lab.bench.result.BenchResult`.
"""

from __future__ import annotations

from nymity_lab.bench.registered import GROUP, benches, run_bench
from nymity_lab.bench.result import BenchResult, Line

__all__ = ["GROUP", "BenchResult", "Line", "benches", "run_bench"]
