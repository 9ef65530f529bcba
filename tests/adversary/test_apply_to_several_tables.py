"""Whoever gets several tables by one recoding must not find that a person's cells differ: few fit all of them."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny

QUASI = ["age", "zip"]
METHODS = [ny.SortedGroups(), ny.KMember(), ny.GreedySearch(), ny.Mondrian(cuts="relaxed"), ny.Mondrian()]


def people(n: int = 150) -> pl.DataFrame:
    draw = random.Random(2)
    ages, places = ([draw.randint(low, high) for _ in range(n)] for low, high in ((20, 32), (100, 112)))
    return pl.DataFrame({"age": ages, "zip": places, "s": [draw.choice("uvwxyz") for _ in range(n)]})


def released(method: Any, folder: Path) -> ny.Release:
    tree = ny.Hierarchy.intervals(width=5, levels=3)
    schema = ny.Schema({"age": ny.quasi(tree), "zip": ny.quasi(tree), "s": ny.sensitive()})
    return ny.publish(people(), schema, privacy=ny.KAnonymity(k=5), method=method, out=folder)


def cells(recoding: Path, table: pl.DataFrame) -> list[tuple[Any, ...]]:
    published: pl.DataFrame = ny.apply(recoding, table)
    return published.select(QUASI).rows()


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_the_same_values_have_the_same_cells_in_every_table(method: Any, tmp_path: Path) -> None:
    """Another table has another order, another size and other sensitive values, and rows of one value side by side."""
    released(method, tmp_path / "r")
    table = people()
    others = [
        table,
        pl.concat([table, table[:1]]),
        table.with_columns(s=pl.lit("u")),
        table.with_columns(s=pl.lit("v")),
        *(table[i : i + 1] for i in range(3)),
    ]
    found: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
    for other in others:
        for values, cell in zip(other.select(QUASI).rows(), cells(tmp_path / "r-custodian", other), strict=True):
            found.setdefault(values, set()).add(cell)
    assert all(len(several) == 1 for several in found.values())


def test_some_values_lie_in_several_classes(tmp_path: Path) -> None:
    """Else nothing above would be decided by a draw."""
    release = released(ny.SortedGroups(), tmp_path / "r")
    rows = people().select(QUASI).rows()
    own: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
    for source, cell in zip(release.log.source_rows, release.frame.select(QUASI).rows(), strict=True):
        own.setdefault(rows[int(source)], set()).add(cell)
    assert any(len(several) > 1 for several in own.values())


def test_the_recoding_alone_decides_alike_each_time(tmp_path: Path) -> None:
    """A colleague has no log: what a new key decided otherwise, recipients of two tables would compare."""
    released(ny.SortedGroups(), tmp_path / "r")
    shutil.copy(tmp_path / "r-custodian" / "recoding.json", tmp_path / "recoding.json")
    table = people()
    first = cells(tmp_path / "recoding.json", table)
    assert cells(tmp_path / "recoding.json", table) == first
    assert cells(tmp_path / "recoding.json", table.reverse())[::-1] == first
