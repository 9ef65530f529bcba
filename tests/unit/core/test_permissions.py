"""What links rows to people is for its owner alone, and a warning says where it is not."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core.commit import committing, replace_file
from nymity.core.permissions import ExposedWarning, exposed
from nymity.publishing.sealing.signing import SigningKey, new_key

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")

JOB = """
[source]
path = "people.csv"
[schema]
name = { role = "identifying" }
age = { role = "quasi", hierarchy = { type = "intervals", width = 10, levels = 3 } }
ill = { role = "sensitive" }
[[privacy]]
model = "k-anonymity"
k = 4
[method]
name = "optimal-lattice"
[sign]
key = "key"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ages = [20 + i % 20 for i in range(80)]
    people = pl.DataFrame({"name": [f"n{i}" for i in range(80)], "age": ages, "ill": ["a", "b"] * 40})
    people.write_csv(tmp_path / "people.csv")
    (tmp_path / "job.toml").write_text(JOB)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def careless() -> Iterator[None]:
    """A session in which whatever is made is open to everybody."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.usefixtures("careless")
def test_under_umask_000_nothing_of_the_custodian_is_open(folder: Path) -> None:
    """Folder, log, pages, ledger and private key."""
    new_key(folder / "key")
    ny.dp.Ledger(path=str(folder / "ledger.json"), source="people").open(epsilon=1, delta=1e-4)
    for arguments in (
        ["publish", "job.toml", "--out", "release", "--quiet"],
        ["publish", "job.toml", "--out", "release", "--quiet", "--log", "release-custodian", "--force"],
        ["report", "release", "--for", "board"],
    ):
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert (done.exit_code, done.stderr) == (0, ""), done.output
    kept = folder / "release-custodian"
    assert mode(kept) == 0o700
    names = {path.name for path in kept.rglob("*")}
    assert {"log.json", "mapping.parquet", "recoding.json", "report.html", "board.html", "findings.json"} <= names
    for path in kept.rglob("*"):
        assert mode(path) == (0o700 if path.is_dir() else 0o600), path
    assert mode(folder / "ledger.json") == 0o600
    assert mode(folder / "key") == 0o600
    assert not list(folder.rglob(".nymity*"))


@pytest.mark.usefixtures("careless")
def test_what_waits_for_its_place_is_closed_too(tmp_path: Path) -> None:
    def write(place: Path) -> None:
        assert mode(place.parent) == 0o700
        place.write_text("secret")

    replace_file(tmp_path / "ledger.json", write, private=True)
    with committing(tmp_path / "log", tmp_path / "release", private=[tmp_path / "log"]) as stages:
        for stage in stages:
            assert mode(stage.folder) == 0o700
    assert mode(tmp_path / "ledger.json") == 0o600


def test_a_file_system_without_permissions_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_effect(path: Path, _: int) -> None:
        if path.name == "log":
            raise PermissionError(1, "Operation not permitted")

    tmp_path.chmod(0o755)
    (tmp_path / "log").mkdir(mode=0o755)
    monkeypatch.setattr(Path, "chmod", no_effect)

    def commit() -> None:
        with committing(tmp_path / "log", private=[tmp_path / "log"]) as (stage,):
            (stage / "mapping").write_text("x")
            stage.commit(["mapping"])

    with pytest.warns(ExposedWarning, match=r"log can be read by others \(permissions 755\)"):
        commit()
    with pytest.warns(ExposedWarning, match="ledger"):
        replace_file(tmp_path / "ledger", lambda place: place.write_text("x"), private=True)


def test_on_opening_it_is_said_once_with_what_to_run(folder: Path) -> None:
    new_key(folder / "key")
    run = CliRunner()
    assert run.invoke(app, ["publish", "job.toml", "--out", "release", "--quiet", "--no-report"]).exit_code == 0
    (folder / "release-custodian").chmod(0o755)
    (folder / "release-custodian" / "recoding.json").chmod(0o644)
    (folder / "key").chmod(0o640)
    folder.chmod(0o755)  # what lies in a closed folder is closed
    done = run.invoke(app, ["publish", "job.toml", "--out", "again", "--log", "release-custodian", "--no-report", "-q"])
    assert done.exit_code == 0
    lines = done.stderr.splitlines()
    assert sorted(line.partition("Try: ")[2] for line in lines) == ["chmod 600 'key'", "chmod 700 'release-custodian'"]
    people = ["apply", "release-custodian/recoding.json", "people.csv", "--out", "new.csv"]
    done = run.invoke(app, people)
    assert "chmod 600 'release-custodian/recoding.json'" in done.stderr
    (folder / "release-custodian").chmod(0o700)
    assert "chmod" not in run.invoke(app, [*people[:-1], "newer.csv"]).stderr  # nobody gets at the file


def test_keys_and_ledgers_in_python(tmp_path: Path) -> None:
    new_key(tmp_path / "key")
    ledger = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="people")
    ledger.open(epsilon=1, delta=1e-4)
    tmp_path.chmod(0o755)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SigningKey.load(tmp_path / "key")
        ledger.spending()
    for name in ("key", "ledger.json"):
        (tmp_path / name).chmod(0o604)
    with pytest.warns(ExposedWarning, match="chmod 600"):
        SigningKey.load(tmp_path / "key")
    with pytest.warns(ExposedWarning, match="chmod 600"):
        ledger.spending()
    assert exposed(tmp_path / "nowhere") is None
