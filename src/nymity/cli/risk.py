"""``nymity risk``: how likely it is that someone is found in a table, and what makes it so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, table
from nymity.cli.given import Data, read_with_roles
from nymity.cli.private import about_source
from nymity.cli.progress import watching
from nymity.cli.shared_options import AsJson, JobOption, PopulationOption, Quasi, Quiet, Reading, reads_a_table
from nymity.cli.warnings_shown import counted, uncounted
from nymity.core.errors import ParameterError
from nymity.core.wording import count, people, percent

if TYPE_CHECKING:
    from nymity.risk import Drivers, IndividualRisk, LogLinearRisk, RiskProfile
    from nymity.table.schema import Schema

EXAMPLES = (
    "nymity risk patients.csv --quasi age,sex,postcode",
    "nymity risk job.toml",
    "nymity risk release --preset ema --population-size 80000",
    "nymity risk survey.csv --quasi age,sex,region --weight weight --household household",
)

#: How many combinations are listed for people; JSON has all.
_SHOWN = 8


@reads_a_table
def command(
    data: Data,
    job: JobOption = None,
    quasi: Quasi = None,
    population: PopulationOption = None,
    population_size: Annotated[int | None, typer.Option(help="How many people there are.", show_default=False)] = None,
    sampling_fraction: Annotated[
        float | None, typer.Option(help="Records (or persons) / people, in place of their number.", show_default=False)
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Risk above which a record counts (default 0.2).", show_default=False)
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="A named threshold: ema, health-canada, hipaa, k5, k11 or k20.", show_default=False),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column of sampling weights, with --quasi.", show_default=False)
    ] = None,
    household: Annotated[
        str | None, typer.Option(help="Column that tells who lives together, with --quasi.", show_default=False)
    ] = None,
    log_linear: Annotated[
        bool, typer.Option("--log-linear", help="Estimate how many sample uniques are unique among the people.")
    ] = False,
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
    from nymity.risk import drivers, measure_risk, suggest
    from nymity.risk import log_linear as fit
    from nymity.table.attribute import Role

    screen = Screen(quiet=quiet, as_json=as_json)
    frame, roles = read_with_roles("risk", data, job, quasi, reading)
    roles = _with_survey(roles, weight, household)
    found = measure_risk(
        frame,
        roles,
        population=None if population is None else read_table(population, ReadOptions(**reading)),
        population_size=population_size,
        sampling_fraction=sampling_fraction,
        threshold=threshold,
        preset=preset,
    )
    modelled = None
    if log_linear:
        modelled = fit(frame, roles, population_size=population_size, sampling_fraction=sampling_fraction)
    with watching(screen) as observe:
        driving = drivers(frame, roles, size=size, observe=observe) if size else None
    private = about_source(screen, data, job)
    screen.line(f"{data}, quasi-identifiers {', '.join(found.quasi)}", style="bold")
    screen.show("", *_records(found), "", _attackers(found))
    if found.individual is not None:
        screen.show("", *individual_lines(found.individual), *_households(found))
    if found.population is not None:
        screen.show("", _population(found))
    if modelled is not None:
        screen.show("", _modelled(modelled))
    if driving is not None:
        screen.show("", _columns(driving), "", _combinations(driving))
    columns = suggest(frame)
    known = () if isinstance(roles, list) else (Role.IDENTIFYING, Role.PERSON, Role.HOUSEHOLD)
    declared = {name for role in known for name in roles.columns(role)}  # type: ignore[union-attr]
    for column in columns:
        direct = next((flag for flag in column.flags if flag.direct), None)
        if direct is not None and column.name not in declared and not screen.silent:
            screen.warn(f"column {column.name!r} may point to single people: {direct.reason}")
    answer = {"drivers": None if driving is None else driving.to_dict(), "columns": [c.to_dict() for c in columns]}
    if modelled is not None:
        answer["log_linear"] = modelled.to_dict()
    uncounted(screen, found.perturbed)
    counts = "records" if isinstance(roles, list) else counted(screen, roles, frame.columns)
    screen.answer({**private, "counts": counts, **found.to_dict(), **answer})


def _records(profile: RiskProfile) -> list[str]:
    alone, classes = profile.unique_records, count(profile.classes, "class", "classes")
    share = f" ({percent(alone / profile.counted)})" if profile.counted else ""
    lines = [f"{count(profile.counted, 'record')} in {classes}, {alone:,} unique{share}."]
    if profile.persons is not None:
        lines = [
            f"{count(profile.records, 'record')} of {people(profile.persons)} in {classes}, {alone:,} of which have a "
            "single person. Attackers look for persons."
        ]
        if profile.row_share is not None:
            lines.append(f"One person has up to {percent(float(profile.row_share))} of the rows of a class.")
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
    one, all_members = profile.individual, profile.households
    if one is not None and one.highest is not None and one.mean is not None:
        add_row(shown, "individual", percent(one.highest), percent(one.mean), percent(one.above, one.units))
    if all_members is not None and all_members.highest is not None and all_members.mean is not None:
        above = percent(all_members.above, all_members.members)
        add_row(shown, "household", percent(all_members.highest), percent(all_members.mean), above)
    return shown


def individual_lines(risk: IndividualRisk) -> list[str]:
    """Say what sampling weights tell of the risk."""
    if risk.highest is None or risk.mean is None or risk.approximated_highest is None:
        return [f"Individual risk: none, because no {risk.unit[:-1]} is in a class."]
    return [
        f"Individual risk by sampling weights, {risk.units:,} {risk.unit} for {risk.population:,.0f} people: highest "
        f"{percent(risk.highest)}, average {percent(risk.mean)}, {risk.expected:,.1f} expected to be found "
        f"(by sdcMicro's approximation {percent(risk.approximated_highest)} and {risk.approximated_expected:,.1f})."
    ]


def _households(profile: RiskProfile) -> list[str]:
    found = profile.households
    if found is None or found.highest is None:
        return []
    return [
        f"{count(found.households, 'household')} of up to {found.largest:,}: {found.expected:,.1f} expected to be "
        "found by one member at least, if members are found independently."
    ]


def _with_survey(roles: Schema | list[str], weight: str | None, household: str | None) -> Schema | list[str]:
    """Add the columns of a survey to names of quasi-identifiers; a job has them in its schema."""
    from nymity.table.attribute import household as living_together
    from nymity.table.attribute import quasi
    from nymity.table.attribute import weight as sampling_weight
    from nymity.table.schema import Schema

    if weight is None and household is None:
        return roles
    if isinstance(roles, Schema):
        raise ParameterError(
            "--weight" if weight is not None else "--household",
            expected="--quasi with it",
            got="--job, whose schema has the roles of all columns",
            hint='role = "weight" and role = "household" in the schema of the job',
        )
    named = {name: quasi() for name in roles}
    further = {"--weight": (weight, sampling_weight()), "--household": (household, living_together())}
    for option, (name, attribute) in further.items():
        if name is None:
            continue
        if name in named:
            raise ParameterError(option, expected="a column with no other role", got=repr(name))
        named[name] = attribute
    return Schema(named)


def _population(profile: RiskProfile) -> str:
    found = profile.population
    assert found is not None
    by_rows = profile.persons is not None and found.counts == "records"
    among = f"among {float(found.people):,.0f} {'records of the population' if by_rows else 'people'}"
    if found.uniques is None or found.share is None:
        return f"Unique {among}: not available; no model has an estimate."
    how = "counted" if found.chosen == "counted" else f"estimated by {found.chosen}"
    if found.combinations is None:
        rows = " The population does not tell whose its records are." if by_rows else ""
        return f"Unique {among}: {found.uniques:,.0f} ({percent(found.share)}), {how}.{rows}"
    alone = "" if found.persons is None else f" {people(found.persons)} {'has' if found.persons == 1 else 'have'} one."
    as_many = ", if others have as many each as those in the table" if found.estimates else ""
    return (
        f"Of {float(found.combinations):,.0f} combinations of values {among}, {found.uniques:,.0f} "
        f"({percent(found.share)}) are of one person alone, {how}{as_many}.{alone}"
    )


def _modelled(risk: LogLinearRisk) -> str:
    unique = "sample unique" if risk.counts == "records" else "combination"
    alone = "" if risk.counts == "records" else " that one person of the table alone has"
    return (
        f"Of {count(risk.sample_uniques, unique)}{alone}, {risk.population_uniques:,.1f} are expected to be unique "
        f"among {float(risk.people):,.0f} people and {risk.linked:,.1f} to be linked rightly (log-linear model, "
        f"{risk.chosen}, by the minimum error criterion)."
    )


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
