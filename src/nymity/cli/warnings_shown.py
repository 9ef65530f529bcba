"""How commands say whether a release holds, and its warnings, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nymity.cli.console import Screen, add_row

if TYPE_CHECKING:
    from nymity.table.schema import Schema


def show_warnings(screen: Screen, what: str, warnings: Sequence[Mapping[str, Any]]) -> None:
    """Print that something holds and with how many warnings, and list them."""
    from nymity.publishing.caveats import verdict

    said = f"{what} {verdict(True, len(warnings))}."
    if warnings:
        list_warnings(screen, said, warnings)
    else:
        screen.line(said, style="bold green")


def list_warnings(screen: Screen, head: str, warnings: Sequence[Mapping[str, Any]]) -> None:
    """List warnings below a line."""
    screen.line(head, style="bold yellow")
    from rich.table import Table

    shown = Table.grid(padding=(0, 1, 0, 0))
    shown.add_column(justify="right", no_wrap=True)
    shown.add_column()
    for number, warning in enumerate(warnings, start=1):
        add_row(shown, f"{number}.", warning["says"])
    screen.show(shown)


def uncounted(screen: Screen, names: Sequence[str]) -> None:
    """Warn of perturbed columns that others may know: figures by quasi-identifiers do not count them."""
    if names:
        screen.warn(
            f"none of these figures counts {' and '.join(map(repr, names))}, perturbed columns that others may know, "
            "too: whoever does finds more"
        )


def counted(screen: Screen, schema: Schema, columns: Sequence[str]) -> str:
    """Return what is counted in a table of a schema, and warn where that is records though promises are to others."""
    if schema.unit is None or schema.unit in columns:
        return schema.counts
    screen.warn(
        f"the table has no column {schema.unit!r}: records are counted here, not {schema.counts}. One of the "
        f"{schema.counts} may have most records of a class, and is then found more often than these figures say; the "
        "certificate counts them."
    )
    return "records"
