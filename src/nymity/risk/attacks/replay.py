"""Replay: with which probability a method publishes just this release from another table.

Whoever knows how a release was made can try tables out. One from which the method would publish something else cannot
be the source (Wong, Fu, Wang and Pei 2007); where the method draws, one from which it publishes this release more often
is the likelier source (Cormode, Srivastava, Li and Li 2010).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from nymity.core.draws import Draws
from nymity.core.errors import InputError, NoSolutionError
from nymity.partition.problem import EQUAL_RECORDS
from nymity.risk.attacks.enumerated import MakeOrders, Orders, TooManyWaysError, all_alike, every_way
from nymity.risk.attacks.scene import Scene
from nymity.table.bucket_recoding import BUCKET, MEMBERS
from nymity.table.content_order import content_order
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Label
from nymity.table.partition_recoding import PLACES
from nymity.table.recoding import Recoded
from nymity.table.sampled_persons import SampledPersonsRecoding
from nymity.table.sampled_recoding import SampledRecoding
from nymity.table.schema import Schema
from nymity.table.text import as_text
from nymity.utility.released import Released

Row = tuple[Label, ...]

#: Why a release is not attacked that no table can have come from.
OF_NO_TABLE = (
    "the method publishes this release from none of the tables that fit it: it stopped at a time limit, or method, "
    "promises or hierarchies are not those of the release"
)


@dataclass(frozen=True)
class Likelihood:
    """The probability that a table is published as this release, and how its records then fare.

    ``rows``: by record (quasi-identifiers and sensitive values), with which probability it is published with which
    cells *and* the release is this one, summed over equal records.
    """

    chance: Fraction
    rows: Mapping[Row, Mapping[Row, Fraction]]


@dataclass(frozen=True, eq=False)
class Replay:
    """A scene with its method. Tables that hold the same records in another order are tried once.

    ``most``: how often the method may be run in all; beyond that :class:`TooManyWaysError` is raised.
    """

    scene: Scene
    most: int
    _known: dict[frozenset[tuple[Row, int]], Likelihood] = field(default_factory=dict)
    _runs: list[int] = field(default_factory=lambda: [0])

    @property
    def names(self) -> list[str]:
        """The columns that a table is tried out with."""
        return [*self.scene.schema.quasi, *self.scene.sensitive]

    @property
    def tried(self) -> int:
        """How many different tables the method was run on."""
        return len(self._known)

    @property
    def runs(self) -> int:
        """How often the method was run."""
        return self._runs[0]

    def likelihood(self, table: pl.DataFrame) -> Likelihood:
        """Return how likely a table with the columns ``names`` is published as this release."""
        records = as_rows(table, self.names)
        key = frozenset(Counter(records).items())
        if key not in self._known:
            self._known[key] = self._likelihood(table, records)
        return self._known[key]

    def published(self, table: pl.DataFrame, encoded: EncodedTable, draws: Draws) -> Recoded | None:
        """Publish a table; None where the method refuses it."""
        self._runs[0] += 1
        try:
            outcome = self.scene.method.run(encoded, self.scene.models, columns=self.names, draws=draws)
            recoded: Recoded = outcome.recoding.apply(table, draws=draws)
        except (NoSolutionError, InputError):
            return None
        return recoded

    def encoded(self, table: pl.DataFrame) -> EncodedTable | None:
        """Encode a table; None where no such table could be published."""
        try:
            return encode(table, self.schema)
        except InputError:
            return None

    def is_this_release(self, recoded: Recoded) -> bool:
        """Return whether the same rows were published."""
        return _tables(recoded.table, recoded.counts, self.names) == self._released

    def _likelihood(self, table: pl.DataFrame, records: Sequence[Row]) -> Likelihood:
        encoded, m = self.encoded(table), len(self.scene.schema.quasi)
        if encoded is None:
            return Likelihood(Fraction(0), {})
        total, rows = Fraction(0), defaultdict[Row, dict[Row, Fraction]](dict)
        ways = every_way(
            lambda draws: self.published(table, encoded, draws),
            orders=self._orders(table, encoded),
            most=max(1, self.most - self.runs),
        )
        for recoded, chance in ways:
            if self.runs > self.most:
                raise TooManyWaysError
            # The method refused this table, or would have published something else: the way says nothing of the
            # release.
            if recoded is None or not self.is_this_release(recoded):
                continue
            total += chance
            for source, row in zip(recoded.source_rows.tolist(), as_rows(recoded.table, self.names[:m]), strict=True):
                own = rows[records[source]]
                own[row] = own.get(row, Fraction(0)) + chance
        return Likelihood(total, rows)

    def _orders(self, table: pl.DataFrame, encoded: EncodedTable) -> dict[str, MakeOrders]:
        """Return which orders make a difference to what is published of the columns looked at.

        Records are listed by profile, and equal ones are alike; only the order within a combination counts. The places
        of a profile are filled by rows that are alike here. Members of buckets are listed by content, and those of a
        value fill its places. All of it is compared with every order there is in ``tests/adversary``.
        """
        profiles = encoded.profiles
        records = np.repeat(np.arange(len(profiles.counts)), profiles.counts)
        equal = Orders(records, profiles.combination[records].astype(np.int64))
        known: dict[str, MakeOrders] = {EQUAL_RECORDS: lambda _: equal, PLACES: all_alike}
        if self.scene.counts is not None:
            rows = as_rows(table[content_order(table, self.names)], self.names)
            number = {row: at for at, row in enumerate(dict.fromkeys(rows))}
            value = {row[-1]: at for at, row in enumerate(rows)}
            members = Orders(np.array([number[row] for row in rows]), np.array([value[row[-1]] for row in rows]))
            known[MEMBERS] = lambda _: members
        return known

    @cached_property
    def _released(self) -> tuple[Counter[Row], Counter[Row]]:
        return _tables(self.scene.frame, self.scene.counts, self.names)

    @cached_property
    def schema(self) -> Schema:
        """The schema with the hierarchies as they were built for the release, from quasi-identifiers alone."""
        scene = self.scene
        assert scene.people is not None
        published = scene.schema.among(self.names)
        people = scene.people.frame
        reading = Released(frame=people, schema=published, recoding=scene.recoding).reading(people)
        known = {} if reading is None else reading.hierarchies
        return Schema(
            {
                name: replace(attribute, hierarchy=known.get(name, attribute.hierarchy))
                for name, attribute in published.items()
            }
        )


def replay_hindrance(scene: Scene) -> str | None:
    """Return why a release cannot be tried out."""
    if scene.method is None:
        return "it needs the method that the release was made by"
    if scene.kind in (SampledRecoding.kind, SampledPersonsRecoding.kind) or any(
        model.about_draws for model in scene.models
    ):
        return (
            "differential privacy promises nothing about shares: it bounds how much the chance of any release changes "
            "with one record, or one person, for someone who knows the program and all others; `membership` is held "
            "against it"
        )
    if scene.people is None or scene.drawn:
        return "it needs the original, to judge what is guessed"
    if any(model.second_table for model in scene.models):
        return "promises that need a second table are not tried out"
    if scene.of_persons:
        return "promises to persons are not tried out: the tables that it makes up do not say of whom their rows are"
    return None


def as_rows(frame: pl.DataFrame, names: Sequence[str]) -> list[Row]:
    """Return the rows of some columns as text."""
    if not names:
        return [()] * frame.height
    return list(zip(*(as_text(frame[name]).to_list() for name in names), strict=True))


def _tables(
    frame: pl.DataFrame, counts: pl.DataFrame | None, names: Sequence[str]
) -> tuple[Counter[Row], Counter[Row]]:
    """Return the rows of a release, and of its second table, in no order."""
    if counts is None:
        return Counter(as_rows(frame, names)), Counter()
    beside: list[Any] = [name for name in names if name in frame.columns]
    return Counter(as_rows(frame, [*beside, BUCKET])), Counter(as_rows(counts, counts.columns))
