"""What no caller can foresee, as an error of ours: the memory is used up, or a package panics. One place decides.

A panic of a package written in Rust is no ``Exception`` in Python: whoever catches those lets it pass, and a program
that embeds nymity would end. Everything that is called from outside goes through here: the functions of ``nymity``
itself (``nymity/__init__.py``) and every command (``nymity/cli/failure.py``).
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from nymity.core.errors import NymityError, OutOfMemoryError, PanicError

#: How the loader, threads and packages say that there is no memory left.
_NO_MEMORY = ("cannot allocate memory", "failed to map segment", "can't start new thread", "out of memory")


@contextmanager
def bounded() -> Iterator[None]:
    """Let an exhausted memory and a panic inside a block (or a function, as a decorator) come out as clear errors."""
    try:
        yield
    except NymityError:
        raise
    except MemoryError as error:
        raise OutOfMemoryError(_detail(error)) from error
    except (OSError, ImportError, RuntimeError) as error:
        if any(_is_memory(one) for one in _chain(error)):
            raise OutOfMemoryError(_detail(error)) from error
        raise
    except BaseException as error:
        if any(kind.__name__ == "PanicException" for kind in type(error).__mro__):
            if "too many open files" in str(error).lower():
                raise OSError(errno.EMFILE, "Too many open files") from error  # as Python says it
            raise PanicError(_detail(error)) from error
        raise


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what it came from: packages wrap what the loader says."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_memory(error: BaseException) -> bool:
    no_memory = isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
    return no_memory or any(words in str(error).lower() for words in _NO_MEMORY)


def _detail(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200]
