"""Warnings that follow from the method and the promises, whatever the records are."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.bucket.bucketized import BucketOutcome
from nymity.dp.private_method import PrivateOutcome
from nymity.lattice.outcome import LatticeOutcome
from nymity.partition.outcome import PartitionOutcome
from nymity.privacy import PrivacyModel
from nymity.publish.caveats.caveat import Caveat
from nymity.publish.registry import Outcome
from nymity.quality.classification import ClassificationLoss

_REPLAY = (
    "who knows the method and everybody's quasi-identifiers can leave out the tables that it would have published "
    "otherwise; the attack 'minimality' measures it"
)


def optimality(outcome: Outcome, models: Sequence[PrivacyModel]) -> list[Caveat]:
    """Say what an attacker learns from how the release was chosen, where that depended on sensitive values.

    A search by quasi-identifiers alone can be run by anybody who knows them, and tells nothing more (Wong, Fu, Wang and
    Pei 2007). Buckets filled at random are planned on counts that the release shows anyway. What a differentially
    private method chooses is drawn, and counted in epsilon.
    """
    says = _chosen_by_values(outcome, any(model.sensitive for model in models))
    return [Caveat(key="optimality", says=f"{says}: {_REPLAY}.")] if says else []


def known_seed(random_sources: Sequence[str]) -> list[Caveat]:
    """Say that draws can be foreseen, if any was from a known seed."""
    if not any(source.startswith("a known seed") for source in random_sources):
        return []
    return [
        Caveat(
            key="known-seed",
            says="Draws were from a known seed: against whoever knows or guesses it, nothing that was drawn protects.",
        )
    ]


def _chosen_by_values(outcome: Outcome, promised: bool) -> str:
    match outcome:
        case PrivateOutcome() | BucketOutcome():
            return ""
        case LatticeOutcome() if promised:
            return "Levels and suppressed classes were chosen by a search that accepts or rejects by sensitive values"
        case LatticeOutcome() if isinstance(outcome.minimized, ClassificationLoss):
            return "Levels were chosen by a loss that counts sensitive values"
        case PartitionOutcome() if outcome.by_values:
            return "Records were divided into classes by a search that accepts or rejects by sensitive values"
    return ""
