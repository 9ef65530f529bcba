"""``nymity``: every command by its name. Heavy imports wait inside the commands, so that ``--help`` is quick."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from nymity.cli import (
    apply,
    attack,
    check,
    compare,
    demo,
    explore,
    forecast,
    forget,
    hierarchy,
    identify,
    inspect,
    key,
    measure,
    preset,
    publish,
    query,
    recommend,
    report,
    risk,
    schema,
)
from nymity.cli.console import Screen, widen
from nymity.cli.failure import describe_bug
from nymity.cli.plugins import add_plugins
from nymity.cli.register import group, register
from nymity.cli.stopping import stop_code
from nymity.cli.streams import guard_streams
from nymity.core.exit_code import ExitCode
from nymity.core.quoting import hidden

app = group(
    "Turn a table about people into a release that others can use and nobody can misuse.",
    epilog="Start with [bold]nymity demo[/bold], or with your own table: [bold]nymity inspect table.csv[/bold]\n\n"
    "Exit codes: " + "; ".join(f"{code.value} {code.means}" for code in ExitCode),
)


def run() -> int:
    """Run the command line and return the exit code; what was not foreseen ends with a traceback and 70."""
    stdout = guard_streams()
    widen()
    for note in _LEFT_OUT:
        Screen().warn(note)
    code = _exit_code()
    sys.stdout.flush()
    if stdout is not None and stdout.lost is not None:
        code = ExitCode.NOT_PRINTED if code == ExitCode.HOLDS else code  # an answer or an error is more than that
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


register(app, "demo", demo.command, demo.EXAMPLES)
register(app, "inspect", inspect.command, inspect.EXAMPLES)
register(app, "publish", publish.command, publish.EXAMPLES)
register(app, "preset", preset.command, preset.EXAMPLES)
register(app, "explore", explore.command, explore.EXAMPLES)
register(app, "forecast", forecast.command, forecast.EXAMPLES)
register(app, "check", check.command, check.EXAMPLES)
register(app, "report", report.command, report.EXAMPLES)
register(app, "measure", measure.command, measure.EXAMPLES)
register(app, "compare", compare.command, compare.EXAMPLES)
register(app, "query", query.command, query.EXAMPLES)
register(app, "recommend", recommend.command, recommend.EXAMPLES)
register(app, "risk", risk.command, risk.EXAMPLES)
register(app, "attack", attack.command, attack.EXAMPLES)
register(app, "apply", apply.command, apply.EXAMPLES)
register(app, "identify", identify.command, identify.EXAMPLES)
register(app, "forget", forget.command, forget.EXAMPLES)
register(app, "hierarchy", hierarchy.command, hierarchy.EXAMPLES)
register(app, "schema", schema.command, schema.EXAMPLES)

_keys = group("Make and show the keys that sign certificates.")
register(_keys, "new", key.new, key.NEW_EXAMPLES)
register(_keys, "show", key.show, key.SHOW_EXAMPLES)
app.add_typer(_keys, name="key")
#: What is wrong with plugins that are installed.
_LEFT_OUT = add_plugins(app)


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
