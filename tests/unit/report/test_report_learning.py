"""The section on learning."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.report import render_report
from nymity.report.learning import learning_section
from nymity.report.markup import Figures
from nymity.utility import learn


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, 120)
    ill = np.where(age + rng.integers(-5, 5, 120) > 40, "yes", "no")
    return pl.DataFrame({"age": age, "sex": rng.choice(["f", "m"], 120), "ill": ill})


SCHEMA = ny.Schema(
    {"age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)), "sex": ny.quasi(), "ill": ny.sensitive()}
)


def test_three_plots_and_the_figures_they_show(table: pl.DataFrame) -> None:
    release = ny.publish(table, SCHEMA, privacy=[ny.KAnonymity(k=5)])
    found = learn(table, release, target="ill", classifiers=["decision-tree", "logistic-regression"], folds=3)
    figures = Figures()
    text = "".join(learning_section(found, figures).parts)
    assert len(figures.specs) == 3
    accuracy, curves, columns = (spec["data"]["values"] for spec in figures.specs)
    assert [row["b"] for row in accuracy] == [*(r.original.accuracy for r in found.results), found.zero_r]
    assert [row["a"] for row in accuracy] == [*(r.release.accuracy for r in found.results), found.zero_r]
    assert {row["s"] for row in curves} == {
        f"{name}, {side}" for name in ("decision tree", "logistic regression") for side in ("original", "release")
    }
    assert {row["v"] for row in columns} == {"age", "sex"}
    assert "divided into 3 parts" in text
    page = render_report(release, table, learning=found)
    assert 'id="learning"' in page
    assert page.index('id="learning"') < page.index('id="certificate"')
    assert 'id="learning"' not in render_report(release, table)


def test_rare_classes_are_not_named(table: pl.DataFrame) -> None:
    rare = table.with_columns(ill=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("plague")).otherwise("ill"))
    release = ny.publish(rare, SCHEMA, privacy=[ny.KAnonymity(k=5)])
    found = learn(rare, release, target="ill", classifiers=["decision-tree"], folds=3)
    figures = Figures()
    text = "".join(learning_section(found, figures).parts)
    assert len(figures.specs) == 2
    assert "ROC curves are undefined" in text
    assert "plague" not in text + str(figures.specs)
