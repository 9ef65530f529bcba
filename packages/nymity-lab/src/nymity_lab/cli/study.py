"""``nymity study``: a paper's tables and figures again, the paper's value beside ours."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, table
from nymity.cli.progress import watching
from nymity.cli.register import group, register
from nymity.cli.shared_options import AsJson, Quiet
from nymity.core.errors import NymityError
from nymity.core.progress import duration
from nymity.core.wording import count

if TYPE_CHECKING:
    from nymity_lab.study import Study
    from nymity_lab.study.runner import StudyRun

LIST_EXAMPLES = ("nymity study list", "nymity study list --json")
KEEP_EXAMPLES = ("nymity study keep studies/safepub-quick --commit COMMIT --records docs/studies/records",)
KEEP_STEPS_EXAMPLES = ("nymity study keep-steps studies/safepub-full --records docs/studies/records",)
INDEX_EXAMPLES = ("nymity study index docs/studies/index.md --records docs/studies/records",)
RUN_EXAMPLES = (
    "nymity study run local-recoding --scale smoke",
    "nymity study run local-recoding --scale quick --data data --jobs 2",
    "nymity study run metrics --scale full --data data --kept docs/studies/records",
)


def list_studies(quiet: Quiet = False, as_json: AsJson = False) -> None:
    """List the studies: what they repeat, at which scales, and the data they need."""
    from nymity_lab.study import find_study, studies

    screen = Screen(quiet=quiet, as_json=as_json)
    every = []
    for name in studies():
        try:
            every.append(find_study(name))
        except NymityError as error:  # the others can be run
            screen.warn(str(error))
    shown = table("study", "scale", "takes", "needs")
    for study in every:
        for scale, about in study.scales.items():
            add_row(shown, study.name, scale, about.takes, ", ".join(about.needs) or "nothing: generated data")
    titles = [f"{study.name}: {study.title}, after {study.source}" for study in every]
    screen.show(*titles, "", shown)
    screen.answer({study.name: _described(study) for study in every})


def run(
    name: Annotated[str, typer.Argument(help="Which study; nymity study list names them.")],
    scale: Annotated[str, typer.Option(help="How large: smoke, quick or full.")] = "quick",
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results (default: studies/NAME-SCALE).", show_default=False)
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Processes side by side (default: 2, or 1 on one core).", show_default=False)
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder with the data sets (default: NYMITY_DATA).", show_default=False)
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Put together what there is: first steps without a result are left out.")
    ] = False,
    kept: Annotated[
        Path | None,
        typer.Option(help="Folder of outcomes: steps that are kept there are not computed again.", show_default=False),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run a study, or go on with one that was stopped: finished steps are not computed again."""
    from nymity_lab.datasets.public import DATA_VARIABLE
    from nymity_lab.study import find_study
    from nymity_lab.study.runner import run_study

    screen = Screen(quiet=quiet, as_json=as_json)
    if data is not None:
        os.environ[DATA_VARIABLE] = str(data)
    study = find_study(name)
    folder = out or Path("studies") / f"{name}-{scale}"
    with watching(screen) as observe:
        done = run_study(study, scale, out=folder, jobs=jobs, partial=partial, kept=kept, observe=observe)
    _show(screen, done)
    screen.line(f"page: {folder / 'study.html'}")
    screen.answer(done.to_dict() | {"folder": str(folder)})


def keep_outcome(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a finished run.", show_default=False)],
    commit: Annotated[str, typer.Option(help="The commit that made it.", show_default=False)],
    records: Annotated[Path, typer.Option(help="Where outcomes are kept.")] = Path("docs/studies/records"),
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Keep the outcome of a run beside the pages: findings as JSON, figures and steps as Parquet."""
    from nymity_lab.study.outcome_record import keep
    from nymity_lab.study.step_archive import keep_steps

    screen = Screen(quiet=quiet, as_json=as_json)
    record = keep(run_folder, records, commit)
    _, steps = keep_steps(run_folder, records)
    told = f"{count(len(record.exhibits), 'exhibit')} and {count(steps, 'step')}"
    screen.line(f"{record.study}: {told} kept in {records}")
    answer = {"study": record.study, "scale": record.scale, "exhibits": len(record.exhibits), "steps": steps}
    screen.answer(answer)


def keep_unfinished(
    run_folder: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of a run, finished or not.", show_default=False)
    ],
    records: Annotated[Path, typer.Option(help="Where outcomes are kept.")] = Path("docs/studies/records"),
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Keep the steps of a run, so that run --kept goes on from them, here or on another machine."""
    from nymity_lab.study.step_archive import keep_steps

    screen = Screen(quiet=quiet, as_json=as_json)
    study, steps = keep_steps(run_folder, records)
    screen.line(f"{study.name}: {count(steps, 'step')} kept in {records / 'steps'}")
    screen.answer({"study": study.name, "steps": steps})


def index(
    page: Annotated[Path, typer.Argument(help="The page with the marks.")] = Path("docs/studies/index.md"),
    records: Annotated[Path, typer.Option(help="Where outcomes are kept.")] = Path("docs/studies/records"),
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Make the table of every table and figure of the documents anew, from the outcomes that are kept."""
    from nymity_lab.study.index_page import with_index
    from nymity_lab.study.store import write_text

    screen = Screen(quiet=quiet, as_json=as_json)
    before = page.read_text(encoding="utf-8")
    after = with_index(before, records)
    write_text(page, after)
    told = "unchanged" if after == before else "written"
    screen.line(f"{page}: {told}")
    screen.answer({"page": str(page), "changed": after != before})


def _described(study: Study) -> dict[str, object]:
    scales = {name: {"takes": scale.takes, "needs": list(scale.needs)} for name, scale in study.scales.items()}
    return {"title": study.title, "source": study.source, "scales": scales}


def _show(screen: Screen, done: StudyRun) -> None:
    screen.line(f"{done.study.title}, scale {done.scale}", style="bold")
    steps = (
        count(done.steps, "step") if done.steps == done.planned else f"only {done.steps:,} of {done.planned:,} steps"
    )
    work = f"{steps}, {done.computed:,} computed now, {duration(done.seconds)} of work"
    screen.show(f"After {done.study.source}. {work}.", "", _findings(done), "")


def _findings(done: StudyRun) -> Table:
    shown = table("exhibit", "the paper finds", "here", "figures")
    for exhibit in done.exhibits:
        for finding in exhibit.findings:
            add_row(shown, exhibit.number, finding.paper, finding.verdict, finding.ours)
    return shown


app = group("Repeat a paper's tables and figures, its values beside ours.")
register(app, "list", list_studies, LIST_EXAMPLES)
register(app, "run", run, RUN_EXAMPLES)
register(app, "keep", keep_outcome, KEEP_EXAMPLES)
register(app, "keep-steps", keep_unfinished, KEEP_STEPS_EXAMPLES)
register(app, "index", index, INDEX_EXAMPLES)
