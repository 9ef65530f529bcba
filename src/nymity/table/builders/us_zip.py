"""UsZip: postcodes of the United States become 3-digit areas and regions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from nymity.core.errors import ParameterError
from nymity.core.quoting import quoted
from nymity.table.builders.ready import ReadyHierarchy
from nymity.table.label_form import LabelForm

_CODE = re.compile(r"\d{3,5}|\d{5}-\d{4}", re.ASCII)
_AREA = re.compile(r"\d{3}", re.ASCII)
#: What stands for all small areas (HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i)(B)).
SMALL = "000**"


@dataclass(frozen=True, kw_only=True)
class UsZip(ReadyHierarchy):
    """Shorten ZIP codes: ``02138-1234``, ``02138``, the 3-digit area ``021**`` and the first digit ``0****``.

    Numbers have lost the zeros that they began with and get them back. ``small`` lists 3-digit areas of too few people,
    which are all published as ``000**``, and stay so on the next level.
    """

    key: ClassVar[str] = "us-zip"
    expects: ClassVar[str] = "US ZIP codes such as '02138'"
    names: ClassVar[tuple[str, ...]] = ("ZIP", "3-digit area", "first digit")
    stems: ClassVar[tuple[str, ...]] = ("zip", "zcta")
    by_values: ClassVar[bool] = False
    of_codes: ClassVar[bool] = True
    coarser: ClassVar[str] = "postcodes with digits hidden"
    forms: ClassVar[tuple[LabelForm, ...]] = (
        LabelForm(r"^000\*\*$", SMALL, "One of several areas of few people."),
        LabelForm(r"^\d+\*+$", "021**", "A postcode that begins with these digits."),
    )

    small: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.small, str) or not all(isinstance(a, str) and _AREA.fullmatch(a) for a in self.small):
            raise ParameterError(
                "us-zip.small", expected="3-digit areas as text, such as ['036', '059']", got=quoted(self.small)
            )
        object.__setattr__(self, "small", tuple(self.small))
        super().__post_init__()

    def place(self, text: str) -> list[str] | None:
        """Return the postcode, its area and its first digit."""
        if not _CODE.fullmatch(text):
            return None
        code = text.rjust(5, "0")[:5]
        area, first = f"{code[:3]}**", f"{code[0]}****"
        return [code, SMALL, SMALL] if code[:3] in self.small or area == SMALL else [code, area, first]
