"""TOML: plain data as a job file holds it, written by tomli-w. Comments, which it does not know, stand above."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nymity.core.errors import JobError


def toml_job(data: Mapping[str, Any], comment: str = "") -> str:
    """Write the plain data of a job, or some of its tables, with a comment on top."""
    import tomli_w

    try:
        text = tomli_w.dumps(_without_gaps(data))
    except TypeError as error:
        raise JobError("job file", expected="text, numbers, dates, lists and tables", got=str(error)) from error
    return toml_comment(comment) + "\n" * bool(comment) + text


def toml_comment(text: str) -> str:
    """Write lines of comment; control characters, which TOML allows in none, are replaced."""
    lines = ("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line) for line in text.splitlines())
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _without_gaps(value: Any) -> Any:
    """Leave out fields without a value, and write a missing value in the rows of a hierarchy as empty text.

    TOML has no word for what is missing; a hierarchy reads empty text as such.
    """
    if isinstance(value, Mapping):
        return {str(name): _without_gaps(item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return ["" if item is None else _without_gaps(item) for item in value]
    return value
