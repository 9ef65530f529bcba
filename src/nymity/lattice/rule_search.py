"""The proof of an optimum in compiled code, where a kernel knows both what is accepted and what is lost.

It does what :class:`nymity.lattice.frontier.Frontier` does; see :mod:`nymity.kernels.frontier`.

Where classes are compared with the table, :mod:`nymity.privacy.decision` may take out more of them than those that each
by itself are refused, so that a node suppresses and loses at least what the kernel counts. The kernel goes on until no
open interval can hold a node that is better by its count than the best found. The nodes found are decided in that
order, until the next loses more by the count than the best that was decided. Intervals up to that loss are still open,
and looked at next; all that is left out loses more than a node that was decided.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.progress import Progress, report
from nymity.kernels import frontier as kernel
from nymity.lattice.frontier import MAX_OPEN, Frontier
from nymity.lattice.search import Inquiry
from nymity.lattice.seen_nodes import TIE
from nymity.privacy.kernel_rule import KernelRule
from nymity.quality import NodeStatistics
from nymity.quality.kernel_form import KernelForm

#: Nodes checked between two reports at most, and entries of the table times these nodes, about a second or two. Nobody
#: can stop a search in between; but what is materialized is made again after each report, so there are some at least.
CHECKS_A_REPORT, ENTRIES_A_REPORT, FEWEST_CHECKS = 2_000, 120_000_000, 100

#: Statistics of nodes that a loss asks for besides, by what the kernel calls them.
_FURTHER = {kernel.ENTROPY: "lost_entropy", kernel.COVER: "covered"}


def look_by_rule(inquiry: Inquiry, frontier: Frontier) -> bool:
    """See the optimum of what is open; say no where no kernel knows the models or the loss, or memory would not do.

    Nothing is taken from the frontier then, which can go on.
    """
    form, rule = inquiry.loss.form(), rule_of(inquiry)
    if form is None or rule is None or (rule.kind != kernel.SIZES and (form.by_size or form.further)):
        return False
    search = _Advance(inquiry, rule, form, frontier)
    return search.exact() if inquiry.monotone else search.decided()


def rule_of(inquiry: Inquiry) -> KernelRule | None:
    """Return the rule of all models together: one of sensitive values beside sizes at most."""
    engine, table = inquiry.engine, inquiry.engine.table
    if table.persons is not None or engine.counts_population or engine.needs.target is not None:
        return None
    others = [model for model in engine.models if not model.size_only]
    if not others:
        return KernelRule() if engine.pivot >= 0 else None
    if len(others) > 1 or others[0].sensitive != engine.sensitive or len(engine.sensitive) != 1:
        return None
    return others[0].rule(table) if inquiry.monotone or inquiry.bounded_by_parts else None


class _Advance:
    """The kernel's search of the open intervals of a lattice."""

    def __init__(self, inquiry: Inquiry, rule: KernelRule, form: KernelForm, frontier: Frontier) -> None:
        self.inquiry, self.form, self._frontier = inquiry, form, frontier
        engine, table, root = inquiry.engine, inquiry.engine.table, _root(inquiry)
        self._budget = min(CHECKS_A_REPORT, max(FEWEST_CHECKS, ENTRIES_A_REPORT // max(1, len(root[1]))))
        self._arguments = (
            root, _layout(inquiry), rule.arguments(min(engine.smallest, table.n_records + 1)), form.arguments,
            np.ascontiguousarray(form.prefer, dtype=np.float64), form.further, inquiry.seen.most,
        )  # fmt: skip

    def exact(self) -> bool:
        """Enter all nodes that the kernel evaluates: what it counts is what is true."""
        best, waiting, ruled_out = self.inquiry.seen.best_loss, *self._opened()
        while len(waiting[0]):
            best, waiting, ruled_out, found = self._advance(best, best, True, waiting, ruled_out)
            if len(found[0]):
                self.inquiry.seen.enter(self._statistics(found))
            if len(waiting[0]) > MAX_OPEN:
                return False
        return True

    def decided(self) -> bool:
        """Decide the nodes that are best by what the kernel counts, whenever no open interval can hold a better one."""
        seen, (waiting, ruled_out) = self.inquiry.seen, self._opened()
        hoped, nodes, losses = seen.best_loss, [], []
        while len(waiting[0]):
            hoped, waiting, ruled_out, found = self._advance(hoped, seen.best_loss, False, waiting, ruled_out)
            nodes.append(found[0])
            losses.append(found[-1])
            if len(waiting[0]) > MAX_OPEN:
                return False
            if not len(waiting[0]) or waiting[0].min() > hoped * (1 + TIE):
                self._decide(np.concatenate(nodes), np.concatenate(losses))
                hoped, nodes, losses = seen.best_loss, [], []
        return True

    def _decide(self, levels: NDArray[np.int64], losses: NDArray[np.float64]) -> None:
        """Decide nodes that lose at least so much; those that are left lose more than the best then."""
        for i in np.argsort(losses, kind="stable"):
            if losses[i] > self.inquiry.seen.best_loss * (1 + 2 * TIE):
                break
            self.inquiry.look(tuple(levels[i].tolist()))
            self.inquiry.engine.checks -= 1  # the kernel checked it before, but did not decide

    def _advance(self, best: float, ceiling: float, true: bool, waiting: Any, ruled_out: Any) -> tuple[Any, ...]:
        checks, *state = kernel.advance(*self._arguments, best, ceiling, true, waiting, ruled_out, self._budget)
        self.inquiry.engine.checks += checks
        told = state[0] if state[0] < inf else None
        report(self.inquiry.observe, Progress(stage="searching the lattice", done=self.inquiry.checks, best=told))
        return tuple(state)

    def _opened(self) -> tuple[Any, Any]:
        """Return the open intervals and the nodes ruled out so far."""
        bounds, intervals = zip(*self._frontier.intervals, strict=True)
        bottoms, tops = (np.array(ends) for ends in zip(*((i.bottom, i.top) for i in intervals), strict=True))
        gone, lost = np.array([i.suppressed for i in intervals]), np.zeros((len(tops), max(2, tops.shape[1])))
        for row, interval in zip(lost, intervals, strict=True):
            told = self._told(interval.above)
            row[: len(told)] = told
        return (np.array(bounds, np.float64), bottoms, tops, gone, lost), self._frontier.ruled_out.levels

    def _told(self, above: NodeStatistics) -> Any:
        """Return what the kernel's bounds take from an upper node."""
        if self.form.further == kernel.ENTROPY:
            return above.lost_entropy[0]
        if self.form.further == kernel.COVER:
            published, everything = above.covered[0]
            return [max(0.0, int(above.suppressed[0]) * self.form.everything - (everything - published))]
        return (above.lost_leaves if len(above.lost_leaves) else above.lost_costs)[0]

    def _statistics(self, found: tuple[Any, ...]) -> NodeStatistics:
        levels, counts, lost, further, _ = found
        extra = {}
        if self.form.further:
            name = _FURTHER[self.form.further]
            extra[name] = further[:, : 2 if name == "covered" else levels.shape[1]]
        return self.inquiry.engine.statistics_of(levels, counts, lost, extra)


def _root(inquiry: Inquiry) -> tuple[Any, ...]:
    (root,) = inquiry.engine._store.root.groupings
    return root.keys, root.block, root.codes, root.weights


def _layout(inquiry: Inquiry) -> tuple[Any, ...]:
    """Return where codes and leaf counts of every level are."""
    engine, hierarchies = inquiry.engine, inquiry.engine.table.hierarchies
    tables, layout, n_levels = engine._tables, engine._layout, max(h.height for h in hierarchies) + 1
    map_at = np.zeros((len(hierarchies), n_levels, n_levels), np.int64)
    leaf_at, width = np.zeros((len(hierarchies), n_levels), np.uint64), np.ones((len(hierarchies), n_levels), np.int64)
    for a, hierarchy in enumerate(hierarchies):
        for low in range(hierarchy.height + 1):
            leaf_at[a, low], width[a, low] = tables.leaf_of(a, low), len(hierarchy.labels[low])
            for high in range(low + 1, hierarchy.height + 1):
                map_at[a, low, high] = tables.map_at(a, low, high)
    return (
        engine.pivot, engine._pivot_size(0), map_at, width, tables.maps, layout.word, layout.shift,
        layout.mask, leaf_at, tables.leaves,
    )  # fmt: skip
