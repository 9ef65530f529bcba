"""From a table of visits to a release with pseudonyms, and back to one person for a reason."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from cli_fixtures import Run

JOB = """
source = "visits.csv"

[schema]
patient = { role = "person", pseudonym = "keyed", recipient = "registry" }
ward = { role = "quasi" }
admitted = { role = "insensitive", shift = "per person", shift_days = 30 }

[[privacy]]
model = "linked-k-anonymity"
k = 3
knows = 2
"""


def test_the_journey(nymity: Run, folder: Path) -> None:
    rows = [(f"Zebediah {p}", "AB"[p % 2], f"2024-05-{1 + p + v:02}") for p in range(10) for v in range(2)]
    pl.DataFrame(rows, schema=["patient", "ward", "admitted"], orient="row").write_csv(folder / "visits.csv")
    (folder / "visits.toml").write_text(JOB, encoding="utf-8")
    done = nymity("publish", "visits.toml", "--out", "release")
    assert done.exit_code == 0, done.output
    assert "Zebediah" not in done.output
    assert nymity("check", "release").exit_code == 0
    shown = pl.read_csv(folder / "release" / "release.csv")["patient"][0]
    asked = nymity("identify", "release", "--pseudonym", shown, "--reason", "vote 12", "--json")
    answer = json.loads(asked.stdout)
    assert answer["person"].startswith("Zebediah")
    assert (folder / "release-custodian" / "identified.jsonl").read_text().count("vote 12") == 1
    unknown = nymity("identify", "release", "--pseudonym", "p0", "--reason", "vote 13")
    assert unknown.exit_code == 2
    assert "Zebediah" not in unknown.output
    assert nymity("identify", "release", "--pseudonym", shown, "--reason", " ").exit_code == 2
    assert nymity("identify", "release", "--pseudonym", shown).exit_code == 2
    assert nymity("forget", "release", "--yes").exit_code == 0
    gone = nymity("identify", "release", "--pseudonym", shown, "--reason", "vote 14")
    assert gone.exit_code == 2
    assert "custody of this release was ended" in gone.output.replace("\n", " ")


def test_a_pseudonym_alone_is_no_job(nymity: Run, folder: Path) -> None:
    pl.DataFrame({"patient": ["a"], "ward": ["A"], "admitted": ["2024-05-01"]}).write_csv(folder / "visits.csv")
    (folder / "visits.toml").write_text(JOB.replace("linked-k-anonymity", "k-anonymity").replace("knows = 2", ""))
    refused = nymity("publish", "visits.toml", "--out", "release")
    assert refused.exit_code == 2
    assert "which rows are of one person" in refused.output.replace("\n", " ")
    assert not (folder / "release").exists()
