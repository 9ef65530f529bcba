"""``nymity preset``: the list, what one asks for, and a job that can be published."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.job_tables import load_source

Run = Callable[..., Result]


def test_the_list(folder: Path, nymity: Run) -> None:
    listed = json.loads(nymity("preset", "--json").stdout)["presets"]
    shown = " ".join(nymity("preset").stdout.split())
    assert len(listed) >= 5
    assert all(key in shown for key in listed)
    for key in listed:
        told = " ".join(nymity("preset", key).stdout.split())
        for words in ("Source:", "What it sets:", "What it cannot check:", "no legal advice"):
            assert words in told


@pytest.mark.parametrize("data", ["job.toml", "people.csv"])
def test_a_filled_job_is_published(folder: Path, nymity: Run, data: str) -> None:
    (folder / "below").mkdir()
    done = nymity("preset", "ema-0070", data, "--job", "below/ema.toml")
    assert done.exit_code == 0, done.output
    text = (folder / "below/ema.toml").read_text(encoding="utf-8")
    assert "no legal advice" in text
    assert "limit = 0.09" in text
    settings = ("--set", "method.name=optimal-lattice", "--set", "method.suppression=0.3")
    done = nymity("publish", "below/ema.toml", *settings, "--out", "release", "--no-report", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["guarantees"][0]["measured"]["limit"] <= 1 / 12
    again = nymity("preset", "ema-0070", data, "--job", "below/ema.toml")
    assert again.exit_code == 2
    assert "--force" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ema",), "ema-0070"),
        (("ema-0070", "job.toml"), "no --job"),
        (("ema-0070", "--job", "x.toml"), "no table or job"),
        (("ema-0070", "release", "--job", "x.toml"), "got a release"),
    ],
)
def test_bad_input(published: Path, nymity: Run, arguments: tuple[str, ...], words: str) -> None:
    done = nymity("preset", *arguments)
    assert done.exit_code == 2, done.output
    assert words in " ".join(done.stderr.split())


def test_a_table_is_read_as_inspect_reads_it(tmp_path: Path, nymity: Run) -> None:
    """Codes, decimal commas, dates and the delimiter that were found stand in the job."""
    rows = [
        f"{['-9', 'k.A.'][i // 10 % 2] if i % 10 == 7 else 20 + i % 60};{60 + i % 30},{i % 10};"
        f"{1 + i % 28:02}.0{1 + i % 9}.2020"
        for i in range(120)
    ]
    (tmp_path / "export.csv").write_text("Alter;Gewicht;Aufnahme\n" + "\n".join(rows) + "\n")
    done = nymity("preset", "hipaa-safe-harbor", str(tmp_path / "export.csv"), "--job", str(tmp_path / "job.toml"))
    assert done.exit_code == 0, done.output
    job = Job.load(tmp_path / "job.toml")
    assert job.source is not None
    assert (job.source.decimal, job.source.dates, job.source.delimiter) == (",", "%d.%m.%Y", ";")
    assert set(job.source.missing) == {"-9", "k.A."}
    table = load_source(job)
    assert [str(kind) for kind in table.dtypes] == ["Int64", "Float64", "Date"]
    assert "years alone" in done.output
