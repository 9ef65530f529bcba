"""How the values of each attribute are distributed, before and after.

Before: raw values generalized to the published level. After: released cells. Categories of fewer original records than
the threshold, or persons where these are counted, are pooled, and with them, if the pool would still be that small, the
next smallest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.report import chart
from nymity.report.holders import Holders
from nymity.report.legend import legend
from nymity.report.markup import Figures, Html, Section, grid, paragraph
from nymity.report.page_wording import MISSING, axis_labels, count, listed, percent
from nymity.report.published_form import form_of
from nymity.report.scale import ScaledColumn, plain_scale
from nymity.report.subject import Subject

#: Categories shown by themselves.
SHOWN = 15


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Records of the shown categories before and after, and of the pooled rest. ``labels`` are published values."""

    labels: tuple[str | None, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    pooled: int
    pooled_before: int
    pooled_after: int


def distribution_section(subject: Subject, figures: Figures) -> Section:
    """Plot every quasi-identifier that still has values, and sensitive columns where records are missing."""
    form = form_of(subject)
    plotted = [_figure(subject, figures, name, distribution_of(subject, column)) for name, column in form.plotted()]
    gone = subject.records - subject.frame.height
    sensitive = subject.schema.sensitive
    if gone:
        plotted += [_figure(subject, figures, name, plain_distribution(subject, name)) for name in sensitive]
    notes = [paragraph(said)] if (said := form.not_plotted()) else []
    if sensitive and not gone:
        notes.append(
            paragraph(f"Every record's sensitive values are published as they were, unchanged: {listed(sensitive)}.")
        )
    return Section(
        anchor="distributions",
        title="Attributes before and after",
        short="Attributes",
        parts=(*(_plots(subject, plotted) if plotted else ()), *notes),
    )


def _plots(subject: Subject, plotted: list[Html]) -> tuple[Html, ...]:
    """Return how to read the plots, their legend, and the plots."""
    before = legend(subject, before="original, generalized to the published level")
    return _reading(subject), before, grid(plotted)


def plain_distribution(subject: Subject, name: str) -> Distribution:
    """Count the values of a column that is published as it is, the most frequent first."""
    return distribution_of(subject, plain_scale(subject, name))


def distribution_of(subject: Subject, column: ScaledColumn) -> Distribution:
    """Count a column's values before and after."""
    holders = Holders(column.before, subject.owners)
    return pooled(column.labels, column.records_before, column.records_after, holders, threshold=subject.threshold)


def pooled(
    labels: Sequence[str | None],
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    holders: Holders,
    *,
    threshold: int,
    shown: int = SHOWN,
) -> Distribution:
    """Keep the most frequent categories in their given order and pool the rest.

    ``holders`` are those of the original's records. Some may have a value that is no category at all (dropped before
    the hierarchy was built); they join the pool.
    """
    by_size, people = np.argsort(-before, kind="stable"), holders.each(len(before))
    # A category of fewer people than the promise protects is not shown, even to the custodian: pages get around.
    keep = [int(i) for i in by_size[:shown] if people[i] >= max(threshold, 1)]
    total = len(holders.codes)
    # A pool of too few would tell what is in it by subtraction: the next smallest category joins it.
    while keep and total > before[keep].sum() and holders.outside(np.isin(np.arange(len(before)), keep)) < threshold:
        keep.pop()
    keep.sort()
    occurring = int((before > 0).sum())
    return Distribution(
        labels=tuple(labels[i] for i in keep),
        before=tuple(before[keep].tolist()),
        after=tuple(after[keep].tolist()),
        pooled=occurring - len(keep),
        pooled_before=total - int(before[keep].sum()),
        pooled_after=int(after.sum() - after[keep].sum()),
    )


def _figure(subject: Subject, figures: Figures, name: str, found: Distribution) -> Html:
    return figures.add(chart.paired_bars(_pairs(subject, name, found)), _caption(subject, found), heading=name)


def _pairs(subject: Subject, name: str, found: Distribution) -> list[chart.Pair]:
    rest = f"other ({count(found.pooled, 'value')})" if found.pooled else "other"
    masked = subject.masked if name in subject.quasi else 0
    rows: list[tuple[str | None, int, int, str]] = [
        (label, before, after, "published")
        for label, before, after in zip(found.labels, found.before, found.after, strict=True)
    ]
    if found.pooled_before or found.pooled_after:
        rows.append((rest, found.pooled_before, found.pooled_after, "published"))
    if masked:
        rows.append(("* (masked)", 0, masked, "masked"))
    if subject.removed + subject.dropped:
        rows.append(("not in the release", 0, subject.removed + subject.dropped, "left out"))
    total = subject.records
    return [
        chart.Pair(
            label=label,
            full=MISSING if value is None else value[:200],
            before=before / total,
            after=after / total,
            before_text=f"{before:,} ({percent(before, total)})",
            after_text=f"{after:,} ({percent(after, total)})",
            kind=kind,
        )
        for label, (value, before, after, kind) in zip(axis_labels([row[0] for row in rows]), rows, strict=True)
    ]


def _caption(subject: Subject, found: Distribution) -> str:
    if not found.labels:
        return f"All {count(found.pooled, 'value')} are too rare to be shown by themselves."
    total = subject.records
    shifts = [abs(a - b) / total for a, b in zip(found.after, found.before, strict=True)]
    largest = max(range(len(shifts)), key=shifts.__getitem__)
    if shifts[largest] == 0:
        return "Unchanged: every published value keeps its share."
    label = MISSING if found.labels[largest] is None else found.labels[largest]
    return (
        f"The largest change is at {label}: {percent(found.before[largest], total)} before, "
        f"{percent(found.after[largest], total)} after."
    )


def _reading(subject: Subject) -> Html:
    few = f", and every value of fewer than {count(subject.threshold, f'original {subject.schema.counts[:-1]}')},"
    return paragraph(
        "A dark bar as long as the light one behind it means that the value is as frequent in the release as in "
        f"the original. At most {SHOWN} values are shown; the rest{few if subject.threshold > 1 else ''} is pooled as "
        "“other”."
    )
