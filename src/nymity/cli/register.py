"""How a command gets onto the command line: its help and examples from the function, its errors told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import cleandoc

import typer

from nymity.cli.failure import guarded

_HELP = {"help_option_names": ["-h", "--help"]}


def group(help_text: str, *, epilog: str | None = None) -> typer.Typer:
    """Return a group of commands that shows its help when none of them is named."""
    return typer.Typer(
        help=help_text,
        epilog=epilog,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,  # they would print local variables, and those hold people's data
        rich_markup_mode="rich",
        context_settings=_HELP,
    )


def register(to: typer.Typer, name: str, command: Callable[..., None], examples: Sequence[str]) -> None:
    """Add a command to a group: its help is its docstring, followed by the examples."""
    paragraphs = [" ".join(text.split()) for text in cleandoc(command.__doc__ or "").split("\n\n")]
    lines = ["[bold]Examples[/bold]", *(f"  {example}" for example in examples)]
    added = to.command(name, help="\n\n".join(paragraphs), epilog="\n".join(lines), context_settings=_HELP)
    added(guarded(command))
