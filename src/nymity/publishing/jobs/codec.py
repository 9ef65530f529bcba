"""Pieces of a job as plain data, the inverse of :mod:`nymity.core.pieces`."""

from __future__ import annotations

import dataclasses
from typing import Any

from nymity.core.errors import JobError
from nymity.core.pieces import plain
from nymity.privacy.second_table import Frame


def dump_piece(piece: Any, *, tag: str) -> dict[str, Any]:
    """Return the plain data of a piece: its key and every parameter that is not the default."""
    data: dict[str, Any] = {tag: piece.key}
    for field in dataclasses.fields(piece):
        value = getattr(piece, field.name)
        if isinstance(value, Frame):
            raise JobError(
                f"{piece.key}.{field.name}",
                expected="a path, which is all a job file can hold",
                got="a table in memory",
                hint="write the table to a file and name that",
            )
        if value != default_of(field):
            data[field.name] = dump_piece(value, tag=field.name) if hasattr(value, "key") else plain(value)
    return data


def default_of(field: dataclasses.Field[Any]) -> Any:
    """Return what a field has where nothing is given."""
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
