"""By value: what values look like, whatever the name: codes of illnesses, states, answers, numbers of people."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import polars as pl

from nymity.risk.column_facts import ColumnFacts
from nymity.risk.evidence.checksums import CHECKED
from nymity.risk.evidence.role_votes import IDENTIFYING, QUASI, SENSITIVE, RoleVotes
from nymity.risk.evidence.value_words import GROUPS
from nymity.risk.evidence.yes_or_no import calls_nobody
from nymity.risk.identifiers import DATES, NAMES, NDC, NUMBERS, PLACES, shares_of

#: From this share of a column's different values on, what they look like tells what it holds.
MOST = 0.8
#: Codes of a system are many; fewer values that look so may be anything.
_FEWEST_CODES = 5

_CODES = {
    "codes of the ICD for illnesses": (r"^[A-TV-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{0,4})[*+!]?$", {SENSITIVE: 4.0}),
    "codes of the ATC for medicines": (r"^[A-DGHJLMNPRSV]\d{2}[A-Z]{2}(?:\d{2})?$", {SENSITIVE: 4.5}),
    "codes of the NDC for medicines": (NDC, {SENSITIVE: 4.0}),
    "codes of procedures": (r"^\d-\d{2}[0-9a-z](?:\.[0-9a-z]{1,3})?$", {SENSITIVE: 4.0}),
    "LOINC codes of measurements": (r"^\d{3,5}-\d$", {SENSITIVE: 3.0}),
    "readings in pairs, as of blood pressure": (r"^\d{2,3}/\d{2,3}$", {SENSITIVE: 4.0}),
    "codes of illnesses of the ICD-9": (r"^(?:\d{3}(?:\.\d{1,2})?|[EV]\d{2,3}(?:\.\d)?)$", {SENSITIVE: 1.5}),
}
#: Different texts for each of the words they are known by: up to so many the words tell what the texts are, and from so
#: many on nothing where names stand beside them.
_TEXTS_A_WORD, _TEXTS_OF_NAMES = 8, 3
_STREETS = (
    r"(?i)^\d{1,5}[a-z]?,? (?:[\p{L}'.-]+ ){1,4}"
    r"(?:street|st|road|rd|lane|ln|avenue|ave|drive|dr|close|court|ct|gardens|way|place|pl|terrace|crescent|square|"
    r"boulevard|blvd|grove|hill|park|row|walk|mews|parade)\.?$"
    r"|^\d{1,4}(?: ?(?:bis|ter))?,? (?:rue|avenue|av\.?|boulevard|bd\.?|place|chemin|allée|impasse|quai|route) "
    r"|^(?:(?:calle|avenida|avda\.?|av\.|plaza|paseo|camino|ronda)\b|c/).*\d"
    r"|(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ring|damm|ufer|straat|laan|plein|gracht|kade|dijk|singel|hof|pad)"
    r" ?\d{1,4} ?[a-z]?(?:[-/ ]\d{0,4}[a-z]?)?$"
    r"|^(?:flat|apt\.?|apartment|unit|suite) \d+[a-z]?\b"
)
_TITLED = (
    r"(?:^(?:M|Fr|Sr|Don)|\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Rev|Sir|Lady|Herrn?|Frau|Fr\.|Hr|Mme|Mlle|Sra|Srta|Doña|Dhr|Mevr|"
    r"Mw|[Dd]e heer|Mevrouw|MU?Dr|Mgr|Ing|Dott|Dra|Dipl|lek|inż))\.? (?:[\p{L}'.-]+ ){0,3}\p{Lu}[\p{L}'-]+\.?$"
)
_INITIALED = (
    r"^(?:(?:\p{Lu}\.[ -]?){1,3}(?:\p{Ll}+ ){0,3}\p{Lu}[\p{L}'-]+|\p{Lu}[\p{L}'-]+,? (?:\p{Lu}\.[ -]?){1,3}"
    r"|\p{Lu}[\p{L}'-]+, \p{Lu}|(?:\p{Lu}\.[ -]?){2,4})$"
)
_PLATES = (
    r"^(?:[A-Z]{2}\d{2} ?[A-Z]{3}|[A-Z]{2}-\d{3}-[A-Z]{2}|\d{4} ?[B-DF-HJ-NPR-TV-Z]{3}"
    r"|[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\d{1,4}[EH]?)$"
)
#: How people are called: the pattern, the share of the values that must fit, and how many different ones there must be.
_CALLED = {
    "streets and houses": (_STREETS, 0.3, 4),
    "titles with a name": (_TITLED, 0.3, 4),
    "names with initials": (_INITIALED, 0.5, 4),
    "number plates": (_PLATES, MOST, 20),
}
_BANDS = (
    r"^[\[(]?\s*(?:under |over |less than |<=?|>=?)?\d+(?:\s*(?:-|–|to|bis|à|;|,)\s*\d+)?"
    r"\s*(?:\+|\)|\])?(?: ?years?| Jahre)?$"
)


def by_value(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Look at flags of identifiers, codes of known systems, words that answers are made of, and coordinates."""
    yield from _flagged(facts)
    yield from _sexes(facts)
    yield from _coded(facts)
    yield from _worded(facts)
    yield from _checked(facts)
    yield from _placed(facts)
    yield from _addressed(facts)


def _flagged(facts: ColumnFacts) -> Iterator[RoleVotes]:
    for flag in facts.flags:
        if flag.direct and flag.word is not None and flag.kind != NUMBERS and calls_nobody(facts):
            continue
        if flag.direct:
            # A name's word alone may err where nobody is told apart; what values look like seldom does.
            told = flag.word is None or flag.kind not in (NAMES, NUMBERS)
            yield RoleVotes(
                why=flag.reason if flag.word is None else _pointing(flag.word),
                votes={IDENTIFYING: 7.0 if told else 6.0},
                told_by="values" if flag.word is None else "hint",
            )
        elif flag.word is None:
            # Five digits are the form of postcodes and of much that is given out to people: the name must agree.
            plain = flag.kind == PLACES and _share(facts.texts.str.contains(r"^\d+$")) > MOST
            told = not plain or any(one.kind == PLACES and one.word for one in facts.flags)
            votes = {QUASI: 4.5 if flag.kind == DATES else 3.0}
            yield RoleVotes(why=flag.reason, votes=votes, told_by="values" if told else "hint")
        elif flag.kind in (DATES, PLACES):
            yield RoleVotes(why=f"{flag.word!r} in its name: {flag.kind}", votes={QUASI: 1.0})


def _sexes(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Find the letters for the sexes, both of which many records have."""
    letters = frozenset(facts.texts.str.to_lowercase().to_list())
    both = letters - _NEITHER
    if both in _SEXES and facts.enough and facts.most_frequent <= _MOST_OF_ONE_SEX * facts.present:
        yield RoleVotes(why="letters for the sexes", votes={QUASI: 3.0}, told_by="values")


#: In English and French, German, Dutch, Spanish, Portuguese; Danish, Swedish and Polish; and what stands beside them.
_SEXES = frozenset(map(frozenset, ("mf", "mw", "mv", "hm", "hf", "km")))
_NEITHER, _MOST_OF_ONE_SEX = frozenset("xdu?"), 0.85


def _pointing(word: str) -> str:
    return f"{word!r} in its name: it points to one person"


def _coded(facts: ColumnFacts) -> Iterator[RoleVotes]:
    texts = facts.texts
    if len(texts) < _FEWEST_CODES or facts.one_per_record:
        return
    shares = shares_of(texts, [pattern for pattern, _ in _CODES.values()])
    for (what, (_, votes)), share in zip(_CODES.items(), shares, strict=True):
        if share >= MOST and texts.str.contains(r"\d").any() and _varied(texts):
            yield RoleVotes(why=f"{share:.0%} of its values look like {what}", votes=votes, told_by="values")
            return


def _varied(texts: pl.Series) -> bool:
    """Whether codes begin with several letters or digits, as those of a whole system do."""
    return texts.str.slice(0, 1).n_unique() >= 3


def _worded(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Find answers made of words that tell what was asked: marital status, agreement, illnesses."""
    texts = facts.texts
    if not len(texts) >= 2 or facts.distinct > 400 or facts.is_number:
        return
    if len(texts) > 2 and _share(texts.str.contains(_BANDS)) >= MOST:
        yield RoleVotes(why="bands of numbers", votes={QUASI: 0.6}, told_by="values")
        return
    plain = texts.str.to_lowercase()
    shares = shares_of(plain, [_pattern(words) for words, _ in GROUPS.values()])
    share, what = max(zip(shares, GROUPS, strict=True), key=lambda one: one[0])
    words, votes = GROUPS[what]
    if share >= 0.4 and share * len(texts) >= 2:
        # Where the words are few and the texts many, something else tells the texts apart: "Weber, nurse".
        different = plain.str.extract(f"({_pattern(words)})").drop_nulls().n_unique()
        if different * _TEXTS_OF_NAMES <= len(texts) and _are_names_beside(texts, words):
            return
        yield RoleVotes(
            why=f"values that speak of {what}",
            votes={role: vote * min(1.0, share + 0.3) for role, vote in votes.items()},
            told_by="values" if different * _TEXTS_A_WORD >= len(texts) else "hint",
        )


def _are_names_beside(texts: pl.Series, words: str) -> bool:
    """Whether most texts have words with a capital beside the known ones."""
    rest = texts.str.replace_all(rf"(?i){_pattern(words)}\p{{L}}*", "")
    return _share(rest.str.contains(r"\b\p{Lu}\p{Ll}{2,}")) >= 0.5


@cache
def _pattern(words: str) -> str:
    """Stems of four letters or more begin words; shorter ones are words."""
    parts = [rf"{word}" if len(word) >= 4 else rf"{word}\b" for word in words.replace("_", " ").split("|")]
    return r"\b(?:" + "|".join(parts) + ")"


def _checked(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Find numbers of people by their check digits, which by chance few numbers have."""
    if facts.distinct < 20 or facts.type not in ("text", "whole number"):
        return
    texts = facts.texts if facts.type == "text" else facts.values.cast(pl.String)
    some = texts.head(500).to_list()
    for what, valid in CHECKED.items():
        # Nearly all must be valid, so a few wrong ones among the first are enough to know better.
        if sum(map(valid, some[:10])) >= 9 and sum(map(valid, some)) >= 0.95 * len(some):
            yield RoleVotes(why=f"its values are valid {what}", votes={IDENTIFYING: 7.0}, told_by="values")
            return


def _placed(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Find coordinates: many decimals within the degrees of the earth, in text or by name."""
    texts = facts.texts
    if len(texts) >= 5 and _share(texts.str.contains(r"^-?\d{1,3}\.\d{3,}[,; ]+-?\d{1,3}\.\d{3,}$")) >= MOST:
        yield RoleVotes(why="coordinates of places", votes={IDENTIFYING: 3.0, QUASI: 3.5}, told_by="values")
    named = {"lat", "lon", "lng", "latitude", "longitude", "x", "y"} & facts.near
    if named and facts.is_number and facts.decimals >= 4 and facts.spread[0] >= -180 and facts.spread[2] <= 180:
        exact = facts.distinct * _POINTS >= facts.present
        yield RoleVotes(why="coordinates of places", votes={IDENTIFYING: 10.0} if exact else {QUASI: 3.0})


#: Records of a point at most, in the mean, where points are houses and not towns.
_POINTS = 4


def _addressed(facts: ColumnFacts) -> Iterator[RoleVotes]:
    if (why := calls_people(facts)) is not None:
        yield RoleVotes(why=why, votes={IDENTIFYING: 10.0}, told_by="values")


def calls_people(facts: ColumnFacts) -> str | None:
    """Find how people are called and written to, which a column's name may hide: it outweighs what that says."""
    texts = facts.texts
    if len(texts) < min(fewest for _, _, fewest in _CALLED.values()):
        return None
    shares = shares_of(texts, [pattern for pattern, _, _ in _CALLED.values()])
    for (what, (_, least, fewest)), share in zip(_CALLED.items(), shares, strict=True):
        if len(texts) >= fewest and share >= least:
            return f"{share:.0%} of its values look like {what}"
    return None


def _share(truths: pl.Series) -> float:
    return float(truths.mean() or 0)  # type: ignore[arg-type]
