"""What all builders share: registered, frozen, hashable, expressible in a job file, indifferent to row order."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from nymity.core.errors import HierarchyError
from nymity.table import builders
from nymity.table.builders import BUILDERS
from nymity.table.hierarchy import HierarchySource

#: Parameters as they come out of a job file.
EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    ("intervals", {"width": 5, "levels": 3, "bottom": 2002, "top": 2002.5}),
    ("intervals", {"cuts": [[2002, 2003], [2003]]}),
    ("masking", {"side": "left", "steps": [1, 2]}),
    ("ordering", {"order": ["2001", "2002", "2003"], "group": 2}),
    ("ordering", {"groups": {"low": [2001, 2002], "high": [2003]}}),
    ("taxonomy", {"tree": {"low": ["2001", "2002"], "high": ["2003"]}}),
    ("taxonomy", {"parents": {"2001": "low", "2002": "low", "2003": "high"}}),
    ("taxonomy", {"file": "parents.csv"}),
    ("dates", {"levels": ["year"], "format": "%Y"}),
    ("ages", {"bands": [1, 2], "bottom": 18, "top": 90, "other": "other"}),
    ("money", {"lowest": 1000, "top": 5000}),
    ("countries", {"levels": ["region"], "other": "other"}),
    ("nuts", {"other": "other"}),
    ("us-zip", {"small": ["036", "059"]}),
    ("icd-10", {"other": "other"}),
    ("atc", {"other": "other"}),
    ("isco-08", {"other": "other"}),
    ("nace", {"other": "other"}),
    ("file", {"path": "rows.csv", "delimiter": ","}),
    ("rows", {"rows": [["2001", "low", "*"], ["2002", "low", "*"], ["2003", "high", "*"]]}),
    ("flat", {}),
    ("suggested", {}),
    ("random-tree", {"seed": 5, "branches": 2}),
    ("shuffled", {"hierarchy": {"type": "rows", "rows": [["2001", "*"], ["2002", "*"], ["2003", "*"]]}, "seed": 5}),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "parents.csv").write_text("2001,low\n2002,low\n2003,high\n")
    (tmp_path / "rows.csv").write_text("2001,low,*\n2002,low,*\n2003,high,*\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_registry() -> None:
    assert {key for key, _ in EXAMPLES} == set(BUILDERS)
    assert all(BUILDERS[key].key == key for key in BUILDERS)
    assert all(getattr(builders, builder.__name__) is builder for builder in BUILDERS.values())


@pytest.mark.parametrize(("key", "parameters"), EXAMPLES)
def test_parameters(key: str, parameters: dict[str, Any]) -> None:
    builder = BUILDERS[key](**parameters)
    again = BUILDERS[key](**json.loads(json.dumps(dataclasses.asdict(builder))))
    assert again == builder
    assert hash(again) == hash(builder)
    with pytest.raises(dataclasses.FrozenInstanceError):
        builder.key = "other"
    for field in dataclasses.fields(builder):
        assert field.kw_only


@pytest.mark.parametrize(("key", "parameters"), EXAMPLES)
@pytest.mark.usefixtures("place")
def test_building(key: str, parameters: dict[str, Any]) -> None:
    builder: HierarchySource = BUILDERS[key](**parameters)
    hierarchy = builder.build(pl.Series(["2003", "2001", "2002", None]))
    assert hierarchy == builder.build(pl.Series([None, "2002", "2001", "2003", "2001"]))
    assert hierarchy == builder.build(pl.Series(["2002", "", "2001", "2003"]))
    assert hierarchy == builder.build(pl.Series([2003, 2001, 2002, None]))
    assert hierarchy == builder.build(pl.Series([2003.0, 2001.0, 2002.0, float("nan")]))
    assert hierarchy.rows()[-1] == [None] * hierarchy.height + ["*"]
    assert hierarchy.labels[-1] == ("*",)
    assert None not in builder.build(pl.Series(["2003", "2001", "2002"])).index
    assert builder.build(pl.Series([None, None], dtype=pl.String)).generalize(None, 0) is None


@pytest.mark.parametrize("key", ["intervals", "masking", "dates", "flat", "ordering", "random-tree", "shuffled"])
def test_a_column_without_values(key: str) -> None:
    parameters = {
        "intervals": {"width": 5},
        "random-tree": {"seed": 1},
        "shuffled": {"seed": 1, "hierarchy": {"type": "flat"}},
    }.get(key, {})
    with pytest.raises(HierarchyError, match="born: expected at least one value"):
        BUILDERS[key](**parameters).build(pl.Series([], dtype=pl.String), where="born")
