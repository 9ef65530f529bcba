"""Hostile sizes end with a clear error or stay small, never with an exhausted machine."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import InputError
from nymity.table.hierarchy import MOST_LEVELS


@pytest.mark.parametrize("builder", ["masking", "intervals", "ordering"])
@pytest.mark.parametrize("levels", [MOST_LEVELS, 100_000, 10**30])
def test_levels_are_bounded(builder: Any, levels: Any) -> None:
    parameters = {"width": 5} if builder == "intervals" else {}
    with pytest.raises(InputError, match=rf"{builder}.levels.*from 1 to {MOST_LEVELS - 1}"):
        getattr(ny.Hierarchy, builder)(levels=levels, **parameters)


def test_as_many_levels_as_are_allowed_can_be_built() -> None:
    values = pl.Series(["12", "345"])
    for builder in (ny.Hierarchy.masking(levels=MOST_LEVELS - 1), ny.Hierarchy.ordering(levels=MOST_LEVELS - 1)):
        assert builder.build(values).height == MOST_LEVELS - 1


def test_a_long_value_is_masked_in_larger_steps() -> None:
    built = ny.Hierarchy.masking().build(pl.Series(["x" * 2_000, "ab"]))
    assert built.height < MOST_LEVELS
    assert built.generalize("x" * 2_000, 1).count("*") == 21
    assert built.generalize("x" * 2_000, built.height - 1).startswith("x")


def test_one_long_value_takes_little_memory() -> None:
    """100 rows, one of 20,000 characters; 1 GB was needed for 2,000."""
    code = (
        "import polars as pl, nymity as ny, resource\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "ny.Hierarchy.masking().build(pl.Series([*(f'{i:05}' for i in range(99)), 'x' * 20_000]))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    grown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(grown) * (1 if sys.platform == "darwin" else 1024) < 60_000_000


def test_padding_is_bounded() -> None:
    with pytest.raises(InputError, match="every value is padded"):
        ny.Hierarchy.masking(pad="*").build(pl.Series([*(str(i) for i in range(3_000)), "x" * 2_000]))


def test_rows_with_too_many_levels() -> None:
    with pytest.raises(InputError, match=f"at most {MOST_LEVELS} levels"):
        ny.Hierarchy.from_rows([[str(i) for i in range(MOST_LEVELS)] + ["*"]])


def nested(depth: int) -> dict:
    tree: dict = {"leaf": None}
    for level in range(depth):
        tree = {f"n{level}": tree}
    return tree


@pytest.mark.parametrize("depth", [MOST_LEVELS + 5, 500, 100_000])
def test_deep_taxonomies(depth: Any) -> None:
    with pytest.raises(InputError, match="a deeper one"):
        ny.Hierarchy.taxonomy(nested(depth))
    chain = {f"c{i}": f"c{i + 1}" for i in range(depth)}
    with pytest.raises(InputError, match="a deeper one"):
        ny.Hierarchy.taxonomy(parents=chain)


def test_the_widest_interval_can_be_written() -> None:
    for factor in (10**50, 10**299):
        with pytest.raises(InputError, match="a widest interval of at most 300 digits"):
            ny.Hierarchy.intervals(width=1, levels=99, factor=factor)
    built = ny.Hierarchy.intervals(width=1, levels=99, factor=1_000).build(pl.Series([1, 5]))
    assert built.height == 99


def test_a_large_taxonomy_takes_linear_time() -> None:
    """Its depth was found again for every leaf: minutes for what takes a second."""
    tree = {f"g{i}": [f"g{i}v{j}" for j in range(40)] for i in range(1_000)}
    start = time.process_time()
    built = ny.Hierarchy.taxonomy(tree).build(pl.Series(["g1v1", "g2v2"]))
    assert built.domain_size == 40_000
    assert time.process_time() - start < 20


def test_one_group_of_all_is_kept_once() -> None:
    """99 levels with every value in the label: no copy for each level."""
    code = (
        "import polars as pl, nymity as ny, resource\n"
        "values = pl.Series([f'{i:08}' for i in range(50_000)])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "built = ny.Hierarchy.ordering(labels='set', group=50_000, levels=99).build(values)\n"
        "assert built.height == 99\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    grown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(grown) * (1 if sys.platform == "darwin" else 1024) < 250_000_000
