"""Post-randomization (PRAM): cells of a category are drawn anew with a known probability (Gouweleeuw et al. 1998)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.table.text import gathered
from nymity.transforms.transform import ColumnTransform

_FINEST = 2**40


@dataclass(frozen=True, kw_only=True)
class PostRandomization(ColumnTransform):
    """Each cell of each column is drawn anew with probability ``share``, from what the column holds.

    The transition matrix is P = (1 - share) I + share 1 p', with p the shares of the values. It is invariant, as p' P =
    p': the numbers of each value are right on average, and nobody needs the matrix to estimate them. A gap is a value.
    """

    key: ClassVar[str] = "post-randomization"
    title: ClassVar[str] = "post-randomization"
    keeps: ClassVar[str] = "the number of each value is right on average"

    share: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.number("share", self.share, above=0, at_most=1)

    def changed_column(self, cells: pl.Series, draws: Draws, purpose: str, units: pl.Series | None) -> pl.Series:
        """Draw for each cell whether it changes, and the cell of which row it becomes."""
        del units
        n, name = len(cells), cells.name
        chosen = draws.numbers(f"{purpose} {name!r} which", np.full(n, _FINEST)) < int(self.share * _FINEST)
        others = draws.numbers(f"{purpose} {name!r} whose", np.full(n, max(n, 1)))
        return gathered(cells, pl.Series(np.where(chosen, others, np.arange(n)), dtype=pl.UInt32))
