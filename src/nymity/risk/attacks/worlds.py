"""Worlds: every way to give the sensitive values of a release to the people, as far as its cells allow.

A world says who has which values. Which row is whose is not part of it: where cells fit several people, one world may
stand for many ways to match people and rows. People who fit no published row were removed, and may have any value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from nymity.risk.attacks.contract import CannotRunError
from nymity.risk.attacks.enumerated import TooManyWaysError
from nymity.risk.attacks.replay import Row, as_rows
from nymity.risk.attacks.scene import Scene
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.level_recoding import LevelRecoding

#: Steps of a search for worlds after which there are too many, and people for whom one is begun.
_STEPS, _PEOPLE = 2 * 10**5, 400

#: The place of everybody whose record was removed.
REMOVED = -1


@dataclass(frozen=True, eq=False)
class Worlds:
    """The worlds that fit a release.

    values: the different combinations of sensitive values of the original; a world is the number of one for each
    person. stock: the values of each class or bucket. room: how many rows of each bucket have which quasi-identifiers.
    """

    scene: Scene
    values: tuple[Row, ...]
    truth: tuple[int, ...]
    stock: tuple[Counter[int], ...]
    room: Counter[tuple[Row, int]] | None

    @staticmethod
    def of(scene: Scene) -> Worlds:
        """Read off a release who may have which values."""
        assert scene.people is not None
        own = as_rows(scene.people.frame, scene.sensitive)
        values = tuple(dict.fromkeys(own))
        number = {row: at for at, row in enumerate(values)}
        stock, room = _bucket_stock(scene, number) if scene.counts is not None else (_class_stock(scene, number), None)
        return Worlds(scene, values, tuple(number[row] for row in own), stock, room)

    @cached_property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """For each person the classes, or buckets, that fit."""
        return _class_places(self.scene) if self.room is None else _bucket_places(self.scene, self.room)

    @property
    def removed(self) -> int:
        """How many records were removed."""
        return sum(fits == (REMOVED,) for fits in self.places)

    @property
    def people(self) -> pl.DataFrame:
        """Everybody's quasi-identifiers."""
        assert self.scene.people is not None
        return pl.DataFrame({name: self.scene.people.frame[name] for name in self.scene.schema.quasi})

    @cached_property
    def quasi(self) -> list[Row]:
        """Everybody's quasi-identifiers as text."""
        return as_rows(self.people, self.scene.schema.quasi)

    def table(self, world: tuple[int, ...]) -> pl.DataFrame:
        """Return the table of a world, its columns of the types of the original's."""
        assert self.scene.people is not None
        if not self.scene.sensitive:
            return self.people
        first = {value: person for person, value in reversed(list(enumerate(self.truth)))}
        sources = np.array([first[value] for value in world], dtype=np.int64)
        sensitive = pl.DataFrame({name: self.scene.people.frame[name] for name in self.scene.sensitive})
        return pl.concat([self.people, sensitive[sources]], how="horizontal")

    def every(self, most: int) -> list[tuple[int, ...]]:
        """Return all worlds, up to so many."""
        if len(self.truth) > _PEOPLE:
            raise TooManyWaysError
        if self.removed + sum(sum(own.values()) for own in self.stock) != len(self.truth):
            raise CannotRunError("people and rows do not match: some fit no row and were not removed")
        found: dict[tuple[int, ...], None] = {}
        for world in self._matched():
            found[world] = None
            if len(found) > most:
                raise TooManyWaysError
        return list(found)

    def _matched(self) -> Iterator[tuple[int, ...]]:
        """Yield the world of every way to give people places and values; the same world may come several times."""
        stock = [Counter(own) for own in self.stock]
        room = None if self.room is None else Counter(self.room)
        world, steps = [0] * len(self.truth), 0

        def extend(person: int) -> Iterator[tuple[int, ...]]:
            nonlocal steps
            steps += 1
            # The number of ways grows exponentially; nobody waits for them, and an answer from some of them would be
            # wrong.
            if steps > _STEPS:
                raise TooManyWaysError
            if person == len(world):
                yield tuple(world)
                return
            for place in self.places[person]:
                if place == REMOVED:
                    for value in range(len(self.values)):
                        world[person] = value
                        yield from extend(person + 1)
                    continue
                seat = (self.quasi[person], place)
                if room is not None:
                    if not room[seat]:
                        continue
                    room[seat] -= 1
                for value, left in list(stock[place].items()):
                    if left:
                        stock[place][value] -= 1
                        world[person] = value
                        yield from extend(person + 1)
                        stock[place][value] += 1
                if room is not None:
                    room[seat] += 1

        yield from extend(0)


def _class_stock(scene: Scene, number: dict[Row, int]) -> tuple[Counter[int], ...]:
    stock = tuple(Counter[int]() for _ in scene.rows.sizes)
    for place, row in zip(scene.rows.class_of.tolist(), as_rows(scene.frame, scene.sensitive), strict=True):
        if row not in number:
            raise CannotRunError("the release has sensitive values that the original does not have")
        stock[place][number[row]] += 1
    return stock


def _class_places(scene: Scene) -> tuple[tuple[int, ...], ...]:
    """Return the classes that fit each person.

    Full-domain recoding masks or removes whole classes, so that whoever fits a published one is in it.
    """
    assert scene.people is not None
    fits, masked = fitting(scene), scene.rows.suppressed
    by_class = levels_alone(scene)
    places = []
    for person in fits.T:
        own = np.flatnonzero(person).tolist()
        if masked >= 0 and by_class and len(own) > 1:
            own.remove(masked)
        places.append(tuple(own) or (REMOVED,))
    return tuple(places)


def fitting(scene: Scene) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return which classes fit which people, (n_classes, n_people); masked rows fit everybody."""
    assert scene.people is not None
    assert scene.matcher is not None
    codes = scene.people.codes
    n = codes.shape[1]
    return np.stack([scene.matcher.fit(codes, np.full(n, place)) for place in range(len(scene.rows.sizes))])


def levels_alone(scene: Scene) -> bool:
    """Return whether a release was made by levels, which draw nothing; a table alone is judged by its method."""
    kind = scene.kind if scene.kind != "table" or scene.method is None else scene.method.makes.kind
    return bool(kind == LevelRecoding.kind)


def _bucket_stock(scene: Scene, number: dict[Row, int]) -> tuple[tuple[Counter[int], ...], Counter[tuple[Row, int]]]:
    assert scene.counts is not None
    ids = {bucket: at for at, bucket in enumerate(sorted(set(as_rows(scene.frame, [BUCKET])), key=str))}
    stock = tuple(Counter[int]() for _ in ids)
    counts = scene.counts
    for bucket, row, records in zip(
        as_rows(counts, [BUCKET]), as_rows(counts, scene.sensitive), counts[COUNT].to_list(), strict=True
    ):
        if row not in number:
            raise CannotRunError("the release has sensitive values that the original does not have")
        stock[ids[bucket]][number[row]] += records
    names = scene.schema.quasi
    pairs = zip(as_rows(scene.frame, names), as_rows(scene.frame, [BUCKET]), strict=True)
    return stock, Counter((quasi, ids[bucket]) for quasi, bucket in pairs)


def _bucket_places(scene: Scene, room: Counter[tuple[Row, int]]) -> tuple[tuple[int, ...], ...]:
    assert scene.people is not None
    buckets: dict[Row, list[int]] = {}
    for quasi, bucket in room:
        buckets.setdefault(quasi, []).append(bucket)
    return tuple(tuple(buckets.get(quasi, [REMOVED])) for quasi in as_rows(scene.people.frame, scene.schema.quasi))
