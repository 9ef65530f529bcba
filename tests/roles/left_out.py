"""Leave one table out: what suggestions are worth on tables whose words nobody thought of.

Words of the vocabulary that fit column names of one table alone are taken away while that table is looked at. Words
that were chosen without looking at it are taken away, too; but scores, limits, words of values and words for
identifiers were chosen by the same tables and stay, so this is no test on new ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from nymity.risk.evidence import by_name, vocabulary
from nymity.risk.evidence.concept import Concept
from nymity.risk.naming import with_neighbours, words_of

from .tables import Labelled


def words_of_one_table(tables: Iterable[Labelled]) -> dict[str, frozenset[str]]:
    """Return the words of the vocabulary that fit names of one table alone, for each table."""
    names: dict[str, set[str]] = defaultdict(set)
    for table in tables:
        for column in table.columns:
            names[table.name].update(with_neighbours(words_of(column)))
    found: dict[str, set[str]] = {name: set() for name in names}
    for concept in (*vocabulary.CONCEPTS, vocabulary.WEIGHTS):
        for word in concept.words:
            fitting = [table for table, known in names.items() if any(_fits(one, word) for one in known)]
            if len(fitting) == 1:
                found[fitting[0]].add(word)
    return {name: frozenset(words) for name, words in found.items()}


def _fits(word: str, known: str) -> bool:
    inside = len(known) >= 3 and known in word
    return word == known or inside or (len(word) >= 4 and known.startswith(word))


@contextmanager
def without(words: frozenset[str]) -> Iterator[None]:
    """Suggest as if the vocabulary did not have some words."""
    before: Mapping[str, object] = {
        name: value for name, value in vars(by_name).items() if name == "CONCEPTS" or isinstance(value, Concept)
    }
    every = {
        concept: replace(
            concept,
            words=concept.words - words,
            stems=tuple(stem for stem in concept.stems if stem not in words),
        )
        for concept in (*vocabulary.CONCEPTS, vocabulary.WEIGHTS)
    }
    by_name.CONCEPTS = tuple(every[concept] for concept in vocabulary.CONCEPTS)  # type: ignore[attr-defined]
    for name, value in before.items():  # each by its name, too: rules ask which concept it is
        if isinstance(value, Concept):
            setattr(by_name, name, every.get(value, value))
    by_name.forget()
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(by_name, name, value)
        by_name.forget()
