"""Different numbers of many: ``np.unique`` looks each one up, which can take fifty times as long as to sort them."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.integer[Any])


def different(numbers: NDArray[Number]) -> NDArray[Number]:
    """Return the different whole numbers of an array, (n,), in order."""
    ordered = np.sort(numbers)
    found: NDArray[Number] = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return found
