"""A survey on the command line: weights and households from the raw table to the release and its pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

Run = Callable[..., Result]

JOB = """
source = "survey.csv"

[schema]
home = { role = "household" }
age = { role = "quasi", hierarchy = { type = "intervals", width = 10, levels = 3 } }
weight = { role = "weight" }
income = { role = "insensitive" }

[[privacy]]
model = "k-anonymity"
k = 4

[method]
name = "optimal-lattice"
"""


@pytest.fixture
def survey(folder: Path) -> Path:
    n = 60
    pl.DataFrame(
        {
            "home": [f"h{i // 3}" for i in range(n)],
            "age": [20 + i % 40 for i in range(n)],
            "weight": [5.0 + i % 7 for i in range(n)],
            "income": [1000 + 10 * (i % 7) for i in range(n)],
        }
    ).write_csv(folder / "survey.csv")
    (folder / "survey.toml").write_text(JOB, encoding="utf-8")
    return folder


def words(done: Result) -> str:
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


def test_a_journey(survey: Path, nymity: Run) -> None:
    raw = words(nymity("risk", "survey.csv", "--job", "survey.toml", "--size", "0"))
    assert "individual" in raw
    assert "Individual risk by sampling weights, 60 records for 474 people" in raw
    assert "20 households of up to 3:" in raw
    assert "if members are found independently." in raw
    done = words(nymity("publish", "survey.toml", "--out", "out"))
    assert "Promises count records, not households ('home')" in done
    after = words(nymity("risk", "out/release.csv", "--job", "survey.toml", "--size", "0"))
    assert "60 records for 474 people" in after
    assert "households of up" not in after  # they are not published
    assert "Individual risk by sampling weights" in words(nymity("measure", "out/release.csv", "--job", "survey.toml"))
    compared = words(nymity("compare", "survey.csv", "out"))
    assert "people 474 474 +0.00%" in compared
    assert "mean income" in compared
    assert "Everything holds" in words(nymity("check", "out"))
    page = (survey / "out-custodian/report.html").read_text(encoding="utf-8")
    assert "By the sampling weights" in page
    assert "Who lives together, not published" in page


def test_households_that_look_alike(survey: Path, nymity: Run) -> None:
    """From the job to the check of whoever received it; the promise is broken by whoever moves a member."""
    n = 60
    ages = [(30, 31, 4), (30, 31, 6), (70, 71, 40), (20, 21, 55)]
    pl.DataFrame(
        {
            "home": [f"h{i // 3}" for i in range(n)],
            "age": [ages[i // 3 % 4][i % 3] for i in range(n)],
            "weight": [5.0] * n,
            "income": list(range(n)),
        }
    ).write_csv(survey / "survey.csv")
    job = JOB.replace('role = "household"', 'role = "household", pseudonym = "random"')
    (survey / "survey.toml").write_text(job, encoding="utf-8")
    refused = nymity("publish", "survey.toml", "--out", "out")
    assert refused.exit_code == 2
    assert "which rows are of one household" in " ".join(refused.output.split())
    job = job.replace('"k-anonymity"\nk = 4', '"linked-k-anonymity"\nk = 4\nknows = "all"\nof = "household"')
    (survey / "survey.toml").write_text(job, encoding="utf-8")
    done = words(nymity("publish", "survey.toml", "--out", "out"))
    assert "linked 4-anonymity of households" in done
    assert "not households" not in done
    table = pl.read_csv(survey / "out/release.csv")
    assert table["home"].n_unique() == 20
    assert "Everything holds" in words(nymity("check", "out"))
    homes = table["home"].unique().sort().to_list()
    moved = table.with_columns(pl.col("home").replace(homes[0], homes[1]))
    moved.write_csv(survey / "out/release.csv")
    assert nymity("check", "out").exit_code == 1
    assert "of which household" not in (survey / "out-custodian/report.html").read_text(encoding="utf-8")
    about = (survey / "out/about.html").read_text(encoding="utf-8")
    assert "households" in about


def test_columns_by_name(survey: Path, nymity: Run) -> None:
    ask = ("risk", "survey.csv", "--quasi", "age", "--weight", "weight", "--household", "home", "--json")
    found = json.loads(nymity(*ask).stdout)
    assert found["individual"]["counts"] == "records"
    assert found["households"]["households"] == 20
    with_job = nymity("risk", "survey.csv", "--job", "survey.toml", "--weight", "weight")
    assert with_job.exit_code == 2
    assert "expected --quasi with it" in " ".join(with_job.output.split())
    twice = nymity("risk", "survey.csv", "--quasi", "age", "--weight", "age")
    assert "expected a column with no other role" in " ".join(twice.output.split())


def test_sample_uniques_by_a_log_linear_model(survey: Path, nymity: Run) -> None:
    asked = ("risk", "survey.csv", "--quasi", "age,income", "--weight", "weight", "--log-linear", "--size", "0")
    assert "sample uniques, " in words(nymity(*asked))
    found = json.loads(nymity(*asked, "--json").stdout)["log_linear"]
    assert found["people"] == 474
    assert 0 < found["population_uniques"] < found["linked"] < found["sample_uniques"]


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["1", "0", "-3"], "2 not above 0 (records 2, 3)"),
        (["1", "", "2"], "1 missing (record 2)"),
        (["1", "inf", "2"], "1 above 1,000,000,000,000 (record 2)"),
        (["1", "many", "2"], "1 not a number (record 2)"),
    ],
)
def test_bad_weights_are_told_with_number_and_place(survey: Path, nymity: Run, cells: list[str], told: str) -> None:
    rows = "\n".join(f"h{i},30,{cell},1" for i, cell in enumerate(cells))
    (survey / "survey.csv").write_text(f"home,age,weight,income\n{rows}\n", encoding="utf-8")
    for ask in (("publish", "survey.toml", "--out", "out"), ("risk", "survey.csv", "--job", "survey.toml")):
        done = nymity(*ask)
        assert done.exit_code == 2
        assert told in " ".join(done.output.split())


def test_more_people_than_there_are_cannot_look_alike(survey: Path, nymity: Run) -> None:
    done = nymity("publish", "survey.toml", "--out", "out", "--set", "privacy[0].k=61")
    assert done.exit_code != 0
    assert "61" in done.output


def test_households_with_gaps_are_refused_or_dropped(survey: Path, nymity: Run) -> None:
    table = pl.read_csv(survey / "survey.csv")
    table.with_columns(home=pl.when(pl.col("age") > 57).then(None).otherwise("home")).write_csv(survey / "survey.csv")
    done = nymity("publish", "survey.toml", "--out", "out")
    assert done.exit_code == 2
    assert "column 'home': expected no missing values (missing = 'error'), got 2 of them" in " ".join(
        done.output.split()
    )
    dropped = nymity("publish", "survey.toml", "--out", "out", "--set", 'schema.home.missing="drop"')
    assert dropped.exit_code == 0, dropped.output
