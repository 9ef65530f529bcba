"""What can go wrong in an engine, in one form of error: what was done, what the engine says, what to try."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from nymity.core.errors import FileError, NymityError, OutOfMemoryError
from nymity.core.quoting import relayed

_DOING = {
    "read": "to read the source",
    "count": "to count combinations",
    "apply": "to recode rows and write them",
    "measure": "to measure what was written",
}
_FULL = ("no space left", "disk quota", "out of disk", "max_temp_directory_size", "enospc")
#: What DuckDB makes of an interrupt while a query runs.
_INTERRUPTED = "Query interrupted"
_MEMORY = ("out of memory", "outofmemory", "java heap space", "cannot allocate")


_KNOWN: tuple[type[BaseException], ...] = (
    OSError,
    MemoryError,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)


@contextmanager
def told(kind: str, stage: str, *errors: type[BaseException]) -> Iterator[None]:
    """Make errors of an engine's own, polars' and the system's into ours."""
    try:
        yield
    except NymityError:
        raise
    except BaseException as error:
        if isinstance(error, RuntimeError) and str(error) == _INTERRUPTED:
            raise KeyboardInterrupt from error
        if not isinstance(error, (*_KNOWN, *errors)):
            raise
        raise failure(kind, stage, error) from error


def failure(kind: str, stage: str, error: BaseException) -> NymityError:
    """Return the error that a user sees."""
    text = str(error).lower()
    if isinstance(error, MemoryError) or any(word in text for word in _MEMORY):
        return OutOfMemoryError(f"engine {kind}, {_DOING[stage]}: give it more or less of it with engine.memory")
    full = any(word in text for word in _FULL)
    return FileError(
        f"engine {kind}",
        expected=_DOING[stage],
        got="a full disk" if full else relayed(error, "an error that may quote values"),
        hint="a folder with more room (engine.temporary, --out)" if full else "nothing was published",
    )
