"""QueryError: how far the answers of a release are from those of the original table."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.utility.workload import Workload

#: Answers below this share of the records count as this share in the normalized error.
SANITY = 0.001


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryError:
    """Errors of ``n`` count queries against a table of ``records``.

    The relative error |estimate - answer| / answer has no value for an answer of 0: ``mean``, ``median`` and quartiles
    are over the others, and None if there are no others; ``zero_answers`` says how many were left out. ``normalized``
    is the mean over all queries of |estimate - answer| / max(answer, 0.1% of the records). ``selectivity``,
    ``dimensions`` and ``seed`` say how queries were drawn. ``queries`` has a row for each: its number, how many
    columns it asks for, answer, estimate and both errors.
    """

    n: int
    records: int
    zero_answers: int
    mean: float | None
    median: float | None
    lower_quartile: float | None
    upper_quartile: float | None
    normalized: float
    selectivity: float | None
    dimensions: int | None
    seed: int | None
    queries: pl.DataFrame = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types; the single queries are left out."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "queries"}


def measured_error(
    workload: Workload, records: int, answers: NDArray[np.float64], estimates: NDArray[np.float64]
) -> QueryError:
    """Compare the estimates of all queries with their answers."""
    off, some = np.abs(estimates - answers), answers > 0
    relative = off[some] / answers[some]
    normalized = off / np.maximum(answers, SANITY * records)
    quartiles = [float(value) for value in np.quantile(relative, [0.25, 0.5, 0.75])] if len(relative) else [None] * 3
    each = np.full(workload.n, np.nan)
    each[some] = relative
    return QueryError(
        n=workload.n,
        records=records,
        zero_answers=int(workload.n - some.sum()),
        mean=float(relative.mean()) if len(relative) else None,
        median=quartiles[1],
        lower_quartile=quartiles[0],
        upper_quartile=quartiles[2],
        normalized=float(normalized.mean()),
        selectivity=workload.selectivity,
        dimensions=workload.dimensions,
        seed=workload.seed,
        queries=pl.DataFrame(
            {
                "query": np.arange(workload.n),
                "columns": workload.columns_asked,
                "answer": answers.astype(np.int64),
                "estimate": estimates,
                "relative_error": pl.Series(each).fill_nan(None),
                "normalized_error": normalized,
            }
        ),
    )
