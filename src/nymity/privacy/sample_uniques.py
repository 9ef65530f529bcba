"""Sample uniques: few published records are alone in their class.

A record that is unique in the sample is the first to be looked for in the population (Dalenius 1986; Skinner & Elliot
2002). The share of such records,

    records alone in their class / records,

counts published records in classes; masked rows are in no class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.core.validation import exact_fraction, number, short_fraction
from nymity.privacy.averages import excess, most_kept_together, without_smallest
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, PrivacyModel
from nymity.table.classes import Classes


@dataclass(frozen=True, kw_only=True)
class SampleUniques(PrivacyModel):
    """The share of published records that are alone in their class is at most the limit.

    Decided in integers, with the limit as the decimal written. Where there are too many, all of them are suppressed:
    which to spare would depend on their order.
    """

    limit: float

    key = "sample-uniques"
    title = "sample uniques"
    #: Beside a model that caps p at half of a class: {q}, {p, q} and {p, p} publish three records, a third of them
    #: unique. With the last two merged nothing but {q} is accepted, and all that is published would be unique.
    monotone_generalization = False
    monotone_suppression = False
    bounds_parts = True

    def __post_init__(self) -> None:
        number(f"{self.key}.limit", self.limit, at_least=0, at_most=1)
        short_fraction(f"{self.key}.limit", self.limit)

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """A class of one record is fine as long as there are few of them."""
        return np.ones(len(classes), dtype=np.bool_)

    def together(self, classes: Classes, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Take all classes of one record out if there are too many."""
        return without_smallest(classes, kept, self._excess(classes))

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """No record that is alone, if one is too many beside all the others."""
        return most_kept_together(classes, self._excess(classes))

    def _excess(self, classes: Classes) -> NDArray[np.int64]:
        return excess(classes.sizes == 1, classes, exact_fraction(self.limit))

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return unique records / records."""
        return {"limit": _unique(groups) / int(groups.sizes.sum()) if len(groups.sizes) else None}

    def holds(self, groups: Groups) -> bool:
        """Few enough of the records in classes are alone."""
        return _unique(groups) <= exact_fraction(self.limit) * int(groups.sizes.sum())

    def promise(self) -> str:
        """Say it in plain words."""
        return (
            f"sample uniques of at most {self.limit}: of the published records a share of at most {self.limit} "
            "looks like no other record in all quasi-identifying columns"
        )


def _unique(groups: Groups) -> int:
    return int((groups.sizes == 1).sum())
