"""Every field of every part of a job with every wrong kind of value: a clear error, or a job that can be run."""

from __future__ import annotations

import dataclasses
from datetime import date
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import NymityError
from nymity.publish.job import Job
from nymity.publish.registry import METHODS, MODELS
from nymity.quality import LOSSES
from nymity.table.builders import BUILDERS

VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 99, 10**6, 10**18, 2**63, 10**30, 10**299, -(10**299), 0.5, -0.5, 1e-300, 5e-324, 1e308,
    -1e308, "", "q", "*", "a\x00b", "\ufeff", "x" * 100_000, date(1, 1, 1), [], [[]], [None], [0], [-1], ["q"],
    ["q", "q"], [10**30], [1e308], [{}], {}, {"": None}, {"q": {}}, {"q": []}, {"q": [None]}, {"q": 10**30}, {"type": "flat"},
    {"type": []}, {"type": "shuffled", "hierarchy": {}, "seed": 1},
]  # fmt: skip

#: What a part cannot do without.
NEEDED: dict[str, dict[str, Any]] = {
    "k": {"k": 2}, "l": {"l": 2}, "attribute": {"attribute": "s"}, "c": {"c": 2}, "alpha": {"alpha": 0.5}, "t": {"t": 0.5},
    "delta": {"delta": 1.0}, "beta": {"beta": 1.0}, "threshold": {"threshold": 0.5}, "risk": {"risk": 0.5},
    "population": {"population": "p.csv"}, "subset": {"subset": "p.csv"}, "low": {"low": 0}, "high": {"high": 1},
    "epsilon": {"epsilon": 1.0}, "public_records": {"public_records": 100}, "rows": {"rows": [["1", "*"], ["2", "*"], ["3", "*"]]},
    "path": {"path": "h.csv"}, "seed": {"seed": 1}, "hierarchy": {"hierarchy": {"type": "flat"}}, "width": {"width": 2},
    "target": {"target": "s"}, "thresholds": {"thresholds": {"x": 0.9, "y": 0.9}}, "records": {"records": 2},
}  # fmt: skip
FRAME = pl.DataFrame(
    {"q": [1, 1, 1, 2, 2, 3], "r": ["a", "a", "b", "b", "c", "c"], "s": ["x", "y", "x", "y", "x", "y"]}
)


def pieces() -> list[Any]:
    tagged = [("model", MODELS), ("name", METHODS), ("type", BUILDERS), ("loss", LOSSES)]
    return [
        pytest.param(tag, key, field.name, id=f"{key}-{field.name}")
        for tag, registry in tagged
        for key, piece in registry.items()
        for field in dataclasses.fields(piece)
        if field.init
    ]


def described(tag: str, key: str, **fields: Any) -> dict[str, Any]:
    registry = {"model": MODELS, "name": METHODS, "type": BUILDERS, "loss": LOSSES}[tag]
    needed: dict[str, Any] = {}
    for field in dataclasses.fields(registry[key]):
        without = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if field.init and without:
            needed |= NEEDED.get(field.name, {field.name: 1})
    if key == "intervals" and "cuts" not in fields:
        needed |= {"width": 2}
    piece = {tag: key, **needed, **fields}
    data: dict[str, Any] = {
        "schema": {"q": {"role": "quasi"}, "r": {"role": "quasi"}, "s": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal-lattice", "suppression": 0.5},
    }
    if tag == "model":
        data["privacy"] = [piece]
    elif tag == "type":
        data["schema"]["q"]["hierarchy"] = piece
    elif tag == "loss":
        data["method"]["loss"] = piece
    else:
        data["method"] = piece
    return data


@pytest.mark.parametrize(("tag", "key", "field"), pieces())
def test_a_field_of_any_kind(tag: str, key: str, field: str) -> None:
    for value in VALUES:
        if field in ("seconds", "checks", "draws", "threads") and isinstance(value, int | float) and value > 2:
            continue  # a budget that is meant to be long
        try:
            job = Job.from_dict(described(tag, key, **{field: value}))
            ny.publish(FRAME, job.schema, privacy=job.privacy, method=job.method)
        except NymityError as error:
            assert len(str(error)) < 3_000, (field, value)


FLAT = {
    "source": {"path": "t.csv", "delimiter": ",", "encoding": "utf-8", "header": True, "sheet": "s"},
    "output": {"name": "r", "format": "csv", "delimiter": ",", "neutralize_formulas": True, "row_order": "sorted"},
    "earlier": {"person": "q", "smallest_group": 2},
    "ledger": {"path": "l.json", "source": "s"},
    "sign": {"key": "k"},
}


@pytest.mark.parametrize(
    "section", [*FLAT, "target", "seed", "format", "earlier_releases", "schema", "privacy", "method"]
)
def test_a_section_of_any_kind(section: str) -> None:
    good = described("model", "k-anonymity")
    for value in VALUES:
        for part in [value, *({**FLAT.get(section, {}), name: value} for name in FLAT.get(section, {}))]:
            try:
                Job.from_dict({**good, section: part})
            except NymityError as error:
                assert len(str(error)) < 3_000, (section, value)


@pytest.mark.parametrize(
    "name", ["role", "hierarchy", "min_level", "max_level", "weight", "missing", "unlisted", "other"]
)
def test_an_attribute_of_any_kind(name: str) -> None:
    for value in VALUES:
        data = described("model", "k-anonymity")
        data["schema"]["q"] = {"role": "quasi", name: value}
        try:
            job = Job.from_dict(data)
            ny.publish(FRAME, job.schema, privacy=job.privacy, method=job.method)
        except NymityError as error:
            assert len(str(error)) < 3_000, (name, value)
