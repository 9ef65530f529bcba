"""Rows with suppressed cells of their own: what is promised of them, and what matching of candidates finds."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations, combinations_with_replacement, product

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.core.draws import KeyedDraws
from nymity.core.errors import JobError, ParameterError
from nymity.partition.row_suppression import RowSuppression, SubsetSuppression, WildcardSuppression
from nymity.partition.suppression import CellSuppression, Suppression
from nymity.privacy import Groups, KAnonymity, PrivacyModel, SubsetKAnonymity, WildcardKAnonymity
from nymity.report import render_report
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.schema import Schema

Row = tuple[str, ...]
ROWS = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=3, max_size=9)
STARRED = st.lists(st.tuples(*[st.sampled_from("ab*")] * 3), min_size=1, max_size=9)


def groups_of(rows: list[Row]) -> Groups:
    return Groups(pl.DataFrame(rows, schema=["x", "y", "z"], orient="row"), ["x", "y", "z"])


def published(method: Suppression, rows: list[Row], models: list[PrivacyModel]) -> list[Row]:
    frame = pl.DataFrame(rows, schema=[f"c{a}" for a in range(len(rows[0]))], orient="row")
    outcome = method.run(encode(frame, Schema(dict.fromkeys(frame.columns, quasi()))), models)
    table = outcome.recoding.apply(frame, draws=KeyedDraws.seeded(1)).table.rows()
    assert outcome.loss == sum(row.count("*") for row in table)
    for row, raw in zip(table, rows, strict=True):
        assert all(cell in (value, "*") for cell, value in zip(row, raw, strict=True))
    return table


@given(rows=STARRED)
@settings(max_examples=150, deadline=None)
def test_promises_are_measured_as_they_are_defined(rows: list[Row]) -> None:
    groups = groups_of(rows)
    assert WildcardKAnonymity.measure(groups) == {"k": naive.fewest_matching(rows)}
    for m in (1, 2, 3, 4):
        k = naive.fewest_alike(rows, m)
        assert SubsetKAnonymity(k=2, m=m).reached(groups) == {"k": k, "m": m}
        assert SubsetKAnonymity(k=k, m=m).holds(groups)
        assert not SubsetKAnonymity(k=k + 1, m=m).holds(groups)


def test_missing_cells_are_values_and_no_rows_are_no_risk() -> None:
    frame = pl.DataFrame({"x": ["a", "a", None, None], "y": ["*", "b", "*", "c"]})
    groups = Groups(frame, ["x", "y"])
    assert WildcardKAnonymity.measure(groups) == {"k": 2}
    assert SubsetKAnonymity(k=1, m=1).reached(groups) == {"k": 1, "m": 1}
    nothing = Groups(frame.head(0), ["x", "y"])
    assert WildcardKAnonymity(k=3).holds(nothing)
    assert SubsetKAnonymity(k=3, m=2).holds(nothing)


# -- candidate matching, exhaustively --------------------------------------------------------------------------------


def known_sets(n: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(n), size) for size in range(1, n + 1)))


@given(rows=ROWS, k=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_with_star_as_a_value_everybody_has_k_candidates(rows: list[Row], k: int) -> None:
    table = published(CellSuppression(), rows, [KAnonymity(k=k)])
    for person in rows:
        for known in known_sets(3):
            assert naive.candidates(table, {a: person[a] for a in known}) >= k


@given(rows=ROWS, k=st.integers(1, 3))
@settings(max_examples=80, deadline=None)
def test_with_a_wildcard_only_what_a_row_shows_may_be_known(rows: list[Row], k: int) -> None:
    """Whoever knows of a person what the row shows finds exactly the rows that match it, k or more."""
    table = published(WildcardSuppression(), rows, [WildcardKAnonymity(k=k)])
    for person, row in zip(rows, table, strict=True):
        shown = {a: person[a] for a in range(3) if row[a] != "*"}
        found = naive.candidates(table, shown)
        assert found == sum(naive.matches(row, other) for other in table)
        assert found >= k
        for known in known_sets(3):
            if set(known) <= set(shown):
                assert naive.candidates(table, {a: person[a] for a in known}) >= k


def test_every_table_of_four_people_and_everything_that_may_be_known() -> None:
    """All 330 tables of three columns with two values, k = 2: every person, every set of columns that is known."""
    everybody = list(combinations_with_replacement(list(product("ab", repeat=3)), 4))
    assert len(everybody) == 330
    alone = 0
    for people in everybody:
        rows = [tuple(person) for person in people]
        alike = published(CellSuppression(rounds=2), rows, [KAnonymity(k=2)])
        wild = published(WildcardSuppression(), rows, [WildcardKAnonymity(k=2)])
        pairs = published(SubsetSuppression(), rows, [SubsetKAnonymity(k=2, m=2)])
        for person, row in zip(rows, wild, strict=True):
            for known in known_sets(3):
                known_values = {a: person[a] for a in known}
                assert naive.candidates(alike, known_values) >= 2
                if len(known) <= 2:
                    assert naive.candidates(pairs, known_values) >= 2
                found = naive.candidates(wild, known_values)
                assert found >= 2 or any(row[a] == "*" for a in known)
                alone += found == 1
    assert alone > 0  # the wildcard's promise does not go further


def test_with_a_wildcard_a_suppressed_value_gives_its_person_away() -> None:
    """What the page says: each of the rows matches both, and one person has one candidate."""
    rows = [("1", "2"), ("1", "3")]
    table = published(WildcardSuppression(), rows, [WildcardKAnonymity(k=2)])
    assert sorted(row.count("*") for row in table) == [0, 1]
    assert naive.fewest_matching(table) == 2
    assert min(naive.candidates(table, dict(enumerate(person))) for person in rows) == 1


@given(rows=ROWS, k=st.integers(1, 3), m=st.integers(1, 3))
@settings(max_examples=80, deadline=None)
def test_whoever_knows_m_columns_has_k_candidates(rows: list[Row], k: int, m: int) -> None:
    table = published(SubsetSuppression(), rows, [SubsetKAnonymity(k=k, m=m)])
    for person in rows:
        for known in known_sets(3):
            if len(known) <= m:
                assert naive.candidates(table, {a: person[a] for a in known}) >= k


@given(rows=st.lists(st.tuples(*[st.sampled_from("abcd")] * 4), min_size=6, max_size=14))
@settings(max_examples=40, deadline=None)
def test_several_numbers_of_columns_have_their_own_k(rows: list[Row]) -> None:
    models: list[PrivacyModel] = [SubsetKAnonymity(k=2, m=3), SubsetKAnonymity(k=4, m=1)]
    table = published(SubsetSuppression(), rows, models)
    assert naive.fewest_alike(table, 3) >= 2
    assert naive.fewest_alike(table, 1) >= 4
    stars = sum(row.count("*") for row in table)
    assert stars <= sum(row.count("*") for row in published(CellSuppression(), rows, [KAnonymity(k=4)]))


# -- as methods ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "model"),
    [(SubsetSuppression(), SubsetKAnonymity(k=2, m=2)), (WildcardSuppression(), WildcardKAnonymity(k=2))],
)
def test_sensitive_values_have_no_say_and_nothing_is_drawn(method: RowSuppression, model: PrivacyModel) -> None:
    frame = pl.DataFrame({"a": [*"aabbccd"], "b": [*"xyxyxyx"], "c": [*"1112223"], "s": [*"ppqqrrr"]})
    schema = Schema({name: quasi() for name in "abc"} | {"s": sensitive()})
    seen = set()
    for values in (frame["s"], frame["s"].reverse(), pl.Series("s", ["p"] * 7)):
        release = ny.publish(frame.with_columns(values.alias("s")), schema, privacy=[model], method=method)
        assert release.verification.holds
        assert release.recoding.drawn == ()
        seen.add(tuple(sorted(Counter(release.table.select("a", "b", "c").rows()).items())))
    assert len(seen) == 1


@pytest.mark.parametrize("method", [SubsetSuppression(), WildcardSuppression()], ids=lambda method: method.key)
def test_other_promises_are_refused(method: RowSuppression) -> None:
    with pytest.raises(ParameterError, match=f"{method.key}: k-anonymity: expected only '.*-k-anonymity'"):
        published(method, [("a", "b")] * 4, [KAnonymity(k=2)])


def test_mean_weights_of_classes_are_refused() -> None:
    """A row may be the only one that looks like it, and the mean weight of its class would be its own."""
    frame = pl.DataFrame({"a": [*"aabbcc"], "b": [*"xyxyxy"], "w": [1.0, 2, 3, 4, 5, 6]})
    schema = Schema({"a": quasi(), "b": quasi(), "w": ny.weight(publish="coarsened")})
    for method, model in (
        (SubsetSuppression(), SubsetKAnonymity(k=2, m=1)),
        (WildcardSuppression(), WildcardKAnonymity(k=2)),
    ):
        with pytest.raises(JobError, match="about rows without classes, whose weights have no mean"):
            ny.publish(frame, schema, privacy=[model], method=method)


def test_a_release_is_reported_checked_compared_and_attacked(tmp_path: object) -> None:
    frame, schema = ny.datasets.hospital(rows=300), ny.datasets.hospital_schema()
    release = ny.publish(frame, schema, privacy=[WildcardKAnonymity(k=3)], method=WildcardSuppression(), seed=1)
    folder = f"{tmp_path}/release"
    release.save(folder)
    checked = ny.check(folder)
    assert checked.holds
    assert "* as a wildcard" in checked.promises[0].says
    assert ny.compare(frame, release).value("gcp") > 0
    linkage = next(result for result in ny.risk.attack(release, original=frame).results if result.key == "linkage")
    assert not linkage.exceeds
    assert linkage.highest == 1  # of somebody whose suppressed value is known, as the promise says
    assert "Suppressed cells" in render_report(release, frame)


def test_a_promise_about_one_column_is_a_sentence() -> None:
    assert "knows the value of a person in one column that is" in ny.SubsetKAnonymity(k=3, m=1).promise()
    assert "knows the values of a person in up to 2 columns that are" in ny.SubsetKAnonymity(k=3, m=2).promise()
