"""Parts: what each value has of a class where every person weighs one, whatever the number of its records.

With n_p the records of a person p in a class C, n_ps those of them with value s, and P(C) its persons, a value has

    q_s(C) = (1 / |P(C)|) sum over p of n_ps / n_p.

Models decide exactly, so shares are whole numbers of parts: with L the least common multiple of the n_p of a class,
p gives n_ps L / n_p of its L parts to s, and the class has |P(C)| L.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.different import different

#: A class has at most as many parts as it may have records, so that whoever computes with those can with parts.
MAX_PARTS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of each value in each class, as the entries that are not zero, and of each class.

    classes, codes, parts (n_entries,): entries of a class are adjacent. wholes (n_classes,). They are 64-bit integers
    where no class has more than ``MAX_PARTS``, and Python's otherwise: sixty persons with 1 to 60 records have 10**26.
    """

    classes: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    parts: NDArray[Any]
    wholes: NDArray[Any]

    @property
    def few(self) -> bool:
        """Whether they are 64-bit integers."""
        return self.wholes.dtype != object

    def of_values(self, n_values: int) -> NDArray[Any]:
        """Return the parts of each value, (n_values,), where there is one class."""
        found = np.zeros(n_values, dtype=self.parts.dtype)
        found[self.codes] = self.parts
        return found

    @staticmethod
    def of(
        classes: NDArray[np.uint32],
        persons: NDArray[np.int64],
        codes: NDArray[np.int64],
        counts: NDArray[np.uint32],
        n_classes: int,
    ) -> Parts:
        """Weigh the records of each class, person and value, (n_entries,); each of these once."""
        order = np.argsort(classes.astype(np.int64) * (int(persons.max(initial=0)) + 1) + persons, kind="stable")
        owner, records = classes[order].astype(np.int64), counts[order].astype(np.int64)
        first = _firsts(owner, persons[order])
        of_person = np.add.reduceat(records, first) if len(first) else records  # n_p
        units = np.bincount(owner[first], minlength=n_classes)
        multiples = _multiples(owner[first], of_person, n_classes)
        if multiples.dtype != object and int((units * multiples).max(initial=0)) > MAX_PARTS:
            multiples = multiples.astype(object)
        # persons with as many records are summed before they are weighed: products of Python's integers take long
        of_entry = np.repeat(of_person, np.diff(first, append=len(owner)))
        value = owner * (int(codes.max(initial=0)) + 1) + codes[order]
        by_value = np.lexsort((of_entry, value))
        value, of_entry, order = value[by_value], of_entry[by_value], order[by_value]
        alike = _firsts(value, of_entry)
        records = np.add.reduceat(records[by_value], alike) if len(alike) else records
        parts = records * (multiples[classes[order[alike]]] // of_entry[alike])
        first = _firsts(value[alike], value[alike])
        order = order[alike][first]
        return Parts(
            classes[order].astype(np.uint32),
            codes[order].astype(np.uint32),
            np.add.reduceat(parts, first) if len(first) else parts,
            units.astype(multiples.dtype) * multiples,
        )


def _multiples(classes: NDArray[np.int64], records: NDArray[np.int64], n_classes: int) -> NDArray[Any]:
    """Return the least common multiple of the records that persons have in each class, (n_classes,); 1 for none."""
    most = int(records.max(initial=0)) + 1
    found = different(classes * most + records)  # few: persons with the same number of records add nothing
    classes, numbers = found // most, found % most
    few = lcm(*different(numbers).tolist()) <= MAX_PARTS
    multiples = np.ones(n_classes, dtype=np.int64 if few else object)
    first = _firsts(classes, classes)
    if len(first):
        multiples[classes[first]] = np.lcm.reduceat(numbers.astype(multiples.dtype), first)
    return multiples


def _firsts(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where runs of equal pairs begin."""
    return np.flatnonzero(np.append(True, (one[1:] != one[:-1]) | (other[1:] != other[:-1]))[: len(one)])
