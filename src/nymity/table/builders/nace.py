"""Nace: economic activities become groups, divisions and sections."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from nymity.table.builders.ready import ReadyHierarchy

_CODE = re.compile(r"([A-U])?(\d\d)(?:\.?(\d)(?:\.?(\d))?)?", re.ASCII)
#: The first and the last division of each section of NACE Rev. 2 (Regulation (EC) No 1893/2006, Annex I).
_SECTIONS = {
    "A": (1, 3), "B": (5, 9), "C": (10, 33), "D": (35, 35), "E": (36, 39), "F": (41, 43), "G": (45, 47),
    "H": (49, 53), "I": (55, 56), "J": (58, 63), "K": (64, 66), "L": (68, 68), "M": (69, 75), "N": (77, 82),
    "O": (84, 84), "P": (85, 85), "Q": (86, 88), "R": (90, 93), "S": (94, 96), "T": (97, 98), "U": (99, 99),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Nace(ReadyHierarchy):
    """Shorten codes of economic activities (NACE Rev. 2): ``01.11``, ``01.1``, ``01`` and the section ``A``.

    Read with and without the section's letter and with and without points (``A01.11``, ``0111``); a section alone is
    itself on every level.
    """

    key: ClassVar[str] = "nace"
    expects: ClassVar[str] = "NACE codes such as '01.11' or 'A01.11'"
    names: ClassVar[tuple[str, ...]] = ("group", "division", "section")
    stems: ClassVar[tuple[str, ...]] = ("nace", "industr", "econom", "wirtschaft", "branche", "bedrijf")
    by_values: ClassVar[bool] = False

    def place(self, text: str) -> list[str] | None:
        """Return group, division and section."""
        if text in _SECTIONS:
            return [text] * 3
        if (found := _CODE.fullmatch(text)) is None:
            return None
        letter, division, group = found[1], found[2], found[3]
        section = next((name for name, (low, high) in _SECTIONS.items() if low <= int(division) <= high), None)
        if section is None or letter not in (None, section):
            return None
        return [division if group is None else f"{division}.{group}", division, section]
