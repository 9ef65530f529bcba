"""The scores by their names; what they have in common stands in :mod:`nymity.dp.score`."""

from __future__ import annotations

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import one_of
from nymity.dp.class_scores import Classification, Entropy
from nymity.dp.count_scores import Discernibility, Granularity, GroupSize, Intensity
from nymity.dp.score import Score, Whole, weights_of, whole

__all__ = ["SCORES", "Classification", "Granularity", "Score", "Whole", "check_score", "weights_of", "whole"]

SCORES: dict[str, type[Score]] = {
    score.key: score for score in (Granularity, Intensity, Discernibility, Entropy, GroupSize, Classification)
}


def check_score(where: str, key: object, target: object) -> None:
    """Refuse an unknown score, one that lacks a target, or a target that would have no meaning."""
    one_of(f"{where}.score", key, SCORES)
    wanted = key == Classification.key
    if wanted != isinstance(target, str):
        raise ParameterError(
            f"{where}.target",
            expected="the attribute to classify by, a quasi-identifier" if wanted else f"none for the score {key!r}",
            got=as_given(target),
        )
