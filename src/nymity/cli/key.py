"""``nymity key``: make and show the keys that certificates are signed with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.shared_options import AsJson, Quiet
from nymity.core.errors import InputError

NEW_EXAMPLES = ("nymity key new ~/keys/hospital", "nymity key new ~/keys/test --no-passphrase")
SHOW_EXAMPLES = ("nymity key show hospital.pub",)


def new(
    path: Annotated[Path, typer.Argument(help="Where the private key goes; PATH.pub is the public one.")],
    passphrase: Annotated[
        bool,
        typer.Option(
            "--passphrase/--no-passphrase",
            help="Ask for a passphrase (or take it from NYMITY_KEY_PASSPHRASE), which the key is locked with.",
        ),
    ] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Make a key pair to sign certificates with.

    The private key never lies in a release or a custodian's folder, and never over another file. Give the .pub file, or
    its fingerprint, to whoever receives your releases, by a way they trust.
    """
    from nymity.publishing.sealing.signing import new_key

    screen = Screen(quiet=quiet, as_json=as_json)
    chosen = _chosen() if passphrase else ""
    public = new_key(path, chosen)
    screen.line(f"{path}   private: keep it to yourself{'' if chosen else '; it has no passphrase'}")
    screen.line(f"{path}.pub   public: give it to who checks")
    screen.line(f"fingerprint {public.fingerprint}", style="bold")
    screen.answer({"private": str(path), "public": f"{path}.pub", "fingerprint": public.fingerprint})


def show(
    path: Annotated[Path, typer.Argument(help="A key, public or private.", show_default=False)],
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show the fingerprint of a key."""
    from nymity.publishing.sealing.signing import show_key

    screen = Screen(quiet=quiet, as_json=as_json)
    public = show_key(path)
    screen.line(public.fingerprint)
    screen.answer({"key": str(path), "fingerprint": public.fingerprint})


def ask(question: str) -> str:
    """Ask for a passphrase where somebody can answer; nothing is shown while it is typed."""
    if not sys.stdin.isatty():
        return ""
    return str(typer.prompt(question, default="", hide_input=True, show_default=False, err=True))


def _chosen() -> str:
    from nymity.publishing.sealing.signing import PASSPHRASE_VARIABLE

    if PASSPHRASE_VARIABLE in os.environ:
        return os.environ[PASSPHRASE_VARIABLE]
    if not sys.stdin.isatty():
        raise InputError(
            "key new",
            expected="a terminal to ask for a passphrase",
            got="none",
            hint=f"set {PASSPHRASE_VARIABLE}, or --no-passphrase",
        )
    return str(
        typer.prompt(
            "Passphrase (empty for none)",
            default="",
            hide_input=True,
            show_default=False,
            confirmation_prompt=True,
            err=True,
        )
    )
