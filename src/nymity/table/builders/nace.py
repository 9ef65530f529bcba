"""Nace: economic activities become groups, divisions and sections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from nymity.core import validation
from nymity.table.builders.lost_zeros import LostZeros, lost_zeros
from nymity.table.builders.ready import ReadyHierarchy

_CODE = re.compile(r"([A-U])?(\d\d)(?:\.?(\d)(?:\.?(\d))?)?", re.ASCII)
#: The first and the last division of each section of NACE Rev. 2 (Regulation (EC) No 1893/2006, Annex I).
_SECTIONS = {
    "A": (1, 3), "B": (5, 9), "C": (10, 33), "D": (35, 35), "E": (36, 39), "F": (41, 43), "G": (45, 47),
    "H": (49, 53), "I": (55, 56), "J": (58, 63), "K": (64, 66), "L": (68, 68), "M": (69, 75), "N": (77, 82),
    "O": (84, 84), "P": (85, 85), "Q": (86, 88), "R": (90, 93), "S": (94, 96), "T": (97, 98), "U": (99, 99),
}  # fmt: skip
_SHORT = """
111 112 113 114 115 116 119 121 122 123 124 125 126 127 128 129 130 141 142 143 144 145 146 147 149 150 161 162 163 164
170 210 220 230 240 311 312 321 322 510 520 610 620 710 721 729 811 812 891 892 893 899 910 990
"""
#: The classes of divisions 01 to 09 without the zero that they begin with (same place) …
_SHORT_CLASSES = frozenset(_SHORT.split())
#: … and those of them that are groups, too, such as 14.1.
_ALSO_GROUPS = frozenset({"141", "142", "143", "161", "162", "321", "322", "620", "721", "811", "812", "910", "990"})


@dataclass(frozen=True, kw_only=True)
class Nace(ReadyHierarchy):
    """Shorten codes of economic activities (NACE Rev. 2): ``01.11``, ``01.1``, ``01`` and the section ``A``.

    Read with and without the section's letter and with and without points (``A01.11``, ``0111``); a section alone is
    itself on every level. ``digits`` says how many digits all codes had before a column of numbers lost the zeros that
    some begin with, and puts them back: with 4, ``111`` is ``01.11``.
    """

    key: ClassVar[str] = "nace"
    expects: ClassVar[str] = "NACE codes such as '01.11' or 'A01.11'"
    names: ClassVar[tuple[str, ...]] = ("group", "division", "section")
    stems: ClassVar[tuple[str, ...]] = ("nace", "industr", "econom", "wirtschaft", "branche", "bedrijf")
    by_values: ClassVar[bool] = False
    of_codes: ClassVar[bool] = True

    digits: int | None = None

    def __post_init__(self) -> None:
        if self.digits is not None:
            validation.whole_number("nace.digits", self.digits, at_least=2, at_most=4)
        super().__post_init__()

    def place(self, text: str) -> list[str] | None:
        """Return group, division and section."""
        text = text if self.digits is None or not text.isdecimal() else text.rjust(self.digits, "0")
        if text in _SECTIONS:
            return [text] * 3
        if (found := _CODE.fullmatch(text)) is None:
            return None
        letter, division, group = found[1], found[2], found[3]
        section = next((name for name, (low, high) in _SECTIONS.items() if low <= int(division) <= high), None)
        if section is None or letter not in (None, section):
            return None
        return [division if group is None else f"{division}.{group}", division, section]

    @classmethod
    def short_codes(cls, texts: Sequence[str]) -> LostZeros | None:
        """Codes of three digits among four are classes of divisions 01 to 09 if all can be, and one is no group."""
        found = lost_zeros(texts, certain=_SHORT_CLASSES, why="classes of divisions 01 to 09 of NACE", builder=cls.key)
        if found is None or not set(found.short) <= _ALSO_GROUPS:
            return found
        return lost_zeros(texts, builder=cls.key)
