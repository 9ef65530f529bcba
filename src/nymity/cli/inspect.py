"""``nymity inspect``: a first look at a table, and a starter job file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, table
from nymity.cli.inputs import may_write, write_text
from nymity.cli.shared_options import AsJson, Force, Quiet, Reading, reads_a_table
from nymity.core.errors import FileError
from nymity.core.wording import count, percent

if TYPE_CHECKING:
    from nymity.io import DetectedReading, Dictionary
    from nymity.publishing.preparing.inspect import Inspection
    from nymity.risk.persons import PersonFinding

EXAMPLES = (
    "nymity inspect patients.csv",
    "nymity inspect patients.csv --job job.toml --k 10",
    "nymity inspect patients.csv --answers decided.toml --job job.toml",
    "nymity inspect postgresql://clinic.example/stays --table patients --job job.toml",
)

_STYLES = {"identifying": "red", "person": "red", "quasi": "yellow", "sensitive": "magenta"}


@reads_a_table
def command(
    data: Annotated[
        str,
        typer.Argument(
            help="Table to look at: .csv, .xlsx, .parquet, .sav and more; the URL of a database with --table or "
            "--query; or a file with \\[source] (.toml).",
            show_default=False,
        ),
    ],
    job: Annotated[
        Path | None, typer.Option("--job", help="Write a commented starter job file here.", show_default=False)
    ] = None,
    k: Annotated[int, typer.Option("--k", help="The k of k-anonymity in the starter job.", min=2)] = 5,
    dictionary: Annotated[
        Path | None,
        typer.Option(
            help="Data dictionary beside the table: .csv or .json with column, label, type, values, missing; "
            "Table Schema; DDI-Codebook.",
            show_default=False,
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            help="Decisions about columns (TOML: role, hierarchy, codes for missing), in place of suggestions.",
            show_default=False,
        ),
    ] = None,
    table_name: Annotated[
        str | None,
        typer.Option("--table", help="Table of a database, SCHEMA.TABLE or TABLE, or '\"a.b\"'.", show_default=False),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option("--query", help="Rows of a database, by a query that selects them.", show_default=False),
    ] = None,
    force: Force = False,
    *,
    reading: Reading,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Look at a table: columns, uniqueness, suggested roles.

    What is not clear comes first: please decide, in the job or in a file of --answers.
    With --job it also writes a commented job file to start from.
    """
    from nymity.cli.given import source_of_given
    from nymity.io import read_dictionary
    from nymity.publishing import Answers
    from nymity.publishing.preparing.inspect import inspect

    screen = Screen(quiet=quiet, as_json=as_json)
    if job is not None:
        may_write(job, force=force)
    beside = None if dictionary is None else read_dictionary(dictionary)
    decided = Answers() if answers is None else Answers.load(answers)
    source = source_of_given(data, table_name, query, reading)
    cells, detected, known = source.read_detected(decided.missing, beside)
    unknown = () if beside is None else _described_elsewhere(beside, cells.columns, dictionary)
    inspection = inspect(cells, dictionary=known, reading=detected, answers=decided)
    if job is not None:
        from nymity.publishing import starter_job

        # How it was read here is how it must be read there, whatever records there will be.
        write_text(job, starter_job(inspection, source.named_from(job.parent), privacy_k=k, reading=detected.stated))
    found = f"{count(inspection.records, 'record')}, {count(len(inspection.columns), 'column')}"
    screen.line(f"{source.shown}: {found}", style="bold")
    if unknown:
        screen.line(f"The dictionary describes columns that the table does not have: {', '.join(unknown)}")
    screen.line()
    if inspection.questions or any(column.is_hierarchy_asked for column in inspection.columns):
        screen.line("Please decide:", style="bold yellow")
        screen.show(_questions(inspection), "")
    if detected:
        screen.show(_reading(detected), "")
    screen.show(_columns(inspection), "", _roles(inspection), "", _headline(inspection))
    if inspection.person is not None:
        screen.line()
        screen.line(_several_records(inspection.person), style="bold yellow")
    for sentence in _of_hierarchies(inspection):
        screen.line(sentence)
    if job is not None:
        screen.line()
        screen.line(f"Wrote {job}: read it, correct the roles, then run")
        screen.line(f"  nymity publish {job} --out release")
    elif not screen.silent:
        screen.line()
        screen.line(f"Next: nymity inspect {source.shown} --job job.toml   writes a job file to start from")
        if inspection.questions:
            screen.line(f"      with --answers FILE by your decisions: [columns] {_example(inspection)}")
    screen.answer({**_as_data(inspection, job), "described_elsewhere": list(unknown)})


def _reading(detected: DetectedReading) -> Table:
    """What cells seem to mean, what is unsure first; the starter job states it."""
    shown = table("cells are read with", "in", "because")
    for one in sorted(detected.proposals, key=lambda one: one.sure):
        places = one.columns[0] if one.columns else "the file"
        places += f" and {len(one.columns) - 1} more" if len(one.columns) > 1 else ""
        evidence = one.evidence if one.sure else f"please decide: {one.evidence}"
        add_row(shown, f"{one.field} {one.value!r}", places, evidence, style=None if one.sure else "bold yellow")
    return shown


def _columns(inspection: Inspection) -> Table:
    labels = [inspection.dictionary.label(column.name) or "" for column in inspection.columns]
    further = ["label"] if any(labels) else []
    shown = table("column", "type", "distinct", "missing", "unique", *further, right=("distinct", "missing", "unique"))
    for column, label in zip(inspection.columns, labels, strict=True):
        cells = (column.name, column.type, column.distinct, column.missing, column.unique)
        add_row(shown, *cells, *([label] if further else []))
    return shown


def _questions(inspection: Inspection) -> Table:
    """The columns whose role is not clear, what is most at stake first."""
    shown = table("column", "until then", "or", "because")
    for column in inspection.questions:
        others = ", ".join(role.value for role in column.instead)
        add_row(shown, column.name, column.role.value, others, column.reason, style="bold yellow")
    for column in inspection.columns:
        if column.lost_zeros is not None and column.is_hierarchy_asked:
            add_row(
                shown, column.name, "as they stand", "zeros put back", column.lost_zeros.sentence, style="bold yellow"
            )
    return shown


def _of_hierarchies(inspection: Inspection) -> Iterator[str]:
    """Yield what is to be known of suggested hierarchies: zeros that were put back, levels that change nothing."""
    from nymity.cli.idle_levels import idle_said
    from nymity.cli.long_cells import long_cells_foreseen

    yield from long_cells_foreseen(inspection)
    for column in inspection.columns:
        if column.lost_zeros is not None and column.lost_zeros.certain:
            yield f"{column.name!r}: {column.lost_zeros.sentence}"
        if column.idle:
            yield f"{idle_said(column.idle)} in column {column.name!r}"


def _described_elsewhere(beside: Dictionary, columns: list[str], path: Path | None) -> tuple[str, ...]:
    """Return what a dictionary describes and the table does not have; one that describes nothing of it is refused."""
    unknown = beside.beyond(columns)
    if len(unknown) == len(beside.entries):
        raise FileError(
            str(path),
            expected="a dictionary of the columns of the table",
            got=f"none of them, but {', '.join(unknown[:5])}",
        )
    return unknown


def _example(inspection: Inspection) -> str:
    """Answer the first question, as a line of a file of answers."""
    from nymity.publishing import toml_job

    first = inspection.questions[0]
    role = first.instead[0] if first.instead else first.role
    line: str = toml_job({first.name: role.value})
    return line.strip()


def _roles(inspection: Inspection) -> Table:
    shown = table("column", "role?", "sure", "why", right=("sure",))
    shown.columns[1].no_wrap = True
    for column in inspection.columns:
        style = _STYLES.get(column.role.value)
        add_row(shown, column.name, column.role.value, _sureness(column.confidence), column.reason, style=style)
    return shown


def _sureness(confidence: float) -> str:
    return "over 99%" if confidence >= 0.99 else f"{confidence:.0%}"


def _headline(inspection: Inspection) -> str:
    quasi = inspection.quasi
    if not quasi:
        return "No column looks like a quasi-identifier: what could single out a person is for you to say."
    alone = inspection.unique_records
    if alone:
        found = f"{alone:,} of {count(inspection.records, 'record')} ({percent(alone / inspection.records)})"
        words = f"{found} {'is' if alone == 1 else 'are'} unique in"
    else:
        words = f"No record is unique; the smallest group that looks alike has {inspection.smallest_class:,} records in"
    return f"{words} the suggested quasi-identifiers: {', '.join(quasi)}."


def _several_records(person: PersonFinding) -> str:
    """Tell what promises would miss that count records."""
    words = (
        f"Several records per person: {person.column!r} has {person.persons:,} values for {person.records:,} records, "
        f"up to {person.most_records:,} of one. With the role 'person' k counts people; without it, records"
    )
    if not person.missed:
        return f"{words}."
    return f"{words}: {person.missed:,} of them look like {person.enough} records or more, but of fewer people."


def _as_data(inspection: Inspection, job: Path | None) -> dict[str, Any]:
    return {
        "records": inspection.records,
        "unique_records": inspection.unique_records,
        "smallest_class": inspection.smallest_class,
        "person": None if inspection.person is None else asdict(inspection.person),
        "reading": [asdict(one) for one in inspection.reading.proposals],
        "questions": [column.name for column in inspection.questions],
        "columns": [
            {
                "name": column.name,
                "label": inspection.dictionary.label(column.name),
                "type": column.type,
                "distinct": column.distinct,
                "missing": column.missing,
                "unique": column.unique,
                "most_frequent": column.most_frequent,
                "examples": column.examples,
                "role": column.role.value,
                "reason": column.reason,
                "confidence": round(column.confidence, 4),
                "is_question": column.is_question,
                "instead": [role.value for role in column.instead],
                "idle_levels": list(column.idle),
                "lost_zeros": None if column.lost_zeros is None else column.lost_zeros.sentence,
            }
            for column in inspection.columns
        ],
        "job": None if job is None else str(job),
    }
