"""Privacy models: what a release promises. One file each, one line here; lists of models have this order."""

# ruff: noqa: I001 -- the order of lists
from __future__ import annotations

from nymity.core.public_names import public_names
from nymity.core.registry import registered
from nymity.privacy.groups import Groups as Groups
from nymity.privacy.model import Measured as Measured
from nymity.privacy.model import PrivacyModel as PrivacyModel
from nymity.privacy.model import Unlimited as Unlimited
from nymity.privacy.model import plain_measured as plain_measured

from nymity.privacy.k_anonymity import KAnonymity as KAnonymity
from nymity.privacy.linked_k_anonymity import LinkedKAnonymity as LinkedKAnonymity
from nymity.privacy.km_anonymity import KMAnonymity as KMAnonymity
from nymity.privacy.distinct_diversity import DistinctLDiversity as DistinctLDiversity
from nymity.privacy.frequency_diversity import FrequencyLDiversity as FrequencyLDiversity
from nymity.privacy.entropy_diversity import EntropyLDiversity as EntropyLDiversity
from nymity.privacy.recursive_diversity import RecursiveDiversity as RecursiveDiversity
from nymity.privacy.alpha_k_anonymity import AlphaKAnonymity as AlphaKAnonymity
from nymity.privacy.t_closeness import TCloseness as TCloseness
from nymity.privacy.delta_disclosure import DeltaDisclosure as DeltaDisclosure
from nymity.privacy.beta_likeness import BetaLikeness as BetaLikeness
from nymity.privacy.enhanced_beta_likeness import EnhancedBetaLikeness as EnhancedBetaLikeness
from nymity.privacy.f_privacy import FPrivacy as FPrivacy
from nymity.privacy.prosecutor_risk import ProsecutorRisk as ProsecutorRisk
from nymity.privacy.dominance import Dominance as Dominance
from nymity.privacy.average_risk import AverageRisk as AverageRisk
from nymity.privacy.sample_uniques import SampleUniques as SampleUniques
from nymity.privacy.k_map import KMap as KMap
from nymity.privacy.delta_presence import DeltaPresence as DeltaPresence
from nymity.privacy.k_matching import KMatching as KMatching
from nymity.privacy.subset_k_anonymity import SubsetKAnonymity as SubsetKAnonymity
from nymity.privacy.lkc_privacy import LKCPrivacy as LKCPrivacy
from nymity.privacy.wildcard_k_anonymity import WildcardKAnonymity as WildcardKAnonymity

#: Every model by its key.
MODELS: dict[str, type[PrivacyModel]] = registered(vars(), PrivacyModel)

#: What other packages use besides.
_inner, __getattr__ = public_names(
    __name__,
    consistency="Consistency Originals",
    decision="Decision accepted accepted_and_most_kept decide refuse_shares_of_persons suppressed_records",
    f_privacy="OTHERS",
    kernel_rule="KernelRule",
    known_columns="KnownColumns",
    links="Knows MOST_SETS number_of_sets",
    model="INFINITE",
    second_table="Frame",
    sensitive="rounded_up",
    shared_rows="fewest_sharing",
    sizes="SizeModel",
    table_method="MethodTask OnInterrupt TableMethod",
)

__all__ = ["MODELS", "Groups", "Measured", "PrivacyModel", "Unlimited", "plain_measured", *_inner]
__all__ += [model.__name__ for model in MODELS.values()]
