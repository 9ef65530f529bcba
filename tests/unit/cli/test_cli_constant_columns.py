"""Every command works on releases whose person column is gone: columns that ask for one asked it of the job."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from cli_fixtures import Run

JOB = """
source = "visits.csv"
[schema]
patient = {{ role = "person" }}
age = {{ role = "quasi"{constant} }}
ward = {{ role = "quasi" }}
admitted = {{ role = "insensitive"{shift} }}
diagnosis = {{ role = "sensitive" }}
[[privacy]]
model = "k-anonymity"
k = 2
{further}
"""
K_MAP = """
[[privacy]]
model = "k-map"
k = 2
population = "everybody.csv"
"""
CONSTANT, SHIFT = ", constant = true", ', shift = "per person", shift_days = 30'


@pytest.mark.parametrize(
    ("constant", "shift", "further"),
    [(CONSTANT, "", ""), ("", SHIFT, ""), (CONSTANT, SHIFT, '[method]\nname = "mondrian"'), (CONSTANT, SHIFT, K_MAP)],
)
def test_every_command_reads_what_was_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nymity: Run, constant: str, shift: str, further: str
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(f"P{p}", 30 + p // 4, v, f"2024-03-{1 + p + v:02}", "ab"[(p + v) % 2]) for p in range(12) for v in (0, 1)]
    visits = pl.DataFrame(rows, schema=["patient", "age", "ward", "admitted", "diagnosis"], orient="row")
    visits.write_csv("visits.csv")
    pl.concat([visits, visits]).select("age", "ward").write_csv("everybody.csv")  # it does not say whose records are
    Path("job.toml").write_text(JOB.format(constant=constant, shift=shift, further=further), encoding="utf-8")
    done = nymity("publish", "job.toml", "--out", "release")
    assert done.exit_code == 0, done.output
    assert "left out" not in done.output
    assert Path("release-custodian/findings.json").exists()
    for arguments in (
        ("risk", "visits.csv", "--job", "job.toml"),
        ("risk", "release/release.csv", "--job", "job.toml"),
        ("measure", "visits.csv", "--job", "job.toml"),
        ("measure", "release/release.csv", "--job", "job.toml"),
        ("compare", "visits.csv", "release", "--job", "job.toml"),
        ("report", "release", "--job", "job.toml", "--for", "custodian", "--out", "report.html"),
    ):
        done = nymity(*arguments)
        assert done.exit_code == 0, (arguments, done.output)
