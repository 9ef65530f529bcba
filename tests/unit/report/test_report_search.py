"""The plots of what a search saw: every node as it is, the fronts as lines, and thinned out honestly."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

from nymity.datasets import hospital, hospital_schema
from nymity.lattice.mingen import MinGen
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.report import search
from nymity.report.markup import Figures
from nymity.report.search import search_section
from nymity.report.subject import Subject
from nymity.table.attribute import quasi
from nymity.table.schema import Schema

Rows = list[dict[str, Any]]


def drawn(release: Release, frame: pl.DataFrame) -> tuple[Rows, Rows, str]:
    """Return the points of both plots, and the words around them."""
    figures = Figures()
    section = search_section(Subject.of(release, frame), figures)
    by_suppression, by_k = (spec["data"]["values"] for spec in figures.specs)
    return by_suppression, by_k, " ".join(section.parts)


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return hospital(800)


@pytest.fixture(scope="module")
def pruned(frame: pl.DataFrame) -> Release:
    return publish(frame, hospital_schema(), privacy=KAnonymity(k=5), method=OptimalLattice(suppression=0.05))


@pytest.fixture(scope="module")
def exhaustive(frame: pl.DataFrame) -> Release:
    method = MinGen(loss="average-class-size", suppression=0.05)
    return publish(frame, hospital_schema(), privacy=KAnonymity(k=5), method=method)


def test_points_are_the_evaluated_nodes(pruned: Release, frame: pl.DataFrame) -> None:
    by_suppression, by_k, words = drawn(pruned, frame)
    nodes, records = pruned.outcome.nodes, frame.height
    assert len(by_suppression) == len(nodes)
    assert sorted(row["x"] for row in by_suppression) == pytest.approx(sorted(nodes.suppressed / records), abs=1e-6)
    assert sorted(row["x"] for row in by_k) == sorted(k for k in nodes.smallest.tolist() if k > 0)
    assert sum(row["f"] for row in by_suppression) == nodes.pareto("suppression").sum()
    assert sum(row["f"] for row in by_k) == nodes.pareto("k").sum()
    for rows in (by_suppression, by_k):
        (chosen,) = (row for row in rows if row["k"] == "chosen")
        assert chosen["t"] == ", ".join(f"{name} {level}" for name, level in pruned.levels.items())
        within = sum(row["k"] != "suppresses too much" for row in rows)
        assert within == nodes.solution.sum()
        assert all(re.fullmatch(r"(\w+ \d+(, )?)+", row["t"]) for row in rows)  # levels, no values
    assert "It knows of evaluated nodes alone; nymity explore looks at all." in words
    assert f"Of {len(nodes)} evaluated nodes {nodes.solution.sum()} stayed within the limit; the diamond" in words
    assert "Drawn are" not in words


def test_many_nodes_are_thinned_and_that_is_said(exhaustive: Release, frame: pl.DataFrame) -> None:
    by_suppression, by_k, words = drawn(exhaustive, frame)
    nodes = exhaustive.outcome.nodes
    assert len(nodes) == 3600 > len(by_suppression) == search.MAX_POINTS
    assert len(by_k) <= search.MAX_POINTS
    assert sum(row["f"] for row in by_suppression) == nodes.pareto("suppression").sum() > 1
    assert sum(row["f"] for row in by_k) == nodes.pareto("k").sum() > 1
    assert "Drawn are 2,000 of 3,600 evaluated nodes: those on the lines and a sample of the others." in words
    assert "looks at all" not in words


def test_a_line_never_rises_towards_more_suppression(exhaustive: Release, frame: pl.DataFrame) -> None:
    by_suppression, by_k, _ = drawn(exhaustive, frame)
    fronts = [sorted((row["x"], row["y"]) for row in rows if row["f"]) for rows in (by_suppression, by_k)]
    losses = [[loss for _, loss in front] for front in fronts]
    assert losses[0] == sorted(losses[0], reverse=True)
    assert losses[1] == sorted(losses[1])


def test_a_lattice_of_one_node(frame: pl.DataFrame) -> None:
    small = frame.select("sex")
    release = publish(small, Schema({"sex": quasi(level=0)}), privacy=KAnonymity(k=2), method=OptimalLattice())
    by_suppression, by_k, words = drawn(release, small)
    assert [row["k"] for row in by_suppression + by_k] == ["chosen", "chosen"]
    assert "The only node was checked" in words
