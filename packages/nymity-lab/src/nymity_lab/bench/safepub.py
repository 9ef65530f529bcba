"""What SafePub costs, and how good the levels are that it draws: lines of ``nymity bench dp``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from nymity.core.bits import NotPrivate
from nymity.core.progress import Observer, silent
from nymity.dp.choice import Drawing
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.private_method import sampled
from nymity.dp.safepub import SafePub
from nymity.dp.scores import SCORES, Whole, weights_of
from nymity.lattice.space import Node, Space
from nymity.table.attribute import quasi
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from nymity_lab.bench.measuring import in_new_process
from nymity_lab.bench.result import Line
from nymity_lab.bench.unit import cpu_seconds
from nymity_lab.datasets import public
from nymity_lab.dp.as_published import published_sensitivity

#: (data set, ours at most, ARX): what choosing levels by granularity costs at epsilon 1, of which the search has 0.1.
_COSTS: tuple[tuple[str, float, float | None], ...] = (
    ("adult", 0.8, 8.3),
    ("cup", 1.6, 19),
    ("fars", 1.6, None),
    ("one million census rows", 8, None),
)
#: Scores whose draws are compared; the other two take many seconds for every node.
_COMPARED = ("granularity", "intensity", "discernibility", "group-size")
#: How many samples, and walks on each, the means are of.
_SAMPLES, _WALKS = 6, 4
#: Shares of epsilon 1 that the search may have.
_SEARCHES = (0.02, 0.05, 0.1, 0.2, 0.3)


def census() -> EncodedTable:
    """Return one million rows like those of the American Community Survey: its records, drawn with replacement."""
    hierarchies = {
        "Age": Hierarchy.intervals(width=5, levels=4),
        "Gender": None,
        "Education": Hierarchy.intervals(width=4, levels=3),
        "Marital": None,
        "Race": None,
        "WorkClass": None,
        "Birthplace": Hierarchy.intervals(width=50, levels=3),
        "Hours": Hierarchy.intervals(width=10, levels=4),
    }
    table = public("acs").table.select(list(hierarchies)).sample(1_000_000, with_replacement=True, seed=0)
    return encode(table, Schema({name: quasi(hierarchy) for name, hierarchy in hierarchies.items()}))


def tables() -> dict[str, EncodedTable]:
    """Read what is measured, or say what is missing."""
    data = {name: public(name) for name in ("adult", "cup", "fars")}
    return {name: encode(each.table, each.schema()) for name, each in data.items()} | {_COSTS[-1][0]: census()}


def safepub_lines(measured: Mapping[str, EncodedTable], unit: float) -> Iterator[Line]:
    """Measure SafePub on each table, its memory, and on Adult how good its levels are."""
    for name, target, arx in _COSTS:
        yield from _cost(name, measured[name], unit, target, arx)
    yield _memory()
    for score in _COMPARED:
        yield from _quality(score, measured["adult"])
    yield from _losses(measured["adult"])
    yield from _splits(measured["adult"])


def _cost(name: str, table: EncodedTable, unit: float, target: float, arx: float | None) -> Iterator[Line]:
    """Choose levels by a walk of 300 steps, and by one draw from the whole lattice."""
    model, nodes = _promise(table), Space.of(table).size
    walk, draw = (partial(SafePub(steps=steps).run, table, [model]) for steps in (300, None))
    note = f"{len(walk().choice.levels):,} of {nodes:,} nodes walked over, k = {model.k}"  # and warm up
    cost = cpu_seconds(walk) / unit
    yield Line(name=f"safepub {name}, 300 steps", value=cost, unit="G", target=target, reference=arx, note=note)
    note = f"{len(draw().choice.levels):,} of {nodes:,} nodes scored; the default"
    yield Line(name=f"safepub {name}, one draw", value=cpu_seconds(draw, repeat=3) / unit, unit="G", note=note)


def _memory() -> Line:
    """Measure a process that does nothing else than choose levels for the million rows, in both ways."""
    code = """
from nymity_lab.bench.measuring import peak_megabytes
from nymity_lab.bench.safepub import census
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.safepub import SafePub
table = census()
for steps in (300, None):
    SafePub(steps=steps).run(table, [DifferentialPrivacy(epsilon=1.0, public_records=10**6, delta=1e-7)])
print(peak_megabytes())
"""
    name = f"safepub {_COSTS[-1][0]}: peak memory of the process"
    return Line(name=name, value=float(in_new_process(code)), unit="MB", target=1000, note="reading and encoding too")


def _quality(name: str, table: EncodedTable) -> Iterator[Line]:
    """Return how far drawn levels come from the top's score to the best node's on their sample, as a mean."""
    reached: dict[str, list[float]] = {}
    for seed in range(_SAMPLES):
        for way, (score, found) in _ways(name, table, seed).items():
            reached.setdefault(way, []).append(score.share(found))
    for way, shares in reached.items():
        yield Line(name=f"safepub adult, {name}, {way}: share of the best score", value=mean(shares), unit="")


def _losses(table: EncodedTable) -> Iterator[Line]:
    """Return how much of the table is lost by granularity, with the baselines of Bild, Kuhn and Prasser (2018), 8.5."""
    lost = {"optimal, k = 5": [_Scored.of("granularity", table, 5).best_loss(table)]}
    for seed in range(_SAMPLES):
        sample = sampled(table, _promise(table).beta, NotPrivate(seed))
        ways = {
            "sampling only": _lost(table, sample, -sample.n_records * _untouched(table)),
            "sampling, optimal, k = 5": _Scored.of("granularity", sample, 5).best_loss(table),
        }
        for way, (score, found) in _ways("granularity", table, seed).items():
            ways |= {way: score.loss(table, found), f"the best with k = {score.k}": score.best_loss(table)}
        for way, share in ways.items():
            lost.setdefault(way, []).append(share)
    for way, shares in lost.items():
        yield Line(name=f"safepub adult, {way}: granularity lost", value=mean(shares), unit="")


def _splits(table: EncodedTable) -> Iterator[Line]:
    """Return how much one draw loses by granularity, on average, if the search has more or less of epsilon 1."""
    for search in _SEARCHES:
        model, lost = replace(_promise(table), epsilon_search=search), []
        for seed in range(_SAMPLES):
            score = _Scored.of("granularity", sampled(table, model.beta, NotPrivate(seed)), model.k)
            lost.append(score.loss(table, score.expected("granularity", model)))
        name = f"safepub adult, one draw, epsilon_search {search:g} of 1: granularity lost"
        yield Line(name=name, value=mean(lost), unit="", note=f"k = {model.k}, beta = {float(model.beta):.3f}")


def _ways(name: str, table: EncodedTable, seed: int) -> dict[str, tuple[_Scored, float]]:
    """Return the mean scores of drawn levels, with what they were drawn on: one draw, walks, and the paper's form."""
    model, bits = _promise(table), NotPrivate(seed)
    ours = _Scored.of(name, sampled(table, model.beta, bits), model.k)
    theirs_k = replace(model, notion="probabilistic").k
    theirs = _Scored.of(name, ours.table, theirs_k)
    weight = sum(weights_of(table), Fraction(0))
    low, high = SCORES[name].changes(model.k, weight)
    drawing = Drawing(score=ours, space=ours.space, interval=high - low, bits=bits)
    published = replace(drawing, score=theirs, interval=2 * published_sensitivity(name, theirs_k, weight))
    share = Fraction(str(SafePub().final_share))
    walks = [drawing.on_the_way_down(epsilon=model.draw_epsilon, steps=300, final_share=share) for _ in range(_WALKS)]
    as_published = [published.as_published(epsilon=Fraction(1, 10), steps=300) for _ in range(_WALKS)]
    return {
        "one draw": (ours, ours.expected(name, model)),
        "300 steps": (ours, mean(ours.at(walk.node) / ours.scale for walk in walks)),
        "as published, not private": (theirs, mean(theirs.at(walk.node) / theirs.scale for walk in as_published)),
    }


@dataclass(frozen=True, eq=False)
class _Scored:
    """A table whose nodes are all scored, for drawing from it many times."""

    table: EncodedTable
    k: int
    space: Space
    scores: Whole
    scale: int

    @staticmethod
    def of(name: str, table: EncodedTable, k: int) -> _Scored:
        score, space = SCORES[name](table, k), Space.of(table)
        return _Scored(table, k, space, score.everywhere(space), score.scale)

    def at(self, node: Node) -> int:
        return int(self.scores[self.space.numbers(np.array(node))])

    def everywhere(self, space: Space, observe: Observer = silent) -> Whole:
        return self.scores

    @property
    def values(self) -> NDArray[np.float64]:
        return np.asarray(self.scores.astype(np.float64) / self.scale)

    def expected(self, name: str, model: DifferentialPrivacy) -> float:
        """Return the score of one draw from all nodes, on average."""
        low, high = SCORES[name].changes(model.k, sum(weights_of(self.table), Fraction(0)))
        weights = np.exp(float(model.draw_epsilon / (high - low)) * (self.values - self.values.max()))
        return float(weights @ self.values / weights.sum())

    def share(self, found: float) -> float:
        """How far a score is on the way from the top's to the best."""
        return float((found - self.values[-1]) / (self.values.max() - self.values[-1]))

    def loss(self, whole: EncodedTable, found: float) -> float:
        return _lost(whole, self.table, found)

    def best_loss(self, whole: EncodedTable) -> float:
        return self.loss(whole, float(self.values.max()))


def _lost(whole: EncodedTable, sample: EncodedTable, granularity: float) -> float:
    """Return what is lost of the whole table: 0 if it is published as it is, 1 if nothing is."""
    n, every, least = whole.n_records, float(sum(weights_of(whole))), _untouched(whole)
    return ((n - sample.n_records) * every - granularity - n * least) / (n * (every - least))


def _untouched(table: EncodedTable) -> float:
    """Return what a record loses by definition if nothing is generalized: a value is a share of its domain."""
    return sum(1 / hierarchy.domain_size for hierarchy in table.hierarchies)


def _promise(table: EncodedTable) -> DifferentialPrivacy:
    """Return a promise with the largest power of ten below 1 / records as delta, as the figures of the docs have it."""
    delta = float(f"1e-{len(str(table.n_records))}")
    return DifferentialPrivacy(epsilon=1.0, public_records=table.n_records, delta=delta)
