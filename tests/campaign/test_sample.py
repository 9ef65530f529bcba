"""A sample of the campaign with fixed seeds, and the judge held against wrong releases: it must be able to find one."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from . import definitions
from .cells import allows, truthful
from .definitions import Shown, matched, measure
from .judge import worst_delta
from .trial import PUBLISHED, TRACEBACK, WRONG, try_out

SEEDS = range(7_000, 7_200)


@pytest.mark.parametrize("first", range(SEEDS.start, SEEDS.stop, 20))
def test_random_jobs_are_right(first: int) -> None:
    results = [try_out(seed) for seed in range(first, first + 20)]
    wrong = [result for result in results if result.outcome in (WRONG, TRACEBACK)]
    assert not wrong, json.dumps([(result.said, result.faults) for result in wrong], indent=1, ensure_ascii=False)
    assert Counter(result.outcome for result in results)[PUBLISHED] >= 5, "a sample of refusals shows nothing"


# -- the judge by hand -----------------------------------------------------------------------------------------------

A, B, STARS = ("a",), ("b",), ("*",)


def shown(classes: list[tuple[str, ...]], secrets: str = "", **known: object) -> Shown:
    return Shown(classes=classes, sensitive={"s": list(secrets or "x" * len(classes))}, masked=STARS, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("model", "table", "reached", "holds"),
    [
        ({"model": "k-anonymity", "k": 2}, shown([A, A, B]), {"k": 1}, False),
        ({"model": "k-anonymity", "k": 2}, shown([A, A, STARS]), {"k": 1}, False),
        ({"model": "average-risk", "limit": 0.5}, shown([A, A, STARS]), {"limit": Fraction(2, 3)}, False),
        ({"model": "sample-uniques", "limit": 0.4}, shown([A, A, STARS]), {"limit": Fraction(1, 3)}, True),
        ({"model": "prosecutor-risk", "limit": 0.5}, shown([A, A, B, B, B]), {"limit": Fraction(1, 2)}, True),
        ({"model": "distinct-l-diversity", "l": 2, "attribute": "s"}, shown([A, A, B, B], "xyxx"), {"l": 1}, False),
        (
            {"model": "frequency-l-diversity", "l": 1.5, "attribute": "s"},
            shown([A] * 3, "xxy"),
            {"l": Fraction(3, 2)},
            True,
        ),
        (
            {"model": "recursive-diversity", "c": 2, "l": 2, "attribute": "s"},
            shown([A] * 3, "xxy"),
            {"c": 2, "l": 2},
            False,
        ),
        (
            {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "attribute": "s"},
            shown([A] * 3, "xxy"),
            {"alpha": Fraction(2, 3), "k": 3},
            False,
        ),
        (
            {"model": "t-closeness", "t": 0.5, "attribute": "s"},
            shown([A, A, B, B], "xxyy"),
            {"t": Fraction(1, 2)},
            True,
        ),
        ({"model": "beta-likeness", "beta": 1, "attribute": "s"}, shown([A, A, B, B], "xxyy"), {"beta": 1}, True),
        ({"model": "k-map", "k": 3}, shown([A, STARS], people=Counter({A: 3}), everyone=5), {"k": 2}, False),
        (
            {"model": "delta-presence", "low": 0, "high": 0.5},
            shown([A], people=Counter({A: 2}), everyone=4, members=2),
            {"low": Fraction(1, 2), "high": Fraction(1, 2)},
            True,
        ),
    ],
)
def test_definitions_on_tables_counted_by_hand(model: Any, table: Any, reached: Any, holds: Any) -> None:
    assert measure(model, table) == (reached, holds)


def test_ordered_and_hierarchical_distances_by_hand() -> None:
    table = shown(
        [A, B],
        "xz",
        places={"s": {"x": 0, "y": 1, "z": 2}},
        levels={"s": {"x": ["x", "l", "*"], "y": ["y", "l", "*"], "z": ["z", "r", "*"]}},
    )
    model = {"model": "t-closeness", "t": 1, "attribute": "s"}
    assert measure({**model, "distance": "ordered"}, table)[0] == {"t": Fraction(1, 2)}  # x and z are neighbours here
    assert measure({**model, "distance": "hierarchical"}, table)[0] == {"t": Fraction(1, 2)}
    near = shown([A, B], "xy", levels=table.levels)
    assert measure({**model, "distance": "hierarchical"}, near)[0] == {"t": Fraction(1, 4)}


@pytest.mark.parametrize(
    ("fits", "k"),
    [([{0}, {1}], 1), ([{0, 1}, {0, 1}], 2), ([{0, 1}, {0}], 1), ([{0}, {0}], 0), ([{0, 1, 2}, {0, 1, 2}, {1, 2}], 2)],
)
def test_matchings_without_a_common_pair(fits: list[set[int]], k: int) -> None:
    assert [n for n in range(1, 4) if matched(fits, n)] == list(range(1, k + 1))


@pytest.mark.parametrize(
    ("cell", "value", "covers"),
    [
        ("*", 3, True),
        ("1-3", 3, True),
        ("1-3", 4, False),
        ("-1 to 3", 0, True),
        ("{a, b}", "b", True),
        ("{a, b}", "c", False),
        ("missing or 1-3", None, True),
        ("missing or 1-3", 9, False),
        ("{missing, b}", None, True),
        (None, 3, False),
        ("{a, b, c}", "a, b", True),
        ("3", 3.0, True),
        ("30-39", 31, True),
        ("30-39", 41, False),
    ],
)
def test_what_cells_can_stand_for(cell: Any, value: Any, covers: Any) -> None:
    labels = ["31", "30-39", "*"] if value == 31 else []
    assert allows(cell, value, labels, []) is covers


@pytest.mark.parametrize(
    ("label", "value", "builder", "right"),
    [
        ("20-24", "24", "intervals", True),
        ("20-24", "25", "intervals", False),
        ("20 to under 25", "25", "intervals", False),
        ("30+", "30", "intervals", True),
        ("-3 or more", "-4", "intervals", False),
        ("under 0", "0", "intervals", False),
        ("0-4", "4.5", "ages", True),
        ("0-4", "5", "ages", False),
        ("other", "30", "ages", False),
        ("2000-4999", "5000", "money", False),
        ("ab*", "abc", "masking", True),
        ("ab*", "bbc", "masking", False),
        ("2020-Q1", "2020-04-01", "dates", False),
        ("2020s", "2029-12-31", "dates", True),
    ],
)
def test_labels_that_say_something_wrong(label: Any, value: Any, builder: Any, right: Any) -> None:
    assert truthful(label, value, builder) is right


def test_the_worst_delta_of_a_small_sampling_operator() -> None:
    """k = 1, one record more of none: it is seen with probability beta, and never without it."""
    assert worst_delta(1, Fraction(1, 2), Fraction(50)) == pytest.approx(0.5)
    assert worst_delta(20, Fraction(1, 2), Fraction(1)) < 0.01


def test_every_model_has_a_definition() -> None:
    from nymity.publishing.jobs.registry import MODELS

    assert set(definitions._MODELS) == set(MODELS)


def test_the_judge_imports_nothing_of_nymity() -> None:
    import ast
    from pathlib import Path

    for name in ("judge", "definitions", "cells", "texts", "brute"):
        tree = ast.parse((Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            named = (
                [a.name for a in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "") or ""]
            )
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert not any(found.startswith("nymity") for found in named)
                assert not (isinstance(node, ast.ImportFrom) and node.level and "cases" in {a.name for a in node.names})
