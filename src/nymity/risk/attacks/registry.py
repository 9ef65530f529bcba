"""Every attack by its key. One file each, one line here; all are run in this order."""

# ruff: noqa: I001 -- the order of lists
from __future__ import annotations

from nymity.core.registry import registered as _registered
from nymity.risk.attacks.contract import Attack as Attack

from nymity.risk.attacks.linkage import Linkage as Linkage
from nymity.risk.attacks.linked_records import LinkedRecords as LinkedRecords
from nymity.risk.attacks.date_gaps import DateGaps as DateGaps
from nymity.risk.attacks.known_items import KnownItems as KnownItems
from nymity.risk.attacks.homogeneity import Homogeneity as Homogeneity
from nymity.risk.attacks.skewness import Skewness as Skewness
from nymity.risk.attacks.background_knowledge import BackgroundKnowledge as BackgroundKnowledge
from nymity.risk.attacks.membership import Membership as Membership
from nymity.risk.attacks.attribute_inference import AttributeInference as AttributeInference
from nymity.risk.attacks.intersection import Intersection as Intersection
from nymity.risk.attacks.minimality import Minimality as Minimality
from nymity.risk.attacks.downcoding import Downcoding as Downcoding

ATTACKS: dict[str, type[Attack]] = _registered(vars(), Attack)
