"""Sampling weights: what is one, and what the mean of a class is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import ParameterError, SchemaError, TableError
from nymity.table.attribute import Attribute, Role
from nymity.table.weights import check_weights, class_means, weights_of


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([1.0, 0.0, -2.0], "2 not above 0 (records 2, 3)"),
        ([1.0, None, 2.0], "1 missing (record 2)"),
        ([1.0, float("nan")], "1 missing (record 2)"),
        ([1.0, float("inf")], "1 above 1,000,000,000,000 (record 2)"),
        (["1.5", "x", "y", "", "a", "b", "c", "d"], "6 not a number (records 2, 3, 5, 6, 7 …); 1 missing (record 4)"),
        ([True, False], "2 not a number (records 1, 2)"),
        ([[1.0], [2.0]], "2 not a number (records 1, 2)"),
    ],
)
def test_what_is_no_weight_is_counted_and_named(cells: list[Any], words: str) -> None:
    with pytest.raises(TableError) as caught:
        check_weights(pl.Series("^w$", cells, strict=False))
    assert caught.value.got == words
    assert "'^w$'" in caught.value.where


def test_gaps_may_be_dropped_and_nothing_else() -> None:
    check_weights(pl.Series("w", [1.0, None]), gaps=True)
    with pytest.raises(TableError, match=r"1 not above 0 \(record 1\)"):
        check_weights(pl.Series("w", [0.0, None]), gaps=True)


def test_numbers_of_any_type_are_weights() -> None:
    assert weights_of(pl.Series("w", ["1.5", " 2 "])).tolist() == [1.5, 2]
    assert weights_of(pl.Series("w", [3, 4], dtype=pl.UInt8)).tolist() == [3, 4]


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", None, "*"]), st.integers(0, 2), st.floats(1e-3, 1e9)), min_size=1, max_size=30
    ),
    st.randoms(use_true_random=False),
)
def test_rows_of_a_class_have_its_mean_whatever_their_order(rows: list[tuple[Any, int, float]], random: Any) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    seen = dict[Any, float]()
    for these in (rows, [rows[i] for i in order]):
        table = pl.DataFrame({"^x$": [r[0] for r in these], "*": [r[1] for r in these]})
        means = class_means(pl.Series([r[2] for r in these]).to_numpy(), table, ["^x$", "*"])
        for (x, y, _), mean in zip(these, means.tolist(), strict=True):
            members = [Fraction(w) for a, b, w in rows if (a, b) == (x, y)]
            assert mean == pytest.approx(float(sum(members) / len(members)), rel=1e-15)
            assert seen.setdefault((x, y), mean) == mean  # to the last bit


def test_a_schema_has_at_most_one_weight_and_no_hierarchy_for_it() -> None:
    with pytest.raises(SchemaError, match="at most one weight column"):
        ny.Schema({"v": ny.weight(), "w": ny.weight()})
    with pytest.raises(SchemaError, match="not generalized"):
        Attribute(role=Role.WEIGHT, hierarchy=ny.Hierarchy.flat(["1"]))
    with pytest.raises(SchemaError, match="sampling weights"):
        Attribute(role=Role.QUASI, publish="dropped")
    with pytest.raises(ParameterError, match="publish"):
        ny.weight(publish="rounded")  # type: ignore[arg-type]
