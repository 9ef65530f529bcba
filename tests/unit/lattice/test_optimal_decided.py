"""The optimum where a promise looks beyond a class, at the table or at all classes: against trying every node.

A node is a solution if what it would publish keeps every promise; the oracle decides that from the definition.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import NoSolutionError
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.privacy import (
    AverageRisk,
    BetaLikeness,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    FPrivacy,
    FrequencyLDiversity,
    Groups,
    KAnonymity,
    PrivacyModel,
    SampleUniques,
)
from nymity.quality import NodeStatistics
from nymity.table.recoding import Outliers
from strategies import Case, cases

#: One loss with a bound, one without.
LOSSES = ("loss", "discernibility")


@dataclass(frozen=True)
class Problem:
    """A table, the same demands as models and as rules, and how much may be suppressed in which way."""

    case: Case
    models: tuple[PrivacyModel, ...]
    rules: naive.Rules
    suppression: float
    outliers: Outliers

    def gone(self, node: naive.Node) -> naive.Decided:
        return naive.decided(self.case.records, node, self.rules, mask=self.outliers == "mask")


def beta_likeness(draw: st.DrawFn, case: Case) -> tuple[PrivacyModel, naive.Rules]:
    beta = draw(st.sampled_from([0.2, 0.5, 1, 2]))
    return BetaLikeness(beta=beta, attribute="s0"), naive.Rules(likeness=(("s0", naive.alike(beta)),))


def enhanced_beta_likeness(draw: st.DrawFn, case: Case) -> tuple[PrivacyModel, naive.Rules]:
    beta = draw(st.sampled_from([0.5, 1, 10]))
    likeness = naive.alike(beta, enhanced=True)
    return EnhancedBetaLikeness(beta=beta, attribute="s0"), naive.Rules(likeness=(("s0", likeness),))


def f_privacy(draw: st.DrawFn, case: Case) -> tuple[PrivacyModel, naive.Rules]:
    """Thresholds no smaller than the shares of the table; a formula, a table, or both."""
    shares = {v: Fraction(n, case.frame.height) for v, n in Counter(case.frame["s0"].to_list()).items()}
    hundredths = {v: math.ceil(share * 100) for v, share in shares.items()}
    listed = {v: draw(st.integers(n, 100)) / 100 for v, n in hundredths.items() if draw(st.booleans())}
    a, c = draw(st.sampled_from([(1, 0), (1, 0.1), (1.5, 0), (1.3, 0.05), (2, 0.1), (0, 1)]))
    thresholds = {(v or ""): t for v, t in listed.items()} | {"*": {"a": a, "c": c}}
    likeness = naive.below_thresholds(listed, a, c)
    return FPrivacy(thresholds=thresholds, attribute="s0"), naive.Rules(likeness=(("s0", likeness),))


def average_risk(draw: st.DrawFn, case: Case) -> tuple[PrivacyModel, naive.Rules]:
    limits = [x for x in (1, 0.75, 0.5, 0.34, 0.25, 0.1) if x * case.frame.height >= 1]
    limit = draw(st.sampled_from(limits))
    return AverageRisk(limit=limit), naive.Rules(overviews=(naive.seldom_found(limit),))


def sample_uniques(draw: st.DrawFn, case: Case) -> tuple[PrivacyModel, naive.Rules]:
    limit = draw(st.sampled_from([1, 0.5, 0.29, 0.1, 0]))
    return SampleUniques(limit=limit), naive.Rules(overviews=(naive.seldom_alone(limit),))


def k_anonymity(draw: st.DrawFn, case: Case) -> tuple[PrivacyModel, naive.Rules]:
    k = draw(st.integers(1, min(3, case.frame.height)))
    return KAnonymity(k=k), naive.Rules(judges=(naive.at_least(k),))


def diversity(draw: st.DrawFn, case: Case) -> tuple[PrivacyModel, naive.Rules]:
    l = draw(st.integers(1, min(2, case.frame["s0"].n_unique())))  # noqa: E741
    if draw(st.booleans()):
        return DistinctLDiversity(l=l, attribute="s0"), naive.Rules(judges=(naive.diverse(l, "s0"),))
    return FrequencyLDiversity(l=l, attribute="s0"), naive.Rules(judges=(naive.frequent(l, "s0"),))


NEW = [beta_likeness, enhanced_beta_likeness, f_privacy, average_risk, sample_uniques]


@st.composite
def problems(draw: st.DrawFn, first: object) -> Problem:
    """One model in any case, up to three more beside it, in any order."""
    case = draw(cases(n_sensitive=1, max_attributes=2, bounded=draw(st.booleans()), uneven=draw(st.booleans())))
    others = draw(st.lists(st.sampled_from([*NEW, k_anonymity, diversity]), max_size=3))
    pieces = draw(st.permutations([piece(draw, case) for piece in (first, *others)]))  # type: ignore[operator]
    rules = naive.Rules(
        *(
            tuple(rule for _, ruled in pieces for rule in getattr(ruled, name))
            for name in ("judges", "likeness", "overviews")
        )
    )
    suppression = draw(st.sampled_from([0.0, 0.1, 0.29, 0.5, 1.0]))
    outliers: Outliers = draw(st.sampled_from(["mask", "remove"]))
    return Problem(case, tuple(model for model, _ in pieces), rules, suppression, outliers)


def best(problem: Problem, key: str) -> tuple[naive.Node, float, int] | None:
    """Try every node: least loss; ties to fewer suppressed, the lower sum of levels, the first in order."""
    case, records = problem.case, problem.case.records
    limit, solutions = naive.limit_of(repr(problem.suppression), len(records)), []
    for node in naive.nodes(case.low, case.high):
        gone = problem.gone(node).gone
        if len(gone) <= min(limit, len(records) - 1):
            solutions.append((float(naive.LOSSES[key](records, node, gone)), len(gone), sum(node), node))
    if not solutions:
        return None
    least = min(solutions)[0]
    tied = [solution for solution in solutions if solution[0] <= least * (1 + 1e-12)]
    loss, gone_count, _, node = min(tied, key=lambda solution: solution[1:])
    return node, loss, gone_count


@pytest.mark.parametrize("key", LOSSES)
@pytest.mark.parametrize("first", NEW, ids=lambda piece: piece.__name__)
@given(st.data())
@settings(max_examples=20)
def test_the_same_node_as_trying_all(first: object, key: str, data: st.DataObject) -> None:
    problem = data.draw(problems(first))
    case, expected = problem.case, best(problem, key)
    method = OptimalLattice(loss=key, suppression=problem.suppression, outliers=problem.outliers)
    if expected is None:
        with pytest.raises(NoSolutionError):
            method.run(case.encoded, problem.models)
        return
    outcome = method.run(case.encoded, problem.models, columns=case.frame.columns)
    node, loss, suppressed = expected
    assert tuple(outcome.levels.values()) == node
    assert math.isclose(outcome.loss, loss, rel_tol=1e-12, abs_tol=1e-13)
    assert outcome.suppressed == suppressed
    assert outcome.optimal
    removed = problem.outliers == "remove" or problem.gone(node).removed
    published = outcome.recoding.apply(case.frame).table
    assert published.height == case.frame.height - (suppressed if removed else 0)
    groups = Groups(published, case.schema.quasi)
    assert all(model.holds(groups) for model in problem.models)


@pytest.mark.parametrize("first", NEW, ids=lambda piece: piece.__name__)
@given(st.data())
@settings(max_examples=12)
def test_no_node_below_suppresses_less_than_the_bound(first: object, data: st.DataObject) -> None:
    """What check_bounded says of a node holds for every node below it."""
    problem = data.draw(problems(first))
    case = problem.case
    engine = RollUp(case.encoded, problem.models, outliers=problem.outliers)
    nodes = list(naive.nodes((0,) * len(case.top), case.top))
    gone = {node: len(problem.gone(node).gone) for node in nodes}
    for node in nodes:
        asked: list[int] = []

        def note(statistics: NodeStatistics, asked: list[int] = asked) -> bool:
            asked.append(int(statistics.suppressed[0]))
            return True

        found, least = engine.check_bounded(node, note)
        assert found is not None
        assert found.suppressed[0] == gone[node]
        assert asked[0] <= gone[node]  # what is refused in the whole table is suppressed in the end
        assert engine.check_bounded(node, lambda _: False)[0] is None
        below = [n for n in nodes if (np.array(n) <= np.array(node)).all()]
        assert least.suppressed[0] <= min(gone[n] for n in below)
