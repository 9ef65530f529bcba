"""Progress events: the one way an algorithm talks to the outside while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nymity.core.errors import Interrupted
from nymity.core.wording import count

#: Stages whose steps are nodes of the lattice.
_SEARCHES = ("searching the lattice", "evaluating the lattice")


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


def describe(progress: Progress) -> str:
    """Put a report into words: ``searching the lattice: 374 nodes checked, best loss so far 0.2113``."""
    words = progress.stage
    if progress.seconds_left is not None:
        return f"{words}: {progress.done:,} of {progress.total:,} done, about {duration(progress.seconds_left)} left"
    if words not in _SEARCHES:
        return words
    if progress.total:
        words += f": {progress.done:,} of {count(progress.total, 'node')} checked"
    elif progress.done:
        words += f": {count(progress.done, 'node')} checked"
    return words if progress.best is None else f"{words}, best loss so far {progress.best:.4g}"


def duration(seconds: float) -> str:
    """Write ``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
