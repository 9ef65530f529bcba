"""Answers: whether a column says yes or no, and hence names nobody."""

from __future__ import annotations

from nymity.risk.column_facts import ColumnFacts
from nymity.risk.naming import listed

#: Words of which at most two answer a question, in the languages of the vocabulary.
PLAIN = frozenset(
    listed(
        "yes no ja nein oui non si sí nee nej nei sim não tak nie y n j o s true false t f m w a b x 0 1 2 none "
        "absent present"
    )
)


def answers_yes_or_no(facts: ColumnFacts) -> bool:
    """Whether a column has two values at most, which are answers: a ``phone`` of 0 and 1 is nobody's number."""
    if facts.type == "true or false":
        return True
    if not facts.enough or not 0 < facts.distinct <= 3:
        return False
    if facts.is_number:
        return facts.distinct <= 2 and facts.is_whole and facts.spread[0] >= 0 and facts.spread[2] <= 2
    return len(facts.texts) > 0 and set(facts.texts.str.to_lowercase().to_list()) <= PLAIN


def calls_nobody(facts: ColumnFacts) -> bool:
    """Whether a few values that many records share are answers or counts: ``number of addresses``."""
    if answers_yes_or_no(facts) or (facts.is_number and facts.spread[0] < 0):
        return True
    if facts.distinct > _KINDS or facts.distinct * _RECORDS_EACH > facts.present:
        return False
    if facts.is_number:
        return facts.spread[2] < _COUNTED
    texts = facts.texts.str.to_lowercase()
    plain = texts.is_in(list(PLAIN)) | ((texts.str.len_chars() == 1) & (facts.distinct <= _LETTERS))
    last = bool(facts.words) and facts.words[-1] in _OF_KINDS
    return last or float(plain.mean() or 0) > _MOSTLY  # type: ignore[arg-type]


#: Different values at most, records of each at least, and the first number that may be anybody's.
_KINDS, _RECORDS_EACH, _COUNTED = 20, 20, 100
#: The share of answers among different texts, and how many letters may be answers.
_MOSTLY, _LETTERS = 0.5, 3
#: Last words that say that kinds stand in a column.
_OF_KINDS = frozenset(listed("type status kind class category service flag device level contacted"))
