"""Intersecting releases: who shares all classes with whom.

In a release j, C_j(p) are the people who can be p for anyone who knows p's quasi-identifiers: those whose rows look
like p's, masked rows being one class; in a bucketized release the people of p's bucket; in a freeform one, where every
row has cells of its own, the people whose rows fit p. Whoever is known to be in several releases can only be one of

    group(p) = the intersection of C_j(p) over the releases j that p is in
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.risk.attacks.released_rows import Matcher, ReleasedRows
from nymity.risk.attacks.scene import coded
from nymity.risk.shared_classes import ABSENT, sharing, sharing_exactly, values_left
from nymity.table.bucket_recoding import BUCKET
from nymity.table.encoding import person_ids
from nymity.table.published_cells import by_recoding
from nymity.table.recoding import Recoding
from nymity.table.text import as_text

Ints = NDArray[np.int64]

#: People that are compared with everybody in one go, where rows have cells of their own.
_AT_A_TIME = 256


@dataclass(frozen=True, kw_only=True)
class Left:
    """What is left for the people of a release who are in earlier ones too.

    people: how many they are. smallest_group: the fewest people who share all classes of one of them. alone: what the
    new release promises by itself, or has where it promises no number. below: how many have a smaller group than that.
    newcomers: the fewest people alike for who also knows in which releases somebody is not. fewest_values: by sensitive
    column, the fewest values that all classes of somebody have. certain: how many people have one value left there, and
    had more in this release alone.
    """

    people: int
    smallest_group: int | None
    alone: int
    below: int
    newcomers: int
    fewest_values: dict[str, int]
    certain: dict[str, int]


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedRows:
    """The rows of a release with the records they are of: source_rows (n_rows,) are rows of ``source``.

    quasi: the columns whose cells make classes; counts: the sensitive values of buckets.
    """

    frame: pl.DataFrame
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    source: pl.DataFrame
    source_rows: Ints
    recoding: Recoding
    counts: pl.DataFrame | None = None

    @cached_property
    def classes(self) -> ReleasedRows:
        """Rows that look alike, or that are of one bucket."""
        return ReleasedRows.of(self.frame, self.quasi if self.counts is None else [BUCKET])

    def people(self, person: str | None) -> list[Any]:
        """Return whose each row is: the value of the column ``person``, or the number of the record."""
        if person is None:
            return list(self.source_rows.tolist())
        names = person_ids(self.source[person])[self.source_rows].to_list()
        return [name or object() for name in names]  # who has no name is nobody else

    def values(self, attribute: str) -> list[set[Any]]:
        """Return the values of a sensitive attribute that each class has."""
        found: list[set[Any]] = [set() for _ in self.classes.sizes]
        if self.counts is None:
            pairs = zip(self.classes.class_of.tolist(), as_text(self.frame[attribute]).to_list(), strict=True)
        else:
            number = {label: n for n, label in enumerate(self.classes.labels[BUCKET])}
            of_cell = np.argsort(self.classes.cell_of[0])
            buckets = [int(of_cell[number[bucket]]) for bucket in as_text(self.counts[BUCKET]).to_list()]
            pairs = zip(buckets, as_text(self.counts[attribute]).to_list(), strict=True)
        for group, value in pairs:
            found[group].add(value)
        return found

    @property
    def published_values(self) -> tuple[str, ...]:
        """The sensitive columns that can be seen."""
        held = self.frame if self.counts is None else self.counts
        return tuple(name for name in self.sensitive if name in held.columns)

    @cached_property
    def covers(self) -> list[NDArray[np.bool_]]:
        """By quasi-identifier, which raw value is covered by which row's cell, (n_values, n_rows)."""
        matcher = Matcher.of(self.classes, by_recoding(self.recoding))
        found = []
        for a, (name, cells) in enumerate(matcher.cells.items()):
            by_label = np.zeros((self.recoding.hierarchies[name].domain_size, len(cells.labels)), dtype=np.bool_)
            by_label[cells.covered, np.repeat(np.arange(len(cells.labels)), cells.sizes)] = True
            found.append(by_label[:, self.classes.cell_of[a][self.classes.class_of]])
        return found

    @cached_property
    def codes(self) -> Ints:
        """Raw values of the record of each row, (n_quasi, n_rows)."""
        index = {name: self.recoding.hierarchies[name].index for name in self.quasi}
        return coded(self.source[self.source_rows], index).codes


def intersect(new: LinkedRows, earlier: Sequence[LinkedRows], person: str | None, promised: int) -> Left:
    """Measure what is left for the people of ``new`` when all these releases are known."""
    releases = [new, *earlier]
    owners = [release.people(person) for release in releases]
    number = {one: n for n, one in enumerate(dict.fromkeys(owners[0]))}  # only people of the new release matter
    # (n_rows,) of each release: the number of whom a row is of
    known = [np.array([number.get(one, ABSENT) for one in rows], dtype=np.int64) for rows in owners]
    # (n_releases, n_people)
    places = np.stack([_places(r.classes.class_of, who, len(number)) for r, who in zip(releases, known, strict=True)])
    if all(release.recoding.has_classes for release in releases):
        groups, exactly = sharing(places), sharing_exactly(places)
    else:
        groups, exactly = _sharing_rows(releases, known, places)
    # (n_people,): who is in any earlier release
    before = (places[1:] != ABSENT).any(axis=0)
    # Where no class has a least size, what it has: an intersection may leave less than that.
    alone = promised if promised > 1 else int(sharing(places[:1]).min(initial=len(number)))
    fewest, certain = ({}, {}) if person is not None else _values(releases, places[:, before])
    return Left(
        people=int(before.sum()),
        smallest_group=int(groups[before].min()) if before.any() else None,
        alone=alone,
        below=int((groups[before] < alone).sum()),
        newcomers=int(exactly.min(initial=len(number))),
        fewest_values=fewest,
        certain=certain,
    )


def _places(class_of: Ints, people: Ints, n: int) -> Ints:
    """Return the class of each person, (n_people,); one number for all classes of a person with several rows."""
    mine = people != ABSENT
    rows = pl.DataFrame({"person": people[mine], "class": class_of[mine]}).sort("person", "class")
    if rows["person"].is_unique().all():
        places = np.full(n, ABSENT, dtype=np.int64)
        places[rows["person"].to_numpy()] = rows["class"].to_numpy()
        return places
    # Sorted above, so that equal sets of classes are equal tuples.
    several = rows.group_by("person").agg(pl.col("class"))
    number: dict[tuple[int, ...], int] = {}
    places = np.full(n, ABSENT, dtype=np.int64)
    for one, classes in several.iter_rows():
        places[one] = number.setdefault(tuple(classes), len(number))
    return places


def _sharing_rows(releases: Sequence[LinkedRows], known: Sequence[Ints], places: Ints) -> tuple[Ints, Ints]:
    """Count as :func:`sharing` and :func:`sharing_exactly` do, where in some release rows have cells of their own."""
    n = places.shape[1]
    groups, exactly = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for start in range(0, n, _AT_A_TIME):
        some = np.arange(start, min(start + _AT_A_TIME, n))
        # (some, people): still alike after the releases so far; who is not in a release tells nothing by it
        alike = np.ones((len(some), n), dtype=np.bool_)
        same = np.ones((len(some), n), dtype=np.bool_)  # in or out of the same releases
        for release, people, place in zip(releases, known, places, strict=True):
            there = place[some] != ABSENT
            if release.recoding.has_classes:
                here = place[some][:, None] == place[None, :]
            else:
                here = _fitting(release, people, some, n)
            alike &= here | ~there[:, None]
            same &= there[:, None] == (place != ABSENT)[None, :]
        groups[some], exactly[some] = alike.sum(axis=1), (alike & same).sum(axis=1)
    return groups, exactly


def _fitting(release: LinkedRows, people: Ints, some: Ints, n: int) -> NDArray[np.bool_]:
    """Return for some people whose rows fit all of their records, (n_some, n_people)."""
    # (n_mine,): the rows of these people
    mine = np.flatnonzero(np.isin(people, some))
    fits = np.ones((len(mine), len(people)), dtype=np.bool_)
    for covers, codes in zip(release.covers, release.codes, strict=True):
        fits &= covers[codes[mine]]
    owned = people != ABSENT
    # (n_mine, n_people): a row of somebody fits if any of theirs does
    by_owner = np.zeros((len(mine), n), dtype=np.bool_)
    np.logical_or.at(by_owner.T, people[owned], fits[:, owned].T)
    # (n_some, n_people): all rows of somebody must be fitted
    found = np.ones((len(some), n), dtype=np.bool_)
    np.logical_and.at(found, people[mine] - some[0], by_owner)
    return found


def _values(releases: Sequence[LinkedRows], places: Ints) -> tuple[dict[str, int], dict[str, int]]:
    """Return ``fewest_values`` and ``certain`` of people with these classes, (n_releases, n_people)."""
    fewest: dict[str, int] = {}
    certain: dict[str, int] = {}
    if not places.size or not all(release.recoding.has_classes for release in releases):
        return fewest, certain
    combinations, people = np.unique(places, axis=1, return_counts=True)
    for name in releases[0].published_values:
        if not all(name in release.published_values for release in releases):
            continue
        held = [release.values(name) for release in releases]
        left = [
            len(values_left([held[j][place] for j, place in enumerate(row) if place != ABSENT]))
            for row in combinations.T
        ]
        alone = [len(held[0][row[0]]) for row in combinations.T]
        fewest[name] = min(left)
        # Those who had several possible values in this release alone, and have one together with the others.
        certain[name] = sum(int(n) for n, one, own in zip(people, left, alone, strict=True) if one == 1 < own)
    return fewest, certain
