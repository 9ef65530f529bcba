"""PartitionProblem: the records to partition, and what a class of them must keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.draws import Draws, KeyedDraws
from nymity.kernels.grouping import histograms as count_values
from nymity.partition.attributes import AttributeLayout, geometry_of
from nymity.partition.geometry import Geometry
from nymity.privacy import PrivacyModel
from nymity.privacy.decision import accepted, decide
from nymity.table.classes import NOTHING, Classes, Histogram, PairHistogram
from nymity.table.encoding import EncodedTable
from nymity.table.partition_recoding import EQUAL_RECORDS as EQUAL_RECORDS
from nymity.table.partition_recoding import Quotas

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PartitionProblem:
    """A table laid out for partitioning, with the models its classes must keep."""

    table: EncodedTable
    attributes: tuple[AttributeLayout, ...]
    models: tuple[PrivacyModel, ...]
    draws: Draws

    @property
    def k(self) -> int:
        """No class may have fewer records."""
        return max((model.smallest_class for model in self.models), default=1)

    @property
    def size_only(self) -> bool:
        """Whether having k records is all a class needs."""
        return self.table.persons is None and all(model.size_only for model in self.models)

    @property
    def looks_at_values(self) -> bool:
        """Whether a model asks for sensitive values."""
        return any(model.sensitive for model in self.models)

    @cached_property
    def profile_of_records(self) -> Ints:
        """The profile of each record, (n,), in the order of combinations, those of one combination in drawn order.

        A record is its place in this order. Methods tell records apart by their places alone, and places by the
        quasi-identifiers that lie there. So what a method decides without asking a model is a function of the
        quasi-identifiers, and every order of the people with equal ones is as likely as any other: given a class,
        whoever could be in it is so with the same probability, whatever sensitive value that is.
        """
        profiles = self.table.profiles
        records = np.repeat(np.arange(len(profiles.counts)), profiles.counts)
        records = records[self.draws.permutation(EQUAL_RECORDS, len(records))]
        return records[np.argsort(profiles.combination[records], kind="stable")]

    @cached_property
    def geometry(self) -> Geometry:
        """The records as points, in the order of :attr:`profile_of_records`."""
        combinations = self.table.combinations[self.table.profiles.combination[self.profile_of_records]]
        return geometry_of(self.attributes, combinations.astype(np.int64))

    def accepts(self, records: Ints) -> bool:
        """Return whether a class of these records keeps every promise about single classes."""
        profiles, counts = np.unique(self.profile_of_records[records], return_counts=True)
        one = Assignment(self, profiles, np.zeros(len(profiles), dtype=np.int64), counts.astype(np.int64))
        return bool(accepted(one.as_classes(), self.models)[0])

    def quotas(self, profiles: Ints, classes: Ints, records: Ints) -> Quotas:
        """Return who belongs to which class where so many records of these profiles do; who is who stays drawn."""
        table = self.table
        return Quotas(
            codes=table.combinations[table.profiles.combination[profiles]].astype(np.int64),
            sensitive=table.profiles.sensitive[profiles],
            labels={name: column.labels for name, column in table.sensitive.items()},
            classes=classes,
            records=records,
        )

    def assignment(self, class_of_records: Ints) -> Assignment:
        """Count the records of each profile in each class."""
        n_classes = int(class_of_records.max()) + 1
        pairs, records = np.unique(self.profile_of_records * n_classes + class_of_records, return_counts=True)
        profiles, classes = np.divmod(pairs, n_classes)
        return Assignment(self, profiles, classes, records.astype(np.int64), class_of_records)

    def assignment_of_combinations(self, class_of_combinations: Ints) -> Assignment:
        """Put all records of a combination into one class."""
        profiles = self.table.profiles
        everyone = np.arange(len(profiles.counts))
        return Assignment(self, everyone, class_of_combinations[profiles.combination], profiles.counts)


@dataclass(frozen=True, eq=False)
class ClassValues:
    """The different values of an attribute in each class.

    ranks: those of a class ascending, one class after another; starts (n_classes + 1,): where those of each begin.
    ``size``: how many values the attribute has.
    """

    ranks: Ints
    starts: Ints
    size: int

    @staticmethod
    def of(ranks: Ints, classes: Ints, size: int) -> ClassValues:
        """Take them from the value and the class of each record, or of each different one, (n,)."""
        bits = size.bit_length()
        # pairs (n,): class and rank in one word, so that one sort brings equal values of a class together.
        pairs: NDArray[np.integer[Any]] = classes << bits | ranks
        if int(classes.max()) < 2 ** (32 - bits):
            pairs = pairs.astype(np.uint32)  # sorted in half the time
        pairs = np.sort(pairs)
        different = pairs[np.append(True, pairs[1:] != pairs[:-1])].astype(np.int64)
        starts = np.append(0, np.cumsum(np.bincount(different >> bits)))
        return ClassValues(different & ((1 << bits) - 1), starts, size)

    @property
    def lowest(self) -> Ints:
        """The first value of each class."""
        return self.ranks[self.starts[:-1]]

    @property
    def highest(self) -> Ints:
        """The last value of each class."""
        return self.ranks[self.starts[1:] - 1]


@dataclass(frozen=True, eq=False)
class Assignment:
    """How many records of which profile belong to which class: profiles, classes, records (n_entries,).

    places (n,): the class of each record; None where all records of a profile are in one class.
    """

    problem: PartitionProblem
    profiles: Ints
    classes: Ints
    records: Ints
    places: Ints | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.classes.max()) + 1

    @cached_property
    def combinations(self) -> Ints:
        """Raw values of each entry, (n_entries, m), those of an attribute one after another."""
        table = self.problem.table
        return table.combinations[table.profiles.combination[self.profiles]].astype(np.int64, order="F")

    @property
    def divides(self) -> bool:
        """Whether records of one combination are in several classes."""
        combination = self.problem.table.profiles.combination[self.profiles]
        one_of = np.zeros(len(self.problem.table.counts), dtype=np.int64)
        one_of[combination] = self.classes
        return bool((one_of[combination] != self.classes).any())

    def class_of_records(self) -> Ints:
        """The class of each record, in the order of the problem's records.

        Not from the counts: whatever order told records of a profile apart there would be one of sensitive values.
        """
        if self.places is not None:
            return self.places
        class_of_profile = np.empty(len(self.problem.table.profiles.counts), dtype=np.int64)
        class_of_profile[self.profiles] = self.classes
        return class_of_profile[self.problem.profile_of_records]

    def as_classes(self) -> Classes:
        """Return the classes as models see them."""
        table, n = self.problem.table, self.n_classes
        sizes = np.bincount(self.classes, weights=self.records, minlength=n).astype(np.uint32)
        needed = dict.fromkeys(name for model in self.problem.models for name in model.sensitive)
        histograms = {}
        for name in needed:
            column, at = table.sensitive[name], list(table.sensitive).index(name)
            values = table.profiles.sensitive[self.profiles, at].astype(np.uint32)
            owner, codes, counts = count_values(
                self.classes.astype(np.uint32), n, values, self.records.astype(np.uint32), len(column.labels)
            )
            histograms[name] = Histogram(n, len(column.labels), owner, codes, counts, column, column.totals)
        return replace(Classes(sizes, histograms), **self._persons(n))

    def _persons(self, n: int) -> dict[str, Any]:
        """Return who has records in each class, and who has which value there, where records are of persons."""
        persons, person = self.problem.table.persons, self.problem.table.profiles.person
        if persons is None or person is None:
            return {}
        who = persons.person_of[person[self.profiles]]
        pairs = {}
        for name in dict.fromkeys(name for model in self.problem.models for name in model.sensitive):
            at, n_values = (
                list(self.problem.table.sensitive).index(name),
                len(self.problem.table.sensitive[name].labels),
            )
            values = self.problem.table.profiles.sensitive[self.profiles, at]
            found, pair = np.unique(who * n_values + values, return_inverse=True)
            pairs[name] = PairHistogram(**self._histogram(n, pair, len(found)), value_of=found % n_values)
        return {"persons": Histogram(**self._histogram(n, who, persons.n_persons)), "pairs": pairs}

    def _histogram(self, n: int, codes: Ints, size: int) -> dict[str, Any]:
        """Count codes of entries in each class; classes are compared with the whole table by values alone."""
        records = self.records.astype(np.uint32)
        owner, found, counts = count_values(self.classes.astype(np.uint32), n, codes.astype(np.uint32), records, size)
        return {
            "n_classes": n,
            "n_values": size,
            "classes": owner,
            "codes": found,
            "counts": counts,
            "overall": NOTHING,
        }

    def accepted(self) -> NDArray[np.bool_]:
        """Return which classes keep every promise, all records being published."""
        return decide(self.as_classes(), self.problem.models, "keep").published

    def merged(self, into: Ints) -> Assignment:
        """Renumber classes, putting some together: ``into`` (n_classes,) is the new number of each."""
        places = None if self.places is None else into[self.places]
        return Assignment(self.problem, self.profiles, into[self.classes], self.records, places)

    @cached_property
    def values(self) -> tuple[ClassValues, ...]:
        """The different values of each class, per attribute."""
        return tuple(
            ClassValues.of(attribute.rank[self.combinations[:, a]], self.classes, len(attribute.occurring))
            for a, attribute in enumerate(self.problem.attributes)
        )

    def loss(self) -> float:
        """Return the width of all cells, summed over records and attributes."""
        total, sizes = 0.0, np.bincount(self.classes, weights=self.records)
        for attribute, values in zip(self.problem.attributes, self.values, strict=True):
            if attribute.is_set:
                different = np.diff(values.starts)
                widths = np.where(different > 1, np.minimum(different, attribute.limit), 0)
            else:
                widths = attribute.position[values.highest] - attribute.position[values.lowest]
            total += float(attribute.scale * (widths @ sizes))
        return total


def problem_of(
    table: EncodedTable,
    attributes: Sequence[AttributeLayout],
    models: Sequence[PrivacyModel],
    draws: Draws | None = None,
) -> PartitionProblem:
    """Put a problem together; without ``draws`` they are from a new key."""
    return PartitionProblem(table, tuple(attributes), tuple(models), draws or KeyedDraws.fresh())
