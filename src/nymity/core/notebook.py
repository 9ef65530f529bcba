"""Progress in notebooks: one line below the cell that says what is going on, and goes away when it is done.

Algorithms only report to an observer; the command line draws with one of its own. Whoever calls from a notebook and
gives none gets this one. It draws by what every notebook has, IPython's displays, so it needs no widgets, and nothing
of it is left in a notebook that is passed on.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from html import escape
from typing import Any, ParamSpec, TypeVar

from nymity.core.progress import Observer, Progress, describe

_P = ParamSpec("_P")
_R = TypeVar("_R")
#: Seconds before anything is drawn, and between two drawings: most calls are done before.
PATIENCE, REFRESH = 1.0, 0.2


def watched_in_notebooks(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function with ``observe`` so that notebooks show its progress where the caller gives no observer."""
    if "observe" not in inspect.signature(function).parameters:
        return function

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if "observe" in kwargs or not in_notebook():
            return function(*args, **kwargs)
        with shown() as observe:
            kwargs["observe"] = observe
            return function(*args, **kwargs)

    return called


def in_notebook() -> bool:
    """Whether this runs in a kernel that a notebook talks to; a terminal, with or without IPython, is none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


@contextmanager
def shown() -> Iterator[Observer]:
    """Give an observer that draws below the cell, and wipe what it drew in the end."""
    from IPython.display import display

    handle: Any = None
    began = drawn = time.monotonic()

    def observe(progress: Progress) -> None:
        nonlocal handle, drawn
        now = time.monotonic()
        if now - began < PATIENCE or now - drawn < REFRESH:
            return
        drawn, line = now, _Line(progress, now - began)
        if handle is None:
            handle = display(line, display_id=True)  # type: ignore[no-untyped-call]
        else:
            handle.update(line)

    try:
        yield observe
    finally:
        if handle is not None:
            handle.update(_Line(None, 0.0))


class _Line:
    """One line of progress, as text and as HTML; nothing at the end."""

    def __init__(self, progress: Progress | None, seconds: float) -> None:
        self.text = "" if progress is None else f"{describe(progress)} ({seconds:.0f} s)"
        self.share = None if progress is None or not progress.total else min(progress.done / progress.total, 1.0)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        if not self.text:
            return ""
        bar = "" if self.share is None else f'<progress value="{self.share:.3f}" max="1"></progress> '
        return f"<small>{bar}{escape(self.text)}</small>"
