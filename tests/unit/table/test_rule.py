"""Rules: what hierarchies make of values that no column had."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.table.builders import BUILDERS
from nymity.table.hierarchy import Hierarchy
from nymity.table.rule import NOWHERE, Rule

TREE = {"Europe": ["France", "Italy"], "Asia": {"East": ["Japan"], "India": None}}

NUMBERS = st.integers(-40, 130)
DECIMALS = st.integers(-400, 1300).map(lambda n: n / 10)
TEXTS = st.text("ab01", min_size=1, max_size=5)
DAYS = st.dates(dt.date(1990, 1, 1), dt.date(2030, 12, 31))
TIMES = st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2030, 12, 31))
CONCEPTS = st.sampled_from(["France", "Italy", "Japan", "India", "Europe", "East"])

#: A builder of each kind of function, and values it can place.
FUNCTIONS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "width": (Hierarchy.intervals(width=5), NUMBERS),
    "width and levels": (Hierarchy.intervals(width=5, levels=4), NUMBERS),
    "width of decimals": (Hierarchy.intervals(width=2.5, levels=3, origin=0.5), DECIMALS),
    "ends": (Hierarchy.intervals(width=10, levels=3, bottom=18, top=90), NUMBERS),
    "cuts": (Hierarchy.intervals(cuts=[[18, 40, 65], [40]]), NUMBERS),
    "mask": (Hierarchy.masking(), TEXTS),
    "mask from the left": (Hierarchy.masking(side="left", keep_length=False), TEXTS),
    "padded mask": (Hierarchy.masking(pad="0", align="right", steps=(2, 4)), TEXTS),
    "days": (Hierarchy.dates(), DAYS),
    "weeks": (Hierarchy.dates(levels=("week", "month", "year")), DAYS),
    "days as text": (Hierarchy.dates(), DAYS.map(str)),
    "German days": (Hierarchy.dates(format="%d.%m.%Y"), DAYS.map(lambda day: day.strftime("%d.%m.%Y"))),
    "times": (Hierarchy.dates(levels=("day", "month", "year")), TIMES),
    "tree": (Hierarchy.taxonomy(TREE), CONCEPTS),
    "natural order": (Hierarchy.ordering(), NUMBERS),
    "natural order of text": (Hierarchy.ordering(group=3), TEXTS),
    "natural order as sets": (Hierarchy.ordering(labels="set"), TEXTS),
    "random tree": (Hierarchy.random_tree(seed=3), NUMBERS),
    "shuffled": (Hierarchy.shuffled(Hierarchy.intervals(width=5, levels=3), seed=7), NUMBERS),
    "flat": (BUILDERS["flat"](), TEXTS),
    "ages": (Hierarchy.ages(bottom=18, other="other"), NUMBERS),
    "ages with months": (Hierarchy.ages(other="other"), DECIMALS),
    "money": (Hierarchy.money(top=100), NUMBERS),
    "money with cents": (Hierarchy.money(lowest=10), DECIMALS),
    "diagnoses": (
        Hierarchy.icd_10(other="other"),
        st.from_regex(r"[A-Z][0-9]{2}(\.[0-9])?", fullmatch=True),
    ),
    "drugs": (Hierarchy.atc(), st.from_regex(r"[ABCDGHJLMNPRSV][0-9]{2}[A-Z]{2}[0-9]{2}", fullmatch=True)),
    "occupations": (Hierarchy.isco_08(other="other"), st.from_regex(r"[0-9]{1,4}", fullmatch=True)),
    "activities": (Hierarchy.nace(other="other"), st.from_regex(r"[0-9]{2}(\.[0-9]{1,2})?", fullmatch=True)),
    "countries": (Hierarchy.countries(), st.sampled_from(["KE", "FRA", "Japan", "united-states", "TW", "Peru"])),
    "regions": (Hierarchy.nuts(), st.sampled_from(["DE212", "DE21", "FRK26", "AT", "EL30"])),
    "postcodes": (Hierarchy.us_zip(small=("036",)), st.from_regex(r"[0-9]{5}(-[0-9]{4})?", fullmatch=True)),
}

#: Builders whose hierarchies are lists of the job, and the one that leaves them to another.
LISTS = {"file", "rows", "suggested"}


def test_every_builder_is_a_function_or_a_list() -> None:
    assert {builder.key for builder, _ in FUNCTIONS.values()} | LISTS == set(BUILDERS)


def built(name: str, values: list[Any]) -> Hierarchy:
    hierarchy: Hierarchy = FUNCTIONS[name][0].build(pl.Series(values))
    return hierarchy


@pytest.mark.parametrize("name", FUNCTIONS)
@given(data=st.data())
@settings(max_examples=25)
def test_a_rule_says_what_the_hierarchy_says(name: str, data: st.DataObject) -> None:
    """Of every value that is listed, also after a way through a file, and of the missing one."""
    values = data.draw(st.lists(FUNCTIONS[name][1], min_size=1, max_size=12))
    gap = [None] if data.draw(st.booleans()) else []
    hierarchy = built(name, [*values, *gap])
    assert hierarchy.rule is not None
    again = Rule.from_dict(json.loads(json.dumps(hierarchy.rule.to_dict())))
    for row in hierarchy.rows():
        assert hierarchy.rule.row(row[0]) == row
        assert again.row(row[0]) == row
        assert hierarchy.row(row[0]) == row
    assert hierarchy.row(None) == [None] * hierarchy.height + ["*"]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not name.startswith("natural")])
@given(data=st.data())
@settings(max_examples=25)
def test_an_unseen_value_gets_what_it_would_have_got(name: str, data: st.DataObject) -> None:
    """A column that has the value as well leads to the same row, if it leads to as many levels."""
    values = data.draw(st.lists(FUNCTIONS[name][1], min_size=1, max_size=12))
    other = data.draw(FUNCTIONS[name][1])
    hierarchy, wider = built(name, values), built(name, [*values, other])
    text = pl.Series([other]).cast(pl.String)[0] if not isinstance(other, float) else f"{other:g}"
    row = hierarchy.row(text)
    fixed = [] if hierarchy.rule is None or wider.rule is None else [hierarchy.rule.fixed, wider.rule.fixed]
    if fixed[0] == fixed[1]:
        assert row == wider.row(text)
    assert row[0] == text
    assert row[-1] == "*"


@given(st.lists(NUMBERS, min_size=1, max_size=12), DECIMALS)
def test_natural_order_places_what_lies_between_the_ends(values: list[int], other: float) -> None:
    hierarchy = built("natural order", values)
    text = f"{other:g}"
    for level, label in enumerate(hierarchy.row(text)[1:-1], start=1):
        groups: dict[Any, list[int]] = {}
        for row in hierarchy.rows():
            groups.setdefault(row[level], []).append(int(str(row[0])))
        inside = [name for name, members in groups.items() if min(members) <= other <= max(members)]
        assert label == (inside[0] if inside else NOWHERE)


def test_whole_numbers_as_they_are_written() -> None:
    """29.5 is neither within 20-29 nor within 30-39."""
    hierarchy = Hierarchy.intervals(width=10, levels=3).build(pl.Series([20, 41]))
    assert hierarchy.row("25")[1:] == ["20-29", "20-39", "*"]
    assert hierarchy.row("25.5")[1:] == ["20-29", "20-39", "*"]
    assert hierarchy.row("29.5")[1:] == [NOWHERE, "20-39", "*"]


@pytest.mark.parametrize(
    ("builder", "values", "other"),
    [
        (Hierarchy.intervals(width=5, levels=3), [1, 2], "old"),
        (Hierarchy.masking(), ["123", "124"], "1234"),
        (Hierarchy.dates(), ["2020-01-01"], "01.02.2020"),
        (Hierarchy.dates(), [dt.date(2020, 1, 1)], "2020-01-01x"),
        (Hierarchy.taxonomy(TREE), ["France"], "Peru"),
        (Hierarchy.ordering(), [1, 2, 3], "x"),
        (Hierarchy.ordering(labels="set"), [1, 2, 4], "3"),
        (Hierarchy.random_tree(seed=1), [1, 2, *range(4, 30)], "3"),
        (Hierarchy.shuffled(Hierarchy.intervals(width=5, levels=3), seed=7), [1, 2, 4], "3"),
        (Hierarchy.ordering(order=("low", "mid", "high")), ["low"], "middle"),
        (Hierarchy.from_rows([["a", "A", "*"], ["b", "A", "*"]]), ["a"], "c"),
    ],
)
def test_a_value_without_a_place_is_itself_or_everything(builder: Any, values: list[Any], other: str) -> None:
    row = builder.build(pl.Series(values)).row(other)
    assert row[0] == other
    assert row[-1] == "*"
    assert set(row[1:-1]) == {NOWHERE}


def test_a_top_that_is_not_everything_covers_what_is_listed() -> None:
    europe = Hierarchy.from_rows([["France", "Europe"], ["Italy", "Europe"]])
    assert europe.row("Japan") == ["Japan", NOWHERE]
    assert Hierarchy.from_rows([["x"]]).row("y") == ["y"]


def test_groups_that_are_not_published_are_forgotten() -> None:
    hierarchy = Hierarchy.ordering().build(pl.Series([1, 2, 50, 51, 90, 91]))
    assert hierarchy.rule is not None
    left = hierarchy.rule.for_labels({1: {"1 - 2", "50 - 51"}})
    assert "9" not in json.dumps(left.to_dict()).replace("ordering", "")
    assert left.row("51")[1] == "50 - 51"
    assert left.row("90")[1:] == [NOWHERE, NOWHERE, "*"]


def test_a_taxonomy_of_a_file_outlives_it(tmp_path: Any) -> None:
    file = tmp_path / "tree.json"
    file.write_text(json.dumps(TREE))
    hierarchy = Hierarchy.taxonomy(file=str(file)).build(pl.Series(["France"]))
    assert hierarchy.rule is not None
    file.unlink()
    assert Rule.from_dict(hierarchy.rule.to_dict()).row("East") == ["East", "East", "Asia", "*"][:4]


@pytest.mark.parametrize(
    "data",
    [
        {"type": "rows", "rows": [["a", "*"]], "height": 1},
        {"type": "intervals", "width": 5, "height": 2},
        {"type": "intervals", "width": 5, "height": 2, "fixed": {"levels": 3, "whole": True}},
        {"type": "intervals", "width": 5, "height": 2, "fixed": {"levels": True, "whole": True}},
        {"type": "masking", "height": 2, "fixed": {"longest": 10**12}},
        {"type": "dates", "height": 2, "fixed": {"levels": ["century"], "typed": True}},
        {"type": "ordering", "height": 2, "fixed": {"numbers": True, "ends": [[["1"]]]}},
    ],
)
def test_rules_that_are_none(data: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Rule.from_dict(data)
