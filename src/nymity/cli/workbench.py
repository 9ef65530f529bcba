"""``nymity workbench``: the same in a browser."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from nymity.cli.console import Screen
from nymity.cli.shared_options import AsJson, Quiet
from nymity.core.errors import ParameterError

EXAMPLES = (
    "nymity workbench",
    "nymity workbench patients.csv",
    "nymity workbench job.toml --no-browser",
    "nymity workbench --serve house.toml",
)


def command(
    what: Annotated[
        str | None,
        typer.Argument(help="A table, a job, a release or a project's folder to begin with.", show_default=False),
    ] = None,
    projects: Annotated[
        Path | None,
        typer.Option(
            help="Folder of your projects (default: ~/nymity-projects, or NYMITY_PROJECTS).", show_default=False
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.", min=0, max=65_535)] = 0,
    serve: Annotated[
        Path | None,
        typer.Option(metavar="HOUSE.TOML", help="Serve several users, as this configuration says.", show_default=False),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
    *,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Work in a browser: from a table to a release, step by step.

    It listens on this machine alone, and the address that it opens works once. Files stay where they are; a project is
    a folder of your own. Ctrl-C ends it; runs that are under way go on, and are there when it is started again.

    With --serve it is for several users, who log in or come by a proxy that names them, each with a role.
    """
    if serve is not None:
        _serve_house(serve, Screen(quiet=quiet, as_json=as_json), alone=(what, projects, port or None))
        return
    # By name: the workbench lies above the command line, and runs its commands.
    server, projects_of = import_module("nymity.workbench.server"), import_module("nymity.workbench.home").Home
    screen = Screen(quiet=quiet, as_json=as_json)
    home = projects_of.usual() if projects is None else projects_of(projects)

    def told(address: str) -> None:
        screen.line(f"The workbench is at {address}")
        screen.line("The address works once, in one browser. Ctrl-C ends the workbench.")
        screen.answer({"address": address})

    server.serve(home, what=what, port=port, open_browser=browser, told=told)


def _serve_house(path: Path, screen: Screen, *, alone: tuple[object, ...]) -> None:
    if any(one is not None for one in alone):
        raise ParameterError(
            "--serve", expected="a configuration that says all of it", got="a table, --projects or --port with it"
        )
    configuration = import_module("nymity.workbench.house.configuration").HouseConfiguration.load(path)

    def told(address: str) -> None:
        screen.line(f"The workbench is at {address}")
        screen.answer({"address": address})

    import_module("nymity.workbench.house.house_server").serve_house(configuration, told=told)
