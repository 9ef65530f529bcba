"""By distribution: how a column's values are spread: unique, constant, like codes, money, measurements or weights."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from nymity.risk.column_facts import (
    ColumnFacts,
    dated,
    in_kilograms,
    is_counted_through,
    is_of_one_form,
    is_of_one_length,
)
from nymity.risk.evidence.role_votes import IDENTIFYING, INSENSITIVE, QUASI, SENSITIVE, WEIGHT, RoleVotes

#: Different values from which codes may be of single people though they repeat, and their share of the filled cells.
_MANY, _MANY_SHARE = 50, 0.15
#: Records among which measured whole numbers repeat.
_LARGE = 2000
#: Pairs of records that would have met by chance where numbers were measured.
_MET = 4
#: Two or three words, each with a capital, or a first letter instead.
_FULL_NAME, _NEARLY_ALL = r"^\p{Lu}[\p{L}'’-]+,?(?: \p{Lu}[\p{L}'’-]*\.?){1,2}$", 0.9
#: Different texts from which they are open answers, and the share of them that one record has alone.
_OPEN, _ALONE = 500, 0.6
#: Different codes of one form from which they number people, however often they repeat, and digits of such numbers.
_MANY_CODES = 100
#: Numbers from this on may be ones that were given out, if they are of one length.
_FIVE_DIGITS = 10_000
#: Numbers from this on that are of one length and hardly repeat were given out to people or cases.
_NUMBERING = 1_000_000


def by_distribution(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Look at counts and numbers, where there are enough to say something."""
    if not facts.enough:
        return
    if facts.distinct == 1 and not facts.missing:
        yield RoleVotes(why="the same value in every record", votes={INSENSITIVE: 9.0})
    elif facts.separator is not None:
        return  # sets seldom repeat, though their items do
    elif facts.one_per_record and facts.type in ("text", "whole number", "number"):
        yield from _unique(facts)
    else:
        yield from _codes(facts)
    if facts.is_number and facts.distinct > 2:
        yield from _numbers(facts)
    elif facts.type == "text" and 12 <= facts.distinct <= 60:
        yield RoleVotes(why=f"{facts.distinct} different texts, as kinds of things have", votes={QUASI: 0.6})


def _unique(facts: ColumnFacts) -> Iterator[RoleVotes]:
    why = "nearly every record has a value of its own"
    if not facts.is_number:
        yield RoleVotes(why=why, votes={IDENTIFYING: 5.0})
    elif facts.is_whole:
        low, _, high = facts.spread
        width = high - low + 1
        # Measurements meet by chance, n^2 / 2 width of them at least, so whole numbers that never do were given out.
        met = facts.present - facts.distinct
        given_out = width <= 1.2 * facts.distinct or _same_length(facts) or facts.present >= _LARGE
        apart = met == 0 and facts.present**2 >= 2 * _MET * width
        if low >= _NUMBERING and _same_length(facts) and not dated(facts):
            # Telephones, accounts, documents: whatever word the name has, nothing else is so long and so seldom shared.
            yield RoleVotes(why=f"{why}: long numbers of one length", votes={IDENTIFYING: 8.0})
            return
        yield RoleVotes(why=why, votes={IDENTIFYING: 4.0 if given_out else 3.5 if apart else 2.0})


def _codes(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Find numbers of cases, households and people that repeat: long, of one form, and many."""
    share = facts.distinct / max(1, facts.present)
    if facts.distinct >= _MANY_CODES and is_of_one_form(facts):
        yield RoleVotes(why=f"{facts.distinct:,} codes of one form with many digits", votes={IDENTIFYING: 3.0 + share})
        return
    if facts.distinct >= _MANY_CODES and _like_words(facts):
        why = f"{facts.distinct:,} different words, as names have"
        yield RoleVotes(why=why, votes={IDENTIFYING: 2.0 + share})
        return
    if facts.distinct >= _OPEN and facts.once >= _ALONE * facts.distinct and _of_words(facts):
        why = f"{facts.distinct:,} different texts of several words, most of them of one record"
        yield RoleVotes(why=why, votes={IDENTIFYING: 4.5})
        return
    if facts.distinct < _MANY or share < _MANY_SHARE:
        if facts.type == "text" and not facts.is_number and facts.distinct > 300:
            yield RoleVotes(why=f"{facts.distinct:,} different texts", votes={IDENTIFYING: 0.8})
        return
    if facts.type == "text" and not facts.is_number:
        if float(facts.texts.str.contains(_FULL_NAME).mean() or 0) > _NEARLY_ALL:  # type: ignore[arg-type]
            why = f"{facts.distinct:,} texts of two words or three with capitals, few records each, as full names are"
            yield RoleVotes(why=why, votes={IDENTIFYING: 4.5})
            return
        digits = float(facts.texts.str.contains(r"\d").mean() or 0)  # type: ignore[arg-type]
        votes = {IDENTIFYING: 2.4 + share} if digits > 0.5 else {IDENTIFYING: 1.6 + share}
        yield RoleVotes(why=f"{facts.distinct:,} different texts, few records each", votes=votes)
    elif facts.is_whole and facts.spread[0] > 0 and _same_length(facts) and not dated(facts):
        yield RoleVotes(why="long numbers of one length, few records each", votes={IDENTIFYING: 3.0})
    elif share > 0.25 and is_counted_through(facts):
        yield RoleVotes(why="counted through from one, few records each", votes={IDENTIFYING: 3.0})


def _like_words(facts: ColumnFacts) -> bool:
    """Whether texts are one word of letters each, most of them with a capital or all in small letters."""
    texts = facts.texts
    if facts.is_number or not len(texts):
        return False
    return float(texts.str.contains(r"^\p{L}[\p{L}'’-]{2,15}$").mean() or 0) > 0.8  # type: ignore[arg-type]


def _of_words(facts: ColumnFacts) -> bool:
    """Whether texts are of several words each, in the mean: what people typed, not kinds that somebody listed."""
    texts = facts.texts
    return not facts.is_number and bool(len(texts)) and float(texts.str.count_matches(r"\p{L}{2,}").mean() or 0) >= 1.5  # type: ignore[arg-type]


def _same_length(facts: ColumnFacts) -> bool:
    return facts.spread[0] >= _FIVE_DIGITS and is_of_one_length(facts)


def _numbers(facts: ColumnFacts) -> Iterator[RoleVotes]:
    low, middle, high = facts.spread
    if dated(facts):
        yield RoleVotes(why="days written as numbers", votes={QUASI: 4.0}, told_by="values")
    elif facts.is_whole and low >= 1890 and high <= 2035 and facts.distinct <= 146:
        yield RoleVotes(why="years", votes={QUASI: 2.0})
    elif _like_weights(facts):
        yield RoleVotes(
            why="positive numbers of many decimals that repeat, as sampling weights do", votes={WEIGHT: 6.0}
        )
    elif _like_money(facts):
        yield RoleVotes(why="uneven amounts, as of money", votes={SENSITIVE: 2.0, QUASI: -0.5}, told_by="values")
    elif not facts.is_whole and facts.distinct > 20:
        yield RoleVotes(why="measured numbers, which outsiders seldom know", votes={SENSITIVE: 2.0, INSENSITIVE: 0.6})
    elif (
        facts.is_whole and low == 0 and middle > 0 and facts.distinct >= 4 and facts.most_frequent > 0.4 * facts.present
    ):
        yield RoleVotes(why="counts that are mostly none", votes={SENSITIVE: 1.0})
    elif _like_a_scale(facts):
        yield RoleVotes(why="an answer on a scale from 0 to 10", votes={SENSITIVE: 1.8, INSENSITIVE: 0.3})
    elif (
        facts.is_whole
        and facts.distinct > 40
        and not (facts.one_per_record or _like_ages(facts) or _same_length(facts))
    ):
        yield RoleVotes(why="amounts, scores or measurements", votes={SENSITIVE: 1.6, INSENSITIVE: 0.2})


def _like_a_scale(facts: ColumnFacts) -> bool:
    low, _, high = facts.spread
    return facts.is_whole and (low, high) == (0, 10) and facts.distinct == 11


def _like_ages(facts: ColumnFacts) -> bool:
    """Whether whole numbers may be years of age: few below zero or above a hundred, and nearly all between."""
    low, _, high = facts.spread
    return 10 <= low <= 25 and 55 <= high <= 110 and facts.distinct >= 0.8 * (high - low)


def _like_weights(facts: ColumnFacts) -> bool:
    """Whether numbers are positive, have many decimals, differ within bounds, and most occur more than once.

    So do logarithms and squares of counts, which are near whole numbers when taken back.
    """
    low, middle, high = facts.spread
    if facts.decimals < 3 or low <= 0 or high > 60 * middle or facts.distinct < 8 or facts.missing > facts.present:
        return False
    if in_kilograms(facts) or facts.once >= 0.5 * facts.distinct or facts.present < 1.5 * facts.distinct:
        return False
    about_one = 0.85 <= float(facts.numbers.mean()) <= 1.15  # type: ignore[arg-type]
    return (middle >= 20 or about_one) and not _of_whole(facts.numbers)


def _of_whole(numbers: pl.Series) -> bool:
    """Whether numbers are roots or logarithms of whole ones."""
    some = numbers.filter(numbers.abs() < 15)
    taken_back = (some.exp(), some.pow(2)) if len(some) > 0.9 * len(numbers) else ()
    return any(
        float(((back - back.round()).abs() < (back.abs() * 2e-6).clip(1e-2)).mean()) > 0.9  # type: ignore[arg-type]
        for back in taken_back
    )


def _like_money(facts: ColumnFacts) -> bool:
    """Whether numbers are large and skewed, in cents or rounded to tens."""
    low, middle, high = facts.spread
    if facts.distinct < 30 or middle < 50 or low < -0.1 * high or high < 4 * middle:
        return False
    round_tens = float((facts.numbers % 10 == 0).mean() or 0)  # type: ignore[arg-type]
    return facts.decimals == 2 or round_tens > 0.5 or middle >= 1000
