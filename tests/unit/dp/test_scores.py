"""Scores against their definitions, and their changes over all neighbouring tables of a small domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core.validation import exact_fraction
from nymity.dp.scores import SCORES, Classification, Score
from nymity.lattice.space import Node, Space
from nymity.table.attribute import quasi
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

A = Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]])
B = Hierarchy.from_rows([["x", "*"], ["y", "*"]])
NODES: list[Node] = list(product(range(3), range(2)))
HIERARCHIES = (A, B)

Row = tuple[str, str]
#: Rows with how often they occur.
Table = Counter[Row]
Oracle = Callable[[Table, Node, int], Fraction]

ROWS: list[Row] = list(product(("1", "2", "3"), ("x", "y")))


def general(row: Row, node: Node) -> Row:
    return tuple(str(h.generalize(cell, level)) for h, cell, level in zip(HIERARCHIES, row, node, strict=True))  # type: ignore[return-value]


GENERAL = {(row, node): general(row, node) for row in ROWS for node in NODES}


def published(table: Table, node: Node, k: int) -> tuple[Counter[Row], int]:
    """Classes of at least k records, and how many records have none."""
    classes: Counter[Row] = Counter()
    for row, records in table.items():
        classes[GENERAL[row, node]] += records
    kept = Counter({cells: size for cells, size in classes.items() if size >= k})
    return kept, table.total() - kept.total()


def granularity(table: Table, node: Node, k: int) -> Fraction:
    kept, suppressed = published(table, node, k)
    lost = Fraction(suppressed * 2)
    for cells, size in kept.items():
        for i, hierarchy in enumerate(HIERARCHIES):
            leaves = sum(row[node[i]] == cells[i] for row in hierarchy.rows())
            lost += Fraction(size * leaves, hierarchy.domain_size)
    return -lost


def intensity(table: Table, node: Node, k: int) -> Fraction:
    kept, suppressed = published(table, node, k)
    return -(kept.total() * (Fraction(node[0], 2) + Fraction(node[1], 1)) + suppressed * 2)


def alike(sizes: Counter[str] | Counter[Row], suppressed: int, n: int) -> Fraction:
    return sum((Fraction(size**2, n) for size in sizes.values()), Fraction(suppressed))


def discernibility(table: Table, node: Node, k: int) -> Fraction:
    return -alike(*published(table, node, k), table.total())


def entropy(table: Table, node: Node, k: int) -> Fraction:
    kept, suppressed = published(table, node, k)
    total = Fraction(0)
    for i in range(2):
        values: Counter[str] = Counter()
        for cells, size in kept.items():
            values[cells[i]] += size
        total += alike(values, suppressed, table.total())
    return -total


def group_size(table: Table, node: Node, k: int) -> Fraction:
    return Fraction(len(published(table, node, k)[0]))


def classification(table: Table, node: Node, k: int) -> Fraction:
    """The second attribute is to be predicted by the first."""
    most: dict[str, int] = {}
    for (feature, _), size in published(table, node, k)[0].items():
        most[feature] = max(most.get(feature, 0), size)
    return Fraction(sum(most.values()))


ORACLES: dict[str, Oracle] = {
    "granularity": granularity,
    "intensity": intensity,
    "discernibility": discernibility,
    "entropy": entropy,
    "group-size": group_size,
    "classification": classification,
}


def test_every_score_has_an_oracle() -> None:
    assert ORACLES.keys() == SCORES.keys()


def encoded(table: Table, weights: tuple[float, float] = (1.0, 1.0)) -> EncodedTable:
    rows = list(table.elements())
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    schema = Schema({"a": quasi(A, weight=weights[0]), "b": quasi(B, weight=weights[1])})
    return encode(frame, schema)


def bound(key: str, table: EncodedTable, k: int) -> Score:
    return Classification(table, k, "b") if key == "classification" else SCORES[key](table, k)


tables = st.lists(st.sampled_from(ROWS), min_size=1, max_size=25).map(Counter)


@pytest.mark.parametrize("key", SCORES)
@settings(max_examples=25, deadline=None)
@given(table=tables, k=st.integers(1, 6))
def test_scores_are_those_of_the_paper(key: str, table: Table, k: int) -> None:
    score = bound(key, encoded(table), k)
    space = Space((0, 0), (2, 1))
    everywhere = score.everywhere(space)
    for number, node in enumerate(NODES):
        assert space.node(number) == node
        expected = ORACLES[key](table, node, k)
        assert Fraction(int(everywhere[number]), score.scale) == expected
        assert Fraction(score.at(node), score.scale) == expected


@pytest.mark.parametrize("key", SCORES)
def test_an_empty_sample_has_scores(key: str) -> None:
    """A run that ended here would tell that nobody was sampled."""
    whole = encoded(Counter(ROWS))
    empty = whole.restricted(np.zeros(len(whole.counts), dtype=np.bool_))
    score = bound(key, empty, 2)
    assert score.everywhere(Space((0, 0), (2, 1))).tolist() == [0] * 6
    assert score.at((1, 0)) == 0


def test_weights_scale_what_attributes_count() -> None:
    table = Counter({("1", "x"): 3, ("2", "y"): 1})
    for key in ("granularity", "intensity", "entropy"):
        one, both = bound(key, encoded(table, (1, 0)), 2), bound(key, encoded(table, (2.5, 0.25)), 2)
        other = bound(key, encoded(table, (0, 1)), 2)
        for node in NODES:
            parts = Fraction(one.at(node), one.scale), Fraction(other.at(node), other.scale)
            assert Fraction(both.at(node), both.scale) == parts[0] * Fraction(5, 2) + parts[1] / 4


@pytest.mark.parametrize("weights", [(0.7, 1e-20), (1 / 3, 1e15), (0.123456789, 1.0)])
def test_shares_that_64_bits_cannot_sum_are_rounded_down(weights: tuple[float, float]) -> None:
    """No record loses more than the definition says, and hardly less; sums that do not fit have longer integers."""
    table = Counter({("1", "x"): 5, ("2", "y"): 1})
    score = bound("granularity", encoded(table, weights), 2)
    one, other = (Fraction(str(weight)) for weight in weights)
    node = (1, 0)  # five records of ("low", "x"), one alone
    exact = -(one * (5 * Fraction(2, 3) + 1) + other * (5 * Fraction(1, 2) + 1))
    found = Fraction(score.at(node), score.scale)
    assert score.scale == 2**24
    assert exact <= found <= exact + Fraction(6 * (3 + 2), 2**24)


# -- bounds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", SCORES)
@settings(max_examples=40, deadline=None)
@given(table=tables | st.just(Counter()), k=st.integers(1, 6))
def test_no_score_at_or_below_a_node_exceeds_its_ceiling_less_the_excess(key: str, table: Table, k: int) -> None:
    whole = encoded(Counter(ROWS))
    part = whole.restricted(np.zeros(len(whole.counts), dtype=np.bool_)) if not table else encoded(table, (1.5, 0.75))
    score = bound(key, part, k)
    ceilings = dict(zip(NODES, score.ceilings(np.array(NODES)).tolist(), strict=True))
    found = {node: score.checked(node) for node in NODES}
    for node, (_, excess) in found.items():
        assert excess >= 0
        for lower in product(*(range(level + 1) for level in node)):
            assert found[lower].score <= ceilings[lower] - excess


# -- changes -------------------------------------------------------------------------------------------------------


def all_tables(rows: list[Row], most: int) -> Iterator[Table]:
    """Every table with at most so many records of each row."""
    for counts in product(range(most + 1), repeat=len(rows)):
        yield Counter(dict(zip(rows, counts, strict=True)))


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("key", SCORES)
def test_no_record_changes_a_score_by_more(key: str, k: int) -> None:
    """Every table over four different rows, up to four of each, and every further record."""
    rows = [("1", "x"), ("1", "y"), ("2", "x"), ("3", "y")]
    low, high = SCORES[key].changes(k, Fraction(2))
    found: dict[tuple[int, ...], list[Fraction]] = {}
    for table in all_tables(rows, 4):
        scores = [ORACLES[key](table, node, k) if table.total() else Fraction(0) for node in NODES]
        found[tuple(table[row] for row in rows)] = scores
    changes = [
        after - before
        for counts, scores in found.items()
        for i in range(4)
        if counts[i] < 4
        for before, after in zip(scores, found[(*counts[:i], counts[i] + 1, *counts[i + 1 :])], strict=True)
    ]
    assert low <= min(changes)
    assert max(changes) <= high
    assert max(changes) - min(changes) > (high - low) / 3, "the interval is far too wide"


@settings(max_examples=300, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 60), min_size=6, max_size=6),
    k=st.integers(1, 40),
    row=st.sampled_from(ROWS),
    key=st.sampled_from(sorted(SCORES)),
)
def test_no_record_changes_a_score_by_more_in_larger_tables(sizes: list[int], k: int, row: Row, key: str) -> None:
    table = Counter(dict(zip(ROWS, sizes, strict=True)))
    low, high = SCORES[key].changes(k, Fraction(2))
    for node in NODES:
        before = ORACLES[key](table, node, k) if table.total() else Fraction(0)
        assert low <= ORACLES[key](table + Counter([row]), node, k) - before <= high


@settings(max_examples=60, deadline=None)
@given(
    table=tables,
    k=st.integers(1, 6),
    row=st.sampled_from(ROWS),
    weights=st.tuples(st.floats(0, 3), st.floats(0.01, 3)),
    key=st.sampled_from(["granularity", "intensity"]),
)
def test_rounded_shares_change_by_no_more(
    table: Table, k: int, row: Row, weights: tuple[float, float], key: str
) -> None:
    """Weights with many digits make shares that are rounded."""
    before, after = (bound(key, encoded(each, weights), k) for each in (table, table + Counter([row])))
    low, high = SCORES[key].changes(k, sum((exact_fraction(weight) for weight in weights), Fraction(0)))
    assert before.scale == after.scale <= 2**24
    for node in NODES:
        assert low <= Fraction(after.at(node) - before.at(node), before.scale) <= high


def test_scores_beyond_64_bits_are_exact() -> None:
    """Twelve people who all differ are suppressed at the lowest node, and each loses the whole weight of the cell."""
    rows = pl.DataFrame({"a": [str(i) for i in range(12)]})
    hierarchy = Hierarchy.flat(rows["a"].to_list())
    score = SCORES["granularity"](encode(rows, Schema({"a": quasi(hierarchy, weight=10**18)})), 2)
    assert score.at((0,)) == -12 * 10**18 * score.scale
