"""Models for which nothing but the size of a class counts, and what they ask of a table."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.validation import exact_fraction, whole_number
from nymity.privacy.model import NothingOnPresence, NothingOnValues, OverPersons
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable


class SizeModel(NothingOnValues, NothingOnPresence):
    """A class is accepted if it has ``smallest_class`` records or more, or persons where records are of persons."""

    over_persons: ClassVar[OverPersons] = "number"

    @property
    def size_only(self) -> bool:
        """Nothing but the size counts."""
        return True

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """Large enough classes."""
        return np.asarray(classes.units >= self.smallest_class)


class ModelOfK(NothingOnValues, NothingOnPresence):
    """A promise with a number ``k`` that classes of k records, or persons, keep; what else keeps it, each says."""

    k: int

    def __post_init__(self) -> None:
        whole_number(f"{self.key}.k", self.k, at_least=1)

    @property
    def smallest_class(self) -> int:
        """A class has at least k records."""
        return self.k

    def check(self, table: EncodedTable) -> None:
        """A class cannot have more records than the table."""
        check_k(f"{self.key}.k", self.k, table)


def check_risk(where: str, limit: float, table: EncodedTable) -> None:
    """Refuse a limit on one over a class's size that not even all records together meet."""
    if exact_fraction(limit) * table.n_units < 1:
        raise ParameterError(
            where,
            expected=f"at least 1/{table.n_units}: the table has {table.n_units} {table.unit}",
            got=str(limit),
            hint="choose a larger limit, or publish a larger table",
        )


def check_k(where: str, k: int, table: EncodedTable) -> None:
    """Refuse classes larger than the table."""
    if k > table.n_units:
        raise ParameterError(
            where,
            expected=f"at most {table.n_units}, the number of {table.unit}",
            got=str(k),
            hint="choose a smaller k, or publish a larger table",
        )
