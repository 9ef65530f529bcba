"""``nymity import``: a project of ARX as table, hierarchies and job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.shared_options import AsJson, Quiet
from nymity.core.wording import count

EXAMPLES = ("nymity import project.deid --out imported",)


def command(
    project: Annotated[Path, typer.Argument(help="Project file of ARX (.deid).", show_default=False)],
    out: Annotated[
        Path,
        typer.Option("--out", help="New folder for the job, the table and the hierarchies.", show_default=False),
    ],
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Take over a project of ARX: its table, hierarchies, roles, models and limits, as a job.

    Reads the table, the hierarchies and the XML of the project, never its Java objects, and lists what was left out.
    The folder holds the original table: it is for you alone.
    """
    from nymity.publishing import read_arx

    screen = Screen(quiet=quiet, as_json=as_json)
    taken = read_arx(project)
    job = taken.save(out)
    columns, hierarchies = len(taken.settings["schema"]), len(taken.files) - 1
    models = count(len(taken.settings["privacy"]), "model")
    screen.line(
        f"{project}: {count(columns, 'column')}, {count(hierarchies, 'hierarchy', 'hierarchies')}, {models}",
        style="bold",
    )
    for note in taken.notes:
        screen.line(f"note: {note}")
    if taken.left_out:
        screen.line()
        screen.line("Left out:", style="bold yellow")
        for one in taken.left_out:
            screen.line(f"- {one}")
    screen.line()
    screen.line(f"Wrote {job}: read it, then run")
    screen.line(f"  nymity publish {job} --out release")
    screen.answer(
        {"job": str(job), "files": list(taken.files), "notes": list(taken.notes), "left_out": list(taken.left_out)}
    )
