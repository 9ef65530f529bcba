"""``nymity preset``: fill a job by a rule book, or say what one asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nymity.cli.console import Screen, add_row, table
from nymity.cli.given import Given
from nymity.cli.inputs import load_job, may_write, write_text
from nymity.cli.shared_options import AsJson, Force, Quiet, Reading, reads_a_table
from nymity.core.errors import ParameterError

if TYPE_CHECKING:
    from nymity.publishing.jobs.job import Job

EXAMPLES = (
    "nymity preset",
    "nymity preset hipaa-safe-harbor",
    "nymity preset hipaa-safe-harbor job.toml --job safe-harbor.toml",
    "nymity preset ema-0070 patients.csv --job ema.toml",
)


@reads_a_table
def command(
    name: Annotated[
        str | None, typer.Argument(help="Which preset; without one they are listed.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None,
        typer.Argument(help="A job (.toml, .json) to fill, or a table, whose roles are suggested.", show_default=False),
    ] = None,
    job: Annotated[Path | None, typer.Option("--job", help="Write the filled job here.", show_default=False)] = None,
    force: Force = False,
    *,
    reading: Reading,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Fill a job by a rule book: HIPAA Safe Harbor, thresholds of EMA and Health Canada, and others.

    Says what it set, where that comes from, and what it cannot check. None of it is legal advice: read the job before
    you publish by it.
    """
    from nymity.core import validation
    from nymity.publishing.jobs.job_preset import JOB_PRESETS
    from nymity.publishing.jobs.toml import toml_job

    screen = Screen(quiet=quiet, as_json=as_json)
    if name is None:
        return _list(screen)
    validation.one_of("preset", name, JOB_PRESETS)
    chosen = JOB_PRESETS[name]
    if (data is None) != (job is None):
        raise ParameterError(
            "preset",
            expected="a job or a table to fill, and --job for the filled one",
            got="no table or job" if data is None else "no --job",
        )
    changes: tuple[str, ...] = ()
    if data is not None and job is not None:
        may_write(job, force=force)
        filled = chosen.fill(_described(data, reading))
        changes = filled.changes
        text = toml_job(filled.job.seen_from(job.parent).to_dict(), filled.comment)
        write_text(job, text)
    _show(screen, chosen.key)
    if job is not None:
        screen.show("", "What it changed:" if changes else "It changed nothing.", *(f"  {one}" for one in changes), "")
        screen.line(f"Wrote {job}: read it, correct the roles, then run")
        screen.line(f"  nymity publish {job} --out release")
    screen.answer(
        {
            "preset": chosen.key,
            "title": chosen.title,
            "source": chosen.source,
            "sets": list(chosen.sets),
            "cannot_check": list(chosen.cannot_check),
            "advice": chosen.advice,
            "changes": list(changes),
            "job": job and str(job),
        }
    )
    return None


def _described(data: Path, reading: Reading) -> Job:
    """Take a job, or make one of what a table suggests, read as ``inspect`` reads it."""
    from nymity.io import ReadOptions, read_detected
    from nymity.privacy import KAnonymity
    from nymity.publishing.jobs.job import Job, Source
    from nymity.publishing.preparing.inspect import inspect

    given = Given.of(data)
    if given.kind == "job":
        return load_job(data)
    if given.kind == "release":
        raise ParameterError("preset", expected="a job, or the table that is to be published", got="a release")
    cells, detected, known = read_detected(data, ReadOptions(**reading))
    schema = inspect(cells, dictionary=known, reading=detected).schema()
    return Job(schema=schema, privacy=(KAnonymity(k=5),), source=Source(path=str(data), **detected.stated))


def _list(screen: Screen) -> None:
    from nymity.publishing.jobs.job_preset import JOB_PRESETS

    shown = table("preset", "what it is")
    for one in JOB_PRESETS.values():
        add_row(shown, one.key, one.title)
    screen.show(shown, "", one.advice)
    screen.answer({"presets": {one.key: one.title for one in JOB_PRESETS.values()}, "advice": one.advice})


def _show(screen: Screen, key: str) -> None:
    from nymity.publishing.jobs.job_preset import JOB_PRESETS

    preset = JOB_PRESETS[key]
    screen.line(f"{preset.key}: {preset.title}", style="bold")
    screen.show(f"Source: {preset.source}.", "", "What it sets:", *(f"  {one}" for one in preset.sets), "")
    screen.show("What it cannot check:", *(f"  {one}" for one in preset.cannot_check), "", preset.advice)
