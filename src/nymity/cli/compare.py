"""``nymity compare``: what a release lost against the original, by every loss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, bar, counted, percent, table
from nymity.cli.options import AsJson, Quiet
from nymity.cli.source import load_job, read_as_released

if TYPE_CHECKING:
    from nymity.publish.compare import Comparison

EXAMPLES = (
    "nymity compare patients.csv release/release.csv --job job.toml",
    "nymity compare patients.csv release/release.csv --job job.toml --recoding release-custodian/recoding.json",
)


def command(
    original: Annotated[Path, typer.Argument(help="The table as it was.", show_default=False)],
    release: Annotated[Path, typer.Argument(help="The table as it was released.", show_default=False)],
    job: Annotated[Path, typer.Option("--job", help="The job it was released by.", show_default=False)],
    recoding: Annotated[
        Path | None,
        typer.Option(help="recoding.json of the custodian's log, for ambiguous cells.", show_default=False),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show what a release lost against the original.

    Every loss is shown raw, and scaled from 0% (the original) to 100% (everything suppressed).
    """
    from nymity.io import ReadOptions, read_table
    from nymity.publish.compare import compare
    from nymity.publish.pipeline import population_of

    screen = Screen(quiet=quiet, as_json=as_json)
    described = load_job(job)
    before = read_table(original, described.source.options if described.source is not None else ReadOptions())
    released, people = read_as_released(release, described), population_of(described)
    found = compare(before, released, described.schema, population=people, recoding=recoding)
    screen.line(f"{original} against {release}", style="bold")
    screen.show(
        f"{found.suppressed:,} of {counted(found.records, 'record')} suppressed "
        f"({percent(found.suppressed / found.records)}). Scaled: 0% is the original, 100% is everything suppressed.",
        "",
        _losses(found),
        "",
        _attributes(found),
        "",
        _legend(found),
    )
    screen.answer(found.to_dict())


def _losses(found: Comparison) -> Table:
    shown = table("loss", "value", "scaled", "", right=("value", ""))
    for loss in found.losses:
        scaled = loss.scaled
        add_row(
            shown,
            loss.name,
            loss.value,
            None if scaled is None else bar(scaled),
            None if scaled is None else percent(scaled),
        )
    return shown


def _legend(found: Comparison) -> Table:
    shown = Table.grid(padding=(0, 3, 0, 0))
    shown.add_column(no_wrap=True)
    shown.add_column()
    for loss in found.losses:
        add_row(shown, loss.name, loss.title, style="dim")
    return shown


def _attributes(found: Comparison) -> Table:
    shown = table("attribute", "level", "share of its domain a cell covers", "", right=("level", ""))
    for name, share in found.attribute_loss.items():
        add_row(shown, name, found.levels.get(name), bar(share), percent(share))
    return shown
