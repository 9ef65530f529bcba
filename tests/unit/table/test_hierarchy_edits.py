"""Hierarchies changed by hand: what is moved keeps what is below it, and every result is a hierarchy."""

from __future__ import annotations

import random

import pytest

from nymity import Hierarchy
from nymity.core.errors import InputError
from nymity.table.hierarchy_edits import merged, moved, renamed, split, with_level, without_level

ROWS = [["a", "A", "L", "*"], ["b", "A", "L", "*"], ["c", "C", "L", "*"], ["d", "D", "R", "*"], [None, None, None, "*"]]


@pytest.fixture
def hierarchy() -> Hierarchy:
    return Hierarchy.from_rows(ROWS)


def test_values_and_groups_are_moved(hierarchy: Hierarchy) -> None:
    assert moved(hierarchy, 0, ["a"], "D").row("a") == ["a", "D", "R", "*"]
    both = moved(hierarchy, 1, ["A"], "R")
    assert both.row("a") == ["a", "A", "R", "*"]
    assert both.row("b") == ["b", "A", "R", "*"]
    assert both.row("c") == ["c", "C", "L", "*"]


def test_groups_are_renamed_and_merged(hierarchy: Hierarchy) -> None:
    assert renamed(hierarchy, 2, "L", "left").row("c") == ["c", "C", "left", "*"]
    assert renamed(hierarchy, 1, "A", "D").row("a") == ["a", "D", "R", "*"]
    assert merged(hierarchy, 1, ["A", "C"], "D").row("c") == ["c", "D", "R", "*"]


def test_groups_are_split(hierarchy: Hierarchy) -> None:
    apart = split(hierarchy, 0, ["b"], "B")
    assert apart.row("b") == ["b", "B", "L", "*"]
    assert apart.row("a") == ["a", "A", "L", "*"]


def test_levels_come_and_go(hierarchy: Hierarchy) -> None:
    assert with_level(hierarchy).row("a") == ["a", "A", "L", "L", "*"]
    assert without_level(hierarchy, 1).row("a") == ["a", "L", "*"]


@pytest.mark.parametrize(
    "change",
    [
        lambda h: moved(h, 0, ["nobody"], "A"),
        lambda h: moved(h, 0, ["a"], "nothing"),
        lambda h: moved(h, 0, [], "A"),
        lambda h: moved(h, 3, ["*"], "*"),
        lambda h: renamed(h, 0, "a", "x"),
        lambda h: renamed(h, 3, "*", "x"),
        lambda h: renamed(h, 1, "A", " "),
        lambda h: split(h, 0, ["a"], "C"),
        lambda h: split(h, 2, ["L"], "new"),
        lambda h: without_level(h, 0),
        lambda h: without_level(h, 3),
    ],
)
def test_what_cannot_be_is_refused(hierarchy: Hierarchy, change: object) -> None:
    with pytest.raises(InputError):
        change(hierarchy)


def test_random_moves_keep_every_value(hierarchy: Hierarchy) -> None:
    draw, now = random.Random(5), hierarchy
    for _ in range(200):
        level = draw.randrange(0, now.height - 1)
        known = [label for label in now.labels[level] if label is not None]
        above = [label for label in now.labels[level + 1] if label is not None]
        now = moved(now, level, [draw.choice(known)], draw.choice(above))
        assert sorted(map(str, now.values)) == sorted(map(str, hierarchy.values))
        assert now.labels[-1] == ("*",)
