"""``nymity bench``: the speed figures, ours beside the targets and the references."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nymity.cli.console import Screen, add_row, cell, table
from nymity.cli.inputs import write_text
from nymity.cli.progress import watching
from nymity.cli.register import group, register
from nymity.cli.shared_options import AsJson, Quiet

if TYPE_CHECKING:
    from nymity_lab.bench import BenchResult
    from nymity_lab.bench.machine_figures import Change, Machine

Data = Annotated[
    Path | None, typer.Option(help="Folder with the data sets (default: NYMITY_DATA).", show_default=False)
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", help="Also write the figures to this file.", show_default=False)
]
Only = Annotated[
    str | None, typer.Option(help="Measure this part alone, where a benchmark has parts.", show_default=False)
]
#: Ratios beyond this are shown; what lies within is noise on most machines.
NOISE = 0.1


def measuring(name: str) -> Callable[..., None]:
    """Return the command that measures one benchmark."""

    def command(data: Data = None, only: Only = None, json_file: JsonFile = None, quiet: Quiet = False) -> None:
        measure([name], data, json_file, Screen(quiet=quiet), only=only)

    command.__doc__ = f"Measure the figures of {name}, beside targets and references."
    return command


def everything(data: Data = None, json_file: JsonFile = None, quiet: Quiet = False) -> None:
    """Measure all figures; what cannot be measured here is named with the reason."""
    from nymity_lab.bench import benches

    measure(list(benches()), data, json_file, Screen(quiet=quiet), go_on=True)


def compare(
    before: Annotated[Path, typer.Argument(help="Figures of a machine or version.", show_default=False)],
    after: Annotated[Path, typer.Argument(help="Figures of another one.", show_default=False)],
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compare the figures of two files: those that changed by more than a tenth, and the means."""
    from nymity_lab.bench.machine_figures import Machine, compared, mean_ratio

    screen = Screen(quiet=quiet, as_json=as_json)
    changes = compared(Machine.read(before), Machine.read(after))
    screen.show(_changes([change for change in changes if abs(change.ratio - 1) > NOISE]), "")
    means = {unit: mean_ratio(changes, unit) for unit in dict.fromkeys(change.unit for change in changes)}
    for unit, mean in means.items():
        screen.line(f"{unit or 'no unit'}: after / before {mean:.3f} on average (geometric mean)")
    screen.line(f"{len(changes)} figures that both files have")
    screen.answer(
        {
            "means": means,
            "figures": [{**vars(change), "ratio": change.ratio if change.before else None} for change in changes],
        }
    )


def measure(
    names: list[str],
    data: Path | None,
    json_file: Path | None,
    screen: Screen,
    *,
    go_on: bool = False,
    only: str | None = None,
) -> None:
    """Measure benchmarks, show each, and write them all; with ``go_on`` those that cannot run are told.

    ``only``: the part that is measured alone.
    """
    from nymity.core.errors import NymityError
    from nymity_lab import bench
    from nymity_lab.bench.machine_figures import Machine
    from nymity_lab.datasets.public import DATA_VARIABLE

    if data is not None:
        os.environ[DATA_VARIABLE] = str(data)
    results: list[BenchResult] = []
    not_run: dict[str, str] = {}
    for name in names:
        try:
            with watching(screen) as observe:
                results.append(bench.run_bench(name, observe, only=only))
        except NymityError as error:
            if not go_on:
                raise
            not_run[name] = str(error)
            screen.line(f"{name} was not run: {error}")
            continue
        _show(screen, results[-1])
        _write(Machine.here(tuple(results), not_run), json_file)
    _write(Machine.here(tuple(results), not_run), json_file)


def _write(machine: Machine, path: Path | None) -> None:
    if path is not None:
        write_text(path, json.dumps(machine.to_dict(), indent=2) + "\n")


def _show(screen: Screen, result: BenchResult) -> None:
    versions = ", ".join(f"{package} {number}" for package, number in result.versions.items())
    screen.line(f"{result.name}: {versions}", style="bold")
    screen.show("", _figures(result), "", *(f"{line.name}: {line.note}" for line in result.lines if line.note), "")
    screen.show(f"G is counting ten million keys, {result.unit_seconds:.2f} s here.", "")
    screen.show(f"Reference: {result.provenance}.")


def _figures(result: BenchResult) -> Table:
    shown = table("figure", "ours", "target", "reference", "unit", "met", right=("ours", "target", "reference"))
    for line in result.lines:
        met = None if line.met is None else cell(line.met)
        add_row(shown, line.name, line.value, line.target, line.reference, line.unit, met)
    return shown


def _changes(changes: list[Change]) -> Table:
    shown = table("benchmark", "figure", "unit", "before", "after", "ratio", right=("before", "after", "ratio"))
    for change in sorted(changes, key=lambda change: -change.ratio):
        add_row(shown, change.bench, change.name, change.unit, change.before, change.after, round(change.ratio, 3))
    return shown


def _app() -> typer.Typer:
    from nymity_lab.bench import benches

    commands = group("Measure the speed figures, beside targets and references.")
    for name in benches():
        register(commands, name, measuring(name), [f"nymity bench {name} --data data --json {name}.json"])
    register(commands, "all", everything, ["nymity bench all --data data --json this-machine.json"])
    register(commands, "compare", compare, ["nymity bench compare before.json after.json"])
    return commands


app = _app()
