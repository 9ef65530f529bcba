"""How much information a release has lost, by five models: 0 for the table as it is, 1 if nothing is left.

Section 8.4 of the paper: records that were not sampled, or suppressed, have lost everything. With n records, m
attributes, R released records, and classes E of those:

=================  =================================================================================================
granularity        mean share of the domain that a cell covers, a value by itself counting as nothing
intensity          mean level by height of the hierarchy
discernibility     Σ |E|² + (n - R) n, between that of the table as it is and n²
entropy            Σ log₂ (records with the published value / with the own value), over that of nothing published
group-size         R over the number of classes, between that of the table as it is and n
=================  =================================================================================================

Records with a published value are counted in the whole table (non-uniform entropy).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from nymity_lab.study.safepub.releases import Sample
    from nymity_lab.study.safepub.study_tables import StudyTable

MODELS = ("granularity", "intensity", "discernibility", "entropy", "group-size")


def lost(source: StudyTable, release: Sample) -> dict[str, float]:
    """Return the loss by each model."""
    import numpy as np

    n, before = source.table.height, _whole(source).classes
    kept = np.zeros(n, dtype=np.bool_)
    kept[release.source_rows] = True
    cells = _cells(source, release, kept)
    levels = [release.levels[name] / max(h.height, 1) for name, h in source.hierarchies.items()]
    after = _classes(release.rows)
    squares = float(after @ after) + (n - release.rows.height) * n
    raw = float(before @ before)
    groups = release.rows.height / len(after) if len(after) else n
    return {
        "granularity": cells[0],
        "intensity": 1 - float(kept.mean()) * (1 - sum(levels) / len(levels)),
        "discernibility": (squares - raw) / (n * n - raw),
        "entropy": cells[1],
        "group-size": max(0.0, (groups - n / len(before)) / (n - n / len(before))),
    }


class _Whole(NamedTuple):
    """The table as it is: the code of each record's value, by column, and how many records are alike."""

    codes: dict[str, NDArray[np.int64]]
    classes: NDArray[np.float64]


@lru_cache(maxsize=1)
def _whole(source: StudyTable) -> _Whole:
    import numpy as np

    from nymity.table.encoding import codes_of

    columns = {name: codes_of(source.table[name], None, h.index) for name, h in source.hierarchies.items()}
    return _Whole({name: codes.astype(np.int64) for name, codes in columns.items()}, _classes(source.table))


def _cells(source: StudyTable, release: Sample, kept: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the losses that are sums over cells: granularity and entropy."""
    import numpy as np

    n, most, covered, bits, all_bits = len(kept), 0.0, 0.0, 0.0, 0.0
    for name, hierarchy in source.hierarchies.items():
        codes = _whole(source).codes[name]
        general = hierarchy.codes[release.levels[name]].astype(np.int64)
        leaves, domain = np.bincount(general)[general], hierarchy.domain_size
        most += 1 - 1 / domain
        covered += float(np.where(kept, (leaves[codes] - 1) / domain, 1 - 1 / domain).sum())
        own = np.bincount(codes, minlength=domain)[codes]
        shared = np.bincount(general[codes])[general[codes]]
        bits += float(np.log2(np.where(kept, shared, n) / own).sum())
        all_bits += float(np.log2(n / own).sum())
    return covered / (n * most), bits / all_bits


def _classes(rows: pl.DataFrame) -> NDArray[np.float64]:
    """Return how many rows are alike."""
    import numpy as np

    return rows.group_by(rows.columns).len()["len"].to_numpy().astype(np.float64)
