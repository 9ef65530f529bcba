"""Plain numbers: parameters that came as numbers of numpy, as Python's own.

``for k in np.arange(2, 20)`` hands out ``np.int64``, whose comparisons are no ``bool`` and which JSON does not know.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any, TypeVar

_Piece = TypeVar("_Piece")


def with_plain_numbers(piece: _Piece) -> _Piece:
    """Return a frozen dataclass with its numbers, and those of dataclasses in its fields, as Python has them."""
    if "numpy" not in sys.modules or not dataclasses.is_dataclass(piece) or isinstance(piece, type):
        return piece
    fields = {field.name: getattr(piece, field.name) for field in dataclasses.fields(piece) if field.init}
    changed = {name: plain for name, given in fields.items() if (plain := _plain(given)) is not given}
    return dataclasses.replace(piece, **changed) if changed else piece


def _plain(given: Any) -> Any:
    if isinstance(given, sys.modules["numpy"].generic):
        return given.item()
    return with_plain_numbers(given)
