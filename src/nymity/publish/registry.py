"""Methods and models by their key: what a job may name. A new method is one line here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from nymity.bucket.bucketized import BucketOutcome
from nymity.bucket.methods import Anatomy, Buckets
from nymity.core.draws import Draws
from nymity.core.progress import Observer
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.epsilon_safe import EpsilonSafeLattice
from nymity.dp.private_method import PrivateOutcome
from nymity.dp.safepub import SafePub
from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.datafly import Datafly
from nymity.lattice.iterative import IterativeRecoding
from nymity.lattice.mingen import MinGen
from nymity.lattice.ola import OLA
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.outcome import LatticeOutcome
from nymity.lattice.samarati import Samarati
from nymity.partition.exact import ExactPartition
from nymity.partition.freeform import FreeformGreedy, FreeformHungarian, FreeformSortGreedy
from nymity.partition.greedy_search import GreedySearch
from nymity.partition.k_member import KMember
from nymity.partition.mondrian import Mondrian
from nymity.partition.outcome import PartitionOutcome
from nymity.partition.refine import Refine
from nymity.partition.sorted_groups import SortedGroups
from nymity.partition.split_carry import SplitCarry
from nymity.privacy import MODELS as CLASS_MODELS
from nymity.privacy import PrivacyModel
from nymity.table.encoding import EncodedTable

#: What a method answers with.
Outcome = LatticeOutcome | PartitionOutcome | BucketOutcome | PrivateOutcome


class Method(Protocol):
    """Turns an encoded table into an outcome with a recoding."""

    key: ClassVar[str]

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


#: Every method by its key.
METHODS: dict[str, type[Method]] = {
    method.key: method
    for method in (
        OptimalLattice,
        OLA,
        Datafly,
        Samarati,
        MinGen,
        AnytimeLattice,
        IterativeRecoding,
        Mondrian,
        SortedGroups,
        GreedySearch,
        KMember,
        SplitCarry,
        ExactPartition,
        Refine,
        FreeformGreedy,
        FreeformSortGreedy,
        FreeformHungarian,
        Buckets,
        Anatomy,
        SafePub,
        EpsilonSafeLattice,
    )
}

#: Every model by its key: those of classes, and the promise of differentially private methods.
MODELS: dict[str, type[PrivacyModel]] = {**CLASS_MODELS, DifferentialPrivacy.key: DifferentialPrivacy}
