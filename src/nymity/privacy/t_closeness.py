"""t-closeness (Li, Li & Venkatasubramanian 2007): the values of a class are spread as those of the table.

A class keeps it when the earth mover's distance between its sensitive values and the table's is at most t: the least
share of records times the distance they would have to move, over all ways to turn one distribution into the other.
A missing value counts as a value; in an order it stands first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.validation import exact_fraction, number, one_of, short_fraction
from nymity.kernels.frontier import CLOSE
from nymity.privacy.closeness import Distance, closeness, fewest_values, levels_of, most_within
from nymity.privacy.groups import Groups
from nymity.privacy.kernel_rule import KernelRule
from nymity.privacy.model import Measured
from nymity.privacy.sensitive import ComparingModel, check_name, check_sensitive, overall_shares
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable, SensitiveColumn
from nymity.table.hierarchy import Hierarchy
from nymity.table.text import as_text
from nymity.table.value_order import ranks

#: Cells of classes by values that are looked at in one go.
CELLS = 2**20


@dataclass(frozen=True, kw_only=True)
class TCloseness(ComparingModel):
    """The earth mover's distance between the sensitive values of a class and those of the table is at most t.

    ``distance`` says how far apart two values are: ``equal`` takes any two as 1 apart; ``ordered`` counts the values
    of the table between them in their order (numbers by size, others as the attribute's hierarchy lists them), from
    the first to the last 1; ``hierarchical`` takes the level of their lowest common ancestor over the height of the
    attribute's hierarchy. Decided in integers, with t as the decimal written. The table is the released one, masked
    rows included.
    """

    t: float = field(kw_only=False)
    attribute: str
    distance: Distance = "equal"

    key = "t-closeness"
    title = "t-closeness"
    # In a table with as many p as q, {p, q} is at distance 0; with {p, p} beside it, three of four are p: 1/4.

    def __post_init__(self) -> None:
        number(f"{self.key}.t", self.t, at_least=0, at_most=1)
        short_fraction(f"{self.key}.t", self.t)
        check_name(self.key, self.attribute)
        one_of(f"{self.key}.distance", self.distance, ("equal", "ordered", "hierarchical"))

    def check(self, table: EncodedTable) -> None:
        """The attribute is sensitive, and its values have the order or hierarchy that the distance needs."""
        check_sensitive(self.key, self.attribute, table)
        column = table.sensitive[self.attribute]
        if self.distance == "ordered" and column.ranks is None:
            self._refuse("numbers, or a hierarchy that lists the values in order")
        if self.distance == "hierarchical" and column.hierarchy is None:
            self._refuse("a hierarchy of the sensitive column")

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """The distance is at most t."""
        classes = classes.weighing_persons_alike(self.attribute)
        return closeness(classes, self.attribute, self.distance).within(self._limit)

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The accepted parts of a class together are within t too, by records."""
        if classes.persons is not None:
            return super().most_kept(classes, accepted)
        most = most_within(classes, self.attribute, self.distance, self._limit)
        return np.minimum(super().most_kept(classes, accepted), most)

    def rule(self, table: EncodedTable) -> KernelRule | None:
        """Return the distances of nodes, unless values are ordered or products are too large."""
        levels = levels_of(table.sensitive[self.attribute], self.distance)
        t, n = self._limit, table.n_records
        if levels is None or n * len(levels[0]) * max(n, t.denominator) >= 2**62 or t.denominator >= 2**31:
            return None
        return KernelRule(kind=CLOSE, least_values=fewest_values(levels[1], t), nodes=levels[0], table=levels[1], t=t)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None, distance: Distance = "equal") -> Measured:
        """Return the largest distance of a class; equal ones unless told."""
        if attribute is None or not groups.n_records:
            return {"t": None}
        if groups.persons is not None:
            return {"t": float(max(_person_distances(groups, attribute, distance)))}
        work, whole = _moved(groups, attribute, distance)
        return {"t": float((work / whole).max())}

    def reached(self, groups: Groups) -> Measured:
        """Return the largest distance of the kind this model measures."""
        return self.measure(groups, self.attribute, self.distance)

    def holds(self, groups: Groups) -> bool:
        """No class is farther than t from the table."""
        if not groups.n_records:
            return True
        if groups.persons is not None:
            return max(_person_distances(groups, self.attribute, self.distance)) <= self._limit
        work, whole = _moved(groups, self.attribute, self.distance)
        return bool((work * self._limit.denominator <= whole * self._limit.numerator).all())

    def is_empty(self, rarest: Fraction | None) -> bool:
        """No class is farther than 1; with equal distances one of value v is 1 - q_v from the table."""
        return self._limit >= (1 if self.distance != "equal" or rarest is None else 1 - rarest)

    def value_shares(self, column: SensitiveColumn) -> list[Fraction]:
        """q + t / d, with d the least distance of two values: what exceeds q moves at least as far."""
        if self.distance == "ordered":
            steps = max(1, len(column.labels) - 1)
        else:
            steps = 1 if self.distance == "equal" or column.hierarchy is None else max(1, column.hierarchy.height)
        return [min(Fraction(1), q + self._limit * steps) for q in overall_shares(column)]

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        kind = "" if self.distance == "equal" else f", {self.distance} distance"
        return (
            f"{self.t}-closeness of {self.attribute!r}{kind}: in every group of records that look alike the values "
            f"there are spread as in the whole table, up to an earth mover's distance of {self.t}"
        )

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return f"{self.promise()}, each person's records weighing one together"

    @cached_property
    def _limit(self) -> Fraction:
        return exact_fraction(self.t)

    def _refuse(self, expected: str) -> None:
        raise ParameterError(
            f"{self.key}.distance",
            expected=f"{expected}, for the distance {self.distance!r} of {self.attribute!r}",
            got="none",
            hint=f"give {self.attribute!r} a hierarchy in the schema, or use distance = 'equal'",
        )


# -- on a written table ------------------------------------------------------------------------------------------


Integers = NDArray[np.object_]


def _moved(groups: Groups, attribute: str, distance: Distance) -> tuple[Integers, Integers]:
    """Return the distance of each class as a fraction of Python's integers: what is moved, over all there is."""
    counts = groups.value_counts(attribute)
    if distance == "ordered":
        return _moved_in_order(counts, _places(groups, attribute), groups.n_records)
    levels = [counts] if distance == "equal" else _generalized(counts, groups.hierarchy(attribute))
    classes = pl.concat([_surpluses(level, groups.n_records) for level in levels]).group_by("class")
    summed = classes.agg(pl.col("surplus").cast(pl.Int128).sum(), pl.col("size").first())
    moved = np.array(summed["surplus"].to_list(), dtype=object)
    return moved, np.array(summed["size"].to_list(), dtype=object) * (groups.n_records * len(levels))


def _person_distances(groups: Groups, attribute: str, distance: Distance) -> list[Fraction]:
    """Return the distance of each class from the table, every person weighing one."""
    found = groups.person_shares(attribute)
    if distance == "equal":  # no value that a class lacks is above its share of the table
        return [_above(p - found.table[v] for v, p in shares.items()) for shares in found.classes]
    gaps = [{v: shares.get(v, Fraction(0)) - q for v, q in found.table.items()} for shares in found.classes]
    if distance == "ordered":
        order = _places(groups, attribute).sort("place")["value"].to_list()
        return [sum(map(abs, accumulate(gap[v] for v in order)), Fraction(0)) / max(len(order) - 1, 1) for gap in gaps]
    hierarchy = groups.hierarchy(attribute)
    values = pl.Series(list(found.table))
    leaves = dict(zip(values, (hierarchy.index[label] for label in as_text(values)), strict=True))
    levels = hierarchy.codes[: max(hierarchy.height, 1)]
    return [sum((_above(_summed(gap, leaves, codes)) for codes in levels), Fraction(0)) / len(levels) for gap in gaps]


def _above(gaps: Iterable[Fraction]) -> Fraction:
    return sum((gap for gap in gaps if gap > 0), Fraction(0))


def _summed(gaps: Mapping[Any, Fraction], leaves: Mapping[Any, int], codes: NDArray[Any]) -> Iterable[Fraction]:
    """Sum the gaps of values that are the same on a level of their hierarchy."""
    summed: dict[int, Fraction] = {}
    for value, gap in gaps.items():
        node = int(codes[leaves[value]])
        summed[node] = summed.get(node, Fraction(0)) + gap
    return summed.values()


def _surpluses(counts: pl.DataFrame, n: int) -> pl.DataFrame:
    """Sum up by how much values of each class exceed their share of the table, in units of 1 / (size n)."""
    surplus = (pl.col("records") * n - pl.col("overall") * pl.col("size")).clip(lower_bound=0)
    return (
        counts.with_columns(surplus.alias("surplus")).group_by("class").agg(pl.col("surplus").sum(), pl.first("size"))
    )


def _generalized(counts: pl.DataFrame, hierarchy: Hierarchy) -> list[pl.DataFrame]:
    """Count the values of each class on every level of a hierarchy below its top."""
    values = counts["value"].unique()
    leaves = [hierarchy.index[label] for label in as_text(values)]
    levels = []
    for codes in hierarchy.codes[: max(hierarchy.height, 1)]:
        known = pl.DataFrame({"value": values, "code": codes[leaves]})
        merged = counts.join(known, on="value", nulls_equal=True).group_by("class", pl.col("code").alias("value"))
        level = merged.agg(pl.col("records").sum(), pl.first("size"))
        levels.append(level.with_columns(pl.col("records").sum().over("value").alias("overall")))
    return levels


def _places(groups: Groups, attribute: str) -> pl.DataFrame:
    """Number the values of the table in their order: ``value``, ``place``."""
    values = groups.value_counts(attribute)["value"].unique()
    labels = as_text(values).to_list()
    order = ranks(labels, None)
    if order is None:
        order = ranks(labels, groups.hierarchy(attribute))
    assert order is not None
    return pl.DataFrame({"value": values, "place": np.argsort(np.argsort(order))})


def _moved_in_order(counts: pl.DataFrame, places: pl.DataFrame, n: int) -> tuple[Integers, Integers]:
    """Sum up how far the records of each class up to each value are from those of the table, some classes at a time."""
    counts = counts.join(places, on="value", nulls_equal=True).sort("class")
    place, records, m = counts["place"].to_numpy(), counts["records"].to_numpy(), places.height
    table = np.cumsum(np.bincount(place, weights=records, minlength=m)).astype(np.int64)
    owner = counts["class"].rle_id().to_numpy()
    sizes = counts.group_by("class", maintain_order=True).agg(pl.first("size"))["size"].to_numpy()
    kind = np.int64 if n * n * m < 2**62 else object
    moved: list[int] = []
    step = max(1, CELLS // m)
    for start in range(0, len(sizes), step):
        some = slice(*np.searchsorted(owner, (start, start + step)))
        own = np.zeros((len(sizes[start : start + step]), m), dtype=np.int64)  # (n_classes, n_values)
        own[owner[some] - start, place[some]] = records[some]
        gaps = np.abs(np.cumsum(own, axis=1) * n - table * sizes[start : start + step, None])
        moved += gaps.astype(kind).sum(axis=1).tolist()
    return np.array(moved, dtype=object), np.array(sizes.tolist(), dtype=object) * (n * max(m - 1, 1))
