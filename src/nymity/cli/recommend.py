"""``nymity recommend``: settings on the front of risk against usefulness, tried on the table itself, as job files."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, table
from nymity.cli.given import Data, Given, job_of_given, refuse_both
from nymity.cli.inputs import may_write, names
from nymity.cli.learning import Classifiers
from nymity.cli.progress import watching
from nymity.cli.shared_options import AsJson, Force, JobOption, Quiet, Reading, reads_a_table
from nymity.core.errors import ParameterError
from nymity.core.wording import count, percent

if TYPE_CHECKING:
    from nymity.publishing.jobs.job import Job, Source
    from nymity.recommending.recommendation import Choice, Recommendation

EXAMPLES = (
    "nymity recommend job.toml",
    "nymity recommend patients.csv --target readmitted",
    "nymity recommend patients.csv --target readmitted --quasi age,sex,postcode --seconds 300",
    "nymity recommend patients.csv --target readmitted --job job.toml --k 5,10,20 --out choices",
)

_ENDINGS = {
    "complete": "nothing is left to try near the front",
    "time": "the time is over",
    "trials": "as many as asked for",
    "interrupted": "interrupted; what was found is kept",
}


@reads_a_table
def command(
    data: Data,
    target: Annotated[
        str | None,
        typer.Option(
            help="Column that classifiers learn to predict (default: the job's; without one, count queries).",
            show_default=False,
        ),
    ] = None,
    job: JobOption = None,
    quasi: Annotated[
        str | None,
        typer.Option(help="Quasi-identifiers, such as age,sex,postcode (default: suggested).", show_default=False),
    ] = None,
    k: Annotated[
        str | None, typer.Option("--k", help="Values of k to try, such as 5,10,20.", show_default=False)
    ] = None,
    risk: Annotated[str, typer.Option(help="Risk to weigh: highest (of any record) or average.")] = "highest",
    seconds: Annotated[float, typer.Option(help="Time to spend.")] = 60,
    trials: Annotated[int | None, typer.Option(help="Settings to try at most.", show_default=False)] = None,
    classifier: Classifiers = None,
    sample: Annotated[int, typer.Option(help="Records that take part in learning at most.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Decides which records are kept apart.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for job files, page and figures.")] = Path("recommendation"),
    with_page: Annotated[bool, typer.Option("--page/--no-page", help="Write recommendation.html too.")] = True,
    force: Force = False,
    *,
    reading: Reading,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Try settings on a table, and show what risk and usefulness can be reached.

    Publishes the table in memory again and again, by several methods, values of k and hierarchies, measures the risk,
    and how well classifiers trained on the release predict the target for original records (without a target: how well
    count queries are answered). The settings that no other beats in both are written as job files, and the one to begin
    with is marked. Ctrl-C ends it earlier and keeps what was found.
    """
    from nymity.recommending.recommend import CLASSIFIERS, recommend
    from nymity.recommending.recommendation import DATA_NAME

    screen = Screen(quiet=quiet, as_json=as_json)
    may_write(out / DATA_NAME, force=force)
    with watching(screen) as observe:
        found = recommend(
            _described(data, job, quasi, reading),
            target=target,
            quasi=None if quasi is None else names(quasi),
            k=_numbers(k),
            risk=risk,  # type: ignore[arg-type] # checked there
            seconds=seconds,
            trials=trials,
            classifiers=classifier or CLASSIFIERS,
            sample=sample,
            seed=seed,
            observe=observe,
        )
    written = found.write(out, page=_page(found) if with_page else None)
    _show(screen, found, out, written)
    screen.answer({**found.to_dict(), "folder": str(out), "files": written})


def _described(data: Path, job: Path | None, quasi: str | None, reading: Reading) -> Job | Source:
    """Take roles and models from a job, with this table as its source; without one, the table says everything."""
    from nymity.publishing.jobs.job import Source

    refuse_both("recommend", job, quasi)
    if Given.of(data).kind == "table" and job is None:  # nothing is published: roles may be suggested
        return Source(path=str(data), **reading)
    return job_of_given("recommend", data, job, quasi, reading)


def _numbers(listed: str | None) -> list[int] | None:
    if listed is None:
        return None
    try:
        return [int(number) for number in names(listed)]
    except ValueError:
        raise ParameterError("--k", expected="whole numbers with commas between", got=repr(listed)) from None


def _page(recommendation: Recommendation) -> str:
    from nymity.recommending.recommendation_page import render_page

    return render_page(recommendation)


def _show(screen: Screen, recommendation: Recommendation, out: Path, written: list[str]) -> None:
    original, zero = recommendation.best_original.confirming, recommendation.zero_r.confirming
    measure, knee = recommendation.measure, recommendation.knee
    screen.line(
        f"{count(len(recommendation.trials), 'release')} tried in {recommendation.seconds:,.0f} s: "
        f"{_ENDINGS[recommendation.ending]}",
        style="bold",
    )
    screen.show(
        f"{_task(recommendation)} on {original.records:,} {measure.again}: {measure.said(original.rate)} "
        f"{measure.original}, {measure.said(zero.rate)} with {measure.nothing}.",
        "",
        _table(recommendation),
        "",
        f"risk: highest for any record, and average. {measure.title}: as chosen by; again: on {measure.again}, with "
        f"95% interval. kept: of the way from {measure.nothing} to the original.",
        f"{measure.explained}.",
        _kneed(recommendation),
    )
    for note in recommendation.notes:
        screen.show(f"Note: {note}.")
    screen.line()
    screen.line(f"Wrote {out}: {', '.join(written)}")
    screen.line(f"Next: nymity publish {out / knee.file_name} --out release")


def _table(recommendation: Recommendation) -> Table:
    distance = ("distance",) if recommendation.target is None else ()
    numbers = ("#", "risk", "average", recommendation.measure.title, "again", "kept", *distance)
    shown = table(*numbers, "settings", right=numbers)
    for choice in recommendation.choices:
        add_row(shown, *_row(choice, recommendation))
    return shown


def _row(choice: Choice, recommendation: Recommendation) -> list[object]:
    trial, score, said = choice.trial, choice.trial.score, recommendation.measure.said
    low, high = score.confirming.interval
    distances = trial.distances.values()
    return [
        f"{choice.number}{' *' if choice == recommendation.knee else ''}",
        percent(float(trial.risk.highest)),
        percent(float(trial.risk.average)),
        said(score.choosing.rate),
        f"{said(score.confirming.rate)} ({100 * low:.0f}–{100 * high:.0f})",
        None if choice.kept is None else f"{choice.kept:.0%}",
        *([percent(fmean(distances)) if distances else None] if recommendation.target is None else ()),
        trial.words + (f"; {percent(trial.suppressed / trial.records)} suppressed" if trial.suppressed else ""),
    ]


def _task(recommendation: Recommendation) -> str:
    title = recommendation.measure.title[:1].upper() + recommendation.measure.title[1:]
    if recommendation.target is None:
        return f"{title}, of count queries,"
    return f"{title} for {recommendation.target} ({count(recommendation.classes, 'class', 'classes')})"


def _kneed(recommendation: Recommendation) -> str:
    """Say where to begin, and how sure it is that more than nothing was kept there."""
    knee, zero = recommendation.knee, recommendation.zero_r.confirming.rate
    words = f"* Begin with choice {knee.number}: beyond it risk rises faster than usefulness."
    if recommendation.target is None:
        return f"{words} distance: mean total variation distance of the quasi-identifiers' distributions."
    if knee.trial.score.confirming.interval[0] <= zero:
        words += f" What it keeps cannot be told from {recommendation.measure.nothing}: no choice may be worth much."
    return words
