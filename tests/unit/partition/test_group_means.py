"""GroupMeans: k-anonymity of the written table, means from the definition, what is refused."""

from __future__ import annotations

from collections import Counter
from datetime import date
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny

PEOPLE = st.lists(
    st.tuples(
        st.integers(-5, 30), st.sampled_from(["0.5", "1.25", "7"]), st.sampled_from("abc"), st.sampled_from("xy")
    ),
    min_size=6,
    max_size=24,
)
METHODS: list[dict[str, Any]] = [
    {},
    {"levels": {"word": 0}},
    {"levels": {"word": 0, "share": 0}, "variable": 1.5},
    {"medians": ["word"], "variable": 0.5},
]
SCHEMA = {"age": "quasi", "share": "quasi", "word": "quasi", "secret": "sensitive"}


def table_of(people: list[tuple[int, str, str, str]]) -> pl.DataFrame:
    columns = dict(zip(SCHEMA, zip(*people, strict=True), strict=True))
    return pl.DataFrame(columns).with_columns(pl.col("share").cast(pl.Float64))


@settings(deadline=None, max_examples=40)
@given(PEOPLE, st.sampled_from(METHODS), st.integers(2, 3))
def test_each_row_is_one_of_k_and_has_the_centre_of_its_class(
    people: list[tuple[int, str, str, str]], given: dict[str, Any], k: int
) -> None:
    frame = table_of(people)
    release = ny.publish(frame, SCHEMA, k=k, method=ny.GroupMeans(**given))
    rows = release.table.select("age", "share", "word").cast(pl.String).rows()
    assert min(Counter(rows).values()) >= k
    assert release.table.height == frame.height
    source = frame[release.log.source_rows.tolist()]
    for row in set(rows):
        own = source.filter(pl.Series([other == row for other in rows]))
        ages = own["age"].to_list()
        levels = given.get("levels", {})
        # classes with equal cells are one in the release: the mean of the whole is that of its parts
        if release.verification.classes == release.outcome.classes:
            assert Fraction(row[0]) == round(Fraction(sum(ages), len(ages)) * 100) / Fraction(100)
            words = own["word"].to_list()
            if "word" in levels:
                assert row[2] == (words[0] if len(set(words)) == 1 else "*")
            elif "word" in given.get("medians", ()):
                assert row[2] == sorted(words)[(len(words) - 1) // 2]
            else:
                assert words.count(row[2]) == max(map(words.count, words))


@settings(deadline=None, max_examples=15)
@given(PEOPLE)
def test_every_person_has_k_candidates_whatever_is_known(people: list[tuple[int, str, str, str]]) -> None:
    """Whoever knows the program and everybody's numbers knows the classes: k rows of each person's own look alike."""
    frame = table_of(people)
    release = ny.publish(frame, SCHEMA, k=3, method=ny.GroupMeans(levels={"word": 0}))
    rows = release.table.select("age", "share", "word").rows()
    assert all(rows.count(row) >= 3 for row in rows)
    assert not release.outcome.by_values
    again = ny.publish(frame.with_columns(secret=pl.lit("x")), SCHEMA, k=3, method=ny.GroupMeans(levels={"word": 0}))
    assert sorted(map(str, rows)) == sorted(map(str, again.table.select("age", "share", "word").rows()))


def test_means_are_numbers_of_one_text() -> None:
    frame = pl.DataFrame({"x": [1, 1, 2, 90, 91, 93], "y": [date(2020, 1, day) for day in (1, 2, 9, 1, 2, 3)]})
    release = ny.publish(frame, {"x": "quasi", "y": "quasi"}, k=3, method=ny.GroupMeans())
    assert release.table["x"].to_list() == [1.33] * 3 + [91.33] * 3
    assert release.table["x"].dtype == pl.Float64
    assert release.table["y"].cast(pl.String).to_list() == ["2020-01-02"] * 6  # medians, for days
    assert release.certificate["columns"][0]["centres"] is True
    assert "centres-of-groups" in [warning.key for warning in release.warnings]


@pytest.mark.parametrize(
    ("numbers", "medians", "means"),
    [
        ([1, 5, 9, 20, 22, 30, 1000], (5, 30), (8.75, 350.67)),
        ([0.25, 0.5, 9.0, 20.0, 22.0, 30.5, 1000.0], (0.5, 30.5), (7.4375, 350.8333)),
    ],
)
def test_numbers_have_their_median_where_it_is_asked_for(
    numbers: list[float], medians: tuple[float, float], means: tuple[float, float]
) -> None:
    frame = pl.DataFrame({"x": numbers, "w": numbers})
    release = ny.publish(frame, {"x": "quasi", "w": "quasi"}, k=3, method=ny.GroupMeans(medians=["x"]))
    assert release.table["x"].to_list() == [medians[0]] * 4 + [medians[1]] * 3
    assert release.table["x"].dtype == frame["x"].dtype
    assert release.table["w"].to_list() == [means[0]] * 4 + [means[1]] * 3


def test_the_loss_is_what_lies_within_groups() -> None:
    frame = pl.DataFrame({"x": [0, 2, 10, 12]})
    release = ny.publish(frame, {"x": "quasi"}, k=2, method=ny.GroupMeans())
    assert release.loss == pytest.approx(4 / 104)  # SSE of (0, 2), (10, 12) over SST
    everyone = ny.publish(frame, {"x": "quasi"}, k=4, method=ny.GroupMeans())
    assert everyone.loss == 1


def test_t_closeness_merges_what_fails() -> None:
    frame = pl.DataFrame({"x": [*range(12)], "s": ["a"] * 6 + ["b"] * 6})
    models = [ny.KAnonymity(k=3), ny.TCloseness(t=0.2, attribute="s")]
    release = ny.publish(frame, {"x": "quasi", "s": "sensitive"}, privacy=models, method=ny.GroupMeans())
    assert release.outcome.by_values
    for _, rows in release.table.group_by("x"):
        assert abs(Fraction(rows["s"].to_list().count("a"), rows.height) - Fraction(1, 2)) <= Fraction(1, 5)


def test_a_constant_column_stays() -> None:
    frame = pl.DataFrame({"x": [7] * 5, "y": [1, 2, 3, 4, 5]})
    release = ny.publish(frame, {"x": "quasi", "y": "quasi"}, k=2, method=ny.GroupMeans())
    assert release.table["x"].to_list() == [7] * 5


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"levels": {"x": 0}}, "a quasi-identifier without a level"),
        ({"medians": ["nobody"]}, "nobody"),
        ({"medians": "x"}, "a list of names"),
        ({"variable": 0}, "above 0"),
        ({"levels": {"z": 0}}, "'z'"),
    ],
)
def test_wrong_parameters_are_told(given: dict[str, Any], expected: str) -> None:
    with pytest.raises(ny.NymityError, match=expected):
        ny.publish(pl.DataFrame({"x": [1, 2, 3]}), {"x": "quasi"}, k=2, method=ny.GroupMeans(**given))


def test_gaps_and_too_few_records_are_told() -> None:
    with pytest.raises(ny.NymityError, match="missing ones"):
        ny.publish(pl.DataFrame({"x": [1, 2, None]}), {"x": "quasi"}, k=2, method=ny.GroupMeans())
    with pytest.raises(ny.NymityError, match="at most 2, the number of records"):
        ny.publish(pl.DataFrame({"x": [1, 2]}), {"x": "quasi"}, k=3, method=ny.GroupMeans())


def test_it_is_saved_compared_and_not_applied(tmp_path: Any) -> None:
    frame = pl.DataFrame({"x": [1, 1, 2, 90, 91, 93], "w": ["a", "b", "b", "c", "c", "a"]})
    release = ny.publish(frame, {"x": "quasi", "w": "quasi"}, k=3, method=ny.GroupMeans())
    release.save(tmp_path / "release")
    opened = ny.open(tmp_path / "release")
    assert ny.compare(frame, opened).losses[0].value == ny.compare(frame, release).losses[0].value
    assert ny.check(tmp_path / "release").holds
    kept = (tmp_path / "release-custodian" / "recoding.json").read_text(encoding="utf-8")
    assert "93" not in kept  # the greatest value of a class is not published
    with pytest.raises(ny.NymityError, match="a function of a row"):
        ny.apply(release, frame)
    alone = tmp_path / "alone.csv"
    alone.write_bytes((tmp_path / "release" / "release.csv").read_bytes())
    with pytest.raises(ny.NymityError, match="do not tell what they were made of"):
        ny.compare(frame, ny.open(alone, certificate=tmp_path / "release" / "certificate.json"))
