"""Python code of a job: running it makes an equal job."""

from __future__ import annotations

from typing import Any

import pytest

import nymity as ny
from conformance import examples
from nymity.publishing import METHODS, MODELS, python_code
from nymity.table.builders import BUILDERS

SCHEMA = {"a": ny.quasi(), "s": ny.sensitive()}


def made_by(code: str) -> ny.Job:
    """Run the code up to where it publishes."""
    names: dict[str, Any] = {}
    exec(code.partition("release = ")[0], names)
    return names["job"]


def same(**given: Any) -> str:
    job = ny.Job(**{"schema": SCHEMA, "privacy": [ny.KAnonymity(k=5)], **given})
    code = python_code(job)
    made = made_by(code)
    assert made.to_dict() == job.to_dict()
    assert made.source == job.source
    assert code.endswith("release = ny.publish(job, out='release')\n")
    return code


def test_the_demo_reads_as_somebody_would_write_it() -> None:
    code = same(source=ny.Source(path="hospital.csv", missing=("NA", -9)), schema=ny.datasets.hospital_schema())
    assert "'age': ny.quasi(ny.Hierarchy.intervals(width=5" in code
    assert "source=ny.Source(missing=('NA', '-9'), path='hospital.csv')," in code
    assert max(map(len, code.splitlines())) <= 120


@pytest.mark.parametrize("key", sorted(examples.BUILDERS))
def test_every_hierarchy(key: str) -> None:
    parameters, _ = examples.BUILDERS[key]
    same(schema={"a": ny.quasi(BUILDERS[key](**parameters), min_level=1), "s": ny.sensitive()})


@pytest.mark.parametrize(
    "key", sorted(set(examples.MODELS) - {"differential-privacy", "km-anonymity", "linked-k-anonymity"})
)
def test_every_model(key: str) -> None:
    parameters, _ = examples.MODELS[key]
    same(privacy=[MODELS[key](**parameters)])


@pytest.mark.parametrize("attribute", [
    ny.person(pseudonym="keyed", recipient="us", missing="drop"), ny.household(), ny.weight(publish="dropped"),
    ny.insensitive(shift="per person", shift_days=30), ny.quasi(level=2, weight=0.5), ny.identifying(),
])  # fmt: skip
def test_every_role(attribute: Any) -> None:
    privacy = [ny.KAnonymity(k=5), ny.LinkedKAnonymity(k=2, knows=1)]
    needs = {"p": ny.person()} if attribute.shift else {}
    linked = privacy if attribute.pseudonym else privacy[:1]
    same(schema={"a": ny.quasi(), "x": attribute, **needs}, privacy=linked)


def test_names_and_values_that_are_code_stay_what_they_are() -> None:
    evil = "'); import os; os.abort() #\n\"\\"
    same(schema={evil: ny.quasi(ny.Hierarchy.taxonomy({evil: ["x", evil + "y"]})), "s": ny.sensitive()})
    same(source=ny.Source(path=evil), target="s")


def test_methods_with_their_losses() -> None:
    assert len(METHODS) > 10
    same(method=ny.OptimalLattice(suppression=0.02, loss="entropy"))
    same(method=ny.OptimalLattice(loss=ny.DomainShareLoss()), seed=3, output=ny.Output(format="parquet", name="x"))
    same(method=ny.Mondrian())
    same(method=ny.FixedLevels(levels={"a": 1}))


def test_what_it_cannot_say_it_loads(tmp_path: Any) -> None:
    job = ny.Job(schema=SCHEMA, privacy=[ny.KAnonymity(k=5)], earlier_releases=["of May"])
    assert 'job = ny.Job.load("job.toml")' in python_code(job)
