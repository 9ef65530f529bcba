"""Dates: days become weeks, months, quarters, years, decades."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta
from typing import Any, ClassVar

import polars as pl

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.table.builders.column import Column, distinct, refuse
from nymity.table.given_column import to_series
from nymity.table.hierarchy import Hierarchy
from nymity.table.label_form import LabelForm
from nymity.table.rule import Fixes, is_flag
from nymity.table.text import as_text

#: The levels there are, finest first, and how each one writes a day.
LABELS: dict[str, Callable[[date], str]] = {
    "day": lambda day: day.isoformat(),
    "week": lambda day: "{:04d}-W{:02d}".format(*day.isocalendar()[:2]),
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10 * 10:04d}s",
}
#: Without weeks, whose months are not quite the calendar's.
DEFAULT_LEVELS = ("day", "month", "quarter", "year", "decade")


@dataclass(frozen=True, kw_only=True)
class Dates:
    """Coarsen dates through ``levels``, any of day, week, month, quarter, year, decade, in this order.

    Labels are ``2024-02-13``, ``2024-W07``, ``2024-02``, ``2024-Q1``, ``2024``, ``2020s``, then ``*``. Level 0 is
    always the raw value; ``day`` adds a level only where values hold a time of day.

    **Weeks.** A week may lie in two months, and then months are no function of weeks. When a month, quarter,
    year or decade follows ``week``, those levels therefore mean *the one that holds the Thursday of the ISO week*
    (ISO 8601 numbers weeks by the same rule): Sunday 2023-01-01 lies in week 2022-W52 and so in 2022-12. Up to
    three days at the edges of a month change sides. Without ``week``, as by default, months are the calendar's.

    Text is read in ISO form, with or without a time, or in the ``format`` of ``datetime.strptime``. A value with a
    time zone counts for the day on the clock there.
    """

    key: ClassVar[str] = "dates"
    coarser: ClassVar[str] = "coarser dates"
    forms: ClassVar[tuple[LabelForm, ...]] = (
        LabelForm(r"^\d{4}-W\d\d$", "2024-W07", "A calendar week."),
        LabelForm(r"^\d{4}-\d\d$", "2024-02", "A month."),
        LabelForm(r"^\d{4}-Q[1-4]$", "2024-Q1", "A quarter of a year."),
        LabelForm(r"^\d{3}0s$", "2020s", "A decade."),
    )
    fixes: ClassVar[Fixes] = {"levels": lambda levels: all(level in LABELS for level in levels), "typed": is_flag}

    levels: tuple[str, ...] = DEFAULT_LEVELS
    format: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", _in_order(self.levels))
        if self.format is not None and not (isinstance(self.format, str) and re.search("%[YyGcx]", self.format)):
            raise ParameterError(
                "dates.format", expected="a form with a year, such as '%d.%m.%Y'", got=as_given(self.format)
            )

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the levels for a column of dates, of timestamps, or of text that reads as such."""
        values = to_series(values)
        column = distinct(values)
        days, with_time = self._days(values, column, where)
        levels = [level for level in self.levels if level != "day" or with_time]
        rows = [[text, *_labels(days[text], levels)] for text in sorted(days, key=lambda text: (days[text], text))]
        fixed = {"levels": levels, "typed": values.dtype in (pl.Date, pl.Datetime)}
        return column.hierarchy(rows, levels=len(levels) + 1, where=where, rule=(self, fixed))

    def between(self, text: str, fixed: Mapping[str, Any]) -> list[str] | None:
        """Coarsen any date, through the levels that the column had; one of dates as such is written in ISO form."""
        day = _iso_day(text) if fixed["typed"] else self.day(text)
        return None if day is None else _labels(day, fixed["levels"])

    def _days(self, values: pl.Series, column: Column, where: str) -> tuple[dict[str, date], bool]:
        """The day of each value, and whether values tell more than the day."""
        if values.dtype in (pl.Date, pl.Datetime):
            known = values.drop_nulls().unique()
            outside = known.filter(~known.dt.year().is_between(MINYEAR, MAXYEAR))
            refuse(
                where,
                as_text(outside).to_list(),
                expected=f"dates of the years {MINYEAR} to {MAXYEAR}",
                hint="correct them, or make them missing",
            )
            return dict(zip(as_text(known).to_list(), known.dt.date().to_list(), strict=True)), values.dtype != pl.Date
        read = {text: self.day(text) for text in column.texts}
        refuse(
            where,
            [text for text, day in read.items() if day is None],
            expected="dates in ISO form (2024-02-13)" if self.format is None else f"dates in the form {self.format!r}",
            hint="correct them, make them missing, or give their form, such as format = '%d.%m.%Y'",
        )
        days = {text: day for text, day in read.items() if day is not None}
        if self.format is not None:
            return days, bool(re.search("%[HIMSfpcXTR]", self.format))
        return days, any(len(text.strip()) > len("2024-02-13") for text in days)

    def day(self, text: str) -> date | None:
        """Return the day a text stands for, or ``None`` if it is not a date."""
        try:
            if self.format is not None:
                return datetime.strptime(text, self.format).date()
            return datetime.fromisoformat(text.strip()).date()
        except (ValueError, re.error):  # a form with the year twice is an error of ``re``
            return None


def _iso_day(text: str) -> date | None:
    """The day that a date or a time stamp begins with, whatever its clock."""
    try:
        return date.fromisoformat(text[:10]) if text[10:11] in ("", " ", "T") else None
    except ValueError:
        return None


def _labels(day: date, levels: list[str]) -> list[str]:
    """Write a day on each level; above a week it is the week's Thursday that counts."""
    labels = []
    for level in levels:
        labels.append(LABELS[level](day))
        if level == "week":
            day += timedelta(days=3 - day.weekday())
    return labels


def _in_order(levels: object) -> tuple[str, ...]:
    if not isinstance(levels, list | tuple) or not levels:
        raise ParameterError("dates.levels", expected=f"a list of {', '.join(LABELS)}", got=as_given(levels))
    for level in levels:
        validation.one_of("dates.levels", level, LABELS)
    ordered = tuple(level for level in LABELS if level in levels)
    if ordered != tuple(levels):
        raise ParameterError(
            "dates.levels", expected="finer levels first, each once", got=repr(list(levels)), hint=repr(list(ordered))
        )
    return ordered
