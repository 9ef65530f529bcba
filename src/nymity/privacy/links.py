"""Linked rows: which persons can be published if everybody sees which rows are of one person.

A person is the multiset of the classes of its rows. Whoever knows some of the rows looks for the persons who have rows
in those classes, as many as were known of each. The promise of k: for every person and every multiset of at most m of
its rows there are k such persons (k^m-anonymity: Terrovitis, Mamoulis & Kalnis 2008, of multisets); with ``all`` every
person shares the whole multiset with k - 1 others.

**Which persons to publish.** If two sets of persons each keep the promise, so does their union: a multiset of rows of
a person of one of them is shared by k persons of that set, and all these are in the union. So there is a largest set
that keeps it, the union of all that do, and no other set that keeps it has a person who is not in it. Taking out
whoever breaks the promise, until nobody does, leads there in whatever order: a person of the largest set never breaks
it, because the k persons of the set who share the rows have not been taken out. Of *rows* there is no such set: of
{a, b}, {a} and {b}, with k = 2 and both rows known, one may publish both rows a, or both rows b, and not all four.

**Generalization keeps the promise.** Rows that were in one class stay in one class, so k persons who share a multiset
share what becomes of it. What a coarser node takes out every finer node takes out too, and a search may rely on that.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.kernels.links import alike, by_person, keep_linked
from nymity.table.classes import Histogram

#: How many rows of a person somebody knows: so many at most, or all of them.
Knows = int | Literal["all"]
#: As many multisets of rows are looked at, at most.
MOST_SETS = 2 * 10**8


@dataclass(frozen=True, eq=False)
class PersonRows:
    """The classes of each person's rows, as entries of a class and the rows that the person has in it.

    start (n_persons + 1,): where the entries of each person begin. classes, counts (n_entries,).
    """

    start: NDArray[np.int64]
    classes: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_classes: int

    @staticmethod
    def of(persons: Histogram) -> PersonRows:
        """Return the rows of the persons of a partition."""
        start, classes, counts = by_person(persons.classes, persons.codes, persons.counts, persons.n_values)
        return PersonRows(start, classes, counts, persons.n_classes)

    def kept(
        self, k: int, knows: Knows, *, fewest: int = 1, among: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]:
        """Return the largest set of persons that keeps the promise, (n_persons,): all others are to be left out.

        ``fewest``: every class has as many persons of the set besides. ``among``: the set is one of these persons.
        """
        kept = np.ones(len(self.start) - 1, dtype=np.bool_) if among is None else among.copy()
        left = len(kept) + 1
        while kept.sum() < left:  # each step can undo the other
            left = int(kept.sum())
            self._keep(1, max(k, fewest), kept)
            if knows == "all":
                group = alike(self.start, self.classes, self.counts, kept)
                kept[kept] = np.bincount(group[kept], minlength=1)[group[kept]] >= k
            else:
                for depth in range(2, min(knows, self.most_rows) + 1):  # what few rows rule out costs least
                    self._keep(depth, k, kept)
        return kept

    @property
    def most_rows(self) -> int:
        """How many rows the person with most of them has."""
        owner = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        return int(np.bincount(owner, self.counts).max(initial=0))

    def _keep(self, depth: int, k: int, kept: NDArray[np.bool_]) -> None:
        keep_linked(self.start, self.classes, self.counts, self.n_classes, depth, k, kept)

    def records_without(self, kept: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """Return how many rows of each class are those of persons who are not kept, (n_classes,)."""
        lost = np.repeat(~kept, np.diff(self.start))
        counts = np.bincount(self.classes[lost], weights=self.counts[lost], minlength=self.n_classes)
        return counts.astype(np.uint32)


def number_of_sets(rows: NDArray[np.int64], knows: int) -> int:
    """Return how many multisets of at most so many rows there are, of persons with these numbers of rows.

    Where rows of a person are in one class they are fewer.
    """
    sizes, persons = np.unique(rows, return_counts=True)
    of_size = (sum(comb(n, size) for size in range(1, min(knows, n) + 1)) for n in sizes.tolist())
    return sum(number * sets for number, sets in zip(persons.tolist(), of_size, strict=True))


def check_number_of_sets(where: str, rows: NDArray[np.int64], knows: Knows, whose: str = "person") -> None:
    """Refuse to look at more multisets than anybody would wait for."""
    if knows == "all" or (sets := number_of_sets(rows, knows)) <= MOST_SETS:
        return
    raise ParameterError(
        where,
        expected=f"at most {MOST_SETS:,} sets of so many records of one {whose}",
        got=f"{sets:,}, because one {whose} has up to {int(rows.max()):,} records",
        hint="know fewer records, or 'all', which takes one look at each; or publish fewer records of each",
    )
