"""Privacy models: what a release promises. One file each, one line here."""

from __future__ import annotations

from nymity.privacy.alpha_k_anonymity import AlphaKAnonymity
from nymity.privacy.distinct_diversity import DistinctLDiversity
from nymity.privacy.entropy_diversity import EntropyLDiversity
from nymity.privacy.frequency_diversity import FrequencyLDiversity
from nymity.privacy.groups import Groups
from nymity.privacy.k_anonymity import KAnonymity
from nymity.privacy.model import Measured, PrivacyModel
from nymity.privacy.prosecutor_risk import ProsecutorRisk
from nymity.privacy.recursive_diversity import RecursiveDiversity

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
        ProsecutorRisk,
    )
}

__all__ = [
    "MODELS",
    "AlphaKAnonymity",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "FrequencyLDiversity",
    "Groups",
    "KAnonymity",
    "Measured",
    "PrivacyModel",
    "ProsecutorRisk",
    "RecursiveDiversity",
]
