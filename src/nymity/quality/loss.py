"""Loss: what generalization and suppression cost, with a bound that lets a search skip nodes.

A loss is prepared for a table once; the prepared loss is a formula of :class:`NodeStatistics`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import ClassVar

from nymity.quality.kernel_form import KernelForm
from nymity.quality.metric import Described
from nymity.quality.node_statistics import COUNTS_ALONE, Floats, Needs, NodeStatistics
from nymity.table.encoding import EncodedTable


class Loss(Described, ABC):
    """A quality model: lower is better. Subclasses are frozen keyword-only dataclasses of their parameters."""

    #: It never falls when classes are merged and nothing is suppressed. Losses that aggregate one rising value per
    #: attribute need not say so: their floor does.
    rises: ClassVar[bool] = False
    #: Whoever chooses by it chooses by sensitive values.
    counts_sensitive_values: ClassVar[bool] = False

    @abstractmethod
    def prepare(self, table: EncodedTable) -> PreparedLoss:
        """Prepare the loss for a table, or refuse parameters that do not fit it."""

    @classmethod
    def of_table(cls, table: EncodedTable) -> tuple[Loss, ...]:
        """Return the loss with default parameters, as often as it has a meaning for the table."""
        del table
        return (cls(),)

    @property
    def name(self) -> str:
        """The key, and the parameters that are not the default: ``loss (aggregation=rank)``."""
        parts = ((field, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        told = ", ".join(f"{field.name}={value}" for field, value in parts if value != field.default)
        return f"{self.key} ({told})" if told else self.key


class PreparedLoss(ABC):
    """A loss prepared for one table."""

    #: Whether the floor is much better if it knows the classes of the lowest node, of which all others are unions.
    looks_below: ClassVar[bool] = False
    #: Whether only the number of kept classes counts, and one more where records are suppressed: more are better.
    #: A floor of that tells nothing at low nodes, so an interval is best split right above its lowest one.
    counts_classes: ClassVar[bool] = False

    @property
    def levels_alone(self) -> bool:
        """Whether the levels decide, and each counts something: no solution above another is as good."""
        return False

    @property
    def needs(self) -> Needs:
        """What must be known of a node besides the counts."""
        return COUNTS_ALONE

    def form(self) -> KernelForm | None:
        """Return the loss and its floor for a kernel; None where no kernel knows them."""
        return None

    def where_classes_have(self, smallest: int) -> PreparedLoss:
        """Return the same loss, which may rely on no model accepting a class of fewer records."""
        del smallest
        return self

    @abstractmethod
    def value(self, nodes: NodeStatistics) -> Floats:
        """Return the loss of each node, (N,)."""

    @property
    def mixes_levels(self) -> bool:
        """Whether it has a meaning where a column is published on several levels."""
        return True

    def per_attribute(self, nodes: NodeStatistics) -> Floats | None:
        """Return the loss of each attribute of each node, (N, m); None where it is not made of those."""
        del nodes
        return None

    def compared(self, nodes: NodeStatistics) -> Floats:
        """Return what nodes are compared by, (N, r): the loss, and what decides where that is equal."""
        return self.value(nodes)[:, None]

    def compared_one(self, node: NodeStatistics) -> tuple[float, ...]:
        """Return the same for a single node."""
        return tuple(self.compared(node)[0].tolist())

    def floor(
        self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None
    ) -> float | None:
        """Return a lower bound for every node between ``levels`` and a node whose statistics are ``above``.

        Holds where every class that contains an accepted class is accepted: then what is suppressed at the upper node
        is suppressed at every node below it. ``above`` is None when nothing may be assumed; ``below`` are the
        statistics of the node at ``levels``, where they are known. The answer None says that there is no useful bound.
        """
        del levels, above, below
        return None

    def floors(
        self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None
    ) -> tuple[float, ...] | None:
        """Return the same for everything that nodes are compared by: no node is smaller in lexicographic order."""
        floor = self.floor(levels, above, below)
        return None if floor is None else (floor,)
