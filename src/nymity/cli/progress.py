"""Progress on the terminal: one line that says what is going on and goes away when it is done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from nymity.cli.console import Screen
from nymity.core.progress import Observer, Progress, describe, silent

#: Seconds between two updates: a search reports every node, thousands in a second.
REFRESH = 0.1


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
            # Searches report thousands of times a second; the terminal is drawn some times a second.
            if progress.stage != stage or now - drawn >= REFRESH:
                stage, drawn = progress.stage, now
                display.update(task, description=describe(progress))

        yield observe
