"""``nymity query``: how well a release answers count queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, table
from nymity.cli.given import Original, read_original_given
from nymity.cli.inputs import open_released
from nymity.cli.private import about_private
from nymity.cli.progress import watching
from nymity.cli.shared_options import AsJson, JobOption, Quiet, RecodingOption, ReleaseArgument, SensitiveOption
from nymity.core.wording import count, percent

if TYPE_CHECKING:
    from nymity.utility import QueryError

EXAMPLES = (
    "nymity query patients.csv release",
    "nymity query job.toml release",
    "nymity query patients.csv release --dimensions 3 --selectivity 0.05",
    "nymity query patients.csv received.csv --job job.toml --recoding release-custodian",
)


def command(
    original: Original,
    release: ReleaseArgument,
    job: JobOption = None,
    recoding: RecodingOption = None,
    sensitive: SensitiveOption = None,
    attribute: Annotated[
        str | None,
        typer.Option(help="Sensitive column to ask for; needed where there are several.", show_default=False),
    ] = None,
    n: Annotated[int, typer.Option("--n", help="Number of queries.")] = 5000,
    selectivity: Annotated[float, typer.Option(help="Share of the records that a query is meant to find.")] = 0.01,
    dimensions: Annotated[
        int | None,
        typer.Option(help="Quasi-identifiers a query asks for (default: 1 to all, at random).", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the same queries again.")] = 1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Ask a release and the original how many records have some values, and compare the answers.

    Queries are random: some quasi-identifiers and the sensitive column, several values of each. Cells that stand for
    several values are taken to hold each of them with the same probability.
    """
    from nymity.utility import count_queries

    screen = Screen(quiet=quiet, as_json=as_json)
    opened = open_released(release, job, recoding=recoding, sensitive=sensitive)
    before = read_original_given("query", original, opened)
    with watching(screen) as observe:
        found = count_queries(
            before,
            opened,
            n=n,
            selectivity=selectivity,
            dimensions=dimensions,
            sensitive=attribute,
            seed=seed,
            observe=observe,
        )
    private = about_private(screen, opened)
    screen.line(f"{original} against {release}", style="bold")
    screen.show(_drawn(found), "", _errors(found), "")
    screen.show("Relative error: |estimate - answer| / answer, where the answer is not 0.")
    screen.show("Normalized error: the same with an answer of at least 0.1% of the records, over all queries.")
    screen.answer({**private, **found.to_dict()})


def _drawn(errors: QueryError) -> str:
    asked = "1 to all" if errors.dimensions is None else str(errors.dimensions)
    return (
        f"{count(errors.n, 'query', 'queries')} on {count(errors.records, 'record')}: {asked} quasi-identifiers, "
        f"selectivity {percent(errors.selectivity or 0)}, seed {errors.seed}. "
        f"{errors.zero_answers:,} of them find no record."
    )


def _errors(errors: QueryError) -> Table:
    shown = table("error", "value", right=("value",))
    for name, value in (
        ("mean relative error", errors.mean),
        ("lower quartile", errors.lower_quartile),
        ("median", errors.median),
        ("upper quartile", errors.upper_quartile),
        ("mean normalized error", errors.normalized),
    ):
        add_row(shown, name, None if value is None else percent(value))
    return shown
