"""What can come of a case. The last five must never come."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Classes of outcomes, from harmless to worst."""

    OK = "ok"
    ERROR = "clear error"
    TRACEBACK = "traceback"
    HANG = "hang"
    WRONG = "wrong success"
    MIXED = "mixed state"
    LEAK = "leak"

    @property
    def is_defect(self) -> bool:
        """Whether this must never be."""
        return self not in (Outcome.OK, Outcome.ERROR)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """An outcome, and what was seen."""

    outcome: Outcome
    said: str = ""


def worst(verdicts: list[Verdict]) -> Verdict:
    """Return the verdict that matters most."""
    order = list(Outcome)
    return max(verdicts, key=lambda verdict: order.index(verdict.outcome), default=Verdict(outcome=Outcome.OK))
