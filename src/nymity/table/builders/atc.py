"""Atc: drugs become their chemical, pharmacological, therapeutic and anatomical groups."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from nymity.table.builders.ready import ReadyHierarchy

#: The anatomical main groups are these letters; a code has 1, 3, 4, 5 or 7 characters.
_CODE = re.compile(r"[ABCDGHJLMNPRSV](\d\d([A-Z]([A-Z](\d\d)?)?)?)?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Atc(ReadyHierarchy):
    """Shorten codes of the Anatomical Therapeutic Chemical classification: ``A10BA02``, ``A10BA``, ``A10B``, ``A10``.

    The last level is the anatomical main group, a letter. A code of a group is itself on the levels below it.
    """

    key: ClassVar[str] = "atc"
    expects: ClassVar[str] = "ATC codes such as 'A10BA02'"
    names: ClassVar[tuple[str, ...]] = ("chemical group", "pharmacological group", "therapeutic group", "main group")
    stems: ClassVar[tuple[str, ...]] = ("atc", "drug", "medic", "arznei", "wirkstoff")

    def place(self, text: str) -> list[str] | None:
        """Return the first 5, 4, 3 and 1 characters."""
        return [text[:length] for length in (5, 4, 3, 1)] if _CODE.fullmatch(text) else None
