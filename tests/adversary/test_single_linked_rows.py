"""Linked rows where everybody has one: whoever knows all records of a person finds k pseudonyms that fit.

The attacker knows the quasi-identifiers of every record of the target, the program, the job and the release. Who has
several rows is refused: cells that are published in several ways intersect, and then fewer fit than look alike.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from cli_fixtures import Run
from nymity.core.errors import JobError
from nymity.core.wording import count
from nymity.table.recoding import Recoding
from nymity.table.text import as_text
from strategies import cases

METHODS: tuple[Any, ...] = (
    ny.CellSuppression(),
    ny.GeneralizedSuppression(),
    ny.Mondrian(),
    ny.KMember(),
    ny.SortedGroups(),
    ny.GroupMeans(),
    ny.IterativeRecoding(),
)


def alike(table: pl.DataFrame, quasi: tuple[str, ...]) -> list[tuple[Any, ...]]:
    return list(zip(*(as_text(table[name]).to_list() for name in quasi), strict=True))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_k_pseudonyms_fit_whoever_is_known_and_several_rows_are_refused(data: st.DataObject) -> None:
    case = data.draw(cases(n_sensitive=1, missing=True, max_records=14, weighted=False))
    n, method = case.frame.height, data.draw(st.sampled_from(METHODS))
    people = data.draw(st.lists(st.integers(0, 99), min_size=n, max_size=n, unique=data.draw(st.booleans())))
    ids = [f"p{number}" for number in people]
    table = case.frame.with_columns(pl.Series("who", ids))
    promise = ny.LinkedKAnonymity(k=data.draw(st.integers(1, n)), knows=data.draw(st.sampled_from([1, 2, "all"])))
    schema = {**case.schema, "who": ny.person(pseudonym=data.draw(st.sampled_from(["random", "keyed"])))}
    several = sum(rows > 1 for rows in Counter(ids).values())
    if several:
        with pytest.raises(JobError, match=f"{count(several, 'person')} with several records"):
            ny.publish(table, schema, privacy=[promise], method=method)
        return
    release = ny.publish(table, schema, privacy=[promise], method=method)
    rows, source = alike(release.frame, release.job.schema.quasi), release.log.source_rows.tolist()
    who, shown = table["who"].to_list(), release.frame["who"].to_list()
    assert len({*shown}) == len(shown)
    assert not {*shown} & {*who}
    assert len({*source}) == len(source)  # everybody's one record has one row at most
    for row, place in zip(rows, source, strict=True):
        assert len({whose for whose, other in zip(shown, rows, strict=True) if other == row}) >= promise.k, who[place]
    assert ny.check(release).holds
    if release.frame.height > 1:
        forged = release.frame.with_columns(who=pl.Series([shown[0], shown[0], *shown[2:]]))
        said = [one.says for one in ny.check(forged, certificate=release.certificate).findings if one.answer != "holds"]
        assert any(one.startswith("2 rows are linked with others") for one in said), said


def test_cells_of_two_rows_intersect() -> None:
    """Why they are refused: each row is alike with another person's, and both together fit one age alone."""
    rows = [("a", 30), ("b", 32), ("a", 30), ("c", 28)]
    first, second = {30, 32}, {28, 30}  # what Mondrian may publish of a's rows, each with one of another
    fit = [who for who, age in rows if who == "a" and age in first & second]
    assert fit == ["a", "a"]
    table = pl.DataFrame(rows, schema=["who", "age"], orient="row")
    with pytest.raises(JobError, match=r"one record of each person, got .* and 1 person with several records"):
        ny.publish(
            table,
            {"who": ny.person(pseudonym="random"), "age": "quasi"},
            privacy=ny.LinkedKAnonymity(k=2, knows="all"),
            method=ny.Mondrian(),
        )


FRAME = pl.DataFrame(
    {
        "who": [f"person {i:02}" for i in range(48)],
        "name": [f"n{i}" for i in range(48)],
        "age": [20 + 7 * i % 40 for i in range(48)],
        "sex": ["f" if i % 3 else "m" for i in range(48)],
        "area": ["abcd"[(i * i) % 4] for i in range(48)],
        "income": [1000 + 37 * i % 900 for i in range(48)],
        "rent": [300 + 11 * i % 200 for i in range(48)],
    }
)
ROLES: dict[str, Any] = {
    "who": ny.person(pseudonym="random"),
    "name": "identifying",
    "age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)),
    "sex": "quasi",
    "area": "quasi",
    "income": "insensitive",
    "rent": "insensitive",
}
K3 = ny.LinkedKAnonymity(k=3, knows="all")


@pytest.mark.parametrize("method", [*METHODS, ny.ExactSuppression(), ny.SplitCarry(seconds=0.1)], ids=lambda m: m.key)
def test_the_promise_is_k_anonymity_of_records_then(method: Any, tmp_path: Path) -> None:
    frame = FRAME.head(16)
    linked = ny.publish(frame, ROLES, privacy=K3, method=method, out=tmp_path / "release")
    plain = ny.publish(frame.drop("who"), _without(), k=3, method=method)
    assert linked.loss == pytest.approx(plain.loss)
    assert linked.verification.findings[0].measured == {
        "k": plain.verification.findings[0].measured["k"],
        "knows": "all",
    }
    found = ny.check(tmp_path / "release")
    assert found.holds, found
    assert ny.check(tmp_path / "release", original=frame, job=linked.job).holds
    attacked = ny.risk.attack(linked, attacks=["linked-records"])
    assert "and with a chance of 33" in attacked.results[0].sentence
    further = {
        "release": linked,
        "folder": tmp_path / "release-custodian",
        "recoding": tmp_path / "release-custodian" / "recoding.json",
    }
    for where in further.values():
        with pytest.raises(ny.NymityError, match=r"rows are linked|made of all records"):
            ny.apply(where, frame)
    (tmp_path / "release-custodian" / "seen.json").unlink(missing_ok=True)
    alone = Recoding.load(tmp_path / "release-custodian" / "recoding.json")
    if not alone.no_further:
        with pytest.raises(ny.NymityError, match="rows are linked"):
            alone.apply(frame, unseen="mask")


def _without() -> dict[str, Any]:
    return {name: role for name, role in ROLES.items() if name != "who"}


def test_all_that_a_job_may_combine(tmp_path: Path) -> None:
    release = ny.publish(
        FRAME,
        {**ROLES, "area": "perturbed"},
        privacy=K3,
        method=ny.GeneralizedSuppression(),
        transforms=[
            ny.TopCoding(columns=["income"], fewest=4, shown="limit"),
            ny.Microaggregation(columns=["income", "rent"], k=3),
            ny.PostRandomization(columns=["area"], share=0.6),
        ],
        out=tmp_path / "release",
    )
    assert release.frame.columns == ["who", "age", "sex", "area", "income", "rent"]
    assert min(Counter(alike(release.frame, ("age", "sex"))).values()) >= 3
    assert min(Counter(alike(release.frame, ("income", "rent"))).values()) >= 3
    assert ny.check(tmp_path / "release").holds
    with pytest.raises(JobError, match="with several records"):  # a method refuses before anything is drawn
        ny.publish(
            FRAME.with_columns(who=pl.Series([0, *range(47)])), ROLES, privacy=K3, method=ny.GeneralizedSuppression()
        )


@pytest.mark.parametrize("method", [ny.CellSuppression(), ny.GroupMeans(), ny.IterativeRecoding()], ids=lambda m: m.key)
def test_records_that_are_left_out_are_nobodys_second(method: Any, tmp_path: Path) -> None:
    again = FRAME.head(6).with_columns(sex=pl.lit(None, dtype=pl.String))  # dropped, for their gaps
    nobody = FRAME.tail(4).with_columns(who=pl.lit(None, dtype=pl.String))
    table = pl.concat([FRAME, again, nobody])
    roles = {**ROLES, "sex": ny.quasi(missing="drop"), "who": ny.person(pseudonym="random", missing="drop")}
    release = ny.publish(table, roles, privacy=K3, method=method, out=tmp_path / "release")
    assert release.frame.height == 48
    assert ny.check(tmp_path / "release", original=table, job=release.job).holds
    with pytest.raises(JobError, match="6 persons with several records"):
        ny.publish(table, {**roles, "sex": ny.quasi()}, privacy=K3, method=method)
    with pytest.raises(ny.NymityError, match="no missing values"):  # two gaps are not one person, nor two
        ny.publish(table, {**roles, "who": ny.person(pseudonym="random")}, privacy=K3, method=method)


def test_identifiers_that_are_one_person_are_counted_as_one() -> None:
    with pytest.raises(JobError, match="1 person with several records"):
        ny.publish(
            FRAME.with_columns(who=pl.Series([*FRAME["who"][:47], " person 00 "])),
            ROLES,
            privacy=K3,
            method=ny.CellSuppression(),
        )


def test_households_and_weights(tmp_path: Path) -> None:
    roles = {**_without(), "who": ny.household(pseudonym="keyed"), "income": ny.weight()}
    promise = ny.LinkedKAnonymity(k=3, knows="all", of="household")
    release = ny.publish(FRAME, roles, privacy=promise, method=ny.CellSuppression(), out=tmp_path / "release")
    found = ny.check(tmp_path / "release")
    assert found.holds, found
    means = release.frame.group_by("age", "sex", "area").agg(pl.col("income").n_unique())
    assert means["income"].to_list() == [1] * means.height
    with pytest.raises(JobError, match=r"rows of a household are linked.*1 household with several records"):
        ny.publish(
            FRAME.with_columns(who=pl.Series([0, *range(47)])), roles, privacy=promise, method=ny.CellSuppression()
        )


def test_a_promise_without_pseudonyms_needs_the_original(tmp_path: Path) -> None:
    roles = {**ROLES, "who": ny.person()}
    release = ny.publish(FRAME, roles, privacy=K3, method=ny.Mondrian(), out=tmp_path / "release")
    assert ny.check(tmp_path / "release").answer == "cannot be seen"
    assert ny.check(tmp_path / "release", original=FRAME, job=release.job).holds
    several = FRAME.with_columns(who=pl.Series([0, 0, *range(1, 47)]))
    said = [one.says for one in ny.check(tmp_path / "release", original=several, job=release.job).findings]
    assert any(one.startswith("2 rows are linked with others") for one in said)


@pytest.mark.parametrize(
    ("field", "value"),
    [("persons", 47), ("fewest_in_a_class", 2), ("summed_over_classes", 47), ("touched_by_suppression", 1)],
)
def test_a_certificate_that_counts_fewer_than_rows_is_refused(field: str, value: int, tmp_path: Path) -> None:
    release = ny.publish(FRAME, ROLES, privacy=K3, method=ny.CellSuppression(), out=tmp_path / "release")
    place = tmp_path / "release" / "certificate.json"
    told = json.loads(place.read_text())
    told["unit"][field] = value
    place.write_text(json.dumps(told))
    found = ny.check(release.frame, certificate=place)
    assert not found.holds
    if field != "touched_by_suppression":
        assert any("not each of the persons has one" in one.says for one in found.findings)


@pytest.mark.parametrize("method", [ny.OptimalLattice(), ny.Mondrian()])
def test_two_tables_take_searches_for_one_level_alone(method: Any) -> None:
    parents, children = FRAME.select("who", "sex"), FRAME.select("who", "area")
    roles = {name: ROLES[name] for name in ("who", "sex", "area")}
    job: dict[str, Any] = {"privacy": ny.LinkedKAnonymity(k=2, knows="all"), "method": method, "children": children}
    if isinstance(method, ny.Mondrian):
        with pytest.raises(JobError, match="one level for each column"):
            ny.publish(parents, roles, **job)
    else:
        assert ny.publish(parents, roles, **job).verification.holds


JOB = """
source = "people.csv"

[schema]
who = { role = "person", pseudonym = "random" }
name = { role = "identifying" }
age = { role = "quasi", hierarchy = { type = "intervals", width = 5, levels = 3 } }
sex = { role = "quasi" }
area = { role = "quasi" }
income = { role = "insensitive" }
rent = { role = "insensitive" }

[[privacy]]
model = "linked-k-anonymity"
k = 3
knows = "all"

[method]
name = "generalized-suppression"

[[transforms]]
transform = "additive-noise"
columns = ["income"]
"""


def test_a_job_file_and_the_command_line(nymity: Run, folder: Path) -> None:
    FRAME.write_csv(folder / "people.csv")
    (folder / "job.toml").write_text(JOB, encoding="utf-8")
    done = nymity("publish", "job.toml", "--out", "release")
    assert done.exit_code == 0, done.output
    assert nymity("check", "release").exit_code == 0
    assert (folder / "release" / "about.html").is_file()
    assert nymity("report", "release").exit_code == 0
    refused = nymity("apply", "release-custodian", "people.csv", "--out", "more.csv")
    assert refused.exit_code == 2
    assert "rows are linked" in refused.output.replace("\n", " ")
    pl.concat([FRAME, FRAME.head(2)]).write_csv(folder / "people.csv")
    refused = nymity("publish", "job.toml", "--out", "again")
    assert refused.exit_code == 2
    assert "2 persons with several records" in refused.output.replace("\n", " ")
    assert not (folder / "again").exists()
    shown = pl.read_csv(folder / "release" / "release.csv")
    shown.with_columns(who=pl.Series([shown["who"][1], *shown["who"][1:]])).write_csv(folder / "release/release.csv")
    assert nymity("check", "release").exit_code == 1
