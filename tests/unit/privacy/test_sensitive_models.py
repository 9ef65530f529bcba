"""Models that count sensitive values, and the risk limit: equality, size of the smallest class, parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from nymity.core.errors import ParameterError
from nymity.privacy import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    Groups,
    KAnonymity,
    PrivacyModel,
    ProsecutorRisk,
    RecursiveDiversity,
)
from nymity.privacy.entropy_diversity import TOLERANCE
from nymity.table.attribute import quasi, sensitive
from nymity.table.classes import Classes, Histogram
from nymity.table.encoding import encode
from nymity.table.schema import Schema


def one_class(*counts: int) -> Classes:
    n, ones = len(counts), np.zeros(len(counts), dtype=np.uint32)
    histogram = Histogram(1, n, ones, np.arange(n, dtype=np.uint32), np.array(counts, dtype=np.uint32))
    return Classes(np.array([sum(counts)], dtype=np.uint32), {"s": histogram})


def decide(model: PrivacyModel, *counts: int) -> bool:
    """Ask both ways, on arrays and (where it is small enough) on a table; they agree."""
    accepted = bool(model.accepts(one_class(*counts))[0])
    if sum(counts) <= 10_000:
        values = [f"v{i}" for i, n in enumerate(counts) for _ in range(n)]
        table = pl.DataFrame({"q": ["x"] * len(values), "s": values})
        assert model.holds(Groups(table, ["q"])) == accepted
    return accepted


def partitions(n: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """All ways to write n as a sum of counts in descending order."""
    if n == 0:
        yield ()
    for first in range(min(n, most or n), 0, -1):
        yield from ((first, *rest) for rest in partitions(n - first, first))


# -- exact equality ----------------------------------------------------------------------------------------------


def test_frequency_at_equality() -> None:
    assert decide(FrequencyLDiversity(l=3.3, attribute="s"), 10, 10, 10, 3)
    assert not decide(FrequencyLDiversity(l=3.3, attribute="s"), 10, 10, 10, 2)
    assert decide(FrequencyLDiversity(l=1.1, attribute="s"), 10, 1)  # 1.1 * 10 is 11.000000000000002 in floating point
    assert not decide(FrequencyLDiversity(l=1.1, attribute="s"), 11, 1)


def test_frequency_of_the_largest_numbers() -> None:
    """Products stay within 64 bits for the longest l and the largest classes."""
    model = FrequencyLDiversity(l=1.000000001, attribute="s")
    assert not model.accepts(one_class(2**31 - 1))[0]
    assert model.accepts(one_class(2**31 - 10, 9))[0]
    assert not model.accepts(one_class(2**31 - 3, 2))[0]
    assert FrequencyLDiversity(l=2147483647, attribute="s").smallest_class == 2**31 - 1
    assert not FrequencyLDiversity(l=2147483647, attribute="s").accepts(one_class(2**31 - 2, 1))[0]


@pytest.mark.parametrize("l", range(1, 201))
def test_even_values_pass_the_entropy_of_their_number(l: int) -> None:  # noqa: E741
    model = EntropyLDiversity(l=l, attribute="s")
    for count in (1, 3, 100, 1_000_003, (2**31 - 1) // l):
        assert model.accepts(one_class(*[count] * l))[0]
    assert decide(model, *[3] * l)
    assert not decide(EntropyLDiversity(l=l + 1e-5, attribute="s"), *[3] * l)
    if l > 1:
        assert not model.accepts(one_class(101, 99, *[100] * (l - 2)))[0]
        assert not decide(model, 1, *[2] * (l - 1))
        assert not decide(model, *[2] * (l - 1))


def test_the_tolerance_of_the_entropy() -> None:
    entropy = 1.5 * math.log(2)  # of 2 : 1 : 1
    within, beyond = math.exp(entropy * (1 + TOLERANCE / 2)), math.exp(entropy * (1 + TOLERANCE * 2))
    assert decide(EntropyLDiversity(l=within, attribute="s"), 20, 10, 10)
    assert not decide(EntropyLDiversity(l=beyond, attribute="s"), 20, 10, 10)
    assert not decide(EntropyLDiversity(l=1 + 1e-15, attribute="s"), 5)
    assert EntropyLDiversity(l=3 + 1e-12, attribute="s").smallest_class == 3
    assert decide(EntropyLDiversity(l=3 + 1e-12, attribute="s"), 1, 1, 1)


def test_the_entropy_of_one_exception_among_very_many() -> None:
    n = 2**30
    entropy = math.log(n) / n - (n - 1) / n * math.log1p(-1 / n)
    for share, passes in ((1 - 1e-6, True), (1 + 1e-6, False)):
        model = EntropyLDiversity(l=math.exp(entropy * share), attribute="s")
        assert model.accepts(one_class(n - 1, 1))[0] == passes


def test_recursive_is_strict() -> None:
    assert not decide(RecursiveDiversity(c=2, l=2, attribute="s"), 4, 2)
    assert decide(RecursiveDiversity(c=2.00001, l=2, attribute="s"), 4, 2)
    assert decide(RecursiveDiversity(c=2, l=2, attribute="s"), 4, 2, 1)
    # 0.07 * 100 is 7.000000000000001 in floating point
    assert not decide(RecursiveDiversity(c=0.07, l=2, attribute="s"), 7, *[5] * 20)
    assert decide(RecursiveDiversity(c=0.07, l=2, attribute="s"), 7, *[5] * 20, 1)


def test_recursive_needs_l_values() -> None:
    assert not decide(RecursiveDiversity(c=1_000_000, l=3, attribute="s"), 5, 5)
    assert decide(RecursiveDiversity(c=1_000_000, l=3, attribute="s"), 5, 5, 1)
    assert decide(RecursiveDiversity(c=1.5, l=1, attribute="s"), 5)
    assert not decide(RecursiveDiversity(c=1, l=1, attribute="s"), 5)


def test_recursive_of_the_largest_numbers() -> None:
    model = RecursiveDiversity(c=2147483647, l=2, attribute="s")
    assert model.accepts(one_class(2**31 - 2, 1))[0]
    assert not RecursiveDiversity(c=2147483646, l=2, attribute="s").accepts(one_class(2**31 - 2, 1))[0]


@pytest.mark.parametrize("hundredth", range(1, 101))
def test_every_hundredth_as_a_share(hundredth: int) -> None:
    """0.29 * 100 is less than 29 and 0.07 * 100 more than 7 in floating point; the share is exact all the same."""
    model = AlphaKAnonymity(alpha=hundredth / 100, k=100, attribute="s")
    small = [1] * (100 - hundredth)
    assert decide(model, hundredth, *small)
    if hundredth < 100:
        assert not decide(model, hundredth + 1, *small[1:])
    assert not decide(model, *[1] * 99)


@pytest.mark.parametrize(
    ("limit", "size"),
    [(1, 1), (0.5, 2), (0.2, 5), (0.29, 4), (0.3333333, 4), (0.333333334, 3), (0.07, 15), (0.05, 20), (1e-3, 1000)],
)
def test_the_class_a_risk_asks_for(limit: float, size: int) -> None:
    model = ProsecutorRisk(limit=limit)
    assert model.smallest_class == size
    assert model.size_only
    assert decide(model, size)
    if size > 1:
        assert not decide(model, size - 1)


def test_numbers_of_numpy() -> None:
    assert ProsecutorRisk(limit=np.float64(0.2)).smallest_class == 5
    assert ProsecutorRisk(limit=np.float32(0.5)).smallest_class == 2  # type: ignore[arg-type]
    assert FrequencyLDiversity(l=np.int64(3), attribute="s").smallest_class == 3


# -- the smallest class ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        *(FrequencyLDiversity(l=l, attribute="s") for l in (1, 1.2, 2, 2.5, 4)),  # noqa: E741
        *(EntropyLDiversity(l=l, attribute="s") for l in (1, 1.2, 2, 2.5, 4)),  # noqa: E741
        *(
            RecursiveDiversity(c=c, l=l, attribute="s")
            for c in (0.3, 0.5, 1, 1.5, 4)
            for l in (1, 2, 3, 4)  # noqa: E741
        ),
        *(AlphaKAnonymity(alpha=alpha, k=k, attribute="s") for alpha in (1, 0.5, 0.3) for k in (1, 3, 5)),
    ],
    ids=repr,
)
def test_the_smallest_class_is_the_smallest(model: PrivacyModel) -> None:
    """Over all ways to fill a class: none below it is accepted, one of its size is."""
    for n in range(1, model.smallest_class + 1):
        accepted = any(model.accepts(one_class(*counts))[0] for counts in partitions(n))
        assert accepted == (n == model.smallest_class)
    assert not model.size_only
    assert model.sensitive == ("s",)


# -- parameters --------------------------------------------------------------------------------------------------

TABLE = pl.DataFrame({"a": ["x", "y", "z", "z"], "disease": ["flu", "flu", None, "cold"]})


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        (
            FrequencyLDiversity(l=3, attribute="disease"),
            FrequencyLDiversity(l=3.1, attribute="disease"),
            r"frequency-l-diversity\.l: expected at most 3, the different values of 'disease', got 3\.1",
        ),
        (
            EntropyLDiversity(l=3, attribute="disease"),
            EntropyLDiversity(l=3.01, attribute="disease"),
            r"entropy-l-diversity\.l: expected at most 3, the different values of 'disease', got 3\.01",
        ),
        (
            RecursiveDiversity(c=1.1, l=3, attribute="disease"),
            RecursiveDiversity(c=1.1, l=4, attribute="disease"),
            r"recursive-diversity\.l: expected at most 3, the different values of 'disease', got 4",
        ),
        (
            RecursiveDiversity(c=0.6, l=2, attribute="disease"),
            RecursiveDiversity(c=0.5, l=2, attribute="disease"),
            r"recursive-diversity\.c: expected more than 1/2: 'disease' has 3 different values, got 0\.5",
        ),
        (
            AlphaKAnonymity(alpha=0.34, k=4, attribute="disease"),
            AlphaKAnonymity(alpha=0.33, k=4, attribute="disease"),
            r"alpha-k-anonymity\.alpha: expected at least 1/3: 'disease' has 3 different values, got 0\.33",
        ),
        (
            AlphaKAnonymity(alpha=1, k=4, attribute="disease"),
            AlphaKAnonymity(alpha=1, k=5, attribute="disease"),
            r"alpha-k-anonymity\.k: expected at most 4, the number of records, got 5",
        ),
        (
            ProsecutorRisk(limit=0.25),
            ProsecutorRisk(limit=0.24),
            r"prosecutor-risk\.limit: expected at least 1/4: the table has 4 records, got 0\.24",
        ),
    ],
)
def test_parameters_that_do_not_fit_the_table(good: PrivacyModel, bad: PrivacyModel, said: str) -> None:
    encoded = encode(TABLE, Schema({"a": quasi(), "disease": sensitive()}))
    good.check(encoded)
    with pytest.raises(ParameterError, match=said):
        bad.check(encoded)


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (FrequencyLDiversity, {"l": 2}),
        (EntropyLDiversity, {"l": 2}),
        (RecursiveDiversity, {"c": 2, "l": 2}),
        (AlphaKAnonymity, {"alpha": 0.5, "k": 2}),
    ],
)
def test_attributes(model: Any, fields: dict[str, Any]) -> None:
    encoded = encode(TABLE, Schema({"a": quasi(), "disease": sensitive()}))
    with pytest.raises(
        ParameterError, match=rf"{model.key}\.attribute: expected the name of a sensitive column, got 3"
    ):
        model(attribute=3, **fields)
    with pytest.raises(ParameterError, match=rf"{model.key}\.attribute: .*\('disease'\), got 'desease'.*'disease'\?"):
        model(attribute="desease", **fields).check(encoded)
    with pytest.raises(ParameterError, match=r"got 'a'.*declare 'a' sensitive"):
        model(attribute="a", **fields).check(encoded)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: AlphaKAnonymity(alpha=0, k=2, attribute="s"), "alpha: expected a number above 0 and at most 1, got 0"),
        (lambda: AlphaKAnonymity(alpha=1.5, k=2, attribute="s"), "a number above 0 and at most 1, got 1.5"),
        (lambda: AlphaKAnonymity(alpha=1 / 3, k=2, attribute="s"), "alpha: expected a number of at most nine digits"),
        (lambda: RecursiveDiversity(c=1e-10, l=2, attribute="s"), "c: expected a number of at most nine digits"),
        (lambda: RecursiveDiversity(c=2**31, l=2, attribute="s"), "c: expected a number of at most nine digits"),
        (lambda: RecursiveDiversity(c=0, l=2, attribute="s"), "c: expected a number above 0, got 0"),
        (lambda: FrequencyLDiversity(l=10 / 3, attribute="s"), "l: expected a number of at most nine digits"),
        (lambda: FrequencyLDiversity(l=0.5, attribute="s"), "l: expected a number of at least 1, got 0.5"),
        (lambda: EntropyLDiversity(l=math.nan, attribute="s"), "l: expected a number of at least 1, got nan"),
        (lambda: ProsecutorRisk(limit=2), "limit: expected a number above 0 and at most 1, got 2"),
    ],
)
def test_bad_numbers(build: Any, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        build()
    assert said in str(caught.value)


def test_promises_name_their_numbers() -> None:
    assert FrequencyLDiversity(l=2.5, attribute="s").promise().startswith("frequency 2.5-diversity of 's': ")
    assert "no value there holds more than 1/2.5 of" in FrequencyLDiversity(l=2.5, attribute="s").promise()
    assert "as 3 equally frequent ones" in EntropyLDiversity(l=3, attribute="s").promise()
    recursive = RecursiveDiversity(c=1.5, l=3, attribute="s").promise()
    assert recursive.startswith("recursive (1.5, 3)-diversity of 's': ")
    assert "less than 1.5 times as often as the values from the 3rd most frequent on together" in recursive
    assert "as all values together" in RecursiveDiversity(c=1.5, l=1, attribute="s").promise()
    assert "from the 12th most" in RecursiveDiversity(c=1.5, l=12, attribute="s").promise()
    assert "from the 22nd most" in RecursiveDiversity(c=1.5, l=22, attribute="s").promise()
    assert AlphaKAnonymity(alpha=0.5, k=4, attribute="s").promise().startswith("(0.5, 4)-anonymity of 's': ")
    assert "a chance of at most 0.2" in ProsecutorRisk(limit=0.2).promise()


# -- a table of the literature -----------------------------------------------------------------------------------


def test_the_diverse_inpatients() -> None:
    """The 3-diverse inpatient table of Machanavajjhala et al.: three classes of four records, 2 : 1 : 1 each."""
    table = pl.DataFrame(
        {
            "zip": ["1305*"] * 4 + ["1485*"] * 4 + ["1306*"] * 4,
            "age": ["<= 40"] * 4 + ["> 40"] * 4 + ["<= 40"] * 4,
            "condition": [
                *("heart disease", "viral infection", "cancer", "cancer"),
                *("cancer", "heart disease", "viral infection", "viral infection"),
                *("heart disease", "viral infection", "cancer", "cancer"),
            ],
        }
    )
    groups = Groups(table, ["zip", "age"])
    assert KAnonymity.measure(groups) == {"k": 4}
    assert DistinctLDiversity.measure(groups, "condition") == {"l": 3}
    assert FrequencyLDiversity.measure(groups, "condition") == {"l": 2}
    assert EntropyLDiversity.measure(groups, "condition") == {"l": pytest.approx(2 * math.sqrt(2), abs=1e-9)}
    assert RecursiveDiversity.measure(groups, "condition") == {"c": 1, "l": 2}
    assert RecursiveDiversity(c=2.5, l=3, attribute="condition").reached(groups) == {"c": 2, "l": 3}
    assert AlphaKAnonymity.measure(groups, "condition") == {"alpha": 0.5, "k": 4}
    assert ProsecutorRisk.measure(groups) == {"limit": Fraction(1, 4)}
    assert EntropyLDiversity(l=2.8, attribute="condition").holds(groups)
    assert not EntropyLDiversity(l=2.83, attribute="condition").holds(groups)
