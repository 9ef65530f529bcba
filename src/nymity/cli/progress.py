"""Progress on the terminal: one line that says what is going on and goes away when it is done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from nymity.cli.console import Screen
from nymity.core.progress import Observer, Progress, silent
from nymity.core.wording import count

#: Seconds between two updates: a search reports every node, thousands in a second.
REFRESH = 0.1

#: Stages whose steps are nodes of the lattice.
_SEARCHES = ("searching the lattice", "evaluating the lattice")


@contextmanager
def watching(screen: Screen) -> Iterator[Observer]:
    """Give an observer that draws on stderr, or one that does nothing when nobody is looking."""
    if screen.silent or not screen.err.is_terminal:
        yield silent
        return
    from rich.progress import Progress as Display
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Display(*columns, console=screen.err, transient=True) as display:
        task = display.add_task("starting", total=None)
        stage, drawn = "", 0.0

        def observe(progress: Progress) -> None:
            nonlocal stage, drawn
            now = time.monotonic()
            if progress.stage != stage or now - drawn >= REFRESH:
                stage, drawn = progress.stage, now
                display.update(task, description=describe(progress))

        yield observe


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
