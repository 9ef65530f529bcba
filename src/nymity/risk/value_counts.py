"""Value counts: the different values of a column and how often each occurs, by the quickest way that is exact.

A first look at a large table mostly counts. A hash table for every column takes twice as long as all the rest of it;
whole numbers, days and decimals that lie near each other are counted by their place, and of a column in which no two
cells are alike it is enough to know that.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from nymity.kernels.repeats import repeating_rows
from nymity.kernels.tally import tally, tally_fractions
from nymity.table.text import plainly_named

#: Records from which on it pays to load what is compiled.
_MANY = 200_000
#: Values by which a way is tried before all are counted.
_TRIAL = 1000
#: What decimals are tried as: whole numbers of these parts.
_DENOMINATORS = (1.0, 10.0, 100.0, 1000.0)
#: So many places are always worth it.
_FEW_PLACES = 1000
#: Numbers beyond have no exact place.
_LARGEST = 2**62


def value_counts(column: pl.Series) -> pl.DataFrame:
    """Return a column's different values (``value``) and how often each occurs (``count``), gaps not counted."""
    values = plainly_named(column).drop_nulls().alias("value")
    counted = _by_place(values) if values.dtype.is_integer() or values.dtype == pl.Date else None
    if counted is None and len(values) >= _MANY:
        if values.dtype == pl.Float64:
            counted = _of_fractions(values)
        elif values.dtype == pl.String:
            counted = _all_different(values)
    return values.value_counts(name="count") if counted is None else counted


def _by_place(values: pl.Series) -> pl.DataFrame | None:
    """Count whole numbers and days that lie near each other."""
    numbers = values.to_physical()
    if numbers.dtype in (pl.Int128, pl.UInt128) or not len(numbers):  # those know no arithmetic
        return None
    low, high = int(numbers.min()), int(numbers.max())  # type: ignore[arg-type]
    width = high - low + 1
    if low <= -_LARGEST or low >= _LARGEST or width > max(len(numbers), _FEW_PLACES):
        return None
    if len(numbers) >= _MANY and numbers.dtype in (pl.Int32, pl.Int64):
        times = np.zeros(width, np.uint32)
        tally(numbers.to_numpy(), low, times)
    else:
        places = (numbers.cast(pl.Int64) - low).to_numpy()  # in 8 bits, 120 - -120 would be below zero
        times = np.bincount(places, minlength=width).astype(np.uint32)
    there = low + np.flatnonzero(times)
    return _counted(pl.Series(there).cast(numbers.dtype).cast(values.dtype), times[times > 0])


def _of_fractions(values: pl.Series) -> pl.DataFrame | None:
    """Count numbers with a few decimals that lie near each other."""
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    trial = values.head(_TRIAL).to_numpy()
    for denominator in _DENOMINATORS:
        if not (high - low) * denominator < len(values) or abs(low) * denominator >= 2**53:
            return None
        if not (np.rint(trial * denominator) / denominator == trial).all():
            continue
        first = int(np.rint(low * denominator))
        times = np.zeros(int(np.rint(high * denominator)) - first + 1, np.uint32)
        if tally_fractions(values.to_numpy(), denominator, first, times):
            return _counted(pl.Series((first + np.flatnonzero(times)) / denominator), times[times > 0])
    return None


def _all_different(values: pl.Series) -> pl.DataFrame | None:
    """Tell that no two cells are alike, where that is so; counters of hashes find the few that might be."""
    if values.head(_TRIAL).n_unique() < len(values.head(_TRIAL)):
        return None
    again = repeating_rows(*(values.hash(seed).to_numpy() for seed in (0, 1)))
    if len(again) > len(values) // 4 or values.gather(pl.Series(again)).n_unique() < len(again):
        return None
    return _counted(values, np.ones(len(values), np.uint32))


def _counted(values: pl.Series, times: npt.NDArray[np.uint32]) -> pl.DataFrame:
    return pl.DataFrame([values.alias("value"), pl.Series("count", times)])
