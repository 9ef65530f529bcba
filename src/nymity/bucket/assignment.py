"""How many records of each value go to the buckets of each size, or why they cannot.

With b_j buckets of size S_j, v_ij records of value i in them must satisfy

    sum_j v_ij = o_i,    sum_i v_ij = b_j S_j,    0 <= v_ij <= u_ij = floor(f'_i S_j) b_j        (Wang 2014, chapter 6)

and that suffices: within a size, dealing the records round robin keeps every threshold (lemma 3). It is a flow from
values to sizes, so whole numbers exist whenever any do, and by max-flow min-cut they exist exactly if for every set J
of sizes the values can fill it: sum_i min(o_i, sum_{j in J} u_ij) >= sum_{j in J} b_j S_j, with equality of both sides'
totals. For two sizes these are the privacy and fill constraints of theorem 1; for three or more, the conditions on
single sizes and on all of them no longer suffice (example 12), and the flow has to be found. For two sizes what is
done here is program 5.1.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nymity.bucket.problem import BucketProblem, Ints, Value
from nymity.core.quoting import MARK, quoted


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A condition that a setting breaks: for ``sizes`` taken together, ``needed`` records are more than ``possible``.

    ``capacity``: the buckets do not hold as many records as there are. ``privacy``: the thresholds keep records of the
    value out of all buckets. ``fill``: the thresholds admit too few records to fill the buckets of these sizes; the
    value is the one most of whose records they keep out.
    """

    condition: Literal["capacity", "privacy", "fill"]
    sizes: tuple[int, ...]
    needed: int
    possible: int
    value: Value = None

    def __str__(self) -> str:
        sizes, value = ", ".join(map(str, self.sizes)), quoted(self.value).removeprefix(MARK)
        if self.condition == "capacity":
            return f"capacity constraint: buckets of {sizes} hold {self.possible:,} records, there are {self.needed:,}"
        if self.condition == "privacy":
            return (
                f"privacy constraint of {value}: buckets of {sizes} admit {self.possible:,} of its "
                f"{self.needed:,} records"
            )
        return (
            f"fill constraint: buckets of {sizes} hold {self.needed:,} records, but the thresholds admit only "
            f"{self.possible:,}, first of all that of {value}"
        )


def assign(problem: BucketProblem, buckets: Ints) -> Ints | Violation:
    """Return how many records of each value go to each size (n_values, n_sizes), for so many buckets of each size.

    Each value's records go to its smallest sizes first; then records move from sizes with too many to sizes with too
    few, along the shortest chain of sizes that has room.
    """
    capacity = problem.sizes * buckets
    if capacity.sum() != problem.n_records:
        return Violation(
            condition="capacity",
            sizes=_used(problem, buckets > 0),
            needed=problem.n_records,
            possible=int(capacity.sum()),
        )
    limits = problem.caps * buckets
    shortage = problem.counts - limits.sum(axis=1)
    if (shortage > 0).any():
        i = int(shortage.argmax())
        return Violation(
            condition="privacy",
            sizes=_used(problem, buckets > 0),
            needed=int(problem.counts[i]),
            possible=int(limits[i].sum()),
            value=problem.values[i],
        )
    records = np.diff(np.minimum(limits.cumsum(axis=1), problem.counts[:, None]), axis=1, prepend=0)
    closed = _level(records, limits, capacity)
    return records if closed is None else _cannot_fill(problem, buckets, limits, ~closed & (buckets > 0))


def _level(records: Ints, limits: Ints, capacity: Ints) -> NDArray[np.bool_] | None:
    """Move records in place until every size holds its capacity, or return the sizes that cannot give theirs away."""
    surplus = records.sum(axis=0) - capacity
    while (surplus > 0).any():
        came_from, end = _shortest_chain(records, limits, surplus)
        if end is None:
            return came_from >= 0
        chain = [end]
        while came_from[chain[-1]] != chain[-1]:
            chain.append(int(came_from[chain[-1]]))
        steps = list(zip(chain[1:], chain, strict=False))  # from the end back, so that each move makes room
        amount = min(surplus[chain[-1]], -surplus[end], *(_movable(records, limits, a, b).sum() for a, b in steps))
        for a, b in steps:
            taken = np.diff(np.minimum(_movable(records, limits, a, b).cumsum(), amount), prepend=0)
            records[:, a] -= taken
            records[:, b] += taken
        surplus[chain[-1]] -= amount
        surplus[end] += amount
    return None


def _shortest_chain(records: Ints, limits: Ints, surplus: Ints) -> tuple[Ints, int | None]:
    """Search breadth first from sizes with too many records to one with too few; return whence each was reached."""
    came_from = np.full(len(surplus), -1)
    starts = np.flatnonzero(surplus > 0)
    came_from[starts] = starts
    queue = deque(starts.tolist())
    while queue:
        a = queue.popleft()
        room = np.minimum(records[:, a, None], limits - records).sum(axis=0)
        for b in np.flatnonzero((room > 0) & (came_from < 0)).tolist():
            came_from[b] = a
            if surplus[b] < 0:
                return came_from, b
            queue.append(b)
    return came_from, None


def _movable(records: Ints, limits: Ints, a: int, b: int) -> Ints:
    """Return how many records of each value size a has and size b has room for."""
    moved: Ints = np.minimum(records[:, a], limits[:, b] - records[:, b])
    return moved


def _cannot_fill(problem: BucketProblem, buckets: Ints, limits: Ints, short: NDArray[np.bool_]) -> Violation:
    admitted = np.minimum(problem.counts, limits[:, short].sum(axis=1))
    return Violation(
        condition="fill",
        sizes=_used(problem, short),
        needed=int((problem.sizes * buckets)[short].sum()),
        possible=int(admitted.sum()),
        value=problem.values[int((problem.counts - admitted).argmax())],
    )


def _used(problem: BucketProblem, chosen: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(problem.sizes[chosen].tolist())
