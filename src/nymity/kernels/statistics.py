"""What losses need to know of a node, in one pass over its classes.

counts, per node (N_COUNTS,):
    SUPPRESSED  records in classes that are not accepted
    KEPT        accepted classes
    SQUARES     sum of squared sizes of accepted classes
    CLASSES     all classes
    SMALLEST    records of the smallest accepted class, 0 if there is none
lost_leaves, per node (n_attributes,): sum over suppressed records of the raw values their cell covers.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit
from nymity.kernels.rollup import merge_entries

SUPPRESSED, KEPT, SQUARES, CLASSES, SMALLEST, N_COUNTS = 0, 1, 2, 3, 4, 5
_MOST = np.int64(2**62)


@njit(cache=True, nogil=True)
def summarize_chain(
    keys, block, codes, weights, smallest, pivot, pivot_maps, pivot_leaf_at, pivot_size,
    word, shift, mask, leaf_at, leaves, maps, counts, lost_leaves,
):  # fmt: skip
    """Fill ``counts`` (n_levels, N_COUNTS) and ``lost_leaves`` (n_levels, n_attributes) of a chain of nodes.

    The chain starts at the grouping's own pivot level and rises one level at a time: pivot_maps (n_levels - 1,)
    says where the code table of each step starts in ``maps``, pivot_leaf_at (n_levels,) where the leaf counts of
    each level start in ``leaves``. Classes are the grouping's entries, accepted when they have at least ``smallest``
    records.
    """
    n_blocks, n_levels, n = len(keys), len(pivot_leaf_at), len(block)
    place = np.zeros(pivot_size, np.uint32)
    lost = np.zeros((n_levels, n_blocks), np.uint32)
    if n_levels > 1:
        # Each level is made from the one below in place, and the caller's arrays stay as they are.
        block, codes, weights = block.copy(), codes.copy(), weights.copy()
    for level in range(n_levels):
        if level > 0:
            table = maps[pivot_maps[level - 1] :]
            for e in range(n):
                codes[e] = table[codes[e]]
            place[:] = 0
            n = merge_entries(block, codes, weights, n, place)
        lost_leaves[level, :] = 0
        lost_leaves[level, pivot] = count_sizes(
            block[:n], codes[:n], weights[:n], smallest, leaves[pivot_leaf_at[level] :], counts[level], lost[level]
        )
    weigh_lost(keys, lost, pivot, word, shift, mask, leaf_at, leaves, lost_leaves)


@njit(cache=True, nogil=True)
def count_sizes(block, codes, weights, smallest, leaves, counts, lost):
    """Fill the counts of one node and the lost records of each block; return the lost leaves of the pivot."""
    kept = squares = gone = leaf_sum = np.int64(0)
    least = _MOST
    for e in range(len(weights)):
        size = np.int64(weights[e])
        kept += size >= smallest
        squares += size * size if size >= smallest else 0
        least = min(least, size if size >= smallest else _MOST)
    current, in_block = np.uint32(0xFFFFFFFF), np.uint32(0)
    for e in range(len(weights)):
        b = block[e]
        small = np.uint32(0) if weights[e] >= smallest else weights[e]
        gone += small
        leaf_sum += np.int64(small) * leaves[codes[e]]
        in_block = small if b != current else in_block + small
        lost[b] = in_block  # the block's last entry leaves the sum
        current = b
    counts[SUPPRESSED], counts[KEPT], counts[SQUARES], counts[CLASSES] = gone, kept, squares, len(weights)
    counts[SMALLEST] = least if kept else 0
    return leaf_sum


@njit(cache=True, nogil=True)
def weigh_lost(keys, lost, pivot, word, shift, mask, leaf_at, leaves, lost_leaves):
    """Add, per level and attribute of the key, lost records times the leaves of their value."""
    n_levels, n_blocks = lost.shape
    leaf = np.empty(n_blocks, np.uint32)
    for a in range(len(leaf_at)):
        if a != pivot:
            table, w, s, m = leaves[leaf_at[a] :], word[a], shift[a], mask[a]
            for b in range(n_blocks):
                leaf[b] = table[(keys[b, w] >> s) & m]
            for level in range(n_levels):
                line = lost[level]
                total = np.uint64(0)
                for b in range(n_blocks):
                    total += np.uint64(leaf[b]) * np.uint64(line[b])
                lost_leaves[level, a] = total


@njit(cache=True, nogil=True)
def summarize(keys, class_block, sizes, gone, codes, pivot, word, shift, mask, leaf_at, leaves, counts, lost_leaves):
    """Fill ``counts`` (N_COUNTS,) and ``lost_leaves`` (n_attributes,) of one node.

    class_block, sizes, gone (n_classes,): block, records and suppressed records of each class; an accepted class has
    none of those. codes (n_classes,): code of attribute ``pivot`` of a class; pivot is -1 when every attribute is in
    the key.
    """
    counts[:] = 0
    least = _MOST
    lost = np.zeros((1, len(keys)), np.uint32)
    pivot_leaves = np.int64(0)
    for c in range(len(sizes)):
        size = np.int64(sizes[c])
        if gone[c] == 0:
            counts[KEPT] += 1
            counts[SQUARES] += size * size
            least = min(least, size)
        else:
            counts[SUPPRESSED] += gone[c]
            lost[0, class_block[c]] += gone[c]
            if pivot >= 0:
                pivot_leaves += np.int64(gone[c]) * leaves[leaf_at[pivot] + codes[c]]
    counts[CLASSES] = len(sizes)
    counts[SMALLEST] = least if counts[KEPT] else 0
    row = lost_leaves.reshape((1, len(lost_leaves)))
    weigh_lost(keys, lost, pivot, word, shift, mask, leaf_at, leaves, row)
    if pivot >= 0:
        row[0, pivot] = pivot_leaves


@njit(cache=True, nogil=True)
def covered_products(keys, class_block, sizes, gone, codes, pivot, word, shift, mask, leaf_at, leaves):
    """Return the sum over records of the raw combinations their row covers: (published records, all records)."""
    n_blocks, kept, everything = len(keys), 0.0, 0.0
    # (n_blocks,): without the pivot, in which the classes of a block differ
    product = np.ones(n_blocks, np.float64)
    for a in range(len(leaf_at)):
        if a != pivot:
            table, w, s, m = leaves[leaf_at[a] :], word[a], shift[a], mask[a]
            for b in range(n_blocks):
                product[b] *= table[(keys[b, w] >> s) & m]
    for c in range(len(sizes)):
        covered = sizes[c] * product[class_block[c]]
        if pivot >= 0:
            covered *= leaves[leaf_at[pivot] + codes[c]]
        everything += covered
        kept += covered if gone[c] == 0 else 0.0
    return kept, everything


@njit(cache=True, nogil=True)
def spread(keys, class_block, sizes, gone, codes, pivot, word, shift, mask, leaf_at, leaves, domain_bits):
    """Return the sum over records of log2 of the weight that one raw combination of their class gets.

    A class spreads its c records over the V combinations it covers, the S suppressed records are spread over all
    2^domain_bits: (published records by c / V + S / all, all records by c / V). In logarithms, because V can be larger
    than any float.
    """
    n_blocks, lost = len(keys), 0
    covered = np.zeros(n_blocks, np.float64)  # log2 V, without the pivot
    for a in range(len(leaf_at)):
        if a != pivot:
            table, w, s, m = leaves[leaf_at[a] :], word[a], shift[a], mask[a]
            for b in range(n_blocks):
                covered[b] += np.log2(table[(keys[b, w] >> s) & m])
    for c in range(len(sizes)):
        lost += gone[c]
    everywhere = np.log2(lost) - domain_bits if lost > 0 else -np.inf
    kept, everything = 0.0, 0.0
    for c in range(len(sizes)):
        weight = np.log2(sizes[c]) - covered[class_block[c]]
        if pivot >= 0:
            weight -= np.log2(leaves[leaf_at[pivot] + codes[c]])
        everything += sizes[c] * weight
        if gone[c] == 0:
            # log2(2^a + 2^b) by way of the larger one: the powers themselves can be beyond any float.
            larger, smaller = max(weight, everywhere), min(weight, everywhere)
            kept += sizes[c] * (larger + np.log2(1.0 + 2.0 ** (smaller - larger)))
    return kept, everything


@njit(cache=True, nogil=True)
def lost_entropy(keys, class_block, sizes, gone, codes, pivot, word, shift, mask, n_values, out):
    """Fill ``out`` (n_attributes,) with the sum over the suppressed records' values of f * log2(S / f).

    f counts a generalized value among the S suppressed records; n_values (n_attributes,): values of its level.
    """
    lost = np.zeros(len(keys), np.int64)
    total = np.int64(0)
    for c in range(len(sizes)):
        lost[class_block[c]] += gone[c]
        total += gone[c]
    for a in range(len(n_values)):
        frequency = np.zeros(n_values[a], np.int64)
        if a == pivot:
            for c in range(len(sizes)):
                frequency[codes[c]] += gone[c]
        else:
            w, s, m = word[a], shift[a], mask[a]
            for b in range(len(keys)):
                frequency[(keys[b, w] >> s) & m] += lost[b]
        out[a] = 0.0
        for f in frequency:
            if f > 0:
                out[a] += f * np.log2(total / f)
