"""Other private methods, to compare releases with: small, exact, and no methods of jobs.

from nymity_lab.dp.comparators import DiffGen, PrivateNaiveBayes, survival, threshold

``published`` holds the figures of those that are not built here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nymity.core.extras import require
from nymity_lab.dp.comparators.diffgen import DiffGen, GeneralizedCounts
from nymity_lab.dp.comparators.fouad import FouadThreshold, Survival, least_delta, survival, threshold
from nymity_lab.dp.comparators.pruned_tree import LearnedTree, PrunedTree

if TYPE_CHECKING:
    from nymity_lab.dp.comparators.naive_bayes import PrivateNaiveBayes

__all__ = [
    "DiffGen",
    "GeneralizedCounts",
    "LearnedTree",
    "PrivateNaiveBayes",
    "PrunedTree",
    "Survival",
    "FouadThreshold",
    "least_delta",
    "survival",
    "threshold",
]


def __getattr__(name: str) -> Any:
    """Import the classifier when it is asked for: it needs scikit-learn."""
    if name != "PrivateNaiveBayes":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require("sklearn", extra="learn", purpose="private naive Bayes")
    return import_module("nymity_lab.dp.comparators.naive_bayes").PrivateNaiveBayes
