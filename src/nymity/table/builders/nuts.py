"""Nuts: European regions become larger ones, and countries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from nymity.table.builders.ready import ReadyHierarchy

#: Countries with NUTS codes, or statistical regions of the same form; Greece is EL, the United Kingdom UK.
_WITH_REGIONS = """
AL AT BA BE BG CH CY CZ DE DK EE EL ES FI FR HR HU IE IS IT LI LT LU LV ME MK MT NL NO PL PT RO RS SE SI SK TR UA UK XK
"""
_COUNTRIES = frozenset(_WITH_REGIONS.split())
_CODE = re.compile(r"([A-Z]{2})[0-9A-Z]{0,3}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Nuts(ReadyHierarchy):
    """Shorten codes of regions (NUTS, Regulation (EC) No 1059/2003): ``DE212``, ``DE21``, ``DE2``, ``DE``."""

    key: ClassVar[str] = "nuts"
    expects: ClassVar[str] = "NUTS codes such as 'DE212'"
    names: ClassVar[tuple[str, ...]] = ("NUTS 2", "NUTS 1", "country")
    stems: ClassVar[tuple[str, ...]] = ("nuts", "region", "regio")

    def place(self, text: str) -> list[str] | None:
        """Return the first 4, 3 and 2 characters."""
        found = _CODE.fullmatch(text)
        return [text[:length] for length in (4, 3, 2)] if found and found[1] in _COUNTRIES else None

    @classmethod
    def is_telling(cls, text: str) -> bool:
        """Two letters alone could be a country of any list."""
        return any(letter.isdigit() for letter in text)
