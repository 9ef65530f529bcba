"""The optimum for models that compare classes with the table, against trying every node and what it would publish."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import NoSolutionError
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import (
    DeltaDisclosure,
    DistinctLDiversity,
    FrequencyLDiversity,
    Groups,
    KAnonymity,
    PrivacyModel,
    TCloseness,
)
from nymity.table.attribute import sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import Case, cases

VALUES = Hierarchy.from_rows([["z", "late", "*"], ["x", "early", "*"], ["y", "late", "*"], [None, None, "*"]])
ORDER = (None, "z", "x", "y")
APART = {
    "equal": naive.equally_apart,
    "ordered": naive.apart_in_order(ORDER),
    "hierarchical": naive.apart_in_tree(VALUES),
}


@st.composite
def problems(draw: st.DrawFn, kind: str) -> tuple[Case, tuple[PrivacyModel, ...], naive.Rules]:
    """A model beside k-anonymity, and perhaps one that judges a class by its own values."""
    case = draw(cases(n_sensitive=1, max_records=20, bounded=draw(st.booleans()), uneven=draw(st.booleans())))
    case = Case(case.frame, Schema({**case.schema, "s0": sensitive(VALUES)}), case.hierarchies)
    k = draw(st.integers(1, min(3, case.frame.height)))
    models: list[PrivacyModel] = [KAnonymity(k=k)]
    likeness: list[naive.Likeness] = []
    others: list[naive.Judge] = []
    if kind == "delta":
        delta = draw(st.sampled_from([0.1, 0.5, 0.7, 1.2, 3]))
        models.append(DeltaDisclosure(delta=delta, attribute="s0"))
        likeness.append(naive.disclosing(delta))
    else:
        t = draw(st.sampled_from([0, 0.1, 0.25, 0.3, 0.5, 0.6]))
        models.append(TCloseness(t=t, attribute="s0", distance=kind))  # type: ignore[arg-type]
        likeness.append(naive.close(t, APART[kind]))
    different = case.frame["s0"].n_unique()
    if draw(st.booleans()) and different > 1:
        mixed: tuple[PrivacyModel, naive.Judge] = draw(
            st.sampled_from(
                [
                    (DistinctLDiversity(l=2, attribute="s0"), naive.diverse(2, "s0")),
                    (FrequencyLDiversity(l=1.5, attribute="s0"), naive.frequent(1.5, "s0")),
                ]
            )
        )
        models.insert(draw(st.integers(0, 2)), mixed[0])
        others.append(mixed[1])
    rules = naive.Rules(
        judges=(naive.at_least(k), *others),
        likeness=tuple(("s0", judge) for judge in likeness),
    )
    return case, tuple(models), rules


KINDS = ["equal", "ordered", "hierarchical", "delta"]


@pytest.mark.parametrize("outliers", ["mask", "remove"])
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=25)
def test_the_same_node_as_trying_all(kind: str, outliers: Any, data: st.DataObject) -> None:
    case, models, rules = data.draw(problems(kind))
    suppression = data.draw(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
    loss = data.draw(st.sampled_from(["loss", "loss", "discernibility"]))
    method = OptimalLattice(loss=loss, suppression=suppression, outliers=outliers)
    limit = min(naive.limit_of(repr(suppression), len(case.records)), len(case.records) - 1)
    found = {
        node: naive.decided(case.records, node, rules, mask=outliers == "mask")
        for node in naive.nodes(case.low, case.high)
    }
    losses = {
        node: float(naive.LOSSES[loss](case.records, node, decided.gone))
        for node, decided in found.items()
        if len(decided.gone) <= limit
    }
    if not losses:
        with pytest.raises(NoSolutionError):
            method.run(case.encoded, models)
        return
    least = min(losses.values())
    outcome = method.run(case.encoded, models, columns=case.frame.columns)
    node = tuple(outcome.levels.values())
    assert math.isclose(outcome.loss, least, rel_tol=1e-12, abs_tol=1e-13)
    tied = [n for n, value in losses.items() if value <= least * (1 + 1e-12)]
    assert node == min(tied, key=lambda n: (len(found[n].gone), sum(n), n))
    assert outcome.suppressed == len(found[node].gone)
    assert_published(case, models, outcome, found[node], outliers)


def assert_published(
    case: Case, models: tuple[PrivacyModel, ...], outcome: Any, decided: naive.Decided, outliers: str
) -> None:
    """What is published has the rows the oracle says, and keeps its promises."""
    recoded = outcome.recoding.apply(case.frame)
    removed = bool(decided.gone) and (decided.removed or outliers == "remove")
    assert recoded.table.height == case.frame.height - (len(decided.gone) if removed else 0)
    groups = Groups(recoded.table, case.schema.quasi, hierarchies=case.schema.sensitive_hierarchies)
    assert all(model.holds(groups) for model in models)
