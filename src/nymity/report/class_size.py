"""How large classes are, before and after."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nymity.report import chart
from nymity.report.legend import legend
from nymity.report.markup import Figures, Section, paragraph
from nymity.report.page_wording import percent
from nymity.report.subject import Subject


def class_size_section(subject: Subject, figures: Figures) -> Section:
    """Plot the share of records in classes of each size."""
    threshold = subject.threshold if subject.schema.unit is None else 1  # which counts persons, not records
    sizes_before, sizes_after = subject.sizes_before, subject.sizes_after
    starts = bin_starts(max(int(sizes_before.max()), int(sizes_after.max(initial=1))), threshold)
    pairs = _pairs(subject, starts)
    marked = bin_labels(starts)[starts.index(threshold)] if threshold in starts and threshold > 1 else None
    spec = chart.paired_columns(pairs, mark_before=marked, mark=f"{threshold:,} or more →")
    return Section(
        anchor="classes",
        title="Class sizes before and after",
        short="Class sizes",
        parts=(
            paragraph(
                "A class is a group of records with the same quasi-identifiers; the smaller the class, the easier a "
                f"person in it is found. {_uniques(subject)}"
            ),
            legend(subject, before="original"),
            figures.add(spec, _caption(subject)),
        ),
    )


def bin_starts(largest: int, threshold: int) -> list[int]:
    """Return where bins of class sizes begin: 1, 2, 5, 10, 20, 50 … and the threshold, up to the largest class."""
    starts = {1, threshold}
    step = 1
    while step <= largest:
        starts |= {step, 2 * step, 5 * step}
        step *= 10
    return sorted(start for start in starts if start <= max(largest, threshold))


def bin_labels(starts: Sequence[int]) -> list[str]:
    """Return ``1``, ``2–4``, …, and ``100+`` for the last."""
    ends = [start - 1 for start in starts[1:]]
    labels = [f"{a:,}" if a == b else f"{a:,}–{b:,}" for a, b in zip(starts, ends, strict=False)]
    return [*labels, f"{starts[-1]:,}+"]


def records_per_bin(sizes: NDArray[np.int64], starts: Sequence[int]) -> NDArray[np.int64]:
    """Return how many records are in classes of each bin, (n_bins,)."""
    place = np.searchsorted(np.array(starts), sizes, side="right") - 1
    return np.bincount(place, weights=sizes, minlength=len(starts)).astype(np.int64)


def _uniques(subject: Subject) -> str:
    unique = int((subject.sizes_before == 1).sum())
    if unique == 0:
        return "No record of the original is the only one of its kind."
    share = percent(unique, subject.records)
    if unique == 1:
        return f"One record of the original ({share}) is the only one of its kind."
    return f"{unique:,} records of the original ({share}) are each the only one of their kind."


def _caption(subject: Subject) -> str:
    threshold, sizes = subject.threshold, subject.sizes_before
    if subject.schema.unit is not None and threshold == 1:
        return f"Counted in records; no number of {subject.schema.counts} was promised."
    if subject.schema.unit is not None:
        return f"Counted in records; every published class is of {threshold:,} {subject.schema.counts} or more."
    below = int(sizes[sizes < threshold].sum())
    if below == 0:
        return "Every class was large enough already; the release keeps it so."
    return (
        f"Before, {percent(below, subject.records)} of the records were in classes of fewer than {threshold:,}; after, "
        "none is: every published class lies right of the line."
    )


def _pairs(subject: Subject, starts: Sequence[int]) -> list[chart.Pair]:
    before = records_per_bin(subject.sizes_before, starts).tolist()
    counts = records_per_bin(subject.sizes_after, starts)
    if subject.masked:  # a bar of their own, out of the bin of the class that all rows of stars are
        counts[records_per_bin(np.array([subject.certificate.measured.masked_records]), starts) > 0] -= subject.masked
    after = counts.tolist()
    labels = bin_labels(starts)
    rows = [(label, f"{label} records", b, a, "published") for label, b, a in zip(labels, before, after, strict=True)]
    if subject.masked:
        rows.append(("masked", "one class: masked", 0, subject.masked, "masked"))
    if subject.removed + subject.dropped:
        rows.append(("left out", "not in the release", 0, subject.removed + subject.dropped, "left out"))
    total = subject.records
    return [
        chart.Pair(
            label=label,
            full=full,
            before=b / total,
            after=a / total,
            before_text=f"{b:,} ({percent(b, total)})",
            after_text=f"{a:,} ({percent(a, total)})",
            kind=kind,
        )
        for label, full, b, a, kind in rows
    ]
