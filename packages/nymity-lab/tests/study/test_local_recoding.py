"""The study local-recoding: its smallest scale from end to end, its measures against their definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nymity_lab.datasets import PublicDataset
from nymity_lab.study import find_study
from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.exhibit_parts import both, span, where
from nymity_lab.study.local_recoding import paper, work
from nymity_lab.study.local_recoding.exhibit_parts import at, by, grows, less, listed, ratios
from nymity_lab.study.local_recoding.exhibits import exhibits
from nymity_lab.study.local_recoding.steps import CARRIES, FREEFORM, GROWN, SIMPLE, STAYS
from nymity_lab.study.runner import StudyRun
from nymity_lab.study.study import Results

STUDY = "local-recoding"
NUMBERS = (
    "Table 3.1", "Table 3.2", "Table A.1", "Table 3.3", "Table 3.4", "Table 3.5", "Table 3.6", "Figure 3.2",
    "Figure 3.3", "Figure 3.4", "Figure 3.5", "Figure 3.6", "Figure 3.7", "Figure 3.8", "Figure A.1", "Table A.2",
    "Table A.3", "Table A.4",
)  # fmt: skip


def found(run: StudyRun, number: str) -> Exhibit:
    return next(exhibit for exhibit in run.exhibits if exhibit.number == number)


def test_every_exhibit_is_there(smoke: StudyRun, folder: Path) -> None:
    assert tuple(exhibit.number for exhibit in smoke.exhibits) == NUMBERS
    assert all(exhibit.findings and exhibit.panels and exhibit.notes for exhibit in smoke.exhibits)
    page = (folder / "study.html").read_text(encoding="utf-8")
    assert all(f"{exhibit.number}: {exhibit.title}".replace("&", "&amp;") in page for exhibit in smoke.exhibits)


@pytest.mark.parametrize(
    ("number", "entries"),
    [("Table 3.1", 7), ("Table 3.2", 20), ("Table A.1", 20), ("Table 3.3", 9), ("Table 3.4", 17), ("Table 3.5", 16)],
)
def test_the_worked_examples_agree_to_the_letter(smoke: StudyRun, number: str, entries: int) -> None:
    exhibit = found(smoke, number)
    assert [value.ours for value in exhibit.panels[0].values] == [value.paper for value in exhibit.panels[0].values]
    assert len(exhibit.panels[0].values) == entries
    assert exhibit.findings[0].holds


def test_what_the_thesis_prints_is_consistent() -> None:
    assert [sum(counts.values()) for counts in paper.SIZES.values()] == [556, 417, 334]  # n / (k S), rounded up
    assert len(paper.RECORDS) == 20
    assert sorted(record for members in paper.CELLS for record in members) == list(range(20))


def test_a_part_of_a_run_leaves_out_what_reads_a_step_that_is_not_there(smoke: StudyRun, rows: dict[str, Any]) -> None:
    lacking = next(id_ for id_ in rows if id_.startswith("figure-3.5."))
    part = Results(scale="smoke", by_step={i: found for i, found in rows.items() if i != lacking}, missing=(lacking,))
    left_out = ("Figure 3.5", "Table A.2")
    assert exhibits(part) == [exhibit for exhibit in smoke.exhibits if exhibit.number not in left_out]


def test_generated_records_decide_nothing_else(smoke: StudyRun) -> None:
    printed = ("Table 3.1", "Table 3.2", "Table A.1", "Table 3.3", "Table 3.4", "Table 3.5")
    figures = [exhibit for exhibit in smoke.exhibits if exhibit.number not in printed]
    assert {finding.holds for exhibit in figures for finding in exhibit.findings} == {None}
    assert all("Generated" in exhibit.notes[0] for exhibit in figures)


def test_findings_follow_from_the_results(rows: dict[str, Any]) -> None:
    """Doctored results turn a finding."""
    read = exhibits(Results(scale="quick", by_step=rows))
    assert {finding.holds for exhibit in read for finding in exhibit.findings} >= {True, False}
    for loss, holds in ((1e6, False), (1e-6, True)):
        other = {
            id_: [row | {"loss": loss} if id_.startswith("figure-3.6") and "carry" in id_ else row for row in those]
            for id_, those in rows.items()
        }
        figure = exhibits(Results(scale="quick", by_step=other))[NUMBERS.index("Figure 3.6")]
        finding = next(f for f in figure.findings if f.paper.startswith("Split & Carry loses much less than both"))
        assert finding.holds is holds
    without = rows | {"examples": [row for row in rows["examples"] if row.get("index") != 8]}
    assert exhibits(Results(scale="quick", by_step=without))[NUMBERS.index("Table 3.5")].findings[0].holds is False


COLUMNS, SETS = ["a", "b", "c", "d", "e"], ["a", "c", "d"]


@pytest.mark.parametrize("method", ["optimum", CARRIES[0], *GROWN, *SIMPLE, *FREEFORM])
def test_loss_and_gcp_are_what_their_definitions_say(method: str) -> None:
    row = work.measure("generated", COLUMNS, SETS, 30, 1, 3, method, 5.0)[0]
    problem = work._problem("generated", COLUMNS, SETS, 30, 1, 3)
    geometry = problem.geometry
    answer = work._method(method, 5.0)
    if method == "mondrian":
        classes = answer.divide(problem, lambda _: None).assignment.class_of_records()
    else:
        answer = answer.partition(geometry, 3)
        classes = getattr(answer, "classes", answer)
    covers = answer.records if method in FREEFORM else [np.flatnonzero(classes == c) for c in classes]
    loss = gcp = 0.0
    for covered in covers:  # of each record
        width = sum(geometry.scales * np.ptp(geometry.points[covered], axis=0))
        kinds = [len(set(column)) for column in geometry.codes[covered].T.tolist()]
        loss += width + sum(d / h for d, h in zip(kinds, geometry.set_sizes, strict=True) if d > 1)
        gcp += width + sum((d - 1) / h for d, h in zip(kinds, geometry.set_sizes, strict=True))
    assert row["loss"] == pytest.approx(loss)
    assert row["gcp"] == pytest.approx(gcp)
    assert row["loss"] > row["gcp"] > 0
    assert (row["n"], row["m"], row["k"], row["method"]) == (30, 5, 3, method)


def test_fewer_records_are_among_more() -> None:
    few, more = (work._problem("generated", COLUMNS, [], n, 0, 2).table for n in (20, 50))
    assert (few.n_records, more.n_records) == (20, 50)
    rows = [sorted(zip(*t.combinations.T.tolist(), strict=True)) for t in (few, more)]
    assert len(rows[0]) <= 20
    other = work._problem("generated", COLUMNS, [], 20, 1, 2).table
    assert other.counts.sum() == few.counts.sum()


@pytest.mark.data
@pytest.mark.parametrize(
    ("data", "columns", "records"), [("acs", ["Age"], 665_800), ("fars", ["ideathmon", "iage"], 90_000)]
)
def test_real_records_are_numbers(
    data: str, columns: list[str], records: int, load_public: Callable[[str], PublicDataset]
) -> None:
    load_public(data)
    table = work._READERS[data](columns)
    assert table.height >= records
    assert all(dtype.is_integer() for dtype in table.dtypes)


@pytest.mark.data
def test_hospital_stays_have_35_columns(load_public: Callable[[str], PublicDataset]) -> None:
    load_public("diabetes130")
    table = work._READERS["diabetes130"](STAYS)
    assert table.shape == (101_766, 35)
    assert all(dtype.is_integer() for dtype in table.dtypes)
    assert all(table[name].n_unique() > 1 for name in STAYS)
    assert table.null_count().sum_horizontal()[0] == 0


def test_reading_ratios() -> None:
    rows = [
        {"n": n, "m": 4, "k": k, "method": method, "loss": loss}
        for n, k, method, loss in [
            (10, 2, "a", 3.0),
            (10, 2, "b", 2.0),
            (10, 5, "a", 1.0),
            (20, 2, "a", 0.0),
            (20, 2, "b", 0.0),
        ]
    ]
    found = ratios(rows, "a", "b")
    assert found == {(10, 4, 2): 1.5, (20, 4, 2): 1.0}
    assert at(found, n=20) == {(20, 4, 2): 1.0}
    assert by(found, 0) == {10: 1.5, 20: 1.0}
    assert by(found, 2) == {2: 1.25}
    assert listed(by(found, 0), "n") == "1.5 (n=10), 1 (n=20)"
    assert (span([2000.4, 1.0]), span([1.0, 1.00001])) == ("1 to 2,000", "1")
    assert where(rows, method=("b",), n=10) == [rows[1]]


@pytest.mark.parametrize(
    ("ratios_", "verdict"), [([0.9, 0.98], True), ([0.9, 0.995], None), ([0.9, 1.005], None), ([0.995, 1.02], False)]
)
def test_what_is_too_near_decides_nothing(ratios_: list[float], verdict: bool | None) -> None:
    assert less(ratios_) is verdict


def test_verdicts_are_joined() -> None:
    assert grows({1: 1.0, 2: 1.5, 3: 2.0}) is True
    assert grows({1: 1.0, 2: 1.5, 3: 1.4}) is False
    assert [both(True, True), both(True, None), both(None, False)] == [True, None, False]


def test_a_changed_study_would_be_noticed(smoke: StudyRun) -> None:
    study = find_study("local-recoding")
    step = study.steps_at("smoke")[0]
    assert study.fingerprint(step) != replace(study, version="2").fingerprint(step)
