"""Rows with suppressed cells of their own, for promises that need no classes.

:class:`WildcardSuppression` keeps k-anonymity with ``*`` as a wildcard: a record is given stars until k records match
it, the cheapest first, and those that are not needed in the end are taken back.

:class:`SubsetSuppression` keeps k-anonymity of every m columns: as long as fewer than k rows share their cells in
some m columns, each of these rows loses the cell that is part of most such combinations, for its weight; then cells are
shown again one by one, as long as every promise holds.

Records with equal values are published alike. What is suppressed is a function of quasi-identifiers; nothing is drawn.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report
from nymity.kernels.cell_suppression import CountedItems, price
from nymity.kernels.wildcard_suppression import prices_of, restore, suppress
from nymity.partition.class_cells import Suppressing
from nymity.partition.geometry import Ints
from nymity.partition.outcome import PartitionOutcome
from nymity.partition.problem import PartitionProblem
from nymity.partition.suppression import Suppression, items_of, patterns_of, stars_of_classes
from nymity.privacy import PrivacyModel, SubsetKAnonymity, WildcardKAnonymity
from nymity.table.partition_recoding import SuppressedRowsRecoding
from nymity.table.recoding import Recoding

#: Pairs of items compared in one call of a kernel.
_PAIRS = 2 * 10**7


@dataclass(frozen=True, kw_only=True)
class RowSuppression(Suppression):
    """Suppress cells of single rows until one kind of promise is kept."""

    makes: ClassVar[type[Recoding]] = SuppressedRowsRecoding
    proves_optimum: ClassVar[bool] = False  # but where nothing is suppressed
    #: The promise that it keeps.
    keeps: ClassVar[type[PrivacyModel]]

    @property
    def divides_equals(self) -> bool:
        """Records with equal values are published alike."""
        return False

    @abstractmethod
    def stars(self, items: CountedItems, models: Sequence[PrivacyModel], observe: Observer) -> Ints:
        """Return the suppressed columns of each item, a bit each (n,)."""

    def solve(self, problem: PartitionProblem, columns: Sequence[str], observe: Observer) -> PartitionOutcome:
        """Publish every combination of values with its own cells."""
        for model in problem.models:
            if not isinstance(model, self.keeps):
                raise ParameterError(
                    f"{self.key}: {model.key}",
                    expected=f"only {self.keeps.key!r}, for rows need not be equal and form no classes",
                    got=model.title,
                    hint="use the method 'cell-suppression', which makes classes",
                )
        items, item_of = items_of(problem)
        with interruptible():
            stars = self.stars(items, problem.models, observe)
        recoding = _recoding(problem, items, item_of, stars, columns)
        loss = float(
            sum(price(items.weights, s) * n for s, n in zip(stars.tolist(), items.counts.tolist(), strict=True))
        )
        return PartitionOutcome(
            recoding=recoding,
            loss=loss,
            classes=len(recoding.cell_of),
            optimal=loss == 0,
            minimized=self.minimized,
        )


@dataclass(frozen=True, kw_only=True)
class WildcardSuppression(RowSuppression):
    """Suppress single cells until every record matches k - 1 others, ``*`` matching every value.

    The time it takes grows with the square of the number of different records.
    """

    key: ClassVar[str] = "wildcard-suppression"
    star: ClassVar[str] = "a wildcard"
    keeps: ClassVar[type[PrivacyModel]] = WildcardKAnonymity

    def stars(self, items: CountedItems, models: Sequence[PrivacyModel], observe: Observer) -> Ints:
        """Give stars to rare items first, at the least price, and take back what is not needed."""
        k = max(model.smallest_class for model in models)
        stars, fits = np.zeros(len(items.codes), dtype=np.int64), items.counts.copy()
        patterns = patterns_of(items, k)
        prices = prices_of(items.weights, patterns)
        rare = np.lexsort([np.arange(len(fits)), items.counts])
        for limit in np.unique(prices).tolist():
            for some in _portions(rare[fits[rare] < k], len(fits)):
                report(observe, Progress(stage="suppressing cells", done=int((fits >= k).sum()), total=len(fits)))
                suppress(items, k, stars, fits, some, limit, patterns, prices)
        dear = np.argsort(-prices_of(items.weights, stars), kind="stable")
        for some in _portions(dear[stars[dear] != 0], len(fits)):
            report(observe, Progress(stage="showing cells again"))
            restore(items, k, stars, fits, some)
        return stars


@dataclass(frozen=True, kw_only=True)
class SubsetSuppression(RowSuppression):
    """Suppress single cells until k rows share every combination of cells in any m columns, ``*`` being a value.

    Promise :class:`~nymity.privacy.SubsetKAnonymity` once, or several times for other numbers of columns.
    """

    key: ClassVar[str] = "subset-suppression"
    keeps: ClassVar[type[PrivacyModel]] = SubsetKAnonymity

    def stars(self, items: CountedItems, models: Sequence[PrivacyModel], observe: Observer) -> Ints:
        """Begin with all cells, and with those that classes of k show; return what suppresses less in the end."""
        asked = [model for model in models if isinstance(model, SubsetKAnonymity)]
        whole, classes = _ShownCells(items, asked), _ShownCells(items, asked)
        while (rare := whole.rare()).any():
            report(observe, Progress(stage="suppressing cells", done=int((~rare.any(axis=1)).sum()), total=len(rare)))
            whole.suppress(rare)
        k = max(model.k for model in asked)
        bits = 1 << np.arange(items.codes.shape[1])
        classes.stars[:] = (stars_of_classes(items, k, observe)[:, None] & bits) != 0
        for shown in (whole, classes):
            report(observe, Progress(stage="showing cells again"))
            shown.restore()
        return np.asarray(min((whole, classes), key=lambda shown: shown.cost).stars @ bits, dtype=np.int64)


class _ShownCells:
    """Which cells of items are suppressed, and which columns must be looked at together."""

    def __init__(self, items: CountedItems, models: Sequence[SubsetKAnonymity]) -> None:
        self.items, n_columns = items, items.codes.shape[1]
        self.stars = np.zeros(items.codes.shape, dtype=np.bool_)
        k_of: dict[int, int] = {}
        for model in models:
            m = min(model.m, n_columns)
            k_of[m] = max(model.k, k_of.get(m, 1))
        #: Sets of columns, and how many records must share the cells there.
        self.sets = [(chosen, k) for m, k in sorted(k_of.items()) for chosen in combinations(range(n_columns), m)]

    @property
    def cost(self) -> float:
        """What the suppressed cells cost."""
        return float(self.items.counts @ (self.stars @ self.items.weights))

    def _groups(self, chosen: tuple[int, ...]) -> tuple[Ints, Ints]:
        """Return the number of each item's combination of cells in some columns, and the records of each."""
        number = np.zeros(len(self.stars), dtype=np.int64)
        for a in chosen:
            # A star is a value like others here, with the code 0.
            cells = np.where(self.stars[:, a], 0, self.items.codes[:, a] + 1)
            _, number = np.unique(number * (int(cells.max()) + 1) + cells, return_inverse=True)
        sizes = np.bincount(number, weights=self.items.counts).astype(np.int64)
        return number, sizes

    def rare(self) -> Ints:
        """Count for each item and column the rare combinations of cells that it is part of, (n, m)."""
        found = np.zeros(self.stars.shape, dtype=np.int64)
        for chosen, k in self.sets:
            number, sizes = self._groups(chosen)
            for a in chosen:
                found[:, a] += sizes[number] < k
        return found

    def suppress(self, rare: Ints) -> None:
        """Suppress of each item in a rare combination the cell that is part of most, for its weight."""
        worth = np.where(self.stars, 0.0, rare / np.maximum(self.items.weights, 1e-9))
        best, some = worth.argmax(axis=1), worth.max(axis=1) > 0
        self.stars[np.flatnonzero(some), best[some]] = True
        if not some.any():  # all cells of what is rare are suppressed: others join
            self._join()

    def _join(self) -> None:
        """Suppress cells of the items that have most of them suppressed, where too few rows have stars alone."""
        for chosen, k in self.sets:
            columns = list(chosen)
            hidden: NDArray[np.bool_] = np.asarray(self.stars[:, columns].all(axis=1))
            missing = k - int(self.items.counts[hidden].sum())
            if not hidden.any() or missing <= 0:
                continue
            order = np.lexsort([np.arange(len(hidden)), -self.stars.sum(axis=1), -self.stars[:, columns].sum(axis=1)])
            order = order[~hidden[order]]
            upto = np.searchsorted(np.cumsum(self.items.counts[order]), missing) + 1
            self.stars[order[:upto, None], columns] = True
            return

    def restore(self) -> None:
        """Show cells again, those of dear columns first, as long as nothing gets rare."""
        tables = [self._tally(chosen) for chosen, _ in self.sets]
        of_column: list[list[int]] = [[] for _ in range(self.stars.shape[1])]
        for number, (chosen, _) in enumerate(self.sets):
            for a in chosen:
                of_column[a].append(number)
        for a in np.argsort(-self.items.weights, kind="stable").tolist():
            for item in np.flatnonzero(self.stars[:, a]).tolist():
                self._show(item, a, [(tables[number], *self.sets[number]) for number in of_column[a]])

    def _show(self, item: int, a: int, affected: list[tuple[Counter[tuple[int, ...]], tuple[int, ...], int]]) -> None:
        count, moves = int(self.items.counts[item]), []
        for table, chosen, k in affected:
            before = self._cells(item, chosen)
            after = tuple(
                int(self.items.codes[item, a]) + 1 if b == a else cell for b, cell in zip(chosen, before, strict=True)
            )
            # Rows that keep their star must be none or enough without this one, and those that it joins enough with it.
            left = table[before] - count
            if 0 < left < k or table[after] + count < k:
                return
            moves.append((table, before, after))
        for table, before, after in moves:
            table[before] -= count
            table[after] += count
        self.stars[item, a] = False

    def _cells(self, item: int, chosen: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(0 if self.stars[item, b] else int(self.items.codes[item, b]) + 1 for b in chosen)

    def _tally(self, chosen: tuple[int, ...]) -> Counter[tuple[int, ...]]:
        cells = np.where(self.stars[:, list(chosen)], 0, self.items.codes[:, list(chosen)] + 1)
        found = Counter[tuple[int, ...]]()
        for row, count in zip(map(tuple, cells.tolist()), self.items.counts.tolist(), strict=True):
            found[row] += count
        return found


def _portions(items: Ints, n: int) -> Iterator[Ints]:
    """Yield items for one call of a kernel each, which compares each with n others."""
    step = max(1, _PAIRS // n)
    for start in range(0, len(items), step):
        yield items[start : start + step]


def _recoding(
    problem: PartitionProblem, items: CountedItems, item_of: Ints, stars: Ints, columns: Sequence[str]
) -> SuppressedRowsRecoding:
    table, profiles, writing = problem.table, problem.table.profiles, Suppressing()
    cells, numbers = {}, []
    for a, attribute in enumerate(problem.attributes):
        cells[attribute.name], number = writing.written(
            attribute, items.codes[:, a], ((stars >> a) & 1).astype(np.bool_)
        )
        numbers.append(number)
    cell_of, class_of = np.unique(np.stack(numbers, axis=1), axis=0, return_inverse=True)
    classes = class_of.ravel()[item_of[profiles.combination]]
    return SuppressedRowsRecoding(
        columns=tuple(columns),
        hierarchies=dict(zip(table.names, table.hierarchies, strict=True)),
        cells=cells,
        cell_of=cell_of,
        quotas=problem.quotas(np.arange(len(profiles.counts)), classes, profiles.counts),
    )
