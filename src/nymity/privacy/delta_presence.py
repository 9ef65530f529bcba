"""Delta-presence (Nergiz, Atzori, Clifton 2007): a release does not tell who is in it.

Everyone knows a public table, the population; that someone belongs to a subset of it, say the people with a disease,
is what must not be learned. Only the subset is published. For people who look alike the best guess whether one of them
is in the subset is the share of them that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import exact_fraction, number, short_fraction
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, NothingOnValues, Unlimited
from nymity.privacy.second_table import check_contained, named_table
from nymity.table.classes import Classes, Histogram
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class DeltaPresence(NothingOnValues):
    """For everyone in the population, the chance to be in the published subset lies from low to high.

    The paper's definition: low <= P(t in subset | release) <= high for every record t of the population. With classes
    that do not overlap the probability is

        records of the subset in t's class / records of the population in t's class.

    The paper suppresses nothing; people whose combination no record of the subset has are then known to be absent, and
    any low above 0 is broken. We extend it to suppression by one more class: the people outside every published class
    cannot be told apart by the release, which only says how many records were suppressed, so for each of them

        suppressed records / records of the population outside every published class

    must lie within the same bounds. That holds for masked and for removed rows, because the certificate tells the
    number of either. Without suppressed records it is the paper's definition. Where the remainder breaks it, further
    classes are suppressed with it (see ``together``).

    ``subset`` is the table to publish, a path or in Python any frame; the source is the population, of which only the
    quasi-identifiers are needed. Decided in integers, with low and high as the decimals written.

    Where records are of persons, both count persons: those with a record in a class, or with one outside of all. A
    population without the person column counts records, each as one of another person.
    """

    low: float
    high: float
    subset: Any

    key = "delta-presence"
    title = "delta-presence"
    second_table = "subset"
    hides_presence = True
    publishes_second = True
    #: 1 of 2 keeps high = 0.5; with 2 of 2 beside it, it is 3 of 4. With 0 of 2 beside it, it breaks low = 0.5.
    monotone_generalization = False
    #: Unions of accepted classes are accepted, but a rejected class may fall into an accepted part and one without any
    #: record of the subset, and then all of them are published: 1 of 10 into 1 of 2 and 0 of 8, for low = 0.5.
    unions = False
    bounds_parts = True
    monotone_suppression = False
    over_persons = "shares"

    def __post_init__(self) -> None:
        number(f"{self.key}.low", self.low, at_least=0, at_most=1)
        number(f"{self.key}.high", self.high, at_least=0, at_most=1)
        if short_fraction(f"{self.key}.high", self.high) < short_fraction(f"{self.key}.low", self.low):
            raise ParameterError(f"{self.key}.high", expected=f"at least low, {self.low!r}", got=as_given(self.high))
        object.__setattr__(self, "subset", named_table(f"{self.key}.subset", self.subset))

    def check(self, table: EncodedTable) -> None:
        """The subset is one, and its share of the population lies within the bounds.

        The classes and the remainder divide the population. If all their shares are within bounds, so is the whole's.
        Persons may be in several classes, so that nothing follows for theirs.
        """
        records = check_contained(f"{self.key}.subset", table, inside="the subset", outside="the source")
        if table.persons is not None:
            return
        share = Fraction(table.n_records, records)
        for name, within in (("low", exact_fraction(self.low) <= share), ("high", share <= exact_fraction(self.high))):
            if not within:
                raise ParameterError(
                    f"{self.key}.{name}",
                    expected=f"at {'most' if name == 'low' else 'least'} {float(share):.6g}: the subset has "
                    f"{table.n_records:,} of {records:,} records, and the shares of all classes average to that",
                    got=repr(getattr(self, name)),
                    hint=f"choose a {'smaller' if name == 'low' else 'larger'} {name}",
                )

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """The share of the subset lies within the bounds."""
        assert classes.population is not None
        return np.asarray(self._within(classes.units, classes.population))

    def together(self, classes: Classes, published: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Take classes out until the people outside stay within the bounds too.

        If their share is too small, the classes with the largest shares go first, because they add most to it for a
        suppressed record; if it is too large, those with the smallest. Smaller classes go before larger ones, equal
        ones together. By records the classes are within the bounds themselves, so the share cannot jump over them; by
        persons it can, and then more are taken out.
        """
        assert classes.population is not None
        # members, people (n + 1,): of the remainder before any class is taken out, and after each further one.
        members, people = _outside(classes, published, np.empty(0, dtype=np.int64))
        if self._within(members[0], people[0]) or not published.any():
            return published
        low, units = exact_fraction(self.low), classes.units
        rising = members[0] * low.denominator < people[0] * low.numerator
        rank = units / classes.population * (-1 if rising else 1)
        order = np.lexsort((units, rank))
        order = order[published[order]]
        ends = np.append((np.diff(rank[order]) != 0) | (np.diff(units[order]) != 0), True)
        enough = ends & self._within(*(counted[1:] for counted in _outside(classes, published, order)))
        last = order[np.argmax(enough) if enough.any() else -1]
        return np.asarray(published & ((rank > rank[last]) | ((rank == rank[last]) & (units > units[last]))))

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Bound the members in parts of a class that are within ``high``.

        m members in such parts have at least m (1 - high) / high other people beside them, and the class has only
        people - members of those, so m <= (people - members) high / (1 - high). ``low`` bounds nothing: parts may leave
        people without any member behind. By persons nothing is bounded: parts may share them.
        """
        assert classes.population is not None
        if classes.persons is not None:
            return classes.sizes.astype(np.int64)
        high, sizes = exact_fraction(self.high), classes.sizes.astype(np.int64)
        if high == 1:
            return sizes
        others = classes.population - sizes
        return np.asarray(np.minimum(sizes, others * high.numerator // (high.denominator - high.numerator)))

    def _within(self, members: Any, people: Any) -> Any:
        """Return where ``members`` of so many ``people`` lie within the bounds, in integers; nobody does."""
        low, high = exact_fraction(self.low), exact_fraction(self.high)
        return (people * low.numerator <= members * low.denominator) & (
            members * high.denominator <= people * high.numerator
        )

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the smallest and the largest share, people outside every class included."""
        if groups.population is None or not len(shares := _shares(groups)):
            return {"low": None, "high": None}
        share = pl.when(pl.col("people") > 0).then(pl.col("members") / pl.col("people"))
        low, high = shares.select(share.min().alias("low"), share.max().alias("high")).row(0)
        return {"low": low, "high": high}

    def holds(self, groups: Groups) -> bool:
        """Every class, and the people outside all of them, stay within the bounds."""
        members, people = pl.col("members"), pl.col("people")
        low, high = exact_fraction(self.low), exact_fraction(self.high)
        enough = members * low.denominator >= people * low.numerator
        few = members * high.denominator <= people * high.numerator
        return bool(_shares(groups).select((enough & few).all()).item())

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Any share of the population will do."""
        return exact_fraction(self.low) == 0 and exact_fraction(self.high) == 1

    def presence_chances(self) -> tuple[Fraction, Fraction]:
        """From low to high."""
        return exact_fraction(self.low), exact_fraction(self.high)

    def presence_advantage(self) -> Unlimited:
        """Return why there is none."""
        return Unlimited("it limits the chance of everybody in the population, not what tells members from others")

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"({self.low}, {self.high})-presence of persons: for everyone in the population, one record of whom is "
            f"known, the release leaves a chance from {self.low} to {self.high} that records of the person are in it"
        )

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"({self.low}, {self.high})-presence: for everyone in the population, the release leaves a chance from "
            f"{self.low} to {self.high} that the person's record is in it"
        )


Ints = NDArray[np.int64]


def _outside(classes: Classes, published: NDArray[np.bool_], order: Ints) -> tuple[Ints, Ints]:
    """Count members and people outside of the published classes, and of fewer and fewer: (n + 1,) each.

    First of all published ones, then without the first, the first two, ... of the n classes in ``order``.
    """
    assert classes.population is not None
    turn = np.where(published, len(order) + 1, 0)  # when a class is taken out: never, or it is not published
    turn[order] = np.arange(1, len(order) + 1)
    if classes.persons is None:
        members = np.bincount(turn, weights=classes.sizes, minlength=len(order) + 2).astype(np.int64)
    else:
        members = _first_turns(classes.persons, turn, len(order))
    if classes.crowd is None:
        people = np.bincount(turn, weights=classes.population, minlength=len(order) + 2).astype(np.int64)
        people[0] += classes.outside
    else:
        people = _first_turns(classes.crowd.inside, turn, len(order), classes.crowd.outside)
    return np.cumsum(members)[:-1], np.cumsum(people)[:-1]


def _first_turns(persons: Histogram, turn: Ints, n: int, already: NDArray[np.uint32] | None = None) -> Ints:
    """Count the persons whose first class is taken out at each turn, (n + 2,); those outside ``already`` are at 0."""
    first = np.full(persons.n_values, n + 2, dtype=np.int64)
    np.minimum.at(first, persons.codes, turn[persons.classes])
    if already is not None:
        first[already] = 0
    return np.bincount(first, minlength=n + 3)[: n + 2]


def _shares(groups: Groups) -> pl.DataFrame:
    """Return members of the subset and people of the population, of each class and outside of all of them."""
    beside = groups.beside_population
    classes = beside.filter(~pl.col("masked")).select(members="records", people="population")
    rest = pl.DataFrame({"members": [groups.suppressed], "people": [groups.n_outside]}, schema=classes.schema)
    return pl.concat([classes, rest]).filter((pl.col("members") > 0) | (pl.col("people") > 0))
