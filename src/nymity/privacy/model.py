"""PrivacyModel: a promise about equivalence classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nymity.privacy.groups import Groups
from nymity.privacy.kernel_rule import KernelRule
from nymity.privacy.known_columns import KnownColumns
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable, SensitiveColumn

#: Parameters of a model as measured, numbers or plain tables of them: ``{"k": 7}``. None where there is nothing to
#: measure, infinite where none holds.
Measured = dict[str, Any]
#: What a model asks of the persons of a class.
OverPersons = Literal["number", "shares", "records", "links"] | None
#: Stands for infinity in JSON, which has none.
INFINITE = "infinite"


def plain_measured(measured: Measured) -> dict[str, Any]:
    """Return measured parameters as JSON has them."""
    return {name: INFINITE if value == inf else value for name, value in measured.items()}


@dataclass(frozen=True)
class Unlimited:
    """A promise sets no limit to what an attack may reach, and why: a clause without its full stop."""

    why: str


class PrivacyModel(ABC):
    """A condition on each class of a release. Subclasses are frozen dataclasses of their parameters.

    Parameters are named, ``RecursiveDiversity(c=3, l=2, attribute="diagnosis")``. Where one number is what a model is
    about, it comes first and needs no name, by ``field(kw_only=False)``: ``KAnonymity(5)``,
    ``TCloseness(0.2, attribute="diagnosis")``.

    Rows with every quasi-identifier masked are one more class, of the people who fit no published combination: whoever
    knows the combinations and these people knows that the rows are theirs.

    A model answers twice, by separate code: ``accepts`` decides inside a search on arrays, ``measure`` on a
    written table by plain group-bys. And it says for whatever an attack tries to find out what the attack may reach at
    most, or why the promise sets no limit: ``row_chance``, ``linked_chance``, ``items_chance``, ``value_shares``,
    ``fewest_values``, ``presence_chances`` and ``presence_advantage``. :class:`NothingOnValues` and
    :class:`NothingOnPresence` answer for many.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    #: Every class that contains an accepted class is accepted, so what a coarser node suppresses every finer node
    #: suppresses too. (That unions of *accepted* classes are accepted is not enough: merging an accepted class with a
    #: rejected one must not lose it.)
    monotone_generalization: ClassVar[bool] = True
    #: The union of accepted classes is accepted, so each rejected class has a rejected part however it is split.
    unions: ClassVar[bool] = True
    #: ``most_kept`` says more than these declarations do.
    bounds_parts: ClassVar[bool] = False
    #: A class needs nothing but ``value_shares`` to be accepted, so buckets can be planned by them.
    shares_suffice: ClassVar[bool] = False
    #: Taking whole classes out cannot break the others: a class is judged by itself alone.
    monotone_suppression: ClassVar[bool] = True
    #: The parameter that names a second table, for promises about the population that the published records are of.
    second_table: ClassVar[str] = ""
    #: It promises that nobody learns who is in the table, so nothing may be told of how many persons are.
    hides_presence: ClassVar[bool] = False
    #: The second table is the one to publish, and the source is the population.
    publishes_second: ClassVar[bool] = False
    #: The promise is about rows and the records they were made from; a release alone does not show it.
    needs_source: ClassVar[bool] = False
    #: The promise is about how a release is drawn, against whoever knows the program; no table shows that.
    about_draws: ClassVar[bool] = False
    #: Rows of several classes count together: more may be counted than the smallest class has.
    beyond_classes: ClassVar[bool] = False
    #: The promise is about a column of sets of items, too.
    about_items: ClassVar[bool] = False
    #: What it asks of the persons of a class, where records are of persons: their ``number``, which grows with the
    #: class; ``shares`` of them, which say nothing about parts and unions (of {a: s, b: t} and {a: t, b: s} half has s
    #: each, of both together all); their ``records``, which are a histogram like that of values; ``links``
    #: between their rows, which whole persons are left out for. None: it is not defined for persons, and refuses them.
    over_persons: ClassVar[OverPersons] = None
    #: ``value_shares`` are of the persons who have a value, where records are of persons: somebody with two has both.
    limits_holders: ClassVar[bool] = False
    #: Why a promise is none where ``is_empty`` says so.
    emptiness: ClassVar[str] = "a table with every record as it was would keep that too"

    @property
    def of_households(self) -> bool:
        """Whether it is promised to households: all promises of its job count these then."""
        return False

    @property
    def compares(self) -> bool:
        """Whether a class is compared with the whole table: the published one where suppressed records are removed."""
        return False

    @property
    def smallest_class(self) -> int:
        """No accepted class has fewer records than this, or persons where records are of persons."""
        return 1

    @property
    def size_only(self) -> bool:
        """Whether having ``smallest_class`` records is all a class needs."""
        return False

    @property
    def fewest_people(self) -> int:
        """How many people of the population a class must have, where that is all it asks of them; 0 otherwise."""
        return 0

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Sensitive attributes whose histograms the model needs."""
        return ()

    def check(self, table: EncodedTable) -> None:
        """Refuse parameters that do not fit the table, before a search starts."""
        del table

    def check_beside(self, models: Sequence[PrivacyModel]) -> None:
        """Refuse other promises of a job that cannot be kept together with this one."""
        del models

    @abstractmethod
    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """Return which classes keep the promise, (n_classes,)."""

    def rule(self, table: EncodedTable) -> KernelRule | None:
        """Return for a kernel which classes it accepts, and how much of others can be kept; None where no kernel can.

        ``table`` has no persons. The rule says the same as :meth:`accepts` and :meth:`most_kept`.
        """
        del table
        return KernelRule() if self.size_only else None

    def together(self, classes: Classes, published: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the classes that are to be kept can be published together, for promises about all of them.

        It looks at sizes and people alone. Masked rows are no part of the classes here; :mod:`nymity.privacy.decision`
        asks again with them as one more class.
        """
        del classes
        return published

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Bound how many records of each class can be published if it is split in any way, (n_classes,).

        ``accepted`` are the classes this model accepts. A model with a tighter bound than what its declarations
        imply overrides this; the smaller the bound, the more of a lattice is never looked at.
        """
        sizes = classes.sizes.astype(np.int64)
        if self.monotone_generalization:
            return np.where(accepted, sizes, 0)
        possible = np.where(sizes >= self.smallest_class, sizes, 0)
        unions = self.unions and (classes.persons is None or self.over_persons != "shares")
        return np.where(accepted, possible, np.maximum(possible - 1, 0)) if unions else possible

    def known_columns(self, table: EncodedTable) -> KnownColumns | None:
        """Return what it asks of rows that share their cells in some columns, if that is all it asks for."""
        del table
        return None

    @classmethod
    @abstractmethod
    def measure(cls, groups: Groups, attribute: str | None) -> Measured:
        """Return the strictest parameters that a table keeps; None where there is nothing to measure."""

    def reached(self, groups: Groups) -> Measured:
        """Return what this model reaches on a table, in its own parameters."""
        return self.measure(groups, self.sensitive[0] if self.sensitive else None)

    @abstractmethod
    def holds(self, groups: Groups) -> bool:
        """Return whether a table keeps the promise."""

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Return whether it promises nothing: a table in which everybody's record is alone in its class keeps it too.

        ``rarest`` is the share of all published records that the rarest value of the sensitive attribute has.
        """
        del rarest
        return self.size_only and self.smallest_class <= 1

    def row_chance(self, *, classes: bool, complete: bool) -> Fraction | Unlimited:
        """Return the largest chance to pick a person's row: one over the rows that look like it.

        ``classes``: rows are in classes. ``complete``: no record was left out.
        """
        del complete
        if not classes:
            return Unlimited("it is about classes, and each row of this release has cells of its own")
        if self.smallest_class == 1:
            return Unlimited("it does not ask for classes of more than one record")
        return Fraction(1, self.smallest_class)

    @property
    def links_known(self) -> int | Literal["all"] | None:
        """How many linked records of one person it reckons with; None if it is about each row by itself."""
        return None

    def linked_chance(self, known: int | Literal["all"]) -> Fraction | Unlimited:
        """Return the largest chance to find a person of whom so many linked records are known."""
        del known
        return Unlimited("it is about each row by itself, and rows are linked")

    def items_chance(self, known: int) -> Fraction | Unlimited:
        """Return the largest chance to pick the row of somebody whose quasi-identifiers and so many items are known."""
        del known
        return Unlimited("it does not look at items")

    @abstractmethod
    def value_shares(self, column: SensitiveColumn) -> list[Fraction] | Unlimited:
        """Return the largest share of a class that each value may have; ``column`` is the whole table's.

        Whoever finds a person's class guesses a value with this chance.
        """

    @abstractmethod
    def fewest_values(self, column: SensitiveColumn) -> int | Unlimited:
        """Return how many different values each class has at least: with one, everybody's value is certain."""

    @abstractmethod
    def presence_chances(self) -> tuple[Fraction, Fraction] | Unlimited:
        """Return between which chances somebody of the population is in the release."""

    @abstractmethod
    def presence_advantage(self) -> Fraction | Unlimited:
        """Return by how much the share of members who are taken for members may exceed that of others who are."""

    @abstractmethod
    def promise(self) -> str:
        """Return what is promised, in a sentence: its name, a colon, and what it means."""

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What the promise leaves open by itself (``what: why``), for certificates."""
        return ()

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return self.promise()

    def promise_to_households(self) -> str:
        """Return what is promised where households are counted in place of persons."""
        return self.promise_to_persons().replace("person", "household").replace("who have", "that have")

    def promise_of_buckets(self) -> str:
        """Return what is promised where sensitive values are published by bucket."""
        return self.promise().replace("group of records that look alike", "bucket")


class NothingOnValues(PrivacyModel):
    """A promise that sets attacks on sensitive values no limit."""

    def value_shares(self, column: SensitiveColumn) -> list[Fraction] | Unlimited:
        """Any value may fill a class."""
        del column
        return Unlimited("it does not look at sensitive values")

    def fewest_values(self, column: SensitiveColumn) -> int | Unlimited:
        """A class may have a single value."""
        del column
        return Unlimited("it does not look at sensitive values")


class NothingOnPresence(PrivacyModel):
    """A promise to the people in a release, which sets attacks on who they are no limit."""

    def presence_chances(self) -> tuple[Fraction, Fraction] | Unlimited:
        """Anybody may be known to be in the release."""
        return Unlimited("it is about the people in the release, not about who is in it")

    def presence_advantage(self) -> Fraction | Unlimited:
        """Members may be told from others."""
        return Unlimited("it is about the people in the release, not about who is in it")
