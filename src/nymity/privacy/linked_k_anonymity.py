"""Linked k-anonymity: whoever knows some of a person's records finds k persons who could have them.

Where a pseudonym is published everybody sees which rows are of one person, and rows that are each like k others' may
together be like nobody's. Let each person be the multiset of the classes of its rows. For every person and every
multiset of at most m of its rows (``knows = m``), or for the whole multiset (``knows = "all"``),

    |{ persons with at least these rows }| >= k,

k^m-anonymity (Terrovitis, Mamoulis & Kalnis 2008, section 2) with the classes of rows as items, and a row of the same
class known twice asked for twice; ``all`` compares whole multisets, so that numbers of rows tell nothing either.

A household is found by its members together: with ``of = "household"`` the same is promised to households, each the
multiset of the classes of its members' rows. Where k households share a class, k persons do, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import JobError, ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import one_of, whole_number
from nymity.core.wording import count
from nymity.privacy.groups import Groups
from nymity.privacy.k_anonymity import KAnonymity
from nymity.privacy.links import Knows, check_number_of_sets
from nymity.privacy.model import (
    Measured,
    NothingOnPresence,
    NothingOnValues,
    OverPersons,
    PrivacyModel,
    Unlimited,
)
from nymity.privacy.shared_rows import fewest_sharing
from nymity.privacy.sizes import check_k
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class LinkedKAnonymity(NothingOnValues, NothingOnPresence):
    """Up to ``knows`` records of one person, or all of them, fit at least k persons; or of households, as ``of`` says.

    Where it cannot be kept whole persons, or households, are left out (:mod:`nymity.privacy.links`); no row is masked,
    because a person's other rows would show what the masked one hides. A table that does not say of whom its records
    are has one record of each.
    """

    k: int = field(kw_only=False)
    knows: Knows
    of: Literal["person", "household"] = "person"

    key = "linked-k-anonymity"
    title = "linked k-anonymity"
    over_persons: ClassVar[OverPersons] = "links"

    def __post_init__(self) -> None:
        whole_number(f"{self.key}.k", self.k, at_least=1)
        one_of(f"{self.key}.of", self.of, ("person", "household"))
        counted = isinstance(self.knows, int) and not isinstance(self.knows, bool) and self.knows >= 1
        if not counted and not (isinstance(self.knows, str) and self.knows == "all"):
            raise ParameterError(
                f"{self.key}.knows",
                expected="how many records of one person somebody knows: a whole number from 1 on, or 'all'",
                got=as_given(self.knows),
            )

    @property
    def of_households(self) -> bool:
        """Whether it is promised to households."""
        return self.of == "household"

    @property
    def smallest_class(self) -> int:
        """A class has at least k persons, or households."""
        return self.k

    def check(self, table: EncodedTable) -> None:
        """Refuse more persons than there are, and more sets of rows than can be looked at."""
        check_k(f"{self.key}.k", self.k, table)
        if (persons := table.persons) is not None:
            rows = np.bincount(persons.codes, weights=persons.counts).astype(np.int64)
            check_number_of_sets(f"{self.key}.knows", rows, self.knows, self.of)

    def check_beside(self, models: Sequence[PrivacyModel]) -> None:
        """Refuse promises about everybody in a class: who knows several records of a person finds some of them only.

        And the same promise to somebody else: what is left out is one or the other.
        """
        for model in models:
            if isinstance(model, LinkedKAnonymity) and model.of != self.of:
                raise ParameterError(
                    f"{self.key}.of",
                    expected="one unit for all promises of a job: persons or households are left out whole, not both",
                    got=f"{self.of!r} and {model.of!r}",
                    hint="use only of = 'household': where k households share a class, so do k persons",
                )
            if model.over_persons != "links" and not model.size_only:
                raise ParameterError(
                    f"privacy: {model.key}",
                    expected="only promises about numbers of persons with linked k-anonymity",
                    got=f"{model.title}, which is about everybody in a class: who knows several records of a person "
                    "finds some of them only",
                    hint="leave it out, or publish no pseudonym: rows that are not linked keep it",
                )

    @property
    def links_known(self) -> Knows:
        """As many as it says."""
        return self.knows

    def linked_chance(self, known: Knows) -> Fraction | Unlimited:
        """One over k, as long as no more is known than it reckons with: who shares all rows shares some of them."""
        if self.knows != "all" and (known == "all" or known > self.knows):
            return Unlimited(f"it reckons with {self._known} of one {self.of} at most")
        return Fraction(1, self.k)

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """Large enough classes; which of their persons stay is for :mod:`nymity.privacy.decision` to say."""
        return np.asarray(classes.units >= self.k)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return how few persons share all rows of one of them: the k that holds whatever is known."""
        return {"k": _fewest(groups, "all"), "knows": "all"}

    def reached(self, groups: Groups) -> Measured:
        """Return how few persons share what is known."""
        return {"k": _fewest(groups, self.knows), "knows": self.knows}

    def holds(self, groups: Groups) -> bool:
        """Enough persons share whatever is known."""
        fewest = _fewest(groups, self.knows)
        return fewest is None or fewest >= self.k

    def is_empty(self, rarest: object) -> bool:
        """One person is always found."""
        del rarest
        return self.k <= 1

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        if self.of_households:
            return f"linked {self.k}-anonymity of households: " + self._means().replace("person", "household")
        return f"linked {self.k}-anonymity: " + self._means()

    def promise_to_households(self) -> str:
        """Return the same: it says itself to whom it is promised."""
        return self.promise()

    def _means(self) -> str:
        known = f"whoever knows the quasi-identifying columns of {self._known} of one person finds at least {self.k} "
        if self.knows == "all":
            return f"{known}persons whose records all look like them"
        looks = "it" if self.knows == 1 else "them"
        return f"{known}persons with records that look like {looks}; how many records a person has is not protected"

    @property
    def _known(self) -> str:
        if self.knows == "all":
            return "all records"
        return "one record" if self.knows == 1 else f"up to {self.knows} records"


def of_single_rows(
    table: EncodedTable, models: Sequence[PrivacyModel], key: str
) -> tuple[EncodedTable, Sequence[PrivacyModel]]:
    """Return what the method ``key`` is to keep, which publishes a value in several ways: of everybody one row.

    Cells of somebody's rows would intersect, and tell more than each. Of a single row every multiset is that row, and
    the persons who have it are the records of its class: linked k-anonymity is k-anonymity of records then.
    """
    persons, linking = table.persons, [model for model in models if isinstance(model, LinkedKAnonymity)]
    if persons is None or not linking:
        return table, models
    several = int((np.bincount(persons.codes, weights=persons.counts) > 1).sum())
    if several:
        unit = linking[0].of
        raise JobError(
            f"method: {key}",
            expected=f"one level for each column, because rows of a {unit} are linked, or one record of each {unit}",
            got=f"a method that publishes a value in several ways, and {count(several, unit)} with several records",
            hint="optimal-lattice, or publish one record of each",
        )
    each = [KAnonymity(k=model.k) if isinstance(model, LinkedKAnonymity) else model for model in models]
    return table.without_persons(), each


def _fewest(groups: Groups, knows: Knows) -> int | None:
    if groups.persons is None or groups.fewest == 1:  # who has a class alone is found by one row, and by more
        return groups.fewest
    return fewest_sharing(groups.rows_of_persons, knows)
