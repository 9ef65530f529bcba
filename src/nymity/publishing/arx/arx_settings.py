"""Settings of ARX in our words: privacy models and quality models by the sentences that its projects hold.

``config.xml`` has each model as the text that its class writes of itself (``toString`` in ``org.deidentifier.arx``),
such as ``5-anonymity`` and ``0.2-closeness with equal ground-distance for attribute 'disease'``. What a sentence does
not say, and what we do not have, is told.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

#: Fields of a model of ours, and what is to be known of it; or why there is none.
Translated = tuple[dict[str, Any] | None, str]

_NUMBER = r"(\d+(?:\.\d+)?(?:E-?\d+)?)"
_OF = r" for attribute '(.+)'"


def _of(model: str, **parameters: type) -> Callable[[re.Match[str]], Translated]:
    """Take the groups of a sentence as parameters of a model; where one more is left, it is the attribute."""

    def made(match: re.Match[str]) -> Translated:
        groups = list(match.groups())
        fields: dict[str, Any] = {name: kind(groups.pop(0)) for name, kind in parameters.items()}
        return {"model": model, **fields, **({"attribute": groups[0]} if groups else {})}, ""

    return made


def _closeness(distance: str) -> Callable[[re.Match[str]], Translated]:
    def made(match: re.Match[str]) -> Translated:
        fields = {"model": "t-closeness", "t": float(match[1]), "attribute": match[2], "distance": distance}
        note = "check that the order of the values is the one you mean" if distance == "ordered" else ""
        return fields, note

    return made


def _disclosure(match: re.Match[str]) -> Translated:
    delta = math.floor(float(match[1]) * math.log(2) * 1e6) / 1e6
    return {"model": "delta-disclosure", "delta": delta, "attribute": match[2]}, (
        f"delta {match[1]} of ARX is to base 2, ours is natural: {delta:g}; ours also counts values that a group "
        "lacks, and so demands more"
    )


def _average(match: re.Match[str]) -> Translated:
    note = "" if match[2] is None else "its bounds on the highest risk and on records at risk are left out: add them"
    return {"model": "average-risk", "limit": float(match[1])}, note


def _not(why: str) -> Callable[[re.Match[str]], Translated]:
    return lambda _: (None, why)


_SUBSET = "the sample it is about lies in a Java object: name the population as a table of its own"
_SENTENCES: tuple[tuple[str, Callable[[re.Match[str]], Translated]], ...] = (
    (r"(\d+)-anonymity", _of("k-anonymity", k=int)),
    (rf"distinct-(\d+)-diversity{_OF}", _of("distinct-l-diversity", l=int)),
    (rf"(?:shannon-)?entropy-{_NUMBER}-diversity{_OF}", _of("entropy-l-diversity", l=float)),
    (rf"grassberger-entropy-{_NUMBER}-diversity{_OF}", _not("we have Shannon's entropy alone")),
    (rf"recursive-\({_NUMBER}, ?(\d+)\)-diversity{_OF}", _of("recursive-diversity", c=float, l=int)),
    (rf"{_NUMBER}-closeness with equal ground-distance{_OF}", _closeness("equal")),
    (rf"{_NUMBER}-closeness with hierarchical ground-distance{_OF}", _closeness("hierarchical")),
    (rf"{_NUMBER}-closeness with ordered distance{_OF}", _closeness("ordered")),
    (rf"{_NUMBER}-disclosure privacy{_OF}", _disclosure),
    (rf"{_NUMBER}-basic likeness{_OF}", _of("beta-likeness", beta=float)),
    (rf"enhanced-{_NUMBER}-likeness{_OF}", _of("enhanced-beta-likeness", beta=float)),
    (rf"\({_NUMBER}(, .+)?\)-avg-reidentification-risk", _average),
    (rf"\({_NUMBER}\)-sample-uniqueness", _of("sample-uniques", limit=float)),
    (r"\(\d+\)-map.*", _not(f"k-map: {_SUBSET}")),
    (r"\(.+,.+\)-presence", _not(f"delta-presence: {_SUBSET}")),
    (r"\(.+\)-population-uniqueness.*", _not("no model of ours: nymity risk measures it")),
    (r"\(.+,.+\)-DP", _not("differential privacy is a method of ours: see safepub, with hierarchies that are public")),
)


def translate_model(sentence: str) -> Translated:
    """Return the model of ours for a sentence of ARX, and what is to be known of it."""
    for form, made in _SENTENCES:
        if match := re.fullmatch(form, sentence):
            return made(match)
    return None, "no model of ours"


#: Quality models by a word of what ARX writes; the first that fits.
_LOSSES = (
    ("normalized non-uniform entropy", "entropy-normalized"),
    ("non-uniform entropy", "entropy"),
    ("average equivalence class size", "average-class-size"),
    ("discernab", "discernibility"),
    ("precision", "precision"),
    ("height", "height"),
    ("ambiguity", "ambiguity"),
    ("kl-divergence", "kl-divergence"),
    ("loss", "loss-geometric"),
)


def translate_loss(sentence: str) -> tuple[str | dict[str, Any] | None, str]:
    """Return the loss of ours for a quality model of ARX, and what is to be known of it."""
    words = sentence.lower()
    key = next((ours for theirs, ours in _LOSSES if theirs in words), None)
    if key is None or words.startswith("entropy-based"):
        return None, f"the quality model {sentence[:80]!r} has none of ours beside it: the default is taken"
    if factors := re.search(r"\((\d\.\d+)/", sentence):
        gs = float(factors[1])
        note = "how it joins columns is not in the project: taken is the geometric mean, ARX's default"
        return (key, note) if gs == 0.5 else ({"loss": key, "gs_factor": gs}, note)
    if words.startswith("monotonic"):
        return key, "its monotonic variant is left out: ours needs none"
    return key, ""
