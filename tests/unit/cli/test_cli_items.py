"""Sets of items on the command line: from a first look at the table to a checked release and what cannot be done."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import nymity as ny
from cli_fixtures import Run

CODES = [f"{letter}{number}" for letter in "EIJ" for number in range(10, 16)]


Call = Callable[..., str]


@pytest.fixture
def call(nymity: Run, folder: Path) -> Call:
    """Write the table and its job; return what runs a command and takes its words."""
    draw = random.Random(4)
    sets = [draw.sample(CODES[: 4 + row % 14], draw.randint(0, 3)) for row in range(200)]
    pl.DataFrame(
        {
            "age": [draw.randint(20, 79) for _ in sets],
            "diagnoses": [";".join(one) for one in sets],
            "died": [draw.choice("yn") for _ in sets],
        }
    ).write_csv(folder / "stays.csv")
    tree = "\n".join(f"{code};{code[0]};*" for code in CODES)
    (folder / "icd.csv").write_text(f"{tree}\n")
    (folder / "job.toml").write_text(
        """
        source = { path = "stays.csv" }
        [schema.age]
        role = "quasi"
        hierarchy = { type = "intervals", width = 20, levels = 2 }
        [schema.diagnoses]
        role = "items"
        hierarchy = { type = "file", path = "icd.csv" }
        [schema.died]
        role = "insensitive"
        [[privacy]]
        model = "km-anonymity"
        k = 4
        m = 2
        """
    )

    def called(*arguments: str, code: int = 0) -> str:
        done = nymity(*arguments)
        assert done.exit_code == code, (arguments, done.output)
        return " ".join(done.output.split())

    return called


def test_a_column_of_sets_is_recognised_and_a_first_job_publishes_it(call: Call, folder: Path) -> None:
    said = call("inspect", "stays.csv", "--job", "first.toml")
    assert "items" in said
    assert "several values in a cell, ';' between them" in said
    first = ny.Job.load(folder / "first.toml")
    assert [model.key for model in first.privacy] == ["k-anonymity", "km-anonymity"]
    call("publish", "first.toml", "--out", "first")
    assert "Everything holds" in call("check", "first")


def test_the_way_of_a_release(call: Call, folder: Path) -> None:
    said = call("publish", "job.toml", "--out", "release", "--report")
    assert "4^2-anonymity" in said
    assert "'diagnoses' has" in said
    assert "NCP = " in said
    page = (folder / "release" / "about.html").read_text()
    assert "Sets of items: others may know some of them" in page
    assert "Sets of items, generalized" in (folder / "release-custodian" / "report.html").read_text()
    assert "Everything holds" in call("check", "release")
    assert "known-items" in call("attack", "release", "--original", "stays.csv")
    call("compare", "stays.csv", "release", "--target", "died")
    call("measure", "stays.csv", "--job", "job.toml")
    call("query", "stays.csv", "release", "--job", "job.toml")
    call("explore", "job.toml")
    call("report", "release")
    assert "a further row can hold a set" in call(
        "apply", "release-custodian/recoding.json", "stays.csv", "--out", "more.csv", code=2
    )
    assert "one value in a cell" in call("recommend", "stays.csv", "--job", "job.toml", "--target", "died", code=2)


def test_a_release_that_was_changed_is_told(call: Call, folder: Path) -> None:
    call("publish", "job.toml", "--out", "release")
    table = (folder / "release" / "release.csv").read_text().splitlines()
    age, _, died = table[-1].split(",")
    (folder / "release" / "release.csv").write_text("\n".join([*table[:-1], f"{age},E10;I11;J12,{died}", ""]))
    assert "does not hold" in call("check", "release", code=1)
    told = json.loads((folder / "release" / "certificate.json").read_text())
    assert told["items"]["column"] == "diagnoses"


@pytest.mark.parametrize(
    "method", ["mondrian", "iterative-recoding", "k-member", "buckets", "freeform-greedy", "refine"]
)
def test_other_methods_refuse_sets(call: Call, folder: Path, method: str) -> None:
    job = (folder / "job.toml").read_text()
    (folder / "other.toml").write_text(f'{job}\n[method]\nname = "{method}"\n')
    assert "one level for each column" in call("publish", "other.toml", "--out", "r", code=2)


def test_a_table_of_persons_and_items_is_counted_in_persons(folder: Path, call: Call) -> None:
    rows = [f"{person},{20 + person % 3},{drug}" for person in range(60) for drug in "abc"[: 1 + person % 3]]
    (folder / "given.csv").write_text("\n".join(["person,age,drug", *rows, ""]))
    (folder / "given.toml").write_text(
        """
        [source]
        path = "given.csv"
        [schema]
        person.role = "person"
        age.role = "quasi"
        drug.role = "items"
        [[privacy]]
        model = "km-anonymity"
        k = 4
        m = 2
        """
    )
    said = call("publish", "given.toml", "--out", "given", "--no-report")
    assert "of 60 persons;" in said
    assert "120 records" not in said
    assert "suppressed 0 of 60 persons" in said
