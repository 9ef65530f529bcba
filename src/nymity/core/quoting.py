"""Values of tables in messages: the one place that decides whether they are quoted.

A message that says which cell is wrong is easy to act on, and repeats what somebody may have wanted to keep out of a
terminal, a log or an e-mail. With the environment variable ``NYMITY_NO_VALUES`` set (``--no-values`` on the command
line does that), messages describe values instead. Names of columns, paths and parameters are always said.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from numbers import Number
from pathlib import PurePath

VARIABLE = "NYMITY_NO_VALUES"
#: Invisible; stands before what is quoted until an error has noted that there is something.
MARK = "\N{INVISIBLE SEPARATOR}"
#: What is written as it is when it was given for something else, and how many of them.
_WRITTEN, _FEW = (str, bytes, Number, type(None), PurePath), 8


def shown(value: object, *, limit: int = 40) -> str:
    """Write a value for people, in quotes and shortened; a missing value is called so."""
    if value is None:
        return "(missing)"
    text = value if isinstance(value, str) else repr(value)
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return repr(text) if isinstance(value, str) else text


def as_given(value: object, *, limit: int = 80) -> str:
    """Write an argument that is not what it should be: a table, a column or a long list by its kind alone.

    Whoever swaps two arguments gives the table in place of a number, and its cells belong into no message.
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        cells: Collection[object] = value.values() if isinstance(value, Mapping) else value
        if len(value) > _FEW or any(isinstance(one, Collection) and not isinstance(one, str) for one in cells):
            return f"{type(value).__name__} of {len(value):,}"
    elif not isinstance(value, _WRITTEN) and not dataclasses.is_dataclass(value) and not _is_scalar(value):
        return type(value).__name__
    text = repr(value)
    return type(value).__name__ if "\n" in text else text[:limit]  # a result that shows itself on a screen


def kind_and_value(value: object) -> str:
    """Write the kind of an argument, and what it is where that may be said."""
    kind, said = type(value).__name__, as_given(value)
    return said if said.startswith(kind) else f"{kind} {said}"[:80]


def quoted(value: object, *, limit: int = 40) -> str:
    """Quote a value of a table in an error, or describe it where values are not to be shown."""
    return _described(value) if hidden() else f"{MARK}{shown(value, limit=limit)}"


def relayed(message: object, instead: str = "something else") -> str:
    """Pass on the first line of what another library says, which may quote values."""
    lines = str(message).splitlines()
    return instead if hidden() or not lines else f"{MARK}{lines[0]}"


def hidden() -> bool:
    """Return whether messages must not quote values."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


@contextmanager
def hiding(hide: bool) -> Iterator[None]:
    """Keep values out of messages while the block runs, in processes started by it too; False changes nothing."""
    before = os.environ.get(VARIABLE)
    if hide:
        os.environ[VARIABLE] = "1"
    try:
        yield
    finally:
        if hide and before is None:
            os.environ.pop(VARIABLE, None)
        elif hide and before is not None:
            os.environ[VARIABLE] = before


def _is_scalar(value: object) -> bool:
    """Whether it is a number of numpy, which a table or an array of more than one is not."""
    return hasattr(value, "dtype") and getattr(value, "shape", None) == ()


def _described(value: object) -> str:
    """Return what kind of value it is: enough to find it, too little to know it."""
    if value is None:
        return "(missing)"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return "a number"
    if not isinstance(value, str):
        return f"a value of type {type(value).__name__}"
    kind = "digits" if value.isdecimal() else "letters" if value.isalpha() else "characters"
    return f"a text of {len(value):,} {kind if len(value) != 1 else kind.removesuffix('s')}"
