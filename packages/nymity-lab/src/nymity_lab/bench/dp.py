"""What the parameters of the sampling operator cost to prove, what draws cost, and how good drawn levels are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from nymity.core.progress import Observer, silent
from nymity.dp import delta, discrete_laplace, exponential_mechanism, largest_beta, sample_records, smallest_k
from nymity.dp import smoothness as smoothness_curve
from nymity_lab.bench import epsilon_safe, safepub
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds

PROVENANCE = (
    "0.1 to 37 s for the smallest k at the epsilons of its figure 9 and delta down to 1e-20: Bild, Kuhn and Prasser "
    "(2018), section 7.2, on a desktop of their time; SafePub in G: ARX 3.9.2, warm; "
    "epsilon-safe lattice: Li (2019), table 5.3, on a laptop"
)

_EPSILONS = (0.01, 0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 3.0, 5.0)
_DELTAS = (1e-4, 1e-7, 1e-20)
_NOTIONS = ("standard", "probabilistic")
#: The nodes of the lattice of ten attributes of Adult.
_CANDIDATES = 62_208


def bench_dp(observe: Observer = silent) -> BenchResult:
    """Measure every call, and SafePub on data sets under NYMITY_DATA."""
    return measured("dp", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    tables = safepub.tables()  # missing data are told before anything is measured
    census = epsilon_safe.tables()
    for notion in _NOTIONS:
        yield _slowest(f"smallest k, {notion}", [partial(_k, e, d, notion) for e, d in product(_EPSILONS, _DELTAS)])
        yield _slowest(f"delta, {notion}", [_delta(e, d, notion) for e, d in product(_EPSILONS, _DELTAS)])
        curve = partial(smoothness_curve, k=75, beta=0.6, epsilons=[1 + i / 20 for i in range(21)], notion=notion)
        yield _line(f"smoothness, 21 points, {notion}", curve, target=0.1)
    yield _line("one million records sampled", partial(sample_records, 10**6, beta=0.5934), unit=unit)
    scores = np.random.default_rng(0).integers(-30_000, 1, _CANDIDATES)
    draw = partial(exponential_mechanism, epsilon=0.5, interval=76)
    yield _line(f"exponential mechanism, {_CANDIDATES:,} whole scores", partial(draw, scores), target=1, unit=unit)
    fractions = [Fraction(score, 7) for score in scores.tolist()]
    yield _line(f"exponential mechanism, {_CANDIDATES:,} fractions", partial(draw, fractions), target=1, unit=unit)
    noise = partial(discrete_laplace, scale=Fraction(10, 3), size=1000)
    yield _line("discrete Laplace noise, 1,000 numbers", noise, unit=unit)
    yield from safepub.safepub_lines(tables, unit)
    yield from epsilon_safe.epsilon_safe_lines(census, unit)


def _k(epsilon: float, limit: float, notion: str) -> int:
    return smallest_k(epsilon=epsilon, delta=limit, notion=notion)


def _delta(epsilon: float, limit: float, notion: str) -> Callable[[], object]:
    """Prepare the k that belongs to the parameters, and leave delta to be measured."""
    return partial(delta, k=_k(epsilon, limit, notion), beta=largest_beta(epsilon), epsilon=epsilon, notion=notion)


def _slowest(name: str, calls: list[Callable[[], object]]) -> Line:
    times = [cpu_seconds(call, repeat=3) for call in calls]
    note = f"the slowest of {len(calls)}, together {sum(times):.3f} s; epsilon 0.01 to 5, delta 1e-4 to 1e-20"
    reference = 37 if name == "smallest k, probabilistic" else None
    return Line(name=name, value=max(times), unit="s", target=0.1, reference=reference, note=note)


def _line(name: str, call: Callable[[], object], *, target: float | None = None, unit: float | None = None) -> Line:
    call()  # warm-up
    seconds = cpu_seconds(call)
    note = f"{seconds / unit:.3f} G" if unit else ""
    return Line(name=name, value=seconds, unit="s", target=target, note=note)
