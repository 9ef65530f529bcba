"""Learning tasks on the command line: for ``nymity compare --target``, and for the report of ``nymity publish``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, table
from nymity.cli.progress import watching
from nymity.core.errors import MissingExtraError
from nymity.core.progress import Observer
from nymity.core.wording import count, percent

if TYPE_CHECKING:
    import polars as pl

    from nymity.publishing.releases.opened import OpenedRelease
    from nymity.publishing.releases.release import Release
    from nymity.utility import Learnability, LearningResult

Target = Annotated[
    str | None, typer.Option("--target", help="Column that classifiers learn to predict.", show_default=False)
]
Classifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--classifier",
        help="logistic-regression, decision-tree, random-forest (these by default), nearest-neighbours, "
        "gradient-boosting; repeatable.",
        show_default=False,
    ),
]
Folds = Annotated[int, typer.Option("--folds", help="Parts that the records are divided into to be tested.")]
Links = Annotated[
    Path | None,
    typer.Option(
        "--links",
        help="mapping.parquet of the custodian's log; looked for beside --recoding and the release unless given.",
        show_default=False,
    ),
]
Holdout = Annotated[
    Path | None,
    typer.Option("--test", help="Original records that were not released, to be tested instead.", show_default=False),
]


def compare_learning(
    screen: Screen,
    target: str | None,
    original: pl.DataFrame,
    opened: OpenedRelease,
    *,
    test: Path | None,
    classifiers: list[str] | None,
    folds: int,
) -> dict[str, Any]:
    """Show what classifiers of the target learn from a release, if there is a target; return that for the answer."""
    if target is None:
        return {}
    from nymity.io import ReadOptions, read_table
    from nymity.utility import learn, learnability

    job, log = opened.job, opened.log
    reading = job.source.options if job is not None and job.source is not None else ReadOptions()
    if opened.links is None and log is not None and log.ended is not None:
        screen.warn(f"custody of this release was ended on {log.ended}: its rows have no links any more")
    with watching(screen) as observe:
        found = learn(
            original,
            opened,
            target=target,
            test=None if test is None else read_table(test, reading),
            classifiers=classifiers,
            folds=folds,
            observe=observe,
        )
    screen.show("", *_shown(found))
    answer = {"learning": found.to_dict()}
    if opened.links is not None:
        quick = learnability(original, opened, target=target)
        answer["learnability"] = asdict(quick)
        screen.show(_quickly(quick))
    return answer


def learned(
    screen: Screen, release: Release | OpenedRelease, original: pl.DataFrame, target: str | None, observe: Observer
) -> LearningResult | None:
    """Learn the target of a job for its report, or say why not."""
    from nymity.utility import learn

    if target is None:
        return None
    # What classifiers learn from the records themselves would be told beside the release, outside of its budget.
    if release.released.is_private:
        screen.warn("the learning task was left out: it would compare a private release with its records")
        return None
    try:
        return learn(original, release, target=target, observe=observe)
    except MissingExtraError as error:
        screen.warn(f"the learning task was left out: {error}")
        return None


def _quickly(learnability: Learnability) -> str:
    return (
        f"Learnability (AUROC of naive Bayes): {learnability.original:.3f} → {learnability.release:.3f}; "
        "0.5 is guessing. Of all metrics it picked the more useful of two releases most often in our study."
    )


def _shown(found: LearningResult) -> list[Table | str]:
    tested = f"{count(found.folds, 'fold')} of" if found.folds is not None else "holdout of"
    head = (
        f"Learning {found.target} ({count(len(found.classes), 'class', 'classes')}) from "
        f"{count(len(found.columns), 'column')}, tested on {tested} "
        f"{count(found.test_records, 'original record')}. "
        f"The most frequent class alone: {percent(found.zero_r)}."
    )
    shown = table(
        "classifier", "original", "release", "relative", "lost", "AUROC", right=("original", "release", "relative")
    )
    for result in found.results:
        low, high = result.interval
        areas = [area.auroc for area in (result.original, result.release)]
        add_row(
            shown,
            result.classifier,
            percent(result.original.accuracy),
            percent(result.release.accuracy),
            None if result.relative_accuracy is None else f"{result.relative_accuracy:.1%}",
            f"{100 * result.difference:.1f} ± {100 * (high - low) / 2:.1f}",
            None if None in areas else " → ".join(f"{area:.3f}" for area in areas),
        )
    legend = "Relative: 0% is the most frequent class, 100% the original. Lost: percentage points of accuracy, ± 95%."
    reason = next((r.original.undefined for r in found.results if r.original.undefined is not None), None)
    notes = [*found.notes, *([] if reason is None else [reason])]
    return [head, "", shown, "", legend, *(f"Note: {note}." for note in notes)]
