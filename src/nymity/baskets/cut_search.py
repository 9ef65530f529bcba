"""The search for a cut: what each item is published as, and which items of which classes are suppressed.

What is lost is NCP (Terrovitis, Mamoulis & Kalnis 2008): each occurrence of an item costs the share of all
items that what it is published as stands for, nothing where it is published as it is, and 1 where it is suppressed.

Few cuts are all tried, from the one that generalizes least on, until generalizing alone costs more than the best that
was found: that is the optimum. Many are searched as the paper's apriori anonymization does: sets of one
item, then of two, up to m; wherever suppressing what is rare would cost more than a node above it, items are raised to
the lowest such node.

Where the paper only generalizes, items are suppressed too: inside a class of few records even the root of the tree may
be held by fewer than k.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nymity.baskets.hitting_set import cheapest_hitting_set, quick_hitting_set
from nymity.baskets.item_tree import Ints
from nymity.baskets.rare_sets import Baskets, CutBaskets, number_of_sets

#: So many cuts are all tried, if they have no more sets of items together than this.
_FEW_CUTS, _FEW_SETS = 2_000, 4 * 10**7


@dataclass(frozen=True, eq=False)
class ChosenCut:
    """What items are published as: a node for each, (n_items,), and the pairs of class and node that are suppressed.

    suppressed (n_suppressed, 2): class and node. cost: what is lost, in units of one over occurrences times items.
    ``optimal``: no cut and no choice of suppressed items loses less.
    """

    cut: Ints
    suppressed: Ints
    cost: int
    lost: int
    optimal: bool


def search_cut(baskets: Baskets, k: int, m: int) -> ChosenCut:
    """Choose what loses least, as far as that can be found; the rest is as it must be for k and m to hold."""
    occur, sizes = baskets.of_items > 0, np.bincount(baskets.record, minlength=1)
    m = min(m, max(1, int(sizes.max())))  # nobody has more items than that
    sets = number_of_sets(sizes, m)
    cuts = baskets.tree.number_of_cuts(occur, _FEW_CUTS)
    if cuts <= _FEW_CUTS and cuts * sets <= _FEW_SETS:
        return _all_cuts(baskets, k, m)
    return _apriori(baskets, k, m)


def _all_cuts(baskets: Baskets, k: int, m: int) -> ChosenCut:
    """Try all cuts, those that generalize least first."""
    best: ChosenCut | None = None
    exact = True
    cuts = [(_generalized(baskets, cut), tuple(cut.tolist())) for cut in baskets.tree.cuts(baskets.of_items > 0)]
    for alone, nodes in sorted(cuts):
        # suppressing only adds to this, and all later cuts generalize at least as much
        if best is not None and alone >= best.cost:
            break
        tried = _Tried.of(baskets, np.array(nodes, dtype=np.int64), k, m)
        hitting = cheapest_hitting_set(tried.rare, tried.prices, tried.held.classes)
        exact &= hitting.exact
        found = tried.chosen(hitting.suppressed, optimal=False)
        if best is None or found.cost < best.cost:
            best = found
    assert best is not None, "there is always the cut of all items as they are"
    return ChosenCut(best.cut, best.suppressed, best.cost, best.lost, exact)


def _apriori(baskets: Baskets, k: int, m: int) -> ChosenCut:
    """Raise items where suppressing would cost more, for sets of growing size."""
    cut = np.arange(baskets.tree.n_items, dtype=np.int64)
    best: ChosenCut | None = None
    for size in range(1, m + 1):
        while True:
            tried = _Tried.of(baskets, cut, k, size)
            suppressed = quick_hitting_set(tried.rare, tried.prices)
            found = tried.chosen(suppressed, optimal=False)
            # only now do all sets of at most m items hold: what smaller sizes suppress is not an answer yet
            if size == m and (best is None or found.cost < best.cost):
                best = found
            if not len(nodes := _worth_raising(tried, suppressed)):
                break
            cut = baskets.tree.raised(cut, nodes)
    assert best is not None
    return best


@dataclass(frozen=True, eq=False)
class _Tried:
    """A cut with the sets that are rare on it."""

    baskets: Baskets
    cut: Ints
    held: CutBaskets
    rare: list[Ints]

    @staticmethod
    def of(baskets: Baskets, cut: Ints, k: int, m: int) -> _Tried:
        held = baskets.on(cut)
        return _Tried(baskets, cut, held, list(held.rare(k, m)))

    @cached_property
    def prices(self) -> Ints:
        """What suppressing each pair of class and node adds, (n_pairs,): 1 per occurrence, less what it costs now."""
        tree = self.baskets.tree
        return self.held.occurrences * (tree.n_items - tree.costs[self.held.nodes])

    def chosen(self, suppressed: NDArray[np.bool_], *, optimal: bool) -> ChosenCut:
        pairs = np.column_stack([self.held.classes[suppressed], self.held.nodes[suppressed]])
        cost = _generalized(self.baskets, self.cut) + int(self.prices[suppressed].sum())
        return ChosenCut(self.cut, pairs, cost, int(self.held.occurrences[suppressed].sum()), optimal)


def _generalized(baskets: Baskets, cut: Ints) -> int:
    """Return what a cut costs without anything suppressed."""
    return int((baskets.tree.costs[cut] * baskets.of_items).sum())


def _worth_raising(tried: _Tried, suppressed: NDArray[np.bool_]) -> Ints:
    """Return the lowest nodes that cost less than what now happens to the items below them, if nothing were rare."""
    tree, baskets = tried.baskets.tree, tried.baskets
    now = np.bincount(
        tried.held.nodes, weights=np.where(suppressed, tried.prices, 0), minlength=len(tree.labels)
    ).astype(np.int64)
    now += np.bincount(tried.cut, weights=baskets.of_items * tree.costs[tried.cut], minlength=len(tree.labels)).astype(
        np.int64
    )
    total, done = now.copy(), np.zeros(len(tree.labels), dtype=np.bool_)
    above = np.zeros(len(tree.labels), dtype=np.bool_)  # strictly above the cut
    in_cut = np.isin(np.arange(len(tree.labels)), tried.cut)
    chosen = []
    for node in range(len(tree.labels)):  # what lies below a node comes before it
        for child in tree.children[node]:
            total[node] += total[child]
            done[node] |= done[child]
            above[node] |= above[child] or in_cut[child]
        if above[node] and not done[node] and baskets.of_nodes[node] * tree.costs[node] < total[node]:
            done[node] = True
            chosen.append(node)
    return np.array(chosen, dtype=np.int64)
