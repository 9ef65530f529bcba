"""The study of exact optima: against every partition, at the smallest scale, and what is said without a proof."""

from __future__ import annotations

from pathlib import Path

import pytest

from nymity_lab.study import find_study
from nymity_lab.study.exact_optima import METHODS, exhibits, steps
from nymity_lab.study.local_recoding.work import measure_optimum
from nymity_lab.study.runner import run_study
from nymity_lab.study.study import Results, Row


def cheapest(points: list[tuple[float, ...]], k: int) -> float:
    """Return the least loss of all partitions into classes of k to 2k - 1: one holds the first record, and so on."""
    spans = [max(column) - min(column) or 1.0 for column in zip(*points, strict=True)]

    def cost(members: tuple[int, ...]) -> float:
        columns = zip(*(points[i] for i in members), strict=True)
        return len(members) * sum((max(c) - min(c)) / span for c, span in zip(columns, spans, strict=True))

    def best(left: frozenset[int]) -> float:
        from itertools import combinations

        if not left:
            return 0.0
        first, *others = sorted(left)
        found = float("inf")
        for size in range(k, 2 * k):
            for chosen in combinations(others, size - 1):
                rest = left - {first, *chosen}
                if not rest or len(rest) >= k:
                    found = min(found, cost((first, *chosen)) + best(rest))
        return found

    return best(frozenset(range(len(points))))


@pytest.mark.parametrize("draw", [0, 1])
def test_the_optimum_is_the_cheapest_of_all_partitions(draw: int) -> None:
    from nymity_lab.study.local_recoding.work import first_records

    (row,) = measure_optimum("generated", ["a", "b"], 9, draw, 3, [METHODS[0]], 5.0)
    points = [tuple(map(float, record)) for record in first_records("generated", ("a", "b"), 9, draw).rows()]
    assert row["proved"]
    assert row["loss"] == pytest.approx(cheapest(points, 3))
    assert row["losses"][METHODS[0]] >= row["loss"] - 1e-9


def test_the_smallest_scale(tmp_path: Path) -> None:
    run = run_study(find_study("exact-optima"), "smoke", out=tmp_path, jobs=1)
    (exhibit,) = run.exhibits
    assert {finding.holds for finding in exhibit.findings} == {None}
    losses = [value.ours for value in exhibit.panels[0].values]
    assert len(losses) == 2 * len(METHODS)
    assert all(isinstance(loss, float) and loss >= 1 for loss in losses)


def test_every_setting_comes_before_a_second_draw() -> None:
    planned = [step.parameters for step in steps("quick")]
    assert len(planned) == 18
    assert [(p["n"], p["k"]) for p in planned[:6]] == [(60, 3), (60, 5), (80, 3), (80, 5), (100, 3), (100, 5)]
    assert {p["draw"] for p in planned[:6]} == {0}


def rows(**changes: object) -> list[Row]:
    losses = dict(zip(METHODS, (11.0, 10.5, 14.0), strict=True))
    row = {"n": 60, "k": 5, "loss": 10.0, "gap": 0.0, "proved": True, "integral": False, "nodes": 3, "seconds": 1.0}
    return [row | {"draw": draw, "losses": losses} | changes for draw in range(3)]


def test_what_is_not_proved_decides_no_distance() -> None:
    results = Results(scale="quick", by_step={"optimum.a": rows()})
    (exhibit,) = exhibits(results)
    assert [finding.holds for finding in exhibit.findings] == [True, True]
    assert "3 of 18 draws were run; of these 3 optima are proved" in exhibit.notes[0]
    (open_,) = exhibits(Results(scale="quick", by_step={"optimum.a": rows(proved=False, gap=0.03)}))
    assert [finding.holds for finding in open_.findings] == [True, None]
    gaps = [value.ours for value in open_.panels[1].values if value.series == "largest gap, %"]
    assert gaps == [pytest.approx(3.0)]
    far = dict(zip(METHODS, (13.0, 10.5, 12.0), strict=True))
    (worse,) = exhibits(Results(scale="quick", by_step={"optimum.a": rows(losses=far)}))
    assert [finding.holds for finding in worse.findings] == [False, False]
