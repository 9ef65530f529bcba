"""One set of cells, published by every kind of recoding: every loss and metric says the same of all of them.

A metric counts what the hierarchy lists, whether it occurs or not; ``gcp`` alone looks at what occurs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from math import log2, prod
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.progress import Observer
from nymity.partition.method import Partitioned, PartitionMethod
from nymity.partition.problem import PartitionProblem
from nymity.publishing.comparing.compare import Comparison, compare
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.level_recoding import Layer, LevelRecoding
from nymity.table.partition_recoding import FreeformRecoding, PartitionRecoding
from nymity.table.recoding import Recoding
from nymity.table.sampled_recoding import SampledRecoding
from nymity.table.schema import Schema
from nymity.utility import query_metric

#: What speaks of the levels of columns, which cells of classes do not have.
OF_LEVELS = {"height", "entropy", "entropy-normalized", "relative-distance"}
KINDS = ("partition", "freeform", "nodes", "stored", "sampled", "levels, text alone", "partition, text alone")


@pytest.fixture(scope="module", autouse=True)
def fewer_queries() -> Iterator[None]:
    """Ask fewer queries, which takes less time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query_metric, "QUERIES", 20)
        yield


def generalized(table: EncodedTable, levels: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Codes of every combination at levels, (n, m)."""
    columns = zip(table.hierarchies, levels, table.combinations.T, strict=True)
    return np.stack([hierarchy.codes[level][codes] for hierarchy, level, codes in columns], axis=1)


@dataclass(frozen=True, kw_only=True)
class AtLevels(PartitionMethod):
    """Divide the records by their generalized values, so that tight cells cover what nodes do."""

    levels: tuple[int, ...] = ()
    key = "at-levels"

    def divide(self, problem: PartitionProblem, observe: Observer) -> Partitioned:
        table = problem.table
        codes = [
            h.codes[level][c] for h, level, c in zip(table.hierarchies, self.levels, table.combinations.T, strict=True)
        ]
        _, classes = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
        return Partitioned(problem.assignment_of_combinations(classes.ravel()))


@dataclass(frozen=True)
class Cells:
    """A table, its hierarchies, and the levels it is published at."""

    frame: pl.DataFrame
    schema: Schema
    levels: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        return list(self.schema.quasi)

    def published(self, kind: str) -> Any:
        """Publish the cells by a kind of recoding, or leave their text alone."""
        base, _, alone = kind.partition(", ")
        recoding = getattr(self, f"_{base}")()
        table = recoding.apply(self.frame).table if base != "sampled" else self._sample(recoding)
        return ny.open(table, schema=self.schema, recoding=None if alone else recoding)

    def _levels(self) -> LevelRecoding:
        table = encode(self.frame, self.schema)
        hierarchies = dict(zip(table.names, table.hierarchies, strict=True))
        codes = [
            h.codes[level][c]
            for h, level, c in zip(hierarchies.values(), self.levels, table.combinations.T, strict=True)
        ]
        layer = Layer(dict(zip(table.names, self.levels, strict=True)), np.unique(np.stack(codes, axis=1), axis=0))
        return LevelRecoding(tuple(self.frame.columns), hierarchies, (layer,))

    def _partition(self, cells: Any = "tight") -> PartitionRecoding:
        method = AtLevels(levels=self.levels, cells=cells, categorical="order")
        table = encode(self.frame, self.schema)
        return method.run(table, [ny.KAnonymity(k=1)], columns=self.frame.columns).recoding

    def _nodes(self) -> PartitionRecoding:
        return self._partition("hierarchy")

    def _freeform(self) -> FreeformRecoding:
        found = self._partition()
        return FreeformRecoding(**{field.name: getattr(found, field.name) for field in fields(found)})

    def _stored(self) -> Recoding:
        """A file of an earlier version, whose intervals list what occurs alone and are written ``[1, 3]``."""
        found = self._partition()
        data, occurring = found.to_dict(), {n: set(found.quotas.codes[:, a]) for a, n in enumerate(found.cells)}
        for name, cells in data["cells"].items():
            cells["labels"] = [re.sub(r"^(\w+)(?:-| to )(\w+)$", r"[\1, \2]", label) for label in cells["labels"]]
            cells["covered"] = [[c for c in codes if c in occurring[name]] for codes in cells["covered"]]
        return Recoding.from_dict(data)

    def _sampled(self) -> SampledRecoding:
        known = self._levels()
        return SampledRecoding(tuple(self.names), known.hierarchies, known.layers[0].levels, 1, Fraction(1, 2))

    def _sample(self, recoding: SampledRecoding) -> pl.DataFrame:
        """Keep everybody; the sensitive column, which a sample has not, is put back."""
        found = recoding.of_sample(self.frame, np.ones(self.frame.height, dtype=np.bool_))
        return found.table.with_columns(self.frame["ill"][found.source_rows])


def grouped(values: list[str], group: int) -> Hierarchy:
    """Neighbours in groups, then everything; no label looks like an interval."""
    return Hierarchy.from_rows([[v, f"group {i // group}", "*"] for i, v in enumerate(values)])


@st.composite
def cells(draw: st.DrawFn) -> Cells:
    """Numbers and ordered words, of which some do not occur: but the ends of every group that is published do."""
    columns, schema, levels = {}, {}, list[int]()
    n = draw(st.integers(0, 3))
    for name, prefix in (("age", ""), ("job", "w")):
        group = draw(st.integers(2, 4))  # no group of one value, which would be on two levels
        size = group * draw(st.integers(2, 3))
        level = draw(st.integers(1, 1 if 2 in levels else 2))  # rows of stars alone would be taken for masked ones
        values, width = [f"{prefix}{i}" for i in range(size)], group if level == 1 else size
        ends = [values[i] for start in range(0, size, width) for i in (start, min(start + width, size) - 1)]
        hidden = set(draw(st.lists(st.sampled_from(values), max_size=size))) - set(ends)
        drawn = st.sampled_from([value for value in values if value not in hidden])
        columns[name] = [*ends, *draw(st.lists(drawn, min_size=n, max_size=n))]
        schema[name] = quasi(grouped(values, group))
        levels.append(level)
    # every combination of groups needs its ends in both columns: pair every value with every other
    rows = [(age, job) for age in columns["age"] for job in columns["job"]]
    frame = pl.DataFrame(rows, schema=["age", "job"], orient="row")
    ill = draw(st.lists(st.sampled_from(["flu", "cold"]), min_size=len(rows), max_size=len(rows)))
    return Cells(frame.with_columns(ill=pl.Series(ill)), Schema({**schema, "ill": sensitive()}), tuple(levels))


def values(comparison: Comparison) -> dict[str, float]:
    return {m.name: m.value for m in comparison.measured if m.value is not None}


@settings(max_examples=8)
@given(cells=cells())
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_recoding_says_the_same(kind: str, cells: Cells) -> None:
    expected = values(compare(cells.frame, cells.published("levels")))
    found = values(compare(cells.frame, cells.published(kind)))
    of_classes = kind in ("partition", "freeform", "nodes", "stored", "partition, text alone")
    missing = OF_LEVELS if of_classes else set()
    if kind == "partition, text alone":  # which row is whose is not known where cells are read from their text
        missing = missing | {"mutual-information", "squared-distance"}
    assert expected.keys() - found.keys() == missing
    assert found == pytest.approx({name: expected[name] for name in found}, rel=1e-9, abs=1e-9)


# -- the example --------------------------------------------------------------------------------------------------

DIGITS = [str(i) for i in range(10)]


def few_digits(hierarchy: Hierarchy, **method: Any) -> Comparison:
    frame, schema = pl.DataFrame({"x": [0, 1, 8, 9]}), Schema({"x": quasi(hierarchy)})
    found = ny.publish(frame, schema, privacy=ny.KAnonymity(k=4), method=method.get("method", ny.Mondrian()))
    return compare(frame, found)


@pytest.mark.parametrize("method", [ny.Mondrian(), ny.KMember(), ny.ExactPartition(), ny.OptimalLattice()])
def test_an_interval_counts_values_that_nobody_has(method: Any) -> None:
    """0-9 is all of ten digits, whether four of them occur or ten."""
    found = few_digits(grouped(DIGITS, 5), method=method)
    middle = sum((Fraction(x, 9) - Fraction(1, 2)) ** 2 for x in (0, 1, 8, 9)) / 4
    assert found.value("loss") == 1
    assert found.value("loss-geometric") == pytest.approx(1)
    assert found.value("granularity") == pytest.approx(9 / 10)
    assert found.value("ambiguity") == 4 * 10
    assert found.value("kl-divergence") == pytest.approx(log2(10 / 4))
    assert found.value("squared-distance") == pytest.approx(float(middle))
    assert found.value("gcp") == 1


def test_a_set_counts_the_values_it_names() -> None:
    found = few_digits(grouped(DIGITS, 5), method=ny.Mondrian(cells="set"))
    assert found.value("loss") == pytest.approx(3 / 9)
    assert found.value("ambiguity") == 4 * 4


def test_words_that_are_listed_beside_numbers_lie_in_no_interval() -> None:
    found = few_digits(grouped([*DIGITS, "unknown"], 11))
    assert found.value("loss") == pytest.approx(9 / 10)


def test_days_between_two_days_count() -> None:
    days = [f"2024-02-{day:02}" for day in range(1, 30)]
    frame, schema = pl.DataFrame({"day": ["2024-02-01", "2024-02-15"]}), Schema({"day": quasi(grouped(days, 7))})
    release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=2), method=ny.Mondrian())
    assert compare(frame, release).value("loss") == pytest.approx(14 / 28)


# -- overlapping classes ------------------------------------------------------------------------------------------


def divergence(rows: list[tuple[Any, ...]], boxes: list[tuple[set[Any], ...]], suppressed: int, domain: int) -> float:
    """From the definition: every box spreads its record evenly, and what covers a combination adds up."""
    n, everywhere = len(rows), suppressed / domain
    found = 0.0
    for x in set(rows):
        p = rows.count(x) / n
        mass = [1 / prod(map(len, box)) for box in boxes if all(v in cell for v, cell in zip(x, box, strict=True))]
        found += p * log2(p / ((sum(mass) + everywhere) / n))
    return found


@settings(max_examples=20)
@given(
    rows=st.lists(st.tuples(st.integers(0, 7), st.sampled_from("abc")), min_size=4, max_size=9),
    k=st.integers(2, 4),
)
def test_divergence_of_freeform_rows_adds_up_all_that_cover(rows: list[tuple[int, str]], k: int) -> None:
    frame = pl.DataFrame(rows, schema=["x", "y"], orient="row")
    numbers, letters = [str(i) for i in range(8)], ["a", "b", "c", "d"]
    schema = Schema({"x": quasi(grouped(numbers, 2)), "y": quasi(grouped(letters, 2))})
    release = ny.publish(frame, schema, privacy=ny.KMatching(k=k), method=ny.FreeformGreedy())
    boxes = [(_numbers(x), _letters(y)) for x, y in release.frame.select("x", "y").rows()]
    assert compare(frame, release).value("kl-divergence") == pytest.approx(
        divergence([(str(x), y) for x, y in rows], boxes, 0, 8 * 4), abs=1e-9
    )


def _numbers(cell: str) -> set[str]:
    low, _, high = str(cell).partition("-")
    return {str(i) for i in range(int(low), int(high or low) + 1)}


def _letters(cell: str) -> set[str]:
    return set(cell.strip("{}").split(", "))


def test_divergence_of_layers_adds_up_all_that_cover() -> None:
    """Two records stay as they are, two are published as everything in one column, which covers them all."""
    frame = pl.DataFrame({"x": ["0", "0", "0", "1"], "y": ["a", "a", "b", "b"]})
    schema = Schema({"x": quasi(grouped(["0", "1"], 1)), "y": quasi(grouped(["a", "b"], 1))})
    released = pl.DataFrame({"x": ["0", "0", "*", "*"], "y": ["a", "a", "b", "b"]})
    found = compare(frame, ny.open(released, schema=schema)).value("kl-divergence")
    boxes = [({"0"}, {"a"}), ({"0"}, {"a"}), ({"0", "1"}, {"b"}), ({"0", "1"}, {"b"})]
    assert found == pytest.approx(divergence(list(frame.rows()), boxes, 0, 4))
    several = pl.DataFrame({"x": ["0", "0", "*", "0"], "y": ["a", "a", "b", "*"]})
    boxes = [({"0"}, {"a"}), ({"0"}, {"a"}), ({"0", "1"}, {"b"}), ({"0"}, {"a", "b"})]
    found = compare(frame, ny.open(several, schema=schema)).value("kl-divergence")
    assert found == pytest.approx(divergence(list(frame.rows()), boxes, 0, 4))


def test_divergence_of_a_sample_counts_everybody_of_a_class() -> None:
    """Half of a class is published: the others are spread over everything, and yet covered by its rows."""
    frame = pl.DataFrame({"x": ["0", "0", "0", "1"]})
    schema = Schema({"x": quasi(grouped(["0", "1"], 1))})
    found = compare(frame, ny.open(pl.DataFrame({"x": ["0", "1"]}), schema=schema)).value("kl-divergence")
    assert found == pytest.approx(divergence(list(frame.rows()), [({"0"},), ({"1"},)], 2, 2))


def test_divergence_is_undefined_where_a_record_fits_nothing() -> None:
    frame, schema = pl.DataFrame({"x": [0, 1, 8, 9]}), Schema({"x": quasi(grouped(DIGITS, 5))})
    released = pl.DataFrame({"x": ["[0, 1]", "[0, 1]", "[0, 1]", "[0, 1]"]})
    found = next(m for m in compare(frame, ny.open(released, schema=schema)).measured if m.key == "kl-divergence")
    assert found.value is None
    assert "fits no row" in str(found.undefined)


# -- weights ------------------------------------------------------------------------------------------------------

METHODS: tuple[Any, ...] = (ny.Mondrian(), ny.KMember(), ny.SortedGroups(), ny.ExactPartition(), ny.OptimalLattice())


@settings(max_examples=10)
@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=4, max_size=10),
    weights=st.tuples(*[st.sampled_from([1.0, 1.0, 0.5, 3.0])] * 2),
    nudge=st.sampled_from([1e-6, 1e-9, -1e-6]),
)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
def test_losses_do_not_jump_when_a_weight_changes_a_little(
    method: Any, rows: list[tuple[int, str]], weights: tuple[float, float], nudge: float
) -> None:
    """The same cells lose nearly the same under nearly the same weights, by what is minimized and by all others."""
    frame = pl.DataFrame(rows, schema=["x", "y"], orient="row")

    def schema(*weights: float) -> Schema:
        columns = {"x": grouped(DIGITS, 5), "y": grouped(["a", "b", "c"], 2)}
        return Schema({n: quasi(h, weight=w) for (n, h), w in zip(columns.items(), weights, strict=True)})

    before, after = (
        ny.publish(frame, schema(weights[0], weights[1] + by), privacy=ny.KAnonymity(k=2), method=method)
        for by in (0.0, nudge)
    )
    if before.frame.equals(after.frame):
        assert values(compare(frame, before)) == pytest.approx(values(compare(frame, after)), rel=1e-4, abs=1e-6)
    if isinstance(method, ny.ExactPartition | ny.OptimalLattice) or before.frame.equals(after.frame):
        assert before.loss == pytest.approx(after.loss, rel=1e-4, abs=1e-6)  # the least of continuous functions, too
