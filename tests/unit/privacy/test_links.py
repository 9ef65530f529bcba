"""Linked rows: the persons that are kept are the largest set that keeps the promise, found by trying all sets."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.core.errors import ParameterError
from nymity.privacy.groups import Groups
from nymity.privacy.links import MOST_SETS, PersonRows, check_number_of_sets, number_of_sets
from nymity.privacy.shared_rows import fewest_sharing
from nymity.table.classes import Histogram

#: The classes of the rows of each person.
Persons = dict[int, Counter[int]]


@st.composite
def some_persons(draw: st.DrawFn, most: int = 7) -> Persons:
    rows = st.lists(st.integers(0, draw(st.integers(0, 3))), min_size=1, max_size=5)
    return {p: Counter(draw(rows)) for p in range(draw(st.integers(1, most)))}


knowing = st.one_of(st.integers(1, 4), st.just("all"))


def entries(persons: Persons) -> PersonRows:
    listed = sorted((c, p, n) for p, rows in persons.items() for c, n in rows.items())
    classes, codes, counts = (np.array(part, dtype=np.uint32) for part in zip(*listed, strict=True))
    return PersonRows.of(Histogram(int(classes.max()) + 1, len(persons), classes, codes, counts))


def written(persons: Persons) -> pl.DataFrame:
    rows = [(f"p{p}", c) for p, mine in persons.items() for c in mine.elements()]
    return pl.DataFrame({"person": [p for p, _ in rows], "class": [c for _, c in rows]})


@given(some_persons(), st.integers(1, 4), knowing)
@example({0: Counter([0, 1]), 1: Counter([0]), 2: Counter([1])}, 2, 2)
@example({0: Counter([0, 0]), 1: Counter([0])}, 2, 2)
@settings(max_examples=300, deadline=None)
def test_the_largest_set_of_persons_is_kept(persons: Persons, k: int, knows: Any) -> None:
    kept = entries(persons).kept(k, knows)
    assert set(np.flatnonzero(kept).tolist()) == naive.linked(persons, k, knows)


@given(some_persons(), some_persons(), st.integers(1, 3), knowing)
@settings(max_examples=300)
def test_unions_of_sets_that_keep_it_keep_it(one: Persons, other: Persons, k: int, knows: Any) -> None:
    good = naive.linked(one, k, knows)
    further = naive.linked(other, k, knows)
    both = {("one", p): one[p] for p in good} | {("other", p): other[p] for p in further}
    assert (naive.fewest_sharing(both, knows) or k) >= k


@given(some_persons(), st.integers(1, 4), knowing, st.lists(st.integers(0, 1), min_size=4, max_size=4))
@settings(max_examples=300, deadline=None)
def test_coarser_classes_keep_whom_finer_ones_kept(persons: Persons, k: int, knows: Any, merged: list[int]) -> None:
    coarser = {p: Counter(merged[c] for c in rows.elements()) for p, rows in persons.items()}
    assert not (entries(persons).kept(k, knows) & ~entries(coarser).kept(k, knows)).any()


@given(some_persons(), st.integers(1, 3), knowing, st.integers(1, 4))
@settings(max_examples=300, deadline=None)
def test_classes_of_more_persons_besides(persons: Persons, k: int, knows: Any, fewest: int) -> None:
    """What is kept keeps both, and whoever is left out is in no set that does."""
    kept = entries(persons).kept(k, knows, fewest=fewest)
    best: set[int] = set()
    for one in range(2 ** len(persons)):
        some = {p for p in persons if one >> p & 1}
        mine = {p: persons[p] for p in some}
        in_class = Counter(c for rows in mine.values() for c in rows)
        if (naive.fewest_sharing(mine, knows) or k) >= k and all(n >= fewest for n in in_class.values()):
            best |= some
    assert set(np.flatnonzero(kept).tolist()) == best


@given(some_persons(), knowing)
@settings(max_examples=200, deadline=None)
def test_what_is_measured_on_rows(persons: Persons, knows: Any) -> None:
    assert fewest_sharing(written(persons), knows) == naive.fewest_sharing(persons, knows)


def test_without_rows_there_is_nothing_to_measure() -> None:
    assert fewest_sharing(written({}).cast({"person": pl.String, "class": pl.Int64}), 2) is None


@given(some_persons(), st.integers(1, 3), knowing)
@settings(max_examples=200, deadline=None)
def test_a_table_keeps_it_as_the_search_says(persons: Persons, k: int, knows: Any) -> None:
    rows, model = written(persons), ny.LinkedKAnonymity(k=k, knows=knows)
    groups = Groups(rows.select(q="class"), ["q"], persons=rows["person"])
    assert model.holds(groups) == bool(entries(persons).kept(k, knows).all())
    assert model.reached(groups) == {"k": naive.fewest_sharing(persons, knows), "knows": knows}


@given(some_persons(), st.integers(1, 3), knowing)
@settings(max_examples=100, deadline=None)
def test_rows_that_are_lost(persons: Persons, k: int, knows: Any) -> None:
    rows = entries(persons)
    kept = rows.kept(k, knows)
    lost = Counter(c for p, mine in persons.items() if not kept[p] for c in mine.elements())
    assert rows.records_without(kept).tolist() == [lost[c] for c in range(rows.n_classes)]


@pytest.mark.parametrize("knows", [1, 2, 3])
def test_sets_are_counted_before_they_are_looked_at(knows: int) -> None:
    rows = np.array([1, 4, 4, 7])
    each = [len(naive.known_of(Counter(range(n)), knows)) for n in rows.tolist()]
    assert number_of_sets(rows, knows) == sum(each)


def test_too_many_sets_are_refused() -> None:
    with pytest.raises(ParameterError, match="one person has up to 2,000 records") as caught:
        check_number_of_sets("here", np.array([2000]), 3)
    assert caught.value.where == "here"
    check_number_of_sets("here", np.array([2000]), "all")
    check_number_of_sets("here", np.array([2000]), 2)
    assert number_of_sets(np.array([2000]), 3) > MOST_SETS
