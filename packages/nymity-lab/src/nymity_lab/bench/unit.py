"""The unit of cost: sorting ten million numbers on the machine at hand.

Machines differ and are shared, so a cost in seconds says little. U is the median CPU time of five numpy sorts of ten
million random uint64, taken in the same run as what is measured.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

_NUMBERS = 10_000_000


def sort_unit() -> float:
    """Return U in CPU seconds, after one warm-up."""
    numbers = np.random.default_rng(0).integers(0, 2**64, _NUMBERS, dtype=np.uint64)
    np.sort(numbers)
    return cpu_seconds(lambda: np.sort(numbers))


def cpu_seconds(action: Callable[[], Any], *, repeat: int = 5) -> float:
    """Return the median CPU time of all threads over some calls."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return statistics.median(times)
