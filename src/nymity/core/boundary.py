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
        if getattr(error, "errno", None) == errno.ENOMEM or any(words in str(error).lower() for words in _NO_MEMORY):
            raise OutOfMemoryError(_detail(error)) from error
        raise
    except BaseException as error:
        if any(kind.__name__ == "PanicException" for kind in type(error).__mro__):
            raise PanicError(_detail(error)) from error
        raise


def _detail(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200]
