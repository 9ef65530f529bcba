"""Classes: the equivalence classes of one partition as arrays, which is all a privacy model gets to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nymity.table.encoding import SensitiveColumn
from nymity.table.person_parts import Parts

#: The overall counts of a histogram that is compared with no table.
NOTHING = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each sensitive value occurs in each class, as the entries that are not zero.

    classes, codes, counts (n_entries,): class, value and records of an entry; entries of a class are adjacent.
    column: the attribute as encoded, with its labels and hierarchy. overall (n_values,): records of each value in the
    table that classes are compared with; that of all classes together unless given.
    """

    n_classes: int
    n_values: int
    classes: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    counts: NDArray[Any]
    column: SensitiveColumn | None = None
    overall: NDArray[Any] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.overall is None:
            object.__setattr__(self, "overall", self.totals())

    def totals(self, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Records of each value in the chosen classes together, (n_values,)."""
        entries = slice(None) if chosen is None else chosen[self.classes]
        counts = np.bincount(self.codes[entries], weights=self.counts[entries], minlength=self.n_values)
        return counts.astype(np.int64)

    def merged(self, chosen: NDArray[np.bool_]) -> Self:
        """Return the histogram of the chosen classes as one."""
        totals = self.totals(chosen)
        codes = np.flatnonzero(totals).astype(np.uint32)
        return replace(
            self, n_classes=1, classes=np.zeros_like(codes), codes=codes, counts=totals[codes].astype(np.uint32)
        )

    def beside(self, chosen: NDArray[np.bool_], last: Histogram) -> Self:
        """Return the histogram of the chosen classes, with that of one more class at its end."""
        inside, number = chosen[self.classes], np.cumsum(chosen, dtype=np.uint32) - np.uint32(1)
        n = int(np.count_nonzero(chosen))
        return replace(
            self,
            n_classes=n + 1,
            classes=np.append(number[self.classes[inside]], np.full(len(last.codes), n, dtype=np.uint32)),
            codes=np.append(self.codes[inside], last.codes),
            counts=np.append(self.counts[inside], last.counts),
        )

    @cached_property
    def distinct(self) -> NDArray[np.int64]:
        """Number of different values in each class, (n_classes,)."""
        return np.bincount(self.classes, minlength=self.n_classes)

    @cached_property
    def largest(self) -> NDArray[np.int64]:
        """Records of the most frequent value in each class, (n_classes,)."""
        largest = np.zeros(self.n_classes, dtype=object if self.counts.dtype == object else np.int64)
        if len(self.classes):
            first = np.flatnonzero(np.diff(self.classes, prepend=self.classes[0] + np.uint32(1)))
            largest[self.classes[first]] = np.maximum.reduceat(self.counts, first)
        return largest


@dataclass(frozen=True, eq=False)
class PairHistogram(Histogram):
    """The records of each pair of person and value in each class.

    value_of, person_of (n_pairs,): the code of a pair's value, and its person.
    """

    value_of: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    person_of: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @cached_property
    def parts(self) -> Parts:
        """What each value has of each class, every person weighing one."""
        return Parts.of(
            self.classes, self.person_of[self.codes], self.value_of[self.codes], self.counts, self.n_classes
        )


@dataclass(frozen=True, eq=False)
class Crowd:
    """The persons of a population: their records in each class, and (n,) the numbers of those with records in none.

    No more persons of a class than models ask for may be listed.
    """

    inside: Histogram
    outside: NDArray[np.uint32]

    def merged(self, chosen: NDArray[np.bool_]) -> Crowd:
        """Return the chosen classes as one, and the persons outside as its own."""
        everyone = np.union1d(self.inside.codes[chosen[self.inside.classes]], self.outside).astype(np.uint32)
        one = replace(
            self.inside, n_classes=1, classes=np.zeros_like(everyone), codes=everyone, counts=np.ones_like(everyone)
        )
        return Crowd(one, everyone[:0])


@dataclass(frozen=True, eq=False)
class Classes:
    """Equivalence classes of a partition: sizes (n_classes,) and a histogram per sensitive attribute asked for.

    population (n_classes,): records of the population that fall into each class, where a model asks for them, or its
    persons where it tells them; outside: those that fall into none, because their combination has no record here.
    crowd: who these persons are, some of whom fall into several classes.
    stars: the class whose published cells are all ``*``, -1 for none: masked rows look like it.
    persons: the records of each person in each class, where records are of persons; no more of them than models ask for
    may be listed. pairs: those of each person with each value of a sensitive attribute that models take shares of;
    wholes: what each of its values has of the table that classes are compared with, every person weighing one.
    """

    sizes: NDArray[Any]
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    population: NDArray[np.int64] | None = None
    outside: int = 0
    stars: int = -1
    persons: Histogram | None = None
    pairs: Mapping[str, PairHistogram] = field(default_factory=dict)
    wholes: Mapping[str, Parts] = field(default_factory=dict)
    crowd: Crowd | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """What promises count in each class, (n_classes,): persons where records are of persons, records otherwise."""
        if self.persons is not None:
            return self.persons.distinct
        return self.sizes if self.sizes.dtype == object else self.sizes.astype(np.int64)

    def weighing_persons_alike(self, attribute: str) -> Classes:
        """Return the classes with what each value has of them in place of records, every person weighing one.

        Where nobody says of whom records are, each is one of another person. Sizes and counts are whole numbers of
        parts: 64-bit integers where they are no more than records can be, or Python's.
        """
        if self.persons is None:
            return self
        pairs, records = self.pairs[attribute], self.histograms[attribute]
        whole, parts = self.wholes[attribute], pairs.parts
        few = whole.few and parts.few
        histogram = replace(
            records,
            classes=parts.classes,
            codes=parts.codes,
            counts=parts.parts.astype(np.uint32 if few else object),
            overall=whole.of_values(records.n_values).astype(np.int64 if few else object),
        )
        return Classes(parts.wholes.astype(np.uint32 if few else object), {attribute: histogram})

    def holders(self, attribute: str) -> Histogram:
        """Return how many units of each class have each value: a person with two values counts for both."""
        if self.persons is None:
            return self.histograms[attribute]
        pairs, records = self.pairs[attribute], self.histograms[attribute]
        keys = pairs.classes.astype(np.int64) * records.n_values + pairs.value_of[pairs.codes]
        entries, counts = np.unique(keys, return_counts=True)
        classes, codes = np.divmod(entries, records.n_values)
        return replace(
            records, classes=classes.astype(np.uint32), codes=codes.astype(np.uint32), counts=counts.astype(np.uint32)
        )

    def merged(self, chosen: NDArray[np.bool_]) -> Classes:
        """Return the chosen classes as one, still compared with the same table, and the people outside as its own."""
        people, crowd = None, None if self.crowd is None else self.crowd.merged(chosen)
        if crowd is not None:
            people = crowd.inside.distinct
        elif self.population is not None:
            # Masked rows could be of anybody outside of all published classes, too.
            people = self.population[chosen].sum(keepdims=True) + self.outside
        return Classes(
            self.sizes[chosen].sum(keepdims=True, dtype=np.uint32),
            {name: histogram.merged(chosen) for name, histogram in self.histograms.items()},
            people,
            persons=None if self.persons is None else self.persons.merged(chosen),
            pairs={name: pairs.merged(chosen) for name, pairs in self.pairs.items()},
            wholes=self.wholes,
            crowd=crowd,
        )

    def compared_with(self, chosen: NDArray[np.bool_]) -> Classes:
        """Return the same classes, compared with the table that consists of the chosen ones."""
        histograms = {name: replace(h, overall=h.totals(chosen)) for name, h in self.histograms.items()}
        wholes = {name: self.pairs[name].merged(chosen).parts for name in self.wholes}
        return replace(self, histograms=histograms, wholes=wholes)
