"""Models that exist only to be searched with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.privacy import Groups, Measured
from nymity.privacy.model import NothingOnPresence, NothingOnValues
from nymity.table.classes import Classes


@dataclass(frozen=True, kw_only=True)
class EvenClasses(NothingOnValues, NothingOnPresence):
    """Toy: an even number of records. Merging an odd class into another can break or mend it."""

    monotone_generalization = False
    key = "even"
    title = "even"

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        return classes.sizes % 2 == 0

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        return {}

    def holds(self, groups: Groups) -> bool:
        return bool((groups.sizes % 2 == 0).all())

    def promise(self) -> str:
        return "even classes: every class has an even number of records"
