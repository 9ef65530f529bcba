"""Methods and models by their key: what a job may name. A new method is one line here; lists have this order."""

# ruff: noqa: I001 -- the order of lists
from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from nymity.core.draws import Draws
from nymity.core.progress import Observer
from nymity.core.registry import registered
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.privacy import MODELS as CLASS_MODELS
from nymity.privacy import PrivacyModel
from nymity.table.encoding import EncodedTable
from nymity.table.outcome import Outcome
from nymity.table.recoding import Recoding

from nymity.lattice.optimal import OptimalLattice as OptimalLattice
from nymity.lattice.ola import OLA as OLA
from nymity.lattice.datafly import Datafly as Datafly
from nymity.lattice.samarati import Samarati as Samarati
from nymity.lattice.mingen import MinGen as MinGen
from nymity.lattice.anytime import AnytimeLattice as AnytimeLattice
from nymity.lattice.iterative import IterativeRecoding as IterativeRecoding
from nymity.lattice.specialization import TopDownSpecialization as TopDownSpecialization
from nymity.lattice.fixed_levels import FixedLevels as FixedLevels
from nymity.partition.mondrian import Mondrian as Mondrian
from nymity.partition.sorted_groups import SortedGroups as SortedGroups
from nymity.partition.greedy_search import GreedySearch as GreedySearch
from nymity.partition.k_member import KMember as KMember
from nymity.partition.split_carry import SplitCarry as SplitCarry
from nymity.partition.exact import ExactPartition as ExactPartition
from nymity.partition.refine import Refine as Refine
from nymity.partition.freeform import FreeformGreedy as FreeformGreedy
from nymity.partition.freeform import FreeformSortGreedy as FreeformSortGreedy
from nymity.partition.freeform import FreeformHungarian as FreeformHungarian
from nymity.partition.suppression import CellSuppression as CellSuppression
from nymity.partition.generalized_suppression import GeneralizedSuppression as GeneralizedSuppression
from nymity.partition.exact_suppression import ExactSuppression as ExactSuppression
from nymity.partition.row_suppression import SubsetSuppression as SubsetSuppression
from nymity.partition.row_suppression import WildcardSuppression as WildcardSuppression
from nymity.partition.group_means import GroupMeans as GroupMeans
from nymity.bucket.methods import Buckets as Buckets
from nymity.bucket.methods import Anatomy as Anatomy
from nymity.dp.safepub import SafePub as SafePub
from nymity.dp.epsilon_safe import EpsilonSafeLattice as EpsilonSafeLattice


class Method(Protocol):
    """Turns an encoded table into an outcome with a recoding."""

    key: ClassVar[str]
    makes: ClassVar[type[Recoding]]
    searches_levels: ClassVar[bool]
    answers_any_time: ClassVar[bool]

    def run(
        self,
        table: EncodedTable,
        models: Sequence[PrivacyModel],
        *,
        columns: Sequence[str] | None = None,
        observe: Observer = ...,
        draws: Draws | None = None,
    ) -> Outcome:
        """Decide how to publish ``columns`` so that every model holds; None draws from a new key."""
        ...


def is_private(method: Method | None) -> bool:
    """Return whether a method is differentially private."""
    return method is not None and method.makes.is_private


#: Every method by its key.
METHODS: dict[str, type[Method]] = {key: one for key, one in registered(vars()).items() if hasattr(one, "run")}

#: Every model by its key: those of classes, and the promise of differentially private methods.
MODELS: dict[str, type[PrivacyModel]] = {**CLASS_MODELS, DifferentialPrivacy.key: DifferentialPrivacy}
