"""Concept: words of column names with one meaning, and what they say about the role of a column.

Words of five letters or more are stems: they stand for what begins or ends with them (``Hauptdiagnose``,
``diagnoses``), those of six or more also for what has them inside. Shorter ones stand for themselves. A ``!`` at the
end of a longer word says so, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from nymity.risk.evidence.words_further import FURTHER
from nymity.table.attribute import Role

#: Words up to so many letters are as they are: ``due``, ``male``.
_SHORT = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class Concept:
    """Words with one meaning, and what they say about the role of a column."""

    meaning: str  #: completes "'word' in its name: ..."
    votes: dict[Role, float]
    words: frozenset[str]
    stems: tuple[str, ...]
    heads: bool = False  #: as the last word it says what the column is, whatever stands before it
    numbers: bool = False  #: its values may be many long numbers: amounts, measurements, places
    texts: bool = True  #: its values may be texts

    @staticmethod
    def of(
        meaning: str,
        votes: dict[Role, float],
        text: str,
        *,
        heads: bool = False,
        numbers: bool = False,
        texts: bool = True,
    ) -> Concept:
        """Make one of its words, with spaces between them, and of those in further languages."""
        words = f"{text} {FURTHER.get(meaning, '')}".split()
        # German vowels with marks, which names of columns lose: ``praemie`` is also ``pramie``.
        plain = [re.sub(r"([aou])e", r"\1", word) for word in words if len(word) > _SHORT]
        stems = {word for word in (*words, *plain) if len(word) >= 5 and not word.endswith("!")}
        return Concept(
            meaning=meaning,
            votes=votes,
            words=frozenset(word.rstrip("!") for word in words),
            stems=tuple(sorted(stems, key=lambda stem: (-len(stem), stem))),
            heads=heads,
            numbers=numbers,
            texts=texts,
        )
