"""Privacy models: what a release promises. One file each, one line here."""

from __future__ import annotations

from nymity.privacy.alpha_k_anonymity import AlphaKAnonymity
from nymity.privacy.average_risk import AverageRisk
from nymity.privacy.beta_likeness import BetaLikeness
from nymity.privacy.delta_disclosure import DeltaDisclosure
from nymity.privacy.delta_presence import DeltaPresence
from nymity.privacy.distinct_diversity import DistinctLDiversity
from nymity.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from nymity.privacy.entropy_diversity import EntropyLDiversity
from nymity.privacy.f_privacy import FPrivacy
from nymity.privacy.frequency_diversity import FrequencyLDiversity
from nymity.privacy.groups import Groups
from nymity.privacy.k_anonymity import KAnonymity
from nymity.privacy.k_map import KMap
from nymity.privacy.k_matching import KMatching
from nymity.privacy.model import Measured, PrivacyModel, plain_measured
from nymity.privacy.prosecutor_risk import ProsecutorRisk
from nymity.privacy.recursive_diversity import RecursiveDiversity
from nymity.privacy.sample_uniques import SampleUniques
from nymity.privacy.t_closeness import TCloseness

#: Every model by its key.
MODELS: dict[str, type[PrivacyModel]] = {
    model.key: model
    for model in (
        KAnonymity,
        DistinctLDiversity,
        FrequencyLDiversity,
        EntropyLDiversity,
        RecursiveDiversity,
        AlphaKAnonymity,
        TCloseness,
        DeltaDisclosure,
        BetaLikeness,
        EnhancedBetaLikeness,
        FPrivacy,
        ProsecutorRisk,
        AverageRisk,
        SampleUniques,
        KMap,
        DeltaPresence,
        KMatching,
    )
}

__all__ = [
    "MODELS",
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "FPrivacy",
    "FrequencyLDiversity",
    "Groups",
    "KAnonymity",
    "KMap",
    "KMatching",
    "Measured",
    "PrivacyModel",
    "ProsecutorRisk",
    "RecursiveDiversity",
    "SampleUniques",
    "TCloseness",
    "plain_measured",
]
