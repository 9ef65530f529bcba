"""By name: what the words of a column's name, or of its label in a dictionary, say about its role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from nymity.risk.column_facts import ColumnFacts
from nymity.risk.evidence.role_votes import IDENTIFYING, INSENSITIVE, QUASI, SENSITIVE, WEIGHT, RoleVotes
from nymity.risk.evidence.vocabulary import AFFIXES, CONCEPTS, NOTES, WEIGHTS, Concept
from nymity.risk.naming import listed, with_neighbours, words_of

#: How much a word counts that is a stem, has one at an end, inside, or is pieced together of known ones.
_EXACT, _HEAD, _STEM, _INSIDE, _PIECED = 1.0, 0.97, 0.94, 0.8, 0.85
#: The head of a compound is its last part: ``Aufnahmegewicht`` is a weight.
_LAST = 1.5
#: How much is left of what other words say beside one that tells what kind of thing a column holds: a date, an age.
_BESIDE = 0.35
_AGES = frozenset(listed("age alter edad leeftijd"))
#: How much is left of what a word says that is not the last: ``job satisfaction`` is satisfaction.
_BEFORE = 0.85
#: Last words that say nothing beside others: ``salary class``, ``diagnosis code``.
_GENERIC = frozenset(
    listed(
        "class classe klasse group groupe gruppe category level type status code band cat grp index value number flag"
    )
)


def by_name(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Read the column's name, and its label with a little less weight."""
    yield from _numbering(facts)
    yield from _spoken(facts.words, facts, "name", 1.0)
    if facts.label:
        yield from _spoken(words_of(facts.label), facts, "label", 0.8)


def _spoken(words: Sequence[str], facts: ColumnFacts, where: str, share: float) -> Iterator[RoleVotes]:
    words = _telling(words)
    known = _known(tuple(words))
    heading = _heading(words, known)
    for concept, (word, sureness) in known.items():
        quality = share * sureness * (1.0 if words[-1] in word else _BEFORE)
        if heading not in (None, concept):
            quality *= _BESIDE
        if concept is WEIGHTS:
            yield _weight(word, facts, quality, where)
        elif concept is NOTES:
            if facts.type == "text" and facts.distinct > 8:
                yield _said(concept, word, where, quality)
        else:
            yield _said(concept, word, where, quality)


def _telling(words: Sequence[str]) -> Sequence[str]:
    """Leave out a last word that says nothing beside what the others do."""
    plain = [word for word in words if not word.isdecimal()]
    if len(plain) > 1 and plain[-1] in _GENERIC and _known(tuple(plain[:-1])):
        return plain[:-1]
    return plain or words


def _said(concept: Concept, word: str, where: str, quality: float) -> RoleVotes:
    votes = {role: vote * quality for role, vote in concept.votes.items()}
    return RoleVotes(why=f"{word!r} in its {where}: {concept.meaning}", votes=votes)


def _heading(words: Sequence[str], known: dict[Concept, tuple[str, float]]) -> Concept | None:
    """Return the concept that says what the column holds: the date of a diagnosis is a date, the age at it an age."""
    for concept, (word, _) in known.items():
        if concept.heads and words and (word in words[-1:] or words[-1].endswith(word)):
            return concept
        if word in _AGES and word in words:
            return concept
    return None


@cache
def _known(words: tuple[str, ...]) -> dict[Concept, tuple[str, float]]:
    """Return the concepts that the words stand for, each with the word and how surely it does."""
    found: dict[Concept, tuple[str, float]] = {}
    for word in with_neighbours(list(words)):
        for concept, quality in _meaning(word):
            if concept not in found or quality > found[concept][1]:
                found[concept] = (word, quality)
    return found


def _meaning(word: str) -> list[tuple[Concept, float]]:
    every = (*CONCEPTS, WEIGHTS)
    exact = [(concept, _EXACT) for concept in every if word in concept.words]
    if exact:
        return exact
    stems = [
        (len(stem) * (_LAST if quality == _HEAD else 1), concept, quality)
        for concept in every
        for stem in concept.stems
        if (quality := _fits(word, stem))
    ]
    if stems:
        _, concept, quality = max(stems, key=lambda one: one[0])
        return [(concept, quality)]
    if _is_drug(word):
        return [(_TREATMENT, _STEM)]
    return [(concept, _PIECED) for concept in _pieces(word)]


def _fits(word: str, stem: str) -> float:
    if word.endswith(stem):
        return _HEAD
    if word.startswith(stem):
        return _STEM
    return _INSIDE if len(stem) >= 6 and stem in word else 0.0


def _pieces(word: str) -> list[Concept]:
    """Take a word apart into known ones and affixes, if nothing is left over: ``totchol``, ``hhinc``, ``lwage``."""
    if not 4 <= len(word) <= 14:
        return []
    best: dict[int, tuple[int, tuple[str, ...]]] = {0: (0, ())}  # letters in words of meaning, the pieces
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if start not in best or not (piece in _SHORT or piece in AFFIXES):
                continue
            meaning = len(piece) if piece in _SHORT else 0
            reached = (best[start][0] + meaning, (*best[start][1], piece))
            if end not in best or (reached[0], -len(reached[1])) > (best[end][0], -len(best[end][1])):
                best[end] = reached
    if len(word) not in best:
        return []
    letters, pieces = best[len(word)]
    if letters < max(3, len(word) / 2) or len(pieces) > 3:
        return []
    return list(dict.fromkeys(_SHORT[piece] for piece in pieces if piece in _SHORT))


def _weight(word: str, facts: ColumnFacts, quality: float, where: str) -> RoleVotes:
    """Tell sampling weights from weights of bodies: those are in kilograms or pounds, with one decimal at most."""
    low, middle, high = facts.spread
    body = not facts.is_number or (2 <= middle <= 250 and high < 700 and facts.decimals <= 1)
    if body or low < 0:
        votes = {QUASI: 2.4 * quality, SENSITIVE: 1.2 * quality}
        return RoleVotes(why=f"{word!r} in its {where}: what is visible of a person", votes=votes)
    return RoleVotes(why=f"{word!r} in its {where}, and numbers like sampling weights", votes={WEIGHT: 6 * quality})


def _numbering(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Find names and numbers of people, cases and households by the name's last word."""
    if (word := facts.naming_word) is not None:
        yield RoleVotes(why=f"{word!r} in its name: it points to one person", votes={IDENTIFYING: 7.0})
    elif facts.words and facts.words[-1] in ("id", "code", "cd", "nr", "no", "number", "num") and facts.distinct > 1:
        yield RoleVotes(why="numbers of kinds of things", votes={QUASI: 0.5, INSENSITIVE: 0.2})


_DRUGS = listed(
    "formin glitazone gliptin gliflozin mycin cillin floxacin sartan statin prazole oxetine triptan cycline zepam "
    "zolam azole parin dipine tidine setron lukast olol amide ride butamide linide"
)


def _is_drug(word: str) -> bool:
    """Whether a word ends as the international names of drugs do."""
    return len(word) >= 7 and any(word.endswith(ending) for ending in _DRUGS)


_TREATMENT = next(concept for concept in CONCEPTS if concept.meaning == "a treatment")
#: Words from three letters on that others may be pieced together of.
_SHORT = {
    word: concept
    for concept in reversed((*CONCEPTS, WEIGHTS))
    for word in concept.words
    if 3 <= len(word) <= 8 and word.isalpha() and word not in AFFIXES
} | {word: concept for concept in CONCEPTS for word in ("bp", "hh", "iq", "ed", "py", "hy") if word in concept.words}
