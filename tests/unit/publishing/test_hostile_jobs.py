"""Every field of every part of a job with every wrong kind of value: a clear error, or a job that can be run."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import NymityError
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.registry import METHODS, MODELS
from nymity.quality import LOSSES
from nymity.table.builders import BUILDERS

#: Numbers at and beyond the edges of every type.
NUMBERS: list[Any] = [
    0, -1, 1, 99, 10**6, 10**18, 2**63, 10**30, 10**299, -(10**299), 0.5, -0.5, 1e-300, 5e-324, 1e308, -1e308,
]  # fmt: skip
OTHERS: list[Any] = [
    None, True, False, "", "q", "*", "\ufeff", "x" * 100_000, [], [[]], [None], [0], [-1], ["q"], ["q", "q"], [10**30],
    [1e308], [{}], {}, {"": None}, {"q": {}}, {"q": []}, {"q": [None]}, {"q": 10**30}, {"type": "flat"}, {"type": []},
    {"type": "shuffled", "hierarchy": {}, "seed": 1},
]  # fmt: skip

#: What a part cannot do without.
NEEDED: dict[str, Any] = {
    "k": 2, "l": 2, "attribute": "s", "c": 2, "alpha": 0.5, "t": 0.5, "delta": 1.0, "beta": 1.0, "risk": 0.5,
    "thresholds": {"*": 0.9}, "target": "s", "population": "p.csv", "subset": "p.csv",
    "low": 0, "high": 1, "epsilon": 1.0, "public_records": 99,
    "rows": [["1", "*"], ["2", "*"], ["3", "*"]], "path": "h.csv", "seed": 1, "hierarchy": {"type": "flat"},
}  # fmt: skip
REGISTRIES: dict[str, Any] = {"model": MODELS, "name": METHODS, "type": BUILDERS, "loss": LOSSES}
FRAME = pl.DataFrame({"q": [1, 1, 1, 2, 2, 3], "r": list("aabbcc"), "s": list("xyxyxy")})
#: Budgets are meant to be long.
BUDGETS = ("seconds", "checks", "threads", "rounds")


def described(tag: str, key: str, **fields: Any) -> dict[str, Any]:
    """Return a job with one part of this kind."""
    needed = {
        field.name: NEEDED.get(field.name, 1)
        for field in dataclasses.fields(REGISTRIES[tag][key])
        if field.init and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    if key == "intervals" and "cuts" not in fields:
        needed["width"] = 2
    piece = {tag: key, **needed, **fields}
    data: dict[str, Any] = {
        "schema": {"q": {"role": "quasi"}, "r": {"role": "quasi"}, "s": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal-lattice", "suppression": 0.5},
    }
    if tag == "model":
        return {**data, "privacy": [piece]}
    if tag == "type":
        data["schema"]["q"]["hierarchy"] = piece
    elif tag == "loss":
        data["method"]["loss"] = piece
    else:
        data["method"] = piece
    return data


def attempt(data: dict[str, Any], *, run: bool) -> None:
    """Read a job, and run it where that is worth the time; a clear error is as good, if it is short."""
    try:
        job = Job.from_dict(data)
        if run:
            ny.publish(FRAME, job.schema, privacy=job.privacy, method=job.method)
    except NymityError as error:
        if len(str(error)) > 4_500:
            raise AssertionError("a message that nobody reads") from error


@pytest.mark.parametrize("tag", REGISTRIES)
def test_a_field_of_any_kind(tag: str) -> None:
    for key, piece in REGISTRIES[tag].items():
        for field in dataclasses.fields(piece):
            for value in [*NUMBERS, *OTHERS] if field.init else ():
                attempt(described(tag, key, **{field.name: value}), run=False)


@pytest.mark.parametrize("tag", REGISTRIES)
def test_a_number_of_any_size_can_be_run_or_is_refused(tag: str) -> None:
    for key, piece in REGISTRIES[tag].items():
        for field in dataclasses.fields(piece):
            for value in NUMBERS if field.init and field.name not in BUDGETS else ():
                attempt(described(tag, key, **{field.name: value}), run=True)


FLAT = {
    "source": {"path": "t.csv", "delimiter": ",", "encoding": "utf-8", "header": True, "sheet": "s"},
    "output": {"name": "r", "format": "csv", "delimiter": ",", "neutralize_formulas": True, "row_order": "sorted"},
    "earlier": {"person": "q", "smallest_group": 2},
    "ledger": {"path": "l.json", "source": "s"},
    "sign": {"key": "k"},
}
PLAIN = ("target", "seed", "format", "earlier_releases", "schema", "privacy", "method")


@pytest.mark.parametrize("section", [*FLAT, *PLAIN])
def test_a_section_of_any_kind(section: str) -> None:
    good = described("model", "k-anonymity")
    for value in [*NUMBERS, *OTHERS]:
        for part in [value, *({**FLAT.get(section, {}), name: value} for name in FLAT.get(section, {}))]:
            attempt({**good, section: part}, run=False)


@pytest.mark.parametrize("name", ["role", "hierarchy", "min_level", "max_level", "weight", "missing", "unlisted", "x"])
def test_an_attribute_of_any_kind(name: str) -> None:
    for value in [*NUMBERS, *OTHERS]:
        data = described("model", "k-anonymity")
        data["schema"]["q"] = {"role": "quasi", name: value}
        attempt(data, run=True)


def test_numbers_too_long_to_be_written_are_refused_in_python() -> None:
    """What no file can hold, a program can pass."""
    for value in (10**5_000, -(10**5_000)):
        for make in (
            lambda value: ny.KAnonymity(k=value),
            lambda value: ny.OptimalLattice(suppression=value),
            lambda value: ny.Hierarchy.intervals(width=value),
            lambda value: ny.Hierarchy.masking(levels=value),
            lambda value: ny.TCloseness(t=value, attribute="s"),
            lambda value: ny.FrequencyLDiversity(l=value, attribute="s"),
        ):
            with contextlib.suppress(NymityError):
                made = make(value)
                ny.publish(FRAME, ny.Schema({n: ny.quasi() for n in FRAME.columns}), privacy=made, method=ny.Datafly())
