"""What estimators are given: frames of any kind, or arrays, whose columns are called x0, x1, …"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from nymity.core.errors import ParameterError
from nymity.io import to_polars


def is_frame(X: Any) -> bool:  # noqa: N803 -- scikit-learn's names
    """Return whether rows come with names of columns."""
    return isinstance(X, Mapping) or hasattr(X, "columns") or hasattr(X, "column_names")


def rows_of(estimator: Any, X: Any, *, reset: bool) -> pl.DataFrame:  # noqa: N803
    """Return rows as a table, and set or compare the features of an estimator as scikit-learn does."""
    from sklearn.utils.validation import validate_data

    if hasattr(X, "table") and hasattr(X, "certificate"):
        raise ParameterError(
            "X", expected="rows", got=f"a {type(X).__name__}", hint=".table of it, of the columns to use"
        )
    if not is_frame(X):
        cells = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        return to_polars({f"x{place}": cells[:, place].tolist() for place in range(cells.shape[1])})
    table = to_polars(X)
    if reset:
        estimator.feature_names_in_ = np.array(table.columns, dtype=object)
        estimator.n_features_in_ = table.width
        return table
    names = [str(name) for name in estimator.feature_names_in_]
    if missing := [name for name in names if name not in table.columns]:
        raise ValueError(f"columns that it was fitted on are missing: {missing}")
    return table.select(pl.nth([table.columns.index(name) for name in names]))
