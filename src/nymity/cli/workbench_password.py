"""``nymity workbench-password``: who may log in to a workbench for an institution."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.shared_options import AsJson, Quiet

EXAMPLES = (
    "nymity workbench-password /etc/nymity/passwords ada",
    "nymity workbench-password /etc/nymity/passwords ada --remove",
)


def command(
    file: Annotated[Path, typer.Argument(help="The password file; it is made if it is not there.")],
    name: Annotated[str, typer.Argument(help="The user, as the configuration names them.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take the user out instead.")] = False,
    *,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Set or change the password of a user, or take it away; whoever is logged in with the old one is logged out.

    The password is asked for twice, or read from the first line of what is piped in. It never stands on the command
    line, where others could read it. The file has its argon2id hash.
    """
    # By name: the workbench lies above the command line.
    entries = import_module("nymity.workbench.house.passwords").PasswordFile(file)
    screen = Screen(quiet=quiet, as_json=as_json)
    if remove:
        entries.remove(name)
    else:
        entries.put(name, _asked())
    done = "taken out of" if remove else "written to"
    screen.line(f"{name} is {done} {file}")
    screen.answer({"user": name, "file": str(file), "removed": remove})


def _asked() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
