"""PrivateLogisticRegression: a differentially private classifier as a scikit-learn estimator.

Importing this module needs scikit-learn; ``ny.dp.PrivateLogisticRegression`` imports it when it is first used.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from nymity.core.bits import SYSTEM, Bits, NotPrivate
from nymity.core.errors import ParameterError
from nymity.core.validation import number, one_of, whole_number
from nymity.dp.expanded_objective import Objective, minimizer, sensitivity
from nymity.dp.feature_domain import FeatureDomain
from nymity.dp.parameters import Number, fraction_between


class PrivateLogisticRegression(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression by the functional mechanism (Zhang et al. 2012; Li 2019, algorithm 2).

    The objective is expanded to second order, its coefficients get Laplace noise, and what minimizes the noisy one is
    the model: epsilon-differentially private. Noise is drawn exactly, on whole numbers, with the sensitivity of
    :mod:`nymity.dp.expanded_objective`.

    Parameters
    ----------
    epsilon : what fitting spends.
    bounds : a lower and an upper bound of the features, numbers or one for each feature. They must be public; features
        are clipped to them.
    classes : the two classes, public. ``"public"`` takes those that occur and states that they are public.
    neighbours : ``"replace"``: tables differ in one record, and how many there are is public. ``"add-remove"``: one
        has a record more.
    l1_norm, l2_norm : a public bound of a norm of scaled features, to which larger records are shrunk. With one-hot
        columns of m attributes ``l1_norm=m`` shrinks nothing, and lowers the noise greatly.
    fit_intercept : whether to add a constant feature.
    ridge : how much to regularize, by the largest eigenvalue that noise alone would be expected to have.
    not_private_seed : makes noise repeatable, for tests. Such a model is *not* private.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_ : as for scikit-learn's logistic regression.
    noise_scale_ : scale of the Laplace noise of each coefficient; public.
    private_ : whether nobody can foresee the noise.
    """

    def __init__(
        self,
        epsilon: Number = 1.0,
        *,
        bounds: tuple[ArrayLike, ArrayLike] | None = None,
        classes: Sequence[Any] | str | None = None,
        neighbours: str = "replace",
        l1_norm: Number | None = None,
        l2_norm: Number | None = None,
        fit_intercept: bool = True,
        ridge: float = 1.0,
        not_private_seed: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.classes = classes
        self.neighbours = neighbours
        self.l1_norm = l1_norm
        self.l2_norm = l2_norm
        self.fit_intercept = fit_intercept
        self.ridge = ridge
        self.not_private_seed = not_private_seed

    def fit(self, X: Any, y: Any) -> PrivateLogisticRegression:  # noqa: N803 -- scikit-learn's names
        """Spend epsilon on a model of features X (n, d) and classes y (n,)."""
        epsilon = fraction_between("epsilon", self.epsilon, 0)
        one_of("neighbours", self.neighbours, ("replace", "add-remove"))
        number("ridge", self.ridge, at_least=0)
        table, labels = validate_data(self, X, y, dtype=np.float64)
        domain = FeatureDomain.of(
            self.bounds,
            table.shape[1],
            intercept=bool(self.fit_intercept),
            l1_norm=self.l1_norm,
            l2_norm=self.l2_norm,
        )
        positive = self._second_class(labels)
        bits = self._bits()
        scale = sensitivity(width=domain.width, norm=domain.largest_sum, neighbours=self.neighbours) / epsilon
        linear, matrix = Objective.of(domain.scaled(table), positive).noisy(scale, bits)
        # Entries of the noise in M have a deviation of √2 scale / 2; the largest eigenvalue is about 2 √d times that.
        weights = minimizer(linear, matrix, float(self.ridge) * sqrt(2 * domain.width) * float(scale))
        coefficients, intercept = domain.unscaled(weights)
        self.coef_, self.intercept_ = coefficients[None, :], np.array([intercept])
        self.noise_scale_, self.private_ = float(scale), bits.private
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the logarithm of the odds of the second class, (n,)."""
        check_is_fitted(self)
        table = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(table @ self.coef_[0] + self.intercept_[0])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the probabilities of both classes, (n, 2)."""
        second = (1 + np.tanh(self.decision_function(X) / 2)) / 2
        return np.column_stack([1 - second, second])

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the more probable class of each record, (n,)."""
        second = self.decision_function(X) > 0
        return np.asarray(self.classes_[second.astype(np.intp)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _second_class(self, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """Learn the classes, and say which records are of the second one."""
        check_classification_targets(labels)
        if self.classes is None:
            raise ParameterError(
                "classes",
                expected="the two classes",
                got="none",
                hint="classes='public' takes those that occur as public",
            )
        found = np.unique(labels if isinstance(self.classes, str) and self.classes == "public" else self.classes)
        if len(found) != 2:
            raise ParameterError("classes", expected="two classes", got=f"{len(found)} class(es): {found.tolist()}")
        if not np.isin(labels, found).all():
            raise ParameterError("y", expected=f"one of the classes {found.tolist()}", got="another label")
        self.classes_ = found
        return np.asarray(labels == found[1])

    def _bits(self) -> Bits:
        if self.not_private_seed is None:
            return SYSTEM
        whole_number("not_private_seed", self.not_private_seed)
        return NotPrivate(self.not_private_seed)
