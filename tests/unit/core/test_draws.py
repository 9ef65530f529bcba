from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from nymity.core.draws import KeyedDraws
from nymity.core.errors import ParameterError


def test_the_same_key_draws_the_same_and_another_does_not() -> None:
    draws = KeyedDraws.fresh()
    again = KeyedDraws(key=draws.key)
    assert np.array_equal(draws.permutation("rows", 50), again.permutation("rows", 50))
    assert not np.array_equal(draws.permutation("rows", 50), KeyedDraws.fresh().permutation("rows", 50))


def test_purposes_are_independent_of_each_other() -> None:
    draws = KeyedDraws.seeded(1)
    assert not np.array_equal(draws.permutation("rows", 50), draws.permutation("columns", 50))
    first = [draws.below("links")(1000) for _ in range(3)]
    assert len(set(first)) == 1  # a new function starts anew
    below = draws.below("links")
    assert len({below(10**9) for _ in range(50)}) == 50


def test_every_order_is_as_likely_as_any_other() -> None:
    """24 orders, 4,800 draws: chi-squared with 23 degrees of freedom exceeds 60 with probability below 1e-4."""
    drawn = Counter(tuple(KeyedDraws.seeded(seed).permutation("rows", 4).tolist()) for seed in range(4800))
    expected = 4800 / 24
    assert sum((drawn[order] - expected) ** 2 / expected for order in permutations(range(4))) < 60


def test_certificates_are_told_where_draws_come_from() -> None:
    assert KeyedDraws.fresh().origin == "operating system"
    assert KeyedDraws.seeded(3).origin == "a known seed"
    assert "key" not in repr(KeyedDraws.fresh())


def test_a_key_has_its_length() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        KeyedDraws(key=b"short")


def test_a_permutation_holds_everything_once() -> None:
    assert np.array_equal(np.sort(KeyedDraws.fresh().permutation("rows", 1000)), np.arange(1000))
    assert len(KeyedDraws.fresh().permutation("rows", 0)) == 0


def test_contexts_of_one_key_have_nothing_in_common() -> None:
    draws = KeyedDraws.seeded(5)
    one, other = draws.derived("a"), draws.derived("b")
    assert one.key != other.key != draws.key
    assert one.seed == 5
    assert draws.derived("a").key == one.key


def test_numbers_are_below_their_limits_and_as_likely_as_any_other() -> None:
    """Limits 3 in 3,000 draws: chi-squared with 2 degrees of freedom exceeds 27.6 with probability 1e-6."""
    drawn = KeyedDraws.seeded(2).numbers("classes", np.array([3, 1] * 3000))
    assert (drawn[1::2] == 0).all()
    assert KeyedDraws.seeded(2).numbers("classes", np.array([2**62 + 1] * 50)).max() <= 2**62
    counts = np.bincount(drawn[0::2], minlength=3)
    assert len(counts) == 3
    assert float((((counts - 1000) ** 2) / 1000).sum()) < 27.6


@pytest.mark.parametrize("seed", [1.0, "1", True, None])
def test_a_known_seed_is_a_whole_number(seed: Any) -> None:
    """Otherwise 1 and 1.0, which are equal, would be two seeds."""
    with pytest.raises(ParameterError, match="seed"):
        KeyedDraws.seeded(seed)
