"""apply: the same recoding on new rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nymity.io import like, read_table, to_polars
from nymity.table.recoding import Outliers, Recoding, Unseen


def apply(
    recoding: Recoding | str | Path, table: Any, *, unseen: Unseen = "error", outliers: Outliers | None = None
) -> Any:
    """Publish new rows by a recoding that was decided before; returns the kind of frame it was given.

    Values the recoding's hierarchies do not list are an error or masked (``unseen``). Rows whose generalized
    combination is not a published class are treated as the recoding says unless ``outliers`` overrides it (``mask``,
    ``remove`` or ``keep``). Rows are sorted by nothing: their order follows the input, and the result carries no
    certificate until it is checked.
    """
    decided = recoding if isinstance(recoding, Recoding) else Recoding.load(recoding)
    if isinstance(table, str | Path):
        return decided.apply(read_table(table), unseen=unseen, outliers=outliers).table
    return like(table, decided.apply(to_polars(table), unseen=unseen, outliers=outliers).table)
