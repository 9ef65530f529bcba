"""What charts of a release beside its original show, as plain data: columns, pairs of them, classes, levels."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from nymity.report.class_size import bin_labels, bin_starts, records_per_bin
from nymity.report.contingency import counted_pairs
from nymity.report.distribution import distribution_of
from nymity.report.published_form import form_of, scaled_columns
from nymity.report.scale import Ints, ScaledColumn
from nymity.report.subject import Subject

#: Columns of which all pairs are counted.
_MOST_COLUMNS = 30


def chart_figures(subject: Subject) -> dict[str, Any]:
    """Return what charts show, by the places of columns."""
    columns = scaled_columns(subject)
    shown = list(columns)[:_MOST_COLUMNS]
    pairs = {
        f"{a}-{b}": _pair(subject, columns[shown[a]], columns[shown[b]]) for a, b in combinations(range(len(shown)), 2)
    }
    return {
        "names": shown,
        "columns": [_column(subject, columns[name]) for name in shown],
        "pairs": pairs,
        "classes": _classes(subject),
    }


def _column(subject: Subject, column: ScaledColumn) -> dict[str, Any]:
    found = distribution_of(subject, column)
    return {**vars(found), "spread": column.spread is not None}


def _pair(subject: Subject, first: ScaledColumn, second: ScaledColumn) -> dict[str, Any]:
    found = counted_pairs(subject, first, second)
    return {
        "rows": found.rows,
        "columns": found.columns,
        "before": found.before.tolist(),
        "after": found.after.tolist(),
    }


def _classes(subject: Subject) -> dict[str, Any]:
    before, after = subject.sizes_before, form_of(subject).class_sizes
    starts = bin_starts(int(max(before.max(initial=1), after.max(initial=1))), subject.threshold)
    return {
        "labels": bin_labels(starts),
        "before": records_per_bin(before, starts).tolist(),
        "after": records_per_bin(np.asarray(after, dtype=np.int64), starts).tolist(),
        "smallest": [_least(before), _least(after)],
        "number": [len(before), len(after)],
        "threshold": subject.threshold,
    }


def _least(sizes: Ints) -> int:
    return int(sizes.min()) if len(sizes) else 0


def shape_of(subject: Subject) -> dict[str, Any]:
    """Return how columns are published: on levels, with cells of classes, or in buckets."""
    return form_of(subject).shape()
