"""Losses: what a release costs in information. One file each, one line here."""

from __future__ import annotations

from nymity.core.validation import one_of
from nymity.quality.ambiguity import AmbiguityLoss
from nymity.quality.class_size import AverageClassSizeLoss
from nymity.quality.discernibility import DiscernibilityLoss
from nymity.quality.domain_share import ArithmeticLoss, GeometricLoss
from nymity.quality.entropy import EntropyLoss
from nymity.quality.height import HeightLoss
from nymity.quality.loss import BoundLoss, Loss
from nymity.quality.precision import PrecisionLoss
from nymity.quality.statistics import NodeStatistics

#: Every loss by its key.
LOSSES: dict[str, type[Loss]] = {
    loss.key: loss
    for loss in (
        ArithmeticLoss,
        GeometricLoss,
        PrecisionLoss,
        DiscernibilityLoss,
        AverageClassSizeLoss,
        HeightLoss,
        EntropyLoss,
        AmbiguityLoss,
    )
}


def loss_by_key(key: str, *, where: str = "loss") -> Loss:
    """Return the loss with this key, or say which keys there are."""
    one_of(where, key, LOSSES)
    return LOSSES[key]()


__all__ = ["LOSSES", "BoundLoss", "Loss", "NodeStatistics", "loss_by_key"]
