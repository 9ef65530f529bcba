"""How large classes are, before and after."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nymity.report import chart
from nymity.report.markup import Figures, Section, paragraph
from nymity.report.subject import Subject
from nymity.report.wording import count, percent


def class_size_section(subject: Subject, figures: Figures) -> Section:
    """Plot the share of records in classes of each size."""
    threshold, total = subject.threshold, subject.records
    sizes_before, sizes_after = subject.sizes_before, subject.sizes_after
    below = int(sizes_before[sizes_before < threshold].sum())
    starts = bin_starts(max(int(sizes_before.max()), int(sizes_after.max(initial=1))), threshold)
    pairs = _pairs(subject, starts)
    marked = bin_labels(starts)[starts.index(threshold)] if threshold in starts and threshold > 1 else None
    spec = chart.paired_columns(pairs, mark_before=marked, mark=f"{threshold:,} or more →")
    unique = int((sizes_before == 1).sum())
    caption = (
        f"Before, {percent(below, total)} of the records were in classes of fewer than {threshold:,}; "
        "after, none is: every published class lies right of the line."
        if threshold > 1
        else "Records move from small classes on the left to large ones on the right."
    )
    return Section(
        anchor="classes",
        title="Class sizes before and after",
        parts=(
            paragraph(
                "A class is a group of records with the same quasi-identifiers; the smaller the class, the easier a "
                f"person in it is found. In the original {count(unique, 'record')} ({percent(unique, total)}) "
                f"{'is' if unique == 1 else 'are'} the only one of {'its' if unique == 1 else 'their'} kind."
            ),
            figures.add(spec, caption),
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


def _pairs(subject: Subject, starts: Sequence[int]) -> list[chart.Pair]:
    before = records_per_bin(subject.sizes_before, starts).tolist()
    after = records_per_bin(subject.sizes_after, starts).tolist()
    labels = bin_labels(starts)
    rows = [(label, label + " records", b, a) for label, b, a in zip(labels, before, after, strict=True)]
    if subject.masked:
        rows.append(("masked", "no class: masked", 0, subject.masked))
    if subject.removed + subject.dropped:
        rows.append(("left out", "no class: not in the release", 0, subject.removed + subject.dropped))
    total = subject.records
    return [
        chart.Pair(
            label=label,
            full=full,
            before=b / total,
            after=a / total,
            before_text=f"{b:,} ({percent(b, total)})",
            after_text=f"{a:,} ({percent(a, total)})",
        )
        for label, full, b, a in rows
    ]
