"""Transforms, against their definitions: what is kept exactly, what on average, and where limits lie."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import nymity as ny
from conformance.examples import TRANSFORMS as EXAMPLES
from nymity.core.draws import KeyedDraws
from nymity.core.errors import TableError
from nymity.transforms import TRANSFORMS, Transform

DRAWS = KeyedDraws.seeded(1)
NUMBERS = st.lists(st.none() | st.integers(-50, 50), max_size=40)
TENTHS = st.lists(st.none() | st.integers(-500, 500).map(lambda tenths: tenths / 10), max_size=40)


def applied(one: Transform, table: pl.DataFrame, draws: KeyedDraws = DRAWS) -> pl.DataFrame:
    made = one.changed(table, draws, "test")
    assert set(made) == set(one.columns)
    return table.with_columns(made.values())


def column(values: list[Any], dtype: Any = pl.Int64) -> pl.DataFrame:
    return pl.DataFrame({"x": pl.Series(values, dtype=dtype)})


@pytest.mark.parametrize("key", TRANSFORMS)
def test_gaps_stay_gaps_and_other_columns_stay(key: str) -> None:
    one = TRANSFORMS[key](**EXAMPLES[key])
    gaps = [] if key in ("correlated-noise", "post-randomization", "record-swapping", "shuffling") else [None]
    x = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, *gaps]
    table = pl.DataFrame(
        {"x": x, "y": x, "c": list("aabbccddeef")[: len(x)], "g": [1, 2] * (len(x) // 2) + [1] * (len(x) % 2)}
    )
    made = applied(one, table)
    assert made.columns == table.columns
    assert made.height == table.height
    for name in set(table.columns) - set(one.columns):
        assert made[name].equals(table[name])
    if gaps:
        assert made["x"].is_null().to_list() == table["x"].is_null().to_list()


@pytest.mark.parametrize("key", TRANSFORMS)
def test_an_empty_table_stays_one(key: str) -> None:
    one = TRANSFORMS[key](**{**EXAMPLES[key], **({"limit": 3, "fewest": None} if key == "top-coding" else {})})
    table = pl.DataFrame(schema={"x": pl.Int64, "y": pl.Int64, "c": pl.String, "g": pl.Int64})
    assert applied(one, table).height == 0


# -- codings ---------------------------------------------------------------------------------------------------


@given(NUMBERS, st.integers(1, 10))
def test_the_limit_leaves_enough_beyond_it_and_none_further_out_does(values: list[int | None], fewest: int) -> None:
    present = [value for value in values if value is not None]
    one = ny.TopCoding(columns=["x"], fewest=fewest)
    if 0 < len(present) < fewest:
        with pytest.raises(ny.NymityError, match="smaller `fewest`"):
            applied(one, column(values))
        return
    made = applied(one, column(values))["x"]
    if not present:
        assert made.null_count() == len(values)
        return
    limit = max(value for value in present if sum(other >= value for other in present) >= fewest)
    expected = [None if value is None else f"{limit}+" if value >= limit else str(value) for value in values]
    assert made.to_list() == expected


@given(TENTHS.filter(lambda values: any(value is not None for value in values)), st.sampled_from([0.01, 0.1, 0.5, 1]))
def test_a_share_codes_at_least_so_many(values: list[float | None], share: float) -> None:
    present = [value for value in values if value is not None]
    made = applied(ny.BottomCoding(columns=["x"], share=share, shown="limit"), column(values, pl.Float64))["x"]
    wanted = ceil(Fraction(str(share)) * len(present))
    limit = min(value for value in present if sum(other <= value for other in present) >= wanted)
    assert made.to_list() == [None if value is None else max(value, limit) for value in values]


def test_fewest_counts_persons_where_they_are_told() -> None:
    table = column([9, 9, 9, 8, 7, 1])
    people = pl.Series(["ann", "ann", "ann", "ann", "bob", "eve"])
    made = ny.TopCoding(columns=["x"], fewest=2).changed(table, DRAWS, "", people)["x"]
    assert made.to_list() == ["7+", "7+", "7+", "7+", "7+", "1"]
    assert ny.TopCoding(columns=["x"], fewest=2).changed(table, DRAWS, "")["x"].to_list()[:4] == ["9+", "9+", "9+", "8"]


def test_labels_are_as_people_write_them() -> None:
    assert applied(ny.TopCoding(columns=["x"], limit=90), column([89, 90, 97, None]))["x"].to_list() == [
        "89",
        "90+",
        "90+",
        None,
    ]
    assert applied(ny.BottomCoding(columns=["x"], limit=1.5), column([0.25, 1.5, 2], pl.Float64))["x"].to_list() == [
        "up to 1.5",
        "up to 1.5",
        "2.0",
    ]


@given(TENTHS, st.sampled_from([1, 5, 0.5, 0.3]))
def test_rounding_is_to_the_nearest_multiple(values: list[float | None], base: float) -> None:
    made = applied(ny.Rounding(columns=["x"], base=base), column(values, pl.Float64))["x"].to_list()
    for before, after in zip(values, made, strict=True):
        if before is None:
            assert after is None
            continue
        exact, step = Fraction(str(before)), Fraction(str(base))
        below = exact // step * step
        nearest = below + step if exact - below >= step / 2 else below
        assert Fraction(str(after)) == nearest


# -- draws -----------------------------------------------------------------------------------------------------


def test_random_rounding_is_right_on_average() -> None:
    """Of 40,000 numbers 7, base 5: 3 in 5 stay at 5. Six standard errors of a share are 0.015."""
    made = applied(ny.RandomRounding(columns=["x"], base=5), column([7] * 40_000))["x"].to_numpy()
    assert set(made.tolist()) == {5, 10}
    assert abs(np.mean(made == 5) - 0.6) < 0.015


@given(NUMBERS, st.integers(2, 9))
def test_random_rounding_gives_the_multiples_beside(values: list[int | None], base: int) -> None:
    made = applied(ny.RandomRounding(columns=["x"], base=base), column(values))["x"].to_list()
    for before, after in zip(values, made, strict=True):
        assert after in ({None} if before is None else {before // base * base, -(-before // base) * base})


def test_noise_has_the_moments_that_it_says() -> None:
    """20,000 numbers: six standard errors of a mean are 0.05 S, of a variance ratio 0.06."""
    rng = np.random.default_rng(7)
    x = rng.normal(100, 10, 20_000)
    y = 0.8 * (x - 100) + rng.normal(0, 6, 20_000)
    table = pl.DataFrame({"x": x.round(6), "y": y.round(6)})
    before = np.corrcoef(x, y)[0, 1]
    for key, ratio in (("additive-noise", 1.25), ("correlated-noise", 1.25)):
        made = applied(TRANSFORMS[key](columns=["x", "y"], share=0.5), table)
        noise = made["x"].to_numpy() - table["x"].to_numpy()
        assert abs(noise.mean()) < 0.05 * 5
        assert abs(made["x"].var() / table["x"].var() - ratio) < 0.06  # type: ignore[operator]
        after = np.corrcoef(made["x"], made["y"])[0, 1]
        expected = before if key == "correlated-noise" else before / ratio
        assert abs(after - expected) < 0.03
    made = applied(ny.MultiplicativeNoise(columns=["x"], share=0.1), table)
    assert abs((made["x"] / table["x"]).mean() - 1) < 0.006  # type: ignore[operator]
    assert abs((made["x"] / table["x"]).std() - 0.1) < 0.004  # type: ignore[operator]


def test_whole_numbers_stay_whole_and_decimals_as_many() -> None:
    assert applied(ny.AdditiveNoise(columns=["x"], share=1), column([1, 5, 9]))["x"].dtype == pl.Int64
    made = applied(ny.AdditiveNoise(columns=["x"], share=1), column([1.25, 5.5, 9.0], pl.Float64))["x"]
    assert all(Fraction(str(value)) * 100 == int(Fraction(str(value)) * 100) for value in made)


def test_post_randomization_is_invariant() -> None:
    """The transition matrix is what its docstring says, and keeps the shares: 60,000 cells, six standard errors."""
    cells = ["a"] * 36_000 + ["b"] * 18_000 + [None] * 6_000
    table = pl.DataFrame({"x": cells})
    made = applied(ny.PostRandomization(columns=["x"], share=0.4), table)["x"]
    before, after = Counter(cells), Counter(made.to_list())
    for value, n in before.items():
        assert abs(after[value] - n) < 6 * np.sqrt(60_000 * 0.4)
    stayed = Counter(pair for pair in zip(cells, made.to_list(), strict=True))
    assert abs(stayed["a", "a"] / 36_000 - (0.6 + 0.4 * 0.6)) < 0.015
    assert abs(stayed["a", "b"] / 36_000 - 0.4 * 0.3) < 0.011


@given(st.lists(st.none() | st.integers(-9, 9), min_size=1, max_size=60), st.floats(0.05, 1), st.integers(0, 99))
def test_rank_swapping_keeps_the_numbers_and_moves_no_rank_far(
    values: list[int | None], window: float, seed: int
) -> None:
    present = sorted(value for value in values if value is not None)
    most = int(window * len(present))
    assume(most >= 2 or not present)
    made = applied(ny.RankSwapping(columns=["x"], window=window), column(values), KeyedDraws.seeded(seed))[
        "x"
    ].to_list()
    assert Counter(made) == Counter(values)
    for before, after in zip(values, made, strict=True):
        if before is None or after is None:
            assert before == after
            continue
        # ranks of equal numbers are an interval: some rank of one is within the block of some rank of the other
        a = (present.index(before), len(present) - 1 - present[::-1].index(before))
        b = (present.index(after), len(present) - 1 - present[::-1].index(after))
        assert max(a[0] - b[1], b[0] - a[1], 0) < most


ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("vwxyz"), st.integers(0, 9)), max_size=40)


@given(ROWS, st.sampled_from(["shuffling", "record-swapping"]), st.integers(0, 99))
def test_swaps_stay_within_groups_and_carry_columns_together(
    rows: list[tuple[str, str, int]], key: str, seed: int
) -> None:
    table = pl.DataFrame(rows, schema={"g": pl.String, "area": pl.String, "code": pl.Int64}, orient="row")
    groups = {"within": ["g"]} if key == "shuffling" else {"match": ["g"], "share": 0.5}
    made = applied(TRANSFORMS[key](columns=["area", "code"], **groups), table, KeyedDraws.seeded(seed))
    assert Counter(made.rows()) == Counter(table.rows())  # (g, area, code) together, wherever they went
    if key == "record-swapping":
        moved = [place for place, pair in enumerate(zip(table.rows(), made.rows(), strict=True)) if pair[0] != pair[1]]
        assert len(moved) % 2 == 0


def test_every_order_of_a_shuffle_is_as_likely() -> None:
    """All six orders of three cells, 3,000 draws: each 500 times, six standard deviations are 123."""
    table = pl.DataFrame({"x": [1, 2, 3]})
    one = ny.Shuffling(columns=["x"])
    seen = Counter(tuple(applied(one, table, KeyedDraws.seeded(seed))["x"].to_list()) for seed in range(3_000))
    assert len(seen) == 6
    assert all(abs(n - 500) < 123 for n in seen.values())


# -- bad input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "wrong", "says"),
    [
        ("top-coding", {"columns": ["x"]}, "one of limit, fewest and share"),
        ("top-coding", {"columns": ["x"], "limit": 1, "share": 0.1}, "one of limit, fewest and share"),
        ("top-coding", {"columns": [], "limit": 1}, "at least one column"),
        ("rounding", {"columns": ["x"], "base": 0}, "a number above 0"),
        ("additive-noise", {"columns": ["x", "x"]}, "each column once"),
        ("additive-noise", {"columns": ["x"], "share": float("nan")}, "a number above 0"),
        ("additive-noise", {"columns": 5}, "a list of names"),
        ("rank-swapping", {"columns": ["x"], "window": 2}, "at most 1"),
        ("shuffling", {"columns": ["x"], "within": ["x"]}, "stay as they are"),
    ],
)
def test_wrong_parameters_are_told(key: str, wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ny.NymityError, match=says):
        TRANSFORMS[key](**wrong)


@pytest.mark.parametrize("key", ["top-coding", "rounding", "additive-noise", "correlated-noise", "rank-swapping"])
def test_columns_that_are_no_numbers_are_told(key: str) -> None:
    one = TRANSFORMS[key](**{**EXAMPLES[key], "columns": ["x"]})
    with pytest.raises(ny.NymityError, match="column 'x': expected numbers"):
        applied(one, column(["a", "b"], pl.String))
    with pytest.raises(ny.NymityError, match="finite"):
        applied(one, column([1.0, float("inf")], pl.Float64))


def test_noise_that_follows_several_columns_takes_no_gaps() -> None:
    table = pl.DataFrame({"x": [1, None, 3], "y": [1, 2, 3]})
    with pytest.raises(ny.NymityError, match="1 gaps"):
        applied(ny.CorrelatedNoise(columns=["x", "y"]), table)


def test_a_constant_column_gets_no_noise() -> None:
    assert applied(ny.AdditiveNoise(columns=["x"]), column([4, 4, 4]))["x"].to_list() == [4, 4, 4]
    assert applied(ny.CorrelatedNoise(columns=["x"]), column([4, 4, 4]))["x"].to_list() == [4, 4, 4]


@pytest.mark.parametrize("number", [1e300, 9.3e18, 5e-324, 1e-300])
@pytest.mark.parametrize("key", ["top-coding", "bottom-coding", "rounding", "random-rounding"])
def test_parameters_that_no_column_can_hold_are_told(key: str, number: float) -> None:
    field = {"base": number} if "rounding" in key else {"limit": number, "shown": "limit"}
    with pytest.raises(TableError, match="at most 15 digits"):
        applied(TRANSFORMS[key](columns=["x"], **field), column([1, 2, 3]))


def test_a_window_in_which_nothing_moves_is_told() -> None:
    with pytest.raises(TableError, match="window of at least two records"):
        applied(ny.RankSwapping(columns=["x"], window=0.05), column(list(range(39))))


def test_labels_at_both_ends_are_told() -> None:
    table = applied(ny.TopCoding(columns=["x"], limit=3), column([1, 2, 3]))
    with pytest.raises(TableError, match="shown = 'limit'"):
        applied(ny.BottomCoding(columns=["x"], limit=1), table)


def test_columns_with_alike_names_draw_apart() -> None:
    numbers = list(range(200))
    table = pl.DataFrame({"x": numbers, "x ties": numbers})
    drawn: list[str] = []

    class Noted(KeyedDraws):
        def bytes(self, purpose: str, size: int) -> bytes:
            drawn.append(purpose)
            return super().bytes(purpose, size)

    ny.RankSwapping(columns=["x", "x ties"], window=0.5).changed(table, Noted(key=DRAWS.key), "p")
    assert len(drawn) == len(set(drawn))


def test_no_zero_is_below_zero() -> None:
    table = column([-0.1, 0.1] * 50, pl.Float64)
    made = applied(ny.AdditiveNoise(columns=["x"], share=1), table)["x"].to_list()
    assert 0.0 in made
    assert "-0.0" not in map(str, made)


def test_noise_is_the_same_whichever_directions_a_machine_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eigenvectors have no sign of their own: with others the same key would draw a second noise to average with."""
    rng = np.random.default_rng(4)
    numbers = (rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3))).round(3)
    table, one = pl.DataFrame(numbers, schema=["x", "y", "z"]), ny.CorrelatedNoise(columns=["x", "y", "z"])
    once, find = applied(one, table), np.linalg.eigh

    def turned(matrix: Any) -> Any:
        sizes, directions = find(matrix)
        return sizes, directions * [-1, 1, -1]

    monkeypatch.setattr(np.linalg, "eigh", turned)
    assert np.abs(applied(one, table).to_numpy() - once.to_numpy()).max() < 0.0011  # the last digit may round apart


def test_columns_whatever_their_names_have_draws_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    purposes, read = list[str](), KeyedDraws.bytes

    def bytes_of(draws: KeyedDraws, purpose: str, size: int) -> bytes:
        purposes.append(purpose)
        return read(draws, purpose, size)

    monkeypatch.setattr(KeyedDraws, "bytes", bytes_of)
    names = ["x", "'x' ties", "'x' first", "'x' places"]
    ny.RankSwapping(columns=names, window=0.5).changed(pl.DataFrame({n: range(20) for n in names}), DRAWS, "test")
    assert len(set(purposes)) == len(purposes)
