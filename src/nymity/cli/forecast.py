"""``nymity forecast``: what a differentially private release can be at best, before a budget is spent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nymity.cli.console import Screen, add_row, table
from nymity.cli.inputs import load_job
from nymity.cli.shared_options import AsJson, Quiet, Settings

if TYPE_CHECKING:
    from rich.table import Table

    from nymity.dp.forecast import Forecast

EXAMPLES = (
    "nymity forecast job.toml",
    "nymity forecast job.toml --set privacy.0.epsilon=2",
    "nymity forecast visits.toml --persons 20000",
)


def command(
    job: Annotated[Path, typer.Argument(help="Job file, .toml or .json.", show_default=False)],
    top: Annotated[int, typer.Option(help="Choices of levels to show.", min=1)] = 5,
    settings: Settings = None,
    persons: Annotated[
        int | None,
        typer.Option(help="Number of persons that anybody may know, where records are of persons.", show_default=False),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say what to expect of a differentially private release, without looking at a record.

    From the promise, the hierarchies and the public number of records: k, how many records are sampled, the finest
    levels to hope for, other epsilons beside it, and which parameters would help. Where records are of persons, also
    what more records of each person cost. Spends nothing.
    """
    from nymity.dp.forecast import forecast
    from nymity.dp.private_method import the_promise

    screen = Screen(quiet=quiet, as_json=as_json)
    described = load_job(job, settings or ())
    ahead = forecast(described.schema, the_promise(described.privacy), persons=persons)
    shown = min(top, ahead.finest.height)
    _show(screen, ahead, shown)
    screen.answer(_plain(ahead, shown))


def _plain(ahead: Forecast, top: int) -> dict[str, Any]:
    model = ahead.model
    return {
        "k": model.k,
        "beta": float(model.beta),
        "delta": model.delta,
        "sampled_records": ahead.sampled_records,
        "most_classes": ahead.most_classes,
        "finest": ahead.finest.head(top).to_dicts(),
        "compared": ahead.compared().to_dicts(),
        "advice": ahead.advice(),
        **({} if model.records_per_person is None else {"by_person": ahead.by_person().to_dicts()}),
    }


def _show(screen: Screen, ahead: Forecast, top: int) -> None:
    model = ahead.model
    screen.line(
        f"k = {model.k}: of {model.public_records:,} records {_most(ahead)}{ahead.sampled_records:,} are sampled, "
        f"which fill at most {ahead.most_classes:,} classes"
    )
    levels = table(*ahead.names, "classes", "records of one, spread evenly")
    for row in ahead.finest.head(top).iter_rows(named=True):
        chosen = [f"{row[f'level of {name}']}" for name in ahead.names]
        add_row(levels, *chosen, f"{row['classes']:,.0f}", f"{row['average']:,.1f}")
    others = table("epsilon", "k", "sampled", "classes at most")
    for row in ahead.compared().iter_rows(named=True):
        add_row(others, f"{row['epsilon']:g}", f"{row['k']}", f"{row['sampled_records']:,}", f"{row['most_classes']:,}")
    screen.show("", "The finest levels to hope for:", levels, "", "Other budgets:", others)
    if model.records_per_person is not None:
        screen.show("", "Other numbers of records per person:", _by_person(ahead))
    for text in ahead.advice():
        screen.line(f"- {text}")


def _most(ahead: Forecast) -> str:
    return "" if ahead.model.records_per_person is None else "at most "


def _by_person(ahead: Forecast) -> Table:
    shown = table("records per person", "beta", "k", "sampled at most", "classes at most")
    for row in ahead.by_person().iter_rows(named=True):
        cells = (f"{row['records_per_person']}", f"{row['beta']:.4g}", f"{row['k']}")
        add_row(shown, *cells, f"{row['sampled_records']:,}", f"{row['most_classes']:,}")
    return shown
