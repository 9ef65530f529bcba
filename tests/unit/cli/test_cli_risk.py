"""nymity risk, on raw tables and releases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

from nymity.risk import drivers, measure_risk, suggest

Run = Callable[..., Result]
ASK = ("risk", "people.csv", "--quasi", "age,sex")


def test_it_shows_attackers_and_columns(folder: Path, nymity: Run) -> None:
    done = nymity(*ASK, "--population-size", "6000")
    assert done.exit_code == 0, done.output
    shown = " ".join(done.stdout.split())
    for words in (
        "60 records in 53 classes, 46 unique (76.7%)",
        "prosecutor",
        "marketer",
        "above 0.2",
        "Unique among 6,000 people",
        "age, sex",
    ):
        assert words in shown


def test_columns_that_name_people_are_pointed_out(folder: Path, nymity: Run) -> None:
    assert "column 'name' may point to single people: 'name' in its name: names" in nymity(*ASK).stderr
    assert nymity(*ASK, "--quiet").output == ""
    job = folder / "job.toml"
    job.write_text(
        'source = "people.csv"\n[schema]\nname = {role = "identifying"}\nage = {role = "quasi"}\n'
        '[[privacy]]\nmodel = "k-anonymity"\nk = 2\n',
        encoding="utf-8",
    )
    known = nymity("risk", str(job))
    assert (known.exit_code, "may point to" in known.stderr) == (0, False), known.output


def test_json_is_what_python_finds(folder: Path, people: pl.DataFrame, nymity: Run) -> None:
    done = nymity(*ASK, "--json", "--preset", "ema", "--sampling-fraction", "0.01", "--size", "2")
    assert done.exit_code == 0, done.output
    found = measure_risk(people, ["age", "sex"], preset="ema", sampling_fraction=0.01).to_dict()
    found["drivers"] = drivers(people, ["age", "sex"], size=2).to_dict()
    found["columns"] = [column.to_dict() for column in suggest(people)]
    found["counts"] = "records"
    assert json.loads(done.stdout) == json.loads(json.dumps(found))


def test_a_release_by_its_job(published: Path, nymity: Run) -> None:
    done = nymity("risk", "release/release.csv", "--job", "job.toml", "--json", "--size", "0")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["quasi"] == ["age", "sex"]
    assert found["prosecutor"]["highest"] <= 1 / 4
    assert found["drivers"] is None


def test_a_population(folder: Path, people: pl.DataFrame, nymity: Run) -> None:
    pl.concat([people, people]).write_csv(folder / "everyone.csv")
    found = json.loads(nymity(*ASK, "--population", "everyone.csv", "--json").stdout)
    assert found["journalist"]["average"] == found["prosecutor"]["average"] / 2
    assert found["population"]["chosen"] == "counted"
    assert "counted" in nymity(*ASK, "--population", "everyone.csv").stdout


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--threshold", "2"), "threshold"),
        (("--preset", "emma"), "did you mean 'ema'?"),
        (("--population-size", "3"), "population_size"),
        (("--sampling-fraction", "0"), "sampling_fraction"),
        (("--job", "job.toml"), "either --job or --quasi"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, nymity: Run, wrong: tuple[str, str], said: str) -> None:
    done = nymity(*ASK, *wrong)
    assert done.exit_code == 2
    assert said in done.output


def test_an_unknown_column(folder: Path, nymity: Run) -> None:
    done = nymity("risk", "people.csv", "--quasi", "aeg")
    assert done.exit_code == 2
    assert "did you mean 'age'?" in done.output
