"""Which items of which classes are suppressed, so that no rare set is left.

Taking an item out of all records of a class takes out every set that holds it, and changes the records of no other set.
So the items to suppress are those that hit every rare set: the cheapest hitting set. It is found by branching where
there is little to choose, and otherwise by letting each rare set name the item that costs least for all that it hits,
and keeping of these what is needed. Costs are whole numbers; what is decided on privacy does not depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.baskets.item_tree import Ints

#: Choices that are tried out for the rare sets of one class before the quick way is taken.
_TRIALS = 2_000


@dataclass(frozen=True, eq=False)
class HittingSet:
    """The pairs of class and item to suppress, (n_pairs,), and whether it is proved that none costs less."""

    suppressed: NDArray[np.bool_]
    exact: bool


def quick_hitting_set(rare: Sequence[Ints], costs: Ints) -> NDArray[np.bool_]:
    """Hit all rare sets: those of one item first, for the others the item that costs least for what it hits."""
    chosen = np.zeros(len(costs), dtype=np.bool_)
    for sets in rare:
        if sets.shape[1] == 1:
            chosen[sets[:, 0]] = True
    left = [open_ for sets in rare if sets.shape[1] > 1 and len(open_ := sets[~chosen[sets].any(axis=1)])]
    if not left:
        return chosen
    hits = np.zeros(len(costs), dtype=np.int64)
    for sets in left:
        hits += np.bincount(sets.ravel(), minlength=len(costs))
    # one more, so that pairs that cost nothing are still ordered by how much they hit
    price = (costs + 1) / np.maximum(hits, 1)
    named = np.zeros(len(costs), dtype=np.bool_)
    for sets in left:
        named[sets[np.arange(len(sets)), np.argmin(price[sets], axis=1)]] = True
    return chosen | _needed(left, named, costs)


def cheapest_hitting_set(rare: Sequence[Ints], costs: Ints, classes: Ints) -> HittingSet:
    """Hit all rare sets at the least cost, class by class, as far as that is proved within a number of trials."""
    chosen = quick_hitting_set(rare, costs)
    of_class: dict[int, list[tuple[int, ...]]] = {}
    forced = {int(pair) for sets in rare if sets.shape[1] == 1 for pair in sets[:, 0]}
    for sets in rare:
        for members in map(tuple, sets.tolist()):
            if len(members) > 1 and forced.isdisjoint(members):
                of_class.setdefault(int(classes[members[0]]), []).append(members)
    exact = True
    for sets_of_class in of_class.values():
        pairs = sorted({pair for members in sets_of_class for pair in members})
        best = _cheapest(sets_of_class, costs, sum(int(costs[pair]) for pair in pairs if chosen[pair]))
        if best is None:
            exact = False
        elif best:
            chosen[pairs] = False
            chosen[sorted(best)] = True
    return HittingSet(chosen, exact)


def _cheapest(sets: list[tuple[int, ...]], costs: Ints, known: int) -> set[int] | None:
    """Return a hitting set that costs less than the one known, none (empty) if there is none, None if undecided.

    Pairs are bits of whole numbers here, by which thousands of trials ask what they hit.
    """
    pairs = sorted({pair for members in sets for pair in members})
    bits = {pair: 1 << n for n, pair in enumerate(pairs)}
    prices = dict(zip(pairs, costs[pairs].tolist(), strict=True))
    everything = [(sum(map(bits.__getitem__, members)), members) for members in sets]
    best, limit, trials = 0, known, 0
    # What was open before the last pair was taken, that pair, all that are taken, those that are kept, and the cost.
    stack = [(everything, 0, 0, 0, 0)]
    while stack:
        before, last, taken, kept, cost = stack.pop()
        if cost >= limit:
            continue
        trials += 1
        if trials > _TRIALS:
            return None
        open_sets = [one for one in before if not one[0] & last]
        if not open_sets:
            best, limit = taken, cost
            continue
        # The set with the fewest ways left to hit it branches least, and one without any ends this branch at once.
        free = ~kept
        ways = [(mask & free).bit_count() for mask, _ in open_sets]
        for pair in open_sets[ways.index(min(ways))][1]:  # one is taken, those before it are kept: each choice once
            bit = bits[pair]
            if free & bit:
                stack.append((open_sets, bit, taken | bit, kept, cost + prices[pair]))
                kept |= bit
    return {pair for pair in pairs if best & bits[pair]}


def _needed(sets: Sequence[Ints], named: NDArray[np.bool_], costs: Ints) -> NDArray[np.bool_]:
    """Leave out what is named and hits nothing that others do not hit, the most expensive first."""
    members = [one.ravel() for one in sets]
    at = [np.repeat(np.arange(len(one)), one.shape[1]) for one in sets]
    offsets = np.cumsum([0, *(len(one) for one in sets)])
    pair = np.concatenate(members)
    of_set = np.concatenate([rows + offset for rows, offset in zip(at, offsets, strict=False)])
    inside = named[pair]
    pair, of_set = pair[inside], of_set[inside]
    hits = np.bincount(of_set, minlength=int(offsets[-1]))
    order = np.lexsort((of_set, pair))
    pair, of_set = pair[order], of_set[order]
    first = np.searchsorted(pair, np.arange(len(costs) + 1))
    kept = named.copy()
    some = np.flatnonzero(named)
    for one in some[np.lexsort((some, -costs[some]))]:
        own = of_set[first[one] : first[one + 1]]
        if (hits[own] > 1).all():
            hits[own] -= 1
            kept[one] = False
    return kept
