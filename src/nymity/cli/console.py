"""Screen: the one place that writes to a terminal."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

_BAR_WIDTH = 20
#: Columns below which a table cannot be read.
_NARROWEST = 20
_STYLES = {"error": "bold red", "note": "bold yellow"}


class Screen:
    """Where a command shows its answer: for people on stdout, or as one JSON object; warnings on stderr.

    Nothing shown is taken for markup, so a column called ``[red]`` is called so on screen too.
    """

    def __init__(self, *, quiet: bool = False, as_json: bool = False) -> None:
        self.silent = quiet or as_json
        self.as_json = as_json

    @cached_property
    def out(self) -> Console:
        """Standard output."""
        return _console(stderr=False)

    @cached_property
    def err(self) -> Console:
        """Standard error."""
        return _console(stderr=True)

    def show(self, *things: RenderableType) -> None:
        """Show something to people; a :class:`Table` or wrapped text."""
        if not self.silent:
            for thing in things:
                self.out.print(_printable(thing) if isinstance(thing, str) else thing)

    def line(self, text: str = "", *, style: str | None = None) -> None:
        """Show one line as it is, however long: a path must stay in one piece to be copied."""
        if not self.silent:
            self.out.print(_printable(text), style=style, soft_wrap=True)

    def warn(self, text: str) -> None:
        """Print on stderr what deserves attention though it is no error, also when quiet."""
        self.tell("note", text)

    def tell(self, head: str, text: str) -> None:
        """Write one unbroken line ``head: text`` to stderr."""
        from rich.text import Text

        line = Text.assemble((f"{head}: ", _STYLES.get(head, "bold")), " ".join(_printable(text).split("\n")))
        self.err.print(line, soft_wrap=True)

    def answer(self, data: Mapping[str, Any]) -> None:
        """Write the machine-readable result, where that was asked for."""
        if self.as_json:
            write_json(data)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console  # takes longer to load than a quiet command has to say

    return Console(markup=False, highlight=False, emoji=False, stderr=stderr)


def widen() -> None:
    """Take no width from the environment in which nothing can be printed: ``COLUMNS=0`` means that it is not known."""
    told = os.environ.get("COLUMNS")
    if told is not None and not (told.strip().isdigit() and int(told) >= _NARROWEST):
        del os.environ["COLUMNS"]


def write_json(data: Mapping[str, Any]) -> None:
    """Write one JSON object to stdout, in ASCII so that no terminal's encoding can spoil it."""
    typer.echo(json.dumps(_plain(data), indent=2, allow_nan=False, default=str))


def table(*columns: str, title: str | None = None, right: Iterable[str] = ()) -> Table:
    """Return an empty table; numbers of the columns ``right`` are flushed right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(
        title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False, show_edge=False
    )
    for name in columns:
        made.add_column(name, justify="right" if name in set(right) else "left", overflow="fold")
    return made


def add_row(to: Table, *cells: object, style: str | None = None) -> None:
    """Add a row of plain text cells."""
    to.add_row(*(cell(value) for value in cells), style=style)


def cell(value: object) -> str:
    """Write a value for people: thousands separated, missing as ``–``, without control characters."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{_printable(str(key))} {cell(item)}" for key, item in value.items())
    return f"{value:,.4g}" if isinstance(value, float) else _printable(str(value))


def parameters(values: Mapping[str, Any]) -> str:
    """Write parameters of a model as they are named; those by sensitive value as a list."""
    return ", ".join(
        f"{name}: {cell(value)}" if isinstance(value, Mapping) else f"{name} = {'–' if value is None else value}"
        for name, value in values.items()
    )


def bar(share: float, width: int = _BAR_WIDTH) -> str:
    """Draw a share from 0 to 1; it reads without colour too."""
    filled = round(width * min(max(share, 0.0), 1.0))
    return "█" * filled + "░" * (width - filled)


def _printable(text: str) -> str:
    """Replace control characters, with which data could drive the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _plain(value: Any) -> Any:
    """Turn mappings and sequences into JSON's own, which has no infinity (``infinite``) and no not-a-number (null)."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value == math.inf:
        return "infinite"
    return None if isinstance(value, float) and not math.isfinite(value) else value
