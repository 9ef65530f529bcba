"""Fouad et al.: printed thresholds, what t-frequent generalizations keep, and why delta is not small."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations, count

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core.errors import ParameterError, TableError
from nymity.dp.audit import audit
from nymity_lab.dp.comparators import least_delta, survival, threshold
from nymity_lab.dp.comparators.fouad import PRINTED


def test_the_printed_thresholds() -> None:
    for attributes, printed in PRINTED.items():
        found = threshold(attributes)
        assert (found.low, found.high, found.printed, found.t) == (printed, printed, True, printed + 1)


def test_what_they_imply_for_others() -> None:
    """All ⌊c 2^m⌋ with c that gives the printed ones, from its definition on a fine grid."""
    fine = 2**20
    allowed = [
        Fraction(i, fine)
        for i in range(1217 * fine // 128 - 300, 1218 * fine // 128 + 300, 7)
        if all(int(Fraction(i, fine) * 2**m) == printed for m, printed in PRINTED.items())
    ]
    for m in range(1, 10):
        possible = {int(c * 2**m) for c in allowed}
        found = threshold(m)
        assert possible == set(range(found.low, found.high + 1))
        assert not found.printed or m in PRINTED
    assert [threshold(m).low for m in (4, 8, 9)] == [152, 2434, 4868]


def generalizations(record: tuple[str, ...], table: list[tuple[str, ...]], t: int) -> list[tuple[int, ...]]:
    """Sets of attributes whose values at least t records share with this one."""
    width = len(record)
    every = [s for size in range(width + 1) for s in combinations(range(width), size)]
    return [s for s in every if sum(all(other[i] == record[i] for i in s) for other in table) >= t]


TABLES = st.lists(st.tuples(*[st.sampled_from("ab")] * 2, st.sampled_from("xyz")), min_size=1, max_size=14)


@settings(deadline=None, max_examples=60)
@given(TABLES, st.integers(1, 8))
def test_survival_is_that_of_the_definition(table: list[tuple[str, ...]], t: int) -> None:
    found = survival(pl.DataFrame(table, schema=["p", "q", "r"], orient="row"), t=t)
    ways = [generalizations(record, table, t) for record in table]
    best = [max(map(len, sets)) for sets in ways if sets]
    assert found.most_kept == tuple(best.count(i) for i in range(4))
    assert found.removed == sum(not sets for sets in ways)
    assert found.records == len(table)
    assert found.kept == tuple(name for i, name in enumerate("pqr") if any(i in s for sets in ways for s in sets))
    n = len(table)
    assert found.best_records == Fraction(sum(kept > 0 for kept in best), n)
    assert found.best_cells == Fraction(sum(best), 3 * n)
    assert found.uniform_records == sum((Fraction(len(sets) - 1, len(sets)) for sets in ways if sets), Fraction(0)) / n
    kept = sum((Fraction(sum(map(len, sets)), len(sets)) for sets in ways if sets), Fraction(0))
    assert found.uniform_cells == kept / (3 * n)


def test_a_missing_value_is_a_value() -> None:
    table = pl.DataFrame({"a": [None, None, "x"], "b": [1, 2, 3]})
    found = survival(table, t=2)
    assert found.most_kept == (1, 2, 0)
    assert found.kept == ("a",)


def test_records_that_no_t_share_are_removed() -> None:
    found = survival(pl.DataFrame({"a": ["x"] * 4}), t=5)
    assert (found.removed, found.most_kept, found.best_records, found.uniform_cells) == (4, (0, 0), 0, 0)


def test_one_record_shows_itself() -> None:
    """The counterexample of ``least_delta``, by runs: every t-frequent generalization is as likely."""
    t, seeds = 3, count()
    crowd = [("x", "y")] * (t - 1) + [(f"{i}", f"{i}") for i in range(t)]

    def outcome(table: list[tuple[str, str]]) -> Hashable:
        rng = np.random.default_rng(next(seeds))
        chosen = [rng.choice(len(generalizations(record, table, t))) for record in table[:t]]
        return any(chosen)  # the first generalization has no value

    more = [("x", "y"), *crowd]
    shown = least_delta(t=t, published=0.75)
    assert shown == 1 - Fraction(1, 4) ** 3
    assert audit(outcome, more, crowd, runs=600, delta=0.5, error=1e-3).refutes(1)


def test_the_least_delta_at_the_printed_thresholds() -> None:
    for attributes in PRINTED:
        uniform = 1 - Fraction(1, 2**attributes)
        assert least_delta(t=threshold(attributes).t, published=uniform) > 1 - Fraction(1, 10**50)
    assert least_delta(t=77, published=1.29e-7) < Fraction(1, 10**5) < least_delta(t=77, published=1.3e-7)


def test_bad_input() -> None:
    table = pl.DataFrame({"a": ["x"]})
    for where, call in {
        "attributes": lambda: threshold(0),
        "t": lambda: survival(table, t=0),
        "published": lambda: least_delta(t=1, published=1),
    }.items():
        with pytest.raises(ParameterError) as caught:
            call()
        assert caught.value.where == where
    for bad in (table.clear(), pl.DataFrame(), pl.DataFrame({f"{i}": [1] for i in range(21)})):
        with pytest.raises(TableError, match="1 to 20 attributes"):
            survival(bad, t=1)
