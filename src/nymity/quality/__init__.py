"""Losses: what a release costs in information. One file each, one line here."""

from __future__ import annotations

from nymity.core.errors import ParameterError
from nymity.core.validation import one_of
from nymity.quality.ambiguity import AmbiguityLoss
from nymity.quality.certainty_penalty import CertaintyPenaltyLoss
from nymity.quality.class_size import AverageClassSizeLoss
from nymity.quality.classification import ClassificationLoss
from nymity.quality.discernibility import DiscernibilityLoss
from nymity.quality.domain_share import DomainShareLoss, GeometricDomainShareLoss
from nymity.quality.entropy import EntropyLoss, NormalizedEntropyLoss
from nymity.quality.height import HeightLoss
from nymity.quality.kl_divergence import KLDivergenceLoss
from nymity.quality.loss import BoundLoss, Loss
from nymity.quality.precision import PrecisionLoss
from nymity.quality.statistics import Needs, NodeStatistics

#: Every loss by its key.
LOSSES: dict[str, type[Loss]] = {
    loss.key: loss
    for loss in (
        DomainShareLoss,
        GeometricDomainShareLoss,
        PrecisionLoss,
        DiscernibilityLoss,
        AverageClassSizeLoss,
        HeightLoss,
        EntropyLoss,
        NormalizedEntropyLoss,
        AmbiguityLoss,
        CertaintyPenaltyLoss,
        KLDivergenceLoss,
        ClassificationLoss,
    )
}


def loss_of(loss: str | Loss, *, where: str = "loss") -> Loss:
    """Return a loss, given itself or its key for the one with default parameters, or say which keys there are."""
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str):
        raise ParameterError(where, expected="a loss or the key of one", got=repr(loss))
    one_of(where, loss, LOSSES)
    return LOSSES[loss]()


__all__ = [
    "LOSSES",
    "AmbiguityLoss",
    "AverageClassSizeLoss",
    "BoundLoss",
    "CertaintyPenaltyLoss",
    "ClassificationLoss",
    "DiscernibilityLoss",
    "DomainShareLoss",
    "EntropyLoss",
    "GeometricDomainShareLoss",
    "HeightLoss",
    "KLDivergenceLoss",
    "Loss",
    "Needs",
    "NodeStatistics",
    "NormalizedEntropyLoss",
    "PrecisionLoss",
    "loss_of",
]
