"""How the values of an attribute are laid out for a partition: on an axis, or as a set without an order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import nearest, number
from nymity.partition.geometry import Geometry
from nymity.table.encoding import EncodedTable
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.value_order import value_order

Categorical = Literal["set", "order"]
Bounds = Mapping[str, Sequence[float]]


@dataclass(frozen=True, eq=False)
class AttributeLayout:
    """An attribute's values that occur, in their order: numbers and dates, others as their hierarchy groups them.

    occurring (n_values,): their codes. position (n_values,): the number or day, or the place in the order. A missing
    value stands first; among numbers it lies as far below the least one as the greatest lies above it. ``numeric``:
    positions are numbers. ``is_set``: the order only serves to cut; what counts is how many values there are.
    low, high: the bounds of positions, a missing one included; weight: what the attribute counts. ``level``: the values
    are those of a level of the hierarchy. ``suppressed``: a class that differs in it shows none of its values.
    """

    name: str
    hierarchy: Hierarchy
    occurring: NDArray[np.int64]
    position: NDArray[np.float64]
    numeric: bool
    is_set: bool
    low: float
    high: float
    weight: float
    level: int = 0
    suppressed: bool = False

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """Place of each raw value among those that occur, (domain_size,); 0 for the others."""
        places = np.zeros(len(self.hierarchy.labels[self.level]), dtype=np.int64)
        places[self.occurring] = np.arange(len(self.occurring))
        return places[self.hierarchy.codes[self.level]]

    @property
    def limit(self) -> int:
        """How many different values of a set a class pays for at most: a suppressed cell costs the same for all."""
        return 2 if self.suppressed else len(self.occurring)

    @property
    def scale(self) -> float:
        """What a unit of width costs, or each different value of a set."""
        if self.is_set:
            return self.weight / self.limit
        return self.weight / (self.high - self.low) if self.high > self.low else 0.0


def checked_bounds(where: str, bounds: Bounds) -> dict[str, tuple[float, ...]]:
    """Refuse anything but pairs of numbers by name."""
    if not isinstance(bounds, Mapping):
        raise ParameterError(where, expected="a table of names with two numbers each", got=as_given(bounds))
    for name, pair in bounds.items():
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise ParameterError(f"{where}, {name}", expected="two numbers, [low, high]", got=as_given(pair))
        for bound in pair:
            number(f"{where}, {name}", bound)
    return {name: tuple(pair) for name, pair in bounds.items()}


def attributes_of(
    table: EncodedTable, *, categorical: Categorical = "set", bounds: Bounds | None = None, where: str
) -> tuple[AttributeLayout, ...]:
    """Lay out every quasi-identifier. A weight counts as a multiple of their mean, so equal ones count 1 each."""
    known = dict(bounds or {})
    for name in known:
        if name not in table.names:
            raise ParameterError(
                f"{where}.bounds",
                expected="names of quasi-identifiers",
                got=as_given(name),
                hint=nearest(name, list(table.names)),
            )
    return tuple(
        _attribute(table, a, categorical, known.get(name), weight, where)
        for a, (name, weight) in enumerate(zip(table.names, _weights(table), strict=True))
    )


def suppressed_attributes_of(table: EncodedTable, levels: Sequence[int]) -> tuple[AttributeLayout, ...]:
    """Lay out quasi-identifiers, each at a level, whose cells are published or suppressed."""
    return tuple(
        _suppressed(table, a, level, weight)
        for a, (level, weight) in enumerate(zip(levels, _weights(table), strict=True))
    )


def geometry_of(attributes: Sequence[AttributeLayout], combinations: NDArray[np.int64]) -> Geometry:
    """Return the records with these combinations of raw values (n, m) as points."""
    ranks = [attribute.rank[combinations[:, a]] for a, attribute in enumerate(attributes)]
    axes = [(a, attribute) for a, attribute in enumerate(attributes) if not attribute.is_set]
    sets = [(a, attribute) for a, attribute in enumerate(attributes) if attribute.is_set]
    n = len(combinations)
    return Geometry(
        points=np.stack([attribute.position[ranks[a]] for a, attribute in axes], axis=1) if axes else np.empty((n, 0)),
        scales=np.array([attribute.scale for _, attribute in axes]),
        codes=np.stack([ranks[a] for a, _ in sets], axis=1) if sets else np.empty((n, 0), dtype=np.int64),
        set_sizes=np.array([len(attribute.occurring) for _, attribute in sets], dtype=np.int64),
        set_scales=np.array([attribute.scale for _, attribute in sets]),
        limits=np.array([attribute.limit for _, attribute in sets], dtype=np.int64),
    )


def _attribute(
    table: EncodedTable, a: int, categorical: Categorical, bounds: Sequence[float] | None, weight: float, where: str
) -> AttributeLayout:
    hierarchy, name = table.hierarchies[a], table.names[a]
    occurring = np.flatnonzero(table.frequencies[a] > 0)
    order = value_order(hierarchy, occurring)
    found = order.places
    position = np.arange(len(occurring), dtype=np.float64)
    if found:
        places = [found.get(hierarchy.values[code]) for code in order.codes.tolist()]
        known = [place for place in places if place is not None]
        # no nearer to any number than the two ends are to each other, so that a missing value is split off first
        missing = known[0] - (known[-1] - known[0] or 1)
        position = np.array([float(missing if place is None else place) for place in places])
    is_set = not found and categorical == "set"
    low, high = float(position.min()), float(position.max())
    if bounds is not None:
        _check_bounds(bounds, found, f"{where}.bounds, {name}")
        low, high = min(low, float(bounds[0])), max(high, float(bounds[1]))
    return AttributeLayout(name, hierarchy, order.codes, position, bool(found), is_set, low, high, weight)


def _suppressed(table: EncodedTable, a: int, level: int, weight: float) -> AttributeLayout:
    """Lay out the values of a level, in their order of codes: it tells nothing but that they differ."""
    hierarchy = table.hierarchies[a]
    occurring = np.unique(hierarchy.codes[level][np.flatnonzero(table.frequencies[a] > 0)]).astype(np.int64)
    position = np.arange(len(occurring), dtype=np.float64)
    last = float(len(occurring) - 1)
    return AttributeLayout(
        table.names[a], hierarchy, occurring, position, False, True, 0.0, last, weight, level, suppressed=True
    )


def _weights(table: EncodedTable) -> list[float]:
    """Return what each quasi-identifier counts, as a multiple of the mean of all."""
    weights = [Fraction(weight) for weight in table.weights]
    if sum(weights) <= 0:
        raise ParameterError("schema", expected="a quasi-identifier with a weight above 0", got="none")
    mean = sum(weights) / len(weights)
    return [float(weight / mean) for weight in weights]


def _check_bounds(given: Sequence[float], numbers: Mapping[Label, Fraction], where: str) -> None:
    """Refuse bounds of what is no axis of numbers, and such that leave out a number that occurs."""
    if not numbers:
        raise ParameterError(where, expected="bounds only for attributes of numbers", got=repr(list(given)))
    least, most = min(numbers.values()), max(numbers.values())
    if given[0] > least or given[1] < most:
        inside = f"bounds that include {float(least):g} to {float(most):g}, the values there"
        raise ParameterError(where, expected=inside, got=repr(list(given)))
