"""njit: as numba's, but numba itself is loaded by the first call.

numba takes a quarter of a second to load and each kernel a millisecond to prepare. A command that calls no kernel, such
as ``nymity check`` of most releases, pays for neither.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a function a kernel, with the options of ``numba.njit``; see :mod:`nymity.kernels.kept` for ``cache``."""
    return lambda function: Kernel(function, options)


class Kernel:
    """A function that numba compiles when it is first called, from Python or by another kernel."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)  # for help and documentation
        self.function = function
        self.options = options

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        return self.dispatcher(*arguments)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Return what numba makes of the function."""
        from nymity.kernels.kept import compile_kernel

        return compile_kernel(self.function, **self.options)

    def __reduce__(self) -> str:
        return self.function.__qualname__  # processes find it by its name
