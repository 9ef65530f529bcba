"""TableMethod: what methods share that turn a table and its promises into an outcome, whatever kind they are of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, TypeVar

from nymity.core.draws import Draws
from nymity.core.progress import Observer, silent
from nymity.privacy.linked_k_anonymity import of_single_rows
from nymity.privacy.model import PrivacyModel
from nymity.table.encoding import EncodedTable

#: What Ctrl-C does to a search: it ends the run, or the search alone.
OnInterrupt = Literal["error", "best"]

Made = TypeVar("Made", covariant=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class MethodTask:
    """What a method is to decide on; ``draws`` are None where it may take those of a new key."""

    table: EncodedTable
    models: Sequence[PrivacyModel]
    columns: Sequence[str]
    observe: Observer
    draws: Draws | None


class TableMethod(ABC, Generic[Made]):
    """A method; subclasses are frozen dataclasses of its parameters."""

    key: ClassVar[str]
    #: Whether it may prove that nothing loses less.
    proves_optimum: ClassVar[bool] = True
    #: Whether it chooses one level for each column, by a search that can be asked about any choice.
    searches_levels: ClassVar[bool] = False
    #: Whether it has an answer at any time: with ``on_interrupt="best"``, one that is stopped publishes that.
    answers_any_time: ClassVar[bool] = False
    #: Whether it publishes a value in several ways, and linked rows where everybody has one.
    takes_single_rows: ClassVar[bool] = False
    #: Whether it may publish a column by a cut of its hierarchy, as the level between values and ``*``.
    cuts_hierarchies: ClassVar[bool] = False

    def run(
        self,
        table: EncodedTable,
        models: Sequence[PrivacyModel],
        *,
        columns: Sequence[str] | None = None,
        observe: Observer = silent,
        draws: Draws | None = None,
    ) -> Made:
        """Decide how to publish ``columns`` (default: the quasi-identifiers) so that every model holds.

        ``draws`` are those of a new key by default.
        """
        chosen = columns or table.names
        if self.takes_single_rows:
            table, models = of_single_rows(table, models, self.key)
        return self._decide(MethodTask(table=table, models=models, columns=chosen, observe=observe, draws=draws))

    @abstractmethod
    def _decide(self, task: MethodTask) -> Made:
        """Return the outcome, or refuse what the method cannot keep."""
