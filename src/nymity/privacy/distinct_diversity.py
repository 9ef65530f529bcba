"""Distinct l-diversity (Machanavajjhala et al. 2007): every class has at least l different sensitive values.

A missing sensitive value counts as a value of its own. Distinct diversity says nothing about how often each value
occurs: a class with one value for 98 of 100 records still passes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from nymity.core.validation import whole_number
from nymity.kernels.frontier import DISTINCT
from nymity.privacy.groups import Groups
from nymity.privacy.kernel_rule import KernelRule
from nymity.privacy.model import Measured, Unlimited
from nymity.privacy.sensitive import SensitiveModel, check_name, check_sensitive, check_values
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable, SensitiveColumn


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(SensitiveModel):
    """Every class holds at least l different values of the sensitive attribute."""

    l: int = field(kw_only=False)  # noqa: E741 -- the literature's name
    attribute: str

    key = "distinct-l-diversity"
    title = "distinct l-diversity"
    over_persons = "number"

    def __post_init__(self) -> None:
        whole_number("distinct-l-diversity.l", self.l, at_least=1)
        check_name(self.key, self.attribute)

    @property
    def smallest_class(self) -> int:
        """l different values need l records."""
        return self.l

    def check(self, table: EncodedTable) -> None:
        """The attribute is sensitive and has l values at all."""
        check_sensitive(self.key, self.attribute, table)
        check_values(f"{self.key}.l", self.l, self.attribute, table)

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """At least l different values, and as many persons where records are of persons: one may have them all."""
        return np.asarray((classes.histograms[self.attribute].distinct >= self.l) & (classes.units >= self.l))

    def rule(self, table: EncodedTable) -> KernelRule:
        """Return the same for a kernel."""
        return KernelRule(kind=DISTINCT, least_values=self.l)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the smallest number of different values in a class."""
        if attribute is None:
            return {"l": None}
        distinct = groups.distinct_values(attribute)
        if not len(distinct):
            return {"l": None}
        return {"l": min(int(distinct.min()), groups.fewest or 0)}  # type: ignore[arg-type]

    def holds(self, groups: Groups) -> bool:
        """Every class has enough different values."""
        reached = self.measure(groups, self.attribute)["l"]
        return reached is None or reached >= self.l

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Every class has a value."""
        return self.l == 1

    def value_shares(self, column: SensitiveColumn) -> Unlimited:
        """Return why there are none."""
        return Unlimited("it counts different values, not how often each of them occurs")

    def fewest_values(self, column: SensitiveColumn) -> int:
        """At least l."""
        return self.l

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"distinct {self.l}-diversity of {self.attribute!r}: every group of records that look alike "
            f"has at least {self.l} different values there"
        )

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return f"{self.promise()}, and records of at least {self.l} persons"
