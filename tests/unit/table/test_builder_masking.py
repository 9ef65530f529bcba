"""Masking: places, lengths, padding."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import HierarchyError, ParameterError
from nymity.table.builders import Masking


def rows(builder: Masking, values: object) -> list[list[str | None]]:
    return builder.build(pl.Series(values)).rows()


def test_one_character_per_level() -> None:
    assert rows(Masking(), [81675, 81667]) == [
        ["81667", "8166*", "816**", "81***", "8****", "*"],
        ["81675", "8167*", "816**", "81***", "8****", "*"],
    ]
    assert rows(Masking(side="left", char="x"), ["abc"]) == [["abc", "xbc", "xxc", "*"]]
    assert rows(Masking(), ["a", "b"]) == [["a", "*"], ["b", "*"]]


def test_levels_and_steps_fix_the_height() -> None:
    assert rows(Masking(levels=2), ["12345"]) == [["12345", "1234*", "*"]]
    assert rows(Masking(levels=1), ["12345"]) == [["12345", "*"]]
    assert rows(Masking(levels=4), ["12"]) == [["12", "1*", "**", "**", "*"]]
    assert rows(Masking(steps=[2, 4]), ["12345"]) == [["12345", "123**", "1****", "*"]]
    assert Masking(steps=[2, 4]).steps == (2, 4)


def test_the_same_places_are_masked_whatever_the_length() -> None:
    assert rows(Masking(), ["E11", "E11.6"]) == [
        ["E11", "E11", "E11", "E1*", "E**", "*"],
        ["E11.6", "E11.*", "E11**", "E1***", "E****", "*"],
    ]
    assert rows(Masking(side="left"), ["7", "123"]) == [["123", "*23", "**3", "*"], ["7", "7", "7", "*"]]
    assert rows(Masking(align="right"), ["7", "123"]) == [["123", "12*", "1**", "*"], ["7", "*", "*", "*"]]


def test_padding_is_written_from_level_one_on() -> None:
    assert rows(Masking(pad="0", align="right", levels=3), ["2138", "02139"]) == [
        ["02139", "0213*", "021**", "*"],
        ["2138", "0213*", "021**", "*"],
    ]
    assert rows(Masking(pad="*", steps=(1, 3)), ["E11", "E11.65"])[0] == ["E11", "E11***", "E11***", "*"]
    assert rows(Masking(pad="*", steps=(1, 3)), ["E11", "E11.65"])[1] == ["E11.65", "E11.6*", "E11***", "*"]


def test_lengths_can_be_hidden() -> None:
    assert rows(Masking(keep_length=False), ["abcd", "abc"]) == [
        ["abc", "abc", "ab*", "a*", "*"],
        ["abcd", "abc*", "ab*", "a*", "*"],
    ]


def test_gaps() -> None:
    assert rows(Masking(), ["ab", None, ""]) == [["ab", "a*", "*"], [None, None, "*"]]
    assert rows(Masking(), pl.Series([None], dtype=pl.String)) == [[None, "*"]]
    with pytest.raises(HierarchyError, match="an empty hierarchy"):
        Masking().build(pl.Series([], dtype=pl.String))


@given(
    values=st.lists(st.text("ab*0 é", min_size=1, max_size=6), min_size=1, max_size=12),
    side=st.sampled_from(["left", "right"]),
    align=st.sampled_from([None, "left", "right"]),
    pad=st.sampled_from([None, "*", "0", " "]),
    keep_length=st.booleans(),
    char=st.sampled_from("*ax"),
    shape=st.none() | st.integers(1, 8) | st.sets(st.integers(1, 9), min_size=1).map(sorted),
)
def test_each_level_is_a_function_of_the_one_below(values, side, align, pad, keep_length, char, shape) -> None:  # type: ignore[no-untyped-def]
    """``from_rows`` refuses anything else, so building is the proof; the rest pins what is masked."""
    builder = Masking(
        side=side,
        align=align,
        pad=pad,
        keep_length=keep_length,
        char=char,
        levels=shape if isinstance(shape, int) else None,
        steps=shape if isinstance(shape, list) else None,  # type: ignore[arg-type]
    )
    hierarchy = builder.build(pl.Series(values))
    longest = max(map(len, values))
    expected = longest if shape is None else shape if isinstance(shape, int) else len(shape) + 1
    assert hierarchy.values == tuple(sorted(set(values)))
    assert hierarchy.height == expected
    assert hierarchy.labels[-1] == ("*",)
    counts = shape if isinstance(shape, list) else range(1, expected)
    if keep_length and pad is not None:
        for value, *labels in hierarchy.rows():
            assert value is not None
            for label, count in zip(labels, counts, strict=False):
                assert label == _oracle(value, side, align, pad, char, count, longest)


def _oracle(value: str, side: str, align: str | None, pad: str, char: str, count: int, longest: int) -> str:
    left = align == "left" or (align is None and side == "right")
    padded = list(value + pad * (longest - len(value)) if left else pad * (longest - len(value)) + value)
    for place in range(longest):
        if place < count:
            padded[place if side == "left" else longest - 1 - place] = char
    return "".join(padded)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"side": "top"}, "masking.side: expected one of 'left', 'right'"),
        ({"align": "top"}, "masking.align"),
        ({"char": "**"}, "masking.char: expected one character"),
        ({"pad": ""}, "masking.pad: expected one character"),
        ({"keep_length": 1}, "masking.keep_length"),
        ({"levels": 0}, "masking.levels"),
        ({"levels": 2, "steps": [1]}, "masking.levels"),
        ({"steps": []}, "masking.steps"),
        ({"steps": [2, 2]}, "masking.steps: expected a whole number of at least 3, got 2"),
        ({"steps": [0]}, "masking.steps"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Masking(**parameters)  # type: ignore[arg-type]
