"""TOML: plain data as a job file writes it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nymity.core.errors import JobError


def toml_job(data: Mapping[str, Any], comment: str = "") -> str:
    """Write the plain data of a job, with a comment on top: a table for each part, one for each column and model."""
    return "\n\n".join(filter(None, [_commented(comment), *_blocks(data)])) + "\n"


def toml_key(name: str) -> str:
    """Write a key, quoted unless TOML lets it stand bare."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def toml_value(value: object) -> str:
    """Write one value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{"".join(_escaped(character) for character in value)}"'
    if isinstance(value, int | float):
        return repr(value)  # nan and inf are spelled alike
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{toml_key(str(k))} = {toml_value(item)}" for k, item in value.items() if item is not None)
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    raise JobError("job file", expected="text, numbers, dates, lists and tables", got=repr(value))


def _commented(text: str) -> str:
    return "\n".join(f"# {_printable(line)}".rstrip() for line in text.splitlines())


def _printable(line: str) -> str:
    """Replace control characters, which TOML allows in no comment."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def _blocks(data: Mapping[str, Any]) -> Iterator[str]:
    """Plain fields first, for below a table's head they would belong to the table."""
    tables = {name: value for name, value in data.items() if isinstance(value, Mapping) or name == "privacy"}
    yield "\n".join(f"{toml_key(name)} = {toml_value(value)}" for name, value in data.items() if name not in tables)
    for name, value in tables.items():
        if name == "schema":
            yield from (_table(f"[schema.{toml_key(n)}]", _gaps_as_text(fields)) for n, fields in value.items())
        elif name == "privacy":
            yield from (_table("[[privacy]]", fields) for fields in value)
        else:
            yield _table(f"[{name}]", value)


def _table(head: str, fields: Mapping[str, Any]) -> str:
    return "\n".join([head, *(f"{toml_key(name)} = {toml_value(value)}" for name, value in fields.items())])


def _gaps_as_text(value: Any) -> Any:
    """Write missing values in rows of a hierarchy as empty text, for TOML has no word for them."""
    if isinstance(value, Mapping):
        return {name: _gaps_as_text(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_gaps_as_text("" if item is None else item) for item in value]
    return value


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return f"\\u{ord(character):04X}" if ord(character) < 0x20 or ord(character) == 0x7F else character
