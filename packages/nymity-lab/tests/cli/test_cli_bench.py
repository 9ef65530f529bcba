"""nymity bench, with the measuring left out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from nymity.core.progress import Observer
from nymity_lab.bench import BenchResult, Line

Run = Callable[..., Result]

RESULT = BenchResult(
    name="lattice",
    sort_unit_seconds=0.7,
    versions={"python": "3.11"},
    provenance="elsewhere",
    lines=(Line(name="search", value=0.4, unit="U", target=0.5, reference=8, note="374 nodes"),),
)


def test_bench_shows_and_writes_the_figures(folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def run_bench(name: str, observe: Observer) -> BenchResult:
        asked.append((name, os.environ["NYMITY_DATA"]))
        return RESULT

    monkeypatch.setenv("NYMITY_DATA", "elsewhere")
    monkeypatch.setattr("nymity_lab.bench.run_bench", run_bench)
    done = nymity("bench", "lattice", "--data", "data", "--json", "figures.json")
    assert done.exit_code == 0, done.output
    assert asked == [("lattice", "data")]
    assert "search" in done.stdout
    assert "yes" in done.stdout
    assert "search: 374 nodes" in done.stdout
    assert json.loads((folder / "figures.json").read_text(encoding="utf-8")) == json.loads(json.dumps(RESULT.to_dict()))


def test_an_unknown_bench(folder: Path, nymity: Run) -> None:
    done = nymity("bench", "latice")
    assert done.exit_code == 2
    assert "did you mean 'lattice'?" in done.stderr
