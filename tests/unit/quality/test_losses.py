"""Losses against their definitions, and their floors against every node below."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import ParameterError
from nymity.lattice.rollup import RollUp
from nymity.privacy import KAnonymity
from nymity.quality import LOSSES, NodeStatistics, PreparedLoss, loss_of
from nymity.quality.attribute_loss import PreparedAttributeLoss
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from strategies import Case, Demand, cases, demands, node_between
from toys import EvenClasses

MEANS = {"loss", "loss-geometric", "precision", "gcp", "entropy-normalized", "classification"}
ATTRIBUTEWISE = sorted(naive.ATTRIBUTE_LOSSES)


def test_every_loss_has_an_oracle() -> None:
    assert set(LOSSES) == set(naive.LOSSES)


def checked(case: Case, demand: Demand, bound: PreparedLoss, nodes: Iterable[naive.Node]) -> NodeStatistics:
    """The engine's statistics of some nodes; that these are right is tested where the engine is."""
    engine = RollUp(case.encoded, demand.models, needs=bound.needs)
    return NodeStatistics.concatenate([engine.check(node) for node in nodes])


@st.composite
def problems(draw: st.DrawFn) -> tuple[Case, Demand]:
    case = draw(cases(n_sensitive=1, max_records=20, numeric=draw(st.booleans())))
    return case, draw(demands(case, diversity=draw(st.booleans())))


@pytest.mark.parametrize("key", LOSSES)
@given(problems())
@settings(max_examples=30)
def test_value(key: str, problem: tuple[Case, Demand]) -> None:
    """At every node, with weights, whatever is suppressed."""
    case, demand = problem
    nodes = list(naive.nodes((0,) * len(case.top), case.top))
    bound = LOSSES[key]().prepare(case.encoded)
    values = bound.value(checked(case, demand, bound, nodes))
    assert values.shape == (len(nodes),)
    assert values.dtype == np.float64
    for node, value in zip(nodes, values.tolist(), strict=True):
        expected = float(naive.loss(case.records, node, demand.judges, key))
        assert math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-14)
        assert value >= 0
        if key in MEANS:
            assert value <= 1 + 1e-12


@pytest.mark.parametrize("key", LOSSES)
@given(st.data())
@settings(max_examples=25)
def test_floor(key: str, data: st.DataObject) -> None:
    """No node of an interval is cheaper than the floor of its ends."""
    case, demand = data.draw(problems())
    bottom = data.draw(node_between((0,) * len(case.top), case.top))
    top = data.draw(node_between(bottom, case.top))
    bound = LOSSES[key]().prepare(case.encoded)
    above = checked(case, demand, bound, [top])
    least = min(float(naive.loss(case.records, node, demand.judges, key)) for node in naive.nodes(bottom, top))
    below = checked(case, demand, bound, [bottom])
    for ends in ((above, None), (None, None), (above, below), (None, below)):
        floor = bound.floor(bottom, *ends)
        if floor is not None:
            assert floor <= least * (1 + 1e-12) + 1e-13
    exact = bound.floor(top, above)
    if isinstance(bound, PreparedAttributeLoss):  # an interval of one node: the floor is its loss
        assert exact is not None
        assert math.isclose(exact, bound.value(above)[0], rel_tol=1e-12, abs_tol=1e-15)


@pytest.mark.parametrize(
    "key", ["loss", "loss-geometric", "precision", "height", "entropy", "entropy-normalized", "gcp"]
)
def test_searchable_losses_have_a_floor(key: str) -> None:
    encoded = encode(pl.DataFrame({"a": ["x", "y"]}), Schema({"a": quasi()}))
    bound = LOSSES[key]().prepare(encoded)
    assert bound.floor((0,), None) == 0
    assert bound.floor((1,), None) > 0  # type: ignore[operator]


@pytest.mark.parametrize("kind", ["k", "k and l", "even"])
@given(st.data())
@settings(max_examples=60)
def test_no_node_above_has_more_classes(kind: str, data: st.DataObject) -> None:
    """From every node to all above it, also under a model that merging can break or mend."""
    case = data.draw(cases(n_sensitive=1, max_records=20))
    demand = data.draw(demands(case, diversity=kind == "k and l"))
    smallest = max((model.smallest_class for model in demand.models), default=1)
    if kind == "even":
        demand, smallest = Demand((EvenClasses(),), (naive.even,)), 2
    key = "average-class-size"
    bound = LOSSES[key]().prepare(case.encoded).where_classes_have(smallest)
    for bottom in naive.nodes((0,) * len(case.top), case.top):
        losses = [naive.loss(case.records, n, demand.judges, key) for n in naive.nodes(bottom, case.top)]
        floor = bound.floor(bottom, None, checked(case, demand, bound, [bottom]))
        assert floor is not None
        assert floor <= float(min(losses)) * (1 + 1e-12)


def test_the_floor_of_the_average_is_reached() -> None:
    """Three kept below; of their seven suppressed records three and three make two more, and one is left."""
    values = [*"aaabbbccc", *"def", *"ghi", "j"]
    rows = [[v, "def" if v in "def" else "ghi" if v in "ghi" else v, "*"] for v in sorted(set(values))]
    encoded = encode(pl.DataFrame({"q": values}), Schema({"q": quasi(Hierarchy.from_rows(rows))}))
    bound = LOSSES["average-class-size"]().prepare(encoded).where_classes_have(3)
    engine = RollUp(encoded, [KAnonymity(k=3)])
    assert bound.floor((0,), None, engine.check((0,))) == 16 / (3 + 2 + 1) == bound.value(engine.check((1,)))[0]


def test_floors_over_classes() -> None:
    """By hand: of a, b, c and d there are 2, 1, 1 and 0 records, with target values p, q, p and q."""
    frame = pl.DataFrame({"q": ["a", "a", "b", "c"], "s": ["p", "q", "p", "q"]})
    encoded = encode(frame, Schema({"q": quasi(Hierarchy.flat(["a", "b", "c", "d"])), "s": sensitive()}))
    floors = {}
    for key in ("discernibility", "ambiguity", "kl-divergence", "classification", "average-class-size"):
        bound = LOSSES[key]().prepare(encoded)
        engine = RollUp(encoded, [], needs=bound.needs)
        floors[key] = [bound.floor((level,), None, engine.check((level,))) for level in (0, 1)]
    assert floors["discernibility"] == pytest.approx([16 * 2**-1.5, 16])
    assert floors["ambiguity"] == pytest.approx([4, 16])
    assert floors["kl-divergence"] == pytest.approx([0, 2 - 1.5])
    assert floors["classification"] == [1 / 4, 2 / 4]
    assert floors["average-class-size"] == [4 / 3, 4]


def test_the_floor_of_the_divergence_leaves_suppression_out() -> None:
    """The raw table has lost nothing, whatever is suppressed there: a node above may suppress nobody."""
    encoded = encode(
        pl.DataFrame({"q": ["a"] * 3 + ["b"] * 2}), Schema({"q": quasi(Hierarchy.flat(["a", "b", "c", "d"]))})
    )
    bound = LOSSES["kl-divergence"]().prepare(encoded)
    below = RollUp(encoded, [KAnonymity(k=3)], needs=bound.needs).check((0,))
    assert below.suppressed[0] == 2
    assert bound.value(below)[0] > 0.3
    assert bound.floor((0,), None, below) == pytest.approx(0, abs=1e-15)


# -- edges -------------------------------------------------------------------------------------------------------


def values_at(table: pl.DataFrame, schema: Schema, node: naive.Node, k: int) -> dict[str, float]:
    """Every loss of one node through the engine."""
    encoded = encode(table, schema)
    out = {}
    for loss in (loss for kind in LOSSES.values() for loss in kind.of_table(encoded)):
        bound = loss.prepare(encoded)
        out[loss.key] = float(bound.value(RollUp(encoded, [KAnonymity(k=k)], needs=bound.needs).check(node))[0])
    return out


PAIR = pl.DataFrame({"a": ["x", "x", "y", "z"], "b": ["p", "p", "p", "q"]})
PAIR_SCHEMA = Schema({"a": quasi(), "b": quasi()})


def test_the_raw_table() -> None:
    values = values_at(PAIR, PAIR_SCHEMA, (0, 0), 1)
    assert all(values[key] == 0 for key in (*ATTRIBUTEWISE, "height", "entropy", "kl-divergence"))
    assert values["discernibility"] == 4 + 1 + 1
    assert values["average-class-size"] == 4 / 3
    assert values["ambiguity"] == 4


def test_everything_at_the_top() -> None:
    values = values_at(PAIR, PAIR_SCHEMA, (1, 1), 1)
    assert [values[key] for key in ATTRIBUTEWISE] == pytest.approx([1] * len(ATTRIBUTEWISE), rel=1e-12)
    assert values["kl-divergence"] == pytest.approx(math.log2(6) - 1.5, rel=1e-12)
    assert values["height"] == 2
    assert values["discernibility"] == 16
    assert values["average-class-size"] == 4
    assert values["ambiguity"] == 4 * 3 * 2
    assert values["entropy"] == pytest.approx(6 + 4 * math.log2(4) - 3 * math.log2(3), rel=1e-12)


def test_everything_suppressed() -> None:
    values = values_at(PAIR, PAIR_SCHEMA, (0, 0), 4)
    assert [values[key] for key in ATTRIBUTEWISE] == pytest.approx([1] * len(ATTRIBUTEWISE), rel=1e-12)
    assert values["kl-divergence"] == pytest.approx(math.log2(6) - 1.5, rel=1e-12)
    assert values["discernibility"] == 4 * 4
    assert values["average-class-size"] == 4
    assert values["ambiguity"] == 4 * 3 * 2
    assert values["height"] == 0
    assert values["entropy"] == pytest.approx(6 + 4 * math.log2(4) - 3 * math.log2(3), rel=1e-12)


def test_part_suppressed() -> None:
    """By hand: x, x kept; y and z suppressed. L(a) = (2/3 + 2 - 4/3) / (4 - 4/3) = 1/2, L(b) = (1 + 2 - 2) / 2."""
    values = values_at(PAIR, PAIR_SCHEMA, (0, 0), 2)
    assert values["loss"] == pytest.approx(1 / 2, rel=1e-12)
    assert values["loss-geometric"] == pytest.approx(1 / 2, rel=1e-12)
    assert values["precision"] == 1 / 2
    assert values["discernibility"] == 4 + 2 * 4
    assert values["average-class-size"] == 2
    assert values["ambiguity"] == 2 + 2 * 6
    assert values["entropy"] == 4  # two values of each attribute among two suppressed records
    assert values["entropy-normalized"] == pytest.approx((2 / 6 + 2 / (8 - 3 * math.log2(3))) / 2, rel=1e-12)
    assert values["gcp"] == 1 / 2
    combinations = [(2, 2 + 2 / 6), (1, 2 / 6), (1, 2 / 6)]  # records of x, y and z, and what is spread there
    expected = sum(f / 4 * math.log2(f / weight) for f, weight in combinations)
    assert values["kl-divergence"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rows", [[["x"]], [["x", "*"]], [["x", "y", "*"]]])
def test_a_domain_of_one_value_loses_nothing(rows: list[list[str]]) -> None:
    """Its share is 1 from the start; the formula would divide zero by zero. Precision still counts its level."""
    hierarchy = Hierarchy.from_rows(rows)
    table = pl.DataFrame({"a": ["x", "x", "x"]})
    for node in naive.nodes((0,), (hierarchy.height,)):
        for k in (1, 3):
            values = values_at(table, Schema({"a": quasi(hierarchy)}), node, k)
            assert values["loss"] == values["loss-geometric"] == values["entropy"] == 0
            assert values["precision"] == pytest.approx(node[0] / max(1, hierarchy.height), rel=1e-15)
            assert values["ambiguity"] == 3


def test_height_0_beside_a_suppressed_record() -> None:
    table = pl.DataFrame({"a": ["x", "x", "x"], "b": ["p", "p", "q"]})
    schema = Schema({"a": quasi(Hierarchy.from_rows([["x"]])), "b": quasi()})
    values = values_at(table, schema, (0, 0), 2)
    assert values["precision"] == pytest.approx(1 / 3, rel=1e-12)
    assert values["loss"] == pytest.approx(float((Fraction(2, 2) + 1 - Fraction(3, 2)) / Fraction(3, 2) / 2), rel=1e-12)


def test_weights_of_zero() -> None:
    """An attribute of weight 0 does not count; if no attribute does, every node costs nothing."""
    one = Schema({"a": quasi(weight=0), "b": quasi(weight=2.5)})
    values = values_at(PAIR, one, (1, 0), 1)
    assert all(values[key] == 0 for key in (*ATTRIBUTEWISE, "height", "entropy"))
    assert values_at(PAIR, one, (0, 1), 1)["height"] == 2.5
    none = Schema({"a": quasi(weight=0), "b": quasi(weight=0)})
    values = values_at(PAIR, none, (1, 1), 1)
    assert all(values[key] == 0 for key in (*ATTRIBUTEWISE, "height", "entropy"))


def test_large_counts_are_exact() -> None:
    """Two billion records: sums of squares stay whole numbers below 2^63."""
    n = 2**31 - 1
    table = encode(pl.DataFrame({"a": ["x", "y"]}), Schema({"a": quasi()}))
    big = type(table)(
        n_records=n,
        names=table.names,
        hierarchies=table.hierarchies,
        combinations=table.combinations,
        counts=np.array([n - 1, 1], dtype=np.uint32),
        min_levels=(0,),
        max_levels=(1,),
        weights=(1.0,),
    )
    engine = RollUp(big, [KAnonymity(k=2)])
    low, high = engine.check((0,)), engine.check((1,))
    assert (low.suppressed[0], low.squares[0], low.lost_leaves[0, 0]) == (1, (n - 1) ** 2, 1)
    assert (high.suppressed[0], high.squares[0], high.classes[0]) == (0, n * n, 1)
    assert loss_of("discernibility").prepare(big).value(low)[0] == float((n - 1) ** 2 + n)


@pytest.mark.parametrize("key", ["loss", "loss-geometric", "precision"])
def test_small_losses_keep_their_digits(key: str) -> None:
    """Of 20,000 values two are merged, for 2 of 5,000 records: a loss of 1e-8 or so, equal to 12 digits."""
    rows = [[f"v{i}", "v0 or v1" if i < 2 else f"v{i}", "*"] for i in range(20_000)]
    hierarchy = Hierarchy.from_rows(rows)
    table = pl.DataFrame({"a": ["v0", "v1"] + ["v2"] * 4_998, "b": ["v2"] * 5_000})
    schema = Schema({"a": quasi(hierarchy), "b": quasi(hierarchy, weight=2)})
    records = naive.Records(table.rows(), (hierarchy, hierarchy), weights=(1.0, 2.0))
    expected = float(naive.LOSSES[key](records, (1, 0), set()))
    assert values_at(table, schema, (1, 0), 1)[key] == pytest.approx(expected, rel=1e-12, abs=0)


def test_ambiguity_refuses_what_it_cannot_count() -> None:
    table = pl.DataFrame({f"q{i}": np.arange(2000) for i in range(100)})
    encoded = encode(table, Schema({name: quasi() for name in table.columns}))
    with pytest.raises(ParameterError, match=r"loss: expected a domain.*'ambiguity', got 100 quasi-identifiers"):
        loss_of("ambiguity").prepare(encoded)


def test_unknown_loss() -> None:
    with pytest.raises(
        ParameterError, match=r"loss: expected one of 'loss', .*got 'precison'.*did you mean 'precision'"
    ):
        loss_of("precison")
