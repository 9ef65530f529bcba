"""Masking: characters are replaced one by one from one side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import polars as pl

from nymity.core import validation
from nymity.core.errors import HierarchyError, ParameterError
from nymity.core.quoting import as_given
from nymity.table.builders.column import distinct
from nymity.table.hierarchy import MOST_LEVELS, Hierarchy
from nymity.table.label_form import LabelForm
from nymity.table.rule import Fixes, is_count

Side = Literal["left", "right"]

_MOST_PADDED = 200_000_000


@dataclass(frozen=True, kw_only=True)
class Masking:
    """Replace characters by ``char`` from ``side``, as ARX's redaction does: ``81667``, ``8166*``, ``816**`` …

    One character per level, until the last one left would go, which is the top, ``*``; where values are so long that
    this takes more levels than a hierarchy may have, as few characters per level as bring it within. ``steps`` gives
    the number of masked characters of each level instead (cumulative: ``steps=(2, 4)`` masks two, then four), and
    ``levels`` the number of levels below the top, the raw values among them. Both fix the height whatever the
    length of the values: a level that masks more characters than there are masks them all.

    Values of different lengths are aligned first, as if padded to the longest: on the left when masked from the
    right and the other way round, so that a level masks the same *places* of all values (``align`` says
    otherwise). Without ``pad`` the padding only counts: beside ``E11.65`` the value ``E11`` stays as it is while
    places 6 to 4 are masked. With ``pad`` it is written from level 1 on: ``pad="0", align="right"`` makes
    ``2138`` the postcode ``02138`` that lost its zero, and ``pad="*"`` gives ``E11`` and ``E11.65`` the same
    ``E11***``.

    ``keep_length=False`` writes a run of masked characters as one, so that the length of a value is not told.

    Each level is a function of the one below, for a level masks the same places of the padded text, and a
    label tells how long its value was (or, without ``keep_length``, how much of it is left).
    """

    key: ClassVar[str] = "masking"
    coarser: ClassVar[str] = "texts with characters hidden from one side"
    forms: ClassVar[tuple[LabelForm, ...]] = (
        LabelForm(
            r"^.*[^*]\*+$|^\*+[^*].*$",
            "81***",
            "Some characters are hidden; each * stands for one, or for all that follow. Any value that fits is "
            "possible.",
        ),
    )
    fixes: ClassVar[Fixes] = {"longest": is_count}
    of_codes: ClassVar[bool] = True  # digits hidden one by one are those of a code

    side: Side = "right"
    levels: int | None = None
    char: str = "*"
    keep_length: bool = True
    pad: str | None = None
    steps: tuple[int, ...] | None = None
    align: Side | None = None

    def __post_init__(self) -> None:
        validation.one_of("masking.side", self.side, ("left", "right"))
        _check_character("masking.char", self.char)
        if not isinstance(self.keep_length, bool):
            raise ParameterError("masking.keep_length", expected="true or false", got=as_given(self.keep_length))
        if self.pad is not None:
            _check_character("masking.pad", self.pad)
        if self.align is not None:
            validation.one_of("masking.align", self.align, ("left", "right"))
        if self.levels is not None:
            validation.whole_number("masking.levels", self.levels, at_least=1, at_most=MOST_LEVELS - 1)
        if self.steps is not None:
            if self.levels is not None:
                raise ParameterError(
                    "masking.levels", expected="none with steps, which are the levels", got=str(self.levels)
                )
            object.__setattr__(self, "steps", _rising(self.steps))

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the masks of a column; numbers and dates are masked in their text form."""
        column = distinct(values)
        longest = max(map(len, column.texts), default=0)
        counts = self._counts(longest)
        self._check_size(len(column.texts) * longest * (len(counts) + 1), where)
        rows = [[text, *(self._mask(text, count, longest) for count in counts)] for text in column.texts]
        return column.hierarchy(rows, levels=len(counts) + 1, where=where, rule=(self, {"longest": longest}))

    def between(self, text: str, fixed: Mapping[str, Any]) -> list[str] | None:
        """Mask any text that is no longer than those of the column were."""
        longest = fixed["longest"]
        return [self._mask(text, count, longest) for count in self._counts(longest)] if len(text) <= longest else None

    def _check_size(self, characters: int, where: str) -> None:
        """Refuse to write padding that takes far more memory than the values."""
        if self.pad is not None and characters > _MOST_PADDED:
            raise HierarchyError(
                where,
                expected=f"masks of at most {_MOST_PADDED:,} characters in all",
                got=f"{characters:,}, because every value is padded to the longest",
                hint="leave pad out, give steps, or correct the long value",
            )

    def _counts(self, longest: int) -> tuple[int, ...]:
        """How many places each level above the raw values masks."""
        if self.steps is not None:
            return self.steps
        if self.levels is not None:
            return tuple(range(1, self.levels))
        step = -(-longest // (MOST_LEVELS - 1))
        return tuple(range(step, longest, max(1, step)))

    def _mask(self, text: str, count: int, longest: int) -> str:
        from_right = self.side == "right"
        on_left = (self.align or ("left" if from_right else "right")) == "left"
        if self.pad is not None:
            text = text.ljust(longest, self.pad) if on_left else text.rjust(longest, self.pad)
        # Padding that is not written takes its share of the masked places when it lies on the masked side.
        hidden = longest - len(text) if on_left == from_right else 0
        masked = min(max(count - hidden, 0), len(text))
        run = self.char * (masked if self.keep_length else min(masked, 1))
        return text[: len(text) - masked] + run if from_right else run + text[masked:]


def _check_character(where: str, value: object) -> None:
    if not isinstance(value, str) or len(value) != 1:
        raise ParameterError(where, expected="one character", got=as_given(value))


def _rising(steps: object) -> tuple[int, ...]:
    if not isinstance(steps, list | tuple) or not steps:
        raise ParameterError("masking.steps", expected="how many characters each level masks", got=as_given(steps))
    previous = 0
    for step in steps:
        validation.whole_number("masking.steps", step, at_least=previous + 1)
        previous = step
    if len(steps) > MOST_LEVELS - 2:
        raise ParameterError("masking.steps", expected=f"at most {MOST_LEVELS - 2} steps", got=f"{len(steps):,}")
    return tuple(steps)
