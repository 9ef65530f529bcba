"""Shifted dates: one number of days for each person, true gaps, and a warning that this protects nobody."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import ParameterError, SchemaError, TableError
from nymity.publishing.steps.shifts import unique_gaps
from nymity.table.attribute import Attribute, Role

METHOD = ny.OptimalLattice(suppression=0.2)
DAYS = 50


def visits(*, text: bool = False) -> pl.DataFrame:
    """Four visits of each of twelve persons, the gaps of each another."""
    start = date(2024, 3, 1)
    rows = [
        (f"Zebediah {p:02}", "A", start + timedelta(days=p + v * (p + 1)), start + timedelta(days=p + v * (p + 1) + 2))
        for p in range(12)
        for v in range(4)
    ]
    table = pl.DataFrame(rows, schema=["who", "ward", "admitted", "left"], orient="row")
    return table.with_columns(pl.col("admitted", "left").cast(pl.String)) if text else table


def published(table: pl.DataFrame, pseudonym: Any = "random", *, log: Any = None, key: Any = None, **more: Any) -> Any:
    shifted = ny.insensitive(shift="per person", shift_days=DAYS)
    person = ny.person(pseudonym=pseudonym, pseudonym_key=key, **more)
    schema = ny.Schema({"who": person, "ward": ny.quasi(), "admitted": shifted, "left": shifted})
    promise = ny.KAnonymity(k=3) if pseudonym is None else ny.LinkedKAnonymity(k=3, knows="all")
    return ny.publish(table, schema, privacy=[promise], method=METHOD, log=log)


def dates(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.col(pl.String).exclude("who", "ward").str.to_date())


def moved(release: Any, table: pl.DataFrame) -> dict[str, set[int]]:
    """By how many days the dates of each person were moved, all columns together."""
    found: dict[str, set[int]] = {}
    before, after = dates(table)[release.log.source_rows.tolist()], dates(release.frame)
    for name in ("admitted", "left"):
        for person, old, new in zip(before["who"], before[name], after[name], strict=True):
            found.setdefault(person, set()).add((new - old).days)
    return found


@pytest.mark.parametrize("pseudonym", [None, "random", "keyed"])
@pytest.mark.parametrize("text", [False, True])
def test_one_number_for_each_person(pseudonym: Any, text: bool) -> None:
    table = visits(text=text)
    release = published(table, pseudonym)
    found = moved(release, table)
    assert all(len(days) == 1 and -DAYS <= min(days) <= DAYS for days in found.values())
    assert len({min(days) for days in found.values()}) > 3  # twelve numbers of 101: three or fewer are no draw
    assert release.frame.schema["admitted"] == table.schema["admitted"]


def test_gaps_stay_gaps() -> None:
    table = visits().with_columns(admitted=pl.when(pl.col("who") == "Zebediah 03").then(None).otherwise("admitted"))
    release = published(table, None)
    assert release.frame["admitted"].null_count() == 4


def test_numbers_stay_with_the_custodian(tmp_path: Path) -> None:
    table = visits()
    release = published(table)
    release.save(tmp_path / "out")
    kept = pl.read_parquet(tmp_path / "out-custodian" / "shifts.parquet")
    days = moved(release, table)
    assert {row["person"]: {row["days"]} for row in kept.to_dicts()} == days
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert "operating system: shifts of dates" in certificate["random_sources"]
    assert ny.check(tmp_path / "out").holds
    ny.forget(tmp_path / "out")
    assert not (tmp_path / "out-custodian" / "shifts.parquet").exists()


def test_an_earlier_log_moves_as_before(tmp_path: Path) -> None:
    table = visits()
    first = published(table)
    first.save(tmp_path / "out")
    fewer = table.filter(pl.col("who") != "Zebediah 00")
    for log in (first.log, tmp_path / "out-custodian"):
        again = published(fewer, log=log)
        known = moved(first, table)
        assert all(known[person] == days for person, days in moved(again, fewer).items())


def test_one_key_moves_alike_for_one_recipient_alone(tmp_path: Path) -> None:
    table = visits()
    first = published(table, "keyed", recipient="a")
    first.save(tmp_path / "out")
    key = tmp_path / "out-custodian" / "pseudonym-key.json"
    assert moved(published(table, "keyed", key=key, recipient="a"), table) == moved(first, table)
    assert moved(published(table, "keyed", key=key, recipient="b"), table) != moved(first, table)


class TestTheAttackByGaps:
    def test_it_is_told_where_rows_are_linked(self) -> None:
        table = visits()
        (warning,) = [one for one in published(table).warnings if one.figures.get("column") == "admitted"]
        assert warning.key == "shifted-dates"
        assert warning.figures["persons_with_three_dates"] == warning.figures["with_gaps_of_their_own"] == 12
        warned = [one for one in published(table, None).warnings if one.key == "shifted-dates"]
        (apart,) = [one for one in warned if one.figures.get("column") == "admitted"]
        assert "persons_with_three_dates" not in apart.figures

    def test_by_hand(self) -> None:
        """Persons a and b have gaps of 2 and 3 days, c of 3 and 2, d has one gap alone."""
        days = {"a": [0, 2, 5], "b": [10, 12, 15], "c": [0, 3, 5], "d": [0, 9]}
        rows = [(who, date(2024, 1, 1) + timedelta(days=day)) for who, listed in days.items() for day in listed]
        frame = pl.DataFrame(rows, schema=["who", "date"], orient="row").sample(fraction=1.0, shuffle=True, seed=1)
        assert unique_gaps(frame["date"], frame["who"]) == (1, 3)
        assert unique_gaps(frame["date"].head(1), frame["who"].head(1)) is None


class TestRefused:
    @pytest.mark.parametrize("days", [0, -1, 1.5, 40_000, True])
    def test_days(self, days: Any) -> None:
        with pytest.raises(ParameterError, match="shift_days"):
            ny.insensitive(shift="per person", shift_days=days)

    def test_another_word(self) -> None:
        with pytest.raises(ParameterError, match="shift"):
            ny.insensitive(shift="per row")  # type: ignore[arg-type]

    def test_nobody_to_move_by(self) -> None:
        with pytest.raises(SchemaError, match="a person column"):
            ny.Schema({"a": ny.quasi(), "d": ny.insensitive(shift="per person")})

    def test_two_numbers(self) -> None:
        one, other = (ny.insensitive(shift="per person", shift_days=days) for days in (5, 6))
        with pytest.raises(SchemaError, match="move together"):
            ny.Schema({"who": ny.person(), "a": ny.quasi(), "d": one, "e": other})

    def test_a_column_that_promises_are_about(self) -> None:
        with pytest.raises(SchemaError, match="protects nobody"):
            Attribute(role=Role.QUASI, shift="per person")

    def test_what_is_no_date(self) -> None:
        with pytest.raises(TableError, match="like 2024-05-31") as caught:
            published(visits(text=True).with_columns(admitted=pl.lit("31.5.2024")))
        assert "31.5" not in str(caught.value)
        with pytest.raises(TableError, match="Int"):
            published(visits().with_columns(admitted=pl.lit(3)))


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (pl.Series([date(2020, 1, 1), date(9999, 12, 31)]), 365),
        (pl.Series([date(2020, 1, 1), date(1, 1, 5)]), 5),
        (pl.Series(["2020-01-01", "9999-12-31"]), 1),
        (pl.Series([datetime(2020, 1, 1), datetime(9999, 12, 31, 23)]), 1),
        (pl.Series([datetime(2020, 1, 1), datetime(2262, 4, 1)]).cast(pl.Datetime("ns")), 365),
    ],
    ids=lambda given: str(getattr(given, "dtype", given)),
)
def test_dates_that_a_draw_could_move_out_of_the_calendar_are_refused_whatever_it_is(
    cells: pl.Series, days: int
) -> None:
    table = pl.DataFrame({"p": ["a", "b"], "q": [1, 1], "d": cells})
    roles = {"p": ny.person(), "q": ny.quasi(), "d": ny.insensitive(shift="per person", shift_days=days)}
    for _ in range(4):  # each draws anew
        with pytest.raises(TableError, match=rf"column 'd': expected dates from .* by up to {days} days .*, got 1 "):
            ny.publish(table, roles, privacy=ny.KAnonymity(k=2))
    near = table.with_columns(d=pl.lit(date(2020, 1, 1)))
    assert ny.publish(near, roles, privacy=ny.KAnonymity(k=2)).frame.height == 2
