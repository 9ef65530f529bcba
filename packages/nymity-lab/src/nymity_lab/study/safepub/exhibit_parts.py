"""What the exhibits of this study share: relative accuracies, and what differs from the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nymity_lab.study.exhibit_parts import where
from nymity_lab.study.study import Results, Row

PLOTTED = "The paper draws this figure; compared is what its text says."
DATA = (
    "Adult with the hierarchies of ARX is US Census here, FARS is Crash statistics; their lattices differ from the "
    "paper's. Time use survey and Health interviews cannot be had: only the paper's values are shown. At full scale "
    "the American Community Survey stands in, with hierarchies of ours (nymity_lab/study/safepub/study_tables.py)."
)
PUBLISHED_FORM = (
    "As published is the paper's form, which is not private: the best of the nodes walked over is taken, on the sample "
    "that is released, and k is one for the probabilistic delta. One draw is nymity's default: all nodes, one draw, a "
    "fresh sample, k for the standard delta."
)
TREES = "Trees are scikit-learn's (CART, ten rows in a leaf at least), where the paper has C4.5 with pruning."


def relative(results: Results, row: Row) -> float:
    """Return an accuracy between that of the most frequent class, 0, and that of the original, 1."""
    rows = results.rows("original")
    same = where(rows, data=row["data"], target=row["target"], classifier=row["classifier"])[0]
    return scaled(row["accuracy"], same["accuracy"], same["zero_r"])


def scaled(accuracy: float, original: float, zero_r: float) -> float:
    """Return an accuracy on a scale from 0, the most frequent class, to 1, the original."""
    return (accuracy - zero_r) / max(original - zero_r, 1e-9)


def task(row: Row) -> str:
    """Write ``US Census 1`` for the first target of table 2."""
    return f"{row['data']} {row['number']}"


def listed(values: Mapping[Any, float], form: str = ".1%") -> str:
    """Write ``US Census 43.1%, Crash statistics 41.0%``."""
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())
