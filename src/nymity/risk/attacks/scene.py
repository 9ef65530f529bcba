"""Scene: a release as attackers see it, beside what its custodian knows to judge them by.

The release is taken apart once: rows as classes of equal cells, what cells stand for, sensitive values by class or
bucket, and, if the original is there, who of it is in which class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.progress import Observer, silent
from nymity.privacy import PrivacyModel
from nymity.risk.attacks.released_rows import Ints, Matcher, ReleasedRows
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.classes import Histogram
from nymity.table.encoding import SensitiveColumn, codes_of, labelled
from nymity.table.hierarchy import Label
from nymity.table.partition_recoding import FreeformRecoding, SuppressedRowsRecoding
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema

#: Persons whose row is none, or whose row is one of several classes that fit.
NOT_THERE, SEVERAL = -1, -2


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """Records as they are: codes (n_columns, n) of their quasi-identifiers, -1 for values the release cannot show."""

    frame: pl.DataFrame
    codes: Ints

    def __len__(self) -> int:
        return int(self.codes.shape[1])


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueGroups:
    """How often each value of a sensitive attribute occurs among the rows that people may be.

    people (n_groups,): how many persons face each group. Groups are classes, buckets, or what fits one person.
    commonest: how often the most frequent value of all is right. holders: counted are persons, those of a group
    and those of them who have a value, and not rows: somebody with two values has both.
    """

    histogram: Histogram
    people: Ints
    exact: bool
    commonest: float
    holders: bool = False

    @property
    def column(self) -> SensitiveColumn:
        """The attribute with its labels."""
        assert self.histogram.column is not None
        return self.histogram.column

    @cached_property
    def sizes(self) -> Ints:
        """Rows of each group, (n_groups,), or persons."""
        if self.holders:
            return self.people
        entries = self.histogram
        return np.bincount(entries.classes, weights=entries.counts, minlength=entries.n_classes).astype(np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """What an attack is run on.

    kind: that of the recoding, or ``table`` where it is unknown. index: the code of each value of a quasi-identifier.
    matcher: None where nothing tells what cells stand for. people: the original's records, or such as rows can stand
    for (``drawn``). own (n_people,): the class of each person's row, by the custodian's link (``linked``) or by what
    fits. population and control: other people. earlier: another release of the same people. owners (n_people,): number
    of the person that each record is of, where the original tells; row_owners (n_rows,): the same of rows, by the link.
    """

    kind: str
    schema: Schema
    rows: ReleasedRows
    frame: pl.DataFrame
    counts: pl.DataFrame | None = None
    recoding: Recoding | None = None
    index: Mapping[str, Mapping[Label, int]] = field(default_factory=dict)
    matcher: Matcher | None = None
    people: People | None = None
    own: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    drawn: bool = False
    linked: bool = False
    population: People | None = None
    control: People | None = None
    earlier: Scene | None = None
    owners: Ints | None = None
    row_owners: Ints | None = None
    models: tuple[PrivacyModel, ...] = ()
    method: Any = None
    targets: int = 1000
    seed: int = 1
    observe: Observer = silent

    @property
    def freeform(self) -> bool:
        """Whether rows have cells of their own, so that classes mean nothing."""
        return self.kind in (FreeformRecoding.kind, SuppressedRowsRecoding.kind)

    @property
    def of_persons(self) -> bool:
        """Whether promises count persons, and rows are not as many people."""
        return self.schema.unit is not None

    @property
    def whom(self) -> str:
        """What attacks that take each record for a person count, in a word."""
        return "records" if self.of_persons else "people"

    @property
    def unit(self) -> str:
        """What promises count, in the singular."""
        return self.schema.counts[:-1]

    def random(self, key: str) -> np.random.Generator:
        """Return what an attack draws from, the same whatever other attacks are run; uniform numbers alone."""
        return np.random.Generator(np.random.PCG64([self.seed, crc32(key.encode())]))

    def drawn_from(self, key: str, among: Ints, n: int | None = None) -> Ints:
        """Draw some of these, each time from all of them."""
        places = self.random(key).random(self.targets if n is None else n) * len(among)
        return among[places.astype(np.int64)]

    @cached_property
    def present(self) -> Ints:
        """Persons who have a row."""
        return np.flatnonzero(self.own != NOT_THERE)

    @cached_property
    def masked_people(self) -> Ints:
        """Persons whose row is masked, or one of a class that looks so."""
        return np.flatnonzero((self.own == self.rows.suppressed) & (self.rows.suppressed >= 0))

    def candidates(self, people: Ints, subsets: NDArray[np.bool_] | None = None) -> tuple[Ints, NDArray[np.bool_]]:
        """Count the rows that may be a person's for someone who knows some columns, (n_people, n_subsets).

        Who fits a published combination is looked for there, and whoever fits none among the masked rows. The second
        answer says where somebody is looked for in vain: the row is masked, and the columns known fit others.
        """
        found = self._fitting(people, subsets)
        vain = (found > 0) & np.isin(people, self.masked_people)[:, None]
        if self.rows.suppressed >= 0:
            found[found == 0] = self.rows.sizes[self.rows.suppressed]
        return found, vain

    def _fitting(self, people: Ints, subsets: NDArray[np.bool_] | None) -> Ints:
        """Count the published rows that fit each person, (n_people, n_subsets)."""
        assert self.people is not None
        assert self.matcher is not None
        return self.matcher.counts(self.people.codes[:, people], self.rows.published, subsets)

    def shares(self, people: Ints, subsets: NDArray[np.bool_] | None = None) -> tuple[Ints, Ints]:
        """Return how many of the rows that may be a person's are theirs, and how many there are, (n_people, n_subsets).

        One is, or none where somebody is looked for in vain; where it is known of whom rows are, all that they have.
        """
        if self.row_owners is None:
            found, vain = self.candidates(people, subsets)
            return (~vain).astype(np.int64), found
        assert self.people is not None
        assert self.matcher is not None
        assert self.owners is not None
        known = np.ones((1, len(self.people.codes)), dtype=np.bool_) if subsets is None else subsets
        place, classes, rows = self._owned(self.owners[people])
        fits = self.matcher.fit_by_column(self.people.codes[:, people[place]], classes)
        hidden = classes == self.rows.suppressed
        found, own = self._fitting(people, subsets), np.empty((len(people), len(known)), dtype=np.int64)
        for number, columns in enumerate(known):
            among = fits[columns].all(axis=0) & ~hidden
            own[:, number] = np.bincount(place, rows * among, len(people))
        if self.rows.suppressed >= 0:  # whoever fits no published combination is looked for among the masked rows
            masked = np.bincount(place, rows * hidden, len(people)).astype(np.int64)
            own = np.where(found == 0, masked[:, None], own)
            found[found == 0] = self.rows.sizes[self.rows.suppressed]
        return own, found

    def _owned(self, owners: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the classes that each of some persons has rows in: places of persons, classes, and how many rows."""
        persons, classes, rows = self._rows_by_owner
        first, last = np.searchsorted(persons, owners), np.searchsorted(persons, owners, side="right")
        place = np.repeat(np.arange(len(owners)), last - first)
        at = np.arange(len(place)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
        at += np.repeat(first, last - first)
        return place, classes[at], rows[at]

    @cached_property
    def _rows_by_owner(self) -> tuple[Ints, Ints, Ints]:
        """Persons, in order, with the classes that they have rows in, and how many."""
        assert self.row_owners is not None
        pairs, rows = np.unique(np.stack([self.row_owners, self.rows.class_of]), axis=1, return_counts=True)
        return pairs[0], pairs[1], rows

    def drawn_records(self, key: str) -> Ints:
        """Draw people who have a row; where it is known of whom rows are, persons, and one record of each."""
        if self.owners is None or self.row_owners is None:
            return self.drawn_from(key, self.present)
        order = self.present[np.argsort(self.owners[self.present], kind="stable")]
        persons, first, records = np.unique(self.owners[order], return_index=True, return_counts=True)
        chosen = self.drawn_from(key, np.arange(len(persons)))
        which = self.random(f"{key}.records").random(len(chosen)) * records[chosen]
        return order[first[chosen] + which.astype(np.int64)]

    @cached_property
    def heaviest(self) -> Ints:
        """One record each of those with the largest shares of a class, as many as are drawn; nobody by records."""
        if self.owners is None or self.row_owners is None:
            return np.empty(0, dtype=np.int64)
        persons, classes, rows = self._rows_by_owner
        most = np.argsort(-rows / self.rows.sizes[classes], kind="stable")[: self.targets]
        width = len(self.rows.sizes)
        keys = self.owners[self.present] * width + self.own[self.present]
        order = np.argsort(keys, kind="stable")
        at = np.searchsorted(keys[order], persons[most] * width + classes[most])
        return self.present[order[at]]

    @property
    def complete(self) -> bool:
        """Whether every person of the original has a row."""
        return self.people is not None and not (self.own == NOT_THERE).any()

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes that are published."""
        known = (self.frame if self.counts is None else self.counts).columns
        return tuple(name for name in self.schema.sensitive if name in known)

    def values(self, attribute: str) -> ValueGroups:
        """Count the values of a sensitive attribute by bucket, by class, or for freeform rows by what fits a person."""
        if self.counts is not None:
            return self._by_bucket(attribute, self.counts)
        labels, codes = labelled(self.frame[attribute])
        if self.row_owners is not None and not self.freeform:
            return self._by_holder(attribute, labels, codes, self.row_owners)
        entries = _counted(self.rows.class_of, codes, np.ones(len(codes), dtype=np.int64))
        n = len(self.rows.sizes)
        if not self.freeform:
            return self._groups(attribute, labels, entries, n, self.rows.sizes, exact=True)
        assert self.matcher is not None
        assert self.people is not None
        chosen = self.drawn_from("values", np.flatnonzero(self.own != NOT_THERE))
        fits = np.empty((len(chosen), len(labels)), dtype=np.int64)  # rows of each value that fit each person
        for value in range(len(labels)):
            weights = np.bincount(entries[0][entries[1] == value], entries[2][entries[1] == value], n).astype(np.int64)
            fits[:, value] = self.matcher.counts(self.people.codes[:, chosen], weights)[:, 0]
        person, value_of = np.nonzero(fits)
        found = (person, value_of, fits[person, value_of])
        return self._groups(attribute, labels, found, len(chosen), np.ones(len(chosen), dtype=np.int64), exact=False)

    def _by_holder(self, attribute: str, labels: tuple[Label, ...], codes: Ints, owners: Ints) -> ValueGroups:
        """Count the persons of each class, and those of them who have each value."""
        n = len(self.rows.sizes)
        has = np.unique(np.stack([self.rows.class_of, owners, codes]), axis=1)
        inside = np.unique(has[:2], axis=1)[0]
        entries = _counted(has[0], has[2], np.ones(has.shape[1], dtype=np.int64))
        people = np.bincount(inside, minlength=n).astype(np.int64)
        found = self._groups(attribute, labels, entries, n, people, exact=True)
        most = found.column.totals.max(initial=0)  # of guesses that do not know the class
        return replace(found, holders=True, commonest=float(most / max(int(people.sum()), 1)))

    def joint_values(self, names: Sequence[str]) -> tuple[Ints, list[tuple[Label, ...]]]:
        """Number the combinations of some columns of the rows, and list them."""
        columns = [labelled(self.frame[name]) for name in names]
        rows = np.stack([numbers for _, numbers in columns])
        different, place = np.unique(rows, axis=1, return_inverse=True)
        listed = [tuple(labels[i] for (labels, _), i in zip(columns, row, strict=True)) for row in different.T]
        return place.reshape(-1), listed

    def _by_bucket(self, attribute: str, counts: pl.DataFrame) -> ValueGroups:
        labels, codes = labelled(counts[attribute])
        _, bucket = labelled(counts[BUCKET])
        entries = _counted(bucket, codes, counts[COUNT].to_numpy().astype(np.int64))
        n = int(bucket.max(initial=-1)) + 1
        sizes = np.bincount(entries[0], weights=entries[2], minlength=n).astype(np.int64)
        return self._groups(attribute, labels, entries, n, sizes, exact=True)

    def _groups(
        self,
        attribute: str,
        labels: tuple[Label, ...],
        entries: tuple[Ints, Ints, Ints],
        n: int,
        people: Ints,
        *,
        exact: bool,
    ) -> ValueGroups:
        group, code, count = (part.astype(np.uint32) for part in entries)
        source = self.schema[attribute].hierarchy
        tree = None if source is None else source.build(pl.Series(labels, dtype=pl.String), where=attribute)
        column = SensitiveColumn(labels, group, code, count, tree)
        histogram = Histogram(n, len(labels), group, code, count, column)
        rows = column.totals if exact else self.frame[attribute].value_counts()["count"].to_numpy()
        commonest = float(rows.max(initial=0) / max(int(rows.sum()), 1))
        return ValueGroups(histogram=histogram, people=people, exact=exact, commonest=commonest)


def drawn_codes(scene: Scene, rows: Ints, key: str) -> Ints:
    """Draw for each of some rows a value that its cell stands for in every column, (n_columns, n_rows)."""
    assert scene.matcher is not None
    random, codes = scene.random(key), np.empty((len(scene.rows.labels), len(rows)), dtype=np.int64)
    for a, cells in enumerate(scene.matcher.cells.values()):
        cell = scene.rows.cell_of[a, scene.rows.class_of[rows]]
        codes[a] = cells.covered[cells.starts[cell] + (random.random(len(rows)) * cells.sizes[cell]).astype(np.int64)]
    return codes


def coded(frame: pl.DataFrame, index: Mapping[str, Mapping[Label, int]]) -> People:
    """Translate records to codes."""
    codes = [codes_of(frame[name], None, known).astype(np.int64) for name, known in index.items()]
    return People(frame=frame, codes=np.stack(codes))


def _counted(group: Ints, codes: Ints, counts: Ints) -> tuple[Ints, Ints, Ints]:
    """Sum up (group, code, count), in order of group and code."""
    width = int(codes.max(initial=0)) + 1
    keys, place = np.unique(group * width + codes, return_inverse=True)
    return keys // width, keys % width, np.bincount(place, weights=counts).astype(np.int64)
