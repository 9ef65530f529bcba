"""Freeform anonymization (Doka, Xue, Tsoumakos and Karras 2015): every record is published with cells of its own.

The cells of a row cover k records, such that records and rows form k perfect matchings without a common pair (see
:mod:`nymity.partition.cover`). The first matching is everybody with itself; each of k - 1 further rounds adds one,
and tries to let the rows grow little. The rounds differ by how they match:

- :class:`FreeformGreedy`: one row after the other takes the nearest free record; O(k n²).
- :class:`FreeformSortGreedy`: the cheapest of all pairs is matched, then the cheapest of those left; O(k n² log n).
- :class:`FreeformHungarian`: the assignment of least cost; O(k n³), and a matrix of n² costs.

A greedy round may end with rows that cover every free record already. They get theirs by exchange with other rows
along an augmenting path, which always exists. We differ from the paper in that costs are computed when they are asked
for, in memory O(n k) for the greedy rounds, and that rows are taken in their canonical order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from typing import ClassVar

import numpy as np

from nymity.core import validation
from nymity.core.aside import aside
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report, silent
from nymity.kernels.freeform import (
    FreeformRows,
    all_costs,
    all_nearest,
    exchange,
    least_costs,
    nearest,
    take_nearest,
)
from nymity.partition.class_cells import CellForm, class_cells
from nymity.partition.cover import Cover, RowBoxes, draw_links
from nymity.partition.geometry import Floats, Geometry, Ints
from nymity.partition.method import CoveringMethod
from nymity.partition.outcome import PartitionOutcome
from nymity.partition.problem import ClassValues, PartitionProblem
from nymity.privacy import KMatching, PrivacyModel
from nymity.table.partition_recoding import LINKS, FreeformRecoding
from nymity.table.recoding import Recoding

#: Cells compared in one kernel call: well below a second.
_CELLS_PER_CALL = 3 * 10**7


@dataclass(frozen=True, kw_only=True)
class Freeform(CoveringMethod):
    """Publish every record with cells that cover k records, so that rows and records form k disjoint matchings.

    That is what :class:`~nymity.privacy.KMatching` promises, and no other model is kept.
    """

    makes: ClassVar[type[Recoding]] = FreeformRecoding

    @abstractmethod
    def match(self, rows: FreeformRows, round_: int, observe: Observer) -> Ints:
        """Return the further record (n,) each row covers: a permutation, and none that the row covers already."""

    def solve(self, problem: PartitionProblem, columns: Sequence[str], observe: Observer) -> PartitionOutcome:
        """Publish each row with the smallest cells that cover its records, and the other columns of one of them."""
        _refuse_other_models(self.key, problem.models)
        cover = self.partition(problem.geometry, problem.k, observe)
        recoding = _recoding(
            problem, cover.records, draw_links(cover.records, problem.draws.below(LINKS)), columns, self.cells
        )
        return PartitionOutcome(
            recoding=recoding,
            loss=cover.loss,
            classes=len(recoding.cell_of),
            optimal=cover.loss <= cover.bound,
            bound=cover.bound,
        )

    def partition(self, geometry: Geometry, k: int, observe: Observer = silent) -> Cover:
        """Return the records each row covers, with their loss and a lower bound for that of any cover."""
        self.check(len(geometry), k)
        with interruptible():
            rows = _own_records(geometry, k)
            bound = _bound(rows, k, observe)
            for round_ in range(1, k):
                report(observe, Progress(stage="freeform rounds", done=round_ - 1, total=k - 1))
                rows = _grown(rows, round_, self.match(rows, round_, observe))
        return Cover(rows.covers, RowBoxes.of(geometry, rows.covers).loss(geometry), bound)

    def check(self, n_records: int, k: int) -> None:
        """Refuse tables that cannot be published."""
        if n_records < k:
            raise NoSolutionError(
                f"no row can cover {k} of {n_records} records; publish a table of at least {k} or lower k"
            )


@dataclass(frozen=True, kw_only=True)
class FreeformGreedy(Freeform):
    """Each round, one row after the other takes the free record that costs it least."""

    key: ClassVar[str] = "freeform-greedy"

    def match(self, rows: FreeformRows, round_: int, observe: Observer) -> Ints:
        """Serve the rows in their order."""
        n = len(rows.covers)
        chosen, taken = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=bool)
        for first, last in _slices(rows):
            take_nearest(rows, round_, first, last, chosen, taken)
            report(observe, Progress(stage=f"freeform round {round_}", done=last, total=n))
        return _completed(rows, round_, chosen, taken)


@dataclass(frozen=True, kw_only=True)
class FreeformSortGreedy(Freeform):
    """Each round, the cheapest pair of row and record is matched, then the cheapest of those left, and so on.

    Equal costs go to the first row. The sorted list of all pairs is never made: each row
    waits in a heap with the cheapest record that was free when it last looked.
    """

    key: ClassVar[str] = "freeform-sort-greedy"

    def match(self, rows: FreeformRows, round_: int, observe: Observer) -> Ints:
        """Serve the cheapest pair first."""
        n = len(rows.covers)
        chosen, taken = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=bool)
        records, costs = np.empty(n, dtype=np.int64), np.empty(n)
        for first, last in _slices(rows):
            all_nearest(rows, round_, first, last, taken, records, costs)
            report(observe, Progress(stage=f"freeform round {round_}, neighbours", done=last, total=n))
        waiting = [(costs[row], row) for row in range(n)]
        heapify(waiting)
        while waiting:
            _, row = waiting[0]
            if records[row] < 0:  # covers every free record already
                heappop(waiting)
            elif not taken[records[row]]:
                heappop(waiting)
                chosen[row] = records[row]
                taken[chosen[row]] = True
            else:
                records[row], cost = nearest(rows, round_, row, taken)
                heapreplace(waiting, (cost, row))
            if len(waiting) % 1024 == 0:
                report(observe, Progress(stage=f"freeform round {round_}", done=n - len(waiting), total=n))
        return _completed(rows, round_, chosen, taken)


@dataclass(frozen=True, kw_only=True)
class FreeformHungarian(Freeform):
    """Each round, rows and records are assigned at the least cost of all.

    The best assignment of one round need not lead to the best cover. A round holds a matrix of n² costs, 8 bytes each;
    tables of more than ``most_records`` are refused.
    """

    most_records: int = 10_000

    key: ClassVar[str] = "freeform-hungarian"

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.whole_number(f"{self.key}.most_records", self.most_records, at_least=1)

    def check(self, n_records: int, k: int) -> None:
        """Refuse also tables whose matrix of costs would be too large."""
        super().check(n_records, k)
        if n_records > self.most_records:
            raise ParameterError(
                f"{self.key}.most_records",
                expected=f"at least the {n_records:,} records of the table",
                got=f"{self.most_records:,}",
                hint=f"raise it (the costs take {8e-9 * n_records**2:.1f} GB), or 'freeform-sort-greedy'",
            )

    def match(self, rows: FreeformRows, round_: int, observe: Observer) -> Ints:
        """Solve the assignment problem."""
        n = len(rows.covers)
        matrix = np.empty((n, n))
        for first, last in _slices(rows):
            all_costs(rows, round_, first, last, matrix)
            report(observe, Progress(stage=f"freeform round {round_}, costs", done=last, total=n))
        return _assignment(matrix, observe)


def _assignment(matrix: Floats, observe: Observer) -> Ints:
    """Return the record of each row in the assignment of least cost."""
    from scipy.optimize import linear_sum_assignment

    found = aside(lambda: linear_sum_assignment(matrix)[1], observe, Progress(stage="freeform assignment"))
    return np.asarray(found, dtype=np.int64)


# -- what is published ---------------------------------------------------------------------------------


def _refuse_other_models(key: str, models: Sequence[PrivacyModel]) -> None:
    for model in models:
        if not isinstance(model, KMatching):
            raise ParameterError(
                f"{key}: {model.key}",
                expected="only 'k-matching', for rows need not be equal and form no classes",
                got=model.title,
                hint="promise 'k-matching', which is weaker than k-anonymity, or use the method 'mondrian'",
            )


def _recoding(
    problem: PartitionProblem, covers: Ints, links: Ints, columns: Sequence[str], form: CellForm
) -> FreeformRecoding:
    """Give row i the cells that cover the records covers[i] (n, k), and the other columns of record links[i] (n,).

    Rows with equal cells are one class. Records with equal quasi-identifiers and sensitive values are told apart by
    nothing here; which of them gets which of their rows is drawn when the recoding is applied.
    """
    table = problem.table
    profiles, combinations = table.profiles, table.combinations.astype(np.int64)
    values = combinations[profiles.combination[problem.profile_of_records]]  # (n, m)
    # Rows as if they were classes of the k records they cover: their cells are made by the same code.
    owner = np.repeat(np.arange(len(covers)), covers.shape[1])
    cells, numbers = {}, []
    for a, attribute in enumerate(problem.attributes):
        ranks = attribute.rank[values[covers.ravel(), a]]
        covered = ClassValues.of(ranks, owner, len(attribute.occurring))
        cells[attribute.name], number = class_cells(attribute, covered, form)
        numbers.append(number)
    cell_of, classes = np.unique(np.stack(numbers, axis=1), axis=0, return_inverse=True)
    pairs, records = np.unique(problem.profile_of_records[links] * len(cell_of) + classes.ravel(), return_counts=True)
    profile, classes = np.divmod(pairs, len(cell_of))
    return FreeformRecoding(
        columns=tuple(columns),
        hierarchies=dict(zip(table.names, table.hierarchies, strict=True)),
        cells=cells,
        cell_of=cell_of,
        quotas=problem.quotas(profile, classes, records.astype(np.int64)),
    )


# -- rows ----------------------------------------------------------------------------------------------


def _own_records(geometry: Geometry, k: int) -> FreeformRows:
    n = len(geometry)
    covers = np.zeros((n, k), dtype=np.int64)
    covers[:, 0] = np.arange(n)
    points = np.ascontiguousarray(geometry.points, dtype=np.float64)
    codes = np.ascontiguousarray(geometry.codes, dtype=np.int64)
    several = np.zeros(codes.shape, dtype=bool)
    return FreeformRows(points, geometry.scales, codes, geometry.set_scales, covers, points, points, several)


def _grown(rows: FreeformRows, round_: int, chosen: Ints) -> FreeformRows:
    """Return the rows with one more record each."""
    rows.covers[:, round_] = chosen
    places = rows.points[chosen]
    return rows._replace(
        low=np.minimum(rows.low, places),
        high=np.maximum(rows.high, places),
        several=rows.several | (rows.codes[chosen] != rows.codes),
    )


def _completed(rows: FreeformRows, round_: int, chosen: Ints, taken: np.ndarray) -> Ints:
    """Find a record for the rows that were left without."""
    for row in np.flatnonzero(chosen < 0):
        exchange(rows, round_, row, chosen, taken)
    return chosen


def _bound(rows: FreeformRows, k: int, observe: Observer) -> float:
    """Return the sum of the least each row may cost."""
    if k == 1:
        return 0.0
    bounds = np.empty(len(rows.covers))
    for first, last in _slices(rows):
        least_costs(rows, k - 1, first, last, bounds)
        report(observe, Progress(stage="freeform bound", done=last, total=len(bounds)))
    return float(np.sum(bounds))


def _slices(rows: FreeformRows) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows for one kernel call each."""
    n = len(rows.covers)
    cells = n * max(1, len(rows.scales) + len(rows.set_scales))
    step = max(1, _CELLS_PER_CALL // cells)
    for first in range(0, n, step):
        yield first, min(n, first + step)
