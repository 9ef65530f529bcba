"""What estimators of nymity are made of: scikit-learn's base classes, or an answer where it is not installed."""

from __future__ import annotations

from typing import Any

from nymity.core.extras import require

_base: Any = require("sklearn.base", extra="learn", purpose="an estimator for scikit-learn")

BaseEstimator, TransformerMixin = _base.BaseEstimator, _base.TransformerMixin
