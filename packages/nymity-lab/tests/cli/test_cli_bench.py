"""nymity bench, with the measuring left out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import Result

from nymity.core.errors import FileError
from nymity.core.progress import Observer
from nymity_lab.bench import BenchResult, Line, benches
from nymity_lab.bench.machine_figures import Machine

Run = Callable[..., Result]

RESULT = BenchResult(
    name="lattice",
    unit_seconds=0.7,
    versions={"python": "3.11"},
    provenance="elsewhere",
    lines=(Line(name="search", value=0.4, unit="G", target=0.5, reference=8, note="374 nodes"),),
)


def test_bench_shows_and_writes_the_figures(folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, str | None]] = []

    def run_bench(name: str, observe: Observer, *, only: str | None) -> BenchResult:
        asked.append((name, os.environ["NYMITY_DATA"], only))
        return RESULT

    monkeypatch.setenv("NYMITY_DATA", "elsewhere")
    monkeypatch.setattr("nymity_lab.bench.run_bench", run_bench)
    nymity("bench", "people", "--only", "sets")
    done = nymity("bench", "lattice", "--data", "data", "--json", "figures.json")
    assert done.exit_code == 0, done.output
    assert asked == [("people", "elsewhere", "sets"), ("lattice", "data", None)]
    assert "search" in done.stdout
    assert "yes" in done.stdout
    assert "search: 374 nodes" in done.stdout
    written = Machine.read(folder / "figures.json")
    assert written.results == (RESULT,)


def test_an_unknown_bench(folder: Path, nymity: Run) -> None:
    done = nymity("bench", "latice")
    assert done.exit_code == 2
    assert "latice" in done.stderr


def test_all_names_what_could_not_be_run(folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_bench(name: str, observe: Observer, *, only: str | None) -> BenchResult:
        if name == "robust":
            raise FileError("mnist", expected="a folder", got="nothing")
        return replace(RESULT, name=name)

    monkeypatch.setattr("nymity_lab.bench.run_bench", run_bench)
    done = nymity("bench", "all", "--json", "machine.json")
    assert done.exit_code == 0, done.output
    written = Machine.read(folder / "machine.json")
    assert {result.name for result in written.results} == set(benches()) - {"robust"}
    assert list(written.not_run) == ["robust"]
    assert "robust was not run: mnist: expected a folder" in " ".join(done.stdout.split())


def figures(path: Path, **values: float) -> None:
    lines = tuple(Line(name=name, value=value, unit="G") for name, value in values.items())
    path.write_text(json.dumps(Machine.here((replace(RESULT, lines=lines),), {}).to_dict()), encoding="utf-8")


def test_compare_shows_what_changed(folder: Path, nymity: Run) -> None:
    figures(folder / "a.json", same=1.0, slower=1.0, faster=1.0, gone=1.0)
    figures(folder / "b.json", same=1.05, slower=4.0, faster=0.25, new=1.0)
    done = nymity("bench", "compare", "a.json", "b.json")
    assert done.exit_code == 0, done.output
    for word, shown in {"slower": True, "faster": True, "same": False, "gone": False, "new": False}.items():
        assert (word in done.stdout) is shown
    assert done.stdout.index("slower") < done.stdout.index("faster")
    answer = json.loads(nymity("bench", "compare", "a.json", "b.json", "--json").stdout)
    assert answer["means"]["G"] == pytest.approx(1.05 ** (1 / 3))
    assert [figure["ratio"] for figure in answer["figures"]] == [1.05, 4.0, 0.25]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "nymity-bench-1"}', "[" * 100_000])
def test_a_file_without_figures(folder: Path, nymity: Run, text: str) -> None:
    (folder / "a.json").write_text(text, encoding="utf-8")
    done = nymity("bench", "compare", "a.json", "b.json")
    assert done.exit_code == 2
    assert "a.json: expected figures in the format nymity-bench-1" in " ".join(done.stderr.split())
    assert "b.json" in nymity("bench", "compare", "b.json", "a.json").stderr
