"""Recognition: which ready hierarchy the values of a column are made for, and whether numbers are codes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import gcd

from nymity.table.builders.ages import Ages
from nymity.table.builders.atc import Atc
from nymity.table.builders.countries import Countries
from nymity.table.builders.icd10 import Icd10
from nymity.table.builders.isco import Isco
from nymity.table.builders.lost_zeros import LostZeros, lost_zeros
from nymity.table.builders.money import Money
from nymity.table.builders.nace import Nace
from nymity.table.builders.nuts import Nuts
from nymity.table.builders.ready import ReadyHierarchy
from nymity.table.builders.us_zip import UsZip

#: Asked in this order. Money is asked apart: amounts are told by how they are spread.
READY: tuple[type[ReadyHierarchy], ...] = (Icd10, Atc, Nuts, Countries, UsZip, Isco, Nace, Ages)
OTHER = "other"  #: what values that do not fit are suggested as
_ENOUGH = Fraction(95, 100)  #: of the different values, for a column to be of a kind
_TELLING = Fraction(1, 2)  #: of them, where the name says nothing
_LONG_SPREAD = 50  #: times the median is the largest amount
LONG_CODES = 10_000  #: a few numbers from here on may be codes
_FAR_FROM, _FAR = 1_000_000, 20  #: numbers from here on, so many times their spread from zero, are codes
_WORD = re.compile(r"[A-Z]?[a-zäöüßàâéèêëîïôûç]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class Recognized:
    """A ready hierarchy, and how many of the different values it knows."""

    builder: ReadyHierarchy
    fitting: int
    of: int

    @property
    def why(self) -> str:
        """Say it in a sentence."""
        return f"{self.fitting:,} of {self.of:,} different values are {self.builder.expects}"


def recognized(
    texts: Sequence[str], name: str = "", kinds: Sequence[type[ReadyHierarchy]] = READY
) -> Recognized | None:
    """Return the first ready hierarchy that nearly all values fit.

    Values tell codes with letters, such as those of ICD-10; digits could be anything, so that the name of the column
    must speak for them.
    """
    if not texts:
        return None
    for kind in kinds:
        named = speaks_for(name, kind.stems)
        if named or kind.by_values:
            found = fitted(kind, texts)
            telling = named or sum(kind.is_telling(text) for text in texts) >= _TELLING * len(texts)
            if telling and found.fitting >= _ENOUGH * len(texts):
                return found
    return None


def fitted(kind: type[ReadyHierarchy], texts: Sequence[str]) -> Recognized:
    """Return a ready hierarchy with the levels that change something, and a group for values that it cannot place."""
    builder = kind.for_column(texts)
    found = {text: labels for text in texts if (labels := builder.place(text.strip())) is not None}
    placed = list(found.values())
    other = None if len(placed) == len(texts) else OTHER
    if not builder.names:
        return Recognized(replace(builder, other=other), len(placed), len(texts))
    # Different labels of each level, from the values up: a level with as many as the one below changes nothing.
    known = [set(found), *(set(level) for level in zip(*placed, strict=True))]
    changing = [len(here) < len(below) for below, here in pairwise(known)] or [True] * len(builder.names)
    levels = tuple(name for name, changes in zip(builder.names, changing, strict=True) if changes)
    return Recognized(
        replace(builder, other=other, levels=levels if levels and len(levels) < len(builder.names) else None),
        len(placed),
        len(texts),
    )


def money(numbers: Sequence[Fraction], name: str = "") -> Money | None:
    """Return bands of amounts for numbers that are called so or are spread like them: a few very large ones."""
    ordered = sorted(numbers)
    middle, largest = ordered[len(ordered) // 2], ordered[-1]
    debts = sum(number < 0 for number in ordered)
    if middle <= 0 or debts * 10 > len(ordered) or max(abs(ordered[0]), largest) > 10**15:
        return None
    spread = len(ordered) >= 30 and largest >= _LONG_SPREAD * middle
    if not spread and not (speaks_for(name, Money.stems) and largest >= 1000):
        return None
    lowest = 1
    while lowest * 1000 <= middle and lowest < 10**9:
        lowest *= 10
    return Money(lowest=lowest)


def are_codes(numbers: Sequence[Fraction]) -> bool:
    """Return whether numbers look like codes: whole, of one length, few of those between the ends, and no round ones.

    Or far from zero beside their spread: what is counted or measured is not between 352,380,101 and 352,381,099.
    Numbers of fewer than three digits and years are taken for what they are.
    """
    if not all(number.denominator == 1 and number >= 100 for number in numbers):
        return False
    whole = sorted(number.numerator for number in numbers)
    if len(str(whole[0])) != len(str(whole[-1])) or (whole[0] >= 1800 and whole[-1] <= 2100):
        return False
    width = whole[-1] - whole[0] + 1
    if whole[0] >= _FAR_FROM and whole[0] >= _FAR * width:
        return True
    sparse = len(whole) * 4 <= width
    return sparse and reduce(gcd, (high - low for low, high in pairwise(whole))) == 1


#: What classifications are called whose codes are digits: whatever the numbers, their size means nothing …
_CODES = (
    *("code", "kode", "codigo", "zipcode", "schluessel", "schlüssel", "classif", "klassif", "postal", "postcode"),
    *("postleitzahl", "plz", "zip", "zcta", "isco", "isic", "nace", "naics", "noga", "sic", "kldb", "isced", "coicop"),
    *("fips", "nuts", "lau", "insee", "gemeindenr", "gemeindekennz"),
)
_POSTCODES = ("plz", "zip", "zipcode", "zcta", "postal", "postcode", "postleitzahl")
#: … and what they are about, where numbers are as long as codes are.
_CODED = (*Isco.stems, *Nace.stems)


def names_codes(numbers: Sequence[Fraction], name: str) -> bool:
    """Return whether a column of numbers is called like one of codes: by a classification, or by what has one."""
    if not all(number.denominator == 1 and number >= 0 for number in numbers):
        return False
    return speaks_for(name, _CODES) or (speaks_for(name, _CODED) and max(numbers) >= 100)


def short_codes(texts: Sequence[str], name: str) -> LostZeros | None:
    """Return the codes of a column that may have lost the zero that they began with, by what the column is called.

    Postcodes of one country have one length, so that those lost it; of other codes their classification must tell.
    """
    for kind in READY:
        if speaks_for(name, kind.stems) and (found := kind.short_codes(texts)) is not None:
            return found
    if speaks_for(name, _POSTCODES):
        return lost_zeros(texts, certain=None, why="postcodes have one length")
    return lost_zeros(texts) if speaks_for(name, _CODES) else None


def speaks_for(name: str, stems: Sequence[str]) -> bool:
    """Return whether a name holds one of the stems: long ones anywhere, short ones only as a word or its beginning."""
    words = [word.casefold() for word in _WORD.findall(name)]
    return any(
        stem in word if len(stem) > 4 else word.startswith(stem) if len(stem) == 4 else word in (stem, f"{stem}s")
        for stem in stems
        for word in words
    )
