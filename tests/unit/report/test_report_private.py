"""The page on a differentially private release: what it says, and that nothing private can get in."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.dp.private_method import PrivateOutcome
from nymity.publishing.releases.release import Release
from nymity.report import render_report, write_report

AGE = ny.Hierarchy.from_rows([[str(i), f"{i // 5 * 5}-{i // 5 * 5 + 4}", "*"] for i in range(20)])
SCHEMA = ny.Schema({"age": ny.quasi(AGE), "sex": ny.quasi(ny.Hierarchy.flat(["m", "f"]))})
PROMISE = ny.DifferentialPrivacy(epsilon=1.5, public_records=700, notion="probabilistic")


def people(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame({"age": rng.integers(0, 20, n), "sex": [("m", "f")[i] for i in rng.integers(0, 2, n)]})


def released(method: ny.SafePub | ny.EpsilonSafeLattice | None = None, n: int = 613) -> Release:
    return ny.publish(people(n), SCHEMA, privacy=PROMISE, method=method or ny.SafePub())


@pytest.mark.parametrize("method", [ny.SafePub(), ny.SafePub(steps=5, score="group-size"), ny.EpsilonSafeLattice()])
def test_the_page_says_what_is_promised_spent_and_reached(method: ny.SafePub | ny.EpsilonSafeLattice) -> None:
    page = render_report(released(method))
    for anchor in ("meaning", "budget", "reached", "levels", "certificate"):
        assert f'<section id="{anchor}">' in page
    text = re.sub(r"<[^>]+>", " ", page)
    assert "epsilon = 1.5" in text
    assert "4.48 times likelier" in text  # e^1.5
    assert f"k = {PROMISE.k}" in text
    assert "may be read by anybody" in text
    assert "Several records of one person" in text
    assert "notion = &#39;standard&#39; asks for k = " in text


def test_what_the_custodian_knows_cannot_get_in() -> None:
    """Another log, trace and sample, and no original: the page is the same."""
    one = released()
    outcome = one.outcome
    assert isinstance(outcome, PrivateOutcome)
    choice = replace(outcome.choice, levels=outcome.choice.levels[:0], scores=outcome.choice.scores[:0])
    other = replace(
        one,
        outcome=replace(outcome, sample_records=0, choice=choice),
        log=replace(one.log, figures={}, seconds={}, source_rows=one.log.source_rows * 0, salt="0"),
    )
    page = render_report(one)
    assert render_report(other) == page
    assert render_report(one, people(3)) == page


def test_an_empty_release_has_a_page() -> None:
    page = render_report(released(n=1))
    assert "Average group" in page


def test_a_seeded_release_is_called_not_private(tmp_path: Path) -> None:
    write_report(released(ny.SafePub(not_private_seed=3)), None, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "✗ not private" in page
    assert "may be read by anybody" not in page
