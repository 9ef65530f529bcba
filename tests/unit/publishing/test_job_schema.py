"""The JSON Schema of job files: it knows every registered piece and agrees with what jobs accept."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from typing import Any

import pytest
from test_job import VARIANTS, WRONG, data, with_hierarchy

from nymity.datasets import hospital
from nymity.io import RELEASED
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.json_schema import job_schema
from nymity.publishing.jobs.registry import METHODS, MODELS
from nymity.publishing.preparing.inspect import inspect, starter_job
from nymity.quality import LOSSES
from nymity.table.attribute import Role
from nymity.table.builders import BUILDERS


def tagged(pieces: dict[str, Any], tag: str) -> dict[str, Any]:
    return {piece["properties"][tag]["const"]: piece for piece in pieces["oneOf"]}


def test_it_is_plain_json_and_names_every_piece() -> None:
    schema = job_schema()
    assert json.loads(json.dumps(schema)) == schema
    fields = schema["properties"]
    hierarchy = fields["schema"]["additionalProperties"]["properties"]["hierarchy"]
    for pieces, tag, registry in (
        (fields["privacy"]["items"], "model", MODELS),
        (fields["method"], "name", METHODS),
        (hierarchy, "type", BUILDERS),
    ):
        assert list(tagged(pieces, tag)) == list(registry)
        for key, piece in tagged(pieces, tag).items():
            assert set(piece["properties"]) == {tag, *(field.name for field in dataclasses.fields(registry[key]))}
            assert tag in piece["required"]
    by_key, by_parameters = tagged(fields["method"], "name")["optimal-lattice"]["properties"]["loss"]["oneOf"]
    assert by_key["enum"] == list(LOSSES)
    assert list(tagged(by_parameters, "loss")) == list(LOSSES)
    files, tables = fields["output"]["oneOf"]
    assert files["properties"]["format"]["enum"] == list(RELEASED)
    assert tables["properties"]["mode"]["enum"] == ["create", "append", "replace"]
    assert fields["schema"]["additionalProperties"]["properties"]["role"]["enum"] == [role.value for role in Role]
    assert set(fields) == {"format", *(field.name for field in dataclasses.fields(Job))}


def test_no_reference_leads_nowhere() -> None:
    """Schemas of types are nested; a reference to the top of one of them would be broken."""
    assert "$ref" not in json.dumps(job_schema())


def starter() -> dict[str, Any]:
    return tomllib.loads(starter_job(inspect(hospital(500)), "hospital.csv"))


def test_a_starter_job_is_a_job() -> None:
    job = Job.from_dict(starter())
    assert set(job.schema) == set(hospital(1).columns)
    assert job.source is not None
    assert job.source.path == "hospital.csv"


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(job_schema())
    return jsonschema.Draft202012Validator(job_schema())


@pytest.mark.parametrize("name", VARIANTS)
def test_what_a_job_accepts_is_valid(name: str, validator: Any) -> None:
    assert list(validator.iter_errors(VARIANTS[name])) == []
    assert list(validator.iter_errors(Job.from_dict(VARIANTS[name]).to_dict())) == []


def test_a_starter_job_is_valid(validator: Any) -> None:
    assert list(validator.iter_errors(starter())) == []


def test_wrong_names_and_types_are_invalid(validator: Any) -> None:
    """Editors see misspelt fields and wrong types; ranges, and which columns there are, are left to the job."""
    of_a_range = (
        "a column that is published",
        "a column of the schema",
        "an earlier release to intersect with",
        "at least",
        "from 0 to 1",
        "without folders",
        "one ASCII",
        "a text encoding",
        "of at least 2",
    )
    for wrong, place, told in WRONG:
        seen = list(validator.iter_errors(data(**wrong)))
        is_a_range = any(part in text for text in told for part in of_a_range) or told == ("a number",)
        if place == "privacy" or not (is_a_range or place == "method.outliers"):
            assert seen, place
    assert list(validator.iter_errors(with_hierarchy({"type": "masking", "sied": "left"})))
