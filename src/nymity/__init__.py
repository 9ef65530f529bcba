"""nymity: publish tables about people with a guarantee that is stated, proved and measured.

    import nymity as ny

    release = ny.publish(frame, schema, privacy=[ny.KAnonymity(k=5)], method=ny.OptimalLattice(suppression=0.05))

Names load when they are first used, so importing nymity costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nymity import bucket as bucket
    from nymity import datasets as datasets
    from nymity import dp as dp
    from nymity import risk as risk
    from nymity import utility as utility
    from nymity.bucket.methods import Anatomy as Anatomy
    from nymity.bucket.methods import Buckets as Buckets
    from nymity.core.errors import NoSolutionError as NoSolutionError
    from nymity.core.errors import NymityError as NymityError
    from nymity.core.errors import PromiseError as PromiseError
    from nymity.core.progress import Progress as Progress
    from nymity.dp.differential_privacy import DifferentialPrivacy as DifferentialPrivacy
    from nymity.dp.epsilon_safe import EpsilonSafeLattice as EpsilonSafeLattice
    from nymity.dp.safepub import SafePub as SafePub
    from nymity.io import ReadOptions as ReadOptions
    from nymity.io import read_table as read_table
    from nymity.io import write_table as write_table
    from nymity.lattice.anytime import AnytimeLattice as AnytimeLattice
    from nymity.lattice.datafly import Datafly as Datafly
    from nymity.lattice.iterative import IterativeRecoding as IterativeRecoding
    from nymity.lattice.mingen import MinGen as MinGen
    from nymity.lattice.nodes import EvaluatedNodes as EvaluatedNodes
    from nymity.lattice.ola import OLA as OLA
    from nymity.lattice.optimal import OptimalLattice as OptimalLattice
    from nymity.lattice.samarati import Samarati as Samarati
    from nymity.partition.exact import ExactPartition as ExactPartition
    from nymity.partition.freeform import FreeformGreedy as FreeformGreedy
    from nymity.partition.freeform import FreeformHungarian as FreeformHungarian
    from nymity.partition.freeform import FreeformSortGreedy as FreeformSortGreedy
    from nymity.partition.greedy_search import GreedySearch as GreedySearch
    from nymity.partition.k_member import KMember as KMember
    from nymity.partition.mondrian import Mondrian as Mondrian
    from nymity.partition.refine import Refine as Refine
    from nymity.partition.sorted_groups import SortedGroups as SortedGroups
    from nymity.partition.split_carry import SplitCarry as SplitCarry
    from nymity.privacy import AlphaKAnonymity as AlphaKAnonymity
    from nymity.privacy import AverageRisk as AverageRisk
    from nymity.privacy import BetaLikeness as BetaLikeness
    from nymity.privacy import DeltaDisclosure as DeltaDisclosure
    from nymity.privacy import DeltaPresence as DeltaPresence
    from nymity.privacy import DistinctLDiversity as DistinctLDiversity
    from nymity.privacy import EnhancedBetaLikeness as EnhancedBetaLikeness
    from nymity.privacy import EntropyLDiversity as EntropyLDiversity
    from nymity.privacy import FPrivacy as FPrivacy
    from nymity.privacy import FrequencyLDiversity as FrequencyLDiversity
    from nymity.privacy import KAnonymity as KAnonymity
    from nymity.privacy import KMap as KMap
    from nymity.privacy import KMatching as KMatching
    from nymity.privacy import ProsecutorRisk as ProsecutorRisk
    from nymity.privacy import RecursiveDiversity as RecursiveDiversity
    from nymity.privacy import SampleUniques as SampleUniques
    from nymity.privacy import TCloseness as TCloseness
    from nymity.publish.apply import apply as apply
    from nymity.publish.check import check as check
    from nymity.publish.compare import compare as compare
    from nymity.publish.custody import Custody as Custody
    from nymity.publish.earlier_release import Earlier as Earlier
    from nymity.publish.earlier_release import EarlierRelease as EarlierRelease
    from nymity.publish.explore import explore as explore
    from nymity.publish.forget import forget as forget
    from nymity.publish.inspect import inspect_table as inspect_table
    from nymity.publish.job import Job as Job
    from nymity.publish.job import Output as Output
    from nymity.publish.job import Source as Source
    from nymity.publish.measure import measure as measure
    from nymity.publish.opened import OpenedRelease as OpenedRelease
    from nymity.publish.opened import open as open
    from nymity.publish.pipeline import publish as publish
    from nymity.publish.release import Release as Release
    from nymity.quality import AmbiguityLoss as AmbiguityLoss
    from nymity.quality import AverageClassSizeLoss as AverageClassSizeLoss
    from nymity.quality import CertaintyPenaltyLoss as CertaintyPenaltyLoss
    from nymity.quality import ClassificationLoss as ClassificationLoss
    from nymity.quality import DiscernibilityLoss as DiscernibilityLoss
    from nymity.quality import DomainShareLoss as DomainShareLoss
    from nymity.quality import EntropyLoss as EntropyLoss
    from nymity.quality import GeometricDomainShareLoss as GeometricDomainShareLoss
    from nymity.quality import HeightLoss as HeightLoss
    from nymity.quality import KLDivergenceLoss as KLDivergenceLoss
    from nymity.quality import NormalizedEntropyLoss as NormalizedEntropyLoss
    from nymity.quality import PrecisionLoss as PrecisionLoss
    from nymity.recommend.search import recommend as recommend
    from nymity.table.hierarchy import Hierarchy as Hierarchy
    from nymity.table.recoding import Recoding as Recoding
    from nymity.table.schema import Schema as Schema
    from nymity.table.schema import identifying as identifying
    from nymity.table.schema import insensitive as insensitive
    from nymity.table.schema import quasi as quasi
    from nymity.table.schema import sensitive as sensitive

_HOMES = {
    "Schema": "nymity.table.schema",
    "identifying": "nymity.table.schema",
    "quasi": "nymity.table.schema",
    "sensitive": "nymity.table.schema",
    "insensitive": "nymity.table.schema",
    "Hierarchy": "nymity.table.hierarchy",
    "KAnonymity": "nymity.privacy",
    "DistinctLDiversity": "nymity.privacy",
    "FrequencyLDiversity": "nymity.privacy",
    "EntropyLDiversity": "nymity.privacy",
    "RecursiveDiversity": "nymity.privacy",
    "AlphaKAnonymity": "nymity.privacy",
    "TCloseness": "nymity.privacy",
    "DeltaDisclosure": "nymity.privacy",
    "BetaLikeness": "nymity.privacy",
    "EnhancedBetaLikeness": "nymity.privacy",
    "FPrivacy": "nymity.privacy",
    "ProsecutorRisk": "nymity.privacy",
    "AverageRisk": "nymity.privacy",
    "SampleUniques": "nymity.privacy",
    "DifferentialPrivacy": "nymity.dp.differential_privacy",
    "KMap": "nymity.privacy",
    "KMatching": "nymity.privacy",
    "DeltaPresence": "nymity.privacy",
    "OptimalLattice": "nymity.lattice.optimal",
    "AnytimeLattice": "nymity.lattice.anytime",
    "OLA": "nymity.lattice.ola",
    "Datafly": "nymity.lattice.datafly",
    "IterativeRecoding": "nymity.lattice.iterative",
    "Samarati": "nymity.lattice.samarati",
    "Mondrian": "nymity.partition.mondrian",
    "SortedGroups": "nymity.partition.sorted_groups",
    "GreedySearch": "nymity.partition.greedy_search",
    "FreeformGreedy": "nymity.partition.freeform",
    "FreeformHungarian": "nymity.partition.freeform",
    "FreeformSortGreedy": "nymity.partition.freeform",
    "KMember": "nymity.partition.k_member",
    "SplitCarry": "nymity.partition.split_carry",
    "ExactPartition": "nymity.partition.exact",
    "Refine": "nymity.partition.refine",
    "MinGen": "nymity.lattice.mingen",
    "Buckets": "nymity.bucket.methods",
    "Anatomy": "nymity.bucket.methods",
    "SafePub": "nymity.dp.safepub",
    "EpsilonSafeLattice": "nymity.dp.epsilon_safe",
    "AmbiguityLoss": "nymity.quality",
    "AverageClassSizeLoss": "nymity.quality",
    "CertaintyPenaltyLoss": "nymity.quality",
    "ClassificationLoss": "nymity.quality",
    "DiscernibilityLoss": "nymity.quality",
    "DomainShareLoss": "nymity.quality",
    "EntropyLoss": "nymity.quality",
    "GeometricDomainShareLoss": "nymity.quality",
    "HeightLoss": "nymity.quality",
    "KLDivergenceLoss": "nymity.quality",
    "NormalizedEntropyLoss": "nymity.quality",
    "PrecisionLoss": "nymity.quality",
    "Earlier": "nymity.publish.earlier_release",
    "EarlierRelease": "nymity.publish.earlier_release",
    "Custody": "nymity.publish.custody",
    "forget": "nymity.publish.forget",
    "Job": "nymity.publish.job",
    "Output": "nymity.publish.job",
    "Source": "nymity.publish.job",
    "publish": "nymity.publish.pipeline",
    "Release": "nymity.publish.release",
    "explore": "nymity.publish.explore",
    "EvaluatedNodes": "nymity.lattice.nodes",
    "measure": "nymity.publish.measure",
    "open": "nymity.publish.opened",
    "OpenedRelease": "nymity.publish.opened",
    "check": "nymity.publish.check",
    "compare": "nymity.publish.compare",
    "apply": "nymity.publish.apply",
    "recommend": "nymity.recommend.search",
    "Recoding": "nymity.table.recoding",
    "inspect_table": "nymity.publish.inspect",
    "read_table": "nymity.io",
    "ReadOptions": "nymity.io",
    "write_table": "nymity.io",
    "Progress": "nymity.core.progress",
    "NymityError": "nymity.core.errors",
    "NoSolutionError": "nymity.core.errors",
    "PromiseError": "nymity.core.errors",
    "bucket": "nymity",
    "datasets": "nymity",
    "utility": "nymity",
    "dp": "nymity",
    "risk": "nymity",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'nymity' has no attribute {name!r}")
    home = _HOMES[name]
    value = import_module(f"nymity.{name}") if home == "nymity" else _bounded(getattr(import_module(home), name))
    globals()[name] = value
    return value


def _bounded(value: Any) -> Any:
    """Return a function so that an exhausted memory, or a panic below it, is a clear error; anything else as it is."""
    if not isinstance(value, FunctionType):
        return value
    from nymity.core.boundary import bounded

    return bounded()(value)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
