"""k-map and delta-presence: decisions on arrays and on tables, bounds by brute force, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import InputError, ParameterError, TableError
from nymity.privacy import DeltaPresence, Groups, KMap
from nymity.privacy.decision import decide
from nymity.privacy.second_table import Frame
from nymity.table.attribute import quasi
from nymity.table.classes import Classes
from nymity.table.encoding import encode
from nymity.table.schema import Schema

#: Members and people of one class.
Part = tuple[int, int]


def classes(*parts: Part, outside: int = 0) -> Classes:
    members, people = zip(*parts, strict=True)
    return Classes(np.array(members, np.uint32), population=np.array(people, np.int64), outside=outside)


def presence(low: float, high: float) -> DeltaPresence:
    return DeltaPresence(low=low, high=high, subset="-")


def bounds() -> st.SearchStrategy[tuple[float, float]]:
    numbers = st.sampled_from([0.0, 0.1, 0.25, 0.333333333, 0.5, 0.6, 0.75, 1.0])
    return st.tuples(numbers, numbers).map(lambda pair: (min(pair), max(pair)))


def parts(limit: int = 8) -> st.SearchStrategy[Part]:
    return st.integers(1, limit).flatmap(lambda people: st.tuples(st.integers(1, people), st.just(people)))


# -- accepting a class -----------------------------------------------------------------------------------------------


def test_k_map_counts_people() -> None:
    assert KMap(k=3, population="-").accepts(classes((1, 2), (1, 3), (3, 3), (2, 9))).tolist() == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [True, True, True]),
        (0.333333333, 1, [True, True, True]),  # 1/3 is more
        (0.333333334, 1, [False, True, True]),
        (0, 0.333333333, [False, False, False]),
        (0, 0.5, [True, True, False]),
        (0.5, 0.5, [False, True, False]),
        (0, 0.999999999, [True, True, False]),
    ],
)
def test_presence_takes_the_decimals_as_written(low: float, high: float, expected: list[bool]) -> None:
    assert presence(low, high).accepts(classes((1, 3), (2, 4), (5, 5))).tolist() == expected


def test_large_counts_stay_exact() -> None:
    most = 2**31 - 1
    large = classes((most, most), (1, most), (most // 2, most))
    assert presence(0, 0.999999999).accepts(large).tolist() == [False, True, True]
    assert presence(0.499999999, 1).accepts(large).tolist() == [True, False, True]
    assert presence(0.5, 1).accepts(large).tolist() == [True, False, False]
    assert presence(0, 0.999999999).most_kept(large, np.array([True] * 3)).tolist() == [0, 1, most // 2]


# -- flags and bounds ------------------------------------------------------------------------------------------------


@given(parts(), parts(), st.integers(1, 10))
def test_k_map_accepts_every_class_around_an_accepted_one(one: Part, other: Part, k: int) -> None:
    model = KMap(k=k, population="-")
    merged = (one[0] + other[0], one[1] + other[1])
    assert not model.accepts(classes(one))[0] or model.accepts(classes(merged))[0]


def test_presence_is_lost_by_merging_either_way() -> None:
    """The counterexamples of the declarations."""
    assert presence(0, 0.5).accepts(classes((1, 2), (2, 2), (3, 4))).tolist() == [True, False, False]
    assert presence(0.5, 1).accepts(classes((1, 2), (1, 4))).tolist() == [True, False]  # 0 of 2 beside it
    split = presence(0.5, 1).accepts(classes((1, 10), (1, 2)))  # the rejected one leaves 0 of 8 behind
    assert split.tolist() == [False, True]
    assert not DeltaPresence.monotone_generalization
    assert not DeltaPresence.unions
    assert not DeltaPresence.monotone_suppression


@given(st.lists(parts(), min_size=2, max_size=4), bounds())
def test_unions_of_accepted_classes_are_accepted(found: list[Part], limits: tuple[float, float]) -> None:
    model = presence(*limits)
    if model.accepts(classes(*found)).all():
        members, people = (sum(column) for column in zip(*found, strict=True))
        assert model.accepts(classes((members, people)))[0]


@cache
def splits(members: int, people: int, largest: Part = (99, 99)) -> tuple[tuple[Part, ...], ...]:
    """Every way to split a class, parts in descending order; a part may have no member."""

    def found() -> Iterator[tuple[Part, ...]]:
        if people == 0:
            yield ()
        for p in range(1, people + 1):
            for m in range(min(p, members) + 1):
                if (m, p) <= largest and members - m <= people - p:
                    yield from (((m, p), *rest) for rest in splits(members - m, people - p, (m, p)))

    return tuple(found())


@given(parts(6), bounds())
def test_no_split_keeps_more_than_the_bound(part: Part, limits: tuple[float, float]) -> None:
    model = presence(*limits)
    low, high = (Fraction(str(limit)) for limit in limits)
    most = max(sum(m for m, p in split if m and low <= Fraction(m, p) <= high) for split in splits(*part))
    bound = model.most_kept(classes(part), model.accepts(classes(part)))[0]
    assert most <= bound
    if low == 0:
        assert most == bound


@given(st.lists(parts(), min_size=1, max_size=6), st.integers(0, 12), bounds(), st.data())
def test_what_is_published_together_leaves_the_rest_within_the_bounds(
    found: list[Part], outside: int, limits: tuple[float, float], data: st.DataObject
) -> None:
    model, every = presence(*limits), classes(*found, outside=outside)
    low, high = (Fraction(str(limit)) for limit in limits)
    kept = model.accepts(every)
    decided = decide(every, [model], "mask").published
    assert not (decided & ~kept).any()
    rest = [part for part, stays in zip(found, decided, strict=True) if not stays]
    members, people = sum(m for m, _ in rest), sum(p for _, p in rest) + outside
    assert not decided.any() or people == 0 or low <= Fraction(members, people) <= high
    order = data.draw(st.permutations(range(len(found))))
    again = decide(classes(*(found[i] for i in order), outside=outside), [model], "remove").published
    assert again.tolist() == decided[list(order)].tolist()


def test_the_rest_takes_further_classes_with_it() -> None:
    """5 of 10 and 1 of 4 are accepted, 0 of 4 are outside: too few for low = 0.2 unless a class joins them."""
    model = presence(0.2, 0.6)
    assert decide(classes((5, 10), (1, 4), outside=4), [model], "mask").published.tolist() == [False, True]
    assert decide(classes((5, 10), (1, 4), outside=0), [model], "mask").published.tolist() == [True, True]
    too_many = classes((3, 3), (2, 8), (2, 4))  # 3 of 3 is rejected; 5 of 11 is not
    assert decide(too_many, [model], "mask").published.tolist() == [False, False, True]
    assert not decide(classes((1, 10), outside=90), [model], "mask").published.any()


# -- on tables -------------------------------------------------------------------------------------------------------

PEOPLE = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 3 + [None] * 2 + ["z"], "n": [1] * 10})
TABLE = pl.DataFrame({"a": ["x", "x", "y", None, "*"], "n": ["1", "1", "1", "1", "*"]})


def groups(**options: Any) -> Groups:
    return Groups(TABLE, ["a", "n"], **({"population": PEOPLE} | options))


def test_tables_are_counted_beside_the_population() -> None:
    counted = groups().beside_population.sort("population")
    assert counted.rows() == [(1, 1, True), (1, 2, False), (1, 3, False), (2, 4, False)]
    assert groups().n_outside == 1
    assert groups().suppressed == 1
    assert groups(members=7).suppressed == 3


@pytest.mark.parametrize(("masked", "k"), [(False, 2), (True, 1)])
def test_k_map_of_a_table(masked: bool, k: int) -> None:
    """The masked row is of the one person who fits no published combination."""
    found = groups() if masked else groups().without_masked()
    assert KMap.measure(found) == {"k": k}
    assert KMap(k=k, population="-").holds(found)
    assert not KMap(k=k + 1, population="-").holds(found)


@given(bounds(), st.integers(0, 2))
def test_presence_of_a_table(limits: tuple[float, float], removed: int) -> None:
    shares = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 4), Fraction(1 + removed, 1)]
    found = groups(members=5 + removed)
    low, high = (Fraction(str(limit)) for limit in limits)
    assert presence(*limits).holds(found) == all(low <= share <= high for share in shares)
    assert DeltaPresence.measure(found) == {"low": float(min(shares)), "high": float(max(shares))}


def test_cells_that_the_population_lacks_break_both() -> None:
    strange = Groups(pl.DataFrame({"a": ["x", "w"], "n": [1, 1]}), ["a", "n"], population=PEOPLE)
    assert KMap.measure(strange) == {"k": 0}
    assert not KMap(k=1, population="-").holds(strange)
    assert not presence(0, 1).holds(strange)


def test_a_table_without_records_keeps_k_map_but_tells_absence() -> None:
    empty = Groups(PEOPLE.head(0), ["a", "n"], population=PEOPLE)
    assert KMap.measure(empty) == {"k": None}
    assert KMap(k=5, population="-").holds(empty)
    assert presence(0, 0.5).holds(empty)
    assert not presence(0.1, 0.5).holds(empty)


def test_without_a_population_nothing_is_measured_and_nothing_passes() -> None:
    alone = Groups(TABLE, ["a", "n"])
    assert KMap.measure(alone) == {"k": None}
    assert DeltaPresence.measure(alone) == {"low": None, "high": None}
    for model in (KMap(k=1, population="-"), presence(0, 1)):
        with pytest.raises(InputError, match="cannot be checked"):
            model.holds(alone)


# -- naming a table --------------------------------------------------------------------------------------------------


def test_paths_and_frames() -> None:
    assert KMap(k=2, population=Path("folder") / "people.csv").population == "folder/people.csv"
    for frame in (PEOPLE, PEOPLE.lazy(), PEOPLE.to_pandas(), PEOPLE.to_arrow(), {"a": ["x"]}):
        model = KMap(k=2, population=frame)
        assert isinstance(model.population, Frame)
        assert model.population.content is frame
        assert model == replace(model)
        assert hash(model) == hash(replace(model))
        assert "in memory" in repr(model)
    assert KMap(k=2, population=PEOPLE) != KMap(k=2, population=PEOPLE.clone())


@pytest.mark.parametrize("wrong", [None, 5, True, "", "  ", b"people.csv", ["people.csv"], object()])
def test_anything_else_is_refused(wrong: object) -> None:
    with pytest.raises(ParameterError, match=r"k-map\.population: expected the path of a table, or a frame"):
        KMap(k=2, population=wrong)
    with pytest.raises(ParameterError, match=r"delta-presence\.subset"):
        DeltaPresence(low=0, high=1, subset=wrong)


@pytest.mark.parametrize(
    ("low", "high", "blamed"),
    [
        (0.5, 0.4, "high"),
        (-0.1, 1, "low"),
        (0, 1.1, "high"),
        (math.nan, 1, "low"),
        (0.1234567891, 1, "low"),
        ("0", 1, "low"),
    ],
)
def test_bounds_that_are_none(low: Any, high: Any, blamed: str) -> None:
    with pytest.raises(ParameterError) as caught:
        DeltaPresence(low=low, high=high, subset="-")
    assert caught.value.where == f"delta-presence.{blamed}"


# -- fitting a table -------------------------------------------------------------------------------------------------

SCHEMA = Schema({"a": quasi(), "b": quasi()})


def table(*rows: tuple[str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["a", "b"], orient="row")


EVERYONE = table(("x", "1"), ("x", "1"), ("x", "2"), ("y", "1"), ("z", "3"))


@pytest.mark.parametrize("model", [KMap(k=1, population="-"), presence(0, 1)], ids=["k-map", "presence"])
@pytest.mark.parametrize(
    ("rows", "missing", "told"),
    [
        ([("x", "1")] * 3, "1 of 3", "combination of quasi-identifiers"),
        ([("y", "2"), ("x", "2")], "1 of 2", "the values of 'b' alone"),
        ([("w", "1"), ("w", "1"), ("x", "1")], "2 of 3", "the values of 'a' alone"),
        ([("w", "9")], "1 of 1", "the values of 'a', 'b' alone"),
    ],
)
def test_a_record_that_the_population_lacks(model: Any, rows: list[tuple[str, str]], missing: str, told: str) -> None:
    encoded = encode(table(*rows), SCHEMA, EVERYONE)
    with pytest.raises(TableError, match=f"got {missing} records that are missing there, told by (the )?{told}"):
        model.check(encoded)


def test_parameters_that_no_table_can_keep() -> None:
    encoded = encode(table(("x", "1"), ("y", "1")), SCHEMA, EVERYONE)  # 2 of 5
    KMap(k=5, population="-").check(encoded)
    with pytest.raises(ParameterError, match=r"k-map\.k: expected at most 5, the number of records of the population"):
        KMap(k=6, population="-").check(encoded)
    presence(0.4, 0.4).check(encoded)
    with pytest.raises(ParameterError, match=r"delta-presence\.low: expected at most 0\.4: .*2 of 5 records"):
        presence(0.400000001, 1).check(encoded)
    with pytest.raises(ParameterError, match=r"delta-presence\.high: expected at least 0\.4: "):
        presence(0, 0.399999999).check(encoded)


@pytest.mark.parametrize("model", [KMap(k=1, population="-"), presence(0, 1)], ids=["k-map", "presence"])
def test_a_table_that_was_encoded_alone_is_refused(model: Any) -> None:
    with pytest.raises(ParameterError, match="encoded together with"):
        model.check(encode(EVERYONE, SCHEMA))
