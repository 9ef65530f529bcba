"""Average risk and sample uniques: promises about all published classes together."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nymity.core.errors import ParameterError
from nymity.lattice.rollup import RollUp
from nymity.privacy import AverageRisk, FPrivacy, Groups, KAnonymity, PrivacyModel, SampleUniques
from nymity.privacy.decision import decide
from nymity.table.attribute import quasi, sensitive
from nymity.table.classes import Classes
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

MODELS: list[tuple[PrivacyModel, naive.Overview]] = [
    *((AverageRisk(limit=limit), naive.seldom_found(limit)) for limit in (1, 0.7, 0.5, 0.3333333, 0.29, 0.2, 0.01)),
    *((SampleUniques(limit=limit), naive.seldom_alone(limit)) for limit in (1, 0.5, 0.29, 0.1, 0.01, 0)),
]
SIZES = st.lists(st.integers(1, 9), max_size=12)


def named(value: object) -> str:
    return repr(value) if isinstance(value, PrivacyModel) else "oracle"


def as_classes(sizes: list[int]) -> Classes:
    return Classes(np.array(sizes, dtype=np.uint32))


def published(model: PrivacyModel, sizes: list[int]) -> list[int]:
    """What is left of some classes, in ascending order."""
    classes = as_classes(sizes)
    kept = model.together(classes, model.accepts(classes))
    return sorted(classes.sizes[kept].tolist())


@pytest.mark.parametrize(("model", "overview"), MODELS, ids=named)
@given(sizes=SIZES, data=st.data())
@settings(max_examples=30)
def test_the_smallest_go_until_the_rest_keeps_it(
    model: PrivacyModel, overview: naive.Overview, sizes: list[int], data: st.DataObject
) -> None:
    rest = sorted(sizes)
    while not overview(rest):
        rest = [n for n in rest if n > rest[0]]
    assert published(model, sizes) == rest
    assert published(model, data.draw(st.permutations(sizes))) == rest
    classes = as_classes(sizes)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes))), dtype=np.bool_)
    again = model.together(classes, kept)
    assert not (again & ~kept).any()
    assert sorted(classes.sizes[again].tolist()) == published(model, classes.sizes[kept].tolist())


def partitions(n: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """All ways to split a class of n records."""
    if n == 0:
        yield ()
    for first in range(min(n, most or n), 0, -1):
        yield from ((first, *rest) for rest in partitions(n - first, first))


@pytest.mark.parametrize(("model", "overview"), MODELS, ids=named)
@pytest.mark.parametrize("sizes", [(1, 1, 3), (2, 1, 1, 1), (4, 1), (1, 1, 1, 1), (3, 2, 1), (5,), (2, 2, 2)], ids=str)
def test_no_finer_partition_publishes_more_than_the_bound(
    model: PrivacyModel, overview: naive.Overview, sizes: tuple[int, ...]
) -> None:
    """Every split of every class, and every choice of parts that keeps the promise, as other models may make it."""
    classes = as_classes(list(sizes))
    bound = model.most_kept(classes, model.accepts(classes)).tolist()
    reached = [0] * len(sizes)
    for split in product(*map(partitions, sizes)):
        parts = [(whole, n) for whole, part in enumerate(split) for n in part]
        for chosen in chain.from_iterable(combinations(parts, r) for r in range(1, len(parts) + 1)):
            if overview([n for _, n in chosen]):
                for whole in range(len(sizes)):
                    reached[whole] = max(reached[whole], sum(n for w, n in chosen if w == whole))
    assert reached == bound  # not only a bound: the least there is


def test_average_risk_is_not_monotone() -> None:
    """The counterexample: joining three records publishes fewer than before, because all classes of a size go."""
    model = AverageRisk(limit=0.25)
    assert published(model, [3, 5, 1, 1, 1]) == [3, 5]
    assert published(model, [3, 5, 3]) == [5]
    assert not model.monotone_generalization


def test_sample_uniques_are_not_monotone_beside_others() -> None:
    """The counterexample: a class that another model accepts no more takes the unique record with it."""
    rows = [["1", "1", "*"], ["2", "2-3", "*"], ["3", "2-3", "*"]]
    schema = Schema({"a": quasi(Hierarchy.from_rows(rows)), "s": sensitive()})
    table = pl.DataFrame({"a": ["1", "2", "2", "3", "3"], "s": ["q", "p", "q", "p", "p"]})
    models = [SampleUniques(limit=0.333333334), FPrivacy(thresholds={"p": 0.5}, attribute="s")]
    engine = RollUp(encode(table, schema), models, outliers="remove")
    assert [int(engine.check((level,)).suppressed[0]) for level in (0, 1)] == [2, 5]


@pytest.mark.parametrize(("model", "overview"), MODELS, ids=named)
def test_declarations(model: PrivacyModel, overview: naive.Overview) -> None:
    """More than the size of a class counts, so the kernel that knows sizes only must not decide."""
    assert not model.size_only
    assert not model.monotone_suppression
    assert not model.compares
    assert model.sensitive == ()
    table = pl.DataFrame({"a": ["x", "x", "y"]})
    assert not RollUp(encode(table, Schema({"a": quasi()})), [KAnonymity(k=1), model]).fused


@given(SIZES, st.sampled_from([1, 2, 3, 5]))
@settings(max_examples=30)
def test_several_together(sizes: list[int], k: int) -> None:
    """k-anonymity, then both averages, until all are kept."""
    models = [SampleUniques(limit=0.1), AverageRisk(limit=0.3), KAnonymity(k=k)]
    rest = sorted(n for n in sizes if n >= k)
    while not (naive.seldom_alone(0.1)(rest) and naive.seldom_found(0.3)(rest)):
        rest = [n for n in rest if n > rest[0]]
    for order in (models, models[::-1]):
        decision = decide(as_classes(sizes), order, "mask")
        assert sorted(np.array(sizes, dtype=int)[decision.published].tolist()) == rest
        masked = sum(sizes) - sum(rest)
        whole = [*rest, *([masked] if masked else [])]  # the masked rows count as a class in every mean
        fine = naive.seldom_alone(0.1)(whole) and naive.seldom_found(0.3)(whole) and (not masked or masked >= k)
        assert decision.outliers == ("mask" if fine else "remove")


@pytest.mark.parametrize("hundredth", range(1, 101))
def test_every_hundredth_as_a_risk(hundredth: int) -> None:
    """So many classes of 100 records are fine and of 99 are not, for decimals like 0.29 too."""
    model, ones = AverageRisk(limit=hundredth / 100), [1] * (hundredth - 1)
    assert published(model, [*ones, 101 - hundredth]) == [*ones, 101 - hundredth]
    assert model.holds(table_of([*ones, 101 - hundredth]))
    if hundredth < 100:
        assert published(model, [*ones, 100 - hundredth]) == ([100 - hundredth] if 1 < hundredth < 99 else [])
        assert not model.holds(table_of([*ones, 100 - hundredth]))


@pytest.mark.parametrize("hundredth", range(98))
def test_every_hundredth_of_unique_records(hundredth: int) -> None:
    """So many of 100 records may be unique, and one more takes all of them out."""
    model, ones = SampleUniques(limit=hundredth / 100), [1] * hundredth
    assert published(model, [*ones, 100 - hundredth]) == [*ones, 100 - hundredth]
    assert model.holds(table_of([*ones, 100 - hundredth]))
    assert published(model, [*ones, 1, 99 - hundredth]) == [99 - hundredth]
    assert not model.holds(table_of([*ones, 1, 99 - hundredth]))


def test_the_largest_numbers() -> None:
    """Sums stay within 64 bits for the longest limit and the largest table."""
    model = AverageRisk(limit=0.000000001)
    assert published(model, [2**31 - 1]) == [2**31 - 1]
    assert published(model, [10**9, 10**9]) == [10**9] * 2
    assert published(model, [10**9 - 1]) == []
    assert published(AverageRisk(limit=0.999999999), [1] * 1000 + [2]) == sorted([1] * 1000 + [2])
    assert published(AverageRisk(limit=0.999999999), [1] * 1000) == []


# -- on tables ---------------------------------------------------------------------------------------------------


def table_of(sizes: list[int], masked: int = 0) -> Groups:
    cells = [str(i) for i, n in enumerate(sizes) for _ in range(n)] + ["*"] * masked
    return Groups(pl.DataFrame({"a": cells}, schema={"a": pl.String}), ["a"])


@pytest.mark.parametrize(("model", "overview"), MODELS, ids=named)
@given(sizes=SIZES, masked=st.integers(0, 3))
@settings(max_examples=30)
def test_holds_and_measures_on_a_table(
    model: PrivacyModel, overview: naive.Overview, sizes: list[int], masked: int
) -> None:
    """Masked rows are one more class."""
    groups = table_of(sizes, masked)
    counted = [*sizes, masked] if masked else sizes
    assert model.holds(groups) == overview(counted)
    weight = len(counted) if isinstance(model, AverageRisk) else counted.count(1)
    assert model.reached(groups) == {"limit": float(Fraction(weight, sum(counted))) if counted else None}


# -- parameters --------------------------------------------------------------------------------------------------


def test_a_limit_that_no_table_of_this_size_keeps() -> None:
    encoded = encode(pl.DataFrame({"a": ["x", "y", "z", "z"]}), Schema({"a": quasi()}))
    AverageRisk(limit=0.25).check(encoded)
    SampleUniques(limit=0).check(encoded)
    with pytest.raises(ParameterError, match=r"limit: expected at least 1/4: the table has 4 records, got 0\.24"):
        AverageRisk(limit=0.24).check(encoded)


@pytest.mark.parametrize("bad", [-0.1, 1.1, True, "0.2", float("nan"), 1 / 3])
def test_bad_limits(bad: float) -> None:
    for model in (AverageRisk, SampleUniques):
        with pytest.raises(ParameterError, match=rf"{model.key}\.limit: expected a number"):
            model(limit=bad)
    with pytest.raises(ParameterError, match=r"average-risk\.limit: expected a number above 0 and at most 1, got 0"):
        AverageRisk(limit=0)


def test_promises_name_their_numbers() -> None:
    assert AverageRisk(limit=0.2).promise().startswith("average risk of at most 0.2: ")
    assert SampleUniques(limit=0.05).promise().startswith("sample uniques of at most 0.05: ")
