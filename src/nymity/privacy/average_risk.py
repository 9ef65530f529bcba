"""Average risk: the mean chance to pick published records out of their classes is at most a limit.

The marketer of El Emam & Dankar (2008) wants to link as many records as possible and does not care whose. Of a class
of n records one is linked rightly on average, so of all published records a share of

    classes / records    (the mean over records of 1 / size)

is. Masked rows are in no class: they count neither as records nor as a class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.validation import exact_fraction, number, short_fraction
from nymity.privacy.averages import excess, most_kept_together, without_smallest
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, PrivacyModel
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class AverageRisk(PrivacyModel):
    """Published classes / published records is at most the limit.

    Decided in integers, with the limit as the decimal written. A single class may be of any size; where a partition
    has too many small ones, the smallest are suppressed.
    """

    limit: float

    key = "average-risk"
    title = "average risk"
    #: Of classes with 3, 5, 1, 1 and 1 records a limit of 1/4 lets those with 3 and 5 be published. If the last three
    #: are one class, 3 classes of 11 records are too many, and without all that have 3 only 5 records are left.
    monotone_generalization = False
    monotone_suppression = False
    bounds_parts = True

    def __post_init__(self) -> None:
        number(f"{self.key}.limit", self.limit, above=0, at_most=1)
        short_fraction(f"{self.key}.limit", self.limit)

    def check(self, table: EncodedTable) -> None:
        """The average is least if all records are one class."""
        if exact_fraction(self.limit) * table.n_records < 1:
            raise ParameterError(
                f"{self.key}.limit",
                expected=f"at least 1/{table.n_records}: the table has {table.n_records} records",
                got=str(self.limit),
                hint="choose a larger limit, or publish a larger table",
            )

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """Any class can be part of a good average."""
        return np.ones(len(classes), dtype=np.bool_)

    def together(self, classes: Classes, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Take the smallest classes out until there are few enough for the records left."""
        return without_smallest(classes, kept, self._excess(classes))

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Nothing of a class that is too small even if only the large ones are published beside it."""
        return most_kept_together(classes, self._excess(classes))

    def _excess(self, classes: Classes) -> NDArray[np.int64]:
        return excess(np.ones(len(classes), dtype=np.bool_), classes, exact_fraction(self.limit))

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return classes / records."""
        return {"limit": len(groups.sizes) / int(groups.sizes.sum()) if len(groups.sizes) else None}

    def holds(self, groups: Groups) -> bool:
        """There are few enough classes for the records in them; without any class nobody can be found."""
        return len(groups.sizes) <= exact_fraction(self.limit) * int(groups.sizes.sum())

    def promise(self) -> str:
        """Say it in plain words."""
        return (
            f"average risk of at most {self.limit}: whoever links every published record to one of the people who look "
            f"alike is right for a share of at most {self.limit} of them on average"
        )
