"""Every metric of a finished release by its key. A new one is one line here; losses are metrics too (``LOSSES``)."""

from __future__ import annotations

from nymity.quality.conditional_entropy import ConditionalEntropyMetric
from nymity.quality.correlation import CorrectedCorrelationMetric, CorrelationMetric
from nymity.quality.diameter import DiameterMetric
from nymity.quality.granularity import GranularityMetric
from nymity.quality.hellinger import HellingerMetric
from nymity.quality.information_loss import InformationLossMetric
from nymity.quality.metric import Metric
from nymity.quality.mutual_information import MutualInformationMetric
from nymity.quality.relative_distance import RelativeDistanceMetric
from nymity.quality.squared_distance import SquaredDistanceMetric
from nymity.utility.query_metric import QueryMetric

METRICS: dict[str, type[Metric]] = {
    metric.key: metric
    for metric in (
        RelativeDistanceMetric,
        GranularityMetric,
        InformationLossMetric,
        SquaredDistanceMetric,
        ConditionalEntropyMetric,
        MutualInformationMetric,
        DiameterMetric,
        HellingerMetric,
        CorrelationMetric,
        CorrectedCorrelationMetric,
        QueryMetric,
    )
}
