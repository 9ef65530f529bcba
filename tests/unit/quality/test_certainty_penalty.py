"""The certainty penalty of generalized values: spans of numbers, shares of other values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.lattice.rollup import RollUp
from nymity.privacy import KAnonymity
from nymity.quality import CertaintyPenaltyLoss
from nymity.table.attribute import quasi
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema


def penalties(values: list[str | None], rows: list[list[str]]) -> list[dict[str | None, Fraction]]:
    """Per level what each generalized value costs."""
    hierarchy = Hierarchy.from_rows(rows)
    bound = CertaintyPenaltyLoss().prepare(encode(pl.DataFrame({"a": values}), Schema({"a": quasi(hierarchy)})))
    (costs,), (most,) = bound.costs, bound.most.tolist()
    labels = bound.table.hierarchies[0].labels
    return [
        {label: Fraction(int(cost), most) for label, cost in zip(labels[level], units, strict=True)}
        for level, units in enumerate(costs)
    ]


def test_numbers_cost_the_span_between_those_that_occur() -> None:
    """Of 1 to 10 only 1, 4, 7 and 9 occur: [1, 5) covers 1 and 4, a span of 3 out of 8."""
    rows = [[str(n), "1 to under 5" if n < 5 else "5 to under 11", "*"] for n in range(1, 11)]
    raw, halves, top = penalties(["1", "4", "7", "9", "9"], rows)
    assert set(raw.values()) == {0}
    assert halves == {"1 to under 5": Fraction(3, 8), "5 to under 11": Fraction(2, 8)}
    assert top == {"*": 1}


def test_other_values_cost_the_share_of_those_that_occur() -> None:
    rows = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cde", "*"], ["d", "cde", "*"], ["e", "cde", "*"]]
    raw, pairs, top = penalties(["a", "a", "c", "d"], rows)
    assert set(raw.values()) == {0}
    assert pairs == {"ab": 0, "cde": Fraction(2, 3)}  # of ab only a occurs
    assert top == {"*": 1}


@pytest.mark.parametrize(
    ("values", "numeric"),
    [
        (["1", "2", "4"], True),
        (["-1.5", "0", "2e3"], True),
        (["1", None, "4"], True),
        (["01", "02", "04"], False),
        (["1", "2", "4+"], False),
        (["1", "2", "inf"], False),
        ([None, None, "x"], False),
        ([None, None, None], False),
    ],
)
def test_which_attributes_are_numeric(values: list[str | None], numeric: bool) -> None:
    """Numeric: two of three numbers cost less than two of three values, because the third lies far away."""
    first = [v for v in values if v is not None][:2]
    rows = [[v, "near" if v in first else "far", "*"] for v in dict.fromkeys(values) if v is not None]
    found = penalties(values, rows or [["x", "*"]])
    if numeric and None not in values:
        assert 0 < found[1]["near"] < Fraction(1, 2)
    elif numeric:
        assert found[-1]["*"] == 1
        assert found[1][None] == 0
    elif len(first) == 2:
        assert found[1]["near"] == Fraction(2, len(set(values)))


def test_missing_values_are_a_value_unless_there_are_numbers() -> None:
    assert penalties(["x", None], [["x", "*"]])[1] == {"*": 1}
    assert penalties(["x", "y", None], [["x", "xy", "*"], ["y", "xy", "*"]])[1] == {"xy": Fraction(2, 3), None: 0}
    assert penalties(["7", None], [["7", "*"]])[1] == {"*": 0}  # one number has no span


def test_a_column_of_one_value_loses_only_what_is_suppressed() -> None:
    table = encode(pl.DataFrame({"a": ["x"] * 3, "b": ["p", "p", "q"]}), Schema({"a": quasi(), "b": quasi()}))
    bound = CertaintyPenaltyLoss().prepare(table)
    engine = RollUp(table, [KAnonymity(k=2)], needs=bound.needs)
    assert bound.per_attribute(engine.check((1, 1)))[0].tolist() == [0, 1]
    assert bound.per_attribute(engine.check((0, 0)))[0].tolist() == pytest.approx([1 / 3, 1 / 3])


@given(st.lists(st.decimals(-1000, 1000, places=3), min_size=2, max_size=8, unique=True), st.data())
@settings(max_examples=60)
def test_spans_are_exact(numbers: list[object], data: st.DataObject) -> None:
    values = [str(Fraction(str(n)).numerator) if Fraction(str(n)).denominator == 1 else f"{n:f}" for n in numbers]
    groups = [data.draw(st.sampled_from(["g", "h"])) for _ in values]
    found = penalties(list(values), [[v, g, "*"] for v, g in zip(values, groups, strict=True)])[1]
    exact = [Fraction(v) for v in values]
    for group, penalty in found.items():
        inside = [number for number, g in zip(exact, groups, strict=True) if g == group]
        assert penalty == (max(inside) - min(inside)) / (max(exact) - min(exact))


def test_spans_of_many_digits_are_rounded_down() -> None:
    """0, 0.1234567891234 and 1e9: no unit below 2^31 fits, so the span of the first two is cut to a whole unit."""
    rows = [["0", "low", "*"], ["0.1234567891234", "low", "*"], ["5e8", "high", "*"], ["1e9", "high", "*"]]
    found = penalties(["0", "0.1234567891234", "5e8", "1e9"], rows)[1]
    assert found["low"] == 0
    assert abs(found["high"] - Fraction(1, 2)) <= Fraction(1, 2**31 - 1)


def test_the_engine_sums_penalties_for_every_kind_of_model() -> None:
    """Fused kernels, chains of a whole lattice and single checks all sum the same costs."""
    rng = np.random.default_rng(4)
    table = pl.DataFrame({"age": rng.integers(17, 90, 400), "zip": rng.integers(0, 30, 400).astype(str)})
    schema = Schema({"age": quasi(Hierarchy.intervals(width=5, levels=4)), "zip": quasi(Hierarchy.masking())})
    encoded = encode(table, schema)
    bound = CertaintyPenaltyLoss().prepare(encoded)
    engine = RollUp(encoded, [KAnonymity(k=3)], needs=bound.needs)
    frequencies = [encoded.frequencies_at(0, level) for level in range(encoded.hierarchies[0].height + 1)]
    found = engine.check((1, encoded.hierarchies[1].height))
    small = frequencies[1] < 3
    assert found.suppressed[0] == frequencies[1][small].sum()
    assert found.lost_costs[0, 0] == (frequencies[1] * bound.costs[0][1])[small].sum()
    assert found.lost_leaves.size == 0
