"""Certificates by persons that were forged, or tell figures that cannot be: what rows and the original show is told."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from checking import checked
from nymity.publishing.checking.check import CheckResult
from nymity.publishing.releases.release import Release

_draw = np.random.default_rng(3)
_WHO = np.sort(_draw.integers(0, 25, 60))
#: One to six visits of 24 persons in 13 households.
VISITS = pl.DataFrame(
    {
        "patient": [f"p{i}" for i in _WHO],
        "home": [f"h{i // 2}" for i in _WHO],
        "sex": _draw.choice(["f", "m"], 25)[_WHO],
        "age": _draw.integers(20, 60, 25)[_WHO],
        "ward": _draw.choice(list("AB"), 60),
        "illness": _draw.choice(list("xyz"), 60),
    }
)
QUASI = {"sex": ny.quasi(), "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=2)), "ward": ny.quasi()}
ILL = {**QUASI, "illness": ny.sensitive()}
#: Everybody, and as many who are in no release.
EVERYBODY = pl.concat([VISITS, VISITS.with_columns(pl.col("patient") + "z")]).select("patient", *QUASI)


def _published(schema: dict[str, Any], privacy: Any, suppression: float = 0.3, **given: Any) -> Release:
    table = given.pop("table", VISITS)
    table = table.select(name for name in table.columns if name in schema)
    return ny.publish(table, schema, privacy=privacy, method=ny.OptimalLattice(suppression=suppression), **given)


@cache
def release(kind: str) -> Release:
    person, shown = ny.person(), ny.person(pseudonym="random")
    diverse = [ny.KAnonymity(k=3), ny.DistinctLDiversity(l=2, attribute="illness"), ny.ProsecutorRisk(limit=0.4)]
    match kind:
        case "hidden":
            return _published({"patient": person, **ILL}, diverse)
        case "suppressed":
            at = {"age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=2), level=1), "ward": ny.quasi(level=0)}
            return _published({"patient": person, **ILL, **at}, diverse, 0.99)
        case "linked":
            fixed = {**QUASI, "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=2), max_level=1)}
            return _published({"patient": shown, **fixed}, ny.LinkedKAnonymity(k=2, knows=2), 0.99)
        case "homes":
            schema = {"patient": person, "home": ny.household(pseudonym="random"), **QUASI}
            return _published(schema, ny.LinkedKAnonymity(k=2, knows="all", of="household"), 0.9)
        case "population":
            return _published({"patient": person, **QUASI}, [ny.KMap(k=3, population=EVERYBODY)])
        case "presence":
            privacy = ny.DeltaPresence(low=0, high=0.7, subset=VISITS.drop("home"))
            return _published({"patient": person, **ILL}, privacy, table=EVERYBODY)
    parents = VISITS.unique("patient", keep="first", maintain_order=True).select("patient", "sex", "age")
    children = VISITS.select("patient", "ward")
    privacy = ny.LinkedKAnonymity(k=2, knows=1)
    return _published({"patient": shown, **QUASI}, privacy, 0.8, table=parents, children=children)


def forged(kind: str, changes: dict[str, Any], *, original: bool = False) -> CheckResult:
    """Check a release with a certificate in which fields, written ``section.field``, are others."""
    made = release(kind)
    certificate = copy.deepcopy(made.certificate)
    for place, value in changes.items():
        *sections, last = (int(step) if step.isdigit() else step for step in place.split("."))
        section: Any = certificate
        for step in sections:
            section = section[step]
        if value is None:
            del section[last]
        else:
            section[last] = value
    if not original:
        return checked(made.frame, certificate=certificate)
    table = VISITS.select(name for name in VISITS.columns if name in made.job.schema)
    return checked(made.frame, certificate=certificate, links=made.log.source_rows, original=table)


KINDS = ("hidden", "suppressed", "linked", "homes", "population", "presence", "children")


@pytest.mark.parametrize("kind", KINDS)
def test_an_honest_certificate_is_believed(kind: str) -> None:
    assert forged(kind, {}).problems == ()
    if kind not in ("population", "presence", "children"):
        found = forged(kind, {}, original=True)
        assert found.problems == ()
        assert found.holds


def test_what_it_suppressed_is_something() -> None:
    for kind in ("suppressed", "linked", "homes"):
        unit = release(kind).certificate["unit"]
        assert 0 < unit["lost_to_suppression"] <= unit["touched_by_suppression"] < unit[unit["counts"]]
    linked = release("linked").certificate["unit"]
    assert linked["lost_to_suppression"] == linked["touched_by_suppression"]


@pytest.mark.parametrize("kind", ["linked", "homes", "children"])
@pytest.mark.parametrize("more", [-1, 1, -100])
def test_pseudonyms_show_how_many_there_are(kind: str, more: int) -> None:
    unit = release(kind).certificate["unit"]
    name = unit["counts"]
    assert forged(kind, {f"unit.{name}": max(0, unit[name] + more)}).problems
    assert forged(kind, {"unit.lost_to_suppression": unit["lost_to_suppression"] + 1}).problems
    assert forged(kind, {"unit.touched_by_suppression": unit["touched_by_suppression"] + 1}).problems
    lost = {f"unit.{one}_suppression": unit[name] for one in ("lost_to", "touched_by")}
    assert forged(kind, lost).problems


@pytest.mark.parametrize("kind", ["hidden", "suppressed", "linked", "homes"])
def test_the_original_shows_who_lost_records(kind: str, tmp_path: Path) -> None:
    made, path = release(kind), tmp_path / "release" / "certificate.json"
    made.save(path.parent)
    honest = json.loads(path.read_text(encoding="utf-8"))
    table = VISITS.select(name for name in VISITS.columns if name in made.job.schema)
    assert ny.check(str(path.parent), original=table).holds
    for name in (honest["unit"]["counts"], "touched_by_suppression", "lost_to_suppression"):
        for more in (-1, 1):
            told = max(0, honest["unit"][name] + more)
            path.write_text(json.dumps({**honest, "unit": {**honest["unit"], name: told}}), encoding="utf-8")
            believed = ny.check(str(path.parent), original=table).problems == ()
            assert believed == (told == honest["unit"][name])


@pytest.mark.parametrize(
    "changes",
    [
        {"unit.largest_share_of_a_class": 7.5},
        {"unit.largest_share_of_a_class": 0.01},
        {"unit.largest_share_of_a_class": 1.0},
        {"unit.largest_share_of_a_class": None},
        {"unit.fewest_in_a_class": None},
        {"unit.summed_over_classes": 99999},
        {"unit.summed_over_classes": 1},
        {"unit.persons": 0},
        {"unit.persons": 61},
        {"unit.touched_by_suppression": 59},
        {"unit.touched_by_suppression": 24, "unit.lost_to_suppression": 24},
        {"measured.models.1.l": 1003},
        {"measured.models.1.l": 1},
        {"measured.models.1.l": None},
        {"measured.models.2.limit": 0.001},
    ],
)
def test_figures_that_cannot_be_are_told(changes: dict[str, Any]) -> None:
    assert forged("hidden", changes).problems


@pytest.mark.parametrize(
    "changes",
    [
        {"population.persons": 1048},
        {"population.persons": 0},
        {"population.records": 0},
        {"population.records": 1, "population.persons": 1},
        {"measured.models.0.k": 1003},
        {"measured.models.0.k": 2},
    ],
)
def test_populations_that_cannot_be_are_told(changes: dict[str, Any]) -> None:
    assert forged("population", changes).problems


@pytest.mark.parametrize("kind", ["linked", "homes", "children"])
def test_random_pseudonyms_were_drawn(kind: str) -> None:
    sources = release(kind).certificate["random_sources"]
    assert sum("pseudonyms" in source for source in sources) == 1
    rest = [source for source in sources if "pseudonyms" not in source]
    assert any("pseudonyms" in says for says in forged(kind, {"random_sources": rest}).problems)
    named = [*release("hidden").certificate["random_sources"], "operating system: pseudonyms"]
    assert any("pseudonyms" in says for says in forged("hidden", {"random_sources": named}).problems)


def test_shifts_of_dates_were_drawn() -> None:
    dated = VISITS.select("patient", "sex").with_columns(day=pl.lit("2024-03-01"))
    schema = {"patient": ny.person(), "sex": ny.quasi(), "day": ny.insensitive(shift="per person", shift_days=30)}
    made = ny.publish(dated, schema, privacy=[ny.KAnonymity(k=3)])
    assert checked(made.frame, certificate=made.certificate).problems == ()
    certificate = {**made.certificate, "random_sources": []}
    assert any("shifts" in says for says in checked(made.frame, certificate=certificate).problems)


@pytest.mark.parametrize("kind", ["linked", "children", "hidden"])
def test_a_column_without_hierarchy_has_one_level_above_its_values(kind: str) -> None:
    columns = release(kind).certificate["columns"]
    flat = [number for number, one in enumerate(columns) if one.get("height") == 1]
    assert flat
    for number in flat:
        assert forged(kind, {f"columns.{number}.height": 1001}).problems


def test_a_promise_about_no_column_is_refused() -> None:
    attribute = {"promised.1.attribute": "zzz", "job.privacy.1.attribute": "zzz"}
    for changes in (attribute, {"promised.1.attribute": "zzz"}):
        with pytest.raises(ny.NymityError, match="no column 'zzz'"):
            forged("hidden", changes)


# -- warnings ---------------------------------------------------------------------------------------------------------


@cache
def filled() -> Release:
    """One person has five of six rows of the only class."""
    table = pl.DataFrame({"who": list("aaaaab"), "sex": ["f"] * 6, "when": ["2024-01-01"] * 6, "ill": list("xyzxyz")})
    schema = {
        "who": ny.person(),
        "sex": ny.quasi(),
        "when": ny.insensitive(shift="per person", shift_days=30),
        "ill": ny.sensitive(),
    }
    return ny.publish(table, schema, privacy=ny.KAnonymity(k=2))


@cache
def intersected() -> Release:
    """Whoever knows that a's illness is the same in both of her classes knows it."""
    rows = [("a", "1", "x"), ("a", "2", "x"), ("b", "1", "y"), ("c", "2", "z"), ("b", "1", "y"), ("c", "2", "z")]
    table = pl.DataFrame(rows, schema=["who", "ward", "ill"], orient="row")
    schema = {"who": ny.person(), "ward": ny.quasi(), "ill": ny.sensitive()}
    return ny.publish(table, schema, privacy=ny.KAnonymity(k=2))


def _warned(made: Release, key: str) -> list[dict[str, Any]]:
    return [one for one in made.certificate["not_protected"] if one["warning"] == key]


def _with_warnings(made: Release, warnings: list[dict[str, Any]], **beside: Any) -> CheckResult:
    certificate = {**copy.deepcopy(made.certificate), "not_protected": warnings}
    return checked(made.frame, certificate=certificate, **beside)


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (filled, "class-of-one-person"),
        (filled, "shifted-dates"),
        (lambda: release("presence"), "values-of-one-person-intersected"),
    ],
)
def test_a_warning_that_follows_from_the_rest_cannot_be_left_out(make: Any, key: str) -> None:
    made = make()
    warnings = made.certificate["not_protected"]
    assert len(_warned(made, key)) == 1
    assert _with_warnings(made, warnings).problems == ()
    without = [one for one in warnings if one["warning"] != key]
    found = _with_warnings(made, without)
    assert any("leaves out a warning" in says for says in found.problems)
    assert key in {one.key for one in found.warnings}  # it is told all the same


def test_figures_of_a_class_of_one_person_are_those_of_the_unit() -> None:
    made = filled()
    warnings = copy.deepcopy(made.certificate["not_protected"])
    (warning,) = [one for one in warnings if one["warning"] == "class-of-one-person"]
    assert warning["figures"] == {"largest_share": pytest.approx(5 / 6)}
    warning["figures"]["largest_share"] = 0.51
    assert _with_warnings(made, warnings).problems
    # and it has no place where nobody has such a share
    hidden = release("hidden")
    assert _with_warnings(hidden, [*hidden.certificate["not_protected"], warning]).problems


@pytest.mark.parametrize("certain", [0, 2, 900, -1])
def test_how_many_values_are_certain_is_compared(certain: int) -> None:
    made = intersected()
    warnings = copy.deepcopy(made.certificate["not_protected"])
    (warning,) = [one for one in warnings if one["warning"] == "values-of-one-person-intersected"]
    assert warning["figures"] == {"column": "ill", "certain": 1}
    assert _with_warnings(made, warnings).problems == ()
    original = {
        "links": made.log.source_rows,
        "original": pl.DataFrame(
            {
                "who": ["a", "a", "b", "c", "b", "c"],
                "ward": ["1", "2", "1", "2", "1", "2"],
                "ill": ["x", "x", "y", "z", "y", "z"],
            }
        ),
    }
    assert _with_warnings(made, warnings, **original).problems == ()
    warning["figures"]["certain"] = certain
    assert _with_warnings(made, warnings).problems  # the words are about another number
    warning["says"] = warning["says"].replace("of 1 of", f"of {certain:,} of")
    assert bool(_with_warnings(made, warnings).problems) == (certain not in range(1, 4))  # there are three persons
    assert _with_warnings(made, warnings, **original).problems
    without = [one for one in warnings if one is not warning]
    assert _with_warnings(made, without, **original).problems


def test_dates_that_were_moved_are_known_to_nobody() -> None:
    days = [f"2024-01-{1 + i:02}" for i in range(12)]
    table = pl.DataFrame({"who": range(12), "sex": ["f", "m"] * 6, "came": days, "left": days})
    moved, plain = ny.insensitive(shift="per person", shift_days=30), ny.insensitive()
    schema = {"who": ny.person(), "sex": ny.quasi(), "came": moved, "left": plain}
    made = ny.publish(table, schema, privacy=ny.KAnonymity(k=2))
    (alone,) = _warned(made, "columns-that-single-out")
    assert list(alone["figures"]["unique_once_known"]) == ["left"]
    assert checked(made.frame, certificate=made.certificate).problems == ()
    made = ny.publish(table.drop("left"), {n: schema[n] for n in ("who", "sex", "came")}, privacy=ny.KAnonymity(k=2))
    assert _warned(made, "columns-that-single-out") == []


@pytest.mark.parametrize("kind", ["hidden", "records"])
def test_the_attack_that_measures_a_search_is_named_where_it_can_be_run(kind: str) -> None:
    made = release("hidden")
    if kind == "records":
        made = _published({"patient": ny.identifying(), **ILL}, [ny.DistinctLDiversity(l=2, attribute="illness")])
    (warning,) = _warned(made, "optimality")
    table = VISITS.select(name for name in VISITS.columns if name in made.job.schema)
    found = ny.risk.attack(made, original=table, attacks=["minimality"])
    assert ("minimality" in warning["says"]) == (not found.not_run)


@pytest.mark.parametrize(
    "method",
    [
        ny.Mondrian(),
        ny.Mondrian(cuts="relaxed"),
        ny.KMember(),
        ny.SortedGroups(),
        ny.IterativeRecoding(),
        ny.Datafly(suppression=0.3),
    ],
    ids=lambda method: f"{method.key} {getattr(method, 'cuts', '')}",
)
def test_honest_certificates_of_other_methods_are_believed(method: Any, tmp_path: Path) -> None:
    table = VISITS.drop("home").with_columns(note=VISITS["ward"], came=pl.lit("2024-01-01"))
    beside = {"note": ny.insensitive(), "came": ny.insensitive(shift="per person", shift_days=9)}
    schema = {"patient": ny.person(), **ILL, **beside}
    ny.publish(table, schema, privacy=[ny.KAnonymity(k=3)], method=method, out=tmp_path / "r")
    assert ny.check(str(tmp_path / "r")).problems == ()
    found = ny.check(str(tmp_path / "r"), original=table)
    assert found.problems == ()
    assert found.holds


def test_what_was_compared_with_the_original_can_be_seen(tmp_path: Path) -> None:
    table = pl.DataFrame({"p": list("aabbcc"), "q": [1] * 6})
    ny.publish(table, {"p": ny.person(), "q": ny.quasi()}, privacy=ny.KAnonymity(k=2), out=tmp_path / "out")

    def unseen(**given: Any) -> set[str]:
        found = ny.check(tmp_path / "out", **given)
        return {one.about for one in found.findings if one.answer == "cannot be seen"}

    assert {"unit", "input"} <= unseen()
    assert not {"unit", "input"} & unseen(original=table)
    other = ny.check(tmp_path / "out", original=table.with_columns(q=pl.Series([1, 1, 1, 1, 1, 2])))
    assert any(one.about == "input" and one.answer == "does not hold" for one in other.findings)
