"""How ranges of numbers are written: as people write them."""

from __future__ import annotations

from fractions import Fraction

from nymity.table.builders.number import write_number
from nymity.table.label_form import LabelForm
from nymity.table.text import MASK

RANGE_FORMS = (
    LabelForm(r"^-?\d+(-| to )-?\d+$", "20-39", "One of the whole numbers from the first to the last, both included."),
    LabelForm(
        r" to under |^\[.*\)$", "20 to under 22.5", "A number from the first up to the second, which is not included."
    ),
    LabelForm(r"\+$| or more$|^>=", "90+", "This number or a larger one."),
    LabelForm(r"^under |^<", "under 18", "A smaller number."),
)


def range_label(low: Fraction | None, high: Fraction | None, *, whole: bool) -> str:
    """Write the numbers from ``low`` to under ``high``; ``None`` is unbounded.

    Whole numbers have both ends inside: ``80-84``, ``78`` where there is one, ``-5 to -1``, for a second minus would be
    misread. Others end below the second number: ``0.5 to under 1``. The ends are ``85+``, ``-5 or more`` and
    ``under 18``.
    """
    if low is None:
        return f"under {write_number(high)}" if high is not None else MASK
    if high is None:
        return f"{write_number(low)}+" if low >= 0 else f"{write_number(low)} or more"
    if not whole:
        return f"{write_number(low)} to under {write_number(high)}"
    if high - low == 1:
        return write_number(low)
    return f"{write_number(low)}{'-' if low >= 0 else ' to '}{write_number(high - 1)}"
