"""Every loss on tables of some hundred records: floors hold over random intervals, and the search finds the optimum.

Values come from the engine, which other tests compare with the definitions; here it is the bounds that are on trial, on
lattices large enough for a wrong one to matter.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
import pytest

import naive
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.lattice.seen_nodes import SeenNodes
from nymity.privacy import DistinctLDiversity, KAnonymity, PrivacyModel
from nymity.quality import LOSSES, DomainShareLoss, Loss, NodeStatistics, NormalizedEntropyLoss, PrecisionLoss
from nymity.quality.aggregation import AGGREGATIONS
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

SEEDS = range(4)
ALL = [
    *(kind() for kind in LOSSES.values()),
    *(DomainShareLoss(aggregation=name, gs_factor=0.2) for name in AGGREGATIONS),  # type: ignore[arg-type]
    PrecisionLoss(aggregation="rank"),
    NormalizedEntropyLoss(aggregation="rank", gs_factor=0.8),
]
TOP = (3, 3, 2, 1)


@lru_cache
def problem(seed: int) -> tuple[EncodedTable, tuple[PrivacyModel, ...]]:
    """Four attributes that depend on each other, some values frequent and most rare; a model of each kind."""
    rng = np.random.default_rng(seed)
    latent = rng.random(250)
    sizes = (40, 24, 9, 3)
    columns = {
        f"q{i}": (np.clip(latent + rng.normal(0, 0.2, 250), 0, 0.999) ** 3 * size).astype(int)
        for i, size in enumerate(sizes)
    }
    schema: dict[str, Any] = {}
    for i, (size, height) in enumerate(zip(sizes, TOP, strict=True)):
        rows = [[str(v), *(f"{v // 3**level}|{level}" for level in range(1, height)), "*"] for v in range(size)]
        schema[f"q{i}"] = quasi(Hierarchy.from_rows(rows), weight=1 + (i + seed) % 3)
    frame = pl.DataFrame(columns).with_columns(s=pl.Series((latent * 3 + rng.random(250)).astype(int)))
    models = (KAnonymity(k=4), *((DistinctLDiversity(l=2, attribute="s"),) if seed % 2 else ()))
    return encode(frame, Schema({**schema, "s": sensitive()})), models


def every_node(loss: Loss, seed: int) -> tuple[Any, dict[naive.Node, NodeStatistics]]:
    table, models = problem(seed)
    bound = loss.prepare(table)
    engine = RollUp(table, models, needs=bound.needs)
    return bound, {node: engine.check(node) for node in naive.nodes((0,) * 4, TOP)}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
def test_no_node_of_an_interval_comes_before_its_floors(loss: Loss, seed: int) -> None:
    bound, found = every_node(loss, seed)
    rng = np.random.default_rng(seed)
    for _ in range(60):
        bottom = tuple(int(rng.integers(0, height + 1)) for height in TOP)
        top = tuple(int(rng.integers(low, height + 1)) for low, height in zip(bottom, TOP, strict=True))
        compared = [tuple(bound.compared(found[node])[0].tolist()) for node in naive.nodes(bottom, top)]
        for ends in ((found[top], None), (found[top], found[bottom]), (None, None), (None, found[bottom])):
            floors = bound.floors(bottom, *ends)
            if floors is not None:
                assert all(not before(values, floors) for values in compared)


def before(values: tuple[float, ...], floors: tuple[float, ...]) -> bool:
    """Say whether values are smaller in lexicographic order, beyond rounding."""
    pairs = zip(values, floors, strict=True)
    first = next(((v, f) for v, f in pairs if abs(v - f) > 1e-11 * max(abs(v), abs(f))), None)
    return first is not None and first[0] < first[1]


@pytest.mark.parametrize("suppression", [0.0, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
def test_the_search_finds_the_first_of_all_nodes(loss: Loss, seed: int, suppression: float) -> None:
    table, models = problem(seed)
    bound, found = every_node(loss, seed)
    seen = SeenNodes(table, bound, min(int(suppression * table.n_records), table.n_records - 1))
    for statistics in found.values():
        seen.enter(statistics)
    assert seen.best is not None
    outcome = OptimalLattice(loss=loss, suppression=suppression).run(table, models)
    assert tuple(outcome.levels.values()) == seen.best
    assert outcome.loss == pytest.approx(seen.best_loss, rel=1e-12)
    assert outcome.optimal


def test_what_seen_nodes_exclude() -> None:
    """Beyond the best in the first place where they differ; where they tie, by the records suppressed."""
    table, _ = problem(0)
    seen = SeenNodes(table, DomainShareLoss(aggregation="rank").prepare(table), 10)
    assert not seen.excludes((9.0, 9.0), 9)  # nothing found yet
    seen.best, seen.best_compared, seen.best_suppressed = (0, 0, 0, 0), (0.5, 0.2), 5
    assert seen.excludes((0.6, 0.0), 0)
    assert seen.excludes((0.5, 0.3), 0)
    assert seen.excludes((0.5, 0.2), 6)
    assert not seen.excludes((0.5, 0.2), 5)
    assert not seen.excludes((0.5, 0.1), 9)
    assert not seen.excludes((0.4, 0.9), 9)
    assert not seen.excludes((0.5 * (1 + 1e-12), 0.1), 9)  # a tie but for rounding, and better further on
