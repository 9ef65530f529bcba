from __future__ import annotations

import json

import pytest

from nymity.core.errors import FileError, ParameterError
from nymity_lab.bench import BenchResult, Line, benches, run_bench
from nymity_lab.bench.unit import cpu_seconds


def test_an_unknown_benchmark_names_those_there_are() -> None:
    with pytest.raises(ParameterError, match="'lattice'"):
        run_bench("latice")
    assert set(benches()) == {
        "lattice",
        "losses",
        "models",
        "methods",
        "local",
        "bucket",
        "anytime",
        "queries",
        "metrics",
        "dp",
        "risk",
        "robust",
    }


def test_without_the_data_it_says_where_they_should_be(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("NYMITY_DATA", str(tmp_path))
    monkeypatch.setattr("nymity_lab.bench.measuring.sort_unit", lambda: 1.0)
    with pytest.raises(FileError, match="NYMITY_DATA"):
        run_bench("lattice")


def test_a_line_knows_whether_its_target_was_met() -> None:
    assert Line(name="a", value=0.4, unit="U", target=0.5).met is True
    assert Line(name="a", value=0.6, unit="U", target=0.5).met is False
    assert Line(name="a", value=0.6, unit="U").met is None


def test_the_result_is_plain_json() -> None:
    line = Line(name="a", value=0.4, unit="U", target=0.5, reference=8)
    result = BenchResult(name="x", sort_unit_seconds=0.1, versions={}, provenance="", lines=(line,))
    assert json.loads(json.dumps(result.to_dict()))["lines"][0]["met"] is True


def test_cpu_seconds_counts_work_not_waiting() -> None:
    import time

    assert cpu_seconds(lambda: time.sleep(0.02), repeat=3) < 0.01
    assert cpu_seconds(lambda: sum(range(300_000)), repeat=3) > 0.0005
