"""What a promise says: of which kind of release, counting whom, and against whom it is none."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.core.wording import name_and_sentence
from nymity.privacy import PrivacyModel


def promise_of(model: PrivacyModel, *, buckets: bool, unit: str, perturbed: Sequence[str] = ()) -> str:
    """Return what is promised, of the kind of release and by what is counted: records, persons or households.

    Where columns are ``perturbed`` the name of the promise, too, says against whom it is none: names are shown alone.
    """
    words = _words_of(model, buckets=buckets, unit=unit)
    if not perturbed:
        return words
    name, sentence = name_and_sentence(words)
    return f"{name or model.key}, not against anyone who knows {' or '.join(map(repr, perturbed))}: {sentence}"


def _words_of(model: PrivacyModel, *, buckets: bool, unit: str) -> str:
    if unit == "households":
        return model.promise_to_households()
    if unit == "persons":
        return model.promise_to_persons()
    return model.promise_of_buckets() if buckets else model.promise()
