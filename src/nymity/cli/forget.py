"""``nymity forget``: the end of custody."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.shared_options import AsJson, CustodianOption, Quiet, Wait
from nymity.core.errors import ParameterError
from nymity.core.wording import count

EXAMPLES = ("nymity forget release --yes", "nymity forget release --custodian /safe/place --yes")


def command(
    release: Annotated[Path, typer.Argument(help="Folder of the release, or its custodian's.", show_default=False)],
    custodian: CustodianOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Really: it cannot be undone.")] = False,
    wait: Wait = 0.0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """End custody of a release: remove what links it to its source, for good.

    Row mapping, keys, salt, nodes and recoding go, and those of the releases it replaced. The release stays, with
    certificate and signature, and can still be checked.
    """
    from nymity.publishing.custodian.forget import LOST, NOT_PROMISED, forget

    screen = Screen(quiet=quiet, as_json=as_json)
    if not yes:
        raise ParameterError(
            "--yes",
            expected="a confirmation, since it cannot be undone",
            got="nothing",
            hint=f"nymity forget {release} --yes; nobody will then be able to {LOST[0]}, or to {LOST[2]}",
        )
    found = forget(release, custodian=custodian, wait=wait)
    if not found.removed:
        screen.line(f"Custody of {release} was ended on {found.ended}; there is nothing left to remove.", style="bold")
    else:
        screen.line(
            f"Custody of {release} has ended: {count(len(found.removed), 'file')} removed or emptied.", style="bold"
        )
        screen.show("", "From now on nobody can")
        for lost in found.lost:
            screen.show(f"- {lost}")
        screen.show("", NOT_PROMISED)
    if found.unknown:
        screen.warn(f"not touched, for nymity did not put it there: {', '.join(map(str, found.unknown))}")
    screen.answer(
        {
            "custodian": str(found.folder),
            "custody_ended": found.ended,
            "removed": [str(path) for path in found.removed],
            "unknown": [str(path) for path in found.unknown],
            "lost": list(found.lost),
            "not_promised": found.not_promised,
        }
    )
