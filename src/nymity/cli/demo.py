"""``nymity demo``: the whole way on generated hospital stays."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.destination import Destination
from nymity.cli.inputs import load_job, write_text
from nymity.cli.publish import publish_job
from nymity.cli.shared_options import AsJson, Quiet
from nymity.core.errors import FileError
from nymity.core.wording import count

EXAMPLES = ("nymity demo", "nymity demo --out /tmp/demo/release --rows 5000")

DATA_NAME, JOB_NAME = "hospital.csv", "job.toml"


def command(
    out: Annotated[
        Path, typer.Option(help="Folder for the release; table and job file go into the folder above.")
    ] = Path("demo/release"),
    rows: Annotated[int, typer.Option(help="Hospital stays to generate.", min=1)] = 20_000,
    with_report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html for you too.")] = True,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a table, job or release that is not the demo's.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """See the whole way on generated hospital stays.

    Writes hospital.csv and a job file worth reading, and publishes them: 5-anonymous, 3-diverse in the diagnosis.
    """
    from nymity.datasets import hospital
    from nymity.io import WriteOptions, write_table
    from nymity.publishing.custodian.custody import make_way
    from nymity.publishing.jobs.job import Job
    from nymity.publishing.sealing.signing import CERTIFICATE_NAME

    screen = Screen(quiet=quiet, as_json=as_json)
    destination = Destination.of(out, None)
    data, job = out.parent / DATA_NAME, out.parent / JOB_NAME
    text = job_text()
    _spare_others(data, job, text, force=force)
    # Only a release of the demo's own is replaced without --force.
    own = _is_own(out / CERTIFICATE_NAME, text)
    make_way(Job.from_dict(tomllib.loads(text)), out, destination.custodian, force=force or own)
    write_table(hospital(rows), data, WriteOptions(neutralize_formulas=False))
    write_text(job, text)
    screen.line(f"{data}   {count(rows, 'generated hospital stay')}; nobody in it is real")
    screen.line(f"{job}   what to publish and how: worth reading")
    screen.line()
    screen.line(f"$ nymity publish {job} --out {out}", style="bold")
    publish_job(screen, load_job(job), destination, with_report=with_report, force=force or own)


def job_text() -> str:
    """Return the demo's job file."""
    return files("nymity.cli").joinpath("demo.toml").read_text(encoding="utf-8")


def _spare_others(data: Path, job: Path, text: str, *, force: bool) -> None:
    """Refuse to overwrite a table or a job that the demo did not write."""
    ours = job.is_file() and job.read_text(encoding="utf-8", errors="replace") == text
    there = [path for path in (job, data) if path.exists()]
    if there and not ours and not force:
        raise FileError(
            str(there[0]),
            expected="no such file, or the demo's own",
            got="another one",
            hint="nymity publish for a job you changed, another --out for a new demo, or --force",
        )


def _is_own(certificate: Path, text: str) -> bool:
    """Return whether a release was made by the demo's job: only such a one is replaced without being asked to."""
    from nymity.core.plain_data import read_json
    from nymity.publishing.jobs.job import Job

    wanted = Job.from_dict(tomllib.loads(text)).to_dict()
    try:
        stated = read_json(certificate, expected="a certificate")["job"]
        return list(stated["schema"]) == list(wanted["schema"]) and all(
            stated[part] == wanted[part] for part in ("privacy", "method")
        )
    except (FileError, KeyError, TypeError):
        return False
