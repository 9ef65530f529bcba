"""Whoever knows the program tries out all tables: how far that leads beyond the records that fit.

All tables of four records over a1, a2 (group A) and b, in one class, are published; the attacker sees the rows in no
order, knows up to m items of one person, and takes all tables for equally likely. With one known item k records are
left. With two the choice of the cut can tell more than k^m promises: that is written on the page on baskets, and warned
of in every release.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import naive
from nymity.baskets.cut_search import search_cut
from nymity.baskets.item_tree import ItemTree
from nymity.baskets.rare_sets import Baskets
from nymity.table.hierarchy import Hierarchy

ITEMS = ["a1", "a2", "b"]
TREE = ItemTree.of(Hierarchy.from_rows([["a1", "A", "*"], ["a2", "A", "*"], ["b", "b", "*"]]))
SETS = [frozenset(some) for size in range(4) for some in combinations(ITEMS, size)]
Row = tuple[str, ...]


def published(table: tuple[frozenset[str], ...], k: int, m: int) -> list[Row]:
    entries = sorted((row, ITEMS.index(item)) for row, items in enumerate(table) for item in items)
    record, item = np.array(entries, dtype=np.int64).reshape(-1, 2).T
    chosen = search_cut(Baskets(record, item, np.zeros(len(table), dtype=np.int64), TREE), k, m)
    cut = {one: TREE.labels[node] for one, node in zip(ITEMS, chosen.cut.tolist(), strict=True)}
    gone = {(0, TREE.labels[node]) for _, node in chosen.suppressed.tolist()}
    return [tuple(sorted(row)) for _, row in naive.cut_baskets([(0, items) for items in table], cut, gone)]


def best_guess(k: int, m: int) -> Fraction:
    """Return the largest chance to pick the row of the first person, by all that the attacker can work out."""
    worlds: dict[tuple[Row, ...], list[tuple[frozenset[str], Row]]] = defaultdict(list)
    for table in product(SETS, repeat=4):
        rows = published(table, k, m)
        worlds[tuple(sorted(rows))].append((table[0], rows[0]))
    best = Fraction(0)
    for shown, cases in worlds.items():
        for known in (set(some) for size in range(m + 1) for some in combinations(ITEMS, size)):
            own = Counter(row for true, row in cases if known <= true)
            chances = [Fraction(number, own.total() * shown.count(row)) for row, number in own.items()]
            best = max([best, *chances])
    return best


@pytest.mark.parametrize("k", [2, 3])
def test_with_one_known_item_k_records_are_left(k: int) -> None:
    assert best_guess(k, 1) == Fraction(1, k)


def test_with_two_known_items_the_choice_of_the_cut_can_tell_more() -> None:
    """The counterexample of docs/concepts/baskets.md, with the warning that every such release has."""
    assert best_guess(2, 2) == 1
