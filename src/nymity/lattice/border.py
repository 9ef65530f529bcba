"""The border of a lattice's solutions where the size of a class decides: what lies on it, or is best.

See :mod:`nymity.kernels.border`.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.progress import Progress, report
from nymity.kernels.border import SOLUTION, UNKNOWN, settle, settle_classes
from nymity.lattice.search import Inquiry
from nymity.lattice.seen_nodes import TIE

#: Largest lattice whose nodes are tagged.
MAX_TAGGED = 2**24
#: Nodes checked between two reports.
CHECKS_A_REPORT = 5_000
#: Bytes of a dense table for each class up to which it is faster than a sparse one.
BYTES_A_CLASS = 32


def look_for_most_classes(inquiry: Inquiry) -> None:
    """See all solutions with the largest number of classes, as the inquiry's loss counts them."""
    space, engine = inquiry.space, inquiry.engine
    if inquiry.check(space.high) is None:  # then there is no solution
        return
    tags, arguments, most = np.full(space.size, UNKNOWN), kernel_arguments(inquiry), 0
    reached: list[Any] = []
    while True:
        checks, best, nodes = settle_classes(*arguments, tags, CHECKS_A_REPORT, most)
        # Nodes of an earlier call are forgotten once a later one has found more classes.
        reached = [*(reached if best == most else []), *nodes]
        most, engine.checks = best, engine.checks + checks
        report(inquiry.observe, Progress(stage="searching the lattice", done=inquiry.checks))
        if checks < CHECKS_A_REPORT:
            break
    for levels in reached:
        inquiry.check(tuple(levels.tolist()))
        engine.checks -= 1  # checked before, but without the statistics that other nodes are compared by


def look_for_lowest(inquiry: Inquiry) -> None:
    """See all solutions with the smallest loss, for a loss of levels alone: no solution above another is as good."""
    if inquiry.check(inquiry.space.high) is None:  # then there is no solution
        return
    minimal = minimal_nodes(solutions_by_size(inquiry, lowest=True)) + np.array(inquiry.space.low)
    losses = np.array([(inquiry.loss.floors(levels, None) or (0.0,))[0] for levels in minimal.tolist()])
    # Those that tie are checked, too: which of them is best is a matter of the records they suppress.
    for levels in minimal[losses <= losses.min() * (1 + 2 * TIE)].tolist():
        inquiry.check(tuple(levels))


def minimal_nodes(solutions: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the places, (N, m) in order, of solutions without another one a level below; (shape of the lattice)."""
    minimal = solutions.copy()
    for axis in range(solutions.ndim):
        upper, lower = np.moveaxis(minimal, axis, 0)[1:], np.moveaxis(solutions, axis, 0)[:-1]
        upper &= ~lower
    return np.argwhere(minimal)


def solutions_by_size(inquiry: Inquiry, *, lowest: bool = False) -> NDArray[np.bool_]:
    """Settle which nodes are solutions, (shape of the lattice); the top is one.

    ``lowest``: among those that lose no more than the lowest solution, by a loss of levels alone.
    """
    space, engine, form = inquiry.space, inquiry.engine, inquiry.loss.form() if lowest else None
    tags, grid = np.full(space.size, UNKNOWN), space.grid
    tags[-1] = SOLUTION
    arguments = kernel_arguments(inquiry)
    cost, least = np.zeros(arguments[11].shape) if form is None else form.weights[:, None] * form.base, inf
    while True:
        checks, least = settle(*arguments, tags, CHECKS_A_REPORT, cost, least)
        engine.checks += checks
        report(inquiry.observe, Progress(stage="searching the lattice", done=inquiry.checks))
        if checks < CHECKS_A_REPORT:
            return np.asarray(tags == SOLUTION).reshape(grid)


def decided_by_size(inquiry: Inquiry) -> bool:
    """Return whether the size of a class decides, so that the kernel can do all of the same."""
    return inquiry.engine.pivot >= 0 and all(model.size_only for model in inquiry.engine.models)


def kernel_arguments(inquiry: Inquiry) -> tuple[Any, ...]:
    """What ``settle`` needs to know of the table, the models and the lattice."""
    space, engine, table = inquiry.space, inquiry.engine, inquiry.engine.table
    # A solution publishes at least one record. No class is larger than the table, so that this smallest fits 32 bits.
    limit, smallest = min(inquiry.seen.limit, table.n_records - 1), min(engine.smallest, table.n_records + 1)
    # Two cells are added before the sum is cut at the smallest class: twice that must fit.
    cell = np.uint8 if smallest < 2**7 else np.uint32
    n_levels = max(h.height for h in table.hierarchies) + 1
    map_at, width = np.zeros((len(table.names), n_levels, n_levels), np.int64), np.ones((len(table.names), n_levels))
    for a, hierarchy in enumerate(table.hierarchies):
        for low in range(hierarchy.height + 1):
            width[a, low] = len(hierarchy.labels[low])
            for high in range(low + 1, hierarchy.height + 1):
                map_at[a, low, high] = engine._tables.map_at(a, low, high)
    (root,), layout = engine._store.root.groupings, engine._layout
    return (
        root.keys, root.block, root.codes, root.weights, np.array(space.low), np.array(space.high), limit,
        cell(smallest), engine.pivot, np.argsort(width[:, 0], kind="stable"), map_at, width.astype(np.int64),
        engine._tables.maps, layout.word, layout.shift, layout.mask, np.empty(0, cell), BYTES_A_CLASS,
    )  # fmt: skip
