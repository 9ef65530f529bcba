"""Recodings are files that somebody may have edited: whatever stands in them is applied, or refused in one form."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.publishing.running.apply import UnseenWarning

FRAME = pl.DataFrame(
    {"age": [20 + i % 6 for i in range(24)], "sex": ["f", "m"] * 12, "ill": [("a", "b", "c")[i % 3] for i in range(24)]}
)
SCHEMA = ny.Schema({"age": ny.quasi(), "sex": ny.quasi(), "ill": ny.sensitive()})
PUBLIC = ny.Schema(
    {
        "age": ny.identifying(),
        "ill": ny.identifying(),
        "sex": ny.quasi(ny.Hierarchy.from_rows([["f", "*"], ["m", "*"]])),
    }
)
METHODS = {
    "levels": ny.OptimalLattice(suppression=0.5),
    "classes": ny.Mondrian(),
    "freeform": ny.FreeformGreedy(),
    "buckets": ny.Anatomy(),
    "sampled": ny.SafePub(),
    "sampled persons": ny.SafePub(),
}
NONSENSE = (None, 5, -1, 1.5, True, "nonsense", "", [], [[]], {}, {"a": 1}, 10**30)


def recoding(kind: str) -> dict[str, Any]:
    if kind.startswith("sampled"):
        model: Any = ny.DifferentialPrivacy(epsilon=1, public_records=1000)
        schema = PUBLIC
        if kind == "sampled persons":
            model = replace(model, records_per_person=2)
            schema = ny.Schema({**PUBLIC, "age": ny.person(missing="drop")})
        return ny.publish(FRAME, schema, privacy=model, method=METHODS[kind]).recoding.to_dict()
    models = {"buckets": ny.FrequencyLDiversity(l=2, attribute="ill"), "freeform": ny.KMatching(k=2)}
    model = models.get(kind, ny.KAnonymity(k=2))
    return ny.publish(FRAME, SCHEMA, privacy=model, method=METHODS[kind]).recoding.to_dict()


def places(data: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every field, and of each list to its first item alone."""
    items = (
        list(data.items()) if isinstance(data, dict) else list(enumerate(data))[:1] if isinstance(data, list) else []
    )
    for key, value in items:
        yield (*way, key)
        yield from places(value, (*way, key))


def changed(data: Any, way: tuple[Any, ...], value: Any) -> Any:
    copied = copy.deepcopy(data)
    place = copied
    for step in way[:-1]:
        place = place[step]
    place[way[-1]] = value
    return copied


@pytest.mark.parametrize("kind", METHODS)
def test_nonsense_in_every_field(kind: str, tmp_path: Path) -> None:
    data, wrong = recoding(kind), {}
    path = tmp_path / "recoding.json"
    for way in places(data):
        for value in NONSENSE:
            path.write_text(json.dumps(changed(data, way, value)), encoding="utf-8")
            try:
                ny.apply(path, FRAME, unaccounted=True)
            except (ny.NymityError, UnseenWarning):
                continue
            except BaseException as error:  # noqa: BLE001 -- a panic is no Exception
                wrong[f"{'.'.join(map(str, way))} = {value!r}"] = f"{type(error).__name__}: {error}"[:120]
    assert not wrong, "\n".join(f"{place}: {error}" for place, error in wrong.items())
