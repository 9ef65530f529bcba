"""What levels alone say about a node, in bits per record: tables (m, levels) from which floors are made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nymity.quality.attribute_loss import per_level
from nymity.quality.node_statistics import Floats
from nymity.table.encoding import EncodedTable


def shown_bits(table: EncodedTable) -> Floats:
    """Entropy of an attribute's generalized value."""
    return _per_level(table, lambda a, level: _entropy(table.frequencies_at(a, level), table.n_records))


def covered_bits(table: EncodedTable) -> Floats:
    """Mean logarithm of the raw values that a cell covers."""
    leaves = [h.leaves for h in table.hierarchies]
    return _per_level(
        table, lambda a, level: float(table.frequencies_at(a, level) @ np.log2(leaves[a][level])) / table.n_records
    )


def _per_level(table: EncodedTable, bits: Callable[[int, int], float]) -> Floats:
    return per_level([[bits(a, level) for level in range(h.height + 1)] for a, h in enumerate(table.hierarchies)])


def _entropy(counts: np.typing.NDArray[np.int64], n: int) -> float:
    present = counts[counts > 0]
    return float(present @ np.log2(n / present)) / n
