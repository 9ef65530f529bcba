"""Average risk: the mean chance to pick published records out of their classes is at most a limit.

The marketer of El Emam & Dankar (2008) wants to link as many records as possible and does not care whose. Of a class
of n records one is linked rightly on average, so of all published records a share of

    classes / records    (the mean over records of 1 / size)

is. Masked rows are one more class, and their records count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.core.validation import number
from nymity.privacy.averages import MeanLimit
from nymity.privacy.groups import Groups
from nymity.privacy.sizes import check_risk
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class AverageRisk(MeanLimit):
    """Published classes / published records is at most the limit.

    A single class may be of any size; where a partition has too many small ones, the smallest are suppressed.

    Not monotone under generalization: of classes with 3, 5, 1, 1 and 1 records a limit of 1/4 lets those with 3 and 5
    be published. If the last three are one class, 3 classes of 11 records are too many, and without all that have 3
    only 5 records are left.
    """

    key = "average-risk"
    title = "average risk"

    def __post_init__(self) -> None:
        number(f"{self.key}.limit", self.limit, above=0, at_most=1)
        super().__post_init__()

    def check(self, table: EncodedTable) -> None:
        """The average is least if all records are one class."""
        check_risk(f"{self.key}.limit", self.limit, table)

    def weights(self, classes: Classes) -> NDArray[np.bool_]:
        """Each class counts."""
        return np.ones(len(classes), dtype=np.bool_)

    @classmethod
    def weighed(cls, groups: Groups) -> int:
        """Return the number of classes."""
        return len(groups.sizes)

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"average risk of at most {self.limit}, by persons: whoever links each group of records that look alike to "
            f"one of the persons who have some there is right for a share of at most {self.limit} of these persons"
        )

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"average risk of at most {self.limit}: whoever links every published record to one of the people who look "
            f"alike is right for a share of at most {self.limit} of them on average"
        )
