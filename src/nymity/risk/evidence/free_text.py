"""Free text: what people wrote in their own words, told by how many words cells have and how seldom they repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from nymity.risk.column_facts import ENOUGH_RECORDS, ColumnFacts, chosen, separator_of
from nymity.risk.evidence.finding import IDENTIFYING, Finding
from nymity.table.text import plainly_named

#: Text longer than this on average is prose, however often it repeats.
PROSE = 60
#: Words of a cell from which it is more than a term, and from which it is a sentence.
_SEVERAL, _SENTENCE = 3.0, 6.0
#: Share of filled cells with a text of their own: low for categories, however long their names.
_OWN = 0.2
#: Share of cells with something that reaches a person, in the midst of other words.
_REACHING = 0.02
#: Words of an item of a set, at most.
_TERM = 1.6
_WORD = r"[^\W\d_]{2,}"
_CONTACTS = r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}|\+?\d[\d /-]{6,}\d|https?://"


@dataclass(frozen=True, kw_only=True)
class TokenStatistics:
    """How the different texts of a column are made of words."""

    words: float  #: mean number of words
    length: float  #: mean number of characters
    different: int  #: different texts
    own: float  #: different texts per filled cell
    contacts: float  #: share of texts of several words with a telephone number, an e-mail or web address within

    @staticmethod
    def of(texts: pl.Series, present: int, distinct: int) -> TokenStatistics:
        """Count the words of different texts."""
        words = texts.str.count_matches(_WORD)
        several = words >= 2
        inside = several & texts.str.contains(_CONTACTS)
        return TokenStatistics(
            words=_mean(words),
            length=_mean(texts.str.len_chars()),
            different=distinct,
            own=distinct / present if present else 0.0,
            contacts=_mean(inside),
        )

    @property
    def is_free(self) -> bool:
        """Whether people wrote it: prose, sentences that seldom repeat, or words with somebody's number among them."""
        if self.words < 2:
            return False
        if self.length > PROSE:
            return True
        if self.different < ENOUGH_RECORDS:
            return False
        return (
            self.contacts >= _REACHING
            or (self.words >= _SEVERAL and self.own >= _OWN)
            or (self.words >= _SENTENCE and self.own >= _OWN / 4)
        )


def free_text(facts: ColumnFacts) -> Iterator[Finding]:
    """Find columns that people wrote in their own words."""
    if len(facts.texts) and not facts.is_number and not _are_sets(facts.texts, facts.separator):
        statistics = TokenStatistics.of(facts.texts, facts.present, facts.distinct)
        if statistics.is_free:
            why = f"free text of {statistics.words:.0f} words, which may name people"
            yield Finding(why=why, votes={IDENTIFYING: 12.0})


def is_free_text(column: pl.Series) -> bool:
    """Whether a column of a table is free text, by what it holds alone."""
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    filled = plainly_named(column).drop_nulls().cast(pl.String)
    different = filled.unique()
    texts = chosen(different)
    if _are_sets(texts, separator_of(texts)):
        return False
    return TokenStatistics.of(texts, len(filled), len(different)).is_free


def _are_sets(texts: pl.Series, separator: str | None) -> bool:
    """Whether cells hold several terms, not several phrases."""
    if separator is None:
        return False
    words = _mean(texts.str.count_matches(_WORD))
    return words <= _TERM * _mean(texts.str.count_matches(separator, literal=True) + 1)


def _mean(numbers: pl.Series) -> float:
    return float(numbers.mean() or 0)  # type: ignore[arg-type]
