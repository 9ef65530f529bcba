"""The baseline keeps what it counts, and our methods suppress no more."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from nymity.partition.row_suppression import WildcardSuppression
from nymity.partition.suppression import CellSuppression, Suppression
from nymity.privacy import KAnonymity, PrivacyModel, WildcardKAnonymity
from nymity.table.attribute import quasi
from nymity.table.encoding import encode
from nymity.table.schema import Schema
from nymity_lab.toolbox.local_suppression import local_suppression

Ints = NDArray[np.int64]


def sample(seed: int, n: int = 60) -> Ints:
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(0, size, n) for size in (2, 9, 4, 3, 6)], axis=1)


def suppressed(method: Suppression, model: PrivacyModel, codes: Ints) -> float:
    frame = pl.DataFrame({f"c{a}": column.astype(str) for a, column in enumerate(codes.T)})
    return method.run(encode(frame, Schema(dict.fromkeys(frame.columns, quasi()))), [model]).loss


def rows_after(codes: Ints, stars: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    return [tuple(row) for row in np.where(stars, -1, codes).tolist()]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_baseline_keeps_k_and_ours_suppress_no_more(seed: int, k: int) -> None:
    codes = sample(seed)
    stars = local_suppression(codes, k)
    rows = rows_after(codes, stars)
    for row in rows:
        assert sum(all(a == b or -1 in (a, b) for a, b in zip(row, other, strict=True)) for other in rows) >= k
    assert suppressed(WildcardSuppression(), WildcardKAnonymity(k=k), codes) <= stars.sum()

    stars = local_suppression(codes, k, wildcard=False)
    rows = rows_after(codes, stars)
    assert min(rows.count(row) for row in rows) >= k
    assert suppressed(CellSuppression(), KAnonymity(k=k), codes) <= stars.sum()
