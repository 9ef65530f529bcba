"""Trust: how often each metric picked the more useful of two releases, as the study ``metrics`` measured it.

Useful was what classifiers learned from a release (logistic regression, random forest, nearest neighbours; accuracy and
AUROC). Half of the pairs would be picked by tossing a coin. What is learned depends on how cells become features: by
our encoding features are ``joined`` that no released cell tells apart, ``as published`` they are left apart as in the
thesis. The figures of both come with nymity in ``trust.json``, written by
:func:`nymity_lab.study.metrics.shipped.ship` from a run of the study.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from nymity.core.validation import one_of


@dataclass(frozen=True, kw_only=True)
class PairRate:
    """A share of pairs with its 95% interval, and how many pairs it was counted on."""

    rate: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True, kw_only=True)
class Trust:
    """How often a metric picked the more useful release: over all utilities together, and by each."""

    overall: PairRate
    by_utility: Mapping[str, PairRate]


#: What is said of a metric or loss that is not in the study.
NOT_STUDIED = "not studied yet"
#: The encoding by which the program tells figures, unless another is asked for.
ENCODING = "joined"


@cache
def measured_trust(encoding: str = ENCODING) -> Mapping[str, Trust]:
    """Return what the study found for each metric and loss that it looked at, by its key: joined or as published."""
    encodings = _shipped()["encodings"]
    one_of("encoding", encoding, encodings)
    return {name: _read(found) for name, found in encodings[encoding].items()}


def picked(key: str) -> str:
    """Return in how many pairs a metric picked the more useful release, or that nobody has studied it yet."""
    trust = measured_trust().get(key)
    return NOT_STUDIED if trust is None else f"{trust.overall.rate:.0%}"


@cache
def trust_source() -> Mapping[str, Any]:
    """Return what the figures were measured on: study, version, scale, data sets, algorithms and releases."""
    return {name: value for name, value in _shipped().items() if name != "encodings"}


def _read(content: Mapping[str, Any]) -> Trust:
    by_utility = {name: PairRate(**share) for name, share in content["by_utility"].items()}
    return Trust(overall=PairRate(**content["overall"]), by_utility=by_utility)


@cache
def _shipped() -> dict[str, Any]:
    text = (files("nymity.quality") / "trust.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    return read
