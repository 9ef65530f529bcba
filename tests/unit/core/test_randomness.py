from __future__ import annotations

from nymity.core.randomness import replayable, salt


def test_salts_are_256_bits_and_fresh() -> None:
    assert len(bytes.fromhex(salt())) == 32
    assert salt() != salt()


def test_a_seed_gives_the_same_numbers_for_ever() -> None:
    draw = replayable(1)
    assert [draw.random() for _ in range(2)] == [0.13436424411240122, 0.8474337369372327]
