"""k-anonymity with ``*`` as a wildcard: what programs count that let a suppressed cell match every value.

Two rows *match* if in every quasi-identifying column they have the same cell, or one of them has ``*``. The promise:
every row matches at least k rows, itself included. That is what the frequency counts of sdcMicro (Templ 2008) ask for,
and it takes far fewer suppressed cells than k-anonymity, in which ``*`` is a value of its own.

What follows. Let r be the row of a person, and U the columns in which r shows a value. Somebody who knows of the person
the values in U, and nothing of the other columns, finds exactly the rows that match r: a row s fits what is known if
s shows in each column of U the person's value or ``*``, and that is r's cell or ``*``. So they find k rows or more.

What does not follow. Somebody who knows a value that r suppresses rules out the rows that show another one there. Of
the two rows (1, *) and (1, 3), made of (1, 2) and (1, 3), each matches both; whoever knows that a person has (1, 2)
finds one row. So no number above 1 is promised to those who know all quasi-identifiers, and an attack that does may
succeed with certainty.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, Unlimited
from nymity.privacy.sizes import ModelOfK, SizeModel
from nymity.table.text import MASK, as_text

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class WildcardKAnonymity(ModelOfK, SizeModel):
    """Every row agrees with k - 1 others in all cells that neither suppresses: weaker than k-anonymity.

    Methods that make classes keep it by classes of k equal rows.
    """

    k: int = field(kw_only=False)

    key = "wildcard-k-anonymity"
    beyond_classes = True
    title = "k-anonymity with * as a wildcard"
    over_persons = None

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the fewest rows that match a row."""
        return {"k": fewest_matching(groups)}

    def holds(self, groups: Groups) -> bool:
        """Enough rows match every row."""
        fewest = fewest_matching(groups)
        return fewest is None or fewest >= self.k

    def row_chance(self, *, classes: bool, complete: bool) -> Unlimited:
        """None: rows that match may show another value than a person has."""
        return Unlimited("it lets * match every value: who knows a value that is suppressed may find a single row")

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"{self.k}-anonymity with * as a wildcard: every published record agrees with at least {self.k - 1} others "
            "in all quasi-identifying cells that neither of them suppresses; weaker than "
            f"{self.k}-anonymity, because whoever knows a suppressed value may find fewer"
        )

    @property
    def unprotected(self) -> tuple[str, ...]:
        """Values that are suppressed in a row and known to somebody."""
        return ("suppressed values: whoever knows one of a person may find fewer than k rows that fit, even one alone",)


def fewest_matching(groups: Groups) -> int | None:
    """Return the fewest rows that match a row, itself included; None without a row."""
    names = groups.cells.columns
    rows = pl.DataFrame({name: as_text(groups.cells[name]) for name in names}).with_columns(groups.records)
    if not rows.height:
        return None
    rows = rows.group_by(names).agg(pl.col("records").sum())
    records, stars = rows["records"].to_numpy(), np.zeros(rows.height, dtype=np.int64)
    codes = []
    for a, name in enumerate(names):
        stars |= (rows[name] == MASK).fill_null(False).to_numpy().astype(np.int64) << a
        codes.append(rows[name].rank("dense").fill_null(0).to_numpy().astype(np.int64))
    return int(_matches(codes, stars, records).min())


def _matches(codes: list[Ints], stars: Ints, records: Ints) -> Ints:
    """Count the rows that match each different one: for each pair of patterns, those equal outside of both."""
    found = np.zeros(len(stars), dtype=np.int64)
    patterns = np.unique(stars)
    # Two rows match if they agree in all columns where neither has a star: grouped by those columns, pairs are counted.
    for union in np.unique(patterns[:, None] | patterns[None, :]).tolist():
        inside = np.flatnonzero((stars | union) == union)
        number = _numbered([column[inside] for a, column in enumerate(codes) if not (union >> a) & 1], len(inside))
        for pattern in patterns[(patterns | union) == union].tolist():
            own = stars[inside] == pattern
            others = (stars[inside] | pattern) == union
            sizes = np.bincount(number[others], weights=records[inside[others]], minlength=int(number.max()) + 1)
            found[inside[own]] += sizes[number[own]].astype(np.int64)
    return found


def _numbered(columns: list[Ints], n: int) -> Ints:
    """Number equal rows of some columns alike."""
    number = np.zeros(n, dtype=np.int64)
    for column in columns:
        _, number = np.unique(number * (int(column.max()) + 1) + column, return_inverse=True)
    return number.astype(np.int64)
