"""Forecasts follow from public facts alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import ParameterError, SchemaError

AGE = ny.Hierarchy.from_rows([[str(i), f"{i // 5}", "*"] for i in range(20)])
SEX = ny.Hierarchy.flat(["m", "f"])
SCHEMA = ny.Schema({"id": ny.identifying(), "age": ny.quasi(AGE, missing="drop"), "sex": ny.quasi(SEX, missing="drop")})
PROMISE = ny.DifferentialPrivacy(epsilon=1.0, public_records=600, delta=1e-4)


def test_what_a_node_can_have() -> None:
    ahead = ny.dp.forecast(SCHEMA, PROMISE)
    assert PROMISE.k == 32
    assert ahead.sampled_records == 356  # 600 times 0.59343
    assert ahead.most_classes == 11
    found = {(row["level of age"], row["level of sex"]): row for row in ahead.nodes.iter_rows(named=True)}
    assert {node: row["classes"] for node, row in found.items()} == {
        (0, 0): 40, (0, 1): 20, (1, 0): 8, (1, 1): 4, (2, 0): 2, (2, 1): 1,
    }  # fmt: skip
    assert {node for node, row in found.items() if row["reachable"]} == {(1, 0), (1, 1), (2, 0), (2, 1)}
    assert all(row["average"] == 356 / row["classes"] for row in found.values())
    assert ahead.finest.rows() == [(8.0, 44.5, True, 1, 0)]


def test_several_nodes_can_be_finest() -> None:
    ahead = ny.dp.forecast(SCHEMA, ny.DifferentialPrivacy(epsilon=1.0, public_records=1200, delta=1e-4))
    nodes = ahead.finest.select("level of age", "level of sex").rows()
    assert nodes == [(0, 1), (1, 0)]


def test_too_few_records_reach_nothing() -> None:
    ahead = ny.dp.forecast(SCHEMA, ny.DifferentialPrivacy(epsilon=1.0, public_records=40))
    assert ahead.most_classes == 0
    assert ahead.finest.is_empty()


def test_other_budgets_beside_it() -> None:
    compared = ny.dp.forecast(SCHEMA, PROMISE).compared([0.5, 1.0, 2.0])
    for row in compared.iter_rows(named=True):
        model = ny.DifferentialPrivacy(
            epsilon=row["epsilon"], epsilon_search=row["epsilon"] / 10, public_records=600, delta=1e-4
        )
        assert (row["k"], row["sampled_records"]) == (model.k, int(600 * model.beta))
        assert row["most_classes"] == row["sampled_records"] // row["k"]


def test_bounds_of_levels_and_gaps_count() -> None:
    schema = ny.Schema({"age": ny.quasi(AGE, min_level=1), "sex": ny.quasi(SEX, level=0)})
    nodes = ny.dp.forecast(schema, PROMISE).nodes
    assert nodes["classes"].to_list() == [5 * 3, 1 * 3]  # a gap is a value


def test_hierarchies_must_be_public() -> None:
    with pytest.raises(SchemaError, match=r"schema\.age\.hierarchy"):
        ny.dp.forecast(ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=5))}), PROMISE)
    tall = ny.Hierarchy.from_rows(
        [["a", *(f"a{i}" for i in range(30)), "*"], ["b", *(f"b{i}" for i in range(30)), "*"]]
    )
    with pytest.raises(ParameterError, match="nodes"):
        ny.dp.forecast(ny.Schema({f"c{i}": ny.quasi(tall) for i in range(5)}), PROMISE)


def test_advice_names_parameters_that_help() -> None:
    strict = ny.DifferentialPrivacy(epsilon=3.0, public_records=600, delta=1e-9, notion="probabilistic")
    told = ny.dp.forecast(SCHEMA, strict).advice()
    standard, relaxed = (replace(strict, **change).k for change in ({"notion": "standard"}, {"delta": None}))
    assert f"notion = 'standard' asks for k = {standard} instead of {strict.k}" in told
    assert f"delta = 1e-05, which is recommended for 600 records, asks for k = {relaxed} instead of {strict.k}" in told
    best = max(ny.dp.forecast(SCHEMA, strict).compared().rows(named=True), key=lambda row: row["most_classes"])
    assert any(text.startswith(f"epsilon = {best['epsilon']:g} would allow {best['most_classes']} ") for text in told)
    few = ny.dp.forecast(SCHEMA, ny.DifferentialPrivacy(epsilon=1.0, public_records=40, delta=1e-4)).advice()
    assert few == ["about 54 records are needed for a class of k = 32 sampled ones"]  # 32 / 0.59343
    lavish = ny.DifferentialPrivacy(epsilon=1.0, public_records=10**6)
    best_epsilon = ny.dp.forecast(SCHEMA, lavish).compared()["most_classes"].arg_max() == 1
    assert bool(ny.dp.forecast(SCHEMA, lavish).advice()) is not best_epsilon


def test_the_command_line_forecasts_without_the_table(tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text(
        json.dumps(
            {
                "source": {"path": "there is none.csv", "delimiter": ",", "encoding": "utf-8", "header": True},
                "schema": {"age": {"role": "quasi", "hierarchy": {"type": "rows", "rows": AGE.rows()}}},
                "privacy": [{"model": "differential-privacy", "epsilon": 1.0, "public_records": 600, "delta": 1e-4}],
                "method": {"name": "safepub"},
            }
        )
    )
    shown = CliRunner().invoke(app, ["forecast", str(tmp_path / "job.json")])
    assert shown.exit_code == 0, shown.output
    assert "k = 32: of 600 records 356 are sampled" in " ".join(shown.output.split())
    plain = CliRunner().invoke(app, ["forecast", str(tmp_path / "job.json"), "--json"])
    assert json.loads(plain.output)["most_classes"] == 11
    changed = CliRunner().invoke(app, ["forecast", str(tmp_path / "job.json"), "--set", "privacy.0.model=k-anonymity"])
    assert changed.exit_code == 2
