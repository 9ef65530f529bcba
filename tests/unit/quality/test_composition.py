"""Losses made of one value per attribute: every aggregation, every gs_factor, whatever is suppressed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import ParameterError
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.rollup import RollUp
from nymity.privacy import KAnonymity
from nymity.quality import LOSSES, DomainShareLoss, GeometricDomainShareLoss, loss_of
from nymity.quality.aggregation import AGGREGATIONS
from nymity.quality.attribute_loss import AttributeLoss
from nymity.table.attribute import quasi
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from optimum import assert_optimum, limits
from strategies import Case, Demand, cases, demands, node_between
from toys import EvenClasses

KEYS = sorted(naive.ATTRIBUTE_LOSSES)
FACTORS = st.sampled_from([0, 0.2, 0.5, 0.7, 1.0])


@st.composite
def problems(draw: st.DrawFn) -> tuple[Case, Demand]:
    case = draw(cases(n_sensitive=1, max_records=15, numeric=draw(st.booleans())))
    return case, draw(demands(case, diversity=draw(st.booleans())))


def test_these_are_the_losses_per_attribute() -> None:
    assert [key for key, kind in sorted(LOSSES.items()) if issubclass(kind, AttributeLoss)] == KEYS


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("key", KEYS)
@given(st.data())
@settings(max_examples=12)
def test_value_and_floor(key: str, aggregation: Any, data: st.DataObject) -> None:
    """Every node by the definition; and no node of an interval before its floors, in the order nodes are compared."""
    (case, demand), gs = data.draw(problems()), data.draw(FACTORS)
    loss = LOSSES[key](aggregation=aggregation, gs_factor=gs)
    bound = loss.prepare(case.encoded)
    engine = RollUp(case.encoded, demand.models, needs=bound.needs)
    found: dict[naive.Node, tuple[float, ...]] = {}
    for node in naive.nodes((0,) * len(case.top), case.top):
        gone = set(naive.suppressed(case.records, node, demand.judges))
        expected = naive.compared(case.records, node, gone, key, aggregation=aggregation, gs_factor=gs)
        statistics = engine.check(node)
        found[node] = tuple(bound.compared(statistics)[0].tolist())
        assert found[node] == pytest.approx([float(value) for value in expected], rel=1e-12, abs=1e-14)
        assert bound.value(statistics)[0] == found[node][0] <= 1 + 1e-12
    bottom = data.draw(node_between((0,) * len(case.top), case.top))
    top = data.draw(node_between(bottom, case.top))
    above = engine.check(top)
    for floors in (bound.floors(bottom, above), bound.floors(bottom, None)):
        assert floors is not None
        assert bound.floor(bottom, above) is not None
        for node in naive.nodes(bottom, top):
            first = next((pair for pair in zip(floors, found[node], strict=True) if not math.isclose(*pair)), (0, 0))
            assert first[0] <= first[1] + 1e-13
    assert bound.floors(top, above) == pytest.approx(found[top], rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("kind", ["k and l", "even"])
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@given(st.data())
@settings(max_examples=25)
def test_the_same_node_as_trying_all(aggregation: Any, kind: str, data: st.DataObject) -> None:
    case = data.draw(cases(n_sensitive=1, bounded=data.draw(st.booleans()), numeric=data.draw(st.booleans())))
    demand = data.draw(demands(case, diversity=data.draw(st.booleans())))
    if kind == "even":
        demand = Demand((EvenClasses(),), (naive.even,))
    loss = LOSSES[data.draw(st.sampled_from(KEYS))](aggregation=aggregation, gs_factor=data.draw(FACTORS))
    assert_optimum(case, demand, OptimalLattice(loss=loss, suppression=data.draw(limits(case, demand))))


# -- by hand -----------------------------------------------------------------------------------------------------

TABLE = pl.DataFrame({"a": ["1", "1", "2", "3"], "b": ["p", "p", "p", "q"]})
LADDER = Hierarchy.from_rows([["1", "1-2", "*"], ["2", "1-2", "*"], ["3", "3", "*"]])
ENCODED = encode(TABLE, Schema({"a": quasi(LADDER), "b": quasi()}))


def value(loss: AttributeLoss, node: naive.Node, k: int = 1) -> float:
    bound = loss.prepare(ENCODED)
    return float(bound.value(RollUp(ENCODED, [KAnonymity(k=k)], needs=bound.needs).check(node))[0])


def test_aggregations() -> None:
    """At levels (1, 1): a loses (3 * 1/2) / 4, b everything."""
    a, b = 3 / 8, 1
    assert value(DomainShareLoss(), (1, 1)) == (a + b) / 2
    assert value(DomainShareLoss(aggregation="geometric"), (1, 1)) == pytest.approx(math.sqrt((1 + a) * (1 + b)) - 1)
    assert value(GeometricDomainShareLoss(), (1, 1)) == value(DomainShareLoss(aggregation="geometric"), (1, 1))
    assert value(DomainShareLoss(aggregation="maximum"), (1, 1)) == value(DomainShareLoss(aggregation="rank"), (1, 1))
    assert value(DomainShareLoss(aggregation="maximum"), (1, 1)) == b
    assert value(GeometricDomainShareLoss(aggregation="arithmetic"), (1, 1)) == (a + b) / 2


def test_gs_factor() -> None:
    """At (1, 0) with k = 2 the record of 3 is suppressed; the three others lose 1/2 in a and nothing in b."""
    kept, gone = 3 * 1 / 2, 1
    for gs, expected in ((0.5, kept + gone), (0, kept + 0), (0.25, kept + 0.5), (1, 0 + gone), (0.75, kept / 2 + gone)):
        bound = DomainShareLoss(gs_factor=gs).prepare(ENCODED)
        parts = bound.per_attribute(RollUp(ENCODED, [KAnonymity(k=2)]).check((1, 0)))
        assert parts[0].tolist() == pytest.approx([expected / 4, gone * min(1, 2 * gs) / 4], rel=1e-15)


def test_a_suppressed_cell_costs_at_least_its_generalization() -> None:
    """Whatever the factor, suppressing never pays: at (2, 1) everything costs 1 unless generalization is ignored."""
    for gs in (0, 0.3, 0.5):
        assert value(DomainShareLoss(gs_factor=gs), (2, 1), k=1) == 1
        assert value(DomainShareLoss(gs_factor=gs), (2, 1), k=4) == 1
    assert value(DomainShareLoss(gs_factor=1), (2, 1)) == 0


def test_rank_decides_where_maxima_are_equal() -> None:
    """Both (1, 1) and (2, 1) lose all of b; the second largest loss tells them apart, the maximum does not."""
    compared = {
        name: [DomainShareLoss(aggregation=name).prepare(ENCODED).compared(RollUp(ENCODED, []).check(node))[0].tolist()
               for node in ((1, 1), (2, 1))]
        for name in ("rank", "maximum")
    }  # fmt: skip
    assert compared["maximum"] == [[1], [1]]
    assert compared["rank"] == [[1, 3 / 8], [1, 1]]
    schema = Schema({"b": quasi(level=1), "a": quasi(LADDER, min_level=1)})
    for aggregation in ("rank", "maximum"):
        method = OptimalLattice(loss=DomainShareLoss(aggregation=aggregation), suppression=0.25)
        outcome = method.run(encode(TABLE, schema), [KAnonymity(k=2)])
        expected = {"rank": ({"b": 1, "a": 1}, 1), "maximum": ({"b": 1, "a": 2}, 0)}[aggregation]
        assert (outcome.levels, outcome.suppressed) == expected
        assert outcome.loss == 1


@pytest.mark.parametrize("aggregation", ["rank", "maximum"])
def test_weights_scale_what_is_compared(aggregation: Any) -> None:
    schema = Schema({"a": quasi(LADDER, weight=4), "b": quasi(weight=1)})
    encoded = encode(TABLE, schema)
    bound = DomainShareLoss(aggregation=aggregation).prepare(encoded)
    expected = [3 / 8, 1 / 4] if aggregation == "rank" else [3 / 8]
    assert bound.compared(RollUp(encoded, []).check((1, 1)))[0].tolist() == expected
    nothing = encode(TABLE, Schema({"a": quasi(LADDER, weight=0), "b": quasi(weight=0)}))
    assert not np.any(
        DomainShareLoss(aggregation=aggregation).prepare(nothing).compared(RollUp(nothing, []).check((1, 1)))
    )


# -- parameters --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"aggregation": "mean"}, r"aggregation: expected one of 'arithmetic', 'geometric', 'rank', 'maximum', got 'm"),
        ({"aggregation": "arithmetc"}, "did you mean 'arithmetic'"),
        ({"aggregation": None}, "got None"),
        ({"gs_factor": -0.1}, r"gs_factor: expected a number from 0 to 1, got -0\.1"),
        ({"gs_factor": 1.01}, "got 1.01"),
        ({"gs_factor": float("nan")}, "got nan"),
        ({"gs_factor": True}, "got True"),
        ({"gs_factor": "0.5"}, "got '0.5'"),
    ],
)
def test_bad_parameters(key: str, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said) as caught:
        LOSSES[key](**fields)
    assert caught.value.where == f"{key}.{next(iter(fields))}"


def test_a_search_takes_a_loss_or_its_key() -> None:
    loss = DomainShareLoss(aggregation="maximum", gs_factor=0.2)
    assert loss_of(loss) is loss
    assert loss_of("loss") == DomainShareLoss()
    for wrong in (5, None, DomainShareLoss):
        with pytest.raises(ParameterError, match=r"optimal-lattice\.loss: expected a loss or the key of one, got"):
            OptimalLattice(loss=wrong)  # type: ignore[arg-type]
    outcome = OptimalLattice(loss=loss).run(ENCODED, [KAnonymity(k=2)])
    assert (outcome.minimized, outcome.loss_key) == (loss, "loss")


def test_names() -> None:
    assert DomainShareLoss().name == "loss"
    assert DomainShareLoss(aggregation="rank", gs_factor=0.2).name == "loss (aggregation=rank, gs_factor=0.2)"
    assert GeometricDomainShareLoss().name == "loss-geometric"
    assert GeometricDomainShareLoss(aggregation="arithmetic").name == "loss-geometric (aggregation=arithmetic)"
