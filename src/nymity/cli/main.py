"""``nymity``: every command by its name. Heavy imports wait inside the commands, so that ``--help`` is quick."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from nymity.cli.console import Screen, widen
from nymity.cli.failure import describe_bug
from nymity.cli.register import group, register
from nymity.cli.stopping import stop_code
from nymity.cli.streams import guard_streams
from nymity.core.exit_code import ExitCode
from nymity.core.quoting import hidden

#: The commands, each a module of this package, in the order of the help.
_COMMANDS = (
    "demo", "inspect", "import", "publish", "preset", "explore", "forecast", "check", "report", "measure", "compare",
    "query", "recommend", "risk", "attack", "apply", "identify", "forget", "hierarchy", "schema",
    "workbench", "workbench-password",
)  # fmt: skip
#: Where a module cannot have the name of its command.
_MODULES = {"import": "import_project"}


def run() -> int:
    """Run the command line and return the exit code; what was not foreseen ends with a traceback and 70."""
    stdout = guard_streams()
    widen()
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
        called, left_out = command_line(sys.argv[1:])
        for note in left_out:
            Screen().warn(note)
        called()
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


def command_line(arguments: Sequence[str]) -> tuple[typer.Typer, list[str]]:
    """Return the command that is called, where it is one of ours, or else all of them; and what is wrong with plugins.

    To prepare the others, and to look for plugins, takes longer than many a command.
    """
    called = arguments[0] if arguments and arguments[0] in _COMMANDS else None
    made = group(
        "Turn a table about people into a release that others can use and nobody can misuse.",
        epilog=None if called is not None else _epilog(),
    )
    made.callback()(_options)
    for name in _COMMANDS if called is None else [called]:
        module = import_module(f"nymity.cli.{_MODULES.get(name, name.replace('-', '_'))}")
        register(made, name, module.command, module.EXAMPLES)
    return made, [] if called is not None else _further(made)


def _epilog() -> str:
    return (
        "Start with [bold]nymity demo[/bold], or with your own table: [bold]nymity inspect table.csv[/bold]\n\n"
        "Exit codes: " + "; ".join(f"{code.value} {code.means}" for code in ExitCode)
    )


def _further(to: typer.Typer) -> list[str]:
    """Add groups of commands, and what other distributions bring; say what of that was left out."""
    from nymity.cli import key
    from nymity.cli.plugins import add_plugins

    keys = group("Make and show the keys that sign certificates.")
    register(keys, "new", key.new, key.NEW_EXAMPLES)
    register(keys, "show", key.show, key.SHOW_EXAMPLES)
    to.add_typer(keys, name="key")
    return add_plugins(to)


@cache
def _whole() -> typer.Typer:
    return command_line([])[0]


def __getattr__(name: str) -> Any:
    if name == "app":  # the whole of it, for whoever calls several commands
        return _whole()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"nymity {version('nymity')}")
        raise typer.Exit


def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Turn a table about people into a release that others can use and nobody can misuse."""
