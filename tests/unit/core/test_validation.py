from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core import validation
from nymity.core.errors import ParameterError


@pytest.mark.parametrize("value", [0, True, 2.0, "3", None, -1, 11])
def test_whole_number_refuses_what_is_outside_or_no_integer(value: object) -> None:
    with pytest.raises(ParameterError, match=r"k: expected a whole number from 1 to 10, got"):
        validation.whole_number("k", value, at_least=1, at_most=10)


@pytest.mark.parametrize("value", [1, 10])
def test_whole_number_takes_its_bounds(value: int) -> None:
    validation.whole_number("k", value, at_least=1, at_most=10)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "0.5", None, True, -0.1, 1.1])
def test_number_refuses_what_is_outside_or_not_finite(value: object) -> None:
    with pytest.raises(ParameterError, match="a number from 0 to 1"):
        validation.number("t", value, at_least=0, at_most=1)


def test_number_above_is_strict() -> None:
    validation.number("c", 0.001, above=0)
    with pytest.raises(ParameterError, match="above 0"):
        validation.number("c", 0, above=0)


def test_number_names_both_bounds() -> None:
    validation.number("alpha", 1, above=0, at_most=1)
    for value in (0, 1.5):
        with pytest.raises(ParameterError, match=f"alpha: expected a number above 0 and at most 1, got {value}"):
            validation.number("alpha", value, above=0, at_most=1)


def test_a_short_fraction_leaves_room_for_counts() -> None:
    assert validation.short_fraction("c", 0.29) == Fraction(29, 100)
    assert validation.short_fraction("c", 2**31 - 1) == 2**31 - 1
    assert validation.short_fraction("c", 0.123456789) == Fraction(123456789, 10**9)
    for value in (2**31, 1 / 3, 1e-10):
        with pytest.raises(ParameterError, match=r"c: expected a number of at most nine digits, got .*fewer digits"):
            validation.short_fraction("c", value)


def test_one_of_names_the_nearest() -> None:
    with pytest.raises(ParameterError, match="did you mean 'mask'"):
        validation.one_of("outliers", "msk", ["mask", "remove"])


def test_nearest_takes_any_iterable_and_keeps_the_spelling() -> None:
    assert validation.nearest("zip code", iter(["ZIP Code", "age"])) == "did you mean 'ZIP Code'?"
    assert validation.nearest("xyz", ["age"]) == ""


def test_a_fraction_is_the_decimal_as_written() -> None:
    assert validation.exact_fraction(0.29) == Fraction(29, 100)
    assert validation.exact_fraction(0.1) + validation.exact_fraction(0.2) == validation.exact_fraction(0.3)
    assert validation.exact_fraction(np.float64(0.29)) == Fraction(29, 100)
    assert validation.exact_fraction(np.float32(0.5)) == Fraction(1, 2)  # type: ignore[arg-type]
    assert validation.exact_fraction(1e-7) == Fraction(1, 10**7)
    assert validation.exact_fraction("2/7") == Fraction(2, 7)
    assert validation.exact_fraction(Decimal("0.05")) == Fraction(1, 20)


@given(st.integers(0, 10**6), st.integers(0, 6))
def test_every_decimal_that_can_be_typed_comes_back_exactly(digits: int, places: int) -> None:
    typed = Decimal(digits).scaleb(-places)
    assert validation.exact_fraction(float(typed)) == Fraction(typed)
