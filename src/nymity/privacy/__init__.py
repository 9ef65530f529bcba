"""Privacy models: what a release promises. One file each, one line here."""

from __future__ import annotations

from nymity.privacy.distinct_diversity import DistinctLDiversity
from nymity.privacy.groups import Groups
from nymity.privacy.k_anonymity import KAnonymity
from nymity.privacy.model import Measured, PrivacyModel

#: Every model by its key.
MODELS: dict[str, type[PrivacyModel]] = {model.key: model for model in (KAnonymity, DistinctLDiversity)}

__all__ = ["MODELS", "DistinctLDiversity", "Groups", "KAnonymity", "Measured", "PrivacyModel"]
