"""Proposal: one thing that cells of a table seem to mean, with what speaks for it."""

from __future__ import annotations

from dataclasses import dataclass

from nymity.core.quoting import MARK, quoted


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """One thing that seems to be meant: a field of the job's source, its value, for which columns, and why.

    Where the cells leave it open (``sure`` is False), a person has to decide.
    """

    field: str
    value: str
    columns: tuple[str, ...]
    evidence: str
    sure: bool = True


def quoted_cell(cell: str) -> str:
    """Quote a cell for somebody who sees the table."""
    return quoted(cell).replace(MARK, "")  # which is for errors
