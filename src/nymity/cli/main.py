"""``nymity``: every command by its name. Heavy imports wait inside the commands, so that ``--help`` is quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from inspect import cleandoc
from typing import Annotated

import typer

from nymity.cli import (
    apply,
    bench,
    check,
    compare,
    demo,
    explore,
    forecast,
    forget,
    hierarchy,
    inspect,
    key,
    measure,
    publish,
    query,
    recommend,
    report,
    risk,
    robust,
    schema,
    study,
)
from nymity.cli.failure import describe_bug, guarded
from nymity.cli.stopping import stop_code
from nymity.cli.streams import guard_streams
from nymity.core.exit_code import ExitCode
from nymity.core.quoting import hidden

app = typer.Typer(
    name="nymity",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # they would print local variables, and those hold people's data
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with [bold]nymity demo[/bold], or with your own table: [bold]nymity inspect table.csv[/bold]\n\n"
    "Exit codes: " + "; ".join(f"{code.value} {code.means}" for code in ExitCode),
)


def run() -> int:
    """Run the command line and return the exit code; what was not foreseen ends with a traceback and 70."""
    stdout = guard_streams()
    code = _exit_code()
    sys.stdout.flush()
    if stdout is not None and stdout.lost is not None and code == ExitCode.HOLDS:
        code = ExitCode.NOT_PRINTED  # an answer or an error is more than that
        if stdout.reason:
            sys.stderr.write(f"error: not all could be printed: {stdout.reason}\n")
    sys.stderr.flush()
    return code


def _exit_code() -> int:
    try:
        app()
    except SystemExit as done:
        if done.code == ExitCode.INTERRUPTED:
            return stop_code()
        return done.code if isinstance(done.code, int) else ExitCode.HOLDS if done.code is None else ExitCode.BUG
    except KeyboardInterrupt:
        return stop_code()
    except BaseException as bug:  # noqa: BLE001 -- told, and the process ends; a panic of polars is no Exception
        sys.stderr.write(describe_bug(bug, values=not (hidden() or "--no-values" in sys.argv)))
        return ExitCode.BUG
    return ExitCode.HOLDS


def _register(name: str, command: Callable[..., None], examples: Sequence[str], to: typer.Typer = app) -> None:
    paragraphs = [" ".join(text.split()) for text in cleandoc(command.__doc__ or "").split("\n\n")]
    lines = ["[bold]Examples[/bold]", *(f"  {example}" for example in examples)]
    to.command(name, help="\n\n".join(paragraphs), epilog="\n".join(lines))(guarded(command))


_register("demo", demo.command, demo.EXAMPLES)
_register("inspect", inspect.command, inspect.EXAMPLES)
_register("publish", publish.command, publish.EXAMPLES)
_register("explore", explore.command, explore.EXAMPLES)
_register("forecast", forecast.command, forecast.EXAMPLES)
_register("check", check.command, check.EXAMPLES)
_register("report", report.command, report.EXAMPLES)
_register("measure", measure.command, measure.EXAMPLES)
_register("compare", compare.command, compare.EXAMPLES)
_register("query", query.command, query.EXAMPLES)
_register("recommend", recommend.command, recommend.EXAMPLES)
_register("risk", risk.command, risk.EXAMPLES)
_register("apply", apply.command, apply.EXAMPLES)
_register("forget", forget.command, forget.EXAMPLES)
_register("hierarchy", hierarchy.command, hierarchy.EXAMPLES)
_register("schema", schema.command, schema.EXAMPLES)
_register("bench", bench.command, bench.EXAMPLES)

_keys = typer.Typer(no_args_is_help=True, help="Make and show the keys that sign certificates.")
_register("new", key.new, key.NEW_EXAMPLES, _keys)
_register("show", key.show, key.SHOW_EXAMPLES, _keys)
app.add_typer(_keys, name="key")

_studies = typer.Typer(no_args_is_help=True, help="Repeat a paper's tables and figures, its values beside ours.")
_register("list", study.list_studies, study.LIST_EXAMPLES, _studies)
_register("run", study.run, study.RUN_EXAMPLES, _studies)
app.add_typer(_studies, name="study")

_robust = typer.Typer(no_args_is_help=True, help="Protect image classifiers from adversarial examples; attack them.")
_register("train", robust.train, robust.TRAIN_EXAMPLES, _robust)
_register("attack", robust.attack, robust.ATTACK_EXAMPLES, _robust)
_register("evaluate", robust.evaluate, robust.EVALUATE_EXAMPLES, _robust)
_register("certify", robust.certify, robust.CERTIFY_EXAMPLES, _robust)
app.add_typer(_robust, name="robust")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"nymity {version('nymity')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Turn a table about people into a release that others can use and nobody can misuse."""
