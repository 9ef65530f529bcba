"""``nymity risk``: how likely it is that someone is found in a table, and what makes it so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, table
from nymity.cli.inputs import read_with_roles
from nymity.cli.private import about_source
from nymity.cli.progress import watching
from nymity.cli.shared_options import AsJson, JobOption, Quasi, Quiet, Reading, reads_a_table
from nymity.core.wording import count, percent

if TYPE_CHECKING:
    from nymity.risk import Drivers, RiskProfile

EXAMPLES = (
    "nymity risk patients.csv --quasi age,sex,postcode",
    "nymity risk release/release.csv --job job.toml --preset ema --population-size 80000",
)

#: How many combinations are listed for people; JSON has all.
_SHOWN = 8


@reads_a_table
def command(
    data: Annotated[Path, typer.Argument(help="Table to look at, raw or released.", show_default=False)],
    job: JobOption = None,
    quasi: Quasi = None,
    population: Annotated[
        Path | None, typer.Option(help="Table of the people the records are of.", show_default=False)
    ] = None,
    population_size: Annotated[int | None, typer.Option(help="How many people there are.", show_default=False)] = None,
    sampling_fraction: Annotated[
        float | None, typer.Option(help="Records / people, in place of their number.", show_default=False)
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Risk above which a record counts (default 0.2).", show_default=False)
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="A named threshold: ema, health-canada, hipaa, k5, k11 or k20.", show_default=False),
    ] = None,
    size: Annotated[int, typer.Option(help="Look at combinations of up to so many columns; 0 for none.", min=0)] = 3,
    *,
    reading: Reading,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Measure how likely it is that someone is found in a table, and which columns make it so.

    ``nymity attack`` tries attacks on a release.

    Thresholds are for you to choose: none of this is legal advice.
    """
    from nymity.io import ReadOptions, read_table
    from nymity.risk import drivers, profile, suggest

    screen = Screen(quiet=quiet, as_json=as_json)
    frame, roles = read_with_roles("risk", data, job, quasi, reading)
    found = profile(
        frame,
        roles,
        population=None if population is None else read_table(population, ReadOptions(**reading)),
        population_size=population_size,
        sampling_fraction=sampling_fraction,
        threshold=threshold,
        preset=preset,
    )
    with watching(screen) as observe:
        driving = drivers(frame, roles, size=size, observe=observe) if size else None
    private = about_source(screen, data, job)
    screen.line(f"{data}, quasi-identifiers {', '.join(found.quasi)}", style="bold")
    screen.show("", *_records(found), "", _attackers(found))
    if found.population is not None:
        screen.show("", _population(found))
    if driving is not None:
        screen.show("", _columns(driving), "", _combinations(driving))
    columns = suggest(frame)
    for column in columns:
        direct = next((flag for flag in column.flags if flag.direct), None)
        if direct is not None and not screen.silent:
            screen.warn(f"column {column.name!r} may point to single people: {direct.reason}")
    answer = {"drivers": None if driving is None else driving.to_dict(), "columns": [c.to_dict() for c in columns]}
    screen.answer({**private, **found.to_dict(), **answer})


def _records(profile: RiskProfile) -> list[str]:
    alone = profile.unique_records
    share = f" ({percent(alone / profile.counted)})" if profile.counted else ""
    lines = [
        f"{count(profile.counted, 'record')} in {count(profile.classes, 'class', 'classes')}, {alone:,} unique{share}."
    ]
    if profile.masked:
        lines.append(f"{count(profile.masked, 'row')} with every quasi-identifier masked: one of the classes.")
    if profile.dropped:
        lines.append(f"{count(profile.dropped, 'record')} left out for missing values, as the schema says.")
    return lines


def _attackers(profile: RiskProfile) -> Table:
    limit = f"above {float(profile.threshold):.4g}"
    shown = table("attacker", "highest", "average", limit, right=("highest", "average", limit))
    for risk in (profile.prosecutor, profile.journalist):
        if risk is not None and risk.highest is not None and risk.average is not None:
            share = percent(float(risk.share_above or 0))
            add_row(shown, risk.attacker, percent(float(risk.highest)), percent(float(risk.average)), share)
    if profile.marketer is not None:
        add_row(shown, "marketer", None, percent(float(profile.marketer)), None)
    return shown


def _population(profile: RiskProfile) -> str:
    people = profile.population
    assert people is not None
    among = f"among {float(people.people):,.0f} people"
    if people.uniques is None or people.share is None:
        return f"Unique {among}: not available; no model has an estimate."
    how = "counted" if people.chosen == "counted" else f"estimated by {people.chosen}"
    return f"Unique {among}: {people.uniques:,.0f} ({percent(people.share)}), {how}."


def _columns(driving: Drivers) -> Table:
    shown = table("column", "in minimal uniques", right=("in minimal uniques",))
    for column, share in driving.columns.iter_rows():
        add_row(shown, column, percent(share))
    return shown


def _combinations(driving: Drivers) -> Table:
    numbers = ("distinction", "separation", "unique")
    shown = table("columns", *numbers, right=numbers)
    most = driving.combinations.sort("separation", "size", descending=[True, False], maintain_order=True).head(_SHOWN)
    for row in most.iter_rows(named=True):
        separation, distinction = percent(row["separation"]), percent(row["distinction"])
        add_row(shown, ", ".join(row["columns"]), distinction, separation, row["unique"])
    return shown
