"""``nymity attack``: what attacks on a release reach, beside what was promised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, bar, table
from nymity.cli.given import read_original_given
from nymity.cli.inputs import open_released
from nymity.cli.private import about_private
from nymity.cli.progress import watching
from nymity.cli.shared_options import AsJson, JobOption, PopulationOption, Quiet, RecodingOption, ReleaseArgument
from nymity.cli.warnings_shown import uncounted
from nymity.core.exit_code import ExitCode
from nymity.core.wording import people as people_of
from nymity.core.wording import percent

if TYPE_CHECKING:
    import polars as pl

    from nymity.publishing.releases.opened import OpenedRelease
    from nymity.risk import AttackReport, AttackResult


EXAMPLES = (
    "nymity attack release",
    "nymity attack release --original patients.csv",
    "nymity attack received.csv --job job.toml --original patients.csv --control others.csv",
)


def command(
    release: ReleaseArgument,
    job: JobOption = None,
    original: Annotated[
        Path | None, typer.Option(help="Table it was made from, or the job that names it.", show_default=False)
    ] = None,
    earlier: Annotated[
        Path | None, typer.Option(help="Another release of the same people.", show_default=False)
    ] = None,
    population: PopulationOption = None,
    control: Annotated[
        Path | None, typer.Option(help="People of the same kind outside of it.", show_default=False)
    ] = None,
    recoding: RecodingOption = None,
    targets: Annotated[int, typer.Option(help="People drawn for each attack.")] = 1000,
    seed: Annotated[int, typer.Option(help="Draws the same people again.")] = 1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Attack a release, and say how far each attack gets beside what was promised.

    What cannot be tried with what was given is named with the reason. The exit code is 1 where an attack exceeds what
    was promised.
    """
    from nymity.risk import attack

    screen = Screen(quiet=quiet, as_json=as_json)
    opened = open_released(release, job, recoding=recoding)
    people = {"population": population, "control": control}
    others: dict[str, Any] = {name: _read(path, opened) for name, path in people.items() if path is not None}
    if original is not None:
        others["original"] = read_original_given("attack", original, opened)
    if earlier is not None:
        others["earlier"] = open_released(earlier, job)
    with watching(screen) as observe:
        found = attack(opened, targets=targets, seed=seed, observe=observe, **others)
    # Without an original the figures follow from the release alone, and may be told as it may.
    private = about_private(screen, opened) if others else {}
    screen.line(f"Attacks on {release}", style="bold")
    screen.show("", _drawn(found), "", _results(found), "")
    whom = "any record" if found.by_records else "anybody"
    screen.show(f"Bars show the largest chance with {whom}, or else the rate; │ is what was promised.")
    if found.by_records:
        screen.warn(
            f"records are counted here, not persons, by {', '.join(found.by_records)}: one person may have several, "
            "and most rows of a class, and is then found more often than these figures say. The original and the "
            "custodian's folder tell whose rows are; linkage and attacks on values then count persons."
        )
    uncounted(screen, found.perturbed)
    for one in found.not_run:
        screen.line(f"Not run: {one.key}: {one.reason}.")
    for result in found.exceeded:
        screen.warn(f"{_named(result)} exceeds what was promised. {result.sentence}")
    screen.answer({**private, **found.to_dict()})
    if found.exceeded:
        raise typer.Exit(ExitCode.BROKEN)


def _read(path: Path, opened: OpenedRelease) -> pl.DataFrame:
    """Read people as the job reads its source."""
    from nymity.io import ReadOptions, read_table
    from nymity.publishing.jobs.job_tables import refuse_children

    refuse_children(str(path), opened.children)
    source = None if opened.job is None else opened.job.source
    alike = source is not None and path.suffix == Path(source.path).suffix
    return read_table(path, source.options if source is not None and alike else ReadOptions())


def _drawn(report: AttackReport) -> str:
    whom = "records" if report.of_persons else "people"
    if report.persons is not None:
        whom = f"records of {people_of(report.persons)}"
    people = "without the original" if report.people is None else f"beside {report.people:,} {whom} of the original"
    return f"{report.rows:,} rows, {people}; {report.targets:,} draws with seed {report.seed}."


def _results(report: AttackReport) -> Table:
    numbers = ("rate", "without", "highest", "promised")
    shown = table("attack", "of", *numbers, "", right=numbers)
    for result in report.results:
        add_row(
            shown,
            result.key,
            result.attribute,
            percent(result.rate),
            None if result.baseline is None else percent(result.baseline),
            None if result.highest is None else percent(float(result.highest)),
            None if result.promised is None else percent(result.promised),
            _against(result),
            style="bold" if result.exceeds else None,
        )
    return shown


def _named(result: AttackResult) -> str:
    return result.key if result.attribute is None else f"{result.key} of {result.attribute}"


def _against(result: AttackResult) -> str:
    """Draw the chance with the limit as a stroke."""
    drawn = bar(result.rate if result.highest is None else float(result.highest))[::2]
    if result.promised is None:
        return drawn
    place = round(len(drawn) * min(max(result.promised, 0.0), 1.0))
    return f"{drawn[:place]}│{drawn[place:]}"
