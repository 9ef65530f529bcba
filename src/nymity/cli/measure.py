"""``nymity measure``: every privacy parameter that a table reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from nymity.cli.console import Screen, add_row, table
from nymity.cli.given import Data, read_with_roles
from nymity.cli.inputs import names
from nymity.cli.private import about_source
from nymity.cli.risk import individual_lines
from nymity.cli.shared_options import AsJson, JobOption, Quasi, Quiet, Reading, reads_a_table
from nymity.cli.warnings_shown import counted, uncounted
from nymity.core.errors import ParameterError
from nymity.core.wording import count

if TYPE_CHECKING:
    import polars as pl

    from nymity.publishing.comparing.measure import Measurement
    from nymity.table.schema import Schema

EXAMPLES = (
    "nymity measure patients.csv --quasi age,sex,postcode --sensitive diagnosis",
    "nymity measure release/release.csv --job job.toml",
)


@reads_a_table
def command(
    data: Data,
    job: JobOption = None,
    quasi: Quasi = None,
    sensitive: Annotated[
        str | None, typer.Option(help="Sensitive columns, comma-separated.", show_default=False)
    ] = None,
    *,
    reading: Reading,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Measure which k, l … a table reaches, promised or not."""
    from nymity.publishing.comparing.measure import measure

    screen = Screen(quiet=quiet, as_json=as_json)
    frame, described = read_with_roles("measure", data, job, quasi, reading)
    schema = _roles(frame, described, names(sensitive)) if isinstance(described, list) else described
    measured = measure(frame, schema)
    private = about_source(screen, data, job)
    screen.line(f"{data}, quasi-identifiers {', '.join(schema.quasi)}", style="bold")
    screen.line()
    _show(screen, measured)
    uncounted(screen, measured.perturbed)
    counts = counted(screen, schema, frame.columns)
    screen.answer({**private, "quasi": schema.quasi, "counts": counts, **measured.to_dict()})


def _roles(frame: pl.DataFrame, quasi: list[str], sensitive: list[str]) -> Schema:
    from nymity.table.attribute import Attribute, Role
    from nymity.table.schema import Schema

    both = [name for name in quasi if name in sensitive]
    if both:
        raise ParameterError("--sensitive", expected="columns that are not in --quasi", got=repr(both[0]))
    if not quasi:
        raise ParameterError("--quasi", expected="at least one column", got="none")
    roles = dict.fromkeys(frame.columns, Role.INSENSITIVE)
    roles |= dict.fromkeys(quasi, Role.QUASI) | dict.fromkeys(sensitive, Role.SENSITIVE)
    return Schema({name: Attribute(role=role) for name, role in roles.items()})


def _show(screen: Screen, measured: Measurement) -> None:
    from nymity.privacy import MODELS, plain_measured

    shown = table("model", "attribute", "reached")
    for key, attributes in measured.models.items():
        for attribute, reached in attributes.items():
            values = ", ".join(
                f"{name} = {'–' if value is None else value}" for name, value in plain_measured(reached).items()
            )
            add_row(shown, MODELS[key].title, attribute or "–", values)
        if not attributes:
            add_row(shown, MODELS[key].title, "(none is sensitive)", "–")
    facts = table("records", "classes", "smallest", "average", "unique records", right=("records", "classes"))
    add_row(
        facts,
        measured.records,
        measured.classes,
        measured.smallest_class,
        measured.average_class,
        measured.unique_records,
    )
    screen.show(facts, "", shown)
    if measured.individual is not None:
        screen.show("", *individual_lines(measured.individual))
    if measured.masked:
        screen.show("", f"{count(measured.masked, 'row')} with every quasi-identifier masked: one of the classes.")
    if measured.dropped:
        screen.show("", f"{count(measured.dropped, 'record')} of nobody left out, as the schema says.")
