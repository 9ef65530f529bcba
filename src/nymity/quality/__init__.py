"""Losses: what a release costs in information. One file each, one line here; lists of losses have this order."""

# ruff: noqa: I001 -- the order of lists
from __future__ import annotations

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.public_names import public_names
from nymity.core.registry import registered
from nymity.core.validation import one_of
from nymity.quality.loss import PreparedLoss as PreparedLoss
from nymity.quality.loss import Loss as Loss
from nymity.quality.node_statistics import Needs as Needs
from nymity.quality.node_statistics import NodeStatistics as NodeStatistics

from nymity.quality.domain_share import DomainShareLoss as DomainShareLoss
from nymity.quality.domain_share import GeometricDomainShareLoss as GeometricDomainShareLoss
from nymity.quality.precision import PrecisionLoss as PrecisionLoss
from nymity.quality.discernibility import DiscernibilityLoss as DiscernibilityLoss
from nymity.quality.class_size import AverageClassSizeLoss as AverageClassSizeLoss
from nymity.quality.height import HeightLoss as HeightLoss
from nymity.quality.entropy import EntropyLoss as EntropyLoss
from nymity.quality.entropy import NormalizedEntropyLoss as NormalizedEntropyLoss
from nymity.quality.ambiguity import AmbiguityLoss as AmbiguityLoss
from nymity.quality.certainty_penalty import CertaintyPenaltyLoss as CertaintyPenaltyLoss
from nymity.quality.kl_divergence import KLDivergenceLoss as KLDivergenceLoss
from nymity.quality.classification import ClassificationLoss as ClassificationLoss

#: Every loss by its key.
LOSSES: dict[str, type[Loss]] = registered(vars(), Loss)

#: What other packages use besides.
_inner, __getattr__ = public_names(
    __name__,
    attribute_loss="AttributeLoss PreparedAttributeLoss PreparedCostLoss",
    kernel_form="KernelForm",
    loss_statistics="measured_by",
    metric="Better Group Metric MetricValue PreparedMetric GROUPS",
    node_statistics="COUNTS_ALONE Floats",
    published_rows="Ints Links PublishedRows covering_levels majority node_cells nothing_left rows_of untouched",
    trust="ENCODING measured_trust picked trust_source",
)

__all__ = ["LOSSES", "Loss", "Needs", "NodeStatistics", "PreparedLoss", "loss_of", *_inner]
__all__ += [loss.__name__ for loss in LOSSES.values()]


def loss_of(loss: str | Loss, *, where: str = "loss") -> Loss:
    """Return a loss, given itself or its key for the one with default parameters, or say which keys there are."""
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str):
        hint = f"{loss.__name__}()" if isinstance(loss, type) and issubclass(loss, Loss) else ""
        raise ParameterError(where, expected="a loss or the key of one", got=as_given(loss), hint=hint)
    one_of(where, loss, LOSSES)
    return LOSSES[loss]()
