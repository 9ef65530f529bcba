"""Releases beside a population of persons: k-map and delta-presence, certified and checked; limits of persons."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from cli_fixtures import Run


def visits(people: int, *, first: int = 0) -> pl.DataFrame:
    """One to four visits of each person."""
    rows = [
        (f"P{p:03}", 20 + p % 40, "mf"[p % 2], f"{(p + v) % 3}", "abc"[(p + v) % 3])
        for p in range(first, people)
        for v in range(1 + p % 4)
    ]
    return pl.DataFrame(rows, schema=["who", "age", "sex", "ward", "ill"], orient="row")


SCHEMA = {
    "who": ny.person(),
    "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=3)),
    "sex": ny.quasi(),
    "ward": ny.quasi(),
    "ill": ny.sensitive(),
}
EVERYONE = visits(120)
SAMPLE = EVERYONE.filter(pl.col("who").str.slice(1).cast(pl.Int64) % 3 == 0)


def warned(release: Any) -> set[str]:
    return {caveat["warning"] for caveat in release.certificate["not_protected"]}


@pytest.mark.parametrize("told", [True, False])
def test_k_map_counts_persons_or_says_that_it_does_not(told: bool, tmp_path: Path) -> None:
    population = EVERYONE if told else EVERYONE.drop("who")
    model = ny.KMap(k=8, population=population)
    release = ny.publish(SAMPLE, SCHEMA, privacy=[model], method=ny.OptimalLattice(suppression=0.05))
    assert release.certificate["population"].get("persons") == (120 if told else None)
    assert ("population-counted-by-records" in warned(release)) is not told
    assert "8-map of persons" in release.certificate["promised"][0]["means"]
    release.save(tmp_path / "release")
    opened = ny.open(tmp_path / "release", job=release.job)
    assert ny.check(opened, original=SAMPLE).answer == "holds"
    assert ny.check(ny.open(tmp_path / "release", custodian=tmp_path / "nobody")).answer == "cannot be seen"


def test_the_visits_of_one_person_are_not_k_people_of_the_population() -> None:
    """Ann has nine visits, and nobody else looks like her."""
    everyone = pl.DataFrame({"who": ["Ann"] * 9 + ["Bob"] * 3 + ["Cid"], "age": [30] * 9 + [40] * 4})
    schema = {"who": ny.person(), "age": ny.quasi()}
    release = ny.publish(everyone, schema, privacy=[ny.KMap(k=2, population=everyone)])
    assert release.frame["age"].unique().to_list() == ["*"]
    by_records = ny.publish(everyone, schema, privacy=[ny.KMap(k=2, population=everyone.drop("who"))])
    assert by_records.frame["age"].n_unique() == 2
    assert "population-counted-by-records" in warned(by_records)


def test_presence_is_that_of_persons(tmp_path: Path) -> None:
    model = ny.DeltaPresence(low=0, high=0.5, subset=SAMPLE)
    release = ny.publish(EVERYONE, SCHEMA, privacy=[model], method=ny.OptimalLattice(suppression=0.2))
    found = release.verification.findings[0].measured
    assert 0 < found["high"] <= 0.5  # type: ignore[operator]
    release.save(tmp_path / "release")
    opened = ny.open(tmp_path / "release", job=release.job)
    assert ny.check(opened, original=SAMPLE, source=EVERYONE).answer == "holds"
    results = ny.risk.attack(release, original=SAMPLE, population=EVERYONE).results
    assert all(not one.exceeds for one in results)
    assert all(one.limit.chance is None for one in results if one.key.startswith("membership"))


def test_suppressed_persons_are_counted_where_presence_is_verified() -> None:
    """A class is refused and removed: whoever is outside is one person with two records, of two."""
    everyone = pl.DataFrame({"who": ["a", "a", "b", "c", "d"], "q": ["1", "1", "2", "2", "1"]})
    subset = everyone.filter(pl.col("who").is_in(["a", "b"]))
    schema = {"who": ny.person(), "q": ny.quasi(level=0)}
    model = ny.DeltaPresence(low=0.5, high=0.5, subset=subset)
    release = ny.publish(everyone, schema, privacy=[model], method=ny.OptimalLattice(suppression=1))
    assert release.verification.findings[0].measured == {"low": 0.5, "high": 0.5}


@pytest.mark.parametrize(
    ("place", "value"),
    [(("population", "persons"), None), (("population", "persons"), 7), (("not_protected",), [])],
)
def test_what_is_said_of_the_population_cannot_be_changed_alone(place: tuple[str, ...], value: object) -> None:
    told = place[0] == "population"
    population = EVERYONE if told else EVERYONE.drop("who")
    release = ny.publish(SAMPLE, SCHEMA, privacy=[ny.KMap(k=3, population=population)])
    forged = copy.deepcopy(release.certificate)
    at: Any = forged
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    found = ny.check(ny.open(release.table, certificate=forged, job=release.job, recoding=release.recoding))
    assert found.answer == "does not hold"


def test_gaps_in_the_persons_of_a_population_are_refused() -> None:
    population = EVERYONE.with_columns(pl.when(pl.int_range(pl.len()) == 3).then(None).otherwise("who").alias("who"))
    with pytest.raises(ny.NymityError, match="no missing values"):
        ny.publish(SAMPLE, SCHEMA, privacy=[ny.KMap(k=3, population=population)])


# -- how many persons may lose records --------------------------------------------------------------------------------


#: Sixty persons with nine records each on ward 0; every fifth has one more on a ward of her own, three have a rare sex.
OUTLIERS = pl.DataFrame(
    [
        row
        for p in range(60)
        for row in [(f"P{p:03}", "x" if p < 3 else "mf"[p % 2], "0")] * 9
        + [(f"P{p:03}", "mf"[p % 2], f"w{p}")] * (p % 5 == 0)
    ],
    schema=["who", "sex", "ward"],
    orient="row",
)
WARDS = {"who": ny.person(), "sex": ny.quasi(), "ward": ny.quasi()}


def test_a_limit_of_persons_is_kept_and_certified() -> None:
    """Of the records 39 of 552 are outliers, 7%; of the persons 14 of 60 have them, 23%."""
    touched = {}
    for limit in (None, 0.23, 0.1, 0):
        method = ny.OptimalLattice(suppression=0.08, suppression_persons=limit)
        release = ny.publish(OUTLIERS, WARDS, privacy=[ny.KAnonymity(k=6)], method=method)
        touched[limit] = release.certificate["unit"]["touched_by_suppression"]
        forged = copy.deepcopy(release.certificate)
        forged["unit"]["touched_by_suppression"], forged["unit"]["lost_to_suppression"] = 40, 1
        problems = str(ny.check(release.table, certificate=forged).problems)
        assert ("more persons lost records than its job allows" in problems) == (limit is not None)
    assert touched == {None: 14, 0.23: 12, 0.1: 3, 0: 0}


def test_a_job_file_limits_persons(tmp_path: Path, nymity: Run) -> None:
    visits(60).write_csv(tmp_path / "visits.csv")
    job = tmp_path / "job.toml"
    columns = "".join(f'[schema.{name}]\nrole = "quasi"\n' for name in ("age", "sex", "ward"))
    job.write_text(
        '[source]\npath = "visits.csv"\n'
        f'[schema.who]\nrole = "person"\n{columns}[schema.ill]\nrole = "sensitive"\n'
        '[[privacy]]\nmodel = "k-anonymity"\nk = 3\n'
        '[method]\nname = "optimal-lattice"\nsuppression = 0.5\nsuppression_persons = 0.1\n',
        encoding="utf-8",
    )
    done = nymity("publish", str(job), "--out", str(tmp_path / "release"), "--no-report")
    assert done.exit_code == 0, done.output
    assert ny.open(tmp_path / "release").certificate.unit.touched_by_suppression <= 6  # type: ignore[union-attr]
    text = job.read_text(encoding="utf-8")
    for wrong in ("-1", '"some"', "1.5"):
        job.write_text(text.replace("suppression_persons = 0.1", f"suppression_persons = {wrong}"), encoding="utf-8")
        done = nymity("publish", str(job), "--out", str(tmp_path / "other"), "--no-report")
        assert done.exit_code != 0
        assert "suppression_persons" in done.output
    job.write_text(text.replace('role = "person"', 'role = "identifying"'), encoding="utf-8")
    done = nymity("publish", str(job), "--out", str(tmp_path / "other"), "--no-report")
    assert "suppression_persons" in done.output
    assert "role = 'person'" in " ".join(done.output.split())


def test_report_and_summary_say_how_many_persons_lost_records(tmp_path: Path, nymity: Run) -> None:
    OUTLIERS.write_csv(tmp_path / "visits.csv")
    job = tmp_path / "job.toml"
    job.write_text(
        '[source]\npath = "visits.csv"\n[schema.who]\nrole = "person"\n[schema.sex]\nrole = "quasi"\n'
        '[schema.ward]\nrole = "quasi"\n[[privacy]]\nmodel = "k-anonymity"\nk = 6\n'
        '[method]\nname = "optimal-lattice"\nsuppression = 0.08\nsuppression_persons = 0.23\n',
        encoding="utf-8",
    )
    done = nymity("publish", str(job), "--out", str(tmp_path / "release"))
    assert "of 60 persons 12 lost records (limit 23%)" in " ".join(done.output.split())
    page = (tmp_path / "release-custodian" / "report.html").read_text(encoding="utf-8")
    assert "Of 60 persons 12 lost records to suppression; at most 23% may." in page


def test_linked_rows_lose_whole_persons_and_count_them() -> None:
    schema = {**WARDS, "who": ny.person(pseudonym="random")}
    touched = {}
    for limit in (None, 0.2, 0.04):
        method = ny.OptimalLattice(suppression=0.5, suppression_persons=limit)
        release = ny.publish(OUTLIERS, schema, privacy=[ny.LinkedKAnonymity(k=6, knows=1)], method=method)
        unit = release.certificate["unit"]
        assert unit["touched_by_suppression"] == unit["lost_to_suppression"]
        touched[limit] = unit["touched_by_suppression"]
    assert touched[None] > 12 >= touched[0.2] > 2 >= touched[0.04]
