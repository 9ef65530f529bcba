"""Replay: whether a method would have published just this release, had the records been others.

Whoever knows how a release was made can try tables out: one from which the method would publish something else cannot
be the source. That rules tables out where a method generalizes only because it must (Wong, Fu, Wang and Pei 2007).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import exp, lgamma, log

import polars as pl

from nymity.core.errors import InputError, NoSolutionError
from nymity.lattice.search import LatticeSearch
from nymity.risk.attacks.scene import Scene
from nymity.table.encoding import encode
from nymity.table.hierarchy import Label
from nymity.table.schema import Schema
from nymity.table.text import as_text

Row = tuple[Label, ...]


@dataclass(frozen=True, eq=False)
class Replay:
    """A scene with its method. Tables that hold the same records in another order are tried once."""

    scene: Scene
    _known: dict[frozenset[tuple[Row, int]], bool] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The columns that the method looks at."""
        return [*self.scene.schema.quasi, *self.scene.sensitive]

    def publishes(self, records: Sequence[Row]) -> bool:
        """Say whether the method publishes this release from records with values of ``names``."""
        key = frozenset(Counter(records).items())
        if key not in self._known:
            self._known[key] = self._publishes(records)
        return self._known[key]

    @property
    def tried(self) -> int:
        """How many different tables the method was run on."""
        return len(self._known)

    def _publishes(self, records: Sequence[Row]) -> bool:
        frame = pl.DataFrame(records, schema=dict.fromkeys(self.names, pl.String), orient="row")
        try:
            table = encode(frame, self._schema)
            outcome = self.scene.method.run(table, self.scene.models, columns=self.names)
        except (NoSolutionError, InputError):
            return False
        return Counter(as_rows(outcome.recoding.apply(frame).table, self.names)) == self._released

    @cached_property
    def _released(self) -> Counter[Row]:
        return Counter(as_rows(self.scene.frame, self.names))

    @cached_property
    def _schema(self) -> Schema:
        """The schema with the hierarchies as they were built for the release."""
        recoding = self.scene.recoding
        assert recoding is not None
        known = recoding.hierarchies
        return Schema(
            {
                name: replace(self.scene.schema[name], hierarchy=known.get(name, self.scene.schema[name].hierarchy))
                for name in self.names
            }
        )


def replay_hindrance(scene: Scene) -> str | None:
    """Say why a release cannot be tried out."""
    if scene.method is None:
        return "it needs the method that the release was made by"
    if scene.recoding is None:
        return "it needs the recoding of the release"
    if not isinstance(scene.method, LatticeSearch) or scene.kind != "levels":
        return "it tries out methods that choose levels of a lattice, and this release was made in another way"
    if scene.people is None or scene.drawn:
        return "it needs the original, to judge what is guessed"
    if not scene.complete:
        return "records were removed, and nobody knows which values they had"
    if any(model.second_table or model.needs_source for model in scene.models):
        return "promises that need a second table are not tried out"
    return None


def too_many(logarithm: float, most: int) -> str | None:
    """Refuse more tables than can be tried out; their number is told by its logarithm."""
    if logarithm <= log(most) + 1e-9:
        return None
    tables = f"{exp(logarithm):,.0f}" if logarithm < log(10**6) else f"some 10^{logarithm / log(10):.0f}"
    return f"it is for small releases: {tables} tables would have to be tried out, more than {most:,}"


def arrangements(counts: Iterable[int]) -> float:
    """Return the logarithm of the number of ways to assign values that occur so often."""
    each = list(counts)
    return lgamma(sum(each) + 1) - sum(lgamma(count + 1) for count in each)


def arranged(values: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield every different order of some values."""
    left, order = Counter(values), list[Row]()

    def extend() -> Iterator[list[Row]]:
        if len(order) == len(values):
            yield list(order)
        for value in list(left):
            if left[value]:
                left[value] -= 1
                order.append(value)
                yield from extend()
                order.pop()
                left[value] += 1

    yield from extend()


def all_of(groups: Sequence[Sequence[Row]]) -> Iterator[tuple[list[Row], ...]]:
    """Yield every way to arrange the values of each group."""
    yield from product(*(list(arranged(group)) for group in groups))


def as_rows(frame: pl.DataFrame, names: Sequence[str]) -> list[Row]:
    """Return the rows of some columns as text."""
    return list(zip(*(as_text(frame[name]).to_list() for name in names), strict=True))
