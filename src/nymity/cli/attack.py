"""``nymity risk --attack``: what attacks on a release reach, beside what was promised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, bar, percent, table
from nymity.cli.private import about_private
from nymity.cli.progress import watching
from nymity.cli.source import load_job, read_as_released
from nymity.core.errors import InputError
from nymity.core.exit_code import ExitCode

if TYPE_CHECKING:
    import polars as pl

    from nymity.publish.job import Job
    from nymity.risk import AttackReport, AttackResult


def attack_release(
    screen: Screen, release: Path, job: Path | None, tables: dict[str, Path | None], **settings: Any
) -> None:
    """Attack a released file by its job; ``tables`` are the original, an earlier release and other people."""
    from nymity.risk import attack

    if job is None:
        raise InputError("risk --attack", expected="the job it was released by", got="none", hint="--job job.toml")
    described = load_job(job)
    others: dict[str, Any] = {
        name: (read_as_released if name == "earlier" else _read)(path, described)
        for name, path in tables.items()
        if path is not None
    }
    with watching(screen) as observe:
        found = attack(
            _released(release, described),
            described.schema,
            privacy=described.privacy,
            method=described.method,
            observe=observe,
            **others,
            **settings,
        )
    private = about_private(screen, described if others else None)
    screen.line(f"Attacks on {release}", style="bold")
    screen.show("", _drawn(found), "", _results(found), "")
    screen.show("Bars show the largest chance with anybody, or else the rate; │ is what was promised.")
    for one in found.not_run:
        screen.line(f"Not run: {one.key}: {one.reason}.")
    for result in found.exceeded:
        screen.warn(f"{_named(result)} exceeds what was promised. {result.sentence}")
    screen.answer({**private, **found.to_dict()})
    if found.exceeded:
        raise typer.Exit(ExitCode.BROKEN)


def _read(path: Path, job: Job) -> pl.DataFrame:
    """Read people as the job reads its source."""
    from nymity.io import ReadOptions, read_table

    if job.source is not None and path.suffix == Path(job.source.path).suffix:
        return read_table(path, job.source.options)
    return read_table(path, ReadOptions())


def _released(path: Path, job: Job) -> Any:
    """Read a release; the sensitive table of buckets is looked for beside the first."""
    from nymity.bucket.methods import BucketMethod
    from nymity.utility import BucketTables

    frame = read_as_released(path, job)
    if not isinstance(job.method, BucketMethod):
        return frame
    return BucketTables(quasi=frame, counts=read_as_released(path.with_name(job.output.sensitive_file_name), job))


def _drawn(found: AttackReport) -> str:
    people = "without the original" if found.people is None else f"beside {found.people:,} people of the original"
    return f"{found.rows:,} rows, {people}; {found.targets:,} of them drawn with seed {found.seed}."


def _results(found: AttackReport) -> Table:
    numbers = ("rate", "without", "highest", "promised")
    shown = table("attack", "of", *numbers, "", right=numbers)
    for result in found.results:
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
