"""What studies share in reading their results: rows by their values, findings, notes, and words for figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nymity_lab.study.exhibit import Finding
from nymity_lab.study.study import Results, Row, Rows

SECONDS = "CPU seconds"
PLOTTED = "The thesis draws this figure and prints none of its values, so its findings are what can be compared."
GENERATED = "Generated records, few of them: this shows that every part runs, and decides nothing."


def finding(results: Results, paper: str, ours: str, holds: bool | None) -> Finding:
    """Return a finding, which generated records do not decide."""
    return Finding(paper=paper, ours=ours, holds=None if results.scale == "smoke" else holds)


def not_comparable(paper: str, ours: str) -> Finding:
    """Return what cannot be compared, with the reason in ``ours``."""
    return Finding(paper=paper, ours=ours, holds=None, comparable=False)


def notes(results: Results, *further: str) -> tuple[str, ...]:
    """Return notes, with what is to be thought of generated records."""
    return (*([GENERATED] if results.scale == "smoke" else []), *further)


def where(rows: Rows, **wanted: object) -> Rows:
    """Return the rows with these values; a tuple allows any of its members."""

    def fits(row: Row, name: str, value: object) -> bool:
        return row[name] in value if isinstance(value, Sequence) and not isinstance(value, str) else row[name] == value

    return [row for row in rows if all(fits(row, name, value) for name, value in wanted.items())]


def both(*verdicts: bool | None) -> bool | None:
    """Join verdicts: one that does not hold decides, then one that is not decided."""
    return False if False in verdicts else None if None in verdicts else True


def span(values: Iterable[float]) -> str:
    """Write ``0.98 to 1.31``."""
    found = sorted(values)
    low, high = figure(found[0]), figure(found[-1])
    return low if low == high else f"{low} to {high}"


def figure(value: float) -> str:
    """Write a number with about four digits that count."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
