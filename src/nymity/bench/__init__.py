"""The speed figures: ours, the targets and the references, measured in one run."""

from __future__ import annotations

from collections.abc import Callable

from nymity.bench.anytime import bench_anytime
from nymity.bench.bucket import bench_bucket
from nymity.bench.dp import bench_dp
from nymity.bench.lattice import bench_lattice
from nymity.bench.local import bench_local
from nymity.bench.losses import bench_losses
from nymity.bench.methods import bench_methods
from nymity.bench.metrics import bench_metrics
from nymity.bench.models import bench_models
from nymity.bench.queries import bench_queries
from nymity.bench.result import BenchResult, Line
from nymity.bench.risk import bench_risk
from nymity.bench.robust import bench_robust
from nymity.core.progress import Observer, silent
from nymity.core.validation import one_of

#: Every benchmark by name.
BENCHES: dict[str, Callable[[Observer], BenchResult]] = {
    "lattice": bench_lattice,
    "losses": bench_losses,
    "models": bench_models,
    "methods": bench_methods,
    "local": bench_local,
    "bucket": bench_bucket,
    "anytime": bench_anytime,
    "queries": bench_queries,
    "metrics": bench_metrics,
    "dp": bench_dp,
    "risk": bench_risk,
    "robust": bench_robust,
}


def run_bench(name: str, observe: Observer = silent) -> BenchResult:
    """Run one benchmark."""
    one_of("bench", name, BENCHES)
    return BENCHES[name](observe)


__all__ = ["BENCHES", "BenchResult", "Line", "run_bench"]
