"""The custodian's report of a release whose promises count persons; so do the commands on its table."""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from cli_fixtures import Run
from nymity.core.wording import percent
from nymity.report import Findings, render_about, render_board, render_report
from nymity.report.distribution import pooled
from nymity.report.holders import Holders
from nymity.report.ladder import example_path
from nymity.risk.individual_risk import expected_inverse
from nymity.table.hierarchy import Hierarchy

JOB = """
[source]
path = "visits.csv"
[schema.patient]
role = "person"
[schema.age]
role = "quasi"
[[privacy]]
model = "k-anonymity"
k = 2
"""


def test_risks_are_those_of_persons() -> None:
    """Ann has nine of ten visits of a class: one over its size says 10% where a guess is right nine times in ten."""
    table = pl.DataFrame({"patient": ["Ann"] * 9 + ["Bob"], "age": [30] * 10})
    release = ny.publish(table, {"patient": ny.person(), "age": ny.quasi()}, privacy=ny.KAnonymity(k=2))
    page = render_report(release, table)
    assert ">90%" in page
    assert "Smallest class, in persons" in page
    assert ">10%" not in page
    assert "Every class was large enough already" not in page


@pytest.mark.parametrize("command", ["measure", "risk"])
def test_commands_say_that_they_count_records(command: str, tmp_path: Path, nymity: Run) -> None:
    (tmp_path / "visits.csv").write_text("patient,age\n" + "Ann,30\n" * 9 + "Bob,30\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    job = str(tmp_path / "job.toml")
    assert nymity("publish", job, "--out", str(tmp_path / "out"), "--no-report").exit_code == 0
    released = str(next((tmp_path / "out").rglob("release.csv")))
    told = nymity(command, released, "--job", job)
    assert "records are counted here, not persons" in " ".join((told.stdout + told.stderr).split())
    answer = json.loads(nymity(command, released, "--job", job, "--json").stdout)
    assert answer["counts"] == "records"
    raw = json.loads(nymity(command, str(tmp_path / "visits.csv"), "--job", job, "--json").stdout)
    assert raw["counts"] == "persons"


def words(page: str) -> str:
    """What a page says, without marks."""
    bare = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.S)
    return " ".join(unescape(bare).split())


def visits(seed: int, persons: int = 40) -> pl.DataFrame:
    draw = random.Random(seed)
    rows = [
        (who, draw.randint(0, 3), draw.randint(0, 1)) for who in range(persons) for _ in range(draw.choice([1, 2, 9]))
    ]
    return pl.DataFrame(rows, schema=["who", "q", "sex"], orient="row").with_columns(
        w=(pl.col("who") * 7 % 50 + 2).cast(pl.Float64)
    )


def board(release: Any, table: pl.DataFrame, folder: Path) -> str:
    release.save(folder / "release")
    return words(render_board(folder / "release", Findings.of(release, table)))


def test_the_board_reads_what_the_averages_are_of(tmp_path: Path) -> None:
    table = visits(1).drop("w")
    roles = {"who": ny.person(), "q": ny.quasi(), "sex": ny.quasi()}
    release = ny.publish(table, roles, privacy=[ny.KAnonymity(k=2)])
    page = board(release, table, tmp_path)
    owners = table["who"].gather(release.log.source_rows).to_list()
    classes = defaultdict(list)
    for who, *cells in zip(owners, release.frame["q"], release.frame["sex"], strict=True):
        classes[tuple(cells)].append(who)
    over_persons = percent(len(classes), sum(len(set(those)) for those in classes.values()))
    share = sum(sum(n * n for n in Counter(those).values()) / len(those) for those in classes.values())
    assert percent(share / len(owners)) != over_persons
    assert "on average over rows" not in page
    label = "one over the persons of a group, on average over those of all groups"
    assert re.search(rf"{label} \S+ {re.escape(over_persons)} ", page)


@pytest.mark.parametrize("method", [ny.KMember(), ny.SortedGroups()])
def test_what_is_not_told_of_drawn_classes_is_called_so(method: Any, tmp_path: Path) -> None:
    table = visits(2).drop("w")
    release = ny.publish(
        table, {"who": ny.person(), "q": ny.quasi(), "sex": ny.quasi()}, privacy=[ny.KAnonymity(k=2)], method=method
    )
    page = board(release, table, tmp_path)
    assert "No record is published" not in page
    assert re.search(r"groups of rows of one person alone \d+ not told", page)
    about = words(render_about(tmp_path / "release"))
    for text in (page, about):
        assert "How many people look alike would tell how the draw fell" in text
        assert "who is in the table, and is not told" not in text
    report = words(render_report(release, table))
    told = set(re.findall(r"(\d+) classes", report)) | set(re.findall(r"Classes \d+ → (\d+)", report))
    assert told == {str(release.certificate["measured"]["classes"])}


def test_what_is_not_told_of_presence_is_called_so(tmp_path: Path) -> None:
    """The only class is of one person: nought such groups would be false."""
    people = pl.DataFrame({"who": ["f", "f", "g"], "q": [0, 0, 0]})
    release = ny.publish(
        people,
        {"who": ny.person(), "q": ny.quasi()},
        privacy=[ny.DeltaPresence(low=0, high=0.5, subset=people.head(2))],
        method=ny.OptimalLattice(suppression=0),
    )
    page = board(release, people, tmp_path)
    assert "No record is published" not in page
    assert re.search(r"groups of rows of one person alone \d+ not told", page)
    assert "would tell who is in the table, and is not told" in page
    assert "would tell who is in the table, and is not told" in words(render_about(tmp_path / "release"))
    report = words(render_report(release, people.head(2)))
    for nothing in ("1 or more were promised", "1 persons or more", "fewer than 1 original"):
        assert nothing not in report


def test_a_household_is_no_person(tmp_path: Path) -> None:
    homes = pl.DataFrame({"home": list("aabbcc"), "q": [1, 2] * 3})
    roles = {"home": ny.household(pseudonym="random"), "q": ny.quasi()}
    promise = ny.LinkedKAnonymity(k=3, knows="all", of="household")
    ny.publish(homes, roles, privacy=[promise]).save(tmp_path / "release")
    about = words(render_about(tmp_path / "release"))
    assert "pick the right household is one in 3" in about
    assert "the right person" not in about


@pytest.mark.parametrize("publish", ["coarsened", "as it is", "dropped"])
def test_individual_risk_of_the_release_is_that_of_persons(publish: Any) -> None:
    table = visits(4)
    roles = {"who": ny.person(), "q": ny.quasi(), "sex": ny.quasi(), "w": ny.weight(publish=publish)}
    release = ny.publish(table, roles, privacy=[ny.KAnonymity(k=2)])
    owners = table["who"].gather(release.log.source_rows).to_list()
    weight = dict(zip(table["who"], table["w"], strict=True))
    classes = defaultdict(set)
    for who, *cells in zip(owners, release.frame["q"], release.frame["sex"], strict=True):
        classes[tuple(cells)].add(who)
    risk: dict[int, float] = defaultdict(float)
    for those in classes.values():
        own = float(expected_inverse(np.array([len(those)]), np.array([sum(weight[who] for who in those)]))[0])
        for who in those:
            risk[who] = max(risk[who], own)
    mean = sum(risk.values()) / len(risk)
    said = f"Of the release it is {percent(max(risk.values()))} at most and {percent(mean)} on average, and "
    said += f"{sum(risk.values()):,.1f} of {len(risk):,} persons would be found."
    assert said in words(render_report(release, table))


def test_a_place_of_one_person_is_not_named() -> None:
    """Seven visits of one person are more than k records, and of fewer than k persons."""
    table = pl.DataFrame(
        {
            "who": [f"p{i}" for i in range(140)] + ["rare"] * 7,
            "place": ["here", "there"] * 70 + ["RAREPLACE"] * 7,
            "ill": ["x", "y"] * 70 + ["RAREILL"] * 7,
        }
    )
    release = ny.publish(
        table,
        {"who": ny.person(), "place": ny.quasi(), "ill": ny.sensitive()},
        privacy=[ny.KAnonymity(k=5)],
        method=ny.OptimalLattice(suppression=0.2, outliers="remove"),
    )
    assert release.suppressed == 7
    page = render_report(release, table)
    assert "RAREPLACE" not in page
    assert "RAREILL" not in page
    assert "5 original persons" in page


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcd")), min_size=1, max_size=40),
    st.integers(1, 4),
)
def test_nothing_that_few_persons_have_is_shown(rows: list[tuple[int, str]], k: int) -> None:
    held: dict[str, set[int]] = defaultdict(set)
    for who, value in rows:
        held[value].add(who)
    labels = sorted(held)
    codes = np.array([labels.index(value) for _, value in rows])
    holders = Holders(codes, np.array([who for who, _ in rows]))
    assert holders.each(len(labels)).tolist() == [len(held[value]) for value in labels]
    found = pooled(labels, np.bincount(codes), np.bincount(codes), holders, threshold=k)
    assert all(len(held[str(value)]) >= k for value in found.labels)
    rest = [held[value] for value in labels if value not in found.labels]
    if found.labels and rest:
        assert len(set().union(*rest)) >= k
    tree = Hierarchy.from_rows([[value, "ab" if value in "ab" else "cd", "*"] for value in "abcd"])
    raw = Holders(np.array([tree.index[value] for _, value in rows]), holders.persons)
    for label in example_path(tree, raw, k)[:-1]:
        assert label is None or len(set().union(*(held[value] for value in label if value in held))) >= k
