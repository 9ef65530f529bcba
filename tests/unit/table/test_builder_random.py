"""Hierarchies at random: what stays the same whatever is drawn, and that a seed draws the same again."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import HierarchyError, InputError, ParameterError
from nymity.core.randomness import replayable
from nymity.table.builders import BUILDERS, RandomTree, Shuffled
from nymity.table.hierarchy import Hierarchy
from strategies import hierarchies


def shape(hierarchy: Hierarchy) -> list[list[int]]:
    """Sizes of the groups of each level."""
    return [sorted(leaves.tolist()) for leaves in hierarchy.leaves]


def members(label: str) -> list[str]:
    return label[1:-1].split(", ") if label.startswith("{") else [label]


@given(st.integers(1, 60), st.integers(0, 10**9), st.integers(2, 6))
def test_a_random_tree(n: int, seed: int, branches: int) -> None:
    hierarchy = RandomTree(seed=seed, branches=branches).build(pl.Series(range(n)))
    assert hierarchy == RandomTree(seed=seed, branches=branches).build(pl.Series(reversed(range(n))))
    assert hierarchy.values == tuple(map(str, range(n)))
    assert hierarchy.labels[-1] == ("*",)
    for level in range(1, hierarchy.height):
        below, here = hierarchy.codes[level - 1], hierarchy.codes[level]
        assert (here[1:] - here[:-1] >= 0).all()  # neighbours only
        for code, label in enumerate(hierarchy.labels[level]):
            assert label is not None
            assert members(label) == [str(v) for v in range(n) if here[v] == code]
            assert 2 <= len(set(below[here == code].tolist())) <= (n if level == 1 else branches)


def test_the_tree_is_cut_off_at_its_shallowest_leaf() -> None:
    """Some leaf would have been alone already one level above the raw values; all others are put beside it."""
    for seed in range(200):
        tree = RandomTree(seed=seed)
        order = [str(v) for v in range(9)]
        layers = tree._layers(order, replayable(seed))
        draw, groups, depth = replayable(seed), [order], 0
        while all(len(group) > 1 for group in groups):
            groups, depth = [part for group in groups for part in tree._parts(group, draw)], depth + 1
        assert len(layers) == depth - 1
        assert tree.build(pl.Series(order)).height == depth


def test_every_place_to_split_is_as_likely() -> None:
    counts = dict.fromkeys(range(1, 5), 0)
    for seed in range(4_000):
        (first, _) = RandomTree(seed=seed, branches=2)._parts("abcde", replayable(seed))
        counts[len(first)] += 1
    # chi-squared with 3 degrees of freedom exceeds 30.7 with probability 1e-6
    assert sum((count - 1_000) ** 2 / 1_000 for count in counts.values()) < 30.7


@given(hierarchies(max_values=12, max_height=4), st.integers(0, 10**9), st.booleans())
def test_shuffling_keeps_the_shape(hierarchy: Hierarchy, seed: int, missing: bool) -> None:
    column = pl.Series([*hierarchy.values, *([None] if missing and hierarchy.height else [])], dtype=pl.String)
    shuffled = Hierarchy.shuffled(hierarchy, seed=seed).build(column)
    built = hierarchy.build(column)
    assert shuffled.values == built.values
    assert shape(shuffled) == shape(built)
    assert shuffled.labels[-1] == built.labels[-1]
    for level in range(1, shuffled.height):
        for code, label in enumerate(shuffled.labels[level]):
            inside = [v for v, at in zip(shuffled.values, shuffled.codes[level], strict=True) if at == code]
            assert inside == [None] if label is None else sorted(members(label)) == sorted(map(str, inside))


def test_what_falls_under_what_is_drawn() -> None:
    """Of four values in two pairs, each of the three ways to pair them up comes about as often."""
    rows = [["1", "a", "*"], ["2", "a", "*"], ["3", "b", "*"], ["4", "b", "*"]]
    partners = dict.fromkeys("234", 0)
    for seed in range(600):
        built = Hierarchy.shuffled(Hierarchy.from_rows(rows), seed=seed).build(pl.Series(["1"]))
        partners[next(v for v in members(str(built.generalize("1", 1))) if v != "1")] += 1
    # chi-squared with 2 degrees of freedom exceeds 27.6 with probability 1e-6
    assert sum((count - 200) ** 2 / 200 for count in partners.values()) < 27.6


def test_known_draws() -> None:
    """A seed in a job file must mean the same for ever."""
    tree = Hierarchy.random_tree(seed=1).build(pl.Series(range(6)))
    shuffled = Hierarchy.shuffled(Hierarchy.random_tree(seed=1), seed=2).build(pl.Series(range(6)))
    assert tree.labels[1:] == (("{0, 1, 2}", "{3, 4, 5}"), ("*",))
    assert shuffled.labels[1:] == (("{0, 1, 4}", "{2, 3, 5}"), ("*",))


def test_a_builder_or_its_description() -> None:
    described = Shuffled(hierarchy={"type": "masking", "steps": [2, 4]}, seed=1)
    assert Hierarchy.shuffled(Hierarchy.masking(steps=(2, 4)), seed=1) == described
    rows = [["1", "*"], [None, "*"]]
    assert Hierarchy.shuffled(Hierarchy.from_rows(rows), seed=1).hierarchy == {"type": "rows", "rows": rows}
    assert Hierarchy.shuffled(Hierarchy.shuffled(Hierarchy.random_tree(seed=1), seed=2), seed=3).build(
        pl.Series(["a", "b"])
    ) == BUILDERS["flat"]().build(pl.Series(["a", "b"]))


@pytest.mark.parametrize(
    ("hierarchy", "told"),
    [
        ("masking", "a hierarchy or a builder, got 'masking'"),
        ({}, "one of 'intervals', 'masking'"),
        ({"type": "maskin"}, "did you mean 'masking'"),
        ({"type": "masking", "sid": "left"}, "did you mean 'side'"),
        ({"type": "masking", "side": "lft"}, "did you mean 'left'"),
        ({"type": "rows"}, "all fields of 'rows'"),
        ({"type": "rows", "rows": [[{1}]]}, "plain values"),
    ],
)
def test_what_is_no_hierarchy(hierarchy: Any, told: str) -> None:
    with pytest.raises(InputError) as caught:
        Shuffled(hierarchy=hierarchy, seed=1)
    assert told in str(caught.value)


def test_seeds_are_whole_numbers() -> None:
    with pytest.raises(ParameterError, match=r"random-tree\.seed: expected a whole number of at least 0, got -1"):
        RandomTree(seed=-1)
    with pytest.raises(ParameterError, match=r"shuffled\.seed: expected a whole number"):
        Shuffled(hierarchy={"type": "flat"}, seed=0.5)  # type: ignore[arg-type]


def test_values_without_a_place() -> None:
    with pytest.raises(HierarchyError, match="1 unknown value: '3'"):
        Hierarchy.shuffled(Hierarchy.from_rows([["1", "*"], ["2", "*"]]), seed=1).build(pl.Series(["3"]))
