"""Forged certificates about people: figures that contradict the job or the rows, secrets that are told, warnings.

The forger changes the certificate alone. Whatever the job, the rows or the original contradict must be told.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from checking import checked
from nymity.core.errors import FileError
from nymity.publishing.caveats import ORDER
from nymity.publishing.checking.check import CheckResult
from nymity.publishing.releases.release import Release

#: Two visits of twelve persons in six homes.
VISITS = pl.DataFrame(
    {
        "p": [f"p{i // 2}" for i in range(24)],
        "h": [f"h{i // 4}" for i in range(24)],
        "q": [i % 2 for i in range(24)],
        "place": [(i // 4) % 3 for i in range(24)],
        "s": ["x", "y", "z"] * 8,
    }
)
OTHERS = pl.concat([VISITS, VISITS.with_columns(p=pl.lit("z") + pl.col("p"))])
K3 = ny.KAnonymity(k=3)
Q = {"q": ny.quasi()}
Edit = Callable[[dict[str, Any]], Any]


@cache
def release(kind: str) -> Release:
    person, ill = {"p": ny.person()}, {"s": ny.sensitive()}
    lattice: Any = ny.OptimalLattice(suppression=0.3)
    of_home = ny.LinkedKAnonymity(k=3, knows="all", of="household")
    first = ny.publish(VISITS.select("p", "q"), {**person, **Q}, privacy=K3)
    schema, privacy, method, table, further = {
        "persons": ({**person, **Q, **ill}, [K3, ny.DistinctLDiversity(l=2, attribute="s")], lattice, VISITS, {}),
        "linked": ({**person, **Q}, [ny.LinkedKAnonymity(k=3, knows=2)], lattice, VISITS, {}),
        "homes": ({"h": ny.household(), **Q}, [of_home], lattice, VISITS, {}),
        "entropy": ({**person, **Q, **ill}, [ny.EntropyLDiversity(l=1.2, attribute="s")], lattice, VISITS, {}),
        "member": ({**person, **Q, **ill}, [K3], ny.KMember(), VISITS, {}),
        "presence": (
            {**person, **Q, **ill},
            [ny.DeltaPresence(low=0, high=0.6, subset=VISITS.select("p", "q", "s"))],
            lattice,
            OTHERS,
            {},
        ),
        "k-map": ({**person, **Q}, [ny.KMap(k=3, population=OTHERS.select("p", "q"))], lattice, VISITS, {}),
        "members": (
            {**person, "h": ny.household(), "place": ny.quasi(), "s": ny.insensitive()},
            [K3],
            lattice,
            VISITS,
            {},
        ),
        "records": ({"p": ny.identifying(), **Q}, [K3], lattice, VISITS, {}),
        "earlier": ({**person, **Q}, [K3], lattice, VISITS, {"earlier_releases": [first, "another"]}),
        "earlier drawn": ({**person, **Q}, [K3], ny.KMember(), VISITS, {"earlier_releases": [first]}),
    }[kind]
    table = table.select(name for name in table.columns if name in schema)
    return ny.publish(table, schema, privacy=privacy, method=method, **further)


KINDS = (
    "persons",
    "linked",
    "homes",
    "entropy",
    "member",
    "presence",
    "k-map",
    "members",
    "records",
    "earlier",
    "earlier drawn",
)


def forged(kind: str, edit: Edit, *, original: bool = False, job: bool = False) -> CheckResult:
    made = release(kind)
    certificate = copy.deepcopy(made.certificate)
    edit(certificate)
    given: dict[str, Any] = {"job": made.job} if job else {}
    if original:
        table = VISITS.select(name for name in VISITS.columns if name in made.job.schema)
        given |= {"links": made.log.source_rows, "original": table}
    return checked(made.frame, certificate=certificate, **given)


def measured(place: int = 0, **parameters: Any) -> Edit:
    return lambda told: told["measured"]["models"][place].update(parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_an_honest_certificate_is_believed(kind: str) -> None:
    def nothing(told: dict[str, Any]) -> None:
        del told

    assert forged(kind, nothing).problems == ()
    if kind not in ("presence", "k-map"):
        assert forged(kind, nothing, original=True).problems == ()
        assert forged(kind, nothing, original=True, job=True).problems == ()


@pytest.mark.parametrize("kind", ["linked", "homes"])
@pytest.mark.parametrize(
    "edit",
    [
        *(measured(k=k) for k in (1, 0, -5, 1000)),
        lambda told: told["measured"]["models"][0].pop("k"),
        *(measured(knows=knows) for knows in (9, "nothing", 1)),
        lambda told: told["measured"]["models"][0].pop("knows"),
        measured(m=3),
    ],
)
def test_linked_figures_are_those_of_the_promise(kind: str, edit: Edit) -> None:
    assert forged(kind, edit).problems


def test_linked_units_are_lost_as_a_whole() -> None:
    table = VISITS.select("h", "q").with_columns(q=pl.Series([0, 1, 0, 2] + [0, 1] * 10))
    promise = ny.LinkedKAnonymity(k=3, knows="all", of="household")
    roles = {"h": ny.household(), "q": ny.quasi(max_level=0)}
    made = ny.publish(table, roles, privacy=promise, method=ny.OptimalLattice(suppression=0.5))
    unit = made.certificate["unit"]
    assert unit["lost_to_suppression"] == unit["touched_by_suppression"] > 0
    told = {**made.certificate, "unit": {**unit, "touched_by_suppression": unit["lost_to_suppression"] + 1}}
    assert checked(made.frame, certificate=made.certificate).problems == ()
    assert checked(made.frame, certificate=told).problems


@pytest.mark.parametrize("values", [2, 4, 12])
def test_values_of_a_class_are_counted_in_the_rows(values: int) -> None:
    assert forged("persons", measured(1, l=values)).problems


@pytest.mark.parametrize(
    ("kind", "edit"),
    [
        ("entropy", measured(l=3.0)),
        ("presence", measured(low=0.1, high=0.1)),
        ("presence", lambda told: told["loss"].update(value=0.25)),
        ("presence", lambda told: told["loss"].update(proven_bound=0.25)),
        ("member", measured(k=3)),
        ("earlier drawn", lambda told: told["earlier_releases"][0].update(smallest_group=3)),
        ("earlier drawn", lambda told: told["earlier_releases"][0].update(people_in_both=12)),
        ("earlier drawn", lambda told: told["earlier_releases"][0].update(demanded=3)),
        ("earlier drawn", lambda told: told["earlier_releases"][0].pop("withheld")),
    ],
)
def test_no_secret_is_told(kind: str, edit: Edit) -> None:
    assert forged(kind, edit).problems
    if kind != "presence":
        assert forged(kind, edit, original=True).problems


def test_every_class_is_of_somebody() -> None:
    """A class of one person, whose share is all of it: k-map counts the population, and asks nothing of the class."""
    table = pl.DataFrame({"p": list("aabb"), "q": [1, 1, 2, 2]})
    everybody = pl.DataFrame({"p": list("abcdef"), "q": [1, 2, 1, 2, 1, 2]})
    made = ny.publish(table, {"p": ny.person(), **Q}, privacy=ny.KMap(k=3, population=pl.concat([table, everybody])))
    unit = made.certificate["unit"]
    assert (unit["fewest_in_a_class"], unit["largest_share_of_a_class"]) == (1, 1.0)
    assert checked(made.frame, certificate=made.certificate).problems == ()
    told = {**made.certificate, "unit": {**unit, "fewest_in_a_class": 0}}
    assert checked(made.frame, certificate=told).problems


def warning_of(told: dict[str, Any], key: str) -> dict[str, Any]:
    return next(one for one in told["not_protected"] if one["warning"] == key)


HOMES, SEVERAL = "members-of-one-household-linked", "several-records-of-one-person"


@pytest.mark.parametrize(
    ("kind", "key", "figure"), [("members", HOMES, "fewest_households"), ("records", SEVERAL, "most_records_of_one")]
)
def test_warnings_that_the_original_shows_are_counted_again(kind: str, key: str, figure: str) -> None:
    def drop(told: dict[str, Any]) -> None:
        told["not_protected"].remove(warning_of(told, key))

    def reword(told: dict[str, Any]) -> None:
        one = warning_of(told, key)
        one["says"] = one["says"].replace("fewer than 3", "fewer than 99").replace("24 records", "99 records")

    def recount(told: dict[str, Any]) -> None:
        warning_of(told, key)["figures"][figure] = 1

    for edit in (drop, reword, recount):
        assert forged(kind, edit, original=True, job=True).problems
    assert forged(kind, reword).problems
    assert forged(kind, drop, original=True).problems


def test_a_warning_that_other_figures_would_have_is_told_by_the_original() -> None:
    """Words and figures of another table, as they would be there: only the original tells."""

    def other(told: dict[str, Any]) -> None:
        one, other = warning_of(told, SEVERAL), warning_of(release("records").certificate, SEVERAL)
        figures = {**other["figures"], "different": 11, "most_records_of_one": 3}
        one.update(figures=figures, says=other["says"].replace(" 12 different", " 11 different"))

    assert forged("records", other).problems == ()
    assert forged("records", other, original=True).problems


@pytest.mark.parametrize("kind", ["persons", "records", "member", "presence"])
@pytest.mark.parametrize("key", ORDER)
def test_no_warning_is_made_up(kind: str, key: str) -> None:
    def add(told: dict[str, Any], **figures: Any) -> None:
        made_up = {"warning": key, "says": "Nobody can be found in this table.", "figures": figures}
        told["not_protected"] = sorted(
            [*told["not_protected"], made_up],
            key=lambda one: ORDER.index(one["warning"]) if one["warning"] in ORDER else len(ORDER),
        )

    assert forged(kind, lambda told: add(told, column="nonsense")).problems
    assert forged(kind, lambda told: add(told, column="q")).problems


@pytest.mark.parametrize("figure", ["smallest_group", "people_in_both", "releases", "people_below", "alone"])
def test_what_earlier_releases_leave_is_said_once(figure: str) -> None:
    """Classes by place cross those by q, so that there is something to warn of."""
    first = ny.publish(VISITS.select("p", "place"), {"p": ny.person(), "place": ny.quasi()}, privacy=K3)
    known = ny.EarlierRelease(release=first, source=VISITS.select("p", "place"), name="first")
    table = VISITS.select("p", "q").with_columns(q=(pl.int_range(pl.len()) // 2) % 4)
    made = ny.publish(table, {"p": ny.person(), **Q}, privacy=K3, earlier_releases=[known])
    assert checked(made.frame, certificate=made.certificate).problems == ()
    told = json.loads(json.dumps(made.certificate))
    figures = warning_of(told, "earlier-releases")["figures"]
    figures[figure] += 1
    assert checked(made.frame, certificate=told).problems
    told = json.loads(json.dumps(made.certificate))
    told["not_protected"].remove(warning_of(told, "earlier-releases"))
    assert checked(made.frame, certificate=told).problems


@pytest.mark.parametrize(
    "figures",
    [
        {"smallest_group": 400},
        {"smallest_group": 400, "people_in_both": 500},
        {"people_in_both": 500},
        {"people_in_both": 0},
        {"demanded": 9},
        {"smallest_group_with_all": 400},
        {"smallest_group_with_all": 1},
    ],
)
def test_what_earlier_releases_cannot_leave_is_told(figures: dict[str, int]) -> None:
    first = ny.publish(VISITS.select("p", "place"), {"p": ny.person(), "place": ny.quasi()}, privacy=K3)
    known = ny.EarlierRelease(release=first, source=VISITS.select("p", "place"), name="first")
    table = VISITS.select("p", "q").with_columns(q=(pl.int_range(pl.len()) // 2) % 4)
    made = ny.publish(table, {"p": ny.person(), **Q}, privacy=K3, earlier_releases=[known])
    told = json.loads(json.dumps(made.certificate))
    told["earlier_releases"][0] |= figures
    told["not_protected"] = [one for one in told["not_protected"] if one["warning"] != "earlier-releases"]
    found = checked(made.frame, certificate=told).problems
    assert any("cannot be (earlier_releases)" in one for one in found)


@pytest.mark.parametrize("secrets", [[], ["smallest_group"], ["people_in_both", "smallest_group"], ["nothing"]])
def test_another_list_of_secrets_is_told(secrets: list[str]) -> None:
    def changed(told: dict[str, Any]) -> None:
        told["earlier_releases"][0]["withheld"] = secrets

    assert forged("earlier drawn", changed).problems


def test_a_column_that_tells_values_is_not_at_the_top() -> None:
    def raised(told: dict[str, Any]) -> None:
        told["columns"][0]["level"] = told["columns"][0]["height"]

    assert any("tells values" in one for one in forged("persons", raised).problems)


@pytest.mark.parametrize("figure", ["occurrences", "suppressed", "loss"])
def test_what_became_of_items_has_no_place_in_a_certificate(figure: str) -> None:
    table = pl.DataFrame({"p": range(24), "q": [i % 2 for i in range(24)], "i": [["x", "y"], ["x"], ["y"]] * 8})
    roles = {"p": ny.person(), **Q, "i": ny.items()}
    made = ny.publish(table, roles, privacy=ny.KMAnonymity(k=3, m=2), method=ny.OptimalLattice())
    told = json.loads(json.dumps(made.certificate))
    assert checked(made.frame, certificate=told).problems == ()
    told["items"][figure] = 1
    with pytest.raises(FileError, match=rf"items\.{figure}: expected no such field"):
        checked(made.frame, certificate=told)


def test_warnings_of_names_that_look_alike_are_those_of_the_original(tmp_path: Path) -> None:
    table = pl.DataFrame({"p": ["Ann", "ann", "Bob", "Eve"], "q": [1, 1, 2, 2]})
    ny.publish(table, {"p": ny.person(), **Q}, privacy=ny.KAnonymity(k=2), out=tmp_path / "release")
    path = tmp_path / "release" / "certificate.json"
    honest = json.loads(path.read_text(encoding="utf-8"))
    assert ny.check(path.parent, original=table).holds
    for change in ({"values": 5}, {"values_merged": 2}, {"fewest_in_a_class_merged": 2}, None):
        told = copy.deepcopy(honest)
        one = warning_of(told, "persons-spelled-alike")
        if change is None:
            told["not_protected"].remove(one)
        else:
            one["figures"].update(change)
        path.write_text(json.dumps(told), encoding="utf-8")
        assert ny.check(path.parent, original=table).problems


def test_earlier_releases_of_nobody_here_are_believed() -> None:
    """Of two that were measured one has no person of this table, so that nothing is left with it."""
    others = VISITS.with_columns(p=pl.lit("other ") + pl.col("p"))
    known = [
        ny.EarlierRelease(
            release=ny.publish(table.select("p", "place"), {"p": ny.person(), "place": ny.quasi()}, privacy=K3),
            source=table.select("p", "place"),
            name=name,
        )
        for name, table in (("first", VISITS), ("of others", others))
    ]
    for method in (ny.OptimalLattice(suppression=0.3), ny.KMember()):
        for named in (known, known[1:], known[::-1]):
            made = ny.publish(
                VISITS.select("p", "q"), {"p": ny.person(), **Q}, privacy=K3, method=method, earlier_releases=named
            )
            assert checked(made.frame, certificate=made.certificate).problems == ()


def test_who_people_are_is_named_for_earlier_releases_alone() -> None:
    """Without any, a warning of several records is about the identifying columns, as whoever checks it finds."""
    table = VISITS.with_columns(visit=pl.int_range(pl.len()))
    schema = {"p": ny.identifying(), "visit": ny.identifying(), **Q}
    made = ny.publish(
        table.select("p", "visit", "q"),
        schema,
        privacy=K3,
        method=ny.OptimalLattice(),
        earlier=ny.Earlier(person="visit"),
    )
    given = {"links": made.log.source_rows, "original": table.select("p", "visit", "q")}
    assert checked(made.frame, certificate=made.certificate, **given).problems == ()
