"""EvaluatedNodes and the whole solution space against their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import InputError, NoSolutionError, ParameterError
from nymity.core.progress import Progress
from nymity.lattice import solution_space
from nymity.lattice.nodes import TIE, EvaluatedNodes
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.lattice.seen_nodes import SeenNodes
from nymity.lattice.solution_space import evaluate_lattice
from nymity.lattice.space import Space
from nymity.privacy import KAnonymity
from nymity.quality import LOSSES, Loss, loss_of
from nymity.table.attribute import quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import Case, cases, demands

#: Losses that the oracles know.
KNOWN = (
    "loss",
    "loss-geometric",
    "precision",
    "discernibility",
    "average-class-size",
    "height",
    "entropy",
    "ambiguity",
)


def made(points: list[tuple[float, int, int]], *, records: int = 10) -> EvaluatedNodes:
    """Nodes (loss, suppressed, k) of one attribute; k = 0 publishes nothing."""
    loss, suppressed, k = (np.array(column) for column in zip(*points, strict=True)) if points else ([], [], [])
    counts: dict[str, Any] = {
        "suppressed": np.array(suppressed, dtype=np.int64),
        "classes": (np.array(k, dtype=np.int64) > 0).astype(np.int64),
        "smallest": np.array(k, dtype=np.int64),
    }
    return EvaluatedNodes(
        names=("a",),
        records=records,
        levels=np.arange(len(points))[:, None],
        loss=np.array(loss, dtype=np.float64),
        solution=np.array([n < records for n in suppressed], dtype=np.bool_),
        **counts,
    )


# -- Pareto fronts -----------------------------------------------------------------------------------------------

POINTS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.25 * (1 + 1e-14), 0.5, 0.75, 1.0]), st.integers(0, 5), st.integers(0, 4)),
    max_size=30,
)


def dominates(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """No worse in both, better in one; losses within a tie are equal."""
    tied = math.isclose(one[0], other[0], rel_tol=TIE)
    less = one[0] < other[0] and not tied
    return (less or tied) and one[1] <= other[1] and (less or one[1] < other[1])


@given(POINTS)
def test_a_front_is_what_nothing_dominates(points: list[tuple[float, int, int]]) -> None:
    nodes = made(points)
    for against, price in (("suppression", 1), ("k", 2)):
        sign = 1 if against == "suppression" else -1
        priced = [(p[0], sign * p[price]) for p in points]
        expected = [
            points[i][2] > 0 and not any(points[j][2] > 0 and dominates(priced[j], mine) for j in range(len(points)))
            for i, mine in enumerate(priced)
        ]
        assert nodes.pareto(against).tolist() == expected  # type: ignore[arg-type]
        front = nodes.front(against)  # type: ignore[arg-type]
        assert sorted(front.levels[:, 0].tolist()) == np.flatnonzero(expected).tolist()
        prices = (front.suppressed if against == "suppression" else front.smallest).tolist()
        assert prices == sorted(prices)


def test_equal_nodes_are_on_the_front_together() -> None:
    nodes = made([(0.5, 1, 3), (0.5 * (1 + 1e-14), 1, 3), (0.5, 2, 3), (0.4, 2, 2), (0.9, 0, 0)])
    assert nodes.pareto("suppression").tolist() == [True, True, False, True, False]
    assert nodes.pareto("k").tolist() == [True, True, True, True, False]


def test_something_else_is_no_front() -> None:
    with pytest.raises(ParameterError, match=r"pareto\.against: expected one of 'suppression', 'k', got 'supression'"):
        made([]).pareto("supression")  # type: ignore[arg-type]


# -- the best, and limits ----------------------------------------------------------------------------------------


@given(POINTS, st.integers(0, 8), st.sampled_from([0.0, 0.29, 0.3, 0.5, 1.0]))
def test_the_best_are_ordered_as_a_search_decides(points: list[tuple[float, int, int]], n: int, limit: float) -> None:
    nodes = made(points).within(limit)
    solutions = [
        (round(loss, 9), suppressed, i)
        for i, (loss, suppressed, k) in enumerate(points)
        if suppressed <= naive.limit_of(repr(limit), 10) and k > 0
    ]
    assert np.flatnonzero(nodes.solution).tolist() == [i for *_, i in solutions]
    assert nodes.best(n).levels[:, 0].tolist() == [i for *_, i in sorted(solutions)[:n]]


@pytest.mark.parametrize("limit", [-0.1, 1.5, "all"])
def test_a_limit_is_a_share(limit: Any) -> None:
    with pytest.raises(ParameterError, match=r"within\.suppression: expected a number"):
        made([]).within(limit)


# -- frames ------------------------------------------------------------------------------------------------------


def test_a_frame_has_one_row_per_node() -> None:
    frame = made([(0.5, 1, 3), (0.25, 10, 0)]).frame()
    assert frame.columns == ["loss", "suppressed", "suppressed share", "classes", "k", "solution", "level of a"]
    assert frame.rows() == [(0.5, 1, 0.1, 1, 3, True, 0), (0.25, 10, 1.0, 0, 0, False, 1)]
    assert made([]).frame().height == 0


@given(st.data())
@settings(max_examples=25)
def test_a_search_gives_other_losses_that_it_kept_enough_for(data: st.DataObject) -> None:
    case = data.draw(cases())
    demand = data.draw(demands(case, diversity=False))
    minimized = data.draw(st.sampled_from(["loss", "entropy", "discernibility", "gcp"]))
    try:
        nodes = OptimalLattice(loss=minimized, suppression=1.0).run(case.encoded, demand.models).nodes
    except NoSolutionError:
        return
    had = loss_of(minimized).prepare(case.encoded).needs
    for key in KNOWN:
        needs = loss_of(key).prepare(case.encoded).needs
        if had.costs is not None or not needs.statistics <= had.statistics:
            with pytest.raises(ParameterError, match=r"expected a loss for which enough is known .*explore"):
                nodes.frame(losses=[key])
            continue
        values = nodes.frame(losses=[key])[f"loss by {key}"].to_list()
        for levels, value in zip(nodes.levels.tolist(), values, strict=True):
            expected = float(naive.loss(case.records, tuple(levels), demand.judges, key))
            assert math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12)
    assert nodes.loss_by(minimized).tolist() == nodes.loss.tolist()
    assert nodes[nodes.solution].loss_by(minimized).tolist() == nodes.loss[nodes.solution].tolist()


def test_a_node_entered_twice_is_reported_once() -> None:
    case = small_case()
    bound = loss_of("loss").prepare(case.encoded)
    engine = RollUp(case.encoded, [KAnonymity(k=2)], needs=bound.needs)
    seen = SeenNodes(case.encoded, bound, limit=5)
    order = [case.high, case.low, case.high, case.low]
    for node in order:
        seen.enter(engine.check(node))
    assert [tuple(levels) for levels in seen.evaluated().levels.tolist()] == order[:2]


# -- the whole lattice -------------------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=25)
def test_every_node_is_as_the_definitions_say(data: st.DataObject) -> None:
    case = data.draw(cases(n_sensitive=1, bounded=True))
    demand = data.draw(demands(case, diversity=data.draw(st.booleans())))
    keys = data.draw(st.lists(st.sampled_from([*KNOWN, "gcp", "classification"]), min_size=1, unique=True))
    limit = data.draw(st.integers(0, case.frame.height))
    nodes = evaluate_lattice(case.encoded, demand.models, list(map(loss_of, keys)), limit=limit)
    assert [tuple(levels) for levels in nodes.levels.tolist()] == list(naive.nodes(case.low, case.high))
    assert list(nodes.losses) == keys
    assert nodes.loss is nodes.losses[keys[0]]
    for i, node in enumerate(naive.nodes(case.low, case.high)):
        gone = set(naive.suppressed(case.records, node, demand.judges))
        kept = [c for c in naive.classes(case.records, node).values() if not gone & set(c)]
        assert nodes.suppressed[i] == len(gone)
        assert nodes.classes[i] == len(kept)
        assert nodes.smallest[i] == min(map(len, kept), default=0)
        assert nodes.solution[i] == (len(gone) <= limit and len(kept) > 0)
        for key in set(keys) & set(KNOWN):
            expected = float(naive.loss(case.records, node, demand.judges, key))
            assert math.isclose(nodes.losses[key][i], expected, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("threads", [1, 3])
def test_losses_together_are_as_each_alone(threads: int) -> None:
    """However their needs are shared out among walks."""
    case, models = small_case(), [KAnonymity(k=2)]
    losses: list[Loss] = [loss for piece in LOSSES.values() for loss in piece.of_table(case.encoded)]
    together = evaluate_lattice(case.encoded, models, losses, limit=2, threads=threads)
    assert list(together.losses) == [loss.name for loss in losses]
    for loss in losses:
        alone = evaluate_lattice(case.encoded, models, [loss], limit=2)
        assert together.losses[loss.name] == pytest.approx(alone.loss, rel=1e-12)
        assert together.suppressed.tolist() == alone.suppressed.tolist()


def test_the_best_node_is_the_optimum() -> None:
    case, models = small_case(), [KAnonymity(k=2)]
    for suppression in (0.0, 0.2, 1.0):
        outcome = OptimalLattice(loss="entropy", suppression=suppression).run(case.encoded, models)
        nodes = evaluate_lattice(case.encoded, models, [loss_of("entropy")], limit=0).within(suppression)
        assert nodes.best().levels[0].tolist() == list(outcome.levels.values())
        assert nodes.best().loss[0] == pytest.approx(outcome.loss, rel=1e-12)


def test_a_large_lattice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    case = small_case()
    size = Space.of(case.encoded).size
    monkeypatch.setattr(solution_space, "MAX_EXHAUSTIVE", size - 1)
    with pytest.raises(ParameterError, match=rf"at most {size - 1} nodes, got {size} nodes.*min_level"):
        evaluate_lattice(case.encoded, [KAnonymity(k=2)], [loss_of("loss")], limit=0)
    monkeypatch.setattr(solution_space, "MAX_EXHAUSTIVE", size)
    assert len(evaluate_lattice(case.encoded, [KAnonymity(k=2)], [loss_of("loss")], limit=0)) == size


def test_progress_counts_nodes() -> None:
    case, seen = small_case(), list[Progress]()
    evaluate_lattice(case.encoded, [KAnonymity(k=2)], [loss_of("loss")], limit=0, observe=seen.append)
    assert seen[-1].done == seen[-1].total == Space.of(case.encoded).size


@pytest.mark.parametrize("key", ["loss", "gcp"])
def test_what_does_not_fit_the_table_is_refused(key: str) -> None:
    case = small_case()
    with pytest.raises(InputError, match="classification"):
        evaluate_lattice(case.encoded, [], [loss_of(key), loss_of("classification")], limit=0)


def small_case() -> Case:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 40).astype(str),
            "zip": [f"{z:03d}" for z in rng.integers(0, 60, 40)],
            "sex": rng.choice(["f", "m"], 40),
            "s": rng.choice(["u", "v", "w"], 40),
            "t": rng.choice(["x", "y"], 40),
        }
    )
    schema = Schema(
        {
            "age": quasi(Hierarchy.intervals(width=5, levels=3)),
            "zip": quasi(Hierarchy.masking()),
            "sex": quasi(),
            "s": sensitive(),
            "t": sensitive(),
        }
    )
    return Case(frame, schema, ())
