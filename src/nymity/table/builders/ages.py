"""Ages: years of life become bands of five, ten and twenty years, with the oldest in one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.quoting import quoted
from nymity.table.builders.number import read_number
from nymity.table.builders.range_label import RANGE_FORMS, range_label
from nymity.table.builders.ready import ReadyHierarchy
from nymity.table.label_form import LabelForm

#: Nobody is known to have lived longer; what is above is a code for something else, such as 999.
OLDEST = 125


@dataclass(frozen=True, kw_only=True)
class Ages(ReadyHierarchy):
    """Group ages into ``bands`` of years, each a multiple of the one before: ``80-84``, ``80-89``, ``80-99``.

    On every level ages from ``top`` on are one group (``90+``; HIPAA's Safe Harbor asks for it), and with ``bottom``
    those below it (``under 18``). Bands that reach beyond them are named by what is left. Ages are completed years, as
    people say them: 4.5 is in ``0-4``.
    """

    key: ClassVar[str] = "ages"
    expects: ClassVar[str] = f"ages from 0 to {OLDEST}"
    names: ClassVar[tuple[str, ...]] = ()
    stems: ClassVar[tuple[str, ...]] = ("age", "alter", "edad", "leeftijd", "idade", "eta")
    by_values: ClassVar[bool] = False
    coarser: ClassVar[str] = "bands of ages"
    forms: ClassVar[tuple[LabelForm, ...]] = RANGE_FORMS

    bands: tuple[int, ...] = (5, 10, 20)
    bottom: int | None = None
    top: int | None = 90

    def __post_init__(self) -> None:
        if self.levels is not None:
            raise ParameterError("ages.levels", expected="none: bands are the levels", got=quoted(self.levels))
        object.__setattr__(self, "bands", _multiples(self.bands))
        for name in ("bottom", "top"):
            if (end := getattr(self, name)) is not None:
                validation.whole_number(f"ages.{name}", end, at_least=1, at_most=OLDEST)
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise ParameterError("ages.top", expected=f"more than bottom, {self.bottom}", got=str(self.top))
        super().__post_init__()

    @property
    def level_names(self) -> tuple[str, ...]:
        """``5 years`` and so on."""
        return tuple(f"{band} years" for band in self.bands)

    def place(self, text: str) -> list[str] | None:
        """Return the band of an age on each level."""
        number = read_number(text)
        if number is None or not 0 <= number <= OLDEST:
            return None
        return [self._label(int(number), band) for band in self.bands]

    def _label(self, age: int, band: int) -> str:
        if self.bottom is not None and age < self.bottom:
            return range_label(None, Fraction(self.bottom), whole=True)
        if self.top is not None and age >= self.top:
            return range_label(Fraction(self.top), None, whole=True)
        low, high = age // band * band, (age // band + 1) * band
        low = low if self.bottom is None else max(low, self.bottom)
        high = high if self.top is None else min(high, self.top)
        return range_label(Fraction(low), Fraction(high), whole=True)


def _multiples(bands: object) -> tuple[int, ...]:
    if isinstance(bands, str) or not isinstance(bands, list | tuple) or not bands:
        raise ParameterError("ages.bands", expected="the years of each level, such as [5, 10, 20]", got=quoted(bands))
    for band in bands:
        validation.whole_number("ages.bands", band, at_least=1, at_most=OLDEST)
    for finer, wider in pairwise(bands):
        if wider <= finer or wider % finer:
            raise ParameterError(
                "ages.bands", expected=f"a multiple of {finer} above it", got=str(wider), hint="such as [5, 10, 20]"
            )
    return tuple(bands)
