"""Free text: what people wrote in their own words, told by how many words cells have and how seldom they repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from nymity.risk.column_facts import ENOUGH_RECORDS, ColumnFacts, chosen, separator_of
from nymity.risk.evidence.by_name import says_notes
from nymity.risk.evidence.person_names import NAMES_LIST
from nymity.risk.evidence.role_votes import IDENTIFYING, RoleVotes
from nymity.table.encoding import distinct_values

#: Text longer than this on average is prose, however often it repeats.
PROSE = 60
#: Words or numbers of a cell from which it is more than a term, and from which it is a sentence.
_SEVERAL, _SENTENCE = 3.0, 6.0
#: Share of filled cells with a text of their own: low for categories, however long their names.
_OWN = 0.2
#: Share of different texts with something that reaches or mentions a person, in the midst of other words.
_REACHING = 0.02
#: Share of different texts with a frequent name beside a word in small letters; places have such names, too.
_NAMING, _FEWEST_NAMES = 0.3, 2
#: Share of different texts of several words from which a column of notes is free text.
_NOTED = 0.05
#: Words from which a text may tell of somebody, and the share of different texts that do, however few there are.
_TELLING, _TOLD = 4, 0.3
#: How much texts of several words say that are few and name nobody.
_LONG = 2.0
#: Words of an item of a set, at most.
_TERM = 1.6
WORD, _NUMBER = r"[^\W\d_]{2,}", r"\b\d+\b"
_CONTACTS = r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}|\+?\d[\d /-]{6,}\d|https?://"
_TITLE = (
    r"\b(?:Frau|Herrn?|Fr\.|Hr\.|Dr\.?|Prof\.?|Mrs?\.?|Ms\.?|Miss|Mme|Mlle|Madame|Monsieur|Sra?\.?|Señora?|"
    r"[Dd]hr\.?|[Mm]evr\.?|[Mm]evrouw|[Mm]eneer)\s+\p{Lu}\p{Ll}+"
)
#: A word in small letters, or a number: what is written of somebody, beyond a title and a name.
_BESIDE = r"(?:^|[\s,])\p{Ll}{2,}|\d{2,}"
#: Somebody who is spoken of, within a text: categories name kinds of people, notes say what he or she did.
_SPOKEN_OF = (
    r"\b(?:he|she|him|himself|herself|er|ihm|ihn|elle|lui|él|ella|hij|hem)\b"
    r"|\b(?:his|her|seine[rnms]?|ihre[rnms]?|sa|son|ses|sus?|zijn|haar) \p{Ll}{3,}"
)
_NAME_IN_TEXT = r"(?:(?:^|\s)\p{Ll}{2,},?\s+(\p{Lu}\p{Ll}{2,}))|(?:(?:^|\s)(\p{Lu}\p{Ll}{2,}),?\s+\p{Ll}{2,})"


@dataclass(frozen=True, kw_only=True)
class TokenStatistics:
    """How the different texts of a column are made of words."""

    words: float  #: mean number of words
    tokens: float  #: mean number of words and numbers
    length: float  #: mean number of characters
    several: float  #: share of texts of several words or numbers
    different: int  #: different texts
    own: float  #: different texts per filled cell
    contacts: float  #: share of texts of several words with a telephone number, an e-mail or web address within
    mentions: float  #: share of texts with a title, a name and something else
    told: float  #: share of texts of several words that speak of him or her
    names: int  #: texts with a frequent name beside a word in small letters
    looked_at: int  #: different texts that were looked at

    @staticmethod
    def of(texts: pl.Series, present: int, distinct: int) -> TokenStatistics:
        """Count the words of different texts."""
        words = texts.str.count_matches(WORD)
        tokens = words + texts.str.count_matches(_NUMBER)
        written = texts.filter((words >= 2) & texts.str.contains(r"\S\s+\S"))
        reached = int(written.str.contains(_CONTACTS).sum())
        titled = written.filter(written.str.contains(_TITLE))
        mentioned = int(titled.str.replace_all(_TITLE, " ").str.contains(_BESIDE).sum())
        return TokenStatistics(
            words=_mean(words),
            tokens=_mean(tokens),
            length=_mean(texts.str.len_chars()),
            several=_mean(tokens >= 2),
            different=distinct,
            own=distinct / present if present else 0.0,
            contacts=reached / len(texts) if len(texts) else 0.0,
            mentions=mentioned / len(texts) if len(texts) else 0.0,
            told=int(texts.filter(words >= _TELLING).str.contains(_SPOKEN_OF).sum()) / max(1, len(texts)),
            names=_naming(written),
            looked_at=len(texts),
        )

    @property
    def is_free(self) -> bool:
        """Whether people wrote it: prose, texts that reach or mention people, or several words that seldom repeat."""
        if self.contacts >= _REACHING or self.mentions >= _REACHING:
            return True
        if self.names >= max(_FEWEST_NAMES, _NAMING * self.looked_at):
            return True
        if self.words < 2:
            return False
        if self.words >= _TELLING and self.told >= _TOLD:
            return True
        if self.length > PROSE:
            return True
        if self.different < ENOUGH_RECORDS:
            return False
        return (self.tokens >= _SEVERAL and self.own >= _OWN) or (self.words >= _SENTENCE and self.own >= _OWN / 4)

    @property
    def is_note(self) -> bool:
        """Whether it is free text where the column's name says that it holds notes, however few there are."""
        return self.several >= _NOTED


def _naming(texts: pl.Series) -> int:
    """Count texts with a frequent name before or after a word in small letters."""
    if not len(texts):
        return 0
    found = texts.str.extract_groups(_NAME_IN_TEXT).struct.unnest()
    known = pl.Series([False] * len(texts))
    for group in found:
        known = known | group.str.to_lowercase().is_in(NAMES_LIST).fill_null(value=False)
    return int(known.sum())


def free_text(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Find columns that people wrote in their own words."""
    if not len(facts.texts) or facts.is_number:
        return
    statistics = TokenStatistics.of(facts.texts, facts.present, facts.distinct)
    if _is_written(statistics, facts.name, facts.texts, facts.separator):
        why = f"free text of {max(2.0, statistics.tokens):.0f} words, which may name people"
        yield RoleVotes(why=why, votes={IDENTIFYING: 12.0}, told_by="values")
    elif statistics.words >= _TELLING and not _are_sets(facts.texts, facts.separator):
        # A few notes that repeat look like categories with long names: only who knows the data can tell.
        yield RoleVotes(why=f"texts of {statistics.words:.0f} words, as notes are", votes={IDENTIFYING: _LONG})


def is_free_text(column: pl.Series) -> bool:
    """Whether a column of a table is free text, by what it holds, and by its name where that says so."""
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    present = column.len() - column.null_count()
    different = distinct_values(column).drop_nulls().cast(pl.String)
    texts = chosen(different)
    statistics = TokenStatistics.of(texts, present, len(different))
    return _is_written(statistics, column.name, texts, separator_of(texts))


def _is_written(statistics: TokenStatistics, name: str, texts: pl.Series, separator: str | None) -> bool:
    if says_notes(name) and statistics.is_note:
        return True
    return statistics.is_free and not _are_sets(texts, separator)


def _are_sets(texts: pl.Series, separator: str | None) -> bool:
    """Whether cells hold several terms, not several phrases."""
    if separator is None:
        return False
    words = _mean(texts.str.count_matches(WORD))
    return words <= _TERM * _mean(texts.str.count_matches(separator, literal=True) + 1)


def _mean(numbers: pl.Series) -> float:
    return float(numbers.mean() or 0)  # type: ignore[arg-type]
