"""G, the unit of cost: counting ten million 64-bit keys, a million of them different, on the machine at hand.

Machines differ and are shared, so a cost in seconds says little. G is the median CPU time of five runs of a plain loop
over an open-addressing table, what every anonymization engine does most, taken in the same run as what is measured. A
sort is no such unit: ``numpy.sort`` takes 0.15 or 0.67 s on one CPU, with or without its AVX-512 path.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_KEYS, _DISTINCT, _SLOTS = 10_000_000, 1_000_000, 1 << 21
#: The low 43 bits of the product are dropped: what is left is a slot.
_SHIFT = np.uint64(64 - 21)
_RUNS = 5


def counting_unit() -> float:
    """Return G in CPU seconds, after one run that compiles."""
    spread = np.uint64(0x2545F4914F6CDD1D)
    keys = np.random.default_rng(0).integers(0, _DISTINCT, _KEYS, dtype=np.uint64) * spread
    seconds = []
    for _ in range(_RUNS + 1):
        table, counts = np.zeros(_SLOTS, np.uint64), np.zeros(_SLOTS, np.uint32)
        start = time.process_time()
        count_keys(keys, table, counts)
        seconds.append(time.process_time() - start)
    return statistics.median(seconds[1:])


@njit(cache=False)  # type: ignore[untyped-decorator] # numba has no annotations
def count_keys(keys: NDArray[np.uint64], table: NDArray[np.uint64], counts: NDArray[np.uint32]) -> int:
    """Count each key in the table; return how many different ones there are."""
    mask = np.uint64(len(table) - 1)
    different = 0
    for key in keys:
        slot = (key * np.uint64(0x9E3779B97F4A7C15)) >> _SHIFT
        while counts[slot] != 0 and table[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        if counts[slot] == 0:
            table[slot] = key
            different += 1
        counts[slot] += 1
    return different


def cpu_seconds(action: Callable[[], Any], *, repeat: int = 5) -> float:
    """Return the median CPU time of all threads over some calls."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return statistics.median(times)
