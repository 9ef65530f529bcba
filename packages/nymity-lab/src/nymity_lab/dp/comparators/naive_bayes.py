"""PrivateNaiveBayes: naive Bayes from noisy counts (after Vaidya, Shafiq, Basu and Hong 2013).

Importing this module needs scikit-learn; ``nymity_lab.dp.comparators`` imports it when the class is first used.

**Sensitivity.** The model is a function of counts: of each class, and of each value of each of m attributes within each
class. A record is in the count of its class and, for each attribute, in that of its value there: in m + 1 counts. One
more or less changes those by 1, so discrete Laplace noise of scale (m + 1) / epsilon on every count of the public
domain, also those of 0, makes all of them epsilon-differentially private. What is made of them afterwards costs
nothing. Replacing a record is removing one and adding one: 2 epsilon.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from nymity.core.bits import SYSTEM, Bits, NotPrivate
from nymity.core.errors import ParameterError
from nymity.core.validation import number, whole_number
from nymity.dp.mechanisms import discrete_laplace
from nymity.dp.parameters import Number, fraction_between


class PrivateNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes on codes of values, epsilon-differentially private.

    Parameters
    ----------
    epsilon : what fitting spends.
    domains : how many values each attribute can have; public. Codes of attribute j are 0 to domains[j] - 1.
    classes : the classes there can be; public.
    smoothing : what is added to every count after counts below 0 were set to 0; above 0.
    not_private_seed : makes noise repeatable, for tests. Such a model is *not* private.

    Attributes
    ----------
    classes_, n_features_in_ : as in scikit-learn.
    class_counts_ : noisy counts of the classes, (classes,).
    value_counts_ : noisy counts for each attribute, (classes, values).
    noise_scale_ : scale of the noise of each count; public.
    private_ : whether nobody can foresee the noise.
    """

    def __init__(
        self,
        epsilon: Number = 1.0,
        *,
        domains: Sequence[int] | None = None,
        classes: Sequence[Any] | None = None,
        smoothing: float = 1.0,
        not_private_seed: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.domains = domains
        self.classes = classes
        self.smoothing = smoothing
        self.not_private_seed = not_private_seed

    def fit(self, X: Any, y: Any) -> PrivateNaiveBayes:  # noqa: N803 -- scikit-learn's names
        """Spend epsilon on a model of codes X (n, m) and classes y (n,)."""
        epsilon = fraction_between("epsilon", self.epsilon, 0)
        number("smoothing", self.smoothing, above=0)
        domains, classes = self._public()
        codes, labels = _codes(X, domains), _places(y, classes)
        if len(codes) != len(labels):
            raise ParameterError("y", expected=f"{len(codes)} classes, one for each row of X", got=str(len(labels)))
        bits = self._bits()
        scale = (len(domains) + 1) / epsilon
        sizes = [len(classes), *(len(classes) * values for values in domains)]
        exact = np.concatenate(_counts(codes, labels, domains, len(classes)))
        noise = discrete_laplace(scale=scale, size=len(exact), bits=bits).value
        first, *others = np.split(exact + np.array(noise, dtype=np.int64), np.cumsum(sizes)[:-1])
        self.classes_, self.n_features_in_ = classes, len(domains)
        self.class_counts_ = first
        self.value_counts_ = [part.reshape(len(classes), -1) for part in others]
        self.noise_scale_, self.private_ = float(scale), bits.private
        return self

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the logarithms of the probabilities of the classes, (n, classes)."""
        check_is_fitted(self)
        codes = _codes(X, [counts.shape[1] for counts in self.value_counts_])
        joint = np.tile(self._logarithms(self.class_counts_), (len(codes), 1))
        for j, counts in enumerate(self.value_counts_):
            joint += self._logarithms(counts).T[codes[:, j]]
        return np.asarray(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the probabilities of the classes, (n, classes)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the most probable class of each record, (n,)."""
        best = self.predict_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _logarithms(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return logarithms of shares, along the last axis."""
        smooth = np.maximum(counts, 0) + float(self.smoothing)
        return np.asarray(np.log(smooth / smooth.sum(axis=-1, keepdims=True)))

    def _public(self) -> tuple[list[int], NDArray[Any]]:
        if self.domains is None or len(self.domains) == 0:
            raise ParameterError("domains", expected="how many values each attribute can have", got=repr(self.domains))
        for j, values in enumerate(self.domains):
            whole_number(f"domains[{j}]", values, at_least=1)
        if self.classes is None:
            raise ParameterError(
                "classes", expected="the classes there can be", got="none", hint="they are public: list them"
            )
        classes = np.unique(np.asarray(self.classes))
        if len(classes) < 2 or len(classes) != len(self.classes):
            raise ParameterError("classes", expected="two or more different classes", got=repr(list(self.classes)))
        return [int(values) for values in self.domains], classes

    def _bits(self) -> Bits:
        if self.not_private_seed is None:
            return SYSTEM
        whole_number("not_private_seed", self.not_private_seed)
        return NotPrivate(self.not_private_seed)


def _counts(
    codes: NDArray[np.int64], labels: NDArray[np.int64], domains: Sequence[int], classes: int
) -> list[NDArray[np.int64]]:
    """Count classes, and values by class for each attribute, flat."""
    return [np.bincount(labels, minlength=classes)] + [
        np.bincount(labels * values + codes[:, j], minlength=classes * values) for j, values in enumerate(domains)
    ]


def _codes(table: Any, domains: Sequence[int]) -> NDArray[np.int64]:
    codes = np.asarray(table)
    if codes.ndim != 2 or codes.shape[1] != len(domains) or codes.dtype.kind not in "iu":
        raise ParameterError(
            "X", expected=f"whole numbers, (n, {len(domains)})", got=f"{codes.dtype} of shape {codes.shape}"
        )
    for j, values in enumerate(domains):
        if not ((codes[:, j] >= 0) & (codes[:, j] < values)).all():
            raise ParameterError(f"column {j} of X", expected=f"codes from 0 to {values - 1}", got="others")
    return codes.astype(np.int64)


def _places(labels: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    found = np.asarray(labels)
    if found.ndim != 1 or not np.isin(found, classes).all():
        raise ParameterError("y", expected=f"one of the classes {classes.tolist()} for each row", got="something else")
    return np.searchsorted(classes, found).astype(np.int64)
