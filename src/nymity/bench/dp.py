"""What the parameters of the sampling operator cost to prove, what draws cost, and how good drawn levels are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from statistics import mean

import numpy as np

from nymity.bench.measuring import measured
from nymity.bench.result import BenchResult, Line
from nymity.bench.unit import cpu_seconds
from nymity.core.bits import NotPrivate
from nymity.core.progress import Observer, silent
from nymity.datasets import public
from nymity.dp import delta, discrete_laplace, exponential_mechanism, largest_beta, sample_records, smallest_k
from nymity.dp import smoothness as smoothness_curve
from nymity.dp.choice import Drawing
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.private_method import sampled
from nymity.dp.safepub import SafePub
from nymity.dp.scores import SCORES, weights_of
from nymity.lattice.space import Space
from nymity.table.encoding import EncodedTable, encode

PROVENANCE = (
    "0.1 to 37 s for the smallest k at the epsilons of its figure 9 and delta down to 1e-20: Bild, Kuhn and Prasser "
    "(2018), section 7.2, on a desktop of their time; SafePub in U: ARX 3.9.2, warm"
)

_EPSILONS = (0.01, 0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 3.0, 5.0)
_DELTAS = (1e-4, 1e-7, 1e-20)
_NOTIONS = ("standard", "probabilistic")
#: (data set, ours at most, ARX): what choosing levels by granularity costs at epsilon 1, of which the search has 0.1.
_SAFEPUB: tuple[tuple[str, float, float | None], ...] = (("adult", 1, 11), ("cup", 2, 24), ("fars", 2, None))
#: Scores whose draws are compared; the other two take a minute and more for every node.
_COMPARED = ("granularity", "intensity", "discernibility", "group-size")
#: The nodes of the lattice of ten attributes of Adult.
_CANDIDATES = 62_208


def bench_dp(observe: Observer = silent) -> BenchResult:
    """Measure every call, and SafePub on data sets under NYMITY_DATA."""
    return measured("dp", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    tables = {name: _encoded(name) for name, _, _ in _SAFEPUB}  # missing data are told before anything is measured
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
    for name, target, arx in _SAFEPUB:
        yield from _safepub(name, tables[name], unit, target, arx)
    for score in _COMPARED:
        yield from _quality(score, tables["adult"])


def _encoded(name: str) -> EncodedTable:
    data = public(name)
    return encode(data.table, data.schema())


def _safepub(name: str, table: EncodedTable, unit: float, target: float, arx: float | None) -> Iterator[Line]:
    """Choose levels by a walk of 300 steps, and by one draw from the whole lattice."""
    model = DifferentialPrivacy(epsilon=1.0, public_records=table.n_records)
    walk = partial(SafePub(steps=300).run, table, [model])
    nodes = walk().choice.levels  # and warm up
    note = f"{len(nodes):,} of {Space.of(table).size:,} nodes walked over, k = {model.k}"
    cost = cpu_seconds(walk, repeat=3) / unit
    yield Line(name=f"safepub {name}, 300 steps", value=cost, unit="U", target=target, reference=arx, note=note)
    cost = cpu_seconds(partial(SafePub().run, table, [model]), repeat=1) / unit
    yield Line(name=f"safepub {name}, one draw", value=cost, unit="U", note="every node scored, the default")


def _quality(name: str, table: EncodedTable) -> Iterator[Line]:
    """Say how far drawn levels come from the top's score to the best node's on their sample, mean of six samples."""
    model, space = DifferentialPrivacy(epsilon=1.0, public_records=table.n_records), Space.of(table)
    reached: dict[str, list[float]] = {"one draw": [], "300 steps": []}
    for seed in range(6):
        bits = NotPrivate(seed)
        score = SCORES[name](sampled(table, model.beta, bits), model.k)
        low, high = score.changes(model.k, sum(weights_of(table), Fraction(0)))
        drawing = Drawing(score=score, space=space, interval=high - low, bits=bits)
        top, best = score.at(space.high), max(int(value) for value in score.everywhere(space, silent))
        walk = drawing.on_the_way_down(epsilon=model.draw_epsilon, steps=300, final_share=Fraction(1, 2))
        for way, choice in (("one draw", drawing.from_all(epsilon=model.draw_epsilon)), ("300 steps", walk)):
            reached[way].append((score.at(choice.node) - top) / (best - top))
    for way, shares in reached.items():
        yield Line(name=f"safepub adult, {name}, {way}: share of the best score", value=mean(shares), unit="")


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
    note = f"{seconds / unit:.3f} U" if unit else ""
    return Line(name=name, value=seconds, unit="s", target=target, note=note)
