"""How numbers and values are written on pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nymity.core.wording import count, percent

__all__ = ["MISSING", "amount", "axis_labels", "count", "listed", "percent", "shortened"]

MISSING = "(missing)"


def listed(words: Iterable[str], *, limit: int = 12) -> str:
    """Return ``a, b and c``; a long list is cut and counted."""
    found = list(words)
    if len(found) > limit:
        found = [*found[: limit - 1], f"{len(found) - limit + 1} more"]
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}" if found else "none"


def amount(number: float) -> str:
    """Return a number of any size with about four digits that count."""
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def shortened(text: str, limit: int = 26) -> str:
    """Return text that fits beside an axis, on one line; beginning and end are kept, for values often differ there."""
    line = " ".join(text.split()) or repr(text)
    tail = limit // 3
    return line if len(line) <= limit else f"{line[: limit - tail - 1]}…{line[-tail:]}"


def axis_labels(values: Sequence[str | None], limit: int = 26) -> list[str]:
    """Return short labels that stay different where the values are; a missing value is called so."""
    labels: dict[str, None] = {}
    for value in values:
        plain = MISSING if value is None else shortened(value, limit)
        label, number = plain, 1
        while label in labels:
            number += 1
            label = f"{plain} ({number})"
        labels[label] = None
    return list(labels)
