"""Classification metric (Iyengar 2002): records that a release makes a classifier get wrong.

    (S + Σ over kept classes (c - records with the most frequent target value)) / n

Predicting the majority of a class errs on the others of that class, and a suppressed record counts as an error: it is
the record that is suppressed, not its class. The target must be a sensitive attribute, because it is published as it is
and its values are counted per class.

Its floor: the majority of a union of classes is at most the sum of their majorities, so a node matches at most what the
lowest node does. Classes that are suppressed at the upper node match nothing, and in the lowest node their parts match
at least what they match there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.quality.loss import Loss, PreparedLoss
from nymity.quality.node_statistics import Floats, Needs, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class ClassificationLoss(Loss):
    """Share of records that are suppressed or not of the majority of their class.

    ``target`` is the sensitive attribute to predict; it may be left out where the table has just one.
    """

    target: str | None = None

    key = "classification"
    title = "classification metric: records suppressed or outside the majority of their class"
    plain = "How many records are not of the most frequent kind of their group, and would be guessed wrong."
    group = "tasks"
    unit = "share of records"
    limits = "a majority vote in each class, which a real classifier may beat"
    rises = True  # majorities of unions are at most the sums of majorities
    counts_sensitive_values = True

    def __post_init__(self) -> None:
        if self.target is not None and not isinstance(self.target, str):
            raise ParameterError(
                "classification.target", expected="the name of a sensitive attribute", got=as_given(self.target)
            )

    def prepare(self, table: EncodedTable) -> PreparedClassificationLoss:
        """Find the target."""
        return PreparedClassificationLoss(table.n_records, self._target(table))

    @classmethod
    def of_table(cls, table: EncodedTable) -> tuple[Loss, ...]:
        """Return one for each sensitive attribute."""
        if len(table.sensitive) == 1:
            return (cls(),)
        return tuple(cls(target=name) for name in table.sensitive)

    def _target(self, table: EncodedTable) -> str:
        known = list(table.sensitive)
        if self.target is None and len(known) == 1:
            return known[0]
        if self.target is not None and self.target in known:
            return self.target
        raise ParameterError(
            "classification.target",
            expected=f"a sensitive attribute to predict ({', '.join(map(repr, known)) or 'the schema has none'})",
            got="none named" if self.target is None else repr(self.target),
            hint=validation.nearest(self.target or "", known),
        )


@dataclass(frozen=True, eq=False)
class PreparedClassificationLoss(PreparedLoss):
    """The share for one table."""

    n_records: int
    target: str

    looks_below = True

    @property
    def needs(self) -> Needs:
        """Majorities of the target."""
        return Needs(target=self.target)

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return the share of records that are not matched."""
        return np.asarray((self.n_records - nodes.matched[:, 0]) / self.n_records)

    def floor(self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None) -> float:
        """Return the share of records that no node between can match."""
        del levels
        matched = self.n_records
        if below is not None:
            matched = int(below.matched[0, 1])
        if above is not None:
            kept, everyone = above.matched[0].tolist()
            matched = min(matched - (everyone - kept), self.n_records - int(above.suppressed[0]))
        return (self.n_records - matched) / self.n_records
