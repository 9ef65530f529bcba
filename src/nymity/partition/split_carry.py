"""SplitCarry: exact solutions of small sub-problems along the sorted order, chained by records carried over.

Liang (2020, algorithm 1) sorts the records, takes ``sets`` k-sets at a time, solves each such sub-problem exactly, and
carries records at its end into the next one, where they may find better company. As its worked example does, and
against line 5 of the algorithm, the last k-set absorbs the n mod k records that are left over (the published chunks of
kS rows may leave a last one of fewer than k). The last sub-problem carries nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import ClassVar, Literal

import numpy as np

from nymity.core import validation
from nymity.core.progress import Observer, Progress, report, silent
from nymity.partition.exact import improve
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.method import RecordMethod
from nymity.partition.optimum import Optimum
from nymity.partition.sorted_groups import require_enough
from nymity.partition.sorted_order import sorted_order

Carry = Literal["class", "subset", "bubble"]


@dataclass(frozen=True, eq=False)
class Chain:
    """The class of each record (n,), and how the chain went.

    sizes: the number of records of each sub-problem. proved: how many were solved with proof. initial: how many of the
    others kept the classes they started from.
    """

    classes: Ints
    sizes: tuple[int, ...]
    proved: int
    initial: int

    @property
    def stopped(self) -> str | None:
        """How many sub-problems were given up before a proof, None if none was."""
        given_up = len(self.sizes) - self.proved
        if not given_up:
            return None
        kept = f", {self.initial:,} of them with the classes of the initial solution" if self.initial else ""
        return f"before a proof in {given_up:,} of {len(self.sizes):,} sub-problems{kept}"


@dataclass(frozen=True, kw_only=True)
class SplitCarry(RecordMethod):
    """Solve sub-problems of ``sets`` k-sets exactly (the thesis' S), at most ``seconds`` each, and carry records over.

    With k = 3 a proof takes a fraction of a second. From k = 5 on some sub-problems reach the limit (section 3.3.1,
    "early termination") and keep the best classes found; the outcome says how many, and depends on the machine then.
    There are about n / (k * sets) of them. After ``seconds_in_all`` those that are left keep the classes they start
    from; None is no limit, for either. How many there are and how long that can take is told before.

    What is carried (the last two are proposals of Liang 2020, section 5.2):

    - ``class``: the classes of the last ``boundary`` records, k if not given. The thesis carries of a class of 2k or
      more only what does not hold k on its own; an exact solution has no such class. A sub-problem has at most
      boundary * (2k - 1) + k * sets + (n mod k) records (lemma 2, corrected).
    - ``subset``: of each such class only the r records it has beyond k; those without which it costs most, as they fit
      in well and may fit elsewhere, too. Its last record, the boundary, stays.
    - ``bubble``: each sub-problem has exactly k * sets records (P); the ``accepted`` classes (A) that cost least stay,
      and all others are carried.
    """

    sets: int = 3
    carry: Carry = "class"
    boundary: int | None = None
    accepted: int = 1
    seconds: float | None = 5.0
    seconds_in_all: float | None = 600.0

    key: ClassVar[str] = "split-carry"
    merges: ClassVar[bool] = False
    takes_persons: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.whole_number("split-carry.sets", self.sets, at_least=2)
        validation.one_of("split-carry.carry", self.carry, ("class", "subset", "bubble"))
        if self.boundary is not None:
            validation.whole_number("split-carry.boundary", self.boundary, at_least=1)
        validation.whole_number("split-carry.accepted", self.accepted, at_least=1)
        if self.seconds is not None:
            validation.number("split-carry.seconds", self.seconds, above=0)
        if self.seconds_in_all is not None:
            validation.number("split-carry.seconds_in_all", self.seconds_in_all, above=0)

    def partition(self, geometry: Geometry, k: int, observe: Observer = silent) -> Chain:
        """Return the class of each record, and how the chain went."""
        n, order = require_enough(geometry, k), sorted_order(geometry)
        classes, sizes = np.empty(n, dtype=np.int64), []
        n_classes = proved = initial = read = 0
        carried: list[Ints] = []
        report(observe, Progress(stage=self._forecast(n, k), done=0, total=n))
        until = monotonic() + (inf if self.seconds_in_all is None else self.seconds_in_all)
        while read < n or carried:
            end = self._end(n, k, read, sum(map(len, carried)))
            problem = _SubProblem.of(carried, order[read:end], k)
            optimum = self._solve(_part(geometry, problem.records), k, problem.start, until - monotonic())
            read, proved = end, proved + optimum.optimal
            initial += not optimum.optimal and np.array_equal(optimum.classes, problem.start)
            sizes.append(len(problem.records))
            solution = [problem.records[members] for members in _classes(optimum.classes)]
            carried = self._carried(geometry, k, problem.records, solution) if read < n else []
            # An empty array of the right type, for when nothing is carried.
            gone = np.concatenate([*carried, order[:0]])
            for members in solution:
                staying = members[~np.isin(members, gone)]
                classes[staying] = n_classes
                n_classes += len(staying) > 0
            report(observe, Progress(stage="solving sub-problems", done=read, total=n))
        return Chain(classes, tuple(sizes), proved, initial)

    def _solve(self, geometry: Geometry, k: int, start: Ints, seconds_left: float) -> Optimum:
        """Solve a sub-problem in its own time and what is left of that of all; where none is left, keep the start."""
        if seconds_left <= 0:
            return Optimum(start, geometry.total(start), 0.0)
        seconds = min(inf if self.seconds is None else self.seconds, seconds_left)
        return improve(geometry, k, start, seconds=None if seconds == inf else seconds)

    def _forecast(self, n: int, k: int) -> str:
        """Say how many sub-problems there are, and how long they can take."""
        step = self.accepted if self.carry == "bubble" else self.sets
        many = -(-n // (k * step))
        longest = min(
            inf if self.seconds_in_all is None else self.seconds_in_all,
            inf if self.seconds is None else many * self.seconds,
        )
        limit = "without a limit of time" if longest == inf else f"within about {longest:,.4g} seconds"
        return f"solving some {many:,} sub-problems {limit}"

    def _end(self, n: int, k: int, read: int, n_carried: int) -> int:
        """Return how far the next sub-problem reads; what would not make a k-set is read as well."""
        end = read + k * self.sets - (n_carried if self.carry == "bubble" else 0)
        # Fewer than k would be left over, and no sub-problem of their own could hold them.
        return end if end + k <= n else n

    def _carried(self, geometry: Geometry, k: int, records: Ints, solution: list[Ints]) -> list[Ints]:
        """Return what goes into the next sub-problem: classes, or single records that are no class."""
        if self.carry == "bubble":
            dearest = sorted(range(len(solution)), key=lambda c: geometry.cost(solution[c]))[self.accepted :]
            return [solution[c] for c in sorted(dearest)]
        boundary = records[-(self.boundary or k) :]
        met = [members for members in solution if np.isin(members, boundary).any()]
        if self.carry == "class":
            return met
        return [_spare(geometry, members, len(members) - k) for members in met]


@dataclass(frozen=True, eq=False)
class _SubProblem:
    """Records that are solved together, and a partition of them to start from."""

    records: Ints
    start: Ints

    @staticmethod
    def of(carried: list[Ints], further: Ints, k: int) -> _SubProblem:
        """Keep carried classes as they were, and group all other records by k as they come; the last group absorbs."""
        whole = [members for members in carried if len(members) >= k]
        loose = np.concatenate([*(members for members in carried if len(members) < k), further])
        n_groups = max(len(loose) // k, 1)
        groups = np.minimum(np.arange(len(loose)) // k, n_groups - 1)
        kept = np.repeat(np.arange(len(whole)), [len(members) for members in whole])
        return _SubProblem(np.concatenate([*whole, loose]), np.concatenate([kept, groups + len(whole)]))


def _spare(geometry: Geometry, members: Ints, r: int) -> Ints:
    """Return the r records of a class, but its last, without which the others cost most."""
    without = [geometry.cost(np.delete(members, i)) for i in range(len(members) - 1)]
    return np.sort(members[np.argsort(without, kind="stable")[::-1][:r]])


def _part(geometry: Geometry, records: Ints) -> Geometry:
    return replace(geometry, points=geometry.points[records], codes=geometry.codes[records])


def _classes(classes: Ints) -> Iterator[Ints]:
    """Yield the members of each class, in the order of their first."""
    _, first = np.unique(classes, return_index=True)
    for i in np.sort(first):
        yield np.flatnonzero(classes == classes[i])
