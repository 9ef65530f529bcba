"""Isco: occupations become minor, sub-major and major groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from nymity.core import validation
from nymity.table.builders.lost_zeros import LostZeros, lost_zeros
from nymity.table.builders.ready import ReadyHierarchy

_CODE = re.compile(r"\d{1,4}", re.ASCII)
#: The sub-major groups of ISCO-08 that there are (International Labour Office 2012).
_SUB_MAJOR_GROUPS = """
01 02 03 11 12 13 14 21 22 23 24 25 26 31 32 33 34 35 41 42 43 44 51 52 53 54 61 62 63 71 72 73 74 75 81 82 83 91 92 93
94 95 96
"""
_SUB_MAJOR = frozenset(_SUB_MAJOR_GROUPS.split())
#: The unit groups of armed forces without the zero that they begin with: no minor group has such a number.
_ARMED_FORCES = ("110", "210", "310")


@dataclass(frozen=True, kw_only=True)
class Isco(ReadyHierarchy):
    """Shorten codes of the International Standard Classification of Occupations 2008: ``2211``, ``221``, ``22``, ``2``.

    Keep codes as text: armed forces begin with 0, which a column of numbers loses. ``digits`` says how many digits all
    codes had, and puts the zeros back: with 4, ``110`` is ``0110``.
    """

    key: ClassVar[str] = "isco-08"
    expects: ClassVar[str] = "ISCO-08 codes such as '2211'"
    names: ClassVar[tuple[str, ...]] = ("minor group", "sub-major group", "major group")
    stems: ClassVar[tuple[str, ...]] = ("isco", "occup", "beruf", "profes", "beroep", "ocupac")
    by_values: ClassVar[bool] = False
    of_codes: ClassVar[bool] = True

    digits: int | None = None

    def __post_init__(self) -> None:
        if self.digits is not None:
            validation.whole_number("isco-08.digits", self.digits, at_least=2, at_most=4)
        super().__post_init__()

    def place(self, text: str) -> list[str] | None:
        """Return the first three, two and one digits."""
        text = text if self.digits is None or not text.isdecimal() else text.rjust(self.digits, "0")
        if not _CODE.fullmatch(text) or (len(text) > 1 and text[:2] not in _SUB_MAJOR):
            return None
        return [text[:length] for length in (3, 2, 1)]

    @classmethod
    def short_codes(cls, texts: Sequence[str]) -> LostZeros | None:
        """Codes of three digits among four are armed forces if they are 110, 210 or 310, which no minor group is."""
        return lost_zeros(texts, certain=_ARMED_FORCES, why="armed forces of ISCO-08", builder=cls.key)
