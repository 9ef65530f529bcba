"""What each step cost: every cell counts once, for the first step that touches it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.report import render_report
from nymity.report.steps import StepCost, steps
from nymity.report.subject import Subject

FRAME = pl.DataFrame(
    {
        "name": list("abcdefgh"),
        "age": [30, 30, 30, 41, 41, 41, 55, 77],
        "town": ["Ulm", "Ulm", "Ulm", "Kiel", "Kiel", "Kiel", "Kiel", None],
        "cost": [1, 2, 3, 4, 5, 6, 7, 80],
        "ill": list("xyxyxyxy"),
    }
)
ROLES = {"name": "identifying", "age": "quasi", "town": "quasi", "cost": "insensitive", "ill": "sensitive"}
CODED = (
    ny.TopCoding(columns=["cost"], fewest=3, shown="limit"),  # 7 and 80 become 6
    ny.Rounding(columns=["cost"], base=5),  # all but 5 change, and two did before
    ny.Shuffling(columns=["cost"]),
)


def taken(release: Any) -> dict[str, tuple[int, float]]:
    found = [*steps(Subject.of(release, FRAME))]
    assert all(isinstance(step, StepCost) and 0 < step.taken <= step.cells for step in found)
    return {step.says: (step.cells, step.taken) for step in found}


def untouched(release: Any) -> int:
    """Count the cells of the original that are released as they were, row by row."""
    source = FRAME[release.log.source_rows.tolist()]
    pairs = [(source[name], release.table[name]) for name in release.table.columns]
    return sum(plain(before) == plain(after) for one in pairs for before, after in zip(*one, strict=True))


def plain(cell: Any) -> str:
    return "" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell)


def test_cells_of_every_step() -> None:
    release = ny.publish(FRAME, ROLES, k=2, method="cell-suppression", transforms=CODED[:2])
    found = taken(release)
    # The last two people differ in age and town: each loses both cells, or joins a class that loses its own.
    assert found.pop("columns left out") == (8, 8)
    assert found.pop("single cells suppressed") == (release.loss, release.loss)
    assert found == {"top coding: cost": (2, 2), "rounding: cost": (5, 5)}
    assert untouched(release) == 40 - 8 - release.loss - 2 - 5


def test_numbers_of_a_file_count_as_those_in_memory(tmp_path: Path) -> None:
    frame = FRAME.with_columns(cost=pl.Series([1, 1, 1, 2, 2, 2, 5, 9]))
    one = ny.Microaggregation(columns=["cost"], k=2, variable=0.1)
    release = ny.publish(frame, ROLES, k=2, method="cell-suppression", transforms=[one], out=tmp_path / "release")
    told = [[*steps(Subject.of(known, frame))] for known in (release, ny.open(tmp_path / "release"))]
    assert told[0] == told[1]
    kept = zip(release.table["cost"], frame["cost"].gather(release.log.source_rows), strict=True)
    assert sum(shown != true for shown, true in kept) == told[0][-1].cells < 8


def test_a_drawn_change_counts_where_no_coding_did() -> None:
    release = ny.publish(FRAME, ROLES, k=2, method="cell-suppression", transforms=[CODED[0], CODED[2]])
    found = taken(release)
    cells = release.table["cost"].to_list()
    source = [FRAME["cost"][row] for row in release.log.source_rows.tolist()]
    moved = sum(shown != true and true < 7 for shown, true in zip(cells, source, strict=True))
    assert found.get("shuffling: cost", (0, 0)) == (moved, moved)
    assert found["top coding: cost"] == (2, 2)


@pytest.mark.parametrize(
    "method",
    [
        ny.CellSuppression(levels={"age": 1}),
        ny.GroupMeans(levels={"town": 0}),
        ny.OptimalLattice(suppression=0.3),
        "mondrian",
    ],
)
def test_generalized_cells_cost_the_detail_that_they_lose(method: Any) -> None:
    given = {**ROLES, "age": ny.quasi(ny.Hierarchy.intervals(width=20, levels=2))}
    release = ny.publish(FRAME, given, k=2, method=method)
    found = taken(release)
    gone = release.certificate["suppressed"]["removed"]
    assert found.get("records suppressed", (0, 0))[0] == 4 * gone
    others = [step for says, step in found.items() if says not in ("columns left out", "records suppressed")]
    assert sum(cells for cells, _ in others) == 40 - 8 - untouched(release) - 4 * gone
    losses = ny.compare(FRAME, release).attribute_loss
    assert sum(step for _, step in others) == pytest.approx(sum(losses.values()) * 8 - 2 * gone)


def test_the_page_has_them() -> None:
    release = ny.publish(FRAME, ROLES, k=2, method="cell-suppression", transforms=CODED)
    page = render_report(release, FRAME)
    assert "What each step cost" in page
    assert "top coding: cost" in page
