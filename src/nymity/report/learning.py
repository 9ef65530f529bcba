"""What classifiers still learn from the release."""

from __future__ import annotations

import numpy as np

from nymity.report import chart
from nymity.report.markup import Figures, Html, Section, bullets, grid, paragraph
from nymity.report.page_wording import axis_labels, count, listed, percent
from nymity.utility.classifiers import CLASSIFIERS
from nymity.utility.learning_result import ClassifierResult, LearningResult
from nymity.utility.scoring import RATES

#: False-positive rates at which curves are drawn, closer where they bend.
_DRAWN = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def learning_section(found: LearningResult, figures: Figures) -> Section:
    """Plot accuracy beside the original's, ROC curves, and what the best model sees in each column."""
    how = (
        f"records were divided into {found.folds} parts, and each was tested by what was learned from the rows of the "
        "others"
        if found.folds is not None
        else "they were tested on records that were set aside"
    )
    parts = [
        paragraph(
            f"Classifiers learned to predict {found.target} ({count(len(found.classes), 'class', 'classes')}) from "
            f"{listed(found.columns)}: once from the original, once from the release. Both were tested on the same "
            f"{count(found.test_records, 'original record')}; {how}. Always answering the most frequent class is right "
            f"for {percent(found.zero_r)}."
        ),
        grid([_accuracies(found, figures), *_curves(found, figures), _columns(found, figures)]),
        bullets(f"{note[:1].upper()}{note[1:]}." for note in _notes(found)),
    ]
    return Section(anchor="learning", title="What can be learned from it", short="Learning", parts=tuple(parts))


def _accuracies(found: LearningResult, figures: Figures) -> Html:
    pairs = [
        chart.Pair(
            label=_title(result),
            full=_title(result),
            before=result.original.accuracy,
            after=result.release.accuracy,
            before_text=percent(result.original.accuracy),
            after_text=f"{percent(result.release.accuracy)} ({_relative(result)})",
        )
        for result in found.results
    ]
    share = percent(found.zero_r)
    simple = chart.Pair(
        label="most frequent class",
        full="ZeroR",
        before=found.zero_r,
        after=found.zero_r,
        before_text=share,
        after_text=share,
    )
    worst = max(found.results, key=lambda result: result.difference)
    low, high = worst.interval
    caption = (
        f"Light: learned from the original, dark: from the release. The most was lost by {_title(worst)}: "
        f"{100 * worst.difference:.1f} percentage points (95% interval {100 * low:.1f} to {100 * high:.1f}; "
        f"{_relative(worst)})."
    )
    spec = chart.paired_bars([*pairs, simple], before="original", after="release", measure="accuracy")
    return figures.add(spec, caption, heading="Accuracy")


def _curves(found: LearningResult, figures: Figures) -> list[Html]:
    marks, areas = [], []
    for result in found.results:
        for name, performance in (("original", result.original), ("release", result.release)):
            if performance.auroc is None:
                continue
            heights = np.interp(_DRAWN, RATES, performance.roc)
            series = f"{_title(result)}, {name}"
            marks += [chart.Mark(series=series, at=x, value=y) for x, y in zip(_DRAWN, heights.tolist(), strict=True)]
            areas.append(f"{series} {performance.auroc:.3f}")
    if not marks:
        return []
    names = list(dict.fromkeys(mark.series for mark in marks))
    colours = {name: chart.SERIES[i % len(chart.SERIES)] for i, name in enumerate(names)}
    spec = chart.series_lines(
        marks, across="false positive rate", measure="true positive rate", colours=colours, log=False
    )
    of_classes = "" if len(found.classes) == 2 else ", each class against the rest, averaged"
    return [figures.add(spec, f"Area below the curve{of_classes}: {'; '.join(areas)}.", heading="ROC curves")]


def _columns(found: LearningResult, figures: Figures) -> Html:
    best = max(found.results, key=lambda result: result.original.accuracy)
    ordered = sorted(best.importance, key=lambda item: -item.original)
    pairs = [
        chart.Pair(
            label=label,
            full=item.column,
            before=max(item.original, 0.0),
            after=max(item.release, 0.0),
            before_text=f"{100 * item.original:.1f} points",
            after_text=f"{100 * item.release:.1f} points",
        )
        for label, item in zip(axis_labels([item.column for item in ordered]), ordered, strict=True)
    ]
    caption = (
        f"Accuracy lost by {_title(best)} when a column is shuffled among the test records: what it sees there. "
        "Light: learned from the original, dark: from the release. Columns that say the same stand in for each other."
    )
    spec = chart.paired_bars(pairs, before="original", after="release", measure="accuracy lost without the column")
    return figures.add(spec, caption, heading="What the model still sees")


def _notes(found: LearningResult) -> list[str]:
    """What a reader should know; rare classes are not named here."""
    rare = any(result.original.auroc is None for result in found.results)
    reasons = ["a fold has no test record of some class, so that ROC curves are undefined"] if rare else []
    spread = "intervals are about other test records of the same kind, not about other training records or seeds"
    return [*found.notes, *reasons, spread]


def _relative(result: ClassifierResult) -> str:
    if result.relative_accuracy is None:
        return "the original is no better than the most frequent class"
    return f"{result.relative_accuracy:.1%} of the way from the most frequent class to the original"


def _title(result: ClassifierResult) -> str:
    return CLASSIFIERS[result.classifier].title
