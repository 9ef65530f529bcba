"""How numbers and values are written for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MISSING = "(missing)"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 record``, ``20,000 records``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def percent(part: float, whole: float = 1.0) -> str:
    """Return a share with as many digits as it needs; what is not nothing is never written as 0%."""
    share = part / whole if whole else 0.0
    if 0 < share < 0.0005:
        return "under 0.1%"
    if 0.9995 <= share < 1:
        return "over 99.9%"
    return f"{share:.0%}" if share in (0, 1) else f"{share:.1%}"


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
