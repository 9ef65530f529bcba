"""From a materialized node to others, all in one call: one node, or depth first over a part of a lattice."""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit
from nymity.kernels.rollup import roll_up, roll_up_pivot
from nymity.kernels.statistics import summarize_chain


@njit(cache=True, nogil=True)
def check_node(
    keys, block, codes, weights, changed, map_at, pivot_map,
    smallest, pivot, pivot_maps, pivot_leaf_at, pivot_size,
    word, shift, mask, leaf_at, leaves, maps, counts, lost_leaves,
):  # fmt: skip
    """Roll a grouping up to one node and fill its ``counts`` (1, N_COUNTS) and ``lost_leaves`` (1, n_attributes).

    changed, map_at (c,): attributes of the key whose level rises, and where their code tables start in ``maps``;
    pivot_map: where the pivot's starts, -1 to keep its level. The pivot goes first, which leaves fewer entries to move.
    """
    if pivot_map >= 0:
        block, codes, weights = roll_up_pivot(block, codes, weights, maps[pivot_map:], pivot_size)
    if len(changed) > 0:
        keys, block, codes, weights = roll_up(
            keys, block, codes, weights, changed, word, shift, mask, map_at, maps, pivot_size
        )
    summarize_chain(
        keys, block, codes, weights, smallest, pivot, pivot_maps, pivot_leaf_at, pivot_size,
        word, shift, mask, leaf_at, leaves, maps, counts, lost_leaves,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def walk_chains(
    keys, block, codes, weights, attributes, n_levels, step_at, level_leaf_at,
    smallest, pivot, pivot_maps, pivot_leaf_at, pivot_size,
    word, shift, mask, leaf_at, leaves, maps, counts, lost_leaves,
):  # fmt: skip
    """Evaluate the chains of all nodes that lie above a grouping along some attributes of its key.

    attributes (d,): these attributes, the last one changing fastest; n_levels (d,): how many levels of each.
    step_at (d, most levels): where the table from one level of an attribute to the next starts in ``maps``;
    level_leaf_at (d, most levels): where the leaf counts of each level start in ``leaves``.
    counts (n_nodes, n_chain, N_COUNTS), lost_leaves (n_nodes, n_chain, n_attributes): filled in the order of the walk.
    The rest as in :func:`nymity.kernels.statistics.summarize_chain`.
    """
    depth = len(attributes)
    # path[j] is the grouping with the first j attributes at their current level and the others at their lowest
    path_keys = [keys for _ in range(depth + 1)]
    path_block = [block for _ in range(depth + 1)]
    path_codes = [codes for _ in range(depth + 1)]
    path_weights = [weights for _ in range(depth + 1)]
    current = np.zeros(depth, np.int64)
    leaf_at = leaf_at.copy()
    for node in range(len(counts)):
        summarize_chain(
            path_keys[depth], path_block[depth], path_codes[depth], path_weights[depth],
            smallest, pivot, pivot_maps, pivot_leaf_at, pivot_size,
            word, shift, mask, leaf_at, leaves, maps, counts[node], lost_leaves[node],
        )  # fmt: skip
        j = depth - 1
        while j >= 0 and current[j] == n_levels[j] - 1:
            current[j] = 0
            leaf_at[attributes[j]] = level_leaf_at[j, 0]
            j -= 1
        if j < 0:
            return
        k, b, c, w = roll_up(
            path_keys[j + 1], path_block[j + 1], path_codes[j + 1], path_weights[j + 1],
            attributes[j : j + 1], word, shift, mask, step_at[j, current[j] : current[j] + 1], maps, pivot_size,
        )  # fmt: skip
        current[j] += 1
        leaf_at[attributes[j]] = level_leaf_at[j, current[j]]
        for i in range(j + 1, depth + 1):
            path_keys[i], path_block[i], path_codes[i], path_weights[i] = k, b, c, w
