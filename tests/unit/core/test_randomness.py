from __future__ import annotations

import numpy as np

from nymity.core.randomness import replayable, salt, secure_permutation


def test_a_permutation_holds_everything_once_and_changes() -> None:
    first, second = secure_permutation(1000), secure_permutation(1000)
    assert np.array_equal(np.sort(first), np.arange(1000))
    assert not np.array_equal(first, second)  # equal with probability 1 / 1000!
    assert len(secure_permutation(0)) == 0


def test_every_order_of_three_is_about_as_frequent() -> None:
    draws = 6000
    counts = np.unique([secure_permutation(3) @ np.array([9, 3, 1]) for _ in range(draws)], return_counts=True)[1]
    assert len(counts) == 6
    # chi-squared with 5 degrees of freedom exceeds 35.9 with probability 1e-6
    assert float((((counts - draws / 6) ** 2) / (draws / 6)).sum()) < 35.9


def test_salts_are_256_bits_and_fresh() -> None:
    assert len(bytes.fromhex(salt())) == 32
    assert salt() != salt()


def test_a_seed_gives_the_same_numbers_for_ever() -> None:
    draw = replayable(1)
    assert [draw.random() for _ in range(2)] == [0.13436424411240122, 0.8474337369372327]
