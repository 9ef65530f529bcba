"""PrivacyModel: a promise about equivalence classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.privacy.groups import Groups
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable

#: Parameters of a model as measured: ``{"k": 7}``.
Measured = dict[str, float | int | None]


class PrivacyModel(ABC):
    """A condition on each class of a release. Subclasses are frozen dataclasses of their parameters.

    A model answers twice, by separate code: ``accepts`` decides inside a search on arrays, ``measure`` on a
    written table by plain group-bys.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    #: Every class that contains an accepted class is accepted, so what a coarser node suppresses every finer node
    #: suppresses too. (That unions of *accepted* classes are accepted is not enough: merging an accepted class with a
    #: rejected one must not lose it.)
    monotone_generalization: ClassVar[bool] = True
    #: Taking whole classes out cannot break the others: a class is judged by itself alone.
    monotone_suppression: ClassVar[bool] = True

    @property
    def smallest_class(self) -> int:
        """No accepted class has fewer records than this."""
        return 1

    @property
    def size_only(self) -> bool:
        """Whether having ``smallest_class`` records is all a class needs."""
        return False

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Sensitive attributes whose histograms the model needs."""
        return ()

    def check(self, table: EncodedTable) -> None:
        """Refuse parameters that do not fit the table, before a search starts."""
        del table

    @abstractmethod
    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """Say which classes keep the promise, (n_classes,)."""

    @classmethod
    @abstractmethod
    def measure(cls, groups: Groups, attribute: str | None) -> Measured:
        """Return the strictest parameters that a table keeps; None where there is nothing to measure."""

    def reached(self, groups: Groups) -> Measured:
        """Return what this model reaches on a table, in its own parameters."""
        return self.measure(groups, getattr(self, "attribute", None))

    @abstractmethod
    def holds(self, groups: Groups) -> bool:
        """Say whether a table keeps the promise."""

    @abstractmethod
    def promise(self) -> str:
        """Say in plain words what is promised."""
