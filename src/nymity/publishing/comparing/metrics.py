"""Every metric of a finished release by its key, one line each; losses are metrics too (``LOSSES``)."""

# ruff: noqa: I001 -- the order of lists
from __future__ import annotations

from nymity.core.registry import registered
from nymity.quality.metric import Metric

from nymity.quality.relative_distance import RelativeDistanceMetric as RelativeDistanceMetric
from nymity.quality.granularity import GranularityMetric as GranularityMetric
from nymity.quality.information_loss import InformationLossMetric as InformationLossMetric
from nymity.quality.squared_distance import SquaredDistanceMetric as SquaredDistanceMetric
from nymity.quality.conditional_entropy import ConditionalEntropyMetric as ConditionalEntropyMetric
from nymity.quality.mutual_information import MutualInformationMetric as MutualInformationMetric
from nymity.quality.diameter import DiameterMetric as DiameterMetric
from nymity.quality.hellinger import HellingerMetric as HellingerMetric
from nymity.quality.correlation import CorrelationMetric as CorrelationMetric
from nymity.quality.correlation import CorrectedCorrelationMetric as CorrectedCorrelationMetric
from nymity.utility.query_metric import QueryMetric as QueryMetric

METRICS: dict[str, type[Metric]] = registered(vars(), Metric)
