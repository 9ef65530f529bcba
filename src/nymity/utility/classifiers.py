"""Classifiers: frozen configurations by key, built on scikit-learn, each fitted on one thread and with a seed.

Features that are the same in all training rows tell nothing and are left out first. If nothing is left, or the training
rows are all of one class, the answer is how frequent each class is among them: ZeroR.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import ParameterError, TableError
from nymity.core.extras import require
from nymity.utility.feature_encoding import Matrix

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Share of the variance that principal components keep (de Spoelberch, section 3.4.2).
_VARIANCE = 0.95
#: Bins of a feature for boosted trees: most features are 0 or 1, and histograms of more would only take time.
_BINS = 32
#: Rows that are predicted at a time, which bounds memory where they must be dense.
_CHUNK = 2**14


@dataclass(frozen=True, kw_only=True)
class Classifier(ABC):
    """A classifier that can be trained: its parameters, and how scikit-learn builds it."""

    key: ClassVar[str]
    title: ClassVar[str]
    #: Whether features are given as a dense array, which is faster for trees.
    dense: ClassVar[bool] = False

    @abstractmethod
    def estimator(self, n_rows: int, seed: int) -> Any:
        """Return scikit-learn's classifier for so many training rows."""


@dataclass(frozen=True, kw_only=True)
class LogisticRegression(Classifier):
    """Logistic regression, multinomial for several classes, with an L2 penalty of 1 / (2 strength)."""

    strength: float = 1.0
    iterations: int = 2000

    key: ClassVar[str] = "logistic-regression"
    title: ClassVar[str] = "logistic regression"

    def __post_init__(self) -> None:
        validation.number("strength", self.strength, above=0)
        validation.whole_number("iterations", self.iterations, at_least=1)

    def estimator(self, n_rows: int, seed: int) -> Any:
        """Fitted by L-BFGS; features lie in [0, 1], so that it converges in far fewer iterations than allowed."""
        linear = require("sklearn.linear_model", extra="learn", purpose="a learning task")
        return linear.LogisticRegression(C=self.strength, max_iter=self.iterations)


@dataclass(frozen=True, kw_only=True)
class DecisionTree(Classifier):
    """A decision tree by Gini's impurity (CART), with at least ``leaf`` training rows in a leaf instead of pruning."""

    leaf: int = 10

    key: ClassVar[str] = "decision-tree"
    title: ClassVar[str] = "decision tree"
    dense: ClassVar[bool] = True

    def __post_init__(self) -> None:
        validation.whole_number("leaf", self.leaf, at_least=1)

    def estimator(self, n_rows: int, seed: int) -> Any:
        """One tree; the seed decides between equally good splits."""
        tree = require("sklearn.tree", extra="learn", purpose="a learning task")
        return tree.DecisionTreeClassifier(min_samples_leaf=self.leaf, random_state=seed)


@dataclass(frozen=True, kw_only=True)
class RandomForest(Classifier):
    """A random forest on principal components; each tree is grown on at most ``draws`` rows (None: on all)."""

    trees: int = 100
    draws: int | None = 1000

    key: ClassVar[str] = "random-forest"
    title: ClassVar[str] = "random forest"

    def __post_init__(self) -> None:
        validation.whole_number("trees", self.trees, at_least=1)
        if self.draws is not None:
            validation.whole_number("draws", self.draws, at_least=1)

    def estimator(self, n_rows: int, seed: int) -> Any:
        """Bootstrap samples, the square root of the components at each split."""
        ensemble = require("sklearn.ensemble", extra="learn", purpose="a learning task")
        draws = None if self.draws is None else min(self.draws, n_rows)
        return _on_components(
            ensemble.RandomForestClassifier(self.trees, max_samples=draws, random_state=seed, n_jobs=1)
        )


@dataclass(frozen=True, kw_only=True)
class NearestNeighbours(Classifier):
    """The shares of classes among the nearest training rows, by Euclidean distance of principal components."""

    neighbours: int = 5

    key: ClassVar[str] = "nearest-neighbours"
    title: ClassVar[str] = "nearest neighbours"

    def __post_init__(self) -> None:
        validation.whole_number("neighbours", self.neighbours, at_least=1)

    def estimator(self, n_rows: int, seed: int) -> Any:
        """All rows where there are fewer than neighbours to be asked."""
        neighbors = require("sklearn.neighbors", extra="learn", purpose="a learning task")
        return _on_components(neighbors.KNeighborsClassifier(min(self.neighbours, n_rows), n_jobs=1))


@dataclass(frozen=True, kw_only=True)
class GradientBoosting(Classifier):
    """Boosted trees on histograms of features."""

    iterations: int = 100
    rate: float = 0.1

    key: ClassVar[str] = "gradient-boosting"
    title: ClassVar[str] = "gradient boosting"
    dense: ClassVar[bool] = True

    def __post_init__(self) -> None:
        validation.whole_number("iterations", self.iterations, at_least=1)
        validation.number("rate", self.rate, above=0, at_most=1)

    def estimator(self, n_rows: int, seed: int) -> Any:
        """No early stopping, which would set training rows aside."""
        ensemble = require("sklearn.ensemble", extra="learn", purpose="a learning task")
        return ensemble.HistGradientBoostingClassifier(
            max_iter=self.iterations,
            learning_rate=self.rate,
            max_bins=_BINS,
            early_stopping=False,
            random_state=seed,
        )


CLASSIFIERS: dict[str, type[Classifier]] = {
    kind.key: kind for kind in (LogisticRegression, DecisionTree, RandomForest, NearestNeighbours, GradientBoosting)
}


def chosen(classifiers: Sequence[str | Classifier]) -> tuple[Classifier, ...]:
    """Return classifiers by key or as they are configured, each kind once."""
    validation.instance("classifiers", classifiers, (list, tuple), expected="a list of classifiers")
    found = []
    for choice in classifiers:
        if not isinstance(choice, Classifier):
            validation.one_of("classifiers", choice, CLASSIFIERS)
        found.append(choice if isinstance(choice, Classifier) else CLASSIFIERS[choice]())
    keys = [classifier.key for classifier in found]
    if not keys or len(set(keys)) < len(keys):
        raise ParameterError(
            "classifiers", expected="at least one, each kind once", got=", ".join(map(repr, keys)) or "none"
        )
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained classifier: the features it looks at, what it learned (None: nothing), and shares of the classes.

    shares (n_classes,): among the training rows.
    """

    classifier: Classifier
    features: Ints
    model: Any
    shares: Floats

    def probabilities(self, features: Matrix) -> Floats:
        """The probability of each class, (n_rows, n_classes)."""
        n_rows = features.shape[0]
        found = np.zeros((n_rows, len(self.shares)))
        if self.model is None:
            return found + self.shares
        seen = features[:, self.features]
        with _one_thread():
            for first in range(0, n_rows, _CHUNK):
                part = _given(self.classifier, seen[first : first + _CHUNK])
                found[first : first + _CHUNK, self.model.classes_] = self.model.predict_proba(part)
        return found


def fit(classifier: Classifier, features: Matrix, labels: Ints, n_classes: int, seed: int = 0) -> Fitted:
    """Train a classifier on rows with labels from 0 to n_classes - 1."""
    if not len(labels):
        raise TableError("training rows", expected="at least one with a label", got="none")
    shares = np.bincount(labels, minlength=n_classes) / len(labels)
    varied = np.flatnonzero((features.max(axis=0) - features.min(axis=0)).toarray()[0])
    if not len(varied) or shares.max() == 1:
        return Fitted(classifier, varied, None, shares)
    with _one_thread():
        model = classifier.estimator(len(labels), seed).fit(_given(classifier, features[:, varied]), labels)
    return Fitted(classifier, varied, model, shares)


def _given(classifier: Classifier, features: Matrix) -> Any:
    """Features in the form a classifier takes."""
    return features.astype(np.float32).toarray() if classifier.dense else features


def _on_components(classifier: Any) -> Any:
    pipeline = require("sklearn.pipeline", extra="learn", purpose="a learning task")
    decomposition = require("sklearn.decomposition", extra="learn", purpose="a learning task")
    return pipeline.make_pipeline(decomposition.PCA(_VARIANCE, svd_solver="covariance_eigh"), classifier)


def _one_thread() -> Any:
    """One thread, whatever the machine has: the same sums in the same order, and no quarrel with other processes."""
    return require("threadpoolctl", extra="learn", purpose="a learning task").threadpool_limits(1)
