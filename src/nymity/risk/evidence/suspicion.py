"""Suspicion: values that could name or number people or cases by their form alone, whatever a column is called.

Words of a name are guesses: ``NumProc`` numbers cases, ``Sagsbehandler`` has surnames, though both have a word for a
treatment in them. So a column of many names or codes is left out and asked about unless something says what else its
values are: their own form does (dates, codes of illnesses, amounts), and where they are fewer a whole word of the name
does, if it means something that can have such values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from nymity.risk.column_facts import ColumnFacts, dated, is_counted_through, is_of_one_form, is_of_one_length
from nymity.risk.evidence.free_text import WORD
from nymity.risk.evidence.role_votes import IDENTIFYING, RoleVotes, Told

#: Different texts from which they may be names or codes of people, digits that make a code, words that make a note.
_TEXTS, _DIGITS, _TELLING = 12, 3, 4
#: Different numbers of one length from which they may have been given out, and the smallest of them.
_NUMBERS, _FIRST = 8, 1000
#: Different values from which they may be of single people though they repeat, and their share of the filled cells.
_MANY, _MANY_SHARE = 50, 0.15
#: The share of items that look like names or codes from which sets may be of people.
_SOME = 0.5
#: Different values of a column with few filled cells from which they may be of people.
_FEW_DIFFERENT = 3
#: The share of numbers that are counted through, as ages are in small tables.
_COUNTED_SHARE = 0.25
#: Digits that postcodes have at most.
_POSTCODE = 7
#: Different codes of one form from which they number people, however often they repeat.
_MANY_CODES = 100
#: Numbers from which on what is counted or measured seldom differs from record to record.
_LONG = 1_000_000
_YEARS = 1890, 2035
_NEARLY_ALL = 0.95
_BY_VALUES: frozenset[Told] = frozenset({"values"})
_BY_AMOUNTS: frozenset[Told] = frozenset({"values", "word for numbers"})
_BY_WORDS: frozenset[Told] = frozenset({"values", "word for numbers", "word"})


@dataclass(frozen=True, kw_only=True)
class Suspicion:
    """That values could name or number people or cases, and what would settle that they do not."""

    why: str
    settled_by: frozenset[Told]

    @staticmethod
    def of(facts: ColumnFacts, findings: Sequence[RoleVotes]) -> Suspicion | None:
        """Return what is suspected of a column and not settled by anything found."""
        for one in findings:
            if one.told_by == "values" and set(one.votes) == {IDENTIFYING}:
                return Suspicion(why=one.why, settled_by=frozenset())
        seen = Suspicion._by_form(facts)
        return None if seen is None or seen._is_settled(findings) else seen

    @staticmethod
    def of_items(items: ColumnFacts, findings: Sequence[RoleVotes]) -> Suspicion | None:
        """Return what is suspected of the items of sets: words in small letters and short codes are no people."""
        seen = Suspicion.of(items, findings)
        if seen is None or not seen.settled_by:
            return seen
        return None if _are_plain(items) else seen

    @staticmethod
    def _by_form(facts: ColumnFacts) -> Suspicion | None:
        if facts.separator is not None:
            return None
        if facts.type == "text" and not facts.is_number:
            return _of_texts(facts) if facts.enough else _of_few_texts(facts)
        if not facts.is_whole or _tells_days(facts):
            return None
        return _of_numbers(facts) if facts.enough else _of_few_numbers(facts)

    def _is_settled(self, findings: Sequence[RoleVotes]) -> bool:
        return any(one.told_by in self.settled_by for one in findings)


def _of_few_texts(facts: ColumnFacts) -> Suspicion | None:
    """Suspect what few cells hold, where frequencies tell nothing: names and kinds of things look alike there."""
    if facts.distinct < _FEW_DIFFERENT and not _differ(facts):
        return None
    is_code = _mean(facts.texts.str.count_matches(r"\d")) >= _DIGITS
    why = f"{facts.distinct} different {'codes' if is_code else 'texts'} in {facts.present} filled cells"
    by = _BY_VALUES if is_code or facts.says_number else _BY_WORDS
    return Suspicion(why=f"{why}, which may be of people", settled_by=by)


def _of_few_numbers(facts: ColumnFacts) -> Suspicion | None:
    given_out = _given_out(facts)
    counted = _differ(facts) and is_counted_through(facts)
    if facts.distinct < min(_FEW_DIFFERENT, facts.present) or not (given_out or facts.spread[2] >= _LONG or counted):
        return None
    why = f"{facts.distinct} different numbers in {facts.present} filled cells, which may be of people"
    return Suspicion(why=why, settled_by=_BY_AMOUNTS)


def _differ(facts: ColumnFacts) -> bool:
    return 2 * facts.distinct > facts.present


def _of_texts(facts: ColumnFacts) -> Suspicion | None:
    texts = facts.texts
    digits = _mean(texts.str.count_matches(r"\d"))
    what = "code" if digits >= _DIGITS else "text"
    by = _BY_AMOUNTS if _mean(texts.str.contains(rf"^\d{{1,{_POSTCODE}}}$")) > _NEARLY_ALL else _BY_VALUES
    if facts.one_per_record:
        return Suspicion(why=f"nearly every record has a {what} of its own", settled_by=by)
    if what == "code" and (_few_records_each(facts) or (facts.distinct >= _MANY_CODES and is_of_one_form(facts))):
        return Suspicion(why=f"{facts.distinct:,} different codes, as numbers of people are", settled_by=by)
    if facts.distinct < _TEXTS and _mean(texts.str.count_matches(WORD)) < _TELLING:
        return None
    why = f"{facts.distinct:,} different {what}s, and nothing says that they are not of people"
    return Suspicion(why=why, settled_by=_BY_WORDS)


def _of_numbers(facts: ColumnFacts) -> Suspicion | None:
    low, _, high = facts.spread
    given_out = _given_out(facts)
    if facts.one_per_record and facts.distinct >= _MANY:
        by = _BY_VALUES if given_out and low >= _LONG else _BY_AMOUNTS if given_out or high >= _LONG else _BY_WORDS
        return Suspicion(why="nearly every record has a number of its own", settled_by=by)
    counted = facts.distinct >= _COUNTED_SHARE * facts.present and is_counted_through(facts)
    if facts.words[-1:] == ("id",) and facts.distinct >= _MANY:
        return Suspicion(why=f"{facts.distinct:,} numbers, and 'id' in its name", settled_by=_BY_AMOUNTS)
    if _few_records_each(facts) and (given_out or high >= _LONG or counted):
        return Suspicion(why=f"{facts.distinct:,} numbers with few records each", settled_by=_BY_AMOUNTS)
    if (given_out and facts.distinct >= _NUMBERS) or (facts.distinct >= _TEXTS and _near_each_other(facts)):
        why = f"{facts.distinct:,} numbers of one length, and nothing says that they are not of people"
        return Suspicion(why=why, settled_by=_BY_WORDS)
    return None


def may_call_people(facts: ColumnFacts) -> bool:
    """Whether values have a form in which people are called or numbered, however few there are.

    Names, logins and initials are; kinds of things are also single letters, yes and no, or several words of which not
    all have a capital. A few codes in capitals are kinds, more of them may be initials.
    """
    if facts.is_number:
        low, _, _ = facts.spread
        return facts.is_whole and low >= _THREE_DIGITS and is_of_one_length(facts)
    texts = facts.texts
    if not len(texts):
        return False
    initials = texts.str.contains(_INITIALS)
    if facts.distinct <= _FEW_CODES:
        initials &= ~texts.str.contains(r"^\p{Lu}+$")
    return max(_mean(texts.str.contains(_CALLED)), _mean(initials)) >= _SOME


#: Words with a capital, and what people log in with.
_CALLED = r"\b\p{Lu}\p{Ll}{2,}|^(?:\p{Ll}{4,}|\p{Lu}{5,})\d*$"
_INITIALS = r"^(?:\p{Lu}\p{Ll}?){2,4}$"
#: So many different codes are hardly the initials of all who work somewhere.
_FEW_CODES = 5
_THREE_DIGITS = 100


def _are_plain(items: ColumnFacts) -> bool:
    if items.is_number:
        return items.spread[2] < _FIRST
    return _mean(items.texts.str.contains(r"\d{3}|^\p{Lu}[\p{L}'’-]{2,}")) < _SOME


def _tells_days(facts: ColumnFacts) -> bool:
    """Whether numbers are days or years."""
    low, _, high = facts.spread
    return dated(facts) or (low >= _YEARS[0] and high <= _YEARS[1])


def _given_out(facts: ColumnFacts) -> bool:
    return facts.spread[0] >= _FIRST and is_of_one_length(facts)


def _near_each_other(facts: ColumnFacts) -> bool:
    """Whether numbers of three digits lie near each other and far from zero, as those of who works somewhere do."""
    low, _, high = facts.spread
    return low >= _THREE_DIGITS and is_of_one_length(facts) and 2 * (high - low) <= low


def _few_records_each(facts: ColumnFacts) -> bool:
    return facts.distinct >= max(_MANY, _MANY_SHARE * facts.present)


def _mean(numbers: pl.Series) -> float:
    return float(numbers.mean() or 0)  # type: ignore[arg-type]
