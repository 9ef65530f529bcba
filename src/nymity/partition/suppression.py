"""CellSuppression: the value that a class shares, or ``*``, with as few suppressed cells as can be.

Two records are published alike if all cells are suppressed in which they differ. So a partition into classes of at
least k is a k-anonymous table, and every k-anonymous table that suppresses cells alone is one (Meyerson & Williams
2004); the least number of suppressed cells is NP-hard to find from k = 3 on.

1. A *pattern* is a set of columns to suppress. The patterns are gone through, the cheapest first: all records that are
   left and share their other values with k - 1 others are classes. Of patterns that cost the same, the one that covers
   most records is next.
2. Some classes that lie together are dissolved and covered again, by the patterns in another order; what costs no more
   is kept. That is repeated with windows over many orders of the records (large neighbourhood search; Shaw 1998).

Records with the same values are never divided, so that nothing is drawn: classes are a function of quasi-identifiers.
The price of the cheapest pattern that a record shares with k - 1 others of the whole table is what it costs at least.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from nymity.core import validation
from nymity.core.errors import ParameterError, SchemaError
from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report
from nymity.kernels.cell_suppression import (
    CountedItems,
    ItemClasses,
    cover,
    covered,
    fill,
    least_prices,
    price,
    renewed,
    uniform,
)
from nymity.kernels.grouping import distinct
from nymity.partition.attributes import AttributeLayout, suppressed_attributes_of
from nymity.partition.class_cells import Suppressing
from nymity.partition.geometry import Ints
from nymity.partition.merging import merge_failing
from nymity.partition.method import CellMethod, DividingMethod, Partitioned
from nymity.partition.outcome import SuppressedCells
from nymity.partition.problem import PartitionProblem
from nymity.table.encoding import EncodedTable
from nymity.table.outcome import MethodLoss
from nymity.table.packing import KeyLayout

#: Columns of which all patterns are tried; of more, so many patterns that neighbours have in common.
ALL_PATTERNS, MOST_PATTERNS = 10, 1024
#: A pattern is a bit of a word for each column.
MOST_COLUMNS = 62
#: CountedItems of a window, and of the classes in it; windows in one call of a kernel.
WIDTH, MOST, WINDOWS = 24, 96, 500
#: How much of the mean weight may be added to the price of a pattern, to try them in another order.
NOISE = 0.5
#: Rounds by default: so many for a small table, fewer for one of many items, but some.
MANY_ROUNDS, FEW_ROUNDS, ROUNDED_ITEMS = 200, 3, 60_000
#: CountedItems times patterns up to which a bound is computed.
BOUNDED = 2 * 10**7


@dataclass(frozen=True, kw_only=True)
class Suppression(CellMethod):
    """Publish the values of each column's level that a class shares, and suppress the other cells.

    ``levels`` generalizes columns first, by name; a column that is not named is published at the lowest level that the
    schema allows.
    """

    levels: Mapping[str, int] = field(default_factory=dict, hash=False)

    minimized: ClassVar[MethodLoss] = SuppressedCells()
    #: How promises read a suppressed cell, for certificates.
    star: ClassVar[str] = "a value of its own"

    def __post_init__(self) -> None:
        where = f"{self.key}.levels"
        validation.instance(where, self.levels, Mapping, expected="columns and their levels")
        for name, level in self.levels.items():
            validation.instance(where, name, str, expected="names of columns")
            validation.whole_number(f"{where}, {name!r}", level, at_least=0)
        object.__setattr__(self, "levels", dict(self.levels))

    def layout(self, table: EncodedTable) -> tuple[AttributeLayout, ...]:
        """Tell the values of each column's level apart."""
        for name in self.levels:
            validation.one_of(f"{self.key}.levels", name, table.names)
        if len(table.names) > MOST_COLUMNS:
            raise ParameterError(
                self.key,
                expected=f"at most {MOST_COLUMNS} quasi-identifiers",
                got=str(len(table.names)),
                hint="make columns that nobody could know of a person insensitive",
            )
        return suppressed_attributes_of(table, [self._level(table, a) for a in range(len(table.names))])

    def _level(self, table: EncodedTable, a: int) -> int:
        """Return the level of a column that is published where its cells are not suppressed."""
        name, low, high = table.names[a], table.min_levels[a], table.max_levels[a]
        level = self.levels.get(name, low)
        if not low <= level <= high:
            raise ParameterError(
                f"{self.key}.levels, {name!r}", expected=f"a level from {low} to {high}", got=str(level)
            )
        if high < table.hierarchies[a].height:
            raise SchemaError(
                f"schema.{name}",
                expected=f"no max_level for the method {self.key!r}, which suppresses cells of every column",
                got=f"max_level {high} of {table.hierarchies[a].height}",
                hint="give the column a larger weight, and fewer of its cells are suppressed",
            )
        return level

    @property
    def writing(self) -> Suppressing:
        """Values, and ``*`` where they differ."""
        return Suppressing()


@dataclass(frozen=True, kw_only=True)
class CellSuppression(Suppression, DividingMethod):
    """Suppress single cells until every record looks like at least k - 1 others, as few as a heuristic finds.

    ``rounds``: how often classes are dissolved and made anew all over the table; by default many for a small table and
    a few for a large one.
    """

    rounds: int | None = None

    key: ClassVar[str] = "cell-suppression"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rounds is not None:
            validation.whole_number(f"{self.key}.rounds", self.rounds, at_least=0)

    @property
    def divides_equals(self) -> bool:
        """All records of a combination are in one class."""
        return False

    def divide(self, problem: PartitionProblem, observe: Observer) -> Partitioned:
        """Divide by size, then merge what breaks another promise."""
        items, item_of = items_of(problem)
        with interruptible():
            patterns = patterns_of(items, problem.k)
            found = covered_by_classes(items, patterns, problem.k, observe, self.rounds)
            classes = np.unique(found.class_of, return_inverse=True)[1].astype(np.int64)
            bound = _bound(items, patterns, problem.k) if problem.size_only else None
        merged, refused = merge_failing(problem.assignment_of_combinations(classes[item_of]), observe)
        loss = merged.loss()
        return Partitioned(merged, bound=None if bound is None else min(bound, loss), by_values=refused)


def covered_by_classes(
    items: CountedItems, patterns: Ints, k: int, observe: Observer, rounds: int | None = None
) -> ItemClasses:
    """Return classes of k records at least: covered by patterns, then dissolved and made anew for some rounds."""
    n, n_columns = items.codes.shape
    if rounds is None:
        rounds = min(max(ROUNDED_ITEMS // n, FEW_ROUNDS), MANY_ROUNDS)
    state, noise = np.array([0x9E3779B97F4A7C15], dtype=np.uint64), NOISE * float(items.weights.mean())
    found = _item_classes(items, _covered(items, patterns, k, observe))
    for done in range(rounds):
        order = np.lexsort(items.codes[:, np.argsort([uniform(state) for _ in range(n_columns)])].T)
        order = order[found.stars[found.class_of[order]] != 0]  # others cost nothing
        # Windows begin elsewhere in each round: what a boundary has kept apart comes together in another.
        order = np.roll(order, int(uniform(state) * WIDTH))
        n_windows = -(-len(order) // WIDTH)
        for start in range(0, n_windows, WINDOWS):
            report(observe, Progress(stage="suppressing fewer cells", done=done, total=rounds))
            stop = min(start + WINDOWS, n_windows)
            renewed(items, found, k, patterns, noise, order, start, stop, WIDTH, MOST, state)
    return found


def stars_of_classes(items: CountedItems, k: int, observe: Observer) -> Ints:
    """Return the suppressed columns of each item in classes of k records at least, a bit each (n,)."""
    found = covered_by_classes(items, patterns_of(items, k), k, observe)
    return np.asarray(found.stars[found.class_of])


def items_of(problem: PartitionProblem, columns: Sequence[int] | None = None) -> tuple[CountedItems, Ints]:
    """Return the different combinations of the columns' levels, and which of them each combination of the table is.

    Of all columns, unless numbers of some are given.
    """
    columns, combinations = range(len(problem.attributes)) if columns is None else columns, problem.table.combinations
    attributes = [problem.attributes[a] for a in columns]
    ranks = [problem.attributes[a].rank[combinations[:, a]] for a in columns]
    sizes = [len(attribute.occurring) for attribute in attributes]
    group, first = distinct(KeyLayout.for_sizes(sizes).pack(ranks))
    codes = np.ascontiguousarray(np.stack([rank[first] for rank in ranks], axis=1))
    counts = np.bincount(group, weights=problem.table.counts, minlength=len(first)).astype(np.int64)
    weights = np.array([attribute.weight for attribute in attributes])
    starts = np.cumsum([0, *sizes])
    return CountedItems(codes, counts, weights, _marks(int(starts[-1])), starts[:-1]), group.astype(np.int64)


def patterns_of(items: CountedItems, k: int) -> Ints:
    """Return patterns, the cheapest first, those of fewer columns before others; the last suppresses everything."""
    n_columns = items.codes.shape[1]
    if n_columns <= ALL_PATTERNS:
        found = np.arange(1 << n_columns)
    else:
        found, times = np.unique(np.concatenate(list(_shared_patterns(items.codes, k))), return_counts=True)
        common = found[np.argsort(-times, kind="stable")[:MOST_PATTERNS]]
        found = np.union1d(common, [0, (1 << n_columns) - 1])
    prices = np.array([price(items.weights, pattern) for pattern in found])
    return np.asarray(found[np.lexsort([found, np.bitwise_count(found), prices])], dtype=np.int64)


def _shared_patterns(codes: Ints, k: int) -> Iterator[Ints]:
    """Yield what k items that follow each other differ in, in orders that begin with each of the columns."""
    n, n_columns = codes.shape
    bits = 1 << np.arange(n_columns)
    for first in range(n_columns):
        order = np.lexsort(np.roll(codes, first, axis=1).T)
        steps = (codes[order[1:]] != codes[order[:-1]]) @ bits
        for width in {1, max(k // 2, 1), max(k - 1, 1)}:
            if n > width:
                yield np.bitwise_or.reduce(np.lib.stride_tricks.sliding_window_view(steps, width), axis=1)


def _covered(items: CountedItems, patterns: Ints, k: int, observe: Observer) -> Ints:
    """Cover all items, with patterns of one price those first that cover most; return the class of each (n,)."""
    left, label, n_classes = np.arange(len(items.codes)), np.full(len(items.codes), -1), 0
    for tier in _tiers(items, patterns):
        # What a pattern covers gets less as others cover: an earlier number is a bound, and seldom has to be renewed.
        most = dict.fromkeys(tier, np.inf)
        while len(left) and most:
            report(observe, Progress(stage="suppressing cells", done=len(label) - len(left), total=len(label)))
            best = _next_pattern(items, k, left, most)
            if best is None:
                break
            n_classes, rest = cover(items, k, best, left, label, n_classes)
            left = left[:rest]
            del most[best]
    if len(left):
        label[left] = _nearest(items, label, left, n_classes)
    return label


def _next_pattern(items: CountedItems, k: int, left: Ints, most: dict[int, float]) -> int | None:
    """Return the pattern that covers most of what is left, None if all cover nothing."""
    best = None
    for pattern in sorted(most, key=lambda pattern: (-most[pattern], pattern)):
        if most[pattern] <= (0 if best is None else most[best]):
            break
        most[pattern] = covered(items, k, pattern, left)
        if most[pattern] > (0 if best is None else most[best]):
            best = pattern
    return best


def _tiers(items: CountedItems, patterns: Ints) -> Iterator[list[int]]:
    """Yield patterns of one price and number of columns together."""
    prices = [(price(items.weights, pattern), int(pattern).bit_count()) for pattern in patterns.tolist()]
    start = 0
    for end in range(1, len(prices) + 1):
        if end == len(prices) or prices[end] != prices[start]:
            yield patterns[start:end].tolist()
            start = end


def _nearest(items: CountedItems, label: Ints, left: Ints, n_classes: int) -> int:
    """Return the class that fewer than k items, left after all patterns, join at the least cost: the only one if none.

    A class of n records and pattern S costs n w(S); with r more, (n + r) w(S and whatever differs then).
    """
    if not n_classes:
        return 0
    classes = _item_classes(items, np.where(label < 0, n_classes, label))
    heads = classes.head[:n_classes]
    bits = 1 << np.arange(items.codes.shape[1])
    stars = classes.stars[:n_classes] | classes.stars[n_classes] | (items.codes[heads] != items.codes[left[0]]) @ bits
    weigh = np.vectorize(lambda pattern: price(items.weights, pattern), otypes=[np.float64])
    sizes = classes.size[:n_classes]
    added = (sizes + classes.size[n_classes]) * weigh(stars) - sizes * weigh(classes.stars[:n_classes])
    return int(np.argmin(added))


def _bound(items: CountedItems, patterns: Ints, k: int) -> float | None:
    """Return what any partition costs at least; None where there are too many patterns to try all of them."""
    n, n_columns = items.codes.shape
    if n_columns > ALL_PATTERNS or n * len(patterns) > BOUNDED:
        return None
    least, some = np.zeros(n), np.arange(n)
    for pattern in patterns.tolist():
        some = some[: least_prices(items, k, pattern, price(items.weights, pattern), least, some)]
        if not len(some):
            break
    return float(least @ items.counts)


def _item_classes(items: CountedItems, label: Ints) -> ItemClasses:
    n, n_classes = len(label), int(label.max()) + 1
    free = np.append(np.arange(n), n - n_classes)
    free[: n - n_classes] = np.arange(n_classes, n)
    # Numbers of classes are below n, so ``free`` has room for all; how many are free stands last.
    nobody, nothing = np.full((3, n), -1), np.zeros((2, n), dtype=np.int64)
    classes = ItemClasses(nobody[0], nobody[1], nobody[2], nothing[0], nothing[1], free)
    fill(items, classes, label)
    return classes


def _marks(n: int) -> np.ndarray:
    """Return n words whose bits look random, the same always (splitmix64; Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        word = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return word ^ (word >> np.uint64(31))
