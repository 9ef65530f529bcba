"""Which (k, beta) are safe for a table of some size: delta over a grid, with colours."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import polars as pl

from nymity.core.validation import whole_number
from nymity.dp.parameters import Number
from nymity.dp.sampling import SamplingDelta, delta


def delta_table(
    *, ks: Iterable[int], betas: Iterable[Number], records: int, epsilon: Number | None = None, notion: str = "standard"
) -> pl.DataFrame:
    """Return one row per k and beta: delta (rounded up), the n where it is attained, and a colour.

    Tables 5.1 and 5.5 of the thesis on epsilon-safe lattice anonymization: ``red`` where delta > 1 / records, as a
    mechanism that publishes one record in full would have it; ``yellow`` down to a tenth of that, ``green`` below.
    What lies on a border gets the worse colour but one: delta = 1 / records is yellow, and a tenth of it is too. The
    thesis has ``notion="probabilistic"`` and no epsilon, hence the smallest that each beta allows.
    """
    whole_number("records", records, at_least=1)
    found = [delta(k=k, beta=beta, epsilon=epsilon, notion=notion) for k, beta in product(ks, betas)]
    return pl.DataFrame(
        {
            "k": [cell.k for cell in found],
            "beta": [float(cell.beta) for cell in found],
            "delta": [float(cell) for cell in found],
            "n": [cell.n for cell in found],
            "colour": [_colour(cell, records) for cell in found],
        },
        schema={"k": pl.Int64, "beta": pl.Float64, "delta": pl.Float64, "n": pl.Int64, "colour": pl.String},
    )


def _colour(cell: SamplingDelta, records: int) -> str:
    expected = Fraction(cell.upper) * records
    if expected > 1:
        return "red"
    return "yellow" if 10 * expected >= 1 else "green"
