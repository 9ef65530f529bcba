"""Ctrl-C while compiled code runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C inside a block come out as KeyboardInterrupt, whatever was running.

    A signal that arrives while numba hands a kernel's result back leaves the interrupt set beside the result, which
    Python reports as a SystemError caused by it, or by another one that was.
    """
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
