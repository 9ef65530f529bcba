"""What a promise asks of the rows that share their cells in some of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class KnownColumns:
    """Of rows that share their cells in any ``l`` columns there are ``k``, and values have a share of at most ``c``.

    ``attribute`` is the sensitive one whose values that are, None for none; ``listed`` (n_values,) marks those values.
    """

    l: int  # noqa: E741
    k: int
    c: Fraction = Fraction(1)
    attribute: str | None = None
    listed: NDArray[np.bool_] | None = None
