"""Recodings with anything anywhere: a clear error, or a recoding."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from typing import Any

import pytest
from kinds import KINDS, kind

from nymity.core.errors import FileError, InputError
from nymity.table.recoding import Recoding

VALUES: list[Any] = [
    None, True, -1, 0, 10**9, 10**12, 10**30, 1.5, "x", "", [], [[]], {}, {"a": 1}, [None], [10**30], ["x"], [[1]],
]  # fmt: skip


def places(data: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Name some places on every level: the first ones and the last."""
    if place:
        yield place
    items = list(data.items()) if isinstance(data, dict) else list(enumerate(data)) if isinstance(data, list) else []
    for name, value in items if len(place) < 2 else items[:1] + items[-1:]:
        yield from places(value, (*place, name))


def changed(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    data = copy.deepcopy(data)
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return data


@pytest.mark.parametrize("name", KINDS)
def test_any_value_anywhere(name: str) -> None:
    recoding = kind(name).release.recoding
    for data in (recoding.to_dict(), recoding.as_function().to_dict()):
        for place in {*places(data)}:
            for value in VALUES:
                with contextlib.suppress(InputError):
                    Recoding.from_dict(changed(data, place, value))


def test_labels_that_are_no_text() -> None:
    data = kind("levels").release.recoding.to_dict()
    name = next(iter(data["hierarchies"]))
    function = kind("levels").release.recoding.as_function().to_dict()
    for label in (7, 1.5, True, ["x"], {}):
        with pytest.raises(FileError, match="expected text"):
            Recoding.from_dict(changed(data, ("hierarchies", name, "rows", 0, 1), label))
        with pytest.raises(FileError, match="labels that are no list of texts"):
            Recoding.from_dict(changed(function, ("hierarchies", name, "labels", "0"), [label]))


@pytest.mark.parametrize(("name", "place"), [("partition", "profiles"), ("freeform", "profiles"), ("buckets", "slots")])
@pytest.mark.parametrize("records", [10**12, 2**62, -1])
def test_places_for_a_trillion_records(name: str, place: str, records: int) -> None:
    data = kind(name).release.recoding.to_dict()
    with pytest.raises(FileError, match="places for less than no record, or for more than"):
        Recoding.from_dict(changed(data, (place, "records", 0), records))


def test_numbers_of_buckets_and_values_that_are_not_there() -> None:
    data = kind("buckets").release.recoding.to_dict()
    for what in ("bucket", "value"):
        for number in (10**12, -1):
            with pytest.raises(FileError, match=f"the number of a {what} that is not there"):
                Recoding.from_dict(changed(data, ("slots", what, 0), number))
