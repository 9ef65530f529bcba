"""Cell suppression: every cell is the value or ``*``, every row is there k times, and few cells are suppressed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.core.draws import KeyedDraws
from nymity.core.errors import ParameterError, SchemaError
from nymity.partition.exact_suppression import ExactSuppression
from nymity.partition.outcome import PartitionOutcome
from nymity.partition.suppression import CellSuppression, Suppression
from nymity.privacy import DistinctLDiversity, KAnonymity, PrivacyModel
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

METHODS = (CellSuppression(), CellSuppression(rounds=0), ExactSuppression())
Row = tuple[str, ...]
WEIGHTS = st.sampled_from([1.0, 1.0, 0.5, 3.0])


def rows_of(columns: int, most: int, least: int) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(*[st.sampled_from("abc")] * columns), min_size=least, max_size=most)


def solved(
    method: Suppression, rows: list[Row], models: list[PrivacyModel], weights: list[float] | None = None
) -> tuple[PartitionOutcome, list[Row]]:
    names = [f"c{a}" for a in range(len(rows[0]))]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    schema = Schema({name: quasi(weight=weight) for name, weight in zip(names, weights or [1.0] * 9, strict=False)})
    draws = KeyedDraws.seeded(3)
    outcome = method.run(encode(frame, schema), models, draws=draws)
    return outcome, outcome.recoding.apply(frame, draws=draws).table.rows()


def cost(table: list[Row], weights: list[float]) -> Fraction:
    """What the suppressed cells of a written table cost, a column of mean weight being 1."""
    mean = Fraction(sum(map(Fraction, weights))) / len(weights)
    return sum((Fraction(weights[a]) / mean for row in table for a, cell in enumerate(row) if cell == "*"), Fraction(0))


@given(rows=rows_of(2, 4, 2), weights=st.lists(WEIGHTS, min_size=2, max_size=2))
@settings(max_examples=40, deadline=None)
def test_every_table_of_suppressed_cells_is_a_partition(rows: list[Row], weights: list[float]) -> None:
    """The definition tries all ways to suppress cells; what partitions cost is the same (Meyerson & Williams 2004)."""
    exact = [Fraction(weight) for weight in weights]
    assert naive.fewest_stars(rows, 2, exact) == naive.cheapest_classes(rows, 2, exact)


@given(rows=rows_of(3, 7, 3), k=st.integers(1, 3), weights=st.lists(WEIGHTS, min_size=3, max_size=3))
@settings(max_examples=60, deadline=None)
def test_suppressed_cells_against_the_definition(rows: list[Row], k: int, weights: list[float]) -> None:
    mean = Fraction(sum(map(Fraction, weights))) / len(weights)
    least = naive.cheapest_classes(rows, k, [Fraction(weight) / mean for weight in weights])
    for method in METHODS:
        outcome, table = solved(method, rows, [KAnonymity(k=k)], weights)
        assert min(table.count(row) for row in table) >= k
        assert all(
            cell in (value, "*")
            for row, raw in zip(table, rows, strict=True)
            for value, cell in zip(raw, row, strict=True)
        )
        assert outcome.loss == pytest.approx(float(cost(table, weights)))
        assert outcome.bound is not None
        assert outcome.bound <= float(least) + 1e-9
        assert float(least) <= outcome.loss + 1e-9
        if method.key == "exact-suppression":
            assert outcome.optimal
            assert outcome.loss == pytest.approx(float(least))


def sample(n: int, seed: int) -> list[Row]:
    """People with six columns of unequal variety, three of which hang together."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 4, n)
    columns = [rng.integers(0, size, n) for size in (2, 9, 5)] + [(kind + (rng.random(n) < 0.2)) % 4 for _ in range(3)]
    return [tuple(map(str, row)) for row in np.stack(columns, axis=1).tolist()]


@pytest.mark.parametrize("seed", range(3))
def test_the_heuristic_stays_near_the_optimum(seed: int) -> None:
    """On samples that are proved in a second; `nymity bench toolbox` does the same with 60 records of real data."""
    rows, models = sample(30, seed), [KAnonymity(k=3)]
    found, _ = solved(CellSuppression(), rows, models)
    start, _ = solved(CellSuppression(rounds=0), rows, models)
    least, _ = solved(ExactSuppression(), rows, models)
    assert least.optimal
    assert least.loss <= found.loss <= min(start.loss, 1.15 * least.loss)


def test_dear_columns_are_suppressed_less() -> None:
    rows = sample(200, 5)
    plain, dear = (
        solved(CellSuppression(), rows, [KAnonymity(k=4)], [1, weight, 1, 1, 1, 1])[1] for weight in (1.0, 20.0)
    )
    counts = [sum(row[1] == "*" for row in table) for table in (plain, dear)]
    assert counts[1] < counts[0] / 2


def test_many_columns() -> None:
    """Of more than ten columns not all patterns are tried, and nothing is proved of the loss."""
    rng = np.random.default_rng(1)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 2, (60, 14)).tolist()]
    outcome, table = solved(CellSuppression(), rows, [KAnonymity(k=3)], [1.0] * 14)
    assert min(table.count(row) for row in table) >= 3
    assert outcome.bound is None
    assert outcome.loss < 60 * 14 * 0.8
    wide = [row * 5 for row in rows]
    with pytest.raises(ParameterError, match="at most 62 quasi-identifiers, got 70"):
        solved(CellSuppression(), wide, [KAnonymity(k=3)], [1.0] * 70)


AGES = Hierarchy.from_rows([[str(age), "young" if age < 4 else "old", "any"] for age in range(8)])


def published(method: Any, models: Any = None, **attributes: Any) -> ny.Release:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {"age": rng.integers(0, 8, 40), "sex": rng.choice(["f", "m"], 40), "ill": rng.choice(["a", "b", "c"], 40)}
    )
    schema = Schema({"age": quasi(AGES, **attributes), "sex": quasi(), "ill": sensitive()})
    return ny.publish(frame, schema, privacy=models or [KAnonymity(k=9)], method=method)


def test_values_are_generalized_first() -> None:
    release = published(CellSuppression(levels={"age": 1}))
    assert set(release.table["age"].unique()) <= {"young", "old", "*"}
    assert Counter(release.table.rows()) == Counter(published(CellSuppression(), min_level=1).table.rows())
    assert release.loss < published(CellSuppression()).loss
    with pytest.raises(ParameterError, match=r"cell-suppression\.levels, 'age': expected a level from 1 to 2, got 0"):
        published(CellSuppression(levels={"age": 0}), min_level=1)
    with pytest.raises(ParameterError, match=r"cell-suppression\.levels: expected one of 'age', 'sex'"):
        published(CellSuppression(levels={"aeg": 1}))
    with pytest.raises(ParameterError, match="expected columns and their levels"):
        CellSuppression(levels=[1])
    with pytest.raises(ParameterError, match="rounds"):
        CellSuppression(rounds=-1)
    with pytest.raises(SchemaError, match="no max_level for the method 'cell-suppression'"):
        published(CellSuppression(), max_level=1)


def test_classes_that_break_another_promise_are_merged() -> None:
    release = published(CellSuppression(), [KAnonymity(k=3), DistinctLDiversity(l=3, attribute="ill")])
    assert release.verification.holds
    with pytest.raises(ParameterError, match="models that ask only for the size of classes"):
        published(ExactSuppression(), [DistinctLDiversity(l=3, attribute="ill")])


def test_new_rows_go_to_classes_that_fit_them() -> None:
    """A suppressed cell stands for every value, the top of a hierarchy being called otherwise."""
    recoding = published(CellSuppression()).recoding.as_function()
    new = pl.DataFrame({"age": ["0", "7"], "sex": ["f", "m"], "ill": ["a", "a"]})
    table = recoding.apply(new, draws=KeyedDraws.seeded(0)).table
    for raw, row in zip(new.select("age", "sex").rows(), table.select("age", "sex").rows(), strict=True):
        assert all(cell in (value, "*") for value, cell in zip(raw, row, strict=True))


def test_the_certificate_names_the_loss_and_is_checked(tmp_path: Any) -> None:
    release = published(ExactSuppression())
    assert release.certificate["loss"]["key"] == "suppressed-cells"
    release.save(tmp_path / "release")
    assert ny.check(tmp_path / "release").holds
