"""Releases whose promises count persons: what is refused, certified, checked and warned of."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from cli_fixtures import Run
from nymity.core.errors import TableError
from nymity.publishing.caveats.of_persons import _intersected
from nymity.publishing.jobs.earlier_release import EarlierRelease
from nymity.publishing.running.apply import applied
from nymity.recommending.trial import risk_of

#: Two patients with five visits each.
TWO = pl.DataFrame(
    {
        "patient": ["Ann Meier"] * 5 + ["Bob Kunz"] * 5,
        "age": [34] * 5 + [51] * 5,
        "sex": ["f"] * 5 + ["m"] * 5,
        "diagnosis": ["flu", "cold"] * 5,
    }
)
SCHEMA = {"patient": ny.person(), "age": ny.quasi(), "sex": ny.quasi(), "diagnosis": ny.sensitive()}
K2 = ny.KAnonymity(k=2)


def visits(people: int = 40) -> pl.DataFrame:
    """One to seven visits of each person; age, sex and area are the person's, date and diagnosis the visit's."""
    rows = [
        (f"P{p:03}", 20 + p % 50, "mf"[p % 2], f"area {p % 3}", f"2024-{1 + (p * 7 + v) % 12:02}", "abcd"[(p + v) % 4])
        for p in range(people)
        for v in range(1 + p * 5 % 7)
    ]
    return pl.DataFrame(rows, schema=["patient", "age", "sex", "area", "month", "diagnosis"], orient="row")


VISITS = {
    "patient": ny.person(),
    "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=3)),
    "sex": ny.quasi(),
    "area": ny.quasi(),
    "month": ny.quasi(),
    "diagnosis": ny.sensitive(),
}


def test_two_patients_with_five_visits_are_not_five_people() -> None:
    release = ny.publish(TWO, SCHEMA, privacy=[K2])
    assert "patient" not in release.frame.columns
    assert release.frame.select("age", "sex").n_unique() == 1  # neither can be told from the other
    with pytest.raises(ny.NymityError, match="at most 2, the number of persons"):
        ny.publish(TWO, SCHEMA, privacy=[ny.KAnonymity(k=5)])
    by_records = ny.publish(TWO, {**SCHEMA, "patient": ny.identifying()}, privacy=[ny.KAnonymity(k=5)])
    assert by_records.certificate["unit"] == {"counts": "records"}
    warned = [caveat["warning"] for caveat in by_records.certificate["not_protected"]]
    assert "several-records-of-one-person" in warned


def test_the_certificate_says_what_became_of_persons() -> None:
    table = visits()
    schema = {**VISITS, "month": ny.quasi(level=0)}
    release = ny.publish(table, schema, privacy=[ny.KAnonymity(k=15)], method=ny.OptimalLattice(suppression=0.9))
    unit, links = release.certificate["unit"], release.log.source_rows[~release.log.masked]
    whole: dict[str, list[bool]] = {}
    for row, who in enumerate(table["patient"]):
        whole.setdefault(who, []).append(row in links)
    assert unit["persons"] == 40
    assert unit["touched_by_suppression"] == sum(not all(kept) for kept in whole.values()) > 0
    assert unit["lost_to_suppression"] == sum(not any(kept) for kept in whole.values())
    (promised,) = release.certificate["promised"]
    assert promised["means"].startswith("15-anonymity of persons: ")
    assert "the release alone cannot show it" in promised["verified"]


def test_only_the_custodian_can_see_it(tmp_path: Path) -> None:
    release = ny.publish(visits(), VISITS, privacy=[ny.KAnonymity(k=3)])
    release.save(tmp_path / "release")
    alone = ny.check(ny.open(tmp_path / "release", custodian=tmp_path / "release-custodian"))
    assert alone.answer == "cannot be seen"
    assert "it is about persons" in alone.promises[0].why
    seen = ny.check(ny.open(tmp_path / "release"), original=visits())
    assert seen.answer == "holds"
    assert seen.promises[0].measured == {"k": release.certificate["measured"]["models"][0]["k"]}


def test_a_promise_that_not_even_records_keep_is_broken_without_the_original() -> None:
    release = ny.publish(visits(), VISITS, privacy=[ny.KAnonymity(k=3)])
    few = release.frame.unique(["age", "sex", "area", "month"], maintain_order=True)
    found = ny.check(few, certificate=release.certificate)
    assert found.answer == "does not hold"
    assert "not even the records" in found.promises[0].why


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (("unit",), {"counts": "records"}),
        (("unit", "counts"), "records"),
        (("unit", "persons"), None),
        (("unit", "touched_by_suppression"), 10_000),
        (("unit", "lost_to_suppression"), 10_000),
        (("unit", "persons"), 10**6),
        (("unit", "fewest_in_a_class"), 400),
        (("unit", "summed_over_classes"), 1),
        (("job", "schema", "patient", "role"), "identifying"),
        (("promised", 0, "verified"), None),
        (("promised", 0, "means"), ny.KAnonymity(k=3).promise()),
    ],
)
def test_a_certificate_cannot_be_turned_into_one_about_records(way: tuple[Any, ...], value: object) -> None:
    release = ny.publish(visits(), VISITS, privacy=[ny.KAnonymity(k=3)])
    forged = copy.deepcopy(release.certificate)
    place: Any = forged
    for step in way[:-1]:
        place = place[step]
    place[way[-1]] = value
    try:
        found = ny.check(release.table, certificate=forged)
    except ny.NymityError:
        return
    assert found.answer == "does not hold"


def test_an_original_of_others_is_not_taken() -> None:
    release = ny.publish(visits(), VISITS, privacy=[ny.KAnonymity(k=3)])
    with pytest.raises(ny.NymityError, match="records: the custodian's log names that row"):
        ny.check(release, original=visits(5))
    one = visits().with_columns(pl.lit("the same").alias("patient"))
    assert ny.check(release, original=one).answer == "does not hold"
    for other in (visits().reverse(), pl.concat([visits(), visits().head(50)])):
        found = ny.check(release, original=other)
        assert found.answer == "does not hold"
        assert any("is not the table that the release was made from" in says for says in found.problems)


def test_spaces_and_unicode_forms_tell_nobody_apart() -> None:
    table = TWO.with_columns(pl.Series("patient", ["Zoé", " Zoé", "Zoé ", "Zoe\u0301", "Zoé"] + ["Bob"] * 5))
    assert ny.publish(table, SCHEMA, privacy=[K2]).certificate["unit"]["persons"] == 2


def test_gaps_in_the_person_column_are_refused_or_dropped() -> None:
    table = visits().with_columns(pl.when(pl.int_range(pl.len()) == 3).then(None).otherwise("patient").alias("patient"))
    with pytest.raises(ny.NymityError, match="no missing values"):
        ny.publish(table, VISITS, privacy=[K2])
    release = ny.publish(table, {**VISITS, "patient": ny.person(missing="drop")}, privacy=[K2])
    assert release.certificate["suppressed"]["dropped_for_missing_values"] == 1


def test_spaces_name_nobody() -> None:
    """Ten strangers with flu would be one person beside the one with a cold: half of two, not ten of eleven."""
    table = {"who": [" "] * 10 + ["Ann"], "q": ["1"] * 11, "ill": ["flu"] * 10 + ["cold"]}
    privacy = [ny.FrequencyLDiversity(l=2, attribute="ill")]
    with pytest.raises(ny.NymityError, match="10 of them"):
        ny.publish(table, ROLES, privacy=privacy)
    with pytest.raises(ny.NymityError):
        ny.publish(table, {**ROLES, "who": ny.person(missing="drop")}, privacy=privacy)


@pytest.mark.parametrize(
    ("schema", "privacy", "method", "said"),
    [
        ({**SCHEMA, "age": ny.person()}, [K2], None, "at most one person column"),
        (SCHEMA, [ny.KMatching(k=2)], None, "a model that counts persons"),
        (SCHEMA, [ny.FPrivacy(thresholds={"a": 2, "c": 0.1}, attribute="diagnosis")], None, "thresholds as numbers"),
        (SCHEMA, [K2], ny.SplitCarry(), "a method that counts persons"),
        (SCHEMA, [ny.AverageRisk(limit=0.5)], ny.Mondrian(), "counts the persons of a class"),
        (SCHEMA, [ny.FrequencyLDiversity(l=1.5, attribute="diagnosis")], ny.KMember(), "counts the persons of a class"),
        (SCHEMA, [ny.FPrivacy(thresholds={"flu": 0.9}, attribute="diagnosis")], ny.IterativeRecoding(), "may break it"),
    ],
)
def test_what_cannot_count_persons_is_refused(schema: Any, privacy: Any, method: Any, said: str) -> None:
    with pytest.raises(ny.NymityError, match=said):
        ny.publish(TWO, schema, privacy=privacy, method=method)


def test_whoever_fills_a_class_is_told_and_can_be_limited() -> None:
    rows = [("a", "x")] * 36 + [(who, "y") for who in "bcde"]
    table = pl.DataFrame({"who": [w for w, _ in rows], "q": [1] * 40, "s": [s for _, s in rows]})
    schema = {"who": ny.person(), "q": ny.quasi(), "s": ny.insensitive()}
    release = ny.publish(table, schema, privacy=[ny.KAnonymity(k=5)])
    assert release.certificate["unit"]["largest_share_of_a_class"] == 0.9
    warned = {caveat["warning"]: caveat for caveat in release.certificate["not_protected"]}
    assert "90%" in warned["class-of-one-person"]["says"]
    with pytest.raises(ny.NoSolutionError):
        ny.publish(table, schema, privacy=[ny.KAnonymity(k=5), ny.Dominance(limit=0.5)])


def test_a_column_that_links_the_records_of_a_person_is_told() -> None:
    table = visits().with_columns(("income of " + pl.col("patient")).alias("income"))
    release = ny.publish(table, {**VISITS, "income": ny.insensitive()}, privacy=[ny.KAnonymity(k=3)])
    warned = [caveat for caveat in release.certificate["not_protected"] if "linked" in caveat["warning"]]
    assert [caveat["figures"]["column"] for caveat in warned] == ["income"]


@pytest.mark.parametrize("reader", ["custodian", "recipients", "board"])
def test_pages_speak_of_persons(reader: str, tmp_path: Path, nymity: Run) -> None:
    visits().write_csv(tmp_path / "visits.csv")
    job = tmp_path / "job.toml"
    assert nymity("inspect", str(tmp_path / "visits.csv"), "--job", str(job), "--k", "3").exit_code == 0
    done = nymity("publish", str(job), "--out", str(tmp_path / "release"), "--no-report")
    assert done.exit_code == 0, done.output
    page = tmp_path / "page.html"
    further = ["--job", str(job)] if reader == "custodian" else []
    done = nymity("report", str(tmp_path / "release"), "--for", reader, "--out", str(page), *further)
    assert done.exit_code == 0, done.output
    text = page.read_text(encoding="utf-8")
    assert "3-anonymity of persons" in text
    assert "1,000,000" not in text
    assert reader == "custodian" or re.search(r"rows of \d+ persons", text)
    for who in ("P001", "P017"):
        assert who not in (tmp_path / "release" / "release.csv").read_text(encoding="utf-8")


def test_inspect_tells_persons_by_what_stays_the_same() -> None:
    table = visits().rename({"patient": "code"})
    found = ny.inspect(table)
    assert found.person is not None
    assert found["code"].role == "person"
    assert {"age", "sex", "area"} <= set(found.person.constant)
    assert found.person.most_records == 7


@pytest.mark.parametrize("name", ["area", "store", "code"])
def test_inspect_does_not_take_a_place_for_a_person(name: str) -> None:
    """Places have a city and a state, which follow from each other; people in them differ."""
    n = 600
    table = pl.DataFrame(
        {
            name: [f"z{i % 60}" for i in range(n)],
            "city": [f"c{i % 60 % 12}" for i in range(n)],
            "state": [f"s{i % 60 % 3}" for i in range(n)],
            "age": [20 + i * 7 % 61 for i in range(n)],
            "sex": ["mf"[i // 60 % 2] for i in range(n)],
        }
    )
    assert ny.inspect(table).person is None


def test_one_record_each_needs_no_person_column() -> None:
    table = visits().unique("patient", maintain_order=True)
    assert ny.inspect(table).person is None


def test_inspect_says_loudly_what_records_would_miss(tmp_path: Path, nymity: Run) -> None:
    TWO.write_csv(tmp_path / "two.csv")
    done = nymity("inspect", str(tmp_path / "two.csv"))
    said = " ".join(done.output.split())
    assert "Several records per person: 'patient' has 2 values for 10 records" in said
    assert "10 of them look like 5 records or more, but of fewer people" in said
    data = json.loads(nymity("inspect", str(tmp_path / "two.csv"), "--json").output)
    assert data["person"]["column"] == "patient"


#: Five persons, of whom one has 36 of 40 rows; all have the value of one.
MOST_OF_ONE = {"who": ["a"] * 36 + list("bcde"), "q": ["1"] * 40, "ill": ["flu"] * 40}
ROLES = {"who": ny.person(), "q": ny.quasi(), "ill": ny.sensitive()}


def test_no_page_and_no_attack_takes_rows_for_people(tmp_path: Path) -> None:
    """k = 5 says nothing about which rows are whose: a row picked at random is the one person's in 36 of 40 cases."""
    release = ny.publish(MOST_OF_ONE, ROLES, privacy=[ny.KAnonymity(k=5)])
    release.save(tmp_path / "release")
    numerator, denominator = ny.open(tmp_path / "release").highest_risk or (0, 1)
    assert numerator / denominator == 0.9
    linkage = next(one for one in ny.risk.attack(release, original=MOST_OF_ONE).results if one.key == "linkage")
    assert linkage.limit.chance is None
    limited = ny.publish(MOST_OF_ONE, ROLES, privacy=[ny.Dominance(limit=0.95)])
    linkage = next(one for one in ny.risk.attack(limited, original=MOST_OF_ONE).results if one.key == "linkage")
    assert float(linkage.limit.chance) == 0.95  # type: ignore[union-attr]


def test_what_several_records_of_one_person_tell_together_is_counted() -> None:
    """Ann is in {A, B} and in {A, 0}, her blood group does not change: it is A, though both classes are 2-diverse."""
    table = {"who": ["Ann", "Bob", "Ann", "Cid"], "month": ["1", "1", "2", "2"], "blood": ["A", "B", "A", "0"]}
    schema = {"who": ny.person(), "month": ny.quasi(), "blood": ny.sensitive()}
    release = ny.publish(table, schema, privacy=[ny.FrequencyLDiversity(l=2, attribute="blood")])
    assert release.frame["month"].n_unique() == 2
    told = {caveat["warning"]: caveat for caveat in release.certificate["not_protected"]}
    assert told["values-of-one-person-intersected"]["figures"] == {"column": "blood", "certain": 1}
    changing = {**table, "blood": ["A", "B", "0", "A"]}  # that it does is a secret: the rows are the same
    again = ny.publish(changing, schema, privacy=[ny.FrequencyLDiversity(l=2, attribute="blood")])
    assert again.certificate["not_protected"] == release.certificate["not_protected"]
    other = {**table, "blood": ["A", "B", "A", "B"]}
    release = ny.publish(other, schema, privacy=[ny.FrequencyLDiversity(l=2, attribute="blood")])
    assert all("intersected" not in caveat["warning"] for caveat in release.certificate["not_protected"])


def test_recommended_jobs_name_the_risk_of_persons() -> None:
    release = ny.publish(MOST_OF_ONE, ROLES, privacy=[ny.KAnonymity(k=5)])
    assert (float(risk_of(release).highest), float(risk_of(release).average)) == (0.9, 0.2)


def test_explore_reaches_a_k_of_persons() -> None:
    table = visits()
    roles = {"patient": ny.person(), "age": ny.quasi(), "sex": ny.quasi(), "area": ny.quasi()}
    schema = {**{name: ny.identifying() for name in table.columns}, **roles}
    for promise in (ny.KAnonymity(k=2), ny.LinkedKAnonymity(k=2, knows=2)):
        method = ny.OptimalLattice(suppression=1.0)
        nodes = ny.explore(table, schema, privacy=promise, method=method).frame()
        for row in nodes.iter_rows(named=True):
            levels = {name: row[f"level of {name}"] for name in ("age", "sex", "area")}
            fixed = {**schema, **{name: ny.quasi(level=level) for name, level in levels.items()}}
            if not row["solution"]:
                continue
            release = ny.publish(
                table, fixed, privacy=promise, method=ny.OptimalLattice(suppression=1.0, outliers="remove")
            )
            assert row["k"] == release.certificate["unit"]["fewest_in_a_class"], levels


def test_measure_counts_persons() -> None:
    table = {"who": list("abcde") * 2, "q": ["1"] * 10, "ill": ["flu"] * 5 + list("vwxyz")}
    models = ny.measure(table, ROLES).models
    assert models["k-anonymity"][""] == {"k": 5}
    assert models["prosecutor-risk"][""] == {"limit": 0.2}
    assert models["dominance"][""] == {"limit": 0.2}
    assert models["alpha-k-anonymity"]["ill"] == {"alpha": 1.0, "k": 5}
    assert "k-matching" not in models


def test_earlier_releases_know_a_person_by_the_same_text() -> None:
    """Spaces at the end of names made nobody of the second table one of the first."""
    first = ny.publish(visits(), VISITS, privacy=[ny.KAnonymity(k=3)])
    spaced = visits().with_columns(pl.col("patient") + " ")
    earlier = EarlierRelease(release=first, source=visits())
    later = ny.publish(spaced, VISITS, privacy=[ny.KAnonymity(k=3)], earlier_releases=[earlier])
    assert later.certificate["earlier_releases"][0]["people_in_both"] == 40


@pytest.mark.parametrize("n_values", [2, 5, 70, 200])
def test_what_all_classes_of_a_person_have_is_counted_as_defined(n_values: int) -> None:
    draw = np.random.default_rng(n_values)
    for _ in range(25):
        n = int(draw.integers(1, 60))
        values = [None if code == 0 else f"v{code}" for code in draw.integers(0, n_values, n)]
        rows = pl.DataFrame({"person": draw.integers(0, 8, n), "class": draw.integers(0, 6, n), "value": values})
        held: dict[int, set[Any]] = {}
        classes: dict[int, set[int]] = {}
        for person, number, value in rows.iter_rows():
            held.setdefault(number, set()).add(value)
            classes.setdefault(person, set()).add(number)
        certain = sum(
            len(own) > 1 and min(len(held[c]) for c in own) > 1 and len(set.intersection(*(held[c] for c in own))) == 1
            for own in classes.values()
        )
        assert [one.figures["certain"] for one in _intersected("x", rows)] == ([certain] if certain else [])


def test_measured_links_say_how_much_is_known() -> None:
    table = pl.DataFrame({"patient": list("aabbcc"), "age": [1, 2, 1, 2, 1, 1], "ward": ["x"] * 6})
    schema = ny.Schema({"patient": ny.person(pseudonym="random"), "age": ny.quasi(), "ward": ny.quasi()})
    assert ny.measure(table, schema).models["linked-k-anonymity"][""] == {"k": 1, "knows": "all"}
    release = ny.publish(table, schema, privacy=ny.LinkedKAnonymity(k=3, knows=1))
    (measured,) = release.certificate["measured"]["models"]
    assert (measured["k"], measured["knows"]) == (3, 1)


@pytest.mark.parametrize("role", [ny.person, ny.household])
def test_lists_are_no_names_of_people(role: Any) -> None:
    table = pl.DataFrame({"who": [["a"], ["b"]], "q": [1, 1]})
    with pytest.raises(TableError, match="column 'who': expected one number, date or text"):
        ny.publish(table, {"who": role(), "q": ny.quasi()}, privacy=ny.KAnonymity(k=2))


@pytest.mark.parametrize("nobody", [None, "", "  "])
def test_further_rows_of_nobody_are_no_person(nobody: str | None) -> None:
    """Beside one person of a class they would make two."""
    table = pl.DataFrame({"who": list("abcd"), "q": list("1122")})
    release = ny.publish(table, {"who": ny.person(), "q": ny.quasi()}, privacy=ny.KAnonymity(k=2))
    further = applied(release, pl.DataFrame({"who": ["e", nobody], "q": ["1", "1"]}))
    assert further.verified is None
    assert further.unchecked == "promises count persons, and of 1 row nothing tells whose they are"
    named = applied(release, pl.DataFrame({"who": ["e", "f"], "q": ["1", "1"]}))
    assert named.verified is not None
    assert named.verified.holds
