"""nymity explore: the best nodes, both fronts, all nodes in a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

Run = Callable[..., Result]


def test_explore_shows_the_best_nodes_and_both_fronts(published: Path, nymity: Run) -> None:
    done = nymity("explore", "job.toml")
    assert done.exit_code == 0, done.output
    assert "8 nodes" in done.stdout
    for words in ("The solutions with the least loss (loss)", "What a suppression limit buys", "What a larger k costs"):
        assert words in done.stdout
    assert "Levels are those of age, sex." in " ".join(done.stdout.split())
    assert max(map(len, done.stdout.splitlines())) <= 80
    certificate = json.loads((published / "release/certificate.json").read_text(encoding="utf-8"))
    chosen = " ".join(str(column["level"]) for column in certificate["columns"] if "level" in column)
    first = next(line for line in done.stdout.splitlines() if f" {certificate['loss']['value']:.4g} " in line)
    assert first.rstrip().endswith(chosen)


def test_everything_as_json(folder: Path, nymity: Run) -> None:
    found = json.loads(
        nymity("explore", "job.toml", "--json", "--top", "2", "--loss", "entropy", "--loss", "gcp").stdout
    )
    assert (found["nodes"], found["records"], found["file"]) == (8, 60, None)
    assert found["attributes"] == ["age", "sex"]
    assert found["losses"] == ["entropy", "gcp"]
    assert len(found["best"]) == 2
    assert found["best"][0]["losses"]["entropy"] <= found["best"][1]["losses"]["entropy"]
    assert all(node["solution"] and node["k"] >= 4 for node in found["best"])
    suppressed = [node["suppressed"] for node in found["pareto"]["suppression"]]
    assert suppressed == sorted(suppressed)
    assert len(found["pareto"]["k"]) >= 1


def test_a_node_is_published_by_its_number_and_by_its_levels(folder: Path, nymity: Run) -> None:
    """Every solution of the list gives a release that holds, at its levels and with what it suppresses."""
    nodes = json.loads(nymity("explore", "job.toml", "--json").stdout)["best"]
    assert len({node["node"] for node in nodes}) == len(nodes) > 1
    for node in nodes:
        by_levels = ",".join(f"{name}={level}" for name, level in node["levels"].items())
        for how, given in (("number", str(node["node"])), ("levels", by_levels)):
            out = f"{how}-{node['node']}"
            done = nymity("publish", "job.toml", "--node", given, "--out", out, "--no-report", "--json")
            assert done.exit_code == 0, done.output
            found = json.loads(done.stdout)
            assert {one["attribute"]: one["level"] for one in found["levels"]} == node["levels"]
            assert found["suppressed"]["records"] == node["suppressed"]
            assert found["loss"]["value"] == pytest.approx(node["losses"]["loss"])
            assert "chosen-by-hand" in [one["warning"] for one in found["warnings"]]
            assert not found["certificate"]["loss"]["proven_optimal"]
            assert nymity("check", out).exit_code == 0


def test_a_node_that_breaks_the_promise_is_not_published(folder: Path, nymity: Run) -> None:
    nymity("explore", "job.toml", "--out", "nodes.csv", "--quiet")
    worst = pl.read_csv(folder / "nodes.csv").filter(~pl.col("solution"))["node"][0]
    done = nymity("publish", "job.toml", "--node", str(worst), "--out", "broken")
    assert done.exit_code == 3, done.output
    assert "would have to be suppressed" in " ".join(done.stderr.split())
    assert not (folder / "broken").exists()


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ("9", "from 1 to 8"),
        ("0", "from 1 to 8"),
        ("age=9,sex=0", "a level from 0 to 3"),
        ("age=2,age=3,sex=0", "each column once"),
        ("age=2", "a level for every quasi-identifier, got none for sex"),
        ("agee=1", "did you mean 'age'"),
        ("age", "the number of a node, or levels"),
        ("", "the number of a node, or levels"),
    ],
)
def test_no_such_node(folder: Path, nymity: Run, node: str, words: str) -> None:
    done = nymity("publish", "job.toml", "--node", node, "--out", "none")
    assert done.exit_code == 2, done.output
    assert words in " ".join(done.stderr.split())


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_all_nodes_go_to_a_file(folder: Path, nymity: Run, suffix: str) -> None:
    name = f"nodes.{suffix}"
    done = nymity("explore", "job.toml", "--out", name, "--set", "method.suppression=0")
    assert done.exit_code == 0, done.output
    assert f"Wrote {name}" in done.stdout
    nodes = pl.read_csv(folder / name) if suffix == "csv" else pl.read_parquet(folder / name)
    assert nodes.height == 8
    assert nodes["solution"].to_list() == (nodes["suppressed"] == 0).to_list()
    assert nodes.columns[-2:] == ["level of age", "level of sex"]
    again = nymity("explore", "job.toml", "--out", name)
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert nymity("explore", "job.toml", "--out", name, "--force", "--quiet").stdout == ""


def test_a_long_front_is_thinned_and_that_is_said(folder: Path, nymity: Run) -> None:
    full = json.loads(nymity("explore", "job.toml", "--json").stdout)["pareto"]["k"]
    assert len(full) > 1
    done = nymity("explore", "job.toml", "--top", "1")
    assert f"1 of {len(full)} nodes, evenly spaced: no other node reaches as large a k with" in done.stdout


def test_no_solution_is_shown_not_refused(folder: Path, nymity: Run) -> None:
    settings = ("--set", "privacy[0].k=4", "--set", "schema.age.max_level=0", "--set", "method.suppression=0")
    done = nymity("explore", "job.toml", *settings, "--set", "privacy[1].l=1")
    assert done.exit_code == 0, done.output
    assert "2 nodes, 0 solutions within the suppression limit" in done.stdout
    assert "The solutions with the least loss" not in done.stdout
    nothing = nymity("explore", "job.toml", *settings, "--set", "privacy[0].k=60")
    assert nothing.exit_code == 0, nothing.output
    assert "At every node all records would have to be suppressed" in nothing.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("job.toml", "--loss", "entropi"), "did you mean 'entropy'?"),
        (("job.toml", "--out", "people.csv", "--force"), "another file than those that are read"),
        (("job.toml", "--out", "nodes.xyz"), "nodes.xyz"),
        (("none.toml",), "none.toml"),
    ],
)
def test_what_is_wrong_is_told(folder: Path, nymity: Run, arguments: tuple[str, ...], words: str) -> None:
    before = (folder / "people.csv").read_bytes()
    done = nymity("explore", *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert (folder / "people.csv").read_bytes() == before
