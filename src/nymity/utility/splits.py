"""Splits: which fold each record is tested in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: The fold of a record that is neither trained on nor tested.
UNUSED = -1


def stratified_folds(labels: Ints, folds: int, seed: int, *, usable: NDArray[np.bool_] | None = None) -> Ints:
    """Deal records to folds, (n_records,): class by class, in random order, one fold after another.

    Folds differ by at most one record in size and in the records of each class. Records that are not ``usable`` are in
    none (:data:`UNUSED`).
    """
    rows = np.arange(len(labels)) if usable is None else np.flatnonzero(usable)
    drawn = rows[np.random.default_rng(seed).permutation(len(rows))]
    by_class = drawn[np.argsort(labels[drawn], kind="stable")]
    fold = np.full(len(labels), UNUSED, dtype=np.int64)
    fold[by_class] = np.arange(len(rows)) % folds
    return fold
