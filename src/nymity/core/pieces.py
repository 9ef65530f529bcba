"""Pieces by their names: models, methods and hierarchy builders from the key they are registered by.

One form for all, in job files and in Python: a mapping with the piece's key under a tag and its parameters beside it,
such as ``{"model": "k-anonymity", "k": 5}``. A piece inside another, such as a method's loss, is tagged by its field.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_type_hints

from nymity.core.errors import FileError, InputError, JobError
from nymity.core.quoting import as_given, kind_and_value
from nymity.core.validation import nearest

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def parse_piece(data: Any, *, tag: str, registry: Mapping[str, type[Any]], where: str) -> Any:
    """Build the piece that ``data`` describes, or say which field is wrong and what it could be."""
    fields = require_mapping(data, where)
    known = ", ".join(map(repr, registry))
    if tag not in fields:
        raise JobError(where, expected=f"a field {tag!r}, one of {known}", got=f"only {', '.join(fields) or 'nothing'}")
    key = fields[tag]
    if not isinstance(key, str) or key not in registry:
        raise JobError(
            f"{where}.{tag}", expected=f"one of {known}", got=as_given(key), hint=nearest(str(key), registry)
        )
    return built(registry[key], {name: value for name, value in fields.items() if name != tag}, where)


def built(piece: type[Any], parameters: Mapping[str, Any], where: str) -> Any:
    """Call ``piece`` with parameters; errors name the place in the job."""
    names = [field.name for field in dataclasses.fields(piece)]
    check_fields(parameters, names, where)
    _check_complete(piece, parameters, where)
    if not hasattr(piece, "key"):  # registered pieces check their own parameters, often wider than their fields
        _check_types(piece, parameters, where)
    try:
        return piece(**parameters)
    except FileError:
        raise
    except TypeError:
        _check_types(piece, parameters, where)
        raise
    except InputError as error:
        name = error.where.rpartition(".")[2]
        place = f"{where}.{name}" if name.partition(",")[0] in names else where  # else it speaks of the whole piece
        raise JobError(place, expected=error.expected, got=error.got, hint=error.hint) from error


def _check_complete(piece: type[Any], parameters: Mapping[str, Any], where: str) -> None:
    """Refuse a piece without a field it cannot do without."""
    of = f" for {piece.key!r}" if hasattr(piece, "key") else ""
    for field in dataclasses.fields(piece):
        no_default = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if no_default and field.name not in parameters:
            got = f"only {', '.join(parameters)}" if parameters else "none"
            raise JobError(where, expected=f"a field {field.name!r}{of}", got=got)


def _check_types(piece: type[Any], parameters: Mapping[str, Any], where: str) -> None:
    """Refuse a value that is not of its field's type; hierarchies are pieces of their own."""
    from pydantic import ValidationError  # takes a while to load, and most pieces need none of it

    for name, value in parameters.items():
        if dataclasses.is_dataclass(value):
            continue
        try:
            _form_of(piece, name).validate_json(json.dumps(plain(value), default=_no_json), strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            reason = first["msg"].removeprefix("Input should be ")
            words = re.findall("'([^']+)'", reason) if first["type"] == "literal_error" else ()
            hint = nearest(str(value), words)
            raise JobError(f"{where}.{name}", expected=reason, got=as_given(value), hint=hint) from error


#: What fields take; made once, for a job has many columns, and pages read it again and again.
_forms: dict[tuple[type[Any], str], TypeAdapter[Any]] = {}


def _form_of(piece: type[Any], name: str) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    if (piece, name) not in _forms:
        _forms[piece, name] = TypeAdapter(get_type_hints(piece)[name])
    return _forms[piece, name]


def _no_json(value: object) -> dict[str, str]:
    """Write what JSON has no word for, such as an unquoted date in TOML, as something that no field takes for text."""
    return {type(value).__name__: str(value)}


def plain(value: Any) -> Any:
    """Turn tuples, mappings and numpy's numbers into plain lists, dicts and numbers, all the way down."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    import numpy as np

    return value.item() if isinstance(value, np.generic) else value


def require_mapping(data: Any, where: str) -> Mapping[str, Any]:
    """Refuse anything but a table of fields."""
    if not isinstance(data, Mapping):
        raise JobError(where, expected="a table of fields", got=kind_and_value(data))
    return data


def check_fields(data: Mapping[str, Any], allowed: list[str], where: str) -> None:
    """Refuse a field that does not exist, naming those that do and the nearest."""
    for name in data:
        if name not in allowed:
            raise JobError(
                f"{where}.{name}" if where else name,
                expected=f"one of the fields {', '.join(map(repr, allowed)) or '(none)'}",
                got=as_given(name),
                hint=nearest(str(name), allowed),
            )
