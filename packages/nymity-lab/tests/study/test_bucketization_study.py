"""The study bucketization: its smallest scale from end to end, its measures against their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from nymity.bucket import fill
from nymity_lab.datasets import PublicDataset
from nymity_lab.study.bucketization import work
from nymity_lab.study.bucketization.exhibit_parts import figures, growth, over
from nymity_lab.study.bucketization.exhibits import exhibits
from nymity_lab.study.bucketization.steps import CENSUS, SENSITIVE
from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.runner import StudyRun
from nymity_lab.study.study import Results

EXAMPLES = tuple(f"Example {number}" for number in range(4, 14))
STUDY = "bucketization"
NUMBERS = (
    *EXAMPLES, "Table 7.1", "Table 7.2", "Figure 7.1", "Figure 7.2", "Figure 7.3", "Figure 7.4", "Figure 7.5",
    "Figure 7.6", "Beyond the thesis",
)  # fmt: skip


def test_every_exhibit_is_there(smoke: StudyRun, folder: Path) -> None:
    assert tuple(exhibit.number for exhibit in smoke.exhibits) == NUMBERS
    assert all(exhibit.panels and exhibit.notes for exhibit in smoke.exhibits)
    assert all(exhibit.findings for exhibit in smoke.exhibits if exhibit.number not in ("Table 7.1", "Table 7.2"))
    page = (folder / "study.html").read_text(encoding="utf-8")
    assert all(f"{exhibit.number}: {exhibit.title}" in page for exhibit in smoke.exhibits)


def test_a_part_of_a_run_leaves_out_what_reads_a_step_that_is_not_there(smoke: StudyRun, rows: dict[str, Any]) -> None:
    lacking = "scale-up.edu.n=1000.gamma=4"
    part = Results(scale="smoke", by_step={i: found for i, found in rows.items() if i != lacking}, missing=(lacking,))
    assert exhibits(part) == [exhibit for exhibit in smoke.exhibits if exhibit.number != "Figure 7.6"]


def test_generated_records_decide_nothing(smoke: StudyRun) -> None:
    others = [exhibit for exhibit in smoke.exhibits if exhibit.number not in EXAMPLES]
    assert {finding.holds for exhibit in others for finding in exhibit.findings} == {None}
    assert all("Generated" in exhibit.notes[0] for exhibit in others)


def test_the_worked_examples_say_where_the_thesis_is_wrong(smoke: StudyRun) -> None:
    """What is known to be wrong: tests/unit/bucket/test_bucket_thesis.py has the proofs."""
    found = {e.number: e.findings[0] for e in smoke.exhibits if e.number in EXAMPLES}
    assert [number for number, finding in found.items() if not finding.holds] == [
        "Example 5", "Example 9", "Example 13",
    ]  # fmt: skip
    assert "optimal loss: 72, printed 70" in found["Example 5"].ours
    assert "records that it holds: 32, printed 36" in found["Example 5"].ours
    assert "(6, 2) (1, 5), printed (1, 5)" in found["Example 9"].ours
    for printed, ours in ((132, 148), (125, 102), (118, 95)):
        assert f"{ours}, printed {printed}" in found["Example 13"].ours


# -- findings follow from the results --------------------------------------------------------------------------


def read(rows: dict[str, Any], number: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Exhibit:
    """Return an exhibit as if real records had given these rows, changed."""
    changed = {id_: [row | change(row) for row in those] for id_, those in rows.items()}
    return exhibits(Results(scale="quick", by_step=changed))[NUMBERS.index(number)]


def test_real_records_decide_every_finding(rows: dict[str, Any]) -> None:
    found = exhibits(Results(scale="quick", by_step=rows))
    assert all(isinstance(finding.holds, bool) for exhibit in found for finding in exhibit.findings)
    shares = next(exhibit for exhibit in found if exhibit.number == "Figure 7.1").panels[1]
    assert [value.paper for value in shares.values] == [0.075, 0.0018, 0.273, 0.0044]


LOSSES = {"anatomy": 3.0, "two-size": 1.1, "multi-size": 1.05, "optimal": 1.0}


@pytest.mark.parametrize(
    ("changed", "holds"),
    [
        ({}, [True, True, True]),
        ({"anatomy": 1.2}, [False, True, True]),
        ({"two-size": 1.2}, [True, False, True]),
        ({"multi-size": 1.15}, [True, True, False]),
    ],
)
def test_losses_decide_figure_7_3(rows: dict[str, Any], changed: dict[str, float], holds: list[bool]) -> None:
    loss = LOSSES | changed
    exhibit = read(rows, "Figure 7.3", lambda row: {"information_loss": loss.get(row.get("method", ""))})
    assert [finding.holds for finding in exhibit.findings] == holds


ERRORS = {"two-size": 0.08, "multi-size": 0.06, "optimal": 0.04, "optimal, similar": 0.03, "mondrian": 0.2}


@pytest.mark.parametrize(
    ("changed", "thesis", "beyond"),
    [
        ({}, [True, False, True, True, True], [True, True, True]),
        (
            {"two-size": 0.13, "multi-size": 0.12, "optimal": 0.115},
            [False, True, False, False, False],
            [False, True, False],
        ),
        ({"mondrian": 0.07, "optimal, similar": 0.05}, [True, False, True, True, True], [False, False, True]),
    ],
)
def test_errors_decide_figure_7_4(
    rows: dict[str, Any], changed: dict[str, float], thesis: list[bool], beyond: list[bool]
) -> None:
    error = ERRORS | changed
    for number, holds in (("Figure 7.4", thesis), ("Beyond the thesis", beyond)):
        exhibit = read(rows, number, lambda row: {"mean": error.get(row.get("method", ""), 0.1)})
        assert [finding.holds for finding in exhibit.findings] == holds


def test_times_decide_figures_7_5_and_7_6(rows: dict[str, Any]) -> None:
    def as_in_the_thesis(row: dict[str, Any]) -> dict[str, Any]:
        if "gamma" not in row:
            return {}
        many, gamma = row["n"] / 500, row["gamma"]
        seconds = {
            "no pruning": 10 * many / gamma,
            "loss pruning": many,
            "full pruning": 0.1,
            "multi-size": 0.2,
            "integer program": gamma**2,
        }
        return {"seconds": seconds[row["method"]]}

    for number in ("Figure 7.5", "Figure 7.6"):
        exhibit = read(rows, number, as_in_the_thesis)
        assert all(finding.holds for finding in exhibit.findings), exhibit.findings
        exhibit = read(rows, number, lambda row: {"seconds": 1.0})
        assert not any(finding.holds for finding in exhibit.findings if "rises little" not in finding.paper)


@pytest.mark.parametrize(("proved", "seconds", "holds"), [(True, 1.0, False), (False, 1.0, None), (False, 9.0, True)])
def test_a_program_that_was_stopped_grew_at_least_so_much(
    rows: dict[str, Any], proved: bool, seconds: float, holds: bool | None
) -> None:
    def stopped(row: dict[str, Any]) -> dict[str, Any]:
        return {"proved": proved, "seconds": seconds if row.get("gamma") == 4 else 1.0}

    finding = read(rows, "Figure 7.6", stopped).findings[0]
    assert finding.holds is holds
    assert ("or more" in finding.ours) is not proved


# -- measures --------------------------------------------------------------------------------------------------


def test_thresholds_and_the_l_they_need_are_exact() -> None:
    assert work.thresholds([1, 4, 5], 2) == [Fraction(22, 100), Fraction(82, 100), 1]
    assert work.needed_l([1, 4, 5], 2) == 5
    assert work.needed_l([1, 9], 8) == 2  # 0.82
    assert work.needed_l([3, 97], 1) == 20  # exactly 1 / 0.05


def test_losses_are_those_of_the_definition(rows: dict[str, Any]) -> None:
    for row in [row for id_ in rows if id_.startswith("loss.") for row in rows[id_]]:
        assert row["information_loss"] == pytest.approx(row["loss"] ** 0.5 / (row["n"] - 1))
        if row["method"] == "anatomy":
            continue
        assert row["bound"] <= row["loss"]
    for theta in (2, 32):
        loss = {row["method"]: row["loss"] for row in rows[f"loss.occ.theta={theta}"]}
        assert loss["optimal"] <= loss["multi-size"] <= loss["two-size"]


@pytest.mark.parametrize("planner", work.PLANNERS.values())
def test_buckets_that_are_asked_keep_the_thresholds(planner: str) -> None:
    quasi, theta = [name for name in CENSUS if name != "Education"], 8
    table = work._records("generated", 600, 0).select(*quasi, "Education")
    values, codes = work._coded(table["Education"])
    counts = work._counts(codes)
    shares = dict(zip(values, work.thresholds(counts, theta), strict=True))
    slots = fill(work._plan(counts, list(shares.values()), planner, 5.0))
    drawn = work._bucketized(table, work._dealt(slots, codes, 0))
    alike = work._alike(table, slots)
    for made in (drawn, alike):
        sizes = Counter(made.frame["bucket"].to_list())
        listed = Counter[int]()
        for bucket, value, records in made.counts.select("bucket", "Education", "count").iter_rows():
            assert Fraction(records, sizes[bucket]) <= shares[int(value)]
            listed[int(value)] += records
        assert listed == Counter(table["Education"].to_list())
        assert sorted(sizes.values()) == sorted(slots.sizes.tolist())
        assert made.frame.select(quasi).cast(pl.String).rows() == table.select(quasi).cast(pl.String).rows()
    again = work._dealt(slots, codes, 0)
    assert (again == work._dealt(slots, codes, 0)).all()
    assert (again != work._dealt(slots, codes, 1)).any()


def test_errors_can_be_repeated() -> None:
    first, second = (work.errors("generated", "EDU", list(CENSUS), "Education", 0, 400, 8, 50, 5.0) for _ in range(2))
    assert first == second
    assert [row["method"] for row in first] == [*work.PLANNERS, "optimal, similar", "mondrian"]
    assert all(row["mean"] > 0 and row["median"] > 0 for row in first)


def test_searches_of_two_sizes_agree_whatever_they_leave_out(rows: dict[str, Any]) -> None:
    timed = [those for id_, those in rows.items() if id_.startswith(("rows.", "scale-up."))]
    assert len(timed) == 8
    for those in timed:
        loss = {row["method"]: row["loss"] for row in those}
        assert loss["no pruning"] == loss["loss pruning"] == loss["full pruning"]
        assert loss["integer program"] <= loss["multi-size"] <= loss["full pruning"]
    values = {row["gamma"]: row["values"] for those in timed for row in those if row["data"] == "EDU"}
    assert values == {1: 12, 2: 24, 4: 48}


def test_fewer_records_are_among_more() -> None:
    few, more = (work._records("generated", n, 0).rows() for n in (50, 90))
    assert more[:50] == few
    assert not Counter(few) - Counter(work._read("generated").rows())


def test_reading_figures() -> None:
    found = [
        {"data": "OCC", "method": method, "n": n, "seconds": seconds}
        for method, n, seconds in [("a", 1, 2.0), ("a", 2, 3.0), ("b", 1, 4.0), ("b", 2, 1.0)]
    ]
    a, b = (figures(found, "OCC", method, across="n", key="seconds") for method in "ab")
    assert (a, growth(a)) == ({1: 2.0, 2: 3.0}, 1.5)
    assert over(a, b) == [0.5, 3.0]
    assert over({1: 0.0}, {1: 0.0}) == [1.0]


@pytest.mark.data
def test_the_census_has_what_the_notes_say(load_public: Callable[[str], PublicDataset]) -> None:
    load_public("acs")
    found = {row["attribute"]: row["values"] for row in work.domains("acs", list(CENSUS))}
    assert (found["Education"], found["Occ200"], found["Birthplace"]) == (24, 50, 223)
    assert set(SENSITIVE.values()) <= set(CENSUS)
    table = work._records("acs", 1_000, 0).select(CENSUS)
    assert table.null_count().sum_horizontal()[0] == 0
    assert np.all([dtype.is_integer() for dtype in table.dtypes])
