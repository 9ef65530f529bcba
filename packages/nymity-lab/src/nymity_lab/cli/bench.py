"""``nymity bench``: the speed figures, ours beside the targets and the references."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, cell, table
from nymity.cli.options import Quiet
from nymity.cli.progress import watching
from nymity.cli.register import group, register
from nymity.cli.source import write_text

if TYPE_CHECKING:
    from nymity_lab.bench import BenchResult

EXAMPLES = ("nymity bench lattice --data data", "nymity bench lattice --json lattice.json")


def command(
    name: Annotated[str, typer.Argument(help="Which figures.")] = "lattice",
    data: Annotated[
        Path | None, typer.Option(help="Folder with the data sets (default: NYMITY_DATA).", show_default=False)
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the figures to this file.", show_default=False)
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Measure the speed figures, beside targets and references."""
    from nymity.datasets.public import DATA_VARIABLE
    from nymity_lab.bench import run_bench

    screen = Screen(quiet=quiet)
    if data is not None:
        os.environ[DATA_VARIABLE] = str(data)
    with watching(screen) as observe:
        result = run_bench(name, observe)
    if json_file is not None:
        write_text(json_file, json.dumps(result.to_dict(), indent=2) + "\n")
    _show(screen, result)


def _show(screen: Screen, result: BenchResult) -> None:
    versions = ", ".join(f"{package} {number}" for package, number in result.versions.items())
    screen.line(f"{result.name}: {versions}", style="bold")
    screen.show("", _figures(result), "", *(f"{line.name}: {line.note}" for line in result.lines if line.note), "")
    screen.show(f"U is one sort of ten million numbers, {result.sort_unit_seconds:.2f} s here.", "")
    screen.show(f"Reference: {result.provenance}.")


def _figures(result: BenchResult) -> Table:
    shown = table("figure", "ours", "target", "reference", "unit", "met", right=("ours", "target", "reference"))
    for line in result.lines:
        met = None if line.met is None else cell(line.met)
        add_row(shown, line.name, line.value, line.target, line.reference, line.unit, met)
    return shown


app = group("Measure the speed figures.")
register(app, "bench", command, EXAMPLES)
