"""Every public function and class of Python with nonsense for each of its parameters: an error of ours, or an answer.

Names and parameters are read from ``nymity.__all__`` and the signatures; a new function needs a call that makes sense.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from arx_files import project

NONSENSE: dict[str, Any] = {
    "none": None,
    "a number": 5,
    "below zero": -1,
    "a fraction": 0.5,
    "no number": float("nan"),
    "infinite": float("inf"),
    "huge": 10**400,
    "a decimal": Decimal("0.1"),
    "text": "nonsense",
    "empty text": "",
    "a NUL": "a\0b",
    "a surrogate": "\ud800.csv",
    "bytes": b"x",
    "a list": [1, "a", None],
    "an empty list": [],
    "a table of fields": {"a": 1},
    "a set": {1},
    "an object": object(),
    "a class": int,
    "a folder": Path(),
    "a frame": pl.DataFrame({"x": [1]}),
    "a series": pl.Series([1]),
}

FRAME = pl.DataFrame(
    {"age": [20 + i % 6 for i in range(24)], "sex": ["f", "m"] * 12, "ill": [("a", "b", "c")[i % 3] for i in range(24)]}
)
SCHEMA = ny.Schema({"age": ny.quasi(), "sex": ny.quasi(), "ill": ny.sensitive()})
K2 = ny.KAnonymity(k=2)


@pytest.fixture(scope="module")
def release() -> ny.Release:
    return ny.publish(FRAME, SCHEMA, privacy=[K2])


def calls(release: ny.Release) -> dict[str, dict[str, Any]]:
    """A call of each function that makes sense."""
    return {
        "publish": {"source": FRAME, "schema": SCHEMA, "privacy": [K2]},
        "explore": {"source": FRAME, "schema": SCHEMA, "privacy": [K2]},
        "measure": {"table": FRAME, "schema": SCHEMA},
        "measure_risk": {"table": FRAME, "schema": SCHEMA},
        "check": {"release": release.table, "certificate": release.certificate},
        "compare": {"original": FRAME, "release": release},
        "open": {"release": release.table, "schema": SCHEMA},
        "apply": {"recoding": release.recoding, "table": FRAME},
        "forget": {"release": "nothing"},
        "identify": {"release": "nothing", "pseudonym": "p0", "reason": "a finding"},
        "recommend": {"source": FRAME, "target": "ill", "trials": 1, "seconds": 0.1},
        "inspect": {"frame": FRAME},
        "preset": {"name": "scientific-use-file", "job": release.job, "table": FRAME},
        "read_arx": {"path": "project.deid"},
        "read_table": {"path": "people.csv"},
        "write_table": {"table": FRAME, "path": "written.csv"},
        "household": {},
        "identifying": {},
        "insensitive": {},
        "items": {},
        "person": {},
        "perturbed": {},
        "quasi": {},
        "sensitive": {},
        "weight": {},
    }


#: What classes need that a number or a text is not.
NEEDED: dict[str, Any] = {
    "attribute": "ill",
    "url": "sqlite:///a.db",
    "table": "people",
    "thresholds": {"a": 2, "c": 0.1},
    "population": {"age": [1]},
    "subset": {"age": [1]},
    "k": 2,
    "l": 2,
    "t": 0.5,
    "c": 2,
    "alpha": 0.5,
    "beta": 1,
    "delta": 1e-9,
    "low": 0,
    "high": 0.5,
    "limit": 0.5,
    "knows": 2,
    "m": 2,
    "epsilon": 1,
    "public_records": 100,
    "path": "people.csv",
    "folder": "custodian",
    "columns": ["ill"],
    "base": 5,
    "release": "folder",
    "schema": SCHEMA,
    "privacy": (K2,),
    "method": ny.OptimalLattice(),
    "attributes": {"age": ny.quasi()},
    "target": "ill",
    "seconds": 1,
}
#: Results, which nobody makes by hand, and what is no class of parameters.
RESULTS = {
    "OpenedRelease",
    "Anonymizer",  # estimators check when they are fitted
    "CellEncoder",
    "Release",
    "EvaluatedNodes",
    "Hierarchy",
    "Recoding",
    "Progress",
    "NymityError",
    "NoSolutionError",
    "PromiseError",
}


def functions() -> list[str]:
    return [name for name in ny.__all__ if callable(getattr(ny, name)) and not inspect.isclass(getattr(ny, name))]


def classes() -> list[str]:
    return [name for name in ny.__all__ if inspect.isclass(getattr(ny, name)) and name not in RESULTS]


def judged(call: Callable[..., Any], arguments: dict[str, Any]) -> str:
    try:
        call(**arguments)
    except ny.NymityError:
        return ""
    except BaseException as error:  # noqa: BLE001 -- a panic is no Exception
        return f"{type(error).__name__}: {error}"[:200]
    return ""


def test_every_function_has_a_call(release: ny.Release) -> None:
    assert set(functions()) == set(calls(release))


@pytest.mark.parametrize("name", functions())
def test_functions(name: str, release: ny.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.write_csv("people.csv")
    project(Path("project.deid"))
    function, wrong = getattr(ny, name), {}
    arguments = calls(release)[name]
    assert not judged(function, arguments)
    for parameter in inspect.signature(function).parameters:
        if parameter == "observe":
            continue
        for what, value in NONSENSE.items():
            if problem := judged(function, {**arguments, parameter: value}):
                wrong[f"{parameter} is {what}"] = problem
    assert not wrong


@pytest.mark.parametrize("name", classes())
def test_classes(name: str) -> None:
    kind, wrong = getattr(ny, name), {}
    known = inspect.signature(kind).parameters
    needed = {
        parameter: NEEDED[parameter]
        for parameter, about in known.items()
        if about.default is inspect.Parameter.empty and about.kind is not inspect.Parameter.VAR_KEYWORD
    }
    assert not judged(kind, needed)
    fields = (
        [field.name for field in dataclasses.fields(kind) if field.init] if dataclasses.is_dataclass(kind) else known
    )
    for parameter in fields:
        for what, value in NONSENSE.items():
            if problem := judged(kind, {**needed, parameter: value}):
                wrong[f"{parameter} is {what}"] = problem
    assert not wrong
