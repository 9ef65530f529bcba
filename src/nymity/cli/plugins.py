"""Commands that other distributions bring: found by their entry points, loaded when they are called.

A distribution names them in its pyproject, each a ``typer.Typer``:

    [project.entry-points."nymity.commands"]
    study = "nymity_lab.cli.study:app"

Those of this repository are known by name, so that the help lists them and says what to install where they are absent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint

import typer

from nymity.cli.failure import guarded
from nymity.core.errors import MissingExtraError
from nymity.core.extras import distribution_of, load, registered

GROUP = "nymity.commands"
#: All arguments are the plugin's to read, a ``--`` among them too.
_ANYTHING = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    "allow_interspersed_args": False,
    "help_option_names": [],
}


@dataclass(frozen=True, kw_only=True)
class Known:
    """A command of this repository outside of the distribution ``nymity``."""

    distribution: str
    help: str


KNOWN = {
    "bench": Known(distribution="nymity-lab", help="Measure the speed figures, beside targets and references."),
    "study": Known(distribution="nymity-lab", help="Repeat a paper's tables and figures, its values beside ours."),
    "robust": Known(
        distribution="nymity-robust", help="Protect image classifiers from adversarial examples; attack them."
    ),
}


def add_plugins(to: typer.Typer) -> list[str]:
    """Add a command for everything that is installed or known, and say what was left out.

    None of it is imported before it is called, and none takes the place of a command that is there.
    """
    taken = [*(one.name for one in to.registered_commands), *(one.name for one in to.registered_groups)]
    installed, notes = registered(GROUP, [name for name in taken if name])
    # Commands that are known and not installed are listed, too: calling one says what to install.
    for name in dict.fromkeys([*KNOWN, *installed]):
        entry, known = installed.get(name), KNOWN.get(name)
        command = _absent(name, KNOWN[name]) if entry is None else _later(name, entry)
        help_text = known.help if known is not None else f"Brought by {distribution_of(entry) if entry else name}."
        if entry is None:
            help_text += f" (pip install {KNOWN[name].distribution})"
        to.command(name, help=help_text, context_settings=_ANYTHING, add_help_option=False)(command)
    return notes


def _later(name: str, entry: EntryPoint) -> Callable[..., None]:
    def call(ctx: typer.Context) -> None:
        plugin: typer.Typer = load(entry, typer.Typer, expected="a typer.Typer")
        code = plugin(ctx.args, prog_name=f"nymity {name}", standalone_mode=False)
        raise typer.Exit(code if isinstance(code, int) else 0)

    return guarded(call)


def _absent(name: str, command: Known) -> Callable[..., None]:
    def tell() -> None:
        raise MissingExtraError(
            f"nymity {name} comes with the package {command.distribution!r}, which is not installed. "
            f"Try: pip install {command.distribution}"
        )

    return guarded(tell)
