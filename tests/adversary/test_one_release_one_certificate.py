"""Tables that lead to the same released rows must lead to the same certificate, where these differ in a secret.

The attacker knows everybody's quasi-identifiers and tries every way in which the released rows may have come about. A
certificate that some of these ways would not have had leaves them out, and with them what the rows leave open.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations, permutations
from typing import Any

import pytest

import nymity as ny
from nymity.quality import LOSSES

#: What depends on the custodian's salt or the day.
_SALTED = ("salted_sha256", "hierarchy_sha256", "created")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items() if key not in _SALTED}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _told(releases: Iterable[ny.Release]) -> dict[str, set[str]]:
    """Return the certificates that each released table had."""
    found = defaultdict(set)
    for release in releases:
        found[release.frame.write_csv()].add(json.dumps(_plain(release.certificate), sort_keys=True))
    return found


@pytest.mark.parametrize("loss", sorted(set(LOSSES) - {"classification"}))
@pytest.mark.parametrize("person", [True, False], ids=["persons", "records"])
def test_what_was_lost_does_not_tell_who_is_in_the_table(loss: str, person: bool) -> None:
    """Three of seven people: entropy looks at the values that occur among them."""
    everyone = {"p": list("abcdefg"), "q": list("1112223")}
    roles = {"p": ny.person() if person else ny.identifying(), "q": ny.quasi()}

    def releases() -> Iterable[ny.Release]:
        for chosen in combinations(range(7), 3):
            subset = {name: [column[i] for i in chosen] for name, column in everyone.items()}
            model = ny.DeltaPresence(low=0, high=0.5, subset=subset)
            try:
                yield ny.publish(everyone, roles, privacy=[model], method=ny.OptimalLattice(loss=LOSSES[loss]()))
            except ny.NoSolutionError:
                continue

    found = _told(releases())
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())


def test_several_records_do_not_tell_who_is_in_the_table() -> None:
    """Records 2 and 3 are one patient's, as everybody knows; a warning that somebody has two would name them."""
    everyone, who = {"q": list("11222")}, "vwxxy"
    roles = {"q": ny.quasi(), "patient": ny.identifying()}

    def releases() -> Iterable[ny.Release]:
        for chosen in combinations(range(5), 2):
            subset = {"q": [everyone["q"][i] for i in chosen], "patient": [who[i] for i in chosen]}
            try:
                yield ny.publish(everyone, roles, privacy=ny.DeltaPresence(low=0, high=0.7, subset=subset))
            except ny.NoSolutionError:
                continue

    found = _told(releases())
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())


@pytest.mark.parametrize("unit", ["person", "household"])
def test_whether_an_insensitive_column_is_constant_is_not_told(unit: str) -> None:
    """Rows alone leave four ways to one of the persons' values; that a column is constant would leave one."""
    who = ["a", "a", "b", "c"]
    roles = {
        "who": ny.person() if unit == "person" else ny.household(),
        "q": ny.quasi(),
        "i": ny.insensitive(),
        "s": ny.sensitive(),
    }

    def releases() -> Iterable[ny.Release]:
        for rows in sorted(set(permutations([("i1", "x"), ("i1", "x"), ("i2", "y"), ("i3", "y")]))):
            table = {"who": who, "q": list("1212"), "i": [i for i, _ in rows], "s": [s for _, s in rows]}
            models = [ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="s")]
            try:
                yield ny.publish(table, roles, privacy=models)
            except ny.NoSolutionError:
                continue

    found = _told(releases())
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())


def test_a_column_that_the_job_calls_constant_is_said_to_link() -> None:
    table = {"who": list("aabb"), "q": [1] * 4, "i": list("xxyy")}
    for constant in (True, False):
        roles = {"who": ny.person(), "q": ny.quasi(), "i": ny.insensitive(constant=constant)}
        release = ny.publish(table, roles, privacy=ny.KAnonymity(k=2))
        says = [w["says"] for w in release.certificate["not_protected"] if "linked" in w["warning"]]
        assert len(says) == 1
        assert says[0].startswith("If 'i'") is not constant


@pytest.mark.parametrize(
    "method",
    [ny.Mondrian(), ny.Mondrian(cuts="literal"), ny.Mondrian(cuts="relaxed"), ny.KMember(), ny.SortedGroups()],
    ids=["strict", "literal", "relaxed", "k-member", "sorted-groups"],
)
def test_figures_do_not_tell_how_a_secret_draw_fell(method: Any) -> None:
    """Who of equal records is in which class is drawn: how many persons a class has would tell."""
    who, ages = list("aabcd"), [30, 29, 30, 30, 31]
    roles = {"p": ny.person(), "q": ny.quasi(), "s": ny.sensitive()}
    models = [ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="s")]

    def releases() -> Iterable[ny.Release]:
        for values in sorted(set(permutations("xxyzz"))):
            for _ in range(4):
                table = {"p": who, "q": ages, "s": list(values)}
                yield ny.publish(table, roles, privacy=models, method=method)

    found = _told(releases())
    assert found
    assert all(len(certificates) == 1 for certificates in found.values())
