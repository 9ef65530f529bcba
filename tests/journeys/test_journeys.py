"""A user's way from the file they have to a release that holds, with no edits but a file of decisions.

``inspect --answers`` writes the job, ``publish`` makes the release, ``check`` says that it holds. What a user wants of
it is counted here from the released text, not by nymity.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from nymity.cli.main import app

from . import raw_files

K = 5
PHONE = re.compile(r"0\d{3}/\d{6,7}")


@dataclass(frozen=True, kw_only=True)
class Journey:
    """A raw file, what its owner decided, and what they expect to find."""

    make: Callable[[Path], Path]
    answers: str
    #: Columns that name somebody or hold notes: neither they nor their cells may be in the release.
    never: tuple[str, ...]
    #: Cells that stand for no answer, by column and code.
    missing: dict[str, dict[str, int]] = field(default_factory=dict)
    #: What the job must say of how the file is read.
    reading: dict[str, Any] = field(default_factory=dict)
    person: str | None = None  #: by whom classes are counted
    suffix: str = "csv"


JOURNEYS = {
    "German hospital": Journey(
        make=raw_files.german_hospital,
        answers="""
            Verweildauer = "insensitive"
            OPS = "identifying"
            Aufnahmegewicht = { role = "sensitive", missing = ["-9"] }
            Station = "identifying"
            Aufnahmedatum = "identifying"
            Entlassungsdatum = "identifying"
            PLZ = { role = "quasi", hierarchy = { type = "masking", steps = [2, 3] } }
        """,
        never=("Fallnummer", "Patientennr", "Nachname", "Vorname", "Versichertennr", "Hausarzt", "Bemerkung"),
        missing={"Krankenkasse": {"k.A.": 89}, "Aufnahmegewicht": {"-9": 65}},
        reading={"delimiter": ";", "encoding": "cp1252", "decimal": ",", "thousands": "."},
        person="Patientennr",
    ),
    "EU-SILC": Journey(
        make=raw_files.eusilc,
        answers="""
            hsize = "quasi"
            pl030 = "quasi"
            pb220a = "quasi"
            rb030 = "identifying"
            db090 = "identifying"
            rb050 = "identifying"
            pb040 = "identifying"
        """,
        never=("row_names", "db030", "rb030"),
        missing={"pl030": {"NA": 290}, "pb220a": {"NA": 290}, "pb040": {"NA": 290}},
    ),
    "stroke": Journey(
        make=raw_files.stroke,
        answers='smoking_status = "sensitive"',
        never=("id",),
        missing={"bmi": {"N/A": 92}},
    ),
    "Dutch census": Journey(
        make=raw_files.dutch_census,
        answers='economic_status = "sensitive"',
        never=(),
        missing={"cur_eco_activity": {"999": 100}},
    ),
    "COMPAS": Journey(
        make=raw_files.compas,
        answers="""
            start = "insensitive"
            end = "insensitive"
            c_charge_degree = "sensitive"
            c_jail_in = "identifying"
            c_jail_out = "identifying"
        """,
        never=("id", "name", "first", "last", "c_case_number", "r_case_number"),
        reading={"dates": "%m/%d/%Y"},
    ),
}


@pytest.fixture(scope="module", params=list(JOURNEYS))
def gone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Journey, Path, Path]:
    """Go the whole way once; every step must end as one that went well."""
    journey = JOURNEYS[request.param]
    folder = tmp_path_factory.mktemp("journey")
    raw = journey.make(folder)
    answers = "\n".join(line.strip() for line in journey.answers.splitlines())
    (folder / "answers.toml").write_text(f"[columns]\n{answers}\n", encoding="utf-8")
    files = {name: str(folder / name) for name in ("answers.toml", "job.toml", "release")}
    run("inspect", str(raw), "--answers", files["answers.toml"], "--job", files["job.toml"], "--k", str(K))
    run("publish", files["job.toml"], "--out", files["release"], "--no-report")
    run("check", files["release"], "--original", str(raw))
    run("compare", str(raw), files["release"], "--quiet")
    return journey, raw, folder


def run(*arguments: str) -> None:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output


def test_nothing_is_left_to_decide(gone: tuple[Journey, Path, Path]) -> None:
    _, _, folder = gone
    asked = [line for line in (folder / "job.toml").read_text(encoding="utf-8").splitlines() if "PLEASE DECIDE" in line]
    assert not asked


def test_the_job_reads_the_file_as_it_is_meant(gone: tuple[Journey, Path, Path]) -> None:
    journey, _, folder = gone
    source = _job(folder)["source"]
    assert {name: source.get(name) for name in journey.reading} == journey.reading


def test_codes_for_missing_are_counted(gone: tuple[Journey, Path, Path]) -> None:
    journey, _, folder = gone
    log = json.loads((folder / "release-custodian" / "log.json").read_text(encoding="utf-8"))
    assert log.get("taken_as_missing", {}) == journey.missing
    certificate = json.loads((folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    told = certificate["job"].get("reading", {})
    for name, codes in journey.missing.items():
        assert set(codes) <= set(told.get("missing_in", {}).get(name, told.get("missing", [])))


def test_nobody_is_named(gone: tuple[Journey, Path, Path]) -> None:
    """No column that names somebody is in the release, and no cell of one in any other column."""
    journey, raw, folder = gone
    header, rows = _released(folder)
    assert not set(header) & set(journey.never)
    cells = {cell for row in rows for cell in row}
    if raw.suffix == ".csv":
        names = {cell for row in _raw(raw) for name, cell in row.items() if name in journey.never and len(cell) > 3}
        assert names or not journey.never
        assert not {cell for cell in cells & names if not cell.isdecimal()}
    assert not [cell for cell in cells if PHONE.search(cell)]


def test_everybody_is_among_k(gone: tuple[Journey, Path, Path]) -> None:
    journey, _, folder = gone
    schema = _job(folder)["schema"]
    header, rows = _released(folder)
    quasi = [header.index(name) for name in header if schema[name]["role"] == "quasi"]
    assert len(quasi) >= 4
    sizes = Counter(tuple(row[place] for place in quasi) for row in rows)
    assert min(sizes.values()) >= K
    if journey.person is not None:
        assert schema[journey.person]["role"] == "person"


def test_enough_is_left(gone: tuple[Journey, Path, Path]) -> None:
    """Less than 30% of the cells of quasi-identifiers are ``*``, suppressed records counted as nothing else."""
    _, raw, folder = gone
    schema = _job(folder)["schema"]
    header, rows = _released(folder)
    quasi = [header.index(name) for name in header if schema[name]["role"] == "quasi"]
    records = len(_raw(raw)) if raw.suffix == ".csv" else 4000
    told = sum(row[place] != "*" for row in rows for place in quasi)
    assert 1 - told / (records * len(quasi)) < 0.3


def test_the_whole_way_in_processes_of_its_own(tmp_path: Path) -> None:
    """As a shell does it, where nothing is shared but the files."""
    raw_files.stroke(tmp_path)
    (tmp_path / "answers.toml").write_text('[columns]\nsmoking_status = "sensitive"\n')
    for arguments in (
        ["inspect", "stroke.csv", "--answers", "answers.toml", "--job", "job.toml"],
        ["publish", "job.toml", "--out", "release", "--no-report"],
        ["check", "release"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "nymity", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def _job(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "job.toml").read_text(encoding="utf-8"))


def _raw(path: Path) -> list[dict[str, str]]:
    german = path.name == "krankenhaus.csv"
    with path.open(encoding="cp1252" if german else "utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";" if german else ","))


def _released(folder: Path) -> tuple[list[str], list[list[str]]]:
    """Read what was released, in the delimiter and encoding that the source had."""
    source = _job(folder)["source"]
    with (folder / "release" / "release.csv").open(encoding=source.get("encoding", "utf-8"), newline="") as file:
        header, *rows = csv.reader(file, delimiter=source.get("delimiter", ","))
    return header, rows
