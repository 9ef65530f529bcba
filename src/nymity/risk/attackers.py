"""Attackers: how likely it is that a record is linked to the right person.

Three attackers of El Emam & Dankar (2008), for classes with f records in the table and F people in the population:

    prosecutor    knows that the person is in the table         risk of a record 1 / f
    journalist    does not know it, but has the population      risk of a record 1 / F
    marketer      links every record, whoever it is             mean over records of 1 / F, or of 1 / f

The highest risk is that of the smallest class, the average the mean over records. All are exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.wording import percent


@dataclass(frozen=True, kw_only=True)
class AttackerRisk:
    """Risk of the records by one attacker.

    ``highest`` and ``average`` are None where no record is in a class. ``above``: records whose risk is above the
    threshold, decided in integers.
    """

    attacker: str
    assumes: str
    highest: Fraction | None
    average: Fraction | None
    records: int
    above: int

    def __repr__(self) -> str:
        chances = [("highest", self.highest), ("average", self.average)]
        told = ", ".join(f"{name} {percent(float(chance))}" for name, chance in chances if chance is not None)
        return f"AttackerRisk({self.attacker}: {told or 'no records'}, {self.above:,} of {self.records:,} above)"

    @property
    def share_above(self) -> Fraction | None:
        """Share of the records whose risk is above the threshold."""
        return Fraction(self.above, self.records) if self.records else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "assumes": self.assumes,
            "highest": as_float(self.highest),
            "average": as_float(self.average),
            "records_above_threshold": self.above,
            "share_above_threshold": as_float(self.share_above),
        }


def prosecutor_risk(counts: NDArray[np.int64], threshold: Fraction) -> AttackerRisk:
    """Measure the risk by someone who knows that the person is in the table."""
    assumes = "the attacker knows that the person is in the table"
    return _risk("prosecutor", assumes, counts, counts, threshold)


def journalist_risk(counts: NDArray[np.int64], population: NDArray[np.int64], threshold: Fraction) -> AttackerRisk:
    """Measure the risk by someone who has the population that the records are of."""
    assumes = "the attacker knows the population, and not who of it is in the table"
    return _risk("journalist", assumes, counts, population, threshold)


def marketer_risk(counts: NDArray[np.int64], population: NDArray[np.int64] | None) -> Fraction | None:
    """Return the expected share of records that are linked rightly if every record is linked."""
    return _mean_risk(counts, counts if population is None else population)


def smallest_safe_class(threshold: Fraction) -> int:
    """Return the least size s with 1 / s not above the threshold."""
    return -(-threshold.denominator // threshold.numerator)


def as_float(value: Fraction | None) -> float | None:
    """Return the nearest float."""
    return None if value is None else float(value)


def _risk(
    attacker: str, assumes: str, counts: NDArray[np.int64], alike: NDArray[np.int64], threshold: Fraction
) -> AttackerRisk:
    return AttackerRisk(
        attacker=attacker,
        assumes=assumes,
        highest=Fraction(1, int(alike.min())) if len(alike) else None,
        average=_mean_risk(counts, alike),
        records=int(counts.sum()),
        above=int(counts[alike < smallest_safe_class(threshold)].sum()),
    )


def _mean_risk(counts: NDArray[np.int64], alike: NDArray[np.int64]) -> Fraction | None:
    """Return the sum over classes of f / F, divided by the records; classes of one F are added before."""
    if not len(counts):
        return None
    if counts is alike:
        return Fraction(len(counts), int(counts.sum()))
    sizes, place = np.unique(alike, return_inverse=True)
    records = np.bincount(place, weights=counts).astype(np.int64)
    total = sum((Fraction(int(f), int(size)) for f, size in zip(records, sizes, strict=True)), Fraction(0))
    return total / int(counts.sum())
