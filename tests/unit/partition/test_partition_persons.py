"""Local recoding of records of persons: what is published has enough of them in every class, counted on the rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny

METHODS = (
    ny.Mondrian(),
    ny.Mondrian(cuts="relaxed"),
    ny.Mondrian(cuts="literal"),
    ny.Mondrian(choose="gain"),
    ny.KMember(),
    ny.GreedySearch(),
    ny.SortedGroups(),
    ny.Refine(),
)


@st.composite
def visits(draw: st.DrawFn) -> pl.DataFrame:
    """Records of few persons; equal quasi-identifiers occur often, so that methods divide records that are alike."""
    n = draw(st.integers(4, 40))
    people = draw(st.integers(2, 9))
    cells = st.tuples(
        st.integers(0, people - 1), st.integers(0, 3), st.sampled_from("ab"), st.sampled_from(["x", "y", "z"])
    )
    rows = draw(st.lists(cells, min_size=n, max_size=n))
    return pl.DataFrame(rows, schema=["who", "age", "sex", "s"], orient="row")


SCHEMA = {"who": ny.person(), "age": ny.quasi(), "sex": ny.quasi(), "s": ny.sensitive()}


def classes_of(release: Any, table: pl.DataFrame) -> list[list[tuple[int, str]]]:
    """Person and value of each row, by what is published of it."""
    links = release.log.source_rows
    found: dict[tuple[object, ...], list[tuple[int, str]]] = {}
    for row, (age, sex, s) in zip(links, release.frame.select("age", "sex", "s").iter_rows(), strict=True):
        assert table["s"][int(row)] == s
        found.setdefault((age, sex), []).append((table["who"][int(row)], s))
    return list(found.values())


@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(table=visits(), data=st.data())
@settings(max_examples=20)
def test_every_class_has_records_of_k_persons(method: Any, table: pl.DataFrame, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, table["who"].n_unique()))
    release = ny.publish(table, SCHEMA, privacy=[ny.KAnonymity(k=k)], method=method)
    assert release.frame.height == table.height
    for rows in classes_of(release, table):
        assert len({who for who, _ in rows}) >= k
    told = release.certificate["unit"].get("fewest_in_a_class")
    assert told is None if method.divides_equals else told >= k
    assert ny.check(release, original=table).holds


@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(table=visits(), data=st.data())
@settings(max_examples=15)
def test_no_class_is_mostly_of_one_person(method: Any, table: pl.DataFrame, data: st.DataObject) -> None:
    limit = data.draw(st.sampled_from(["0.5", "0.7", "0.9"]))
    model = ny.Dominance(limit=float(limit))
    if not _kept([list(table.select("who", "s").iter_rows())], Fraction(limit)):  # not even by all records together
        with pytest.raises(ny.NymityError, match=r"no partition satisfies|expected at least"):
            ny.publish(table, SCHEMA, privacy=[model], method=method)
        return
    release = ny.publish(table, SCHEMA, privacy=[model], method=method)
    assert _kept(classes_of(release, table), Fraction(limit))


def _kept(classes: list[list[tuple[int, str]]], limit: Fraction) -> bool:
    """Whether no person has more than the limit of the rows of a class."""
    return all(Fraction(sum(who == one for who, _ in rows), len(rows)) <= limit for rows in classes for one, _ in rows)


def test_equal_records_of_two_persons_are_not_exchanged() -> None:
    """a, a, b, b with equal cells in two classes of two: each class needs both, whoever draws the places."""
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"who": ["a", "b"] * 20, "age": [1] * 40, "sex": ["m"] * 40, "s": ["x"] * 40})
    table = table[rng.permutation(40)]
    for _ in range(5):
        release = ny.publish(table, SCHEMA, privacy=[ny.KAnonymity(k=2)], method=ny.KMember())
        assert all(len({who for who, _ in rows}) == 2 for rows in classes_of(release, table))


@pytest.mark.parametrize("method", [ny.ExactPartition(), ny.SplitCarry(), ny.FreeformGreedy(), ny.Anatomy()])
def test_methods_that_cannot_count_persons_refuse(method: Any) -> None:
    table = pl.DataFrame({"who": [1, 1, 2, 2], "age": [1, 2, 3, 4], "sex": list("mfmf"), "s": list("xyxy")})
    with pytest.raises(ny.NymityError, match="counts persons"):
        ny.publish(table, SCHEMA, privacy=[ny.KAnonymity(k=2)], method=method)
