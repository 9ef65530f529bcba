"""Progress events: the one way an algorithm talks to the outside while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nymity.core.errors import Interrupted


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One report: ``done`` of ``total`` steps of a ``stage``; ``total`` is None while it is unknown.

    ``best`` is what was found so far, ``bound`` what nothing can be better than; ``seconds_left`` is an estimate, where
    there is one.
    """

    stage: str
    done: int = 0
    total: int | None = None
    best: float | None = None
    bound: float | None = None
    seconds_left: float | None = None


#: Called with each report; returning ``False`` asks the algorithm to stop.
Observer = Callable[[Progress], bool | None]


def silent(_: Progress) -> None:
    """Take no notice: the observer used when the caller gave none."""


def report(observe: Observer, progress: Progress) -> None:
    """Hand one report to the observer and stop with :class:`Interrupted` when it asks for that."""
    if observe(progress) is False:
        raise Interrupted(f"stopped by the caller during {progress.stage} after {progress.done} steps")
