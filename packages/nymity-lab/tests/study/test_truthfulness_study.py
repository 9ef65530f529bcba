"""The study of truthfulness: distances by hand, true rows, and what findings make of draws."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity_lab.study.safepub.study_tables import StudyTable
from nymity_lab.study.study import Results, Row
from nymity_lab.study.truthfulness import STUDY, steps
from nymity_lab.study.truthfulness.exhibits import exhibits
from nymity_lab.study.truthfulness.work import MST, SAFEPUB, counted, distance, learned


def table() -> StudyTable:
    letters = ny.Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    sexes = ny.Hierarchy.from_rows([["f", "*"], ["m", "*"]])
    return StudyTable(
        table=pl.DataFrame({"x": ["a", "b", "c", "c"], "y": ["f", "m", "f", "m"]}),
        hierarchies={"x": letters, "y": sexes},
    )


def test_distances_by_hand() -> None:
    true = {"x": np.array([0, 1, 2, 2]), "y": np.array([0, 1, 0, 1])}
    raw, coarse = {"x": 0, "y": 0}, {"x": 1, "y": 1}
    assert distance(true, true, table(), raw, 1) == 0
    assert distance(true, true, table(), raw, 2) == 0
    # a, b, c are 1/4, 1/4, 1/2 and stay so where a and b are one cell; all of y are halves already
    assert distance(true, true, table(), coarse, 1) == 0
    # af, bm, cf, cm of 1/4 each become af, am, bf, bm of 1/8 and cf, cm of 1/4: half of four eighths
    assert distance(true, true, table(), coarse, 2) == pytest.approx(0.25)
    made = {"x": np.array([0, 0, 2, 2]), "y": np.array([0, 0, 0, 0])}
    assert distance(true, made, table(), raw, 1) == pytest.approx((0.25 + 0.5) / 2)


def test_every_row_of_safepub_is_a_persons() -> None:
    for row in counted("generated", SAFEPUB, 0.3, 2):
        assert row["true"] == 1
        assert 0 <= row["one"] <= row["two"] <= 1


def test_synthetic_rows_are_not() -> None:
    pytest.importorskip("mbi", reason="the extra synthetic is not installed")
    (row,) = counted("generated", MST, 0.0, 1)
    assert 0.2 < row["true"] < 1
    assert row["one"] < row["two"] < 0.5
    (tree,) = learned("generated", "rich", MST, 0.0, 1)
    assert 0.3 < tree["accuracy"] < 1


def test_the_smallest_scale_names_every_step_once() -> None:
    assert len({step.id for step in steps("quick")}) == len(steps("quick")) == 9
    assert STUDY.steps_at("smoke")


def rows(way: str, search: float, accuracy: float, two: float) -> tuple[list[Row], list[Row]]:
    about: Row = {"data": "d", "way": way, "search": search}
    learned = [
        about | {"target": "t", "seed": s, "original": 0.9, "zero_r": 0.5, "accuracy": accuracy + s / 1_000}
        for s in range(5)
    ]
    counts = [about | {"seed": s, "rows": 10, "one": 0.1, "two": two + s / 1_000, "true": 1.0} for s in range(5)]
    return learned, counts


@pytest.mark.parametrize(("accuracy", "two", "verdicts"), [(0.85, 0.3, [True, True]), (0.70, 0.1, [False, False])])
def test_findings_are_by_intervals(accuracy: float, two: float, verdicts: list[bool]) -> None:
    ours, theirs = rows(SAFEPUB, 0.3, accuracy, 0.5), rows(MST, 0.0, 0.8, 0.2)
    first = rows(SAFEPUB, 0.1, 0.6, two)
    by_step = {"learned.a": ours[0] + theirs[0], "counted.a": first[1] + theirs[1]}
    (exhibit,) = exhibits(Results(scale="quick", by_step=by_step))
    assert [finding.holds for finding in exhibit.findings] == verdicts
    (part,) = exhibits(Results(scale="quick", by_step={"counted.a": first[1]}))
    assert [finding.holds for finding in part.findings] == [None]
