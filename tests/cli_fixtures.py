"""What the tests of the command line share: a runner, and a small published table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from nymity.cli.main import app

#: A job that promises nothing about what is sensitive.
K_JOB = """
[source]
path = "people.csv"

[schema]
name = { role = "identifying" }
age = { role = "quasi", hierarchy = { type = "intervals", width = 10, levels = 3 } }
sex = { role = "quasi" }
illness = { role = "sensitive" }

[[privacy]]
model = "k-anonymity"
k = 4

[method]
name = "optimal-lattice"
suppression = 0.1
"""

DIVERSE = """[[privacy]]
model = "distinct-l-diversity"
l = 2
attribute = "illness"

"""

JOB = K_JOB.replace("[method]", f"{DIVERSE}[method]")

Run = Callable[..., Result]


@pytest.fixture
def people() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [f"Person {i}" for i in range(60)],
            "age": [20 + i % 40 for i in range(60)],
            "sex": ["female" if i % 3 else "male" for i in range(60)],
            "illness": [("flu", "cold", "[red]measles", "none")[i % 4] for i in range(60)],
        }
    )


@pytest.fixture
def folder(tmp_path: Path, people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table and its job, in which the command runs."""
    people.write_csv(tmp_path / "people.csv")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def nymity() -> Run:
    """Run the command line; what is not foreseen raises."""
    runner = CliRunner()

    def run(*arguments: str) -> Result:
        return runner.invoke(app, arguments, catch_exceptions=False)

    return run


@pytest.fixture
def published(folder: Path, nymity: Run) -> Path:
    """The same folder after publishing into release/."""
    done = nymity("publish", "job.toml", "--out", "release", "--no-report", "--quiet")
    assert done.exit_code == 0, done.output
    return folder
