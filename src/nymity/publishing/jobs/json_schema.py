"""JSON Schema of job files, for editors that complete and check them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from nymity.core.format_numbers import JOB
from nymity.database import DatabaseOutput, DatabaseSource
from nymity.dp.ledger import Ledger
from nymity.engines import KINDS, Engine
from nymity.publishing.jobs.children import Children
from nymity.publishing.jobs.earlier_release import Earlier, EarlierRelease
from nymity.publishing.jobs.job import Output, Source
from nymity.publishing.jobs.registry import METHODS, MODELS
from nymity.publishing.sealing.signing import Sign
from nymity.quality import LOSSES, Loss
from nymity.table.attribute import Attribute, Role
from nymity.table.builders import BUILDERS
from nymity.transforms import TRANSFORMS


def job_schema() -> dict[str, Any]:
    """Return the schema; every registered model, method and hierarchy builder is in it by its key."""
    models = _one_of(MODELS, "model")
    for model, piece in zip(models["oneOf"], MODELS.values(), strict=True):
        if piece.second_table:
            model["properties"][piece.second_table] = {"type": "string"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "nymity job",
        "type": "object",
        "additionalProperties": False,
        "required": ["schema", "privacy"],
        "properties": {
            "source": {"oneOf": [{"type": "string"}, _fields(Source), _fields(DatabaseSource)]},
            "children": {"oneOf": [{"type": "string"}, _fields(Children)]},
            "schema": {"type": "object", "additionalProperties": _attribute()},
            "privacy": {"type": "array", "minItems": 1, "items": models},
            "method": _one_of(METHODS, "name"),
            "output": {"oneOf": [_fields(Output), _fields(DatabaseOutput)]},
            "earlier_releases": {"type": "array", "items": {"oneOf": [{"type": "string"}, _earlier_release()]}},
            "earlier": _fields(Earlier),
            "ledger": _fields(Ledger),
            "target": {"type": "string"},
            "sign": _fields(Sign),
            "format": {"enum": [JOB.tag, "nymity-job-1"]},
            "seed": {"type": "integer"},
            "transforms": {"type": "array", "items": _one_of(TRANSFORMS, "transform")},
            "engine": {"oneOf": [{"enum": list(KINDS)}, _fields(Engine)]},
        },
    }


def _earlier_release() -> dict[str, Any]:
    """Return the schema of an earlier release in a job file, where everything is text."""
    schema = _fields(EarlierRelease)
    return schema | {"properties": {name: {"type": "string", "minLength": 1} for name in schema["properties"]}}


def _attribute() -> dict[str, Any]:
    properties: dict[str, Any] = {
        "role": {"enum": [role.value for role in Role]},
        "hierarchy": _one_of(BUILDERS, "type"),
    }
    for field in dataclasses.fields(Attribute):
        if field.name not in properties:
            properties[field.name] = _type(Attribute, field.name) | {"default": field.default}
    return {"type": "object", "additionalProperties": False, "required": ["role"], "properties": properties}


def _one_of(registry: Mapping[str, type[Any]], tag: str) -> dict[str, Any]:
    pieces = []
    for key, piece in registry.items():
        schema = _fields(piece)
        schema["properties"] = {tag: {"const": key}, **schema["properties"]}
        schema["required"] = [tag, *schema.get("required", [])]
        pieces.append(schema)
    return {"oneOf": pieces}


def _fields(piece: type[Any]) -> dict[str, Any]:
    """Return the schema of a dataclass's parameters."""
    required = [
        field.name
        for field in dataclasses.fields(piece)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    return {
        "type": "object",
        "additionalProperties": False,
        "description": (piece.__doc__ or "").partition("\n")[0],
        "properties": {field.name: _type(piece, field.name) for field in dataclasses.fields(piece)},
    } | ({"required": required} if required else {})


def _type(piece: type[Any], name: str) -> dict[str, Any]:
    """Return the schema of one field's type, as pydantic derives it from the annotation; a loss is a key or a piece."""
    hint = get_type_hints(piece, include_extras=True)[name]
    if hint == str | Loss:
        return {
            "oneOf": [{"enum": list(LOSSES)}, _one_of(LOSSES, "loss")],
            "default": piece.__dataclass_fields__[name].default,
        }
    return TypeAdapter(hint).json_schema()
