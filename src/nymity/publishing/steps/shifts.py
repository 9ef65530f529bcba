"""Shifted dates: one number of days for each person, added to all the dates of that person.

Days between dates of a person stay true, which is what it is for, and why it protects nobody by itself: whoever knows
the days between three visits knows the person, and with one true date all of them. No promise is about a shifted
column; dates that an outsider may know are quasi-identifiers, to be generalized.

Numbers are drawn evenly from -days to days. Where pseudonyms are made with a key they come from the key,

    HMAC-SHA256(key, domain, recipient, identifier) modulo (2 days + 1), less days,

and are the same in every delivery with it; otherwise they are drawn, and those of persons that an earlier log knows are
taken from it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nymity.core.commit import Stage
from nymity.core.custodian import SHIFTS_NAME
from nymity.core.draws import Draws
from nymity.core.errors import TableError
from nymity.core.wording import percent
from nymity.io import read_table
from nymity.publishing.caveats.caveat import Caveat
from nymity.publishing.steps.pseudonyms import Pseudonyms, joined
from nymity.table.recoding import Recoded
from nymity.table.schema import Schema
from nymity.table.text import plainly_named

#: What is drawn where dates are shifted.
SHIFTS = "shifts of dates"
#: The warning of dates that were moved.
SHIFTED = "shifted-dates"
_DOMAIN = "nymity shift 1"
_EPOCH = date(1970, 1, 1).toordinal()
#: What 64 bits of nanoseconds hold.
_NANOSECONDS = (date(1677, 9, 22), date(2262, 4, 11))


@dataclass(frozen=True, eq=False, kw_only=True)
class Shifts:
    """By how many days the dates of each person were moved, for the custodian alone."""

    columns: tuple[str, ...]
    persons: pl.Series = field(repr=False)
    days: pl.Series = field(repr=False)
    drawn: bool
    within: int  #: days that a draw moves dates by at most

    @property
    def most(self) -> int:
        """Days that any date may be moved by; those of an earlier log may be more than are drawn now."""
        return max(self.within, *(abs(int(days)) for days in self.days))

    @staticmethod
    def of(schema: Schema, persons: pl.Series, draws: Draws, made: Pseudonyms | None, log: Any = None) -> Shifts | None:
        """Return those of these persons; None where no column is shifted. ``made``: their pseudonyms."""
        columns = schema.shifted
        if not columns:
            return None
        most, known = schema[columns[0]].shift_days, persons.unique().sort()
        key = None if made is None else made.key
        if made is not None and key is not None:
            start = joined(_DOMAIN, made.attribute.recipient)
            # With a key, as in earlier deliveries: from two moves of one date more could be told.
            digests = (hmac.digest(key, start + joined(person), hashlib.sha256) for person in known.to_list())
            days = [int.from_bytes(one, "big") % (2 * most + 1) - most for one in digests]
        else:
            days = (draws.numbers(SHIFTS, np.full(len(known), 2 * most + 1)) - most).tolist()
            # The days of an earlier release again; two moves of one date would narrow down the true one.
            earlier = _earlier(log)
            days = [earlier.get(person, drawn) for person, drawn in zip(known.to_list(), days, strict=True)]
        moves = pl.Series("days", days, dtype=pl.Int64)
        return Shifts(columns=columns, persons=known, days=moves, drawn=key is None, within=most)

    def move(self, recoded: Recoded, persons: pl.Series) -> Recoded:
        """Return recoded rows with their dates moved; ``persons`` says of whom each row is."""
        by, most = persons.replace_strict(self.persons, self.days, return_dtype=pl.Int64), self.most
        for name in self.columns:
            _check_calendar(_as_dates(recoded.table[name]), most)
        moved = {name: _moved(recoded.table[name], by) if name in self.columns else recoded.table[name]
                 for name in recoded.table.columns}  # fmt: skip
        return replace(recoded, table=pl.DataFrame(moved))

    def stage(self, stage: Stage) -> list[str]:
        """Put them where they wait for the custodian's folder; return the name of the file."""
        with (stage / SHIFTS_NAME).open("wb") as file:
            pl.DataFrame({"person": self.persons, "days": self.days}).write_parquet(file)
        return [SHIFTS_NAME]


def caveats_of_dates(columns: Sequence[str], released: pl.DataFrame, persons: pl.Series | None) -> Iterator[Caveat]:
    """Warn that dates are not true, and how many persons the days between them tell.

    ``persons`` says of whom each row is where the release shows it.
    """
    for name in columns:
        says = (
            f"Dates in {name!r} were moved by one number of days for each person: they are not true, and no promise is "
            "about them"
        )
        figures: dict[str, Any] = {"column": name}
        if persons is not None and (found := unique_gaps(released[name], persons)) is not None:
            alone, several = found
            figures |= {"persons_with_three_dates": several, "with_gaps_of_their_own": alone}
            says += (
                f". The days between them are: of {several:,} persons with three dates or more "
                f"{percent(alone / several)} have such as nobody else has, and whoever knows these finds the person, "
                "and with one true date all others"
            )
        yield Caveat(key=SHIFTED, says=f"{says}.", figures=figures)


def unique_gaps(dates: pl.Series, persons: pl.Series) -> tuple[int, int] | None:
    """Return how many persons have days between their dates that nobody else has, and how many have three dates.

    None where nobody has three.
    """
    # Groups keep the order of their rows, so that differences are of neighbouring dates.
    rows = pl.DataFrame({"person": persons, "date": _as_dates(dates)}).drop_nulls().sort("date")
    gaps = rows.group_by("person").agg(pl.col("date").diff().dt.total_days().drop_nulls())
    several = gaps.filter(pl.col("date").list.len() >= 2)
    if several.is_empty():
        return None
    alike = several.group_by("date").len("persons")
    return int((alike["persons"] == 1).sum()), several.height


def _moved(cells: pl.Series, by: pl.Series) -> pl.Series:
    if cells.dtype == pl.String:
        return _moved(_as_dates(cells), by).cast(pl.String)
    if cells.dtype != pl.Date and not isinstance(cells.dtype, pl.Datetime):
        raise _no_dates(cells)
    frame = pl.DataFrame({"cell": cells.alias("cell"), "by": by})
    return frame.select(pl.col("cell") + pl.duration(days="by")).to_series().cast(cells.dtype).alias(cells.name)


def _check_calendar(cells: pl.Series, most: int) -> None:
    """Refuse dates that a draw could move out of the calendar, whether this one does or not.

    If it depended on the draw, that there is a release would tell something of the days.
    """
    if cells.dtype != pl.Date and not isinstance(cells.dtype, pl.Datetime):
        return
    # 64 bits of nanoseconds end in the year 2262, long before the calendar does.
    first, last = _NANOSECONDS if cells.dtype == pl.Datetime("ns") else (date.min, date.max)
    days = plainly_named(cells).cast(pl.Date).to_physical()
    low, high = first.toordinal() - _EPOCH + most, last.toordinal() - _EPOCH - most
    if beyond := int(((days < low) | (days > high)).sum()):
        between = f"from {date.fromordinal(low + _EPOCH)} to {date.fromordinal(high + _EPOCH)}"
        raise TableError(
            f"column {cells.name!r}",
            expected=f"dates {between}, because each may be moved by up to {most:,} days (shift_days)",
            got=f"{beyond:,} before or after these",
            hint="if such a date stands for a missing one, name it in missing of the source; or a smaller shift_days",
        )


def _as_dates(cells: pl.Series) -> pl.Series:
    """Return dates as such; text must be like 2024-05-31."""
    if cells.dtype != pl.String:
        return cells
    try:
        return cells.alias("c").replace("", None).str.to_date("%Y-%m-%d", strict=True).alias(cells.name)
    except pl.exceptions.PolarsError:
        raise _no_dates(cells) from None


def _no_dates(cells: pl.Series) -> TableError:
    return TableError(
        f"column {cells.name!r}",
        expected="dates, or text like 2024-05-31, to be moved (shift = 'per person')",
        got=f"{cells.dtype}" if cells.dtype != pl.String else "other text",
    )


def _earlier(log: Any) -> dict[str, int]:
    """Return by how many days an earlier log moved the dates of whom."""
    kept = getattr(log, "shifts", None)
    if isinstance(kept, Shifts):
        return dict(zip(kept.persons.to_list(), kept.days.to_list(), strict=True))
    if not isinstance(log, str | Path):
        return {}
    path = (Path(log) if Path(log).is_dir() else Path(log).parent) / SHIFTS_NAME
    if not path.is_file():
        return {}
    table = read_table(path)
    return dict(zip(table["person"].to_list(), table["days"].to_list(), strict=True))
