"""``nymity query``: how well a release answers count queries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, counted, percent, table
from nymity.cli.options import AsJson, Quiet
from nymity.cli.private import about_private
from nymity.cli.progress import watching
from nymity.cli.source import load_job, read_as_released, read_original, recoding_of

if TYPE_CHECKING:
    from nymity.utility import QueryError

EXAMPLES = (
    "nymity query patients.csv release/release.csv --job job.toml",
    "nymity query patients.csv release/release.csv --job job.toml --dimensions 3 --selectivity 0.05",
    "nymity query patients.csv release/release.csv --job job.toml --recoding release-custodian",
)


def command(
    original: Annotated[Path, typer.Argument(help="The table as it was.", show_default=False)],
    release: Annotated[Path, typer.Argument(help="The table as it was released.", show_default=False)],
    job: Annotated[Path, typer.Option("--job", help="The job it was released by.", show_default=False)],
    recoding: Annotated[
        Path | None,
        typer.Option(
            help="The custodian's folder, or recoding.json in it, where cells can be misread.", show_default=False
        ),
    ] = None,
    sensitive: Annotated[
        Path | None,
        typer.Option(
            help="Second table of a bucketized release; looked for beside the first unless given.", show_default=False
        ),
    ] = None,
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
    from nymity.bucket.methods import BucketMethod
    from nymity.publish.pipeline import population_of
    from nymity.utility import BucketTables, count_queries

    screen = Screen(quiet=quiet, as_json=as_json)
    described = load_job(job)
    before = read_original(original, described)
    released = read_as_released(release, described)
    if sensitive is None and isinstance(described.method, BucketMethod):
        sensitive = release.with_name(described.output.sensitive_file_name)
    apart = None if sensitive is None else read_as_released(sensitive, described)
    with watching(screen) as observe:
        found = count_queries(
            before,
            released if apart is None else BucketTables(quasi=released, counts=apart),
            described.schema,
            recoding=recoding_of(recoding, release),
            population=population_of(described),
            n=n,
            selectivity=selectivity,
            dimensions=dimensions,
            sensitive=attribute,
            seed=seed,
            observe=observe,
        )
    private = about_private(screen, described)
    screen.line(f"{original} against {release}", style="bold")
    screen.show(_drawn(found), "", _errors(found), "")
    screen.show("Relative error: |estimate - answer| / answer, where the answer is not 0.")
    screen.show("Normalized error: the same with an answer of at least 0.1% of the records, over all queries.")
    screen.answer({**private, **found.to_dict()})


def _drawn(found: QueryError) -> str:
    asked = "1 to all" if found.dimensions is None else str(found.dimensions)
    return (
        f"{counted(found.n, 'query', 'queries')} on {counted(found.records, 'record')}: {asked} quasi-identifiers, "
        f"selectivity {percent(found.selectivity or 0)}, seed {found.seed}. "
        f"{found.zero_answers:,} of them find no record."
    )


def _errors(found: QueryError) -> Table:
    shown = table("error", "value", right=("value",))
    for name, value in (
        ("mean relative error", found.mean),
        ("lower quartile", found.lower_quartile),
        ("median", found.median),
        ("upper quartile", found.upper_quartile),
        ("mean normalized error", found.normalized),
    ):
        add_row(shown, name, None if value is None else percent(value))
    return shown
