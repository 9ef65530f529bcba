"""The bar that suggested roles have to reach, on tables whose roles were labelled by hand."""

from __future__ import annotations

import statistics
from functools import cache

import polars as pl
import pytest

from nymity.publishing.preparing.inspect import Inspection, inspect

from .left_out import without, words_of_one_table
from .lookalikes import lookalikes
from .scores import Judged, judge, score
from .stars import share_of_stars
from .tables import Labelled, labelled_tables

TABLES = labelled_tables()
LOOKALIKES = lookalikes()
#: Numbers of people that a code book calls by a number, or that start again in each session.
NUMBERED_BY_CODE_BOOKS = {"dhs.v002", "speed_dating.idg", "speed_dating.partner"}
#: Always there, and small.
GENERATED = [table for table in TABLES if table.source.startswith(("generated:", "export:"))]
OTHERS = [table for table in TABLES if table not in GENERATED]


@cache
def looked_at(name: str) -> tuple[pl.DataFrame, Inspection]:
    return next(table for table in TABLES if table.name == name).load()


def judged(table: Labelled) -> list[Judged]:
    if table.absent:
        pytest.skip(table.absent)
    return judge(table, looked_at(table.name)[1])


@cache
def judged_lookalike(name: str) -> list[Judged]:
    table = next(table for table in LOOKALIKES if table.name == name)
    return judge(table, table.load()[1])


@pytest.mark.parametrize("table", TABLES, ids=lambda one: one.name)
def test_every_column_is_labelled_once(table: Labelled) -> None:
    if table.absent:
        pytest.skip(table.absent)
    assert list(table.columns) == looked_at(table.name)[0].columns


@pytest.mark.parametrize("table", TABLES, ids=lambda one: one.name)
def test_no_table_is_dangerous_or_mostly_wrong(table: Labelled) -> None:
    """What must not be published is never suggested to be; and no single table may be far below the bar."""
    found = score(judged(table))
    assert not found.dangerous
    assert found.quasi_as_insensitive == 0
    assert found.accepted >= 0.7, str(found)


@pytest.mark.parametrize("table", TABLES, ids=lambda one: one.name)
def test_no_table_is_dangerous_in_another_order_or_with_fewer_records(table: Labelled) -> None:
    if table.absent:
        pytest.skip(table.absent)
    frame = looked_at(table.name)[0]
    some = frame.gather_every(frame.height // 1000 + 1).select(reversed(frame.columns))
    assert not score(judge(table, inspect(some))).dangerous


@pytest.mark.parametrize("tables", [GENERATED, TABLES], ids=["generated", "all that are here"])
def test_the_bar(tables: list[Labelled]) -> None:
    found = score([one for table in tables if not table.absent for one in judged(table)])
    assert found.dangerous == ()
    assert found.accepted >= 0.90, str(found)
    assert found.mean_over_kinds >= 0.80, str(found)
    assert found.needless <= 0.10, str(found)
    assert found.quasi_as_insensitive <= 0.01, str(found)


@pytest.mark.parametrize("table", LOOKALIKES, ids=lambda one: one.name)
def test_no_lookalike_is_dangerous(table: Labelled) -> None:
    found = score(judged_lookalike(table.name))
    assert set(found.dangerous) <= NUMBERED_BY_CODE_BOOKS


def test_the_bar_on_lookalikes_of_well_known_tables() -> None:
    found = score([one for table in LOOKALIKES for one in judged_lookalike(table.name)])
    assert set(found.dangerous) == NUMBERED_BY_CODE_BOOKS
    assert found.accepted >= 0.90, str(found)
    assert found.mean_over_kinds >= 0.85, str(found)
    assert found.needless <= 0.10, str(found)
    assert found.quasi_as_insensitive <= 0.01, str(found)


def test_words_of_one_table_are_not_what_carries_it() -> None:
    """Without the words that only its own columns have, no table becomes dangerous and most columns stay right."""
    here = [table for table in TABLES if not table.absent]
    found: list[Judged] = []
    own = words_of_one_table(here)
    for table in GENERATED:
        with without(own[table.name]):
            found += judge(table, table.load()[1])
    result = score(found)
    assert any(own[table.name] for table in GENERATED)
    assert result.dangerous == ()
    assert result.accepted >= 0.85, str(result)
    assert result.quasi_as_insensitive <= 0.01, str(result)


def test_unedited_starter_jobs_leave_something() -> None:
    """In the median at most 30% of the cells of quasi-identifiers are ``*``, and every job can be run."""
    shares = {table.name: share_of_stars(*looked_at(table.name)) for table in GENERATED}
    assert not [why for _, why in shares.values() if why.startswith("failed")]
    assert statistics.median(share for share, _ in shares.values()) <= 0.3, shares


def test_questions_are_asked_by_what_is_at_stake() -> None:
    """What may name people comes before what is at most coarser or finer than needed."""
    for table in GENERATED:
        asked = looked_at(table.name)[1].questions
        assert [column.stake for column in asked] == sorted((column.stake for column in asked), reverse=True)
        assert all(column.is_question and column.confidence < 0.71 for column in asked)


def test_the_scorer_can_find_fault() -> None:
    """Every figure falls where suggestions are wrong: all quasi, all insensitive, all asked."""
    labels = {"name": "identifying", "age": "quasi", "hiv": "sensitive", "version": "insensitive"}

    def scored(suggested: str, *, asked: bool = False) -> object:
        return score(
            [
                Judged(
                    table="t",
                    column=name,
                    labels=frozenset(["to drop" if label == "identifying" else label]),
                    suggested=suggested,
                    asked=asked,
                )
                for name, label in labels.items()
            ]
        )

    quasi, open_, asked = scored("quasi"), scored("insensitive"), scored("quasi", asked=True)
    assert (quasi.right, quasi.mean_over_kinds, quasi.dangerous) == (0.25, 0.25, ("t.name",))
    assert open_.quasi_as_insensitive == 1
    assert (asked.accepted, asked.needless, asked.dangerous) == (1, 0.25, ("t.name",))
