"""k^m-anonymity (Terrovitis, Mamoulis & Kalnis 2008): whoever knows up to m items of a person finds k persons.

A table has a column of sets of items, such as diagnoses or purchases. Let R(C) be the records of a class, those that
look alike in all quasi-identifiers, and I(r) the published items of a record. For every class C, every record r of it
and every set S of I(r) of at most m items,

    |{ r' in R(C) : S is part of I(r') }| >= k

(the paper's definition, inside classes). S may be empty: a class has k records, so k-anonymity is part of it. What
somebody knows are items as they were, which stand for what these are published as; an item that was suppressed tells
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.validation import whole_number
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, OverPersons, PrivacyModel, Unlimited
from nymity.privacy.shared_items import fewest_holding
from nymity.privacy.sizes import ModelOfK
from nymity.table.classes import Classes

#: What is measured of a table where nobody says how many items are known.
_MEASURED_M = 2


@dataclass(frozen=True, kw_only=True)
class KMAnonymity(ModelOfK):
    """Up to m known items, beside the quasi-identifiers, are held by at least k records of the class.

    Classes of k records are for the search of levels; which items are generalized and suppressed in them is decided
    when these are known (:mod:`nymity.baskets`).
    """

    k: int
    m: int

    key = "km-anonymity"
    title = "k^m-anonymity"
    about_items: ClassVar[bool] = True
    over_persons: ClassVar[OverPersons] = "number"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number(f"{self.key}.m", self.m, at_least=1)

    def check_beside(self, models: Sequence[PrivacyModel]) -> None:
        """Refuse promises about everybody in a class: who knows items of a person too finds some of them only."""
        for model in models:
            if not model.about_items and (not model.size_only or model.second_table or model.needs_source):
                raise ParameterError(
                    f"privacy: {model.key}",
                    expected="only promises about sizes of classes with k^m-anonymity",
                    got=f"{model.title}, which is about everybody in a class: who knows items of a person too finds "
                    "some of them only",
                    hint="leave it out, or publish without the items",
                )

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """Large enough classes: with all items suppressed these keep the promise."""
        return np.asarray(classes.units >= self.k)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the k for two known items."""
        return {"k": _fewest(groups, _MEASURED_M), "m": _MEASURED_M}

    def reached(self, groups: Groups) -> Measured:
        """Return the k for as many known items."""
        return {"k": _fewest(groups, self.m), "m": self.m}

    def holds(self, groups: Groups) -> bool:
        """Enough records hold whatever is known."""
        fewest = _fewest(groups, self.m)
        return fewest is None or fewest >= self.k

    def is_empty(self, rarest: Fraction | None) -> bool:
        """One record is always found."""
        del rarest
        return self.k <= 1

    def items_chance(self, known: int) -> Fraction | Unlimited:
        """One of k records, of those who know no more than m items."""
        if known > self.m:
            return Unlimited(f"it is about whoever knows up to {self.m} item{'s' * (self.m > 1)}")
        return Fraction(1, self.k)

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        known = "one item" if self.m == 1 else f"up to {self.m} items"
        return (
            f"{self.k}^{self.m}-anonymity: whoever knows the quasi-identifying columns and {known} of a person finds "
            f"at least {self.k} records that fit; how many items a record has is not protected, and nothing is said of "
            "the other items of these records"
        )


def _fewest(groups: Groups, m: int) -> int | None:
    """Return the fewest records, or persons, of a class that hold what is known of one of them."""
    if groups.fewest is None or groups.item_entries is None:
        return groups.fewest
    fewest = fewest_holding(groups.item_entries, m)
    return groups.fewest if fewest is None else min(groups.fewest, fewest)
