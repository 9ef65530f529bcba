"""Figures and draws that contradict each other, each changed by itself in an honest certificate."""

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import nymity as ny

TABLE = {
    "p": [f"p{n // 2}" for n in range(48)],
    "x": [(n // 2) % 12 for n in range(48)],
    "y": [n % 2 for n in range(48)],
}


def schema(width: int) -> ny.Schema:
    ages = ny.Hierarchy.intervals(width=width, levels=2)
    return ny.Schema({"p": ny.person(), "x": ny.quasi(ages, min_level=1), "y": ny.quasi()})


@cache
def honest() -> ny.Release:
    earlier = [ny.publish(TABLE, schema(width), privacy=ny.KAnonymity(k=2)) for width in (3, 5)]
    return ny.publish(TABLE, schema(4), privacy=ny.KAnonymity(k=3), earlier_releases=earlier)


def problems(change: Callable[[Any, Any], object]) -> tuple[str, ...]:
    told = copy.deepcopy(honest().certificate)
    change(told["earlier_releases"], next(one for one in told["not_protected"] if one["warning"] == "earlier-releases"))
    return ny.check(honest().frame, certificate=told).problems


def test_the_honest_one_is_believed() -> None:
    assert not problems(lambda entries, warning: None)
    entries = honest().certificate["earlier_releases"]
    assert [one["smallest_group_with_all"] for one in entries] == [2, 2]


@pytest.mark.parametrize(
    "change",
    [
        lambda entries, _: entries[1].update(smallest_group_with_all=1),
        lambda entries, _: entries[1].update(smallest_group_with_all=0),
        lambda entries, _: entries[1].update(smallest_group=None),
        lambda entries, _: entries[1].pop("people_in_both"),
        lambda entries, _: entries[1].update(people_in_both=True),
        lambda entries, _: entries[1].update(people_in_both=0),
        lambda _, warning: warning["figures"].update(smallest_group_knowing_absence=5),
        lambda _, warning: warning["figures"].update(smallest_group_knowing_absence=0),
    ],
)
def test_each_is_noticed(change: Callable[[Any, Any], object]) -> None:
    assert problems(change)


def test_a_certificate_without_promises_is_no_crash() -> None:
    told = copy.deepcopy(honest().certificate)
    told["promised"] = told["job"]["privacy"] = told["measured"]["models"] = []
    assert ny.check(honest().frame, certificate=told).problems


@pytest.mark.parametrize("change", [lambda draws: draws.append(draws[0]), lambda draws: draws.pop(0), list.pop])
def test_draws_are_named_once_each(change: Callable[[list[str]], object]) -> None:
    """Who of equal records is in which class is drawn, and with persons all of it is named, whatever was decided."""
    table = {"p": [f"p{n // 2}" for n in range(24)], "x": [n % 3 for n in range(24)]}
    release = ny.publish(table, {"p": ny.person(), "x": ny.quasi()}, privacy=ny.KAnonymity(k=3), method=ny.KMember())
    told = copy.deepcopy(release.certificate)
    assert not ny.check(release.frame, certificate=told).problems
    change(told["random_sources"])
    assert ny.check(release.frame, certificate=told).problems
