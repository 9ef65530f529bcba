"""Risk of tables with several records of one person: classes are of persons."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny

SCHEMA = ny.Schema({"age": ny.quasi(), "who": ny.person()})


def test_two_patients_with_five_visits_each_are_two() -> None:
    visits = pl.DataFrame({"age": [30] * 10, "who": ["a"] * 5 + [" a", "b", "b", "b", "b"]})
    found = ny.risk.profile(visits, SCHEMA)
    assert (found.records, found.persons, found.counted) == (10, 2, 2)
    assert (found.prosecutor.highest, found.sizes) == (Fraction(1, 2), {2: 1})
    assert found.row_share == Fraction(6, 10)
    assert found.to_dict()["row_share"] == 0.6
    by_records = ny.risk.profile(visits, ["age"])
    assert (by_records.prosecutor.highest, by_records.persons, by_records.row_share) == (Fraction(1, 10), None, None)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=30))
def test_every_figure_is_of_the_persons_of_each_class(rows: list[tuple[int, int]]) -> None:
    table = pl.DataFrame({"age": [age for age, _ in rows], "who": [who for _, who in rows]})
    found = ny.risk.profile(table, SCHEMA, threshold=0.4)
    persons, records = defaultdict(set), defaultdict(list)
    for age, who in rows:
        persons[age].add(who)
        records[age].append(who)
    sizes = [len(those) for those in persons.values()]
    assert found.prosecutor.highest == Fraction(1, min(sizes))
    assert found.prosecutor.average == Fraction(len(sizes), sum(sizes))
    assert found.prosecutor.above == sum(size for size in sizes if Fraction(1, size) > Fraction("0.4"))
    assert found.unique_records == sum(size == 1 for size in sizes)
    assert found.row_share == max(Fraction(own.count(w), len(own)) for own in records.values() for w in own)


def test_a_population_counts_persons_where_it_tells_them_and_rows_otherwise() -> None:
    visits = pl.DataFrame({"age": [30, 30, 30, 41], "who": ["a", "a", "b", "c"]})
    everyone = pl.DataFrame({"age": [30, 30, 30, 30, 41, 41], "who": ["a", "a", "b", "d", "c", "e"]})
    told = ny.risk.profile(visits, SCHEMA, population=everyone).journalist
    rows = ny.risk.profile(visits, SCHEMA, population=everyone.select("age")).journalist
    assert told is not None
    assert rows is not None
    assert (told.highest, told.average) == (Fraction(1, 2), (Fraction(2, 3) + Fraction(1, 2)) / 3)
    assert rows.average == (Fraction(2, 4) + Fraction(1, 2)) / 3
