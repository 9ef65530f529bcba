"""The optimum for every model that judges a class by its sensitive values, against trying every node."""

from __future__ import annotations

import math
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import NoSolutionError
from nymity.datasets import hospital, hospital_schema
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import (
    AlphaKAnonymity,
    EntropyLDiversity,
    FrequencyLDiversity,
    Groups,
    KAnonymity,
    PrivacyModel,
    ProsecutorRisk,
    RecursiveDiversity,
)
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from optimum import assert_optimum, limits
from strategies import Case, Demand, cases

#: One loss with a bound, one without.
LOSSES = ("loss", "discernibility")


@st.composite
def pieces(draw: st.DrawFn, kind: str, case: Case) -> tuple[PrivacyModel, naive.Judge]:
    """A model with parameters that fit the table, and its oracle."""
    values, n = case.frame["s0"].n_unique(), case.frame.height

    def fitting(numbers: tuple[float, ...], needed: str) -> float:
        most = n if needed == "records" else values
        return draw(st.sampled_from([x for x in numbers if math.ceil(1 / Fraction(str(x))) <= most]))

    if kind in ("frequency", "entropy"):
        l = draw(st.sampled_from([x for x in (1, 1.3, 1.5, 1.9, 2, 2.5, 3) if x <= values]))  # noqa: E741
        if kind == "frequency":
            return FrequencyLDiversity(l=l, attribute="s0"), naive.frequent(l, "s0")
        return EntropyLDiversity(l=l, attribute="s0"), naive.entropic(l, "s0")
    if kind == "recursive":
        pairs = [(c, l) for c in (0.5, 0.9, 1.5, 2, 3) for l in (1, 2, 3) if l + math.floor(1 / c) <= values]  # noqa: E741
        c, l = draw(st.sampled_from([*pairs, (1.5, 1)]))  # noqa: E741
        return RecursiveDiversity(c=c, l=l, attribute="s0"), naive.recursive(c, l, "s0")
    if kind == "alpha-k":
        alpha, k = fitting((1, 0.75, 0.6, 0.5, 0.34), "values"), draw(st.integers(1, min(4, n)))
        return AlphaKAnonymity(alpha=alpha, k=k, attribute="s0"), naive.alpha_k(alpha, k, "s0")
    limit = fitting((1, 0.5, 0.34, 0.3, 0.2), "records")
    return ProsecutorRisk(limit=limit), naive.prosecutor(limit)


@st.composite
def problems(draw: st.DrawFn, kind: str) -> tuple[Case, Demand, float]:
    """The model beside k-anonymity; k = 1 leaves it alone."""
    case = draw(cases(n_sensitive=1, bounded=draw(st.booleans())))
    model, judge = draw(pieces(kind, case))
    k = draw(st.integers(1, min(3, case.frame.height)))
    demand = Demand((KAnonymity(k=k), model), (naive.at_least(k), judge))
    return case, demand, draw(limits(case, demand))


KINDS = ["frequency", "entropy", "recursive", "alpha-k", "prosecutor"]


@pytest.mark.parametrize("key", LOSSES)
@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
@settings(max_examples=40)
def test_the_same_node_as_trying_all(kind: str, key: str, data: st.DataObject) -> None:
    case, demand, suppression = data.draw(problems(kind))
    assert_optimum(case, demand, OptimalLattice(loss=key, suppression=suppression))


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
@settings(max_examples=25)
def test_what_is_published_holds(kind: str, data: st.DataObject) -> None:
    """Masked rows are one more class to models of sensitive values; rows that would break them are removed."""
    case, demand, suppression = data.draw(problems(kind))
    method = OptimalLattice(loss="height", suppression=suppression)
    try:
        outcome = method.run(case.encoded, demand.models, columns=case.frame.columns)
    except NoSolutionError:
        return
    groups = Groups(outcome.recoding.apply(case.frame).table, case.schema.quasi)
    assert all(model.holds(groups) for model in demand.models)


@pytest.mark.parametrize("key", LOSSES)
@pytest.mark.parametrize(
    "model",
    [
        FrequencyLDiversity(l=2, attribute="s"),
        EntropyLDiversity(l=2, attribute="s"),
        RecursiveDiversity(c=2, l=2, attribute="s"),
        AlphaKAnonymity(alpha=0.5, k=2, attribute="s"),
    ],
    ids=lambda model: model.key,
)
def test_a_coarser_node_may_be_worse(model: PrivacyModel, key: str) -> None:
    """{p, q} and {p, p} together are rejected: the top suppresses all, and the only solution lies below it."""
    table = pl.DataFrame({"a": ["x", "x", "y", "y"], "s": ["p", "q", "p", "p"]})
    encoded = encode(table, Schema({"a": quasi(), "s": sensitive()}))
    outcome = OptimalLattice(loss=key, suppression=0.5).run(encoded, [model])
    assert (outcome.levels, outcome.suppressed) == ({"a": 0}, 2)


def test_a_model_without_the_property_still_leaves_nodes_out() -> None:
    """The relaxation rules intervals out: without it every cheap node would have to be checked."""
    table, schema = hospital(rows=2_000), hospital_schema()
    models = [KAnonymity(k=5), EntropyLDiversity(l=3, attribute="diagnosis")]
    outcome = OptimalLattice(suppression=0.05).run(encode(table, schema), models)
    assert outcome.optimal
    assert outcome.checks < outcome.lattice_size / 10
