"""By name: what the words of a column's name, or of its label in a dictionary, say about its role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from nymity.risk.column_facts import ColumnFacts, in_kilograms
from nymity.risk.evidence.role_votes import IDENTIFYING, INSENSITIVE, QUASI, SENSITIVE, WEIGHT, RoleVotes, Told
from nymity.risk.evidence.vocabulary import (
    AFFIXES,
    CONCEPTS,
    NOTES,
    PLACE,
    POINTING,
    TREATMENT,
    UPDATES,
    WEIGHTS,
    Concept,
)
from nymity.risk.evidence.words_known import KNOWN
from nymity.risk.evidence.words_private import PRIVATE
from nymity.risk.evidence.yes_or_no import calls_nobody
from nymity.risk.naming import first_known, listed, with_neighbours, words_of

#: How much a word counts that is known, has a stem at an end, inside, is pieced together of known ones,
#: or shortened, or has a short one at an end.
_EXACT, _HEAD, _STEM, _INSIDE, _PIECED, _SHORTENED, _AT_AN_END = 1.0, 0.97, 0.94, 0.8, 0.85, 0.75, 0.5
#: The head of a compound is its last part: ``Aufnahmegewicht`` is a weight.
_LAST = 1.5
#: How much is left of what other words say beside one that tells what kind of thing a column holds: a date, an age.
_BESIDE = 0.35
#: Letters that a known word at the end of another has at least, so that it is not there by chance.
_LONG_HEAD = 6
#: Words for people of whom another word says what a column holds: the race of a suspect.
_WHOSE = frozenset(listed("suspect victim insured offender inmate prisoner defendant voter stop incident crash"))
#: What others know of a person is no date of processing: ``user_age``.
_PERSONAL = KNOWN[0]
#: Opinions are opinions wherever their word stands: ``satisfaccion laboral``, ``trust police``.
_THOUGHT = next(one for one in PRIVATE if one.meaning.startswith("what a person thinks"))
_AGES = frozenset(listed("age alter edad leeftijd"))
#: Words that say of a column that it holds dates as its first word, too.
_DATES = frozenset(listed("date datum dat fecha fec fech dt jahr annee"))
#: How much is left of what a word says that is not the last: ``job satisfaction`` is satisfaction.
_BEFORE = 0.75
#: Last words that say nothing beside others: ``salary class``, ``diagnosis code``.
_GENERIC = frozenset(
    listed(
        "class classe klasse group groupe gruppe category categorie kategorie level type typ status code band cat kat "
        "grp index value number flag cd desc lib nr nbr no num id ind indicator key text"
    )
)


def by_name(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Read the column's name, and its label with a little less weight."""
    yield from _numbering(facts)
    yield from _spoken(facts.words, facts, "name", 1.0)
    if facts.label:
        yield from _spoken(words_of(facts.label), facts, "label", 0.8)


def says_notes(name: str) -> bool:
    """Whether a column's name says that people write into it what they like."""
    words = _telling(words_of(name))
    known = _known(tuple(words))
    return NOTES in known and _heading(words, known) in (None, NOTES)


def says_place(name: str) -> bool:
    """Whether a column's name says that it holds places."""
    return PLACE in _known(tuple(_telling(words_of(name))))


def _spoken(words: Sequence[str], facts: ColumnFacts, where: str, share: float) -> Iterator[RoleVotes]:
    words = _telling(words)
    known, last = _known(tuple(words)), _last_of_first_part(words)
    if WEIGHTS in known and TREATMENT not in known and not _of_bodies(facts):
        word = known[WEIGHTS][0]
        yield RoleVotes(why=f"{word!r} in its {where}, and numbers like sampling weights", votes={WEIGHT: 9.0 * share})
        return
    heading = _heading(words, known)
    for concept, (word, sureness) in known.items():
        thought = _THOUGHT in known
        leads = concept is heading or (concept is _THOUGHT if thought else last in word)
        quality = share * sureness * (1.0 if leads else _BESIDE if thought else _BEFORE)
        if heading not in (None, concept) or (concept.heads and heading is None):
            quality *= 0 if heading is UPDATES else _BESIDE
        if word in _WHOSE and len(known) > 1:
            quality *= _BESIDE
        if concept is NOTES and (facts.type != "text" or facts.is_number):
            continue
        if concept is POINTING and calls_nobody(facts):
            continue
        meant = _BODY if concept is WEIGHTS else concept
        votes = {role: vote * quality for role, vote in meant.votes.items()}
        why = f"{word!r} in its {where}: {meant.meaning}"
        told = _told_by(meant, facts) if sureness == _EXACT else _told_by_head(word, facts)
        yield RoleVotes(why=why, votes=votes, told_by=told)


def _told_by(concept: Concept, facts: ColumnFacts) -> Told:
    """Return what a whole word tells of values like these; of processing no word says that values are not of people."""
    if facts.type == "text" and not facts.is_number and not concept.texts:
        return "hint"
    if INSENSITIVE in list(concept.votes)[:1]:
        return "hint"
    return "word for numbers" if concept.numbers else "word"


def _told_by_head(word: str, facts: ColumnFacts) -> Told:
    """Return what a whole word for amounts tells at the end of another: ``Behandlungskosten`` are costs."""
    heads = (known for concept in _every() if concept.numbers for known in concept.words if len(known) >= _LONG_HEAD)
    return "word for numbers" if facts.is_whole and any(word.endswith(known) for known in heads) else "hint"


def _last_of_first_part(words: Sequence[str]) -> str:
    """Return the word that says what is meant: the last before a preposition, of ``pay from main job`` the pay."""
    ends = [at for at, word in enumerate(words) if word in _PREPOSITIONS and at and _known(tuple(words[:at]))]
    return words[ends[0] - 1] if ends else words[-1] if words else ""


_PREPOSITIONS = frozenset(listed("from in at during because with bei aus wegen depuis pendant durante desde tijdens"))


def _telling(words: Sequence[str]) -> Sequence[str]:
    """Leave out a last word that says nothing beside what the others do."""
    if len(words) > 2 and words[0] in _GENERIC and words[1] == "of":
        words = words[2:]
    while len(words) > 2 and words[-1] in _PERIODS and (words[-2] in _EACH or words[-2].isdecimal()):
        words = words[:-2]  # what was counted over the last year, or twelve months
    words = [
        word if word.isdecimal() or not _exactly(word + after) else word + after for word, after in _followed(words)
    ]
    plain = [word for word in words if not word.isdecimal()]
    if len(plain) > 1 and plain[-1] in _GENERIC and not _exactly("".join(plain[-2:])) and _known(tuple(plain[:-1])):
        return plain[:-1]
    return plain or words


def _followed(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return each word with the number behind it, if any: ``her2``, ``isco08``."""
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        yield word, after if after.isdecimal() else ""


_PERIODS = frozenset(listed("year years yr yrs month months mon mth mths week day hour jahr mois mes"))
_EACH = frozenset(listed("last next past per prev previous this in"))


def _heading(words: Sequence[str], known: dict[Concept, tuple[str, float]]) -> Concept | None:
    """Return the concept that says what the column holds: the date of a diagnosis is a date, the age at it an age."""
    if UPDATES in known and _PERSONAL not in known:
        return UPDATES
    for concept, (word, _) in known.items():
        if concept.heads and words and (word in words[-1:] or words[-1].endswith(word) or words[0] in _DATES):
            return concept
        if word in _AGES and word in words:
            return concept
    return None


#: Letters that neighbours make together, at least: ``ST01D`` is no ``std``.
_JOINED = 4


@cache
def _known(words: tuple[str, ...]) -> dict[Concept, tuple[str, float]]:
    """Return the concepts that the words stand for, each with the word and how surely it does."""
    found: dict[Concept, tuple[str, float]] = {}
    for word in with_neighbours(list(words)):
        single = word in words
        if not single and len(word) < _JOINED:
            continue
        meant = _meaning(word) if single else _exactly(word)
        if meant and not single:  # what two words mean together counts, not what each does
            found = {concept: one for concept, one in found.items() if not (one[0] in words and one[0] in word)}
        for concept, quality in meant:
            if concept not in found or quality > found[concept][1]:
                found[concept] = (word, quality)
    return found


@cache
def _meaning(word: str) -> list[tuple[Concept, float]]:
    """Find what a word means: as it is, by its stem, as a drug, cut off, without vowels, or in pieces."""
    if exact := _exactly(word):
        return exact
    if word in AFFIXES:
        return []
    if rest := _before_generic(word):
        return rest
    stems = [
        (len(stem) * (_LAST if quality == _HEAD else 1), concept, quality)
        for concept in _every()
        for stem in concept.stems
        if (quality := _fits(word, stem))
    ]
    if stems:
        _, concept, quality = max(stems, key=lambda one: one[0])
        updated = concept is not UPDATES and any(word.startswith(stem) for stem in UPDATES.stems)
        return [(concept, quality), *([(UPDATES, _STEM)] if updated else [])]
    if _is_drug(word):
        return [(TREATMENT, _STEM)]
    pieces = [(concept, _PIECED) for concept in _pieces(word)]
    weights = [(WEIGHTS, _AT_AN_END)] if word.endswith(("wt", "wgt")) else []
    return _shortened(word) or pieces or _at_an_end(word) or weights


def _before_generic(word: str) -> list[tuple[Concept, float]]:
    """Find what stands before an ending that says nothing: ``Impfstatus``, ``Mahnstufe``, ``Deliktart``."""
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 4 and (found := _meaning(rest) or _meaning(rest.removesuffix("s"))):
            return [(concept, quality * _HEAD) for concept, quality in found]
    return []


_ENDINGS = listed("status stufe klasse gruppe kategorie typ type code grad art soort score index satz mass wert group")


def _exactly(word: str) -> list[tuple[Concept, float]]:
    return [(concept, _EXACT) for concept in _every() if word in concept.words]


def _every() -> tuple[Concept, ...]:
    return (*CONCEPTS, WEIGHTS)


def _guessed() -> list[Concept]:
    """Return the concepts that parts of words may stand for: not what would publish a column as it is, nor people."""
    return [concept for concept in _every() if concept is not POINTING and INSENSITIVE not in list(concept.votes)[:1]]


def _fits(word: str, stem: str) -> float:
    if word.endswith(stem):
        return _HEAD
    if word.startswith(stem):
        return _STEM
    return _INSIDE if len(stem) >= 6 and stem in word else 0.0


def _at_an_end(word: str) -> list[tuple[Concept, float]]:
    """Find a known word of four letters at an end, beside letters that mean nothing: ``exdose``, ``dmdeduc``."""
    ends = {word[-4:], word[:4]} if 6 <= len(word) <= 10 else set()
    found = [concept for concept in _guessed() if ends & concept.words]
    return [(found[0], _AT_AN_END)] if len(found) == 1 else []


def _shortened(word: str) -> list[tuple[Concept, float]]:
    """Read a word as the beginning of known ones, or as their consonants: ``zufr``, ``wght``.

    Of what points to people, six letters are needed: ``tussenv``, ``nachna``.
    """
    if not 4 <= len(word) <= 10 or not word.isalpha():
        return []
    concepts = [*_guessed(), *([POINTING] if len(word) >= _LONG_BEGINNING else [])]
    whole = [concept for concept in concepts if any(_begins(word, known) for known in concept.words)]
    if not whole and not set(word[1:]) & _VOWELS:
        whole = [concept for concept in _guessed() if any(word == _consonants(known) for known in concept.words)]
    return [(concept, _SHORTENED) for concept in whole] if len(whole) == 1 else []


def _begins(word: str, known: str) -> bool:
    return known.startswith(word) and len(known) >= len(word) + 2


_VOWELS = frozenset("aeiou")
_LONG_BEGINNING = 6


@cache
def _consonants(word: str) -> str:
    return word[:1] + "".join(letter for letter in word[1:] if letter not in _VOWELS)


def _pieces(word: str) -> list[Concept]:
    """Take a word apart into known ones and affixes, if nothing is left over: ``totchol``, ``hhinc``, ``lwage``.

    A single letter stands at one end only.
    """
    if not 4 <= len(word) <= 16:
        return []
    short = _short()
    # Dynamic programming over places in the word: the best way to take apart what lies before each place.
    best: dict[int, tuple[int, tuple[str, ...]]] = {0: (0, ())}  # letters in words of meaning, the pieces
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if start not in best or not (piece in short or piece in AFFIXES):
                continue
            if len(piece) == 1 and start > 0 and end < len(word):
                continue
            meaning = len(piece) if piece in short else 0
            reached = (best[start][0] + meaning, (*best[start][1], piece))
            if end not in best or (reached[0], -len(reached[1])) > (best[end][0], -len(best[end][1])):
                best[end] = reached
    if len(word) not in best:
        return []
    letters, pieces = best[len(word)]
    if letters < max(3, len(word) / 2) or len(pieces) > 3:
        return []
    return list(dict.fromkeys(short[piece] for piece in pieces if piece in short))


@cache
def _short() -> dict[str, Concept]:
    """Return the words from three letters on that others may be pieced together of, and a few of two."""
    pieces = {
        word: concept
        for concept in reversed([*_guessed(), POINTING])
        for word in concept.words
        if 3 + (concept is POINTING) <= len(word) <= 8 and word.isalpha() and word not in AFFIXES
    }
    return pieces | {word: concept for concept in CONCEPTS for word in _PAIRS if word in concept.words}


_PAIRS = ("bp", "hh", "iq", "ed", "py", "hy", "dt", "dx")


def forget() -> None:
    """Look words up anew: the vocabulary was changed."""
    for one in (_known, _meaning, _short):
        one.cache_clear()


_BODY = Concept.of("what is visible of a person", {QUASI: 2.4, SENSITIVE: 1.2}, "")


def _of_bodies(facts: ColumnFacts) -> bool:
    """Tell weights of bodies from sampling weights: they are in kilograms or pounds, with one decimal at most."""
    low, middle, high = facts.spread
    if not facts.is_number or low < 0 or (facts.distinct < 5 and facts.decimals < 3) or in_kilograms(facts):
        return True
    if facts.is_whole and facts.distinct > 50 and high - low + 1 <= 1.2 * facts.distinct:
        return True  # counted through
    return 2 <= middle <= 250 and high < 700 and facts.decimals <= (1 if middle < 30 else 2)


def _numbering(facts: ColumnFacts) -> Iterator[RoleVotes]:
    """Find names and numbers of people, cases and households by the name's last word."""
    if (word := facts.naming_word) is not None and not (word.startswith("name") and calls_nobody(facts)):
        yield RoleVotes(why=f"{word!r} in its name: it points to one person", votes={IDENTIFYING: 7.0})
    elif facts.words and facts.words[-1] in _REFERRING and facts.distinct > _FEW:
        yield RoleVotes(why=f"{facts.words[-1]!r} in its name: it may point to one case", votes={IDENTIFYING: 4.0})
    elif _numbers_people(facts):
        why = f"{facts.words[0]!r} and {facts.words[1]!r} in its name: it points to one person"
        yield RoleVotes(why=why, votes={IDENTIFYING: 6.0})
    elif _given_out(facts):
        why = f"{facts.words[0]!r} in its name, and numbers that few records share: it may point to one case"
        yield RoleVotes(why=why, votes={IDENTIFYING: 4.5})
    elif facts.words and facts.words[-1] in ("id", "code", "cd", "nr", "no", "number", "num") and facts.distinct > 1:
        yield RoleVotes(why="numbers of kinds of things", votes={QUASI: 0.5, INSENSITIVE: 0.2})


def _numbers_people(facts: ColumnFacts) -> bool:
    """Whether a name says number first, as in Romance languages, then of whom or of what case."""
    words = facts.words
    if len(words) < 2 or words[0] not in _FIRST or facts.distinct <= _FEW:
        return False
    return first_known(words[1:2], _NUMBERED) is not None


def _given_out(facts: ColumnFacts) -> bool:
    """Whether a name says number first, of whatever, and the numbers are large and many: nobody counted to them."""
    if len(facts.words) < 2 or facts.words[0] not in _NUMBER or not facts.is_whole:
        return False
    return facts.distinct > max(_FEW, facts.present / 2) and facts.spread[0] >= _UNCOUNTED


#: Different values from which numbers may be of people; from which on they are not counts of something.
_FEW, _UNCOUNTED = 20, 1000
_REFERRING = frozenset(listed("ref reference referenz referentie referencia acct account konto cuenta compte"))
_NUMBER = frozenset(listed("num numero nr nro number"))
_FIRST = frozenset(listed("num numero no nr n id cod code nro"))
_NUMBERED = listed(
    "patient paciente socio client klant historia afili alloc contrat contrato adherent dossier expedient poliza "
    "police sinistre siniestro eleve etudiant alumno empleado salarie usuario secu compte cuenta factura facture "
    "permis carte tarjeta matricula beneficiaire assure asegurado episodio sejour denuncia recibo solicitud demande "
    "personne persona menage foyer hogar familia interview encuesta cuestionario passeport colegiado afiliado"
)
_DRUGS = listed(
    "formin glitazone gliptin gliflozin mycin cillin floxacin sartan statin prazole oxetine triptan cycline zepam "
    "zolam azole parin dipine tidine setron lukast olol amide ride butamide linide"
)


def _is_drug(word: str) -> bool:
    """Whether a word ends as the international names of drugs do."""
    return len(word) >= 7 and any(word.endswith(ending) for ending in _DRUGS)
