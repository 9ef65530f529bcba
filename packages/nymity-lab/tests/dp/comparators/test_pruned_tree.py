"""Noise for many counts against its distribution, and trees of noisy counts: divisions by definition, and pruning."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chisquare

import nymity as ny
from nymity.core.bits import NotPrivate
from nymity.core.errors import ParameterError
from nymity_lab.dp.comparators import DiffGen, GeneralizedCounts, PrunedTree
from nymity_lab.dp.comparators.cell_noise import noise_of_many, noise_variance
from nymity_lab.dp.comparators.specialization import Node

SCALES = [Fraction(1, 3), Fraction(1), Fraction(2), Fraction(10, 3)]


# -- noise ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", SCALES)
def test_noise_falls_by_a_constant_factor(scale: Fraction) -> None:
    """P(z) = (1 - q) / (1 + q) q^|z|. Seeded; fails with probability 1e-4 under fresh seeds."""
    n, q = 40_000, exp(-1 / scale)
    drawn = noise_of_many(scale, n, NotPrivate(3))
    expected = {z: n * (1 - q) / (1 + q) * q ** abs(z) for z in range(-60, 61)}
    likely = [z for z, mean in expected.items() if mean > 10]
    counted = [int((drawn == z).sum()) for z in likely]
    means = [expected[z] for z in likely]
    rest = n - sum(means)
    if rest > 5:
        counted, means = [*counted, n - sum(counted)], [*means, rest]
    assert chisquare(counted, np.array(means) * sum(counted) / sum(means)).pvalue > 1e-4


@pytest.mark.parametrize("scale", SCALES)
def test_its_variance_is_that_of_the_sum(scale: Fraction) -> None:
    q = exp(-1 / scale)
    by_definition = sum(2 * z * z * (1 - q) / (1 + q) * q**z for z in range(1, 400))
    assert noise_variance(scale) == pytest.approx(by_definition)


def test_noise_of_nothing() -> None:
    assert noise_of_many(Fraction(2), 0, NotPrivate(1)).tolist() == []


# -- trees ------------------------------------------------------------------------------------------------------------

HIERARCHIES = {"ward": ny.Hierarchy.flat(["A", "B", "C"]), "sex": ny.Hierarchy.flat(["f", "m"])}
CLASSES = ("no", "yes")
#: Noise of such a scale is 0 but for one draw in e^1000.
SURE = Fraction(4000)


def counted(table: pl.DataFrame, epsilon: Fraction | int = SURE, seed: int = 1) -> GeneralizedCounts:
    method = DiffGen(epsilon=epsilon, steps=2, not_private_seed=seed)
    return method.run(table, HIERARCHIES, target="ill", classes=CLASSES)


def people(*groups: tuple[str, str, str, int]) -> pl.DataFrame:
    rows = [(ward, sex, ill) for ward, sex, ill, n in groups for _ in range(n)]
    return pl.DataFrame(rows, schema=["ward", "sex", "ill"], orient="row")


def test_without_noise_it_answers_what_can_be_told() -> None:
    table = people(("A", "f", "yes", 50), ("A", "m", "no", 50), ("B", "f", "no", 50), ("C", "m", "yes", 50))
    learned = PrunedTree().learn(counted(table))
    assert learned.predict(table) == table["ill"].to_list()
    assert learned.leaves >= 4


def test_a_division_needs_records_on_both_sides() -> None:
    table = people(("A", "f", "yes", 9), ("B", "f", "no", 100))
    assert PrunedTree(leaf=10).learn(counted(table)).leaves == 1
    assert PrunedTree(leaf=9).learn(counted(table)).leaves == 2


@settings(max_examples=60, deadline=None)
@given(arrays(np.int64, (6, 3), elements=st.integers(-5, 40)), st.integers(1, 12))
def test_the_best_division_is_that_of_the_definition(cells: np.ndarray, leaf: int) -> None:
    places = np.array([0, 0, 1, 1, 2, 2], dtype=np.int16)

    def bits(sums: np.ndarray) -> float:
        kept = [s for s in sums.tolist() if s > 0]
        return -sum(s * log2(s / sum(kept)) for s in kept)

    gains = {}
    for value in range(3):
        here, there = cells[places == value].sum(axis=0), cells[places != value].sum(axis=0)
        if min(np.maximum(here, 0).sum(), np.maximum(there, 0).sum()) >= leaf:
            gains[value] = bits(cells.sum(axis=0)) - bits(here) - bits(there)
    exact = cells.astype(np.float64)
    gain, value = PrunedTree(leaf=leaf)._best(exact, places, 3, exact.sum(axis=0))
    if not gains:
        assert gain == 0
    else:
        assert gain == pytest.approx(max(gains.values()), abs=1e-9)
        assert gains[value] == pytest.approx(gain, abs=1e-9)


def with_counts(*cells: tuple[int, int], scale: Fraction = Fraction(2)) -> GeneralizedCounts:
    """Counts of one attribute whose values are all in use."""
    names = [f"{i}" for i in range(len(cells))]
    cut = tuple(Node(0, i) for i in range(len(cells)))
    return GeneralizedCounts(
        hierarchies={"number": ny.Hierarchy.flat(names)},
        cuts={"number": cut},
        target="ill",
        classes=CLASSES,
        counts=np.array(cells, dtype=np.int64).reshape(-1),
        noise_scale=scale,
        private=False,
    )


@pytest.mark.parametrize(("gain", "leaves"), [(7, 1), (8, 2)])
def test_a_subtree_must_gain_two_standard_deviations(gain: int, leaves: int) -> None:
    """Noise of scale 2 has a variance of 7.83; the difference of two counts of one cell twice that: 2 √15.7 = 7.91."""
    counts = with_counts((100, 10), (20, 20 + gain))
    assert PrunedTree().learn(counts).leaves == leaves
    assert PrunedTree(deviations=0).learn(counts).leaves == 2


@pytest.mark.parametrize(("gain", "leaves"), [(15, 1), (16, 2)])
def test_more_cells_have_more_noise(gain: int, leaves: int) -> None:
    """Four cells answered otherwise: twice as much as one, 15.8."""
    per_cell = [(20, 20 + gain // 4 + (i < gain % 4)) for i in range(4)]
    assert PrunedTree().learn(with_counts((300, 10), *per_cell)).leaves == leaves


def test_noise_cancels_in_sums() -> None:
    """A thousand cells of noise alone, and one of records."""
    noise = noise_of_many(Fraction(2), 2000, NotPrivate(5)).reshape(-1, 2).tolist()
    counts = with_counts((900, 100), *((no, yes) for no, yes in noise))
    learned = PrunedTree().learn(counts)
    assert learned.leaves == 1
    assert learned.predict(pl.DataFrame({"number": ["0", "17"]})) == ["no", "no"]
    positive = np.maximum(counts.cells, 0)
    assert positive[1:].sum() > 1.5 * positive[0].sum()  # the phantoms that positive cells would be


def test_it_learns_from_nothing() -> None:
    empty = people(("A", "f", "yes", 1)).clear()
    learned = PrunedTree().learn(counted(empty))
    assert learned.leaves == 1
    assert learned.predict(people(("B", "m", "no", 2))) == ["no", "no"]


@pytest.mark.parametrize(("field", "value"), [("leaf", 0), ("deviations", -1)])
def test_bad_parameters(field: str, value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        PrunedTree(**{field: value})  # type: ignore[arg-type]
    assert caught.value.where == field
