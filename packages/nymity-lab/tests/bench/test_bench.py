from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from nymity.core.errors import FileError, ParameterError
from nymity_lab.bench import BenchResult, Line, benches, people, run_bench
from nymity_lab.bench.unit import count_keys, cpu_seconds


def test_an_unknown_benchmark_names_those_there_are() -> None:
    with pytest.raises(ParameterError, match="'lattice'"):
        run_bench("latice")
    assert set(benches()) == {
        "lattice",
        "toolbox",
        "workbench",
        "files",
        "database",
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
        "people",
        "reading",
        "inspect",
        "scale",
        "robust",
    }


def test_without_the_data_it_says_where_they_should_be(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("NYMITY_DATA", str(tmp_path))
    monkeypatch.setattr("nymity_lab.bench.measuring.counting_unit", lambda: 1.0)
    with pytest.raises(FileError, match="NYMITY_DATA"):
        run_bench("lattice")


def test_a_part_of_a_benchmark_is_measured_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def part(name: str) -> Callable[[people.Visits, float], Iterator[Line]]:
        return lambda table, unit: iter([Line(name=f"{name} of {table.frame.height}", value=unit, unit="G")])

    monkeypatch.setattr("nymity_lab.bench.measuring.counting_unit", lambda: 1.0)
    monkeypatch.setattr(people, "RECORDS", 50)
    monkeypatch.setattr(people, "PARTS", {name: part(name) for name in ("one", "other")})
    assert [line.name for line in run_bench("people", only="other").lines] == ["other of 50"]
    assert [line.name for line in run_bench("people").lines] == ["one of 50", "other of 50"]
    with pytest.raises(ParameterError, match="'one', 'other'"):
        run_bench("people", only="another")
    with pytest.raises(ParameterError, match="several parts"):
        run_bench("anytime", only="one")


def test_a_line_knows_whether_its_target_was_met() -> None:
    assert Line(name="a", value=0.4, unit="G", target=0.5).met is True
    assert Line(name="a", value=0.6, unit="G", target=0.5).met is False
    assert Line(name="a", value=0.6, unit="G").met is None


def test_the_result_is_plain_json() -> None:
    line = Line(name="a", value=0.4, unit="G", target=0.5, reference=8)
    result = BenchResult(name="x", unit_seconds=0.1, versions={}, provenance="", lines=(line,))
    assert json.loads(json.dumps(result.to_dict()))["lines"][0]["met"] is True


def test_cpu_seconds_counts_work_not_waiting() -> None:
    import time

    assert cpu_seconds(lambda: time.sleep(0.02), repeat=3) < 0.01
    assert cpu_seconds(lambda: sum(range(300_000)), repeat=3) > 0.0005


def test_the_unit_counts_every_key() -> None:
    keys = np.array([5, 7, 5, 0, 5, 2**63], dtype=np.uint64)
    table, counts = np.zeros(1 << 21, np.uint64), np.zeros(1 << 21, np.uint32)
    assert count_keys(keys, table, counts) == 4
    assert dict(zip(table[counts > 0].tolist(), counts[counts > 0].tolist(), strict=True)) == {
        5: 3,
        7: 1,
        0: 1,
        2**63: 1,
    }


def test_scale_publishes_a_census_by_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from nymity_lab.bench import scale

    monkeypatch.setattr(scale, "_PROFILES", 500)
    monkeypatch.setattr(scale, "counting_unit", lambda: 1.0)
    monkeypatch.setenv("NYMITY_SCALE", "1e3:streaming")
    lines = {line.name: line for line in scale._lines(1.0)}
    assert lines["1,000 records, streaming"].value > 0
    cpu = lines["1,000 records, streaming: recoding and writing"]
    clock = lines["1,000 records, streaming: recoding and writing, clock"]
    assert (cpu.unit, clock.unit) == ("G", "s")
    assert 0 < cpu.value < lines["1,000 records, streaming"].value  # a stage is a part of the command


def test_scale_tells_by_which_power_costs_grow() -> None:
    from nymity_lab.bench.scale import RunCost, _exponents

    costs = {
        rows: RunCost(
            cpu=1,
            wall=1,
            megabytes=1,
            stages={"counting": seconds, "verifying": 2.0},
            clocks={"counting": 3.0, "verifying": seconds},
        )
        for rows, seconds in ((10**6, 1.0), (10**7, 10.0), (10**8, 1_000.0))
    }
    found = {line.name: line.value for line in _exponents("duckdb", costs)}
    assert found["duckdb, counting: exponent from 1,000,000 to 10,000,000"] == pytest.approx(1)
    assert found["duckdb, counting: exponent from 10,000,000 to 100,000,000"] == pytest.approx(2)
    assert found["duckdb, verifying: exponent from 1,000,000 to 10,000,000"] == pytest.approx(0)
    # The CPU of Spark is that of another process.
    of_spark = {line.name: line.value for line in _exponents("spark", costs)}
    assert of_spark["spark, counting: exponent from 1,000,000 to 10,000,000"] == pytest.approx(0)
    assert of_spark["spark, verifying: exponent from 10,000,000 to 100,000,000"] == pytest.approx(2)


def test_parts_of_the_workbench_are_named() -> None:
    with pytest.raises(ParameterError, match="'large', 'users'"):
        run_bench("workbench", only="user")


def test_a_click_is_found_by_its_icon() -> None:
    from nymity_lab.bench.workbench_users import _click

    elements = '{"3":{"props":{"icon":"undo"},"events":[]},"7":{"props":{"icon":"play_arrow"},"events":'
    page = f'createApp(parseElements(String.raw`{elements}[{{"listener_id":"l","type":"click"}}]}}}}`), x)'
    found = _click(page, "page", "play_arrow")
    assert found == {"id": 7, "client_id": "page", "listener_id": "l", "args": ["{}"]}
