"""Attacks on releases that show which rows are of one person, against counts from the definition."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny


def _visits(seed: int, people: int = 60) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), draw.integers(1, 5, people))
    days = draw.integers(0, 40, len(who)).tolist()
    return pl.DataFrame(
        {
            "who": [f"P{i}" for i in who],
            "ward": draw.integers(0, 3, len(who)),
            "sex": (who % 2).tolist(),
            "day": [date(2024, 1, 1) + timedelta(days=one) for one in days],
        }
    )


def _release(seed: int, knows: int | str, k: int = 2) -> Any:
    schema = {
        "who": ny.person(pseudonym="random"),
        "ward": ny.quasi(),
        "sex": ny.quasi(),
        "day": ny.insensitive(shift="per person", shift_days=30),
    }
    promise = ny.LinkedKAnonymity(k=k, knows=knows)  # type: ignore[arg-type]
    return ny.publish(_visits(seed), schema, privacy=promise, method=ny.OptimalLattice(suppression=0.5))


def _persons(frame: pl.DataFrame) -> dict[str, list[tuple[Any, ...]]]:
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for who, ward, sex in frame.select("who", "ward", "sex").iter_rows():
        rows.setdefault(who, []).append((ward, sex))
    return rows


def _fewest(frame: pl.DataFrame, known: int) -> int:
    """Count from the definition: for every set of rows of a person the persons who have them all."""
    persons = {who: Counter(rows) for who, rows in _persons(frame).items()}
    least = len(persons)
    for rows in _persons(frame).values():
        for size in range(1, min(known, len(rows)) + 1):
            for some in combinations(rows, size):
                asked = Counter(some)
                least = min(least, sum(asked <= other for other in persons.values()))
    return least


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("knows", [1, 2, "all"])
def test_the_highest_chance_is_that_of_the_definition(seed: int, knows: int | str) -> None:
    release = _release(seed, knows)
    for records in (1, 2, 3):
        found = ny.risk.attack(release, attacks=[ny.risk.LinkedRecords(records=records)])["linked-records"]
        assert found.highest == Fraction(1, _fewest(release.frame, records))
        assert found.rate <= found.highest
        covered = knows == "all" or records <= int(knows)
        assert found.promised == (0.5 if covered else None)
        assert not found.exceeds


def test_as_many_records_are_known_as_the_promise_reckons_with() -> None:
    assert "3 records" in ny.risk.attack(_release(1, 3), attacks=["linked-records"])["linked-records"].assumes
    assert "all records" in ny.risk.attack(_release(1, "all"), attacks=["linked-records"])["linked-records"].assumes


def test_more_than_was_promised_finds_more_people() -> None:
    release = _release(2, 1)
    found = ny.risk.attack(release, attacks=["linked-records"])["linked-records"].figures
    by_known = found["mean_chance_by_known_records"]
    assert by_known["1"] < by_known["2"] < by_known["3"] <= by_known["all"]


def test_a_release_that_breaks_its_promise_is_found_out() -> None:
    release = _release(3, 2)
    first = release.frame["who"][0]
    alone = release.frame.filter(pl.col("who") == first).with_columns(pl.lit("X").alias("who"), pl.lit(9).alias("ward"))
    forged = pl.concat([release.frame, alone.select(release.frame.columns).cast(dict(release.frame.schema))])
    found = ny.risk.attack(ny.open(forged, job=release.job), attacks=["linked-records"])["linked-records"]
    assert found.highest == 1
    assert found.exceeds


def test_rows_without_pseudonyms_are_not_linked() -> None:
    schema = {"who": ny.person(), "ward": ny.quasi(), "sex": ny.quasi(), "day": ny.identifying()}
    release = ny.publish(_visits(1), schema, privacy=ny.KAnonymity(k=2))
    found = ny.risk.attack(release, attacks=["linked-records", "date-gaps"])
    assert {one.key: one.reason for one in found.not_run} == {
        "linked-records": "no pseudonym shows which rows are of one person",
        "date-gaps": "no dates are shifted",
    }


def test_days_between_columns_of_one_row_tell_people_apart() -> None:
    """One row each, and nothing links rows: days from birth to admission do not change by a shift."""
    draw, n = np.random.default_rng(1), 60
    born = [date(1940, 1, 1) + timedelta(days=int(one)) for one in draw.integers(0, 20_000, n)]
    came = [date(2024, 1, 1) + timedelta(days=int(one)) for one in draw.integers(0, 300, n)]
    table = pl.DataFrame({"who": range(n), "sex": [i % 2 for i in range(n)], "born": born, "came": came})
    moved = ny.insensitive(shift="per person", shift_days=100)
    schema = {"who": ny.person(), "sex": ny.quasi(), "born": moved, "came": moved}
    found = ny.risk.attack(ny.publish(table, schema, privacy=ny.KAnonymity(k=2)), attacks=["date-gaps"])["date-gaps"]
    days = Counter((b - a).days for a, b in zip(born, came, strict=True))
    assert found.n == n
    assert found.rate == pytest.approx(len(days) / n)


def test_days_between_dates_are_those_of_a_person_not_of_a_household() -> None:
    """Members were moved apart, so the days between their dates are none that anybody knows."""
    n = 8
    days = [date(2024, 1, 1) + timedelta(days=i * i) for i in range(n)]
    table = pl.DataFrame({"who": range(n), "home": [i // 2 for i in range(n)], "sex": ["x"] * n, "came": days})
    moved = ny.insensitive(shift="per person", shift_days=30)
    schema = {"who": ny.person(), "home": ny.household(pseudonym="random"), "sex": ny.quasi(), "came": moved}
    privacy = ny.LinkedKAnonymity(k=2, knows="all", of="household")
    found = ny.risk.attack(ny.publish(table, schema, privacy=privacy), attacks=["date-gaps"])
    assert "two dates" in {one.key: one.reason for one in found.not_run}["date-gaps"]
    table, schema = table.with_columns(left=table["came"].dt.offset_by("3d")), {**schema, "left": moved}
    found = ny.risk.attack(ny.publish(table, schema, privacy=privacy), attacks=["date-gaps"])
    assert found["date-gaps"].n == n  # each row by itself, and all stayed for three days
    assert found["date-gaps"].rate == pytest.approx(1 / n)


@pytest.mark.parametrize("seed", range(3))
def test_days_between_dates_are_counted_as_defined(seed: int) -> None:
    release = _release(seed, 1)
    gaps = []
    for _, rows in release.frame.group_by("who"):
        days = sorted(date.fromisoformat(str(one)[:10]).toordinal() for one in rows["day"])
        if len(days) > 1:
            gaps.append(tuple(b - a for a, b in pairwise(days)))
    alike = Counter(gaps)
    found = ny.risk.attack(release, attacks=["date-gaps"])["date-gaps"]
    assert found.n == len(gaps)
    assert found.rate == pytest.approx(sum(1 / alike[one] for one in gaps) / len(gaps))
    assert found.highest == Fraction(1, min(alike.values()))
    assert found.promised is None


def test_too_many_sets_of_records_are_not_looked_at() -> None:
    table = pl.DataFrame({"who": ["a"] * 60 + ["b"] * 60, "ward": [1] * 120})
    schema = {"who": ny.person(pseudonym="random"), "ward": ny.quasi()}
    release = ny.publish(table, schema, privacy=ny.LinkedKAnonymity(k=2, knows=1))
    found = ny.risk.attack(release, attacks=[ny.risk.LinkedRecords(records=12)])
    assert "too many to look at" in found.not_run[0].reason
