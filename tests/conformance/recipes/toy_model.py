"""A toy: every class has an even number of records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, NothingOnPresence, NothingOnValues
from nymity.table.classes import Classes


@dataclass(frozen=True, kw_only=True)
class ToyEven(NothingOnValues, NothingOnPresence):
    """Records of a class come in pairs."""

    key = "toy-even"
    title = "toy of even classes"
    monotone_generalization = False

    @property
    def smallest_class(self) -> int:
        """A pair."""
        return 2

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """Even sizes."""
        return np.asarray(classes.sizes % 2 == 0)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Nothing to measure."""
        return {}

    def holds(self, groups: Groups) -> bool:
        """Even sizes."""
        return bool((groups.sizes % 2 == 0).all())

    def promise(self) -> str:
        """Return the promise."""
        return "even classes: every published record looks the same as an odd number of others"
