"""``nymity identify``: whose a pseudonym is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.shared_options import AsJson, CustodianOption, Quiet, Wait

EXAMPLES = ('nymity identify release --pseudonym p1f… --reason "incidental finding, ethics vote 12"',)


def command(
    release: Annotated[Path, typer.Argument(help="Folder of the release, or its table.", show_default=False)],
    pseudonym: Annotated[str, typer.Option(help="The pseudonym, as it stands in the table.", show_default=False)],
    reason: Annotated[
        str, typer.Option(help="Why this person is to be known; it is noted with the time.", show_default=False)
    ],
    custodian: CustodianOption = None,
    wait: Wait = 0.0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Tell whose a pseudonym is, from the custodian's folder.

    The question is noted there first, with time and reason, whether the pseudonym is found or not.
    """
    from nymity.publishing.releases.identify import identify

    screen = Screen(quiet=quiet, as_json=as_json)
    found = identify(release, pseudonym, reason=reason, custodian=custodian, wait=wait)
    screen.line(found.person, style="bold")
    screen.show(f"Noted in {found.noted}.")
    screen.answer({"pseudonym": found.pseudonym, "person": found.person, "noted": str(found.noted)})
