"""The classes that Liang (2020) prints: tables 3.1, A.1b and A.1c, and that no other partition is as good.

Tables A.1b and A.1c anonymize the 20 records of table 3.2 with equal weights and with (0.8, 0.05, 0.1, 0.05), k = 3.
Optima by the thesis' own program; here they are proved unique with whole numbers alone.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

from geometries import FARS
from nymity.partition.exact import ExactPartition
from nymity.privacy import KAnonymity
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import quasi
from nymity.table.schema import Schema

NAMES = ("age", "sex", "injury", "drinking")
K = 3
EQUAL = {(0, 2, 15, 17), (1, 11, 12), (3, 4, 18), (5, 6, 8, 9), (7, 10, 16), (13, 14, 19)}
UNEQUAL = {(0, 8, 10, 16), (1, 14, 15), (2, 3, 13, 18), (4, 6, 9), (5, 7, 11), (12, 17, 19)}

by_weights = pytest.mark.parametrize(
    ("weights", "classes"), [((1, 1, 1, 1), EQUAL), ((16, 1, 2, 1), UNEQUAL)], ids=["table A.1b", "table A.1c"]
)


@by_weights
def test_twenty_records_of_table_3_2(weights: tuple[int, ...], classes: set[tuple[int, ...]]) -> None:
    table = pl.DataFrame(FARS, schema=NAMES, orient="row")
    schema = Schema({name: quasi(weight=w / sum(weights) * 4) for name, w in zip(NAMES, weights, strict=True)})
    assert published_classes(table, schema) == classes


def test_seven_records_of_table_3_1() -> None:
    ages, zips = [37, 35, 36, 61, 63, 66, 63], [22071, 22098, 23061, 55107, 55099, 55324, 55229]
    table = pl.DataFrame({"age": ages, "sex": [0, 0, 0, 1, 1, 1, 1], "zip": zips})
    assert published_classes(table, Schema(dict.fromkeys(table.columns, quasi()))) == {(0, 1, 2), (3, 4, 5, 6)}


def published_classes(table: pl.DataFrame, schema: Schema) -> set[tuple[int, ...]]:
    """Source rows that a proven optimum publishes alike."""
    release = publish(table, schema, privacy=[KAnonymity(k=K)], method=ExactPartition())
    assert release.certificate["loss"]["proven_optimal"]
    rows = pl.Series("row", release.log.source_rows)
    groups = release.frame.with_columns(rows).group_by(table.columns).agg(pl.col("row").sort())
    return {tuple(members) for members in groups["row"].to_list()}


# -- no other partition is as good ---------------------------------------------------------------------------------


@by_weights
def test_no_other_partition_costs_as_little(weights: tuple[int, ...], classes: set[tuple[int, ...]]) -> None:
    """All partitions up to 0.3% dearer than the optimum are enumerated: it comes first, and alone."""
    least = sum(cost(members, weights) for members in classes)
    found = cheap_partitions(weights, least + least // 300)
    assert found[0] == (least, classes)
    assert all(total > least for total, _ in found[1:])
    for one, other in combinations(classes, 2):  # of six records and more, which are not enumerated
        assert cost((*one, *other), weights) > cost(one, weights) + cost(other, weights)


def cost(members: tuple[int, ...], weights: tuple[int, ...]) -> int:
    """Definition 4 times 124 000, so that all costs are whole: the widths of the bounds are 62, 1, 4 and 1."""
    widths = [max(column) - min(column) for column in zip(*(FARS[r] for r in members), strict=True)]
    units = (2_000, 124_000, 31_000, 124_000)
    return len(members) * sum(w * width * unit for w, width, unit in zip(weights, widths, units, strict=True))


def cheap_partitions(weights: tuple[int, ...], most: int) -> list[tuple[int, set[tuple[int, ...]]]]:
    """Enumerate partitions that cost at most so much, the cheapest first.

    Each record gets a price, such that no class costs less than its records pay. Then a partition costs all prices plus
    the surpluses of its classes, and only classes with a surplus below the rest of ``most`` can be in one.
    """
    everyone = range(len(FARS))
    classes = [members for size in range(K, 2 * K) for members in combinations(everyone, size)]
    costs = [cost(members, weights) for members in classes]
    belongs = np.array([[r in members for members in classes] for r in everyone])
    prices = [int(p) - 1 for p in linprog(costs, A_eq=belongs, b_eq=np.ones(len(FARS))).eqlin.marginals]
    surplus = {c: price - sum(prices[r] for r in c) for c, price in zip(classes, costs, strict=True)}
    assert min(surplus.values()) >= 0
    found: list[tuple[int, set[tuple[int, ...]]]] = []

    def choose(left: frozenset[int], chosen: set[tuple[int, ...]], rest: int) -> None:
        if not left:
            found.append((most - rest, chosen))
            return
        for members in beginning[min(left)]:
            if surplus[members] <= rest and left.issuperset(members):
                choose(left.difference(members), chosen | {members}, rest - surplus[members])

    few = [c for c in classes if surplus[c] <= most - sum(prices)]
    beginning = {r: [c for c in few if c[0] == r] for r in everyone}
    choose(frozenset(everyone), set(), most - sum(prices))
    return sorted(found, key=lambda partition: partition[0])
