"""Text of published cells, read as what a model can learn from: ends of ranges, days, and values of sets."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date, timedelta

#: Both ends of what a cell may stand for, None for an open one.
Ends = tuple[float | None, float | None]

_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
#: Ranges as hierarchies and methods write them, and whether their ends are open.
_RANGES = (
    re.compile(rf"(?P<low>{_NUMBER})(?:-| to | to under |\.\.)(?P<high>{_NUMBER})"),
    re.compile(rf"[\[(](?P<low>{_NUMBER}), ?(?P<high>{_NUMBER})[\])]"),
    re.compile(rf"(?P<low>{_NUMBER})(?:\+| or more)|>=? ?(?P<least>{_NUMBER})"),
    re.compile(rf"(?:under |<=? ?)(?P<high>{_NUMBER})"),
    re.compile(rf"(?P<one>{_NUMBER})"),
)
_MISSING, _OR = "missing", "missing or "


def without_missing(cell: str) -> tuple[str, bool]:
    """Return a cell without ``missing or``, and whether that was there."""
    return cell.removeprefix(_OR), cell.startswith(_OR)


def ends_of(cell: str) -> Ends | None:
    """Return the ends of a number or a range; None where a cell is neither, as ``2020-01``, whose end is its month."""
    for pattern in _RANGES:
        if (found := pattern.fullmatch(cell.strip())) is not None:
            parts = found.groupdict()
            low = parts.get("low") or parts.get("least") or parts.get("one")
            high = parts.get("high") or parts.get("one")
            ends = None if low is None else float(low), None if high is None else float(high)
            return None if ends[0] is not None and ends[1] is not None and ends[0] > ends[1] else ends
    return None


def day_ends_of(cell: str) -> Ends | None:
    """Return the first and the last day of a date, a range of dates, a month, …, a decade, as days since 1970."""
    first, _, last = cell.strip().partition(" to ")
    begin, end = _days(first), _days(last or first)
    if begin is None or end is None:
        return None
    return float(begin[0].toordinal() - _EPOCH), float(end[1].toordinal() - _EPOCH)


def year_ends_of(cell: str) -> Ends | None:
    """Return the years of a date or of a range of dates, for a column that is published as years."""
    first, _, last = cell.strip().partition(" to ")
    begin, end = _days(first), _days(last or first)
    return None if begin is None or end is None else (float(begin[0].year), float(end[1].year))


_EPOCH = date(1970, 1, 1).toordinal()


def _days(text: str) -> tuple[date, date] | None:
    """Return the first and the last day that a label of dates stands for."""
    try:
        if found := re.fullmatch(r"(\d{4})-Q([1-4])", text):
            return _months(int(found[1]), 3 * int(found[2]) - 2, 3)
        if found := re.fullmatch(r"(\d{4})-W(\d\d)", text):
            monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
            return monday, monday + timedelta(days=6)
        if found := re.fullmatch(r"(\d{4})(?:-(\d\d))?", text):
            return _months(int(found[1]), int(found[2] or 1), 1 if found[2] else 12)
        if found := re.fullmatch(r"(\d{3}0)s", text):
            return _months(int(found[1]), 1, 120)
        if re.fullmatch(r"\d{4}-\d\d-\d\d(?:[ T].*)?", text):
            day = date.fromisoformat(text[:10])
            return day, day
    except (ValueError, OverflowError):
        return None
    return None


def _months(year: int, month: int, number: int) -> tuple[date, date]:
    years, months = divmod(month - 1 + number, 12)
    return date(year, month, 1), date(year + years, months + 1, 1) - timedelta(days=1)


def mask_of(cell: str) -> tuple[str, int, bool] | None:
    """Return what is left to see of a cell with hidden characters, how many stars it has, and whether it ends in them.

    A cell that has no stars on one side, or no others, is no such cell.
    """
    left, right = cell.rstrip("*"), cell.lstrip("*")
    seen = left if len(left) < len(cell) else right
    if not seen or len(seen) == len(cell) or "*" in seen:
        return None
    return seen, len(cell) - len(seen), len(left) < len(cell)


def hides(mask: tuple[str, int, bool], text: str) -> bool:
    """Whether a cell with hidden characters may stand for a text, itself one with more of it to see or none hidden.

    A star is one character, or none where values were padded; one alone may be all that follow.
    """
    seen, stars, at_the_end = mask
    fits = text.startswith(seen) if at_the_end else text.endswith(seen)
    return fits and (stars == 1 or len(text) <= len(seen) + stars)


def members_of(cell: str, known: Collection[str] = ()) -> tuple[str | None, ...]:
    """Return the values that a cell names: those of a set in braces, None for missing, or the cell itself.

    ``known`` are values with commas of their own, which a set may name.
    """
    if not (cell.startswith("{") and cell.endswith("}") and ", " in cell) or cell in known:
        return (cell,)
    parts = cell[1:-1].split(", ")
    members: list[str | None] = []
    while parts:
        # The longest known value first: "Korea, South" is one, though it looks like two.
        length = next((n for n in range(len(parts), 1, -1) if ", ".join(parts[:n]) in known), 1)
        value = ", ".join(parts[:length])
        members.append(None if value == _MISSING and _MISSING not in known else value)
        del parts[:length]
    return tuple(members)
