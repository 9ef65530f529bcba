"""The compiled search against the one in Python, and what kernels know of losses and models against these themselves.

That both find the optimum is in test_optimal and its neighbours, which try every node.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from nymity.core.errors import NoSolutionError
from nymity.kernels import frontier as kernel
from nymity.lattice import optimal, rule_search
from nymity.lattice.frontier import Frontier
from nymity.lattice.mingen import MinGen
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.lattice.search import Inquiry
from nymity.privacy import (
    AlphaKAnonymity,
    BetaLikeness,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    FrequencyLDiversity,
    KAnonymity,
    PrivacyModel,
    TCloseness,
)
from nymity.privacy.decision import accepted_and_most_kept
from nymity.quality import LOSSES, DomainShareLoss, Loss, loss_of
from nymity.quality.entropy import NormalizedEntropyLoss
from nymity.quality.precision import PrecisionLoss
from nymity.table.attribute import quasi, sensitive
from nymity.table.classes import Classes, Histogram
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import Case, cases, node_between

#: Losses that a kernel knows where sizes decide.
LOSSES_OF_KERNELS: list[Loss] = [
    loss_of("loss"),
    loss_of("loss-geometric"),
    loss_of("gcp"),
    loss_of("precision"),
    loss_of("entropy"),
    loss_of("entropy-normalized"),
    loss_of("discernibility"),
    loss_of("ambiguity"),
    DomainShareLoss(aggregation="maximum", gs_factor=0.3),
    PrecisionLoss(aggregation="geometric", gs_factor=0.8),
    NormalizedEntropyLoss(gs_factor=0.2),
]
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def k_of(data: st.DataObject, case: Case) -> KAnonymity:
    """k-anonymity that the table can keep."""
    return KAnonymity(k=data.draw(st.integers(1, min(4, case.encoded.n_records))))


def models_of(data: st.DataObject, case: Case) -> list[PrivacyModel]:
    """k-anonymity, and a model of the sensitive attribute."""
    (name,) = case.schema.sensitive
    values = np.count_nonzero(case.encoded.sensitive[name].totals)
    share = data.draw(st.sampled_from([0.1, 0.25, 0.4, 0.7, 1.5]))
    model = data.draw(
        st.sampled_from(
            [
                DistinctLDiversity(l=min(2, int(values)), attribute=name),
                BetaLikeness(beta=share, attribute=name),
                EnhancedBetaLikeness(beta=share, attribute=name),
                TCloseness(t=min(share, 1.0), attribute=name),
                FrequencyLDiversity(l=min(1 + share, float(values)), attribute=name),
                AlphaKAnonymity(alpha=1.0 if values == 1 else 0.6, k=1, attribute=name),
            ]
        )
    )
    return [k_of(data, case), model]


def found(case: Case, models: list[PrivacyModel], method: OptimalLattice) -> Any:
    try:
        outcome = method.run(case.encoded, models)
    except NoSolutionError as error:
        return str(error)
    return outcome.levels, outcome.suppressed, outcome.optimal, pytest.approx(outcome.loss, rel=1e-12)


@pytest.mark.parametrize("of_values", [False, True])
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=SLOW)
def test_both_searches_find_the_same(of_values: bool, monkeypatch: pytest.MonkeyPatch, data: st.DataObject) -> None:
    """Also when the kernel begins late, and is called again after every other node."""
    case = data.draw(cases(n_sensitive=1, bounded=data.draw(st.booleans())))
    models = models_of(data, case) if of_values else [k_of(data, case)]
    losses = LOSSES_OF_KERNELS[:4] if of_values else LOSSES_OF_KERNELS
    limit = data.draw(st.sampled_from([0.0, 0.1, 0.35, 1.0]))
    method = OptimalLattice(loss=data.draw(st.sampled_from(losses)), suppression=limit)
    with monkeypatch.context() as patch:
        patch.setattr(optimal, "look_by_rule", lambda *_: False)
        in_python = found(case, models, method)
    asked: list[bool] = []

    def asking(inquiry: Inquiry, frontier: Frontier) -> bool:
        asked.append(rule_search.look_by_rule(inquiry, frontier))
        return asked[-1]

    with monkeypatch.context() as patch:
        patch.setattr(rule_search, "CHECKS_A_REPORT", 2)
        patch.setattr(optimal, "look_by_rule", asking)
        patch.setattr(optimal, "FIRST_STEPS", data.draw(st.integers(1, 5)))
        compiled = found(case, models, method)
    assert asked in ([], [True])
    event("compiled" if asked else "ended before")
    assert compiled == in_python


@pytest.mark.parametrize("loss", ["loss", "entropy", "discernibility", "ambiguity"])
def test_large_tables_are_searched_over_waypoints(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many different records that nodes are reached by one waypoint, and by two; every node is the oracle."""
    drawn = np.random.default_rng(7)
    values = [[format(value, "02d") for value in range(n)] for n in (40, 24, 12, 6)]
    table = pl.DataFrame({str(a): drawn.choice(one, 40_000) for a, one in enumerate(values)})
    rows = [[[v, v[0], "*"] for v in values[0]], [[v, v[0], "*"] for v in values[1]]]
    rows += [[[v, str(int(v) // 3), "*"] for v in one] for one in values[2:]]
    encoded = encode(table, Schema({str(a): quasi(Hierarchy.from_rows(one)) for a, one in enumerate(rows)}))
    assert len(encoded.counts) > kernel._MANY_ENTRIES
    monkeypatch.setattr(optimal, "FIRST_STEPS", 1)
    models = [KAnonymity(k=3)]
    found = OptimalLattice(loss=loss, suppression=0.3).run(encoded, models)
    best = MinGen(loss=loss, suppression=0.3).run(encoded, models)
    assert (found.levels, found.suppressed) == (best.levels, best.suppressed)
    assert found.loss == pytest.approx(best.loss, rel=1e-12)


def test_too_many_open_intervals_are_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    inquiry = _inquiry_of_stairs()
    monkeypatch.setattr(rule_search, "CHECKS_A_REPORT", 1)
    monkeypatch.setattr(rule_search, "MAX_OPEN", 0)
    frontier = Frontier(inquiry)
    frontier.step()
    assert not rule_search.look_by_rule(inquiry, frontier)


def test_large_tables_are_reported_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two reports nobody can stop a search."""
    monkeypatch.setattr(rule_search, "ENTRIES_A_REPORT", 12)
    monkeypatch.setattr(rule_search, "FEWEST_CHECKS", 2)
    rows = [(f"{i % 7}{i % 3}", f"{i % 5}{i % 4}", f"{i % 11}{i % 2}") for i in range(60)]
    frame = pl.DataFrame(rows, schema=["a", "b", "c"], orient="row")
    table = encode(frame, Schema({name: quasi(Hierarchy.masking()) for name in frame.columns}))
    done: list[int] = []
    OptimalLattice(suppression=0.5).run(table, [KAnonymity(k=2)], observe=lambda now: done.append(now.done))
    steps = np.diff(done)
    assert len(steps) > 3
    assert steps.max() <= 2


@pytest.mark.parametrize("loss", LOSSES_OF_KERNELS, ids=lambda loss: loss.name)
@given(st.data())
@settings(max_examples=25)
def test_forms_are_the_losses(loss: Loss, data: st.DataObject) -> None:
    """The value of a node, and a floor that no node between two others undercuts."""
    case = data.draw(cases(n_sensitive=1, bounded=False))
    inquiry = Inquiry.open(case.encoded, [k_of(data, case)], loss, case.encoded.n_records)
    form, space = inquiry.loss.form(), inquiry.space
    assert form is not None
    lower = data.draw(node_between(space.low, space.high))
    upper = data.draw(node_between(lower, space.high))
    between = data.draw(node_between(lower, upper))
    above, node = inquiry.look(upper), inquiry.look(between)
    true = float(inquiry.loss.value(node)[0])
    smallest = inquiry.engine.smallest
    if form.kind < kernel.SUM_OF_SQUARES:
        own = _lost(form.further, node)
        value = kernel._floor(form.arguments, np.array(between), int(node.suppressed[0]), own, smallest)
        assert value == pytest.approx(true, rel=1e-12, abs=1e-300)
        lost = _lost(form.further, above)
    else:
        lost = np.zeros(max(2, len(between)))
        if form.further == kernel.COVER:
            covered = above.covered[0]
            lost[0] = max(0.0, above.suppressed[0] * form.everything - (covered[1] - covered[0]))
    floor = kernel._floor(form.arguments, np.array(lower), int(above.suppressed[0]), lost, smallest)
    assert floor <= true * (1 + 1e-12) + 1e-300


@given(st.data())
@settings(max_examples=60)
def test_rules_are_the_models(data: st.DataObject) -> None:
    """Which classes of a node are refused, and how much of each every node below refuses."""
    case = data.draw(cases(n_sensitive=1, bounded=False))
    models = models_of(data, case)
    inquiry = Inquiry.open(case.encoded, models, loss_of("loss"), case.encoded.n_records)
    node = data.draw(node_between(inquiry.space.low, inquiry.space.high))
    snapshot = inquiry.engine.snapshot(node)
    classes, _ = inquiry.engine._classes(snapshot)
    accepted, most = accepted_and_most_kept(classes, models)
    rule = rule_search.rule_of(inquiry)
    assert rule is not None
    (g,) = snapshot.groupings
    arguments = rule.arguments(inquiry.engine.smallest)
    sizes, gone, below = kernel._judge((g.keys, g.block, g.codes, g.weights), arguments)
    assert sizes.tolist() == classes.sizes.tolist()
    assert (gone == 0).tolist() == accepted.tolist()
    assert (sizes - below).tolist() == most.tolist()


def test_what_is_suppressed_everywhere_costs_no_less_than_its_dearest_cells_below() -> None:
    """Two of four records are suppressed at the top, where they are ``*`` anyway; below each has a value to lose."""
    table = encode(pl.DataFrame({"a": ["x", "y", "z", "z"]}), Schema({"a": quasi(Hierarchy.flat(list("wxyz")))}))
    inquiry = Inquiry.open(table, [KAnonymity(k=3)], loss_of("loss"), 4)
    above = replace(inquiry.look(inquiry.space.high), suppressed=np.array([2]), lost_leaves=np.array([[8]]))
    assert inquiry.loss.floors((0,), above) == (0.5,)
    form = inquiry.loss.form()
    assert form is not None
    assert kernel._floor(form.arguments, np.array([0]), 2, np.array([8.0]), 3) == 0.5


def test_where_fewer_records_can_be_kept_than_a_class_has_none_are() -> None:
    """Of {p, p, p, q} parts without a value above 1/2 have two records, and a class has three or more."""
    frame = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 3, "s": [*"pppq", *"pqr"]})
    table = encode(frame, Schema({"a": quasi(), "s": sensitive()}))
    halves = FrequencyLDiversity(l=2, attribute="s")
    for k, kept in ((2, [2, 3]), (3, [0, 3])):
        engine = RollUp(table, [KAnonymity(k=k), halves])
        classes, _ = engine._classes(engine.snapshot((0,)))
        assert accepted_and_most_kept(classes, engine.models)[1].tolist() == kept


@given(counts=st.lists(st.integers(1, 9), min_size=1, max_size=5), share=st.sampled_from([0.1, 0.25, 0.4, 0.7, 1.0]))
@settings(max_examples=40, deadline=None)
def test_no_class_of_fewer_values_is_accepted(counts: list[int], share: float) -> None:
    """All classes of up to four records of each value are the oracle; two values at a time share an ancestor."""
    rows = [[f"v{i}", f"w{i // 2}", "*"] for i in range(5)]
    frame = pl.DataFrame({"a": ["x"] * sum(counts), "s": [f"v{i}" for i, n in enumerate(counts) for _ in range(n)]})
    table = encode(frame, Schema({"a": quasi(), "s": sensitive(Hierarchy.from_rows(rows))}))
    column = table.sensitive["s"]
    every = np.array([one for one in product(range(5), repeat=len(counts)) if any(one)], np.uint32)
    owner, codes = (ends.astype(np.uint32) for ends in np.nonzero(every))
    entries = Histogram(len(every), len(counts), owner, codes, every[owner, codes], column, column.totals)
    classes = Classes(every.sum(axis=1).astype(np.uint32), {"s": entries})
    for model in (
        TCloseness(t=share, attribute="s"),
        TCloseness(t=share, attribute="s", distance="hierarchical"),
        BetaLikeness(beta=share, attribute="s"),
        EnhancedBetaLikeness(beta=share, attribute="s"),
    ):
        rule = model.rule(table)
        assert rule is not None
        fewer = np.count_nonzero(every, axis=1) < rule.least_values
        assert rule.least_values <= len(counts)  # all records of the table are a class that is accepted
        assert not model.accepts(classes)[fewer].any()
        assert not model.most_kept(classes, model.accepts(classes))[fewer].any()


def test_what_no_kernel_knows() -> None:
    """Losses that look at the lowest node, and those over ranks, are searched in Python."""
    inquiry = _inquiry_of_stairs()
    table = inquiry.engine.table
    for key in LOSSES:
        known = any(loss.key == key for loss in LOSSES_OF_KERNELS) or key == "height"
        if key != "classification":
            assert (loss_of(key).prepare(table).form() is not None) == known
    assert DomainShareLoss(aggregation="rank").prepare(table).form() is None


def _lost(further: int, node: Any) -> Any:
    if further == kernel.ENTROPY:
        return node.lost_entropy[0]
    return (node.lost_leaves if len(node.lost_leaves) else node.lost_costs)[0].astype(np.float64)


def _inquiry_of_stairs() -> Inquiry:
    frame = pl.DataFrame({"a": ["x", "x", "y", "z"], "b": ["p", "q", "q", "q"], "c": ["s", "s", "t", "t"]})
    table = encode(frame, Schema({name: quasi() for name in frame.columns}))
    return Inquiry.open(table, [KAnonymity(k=2)], loss_of("loss"), 4)
