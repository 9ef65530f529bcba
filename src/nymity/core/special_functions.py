"""Special functions of scipy, without the rest of ``scipy.special``: importing that takes a tenth of a second."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGE = "scipy.special"


@cache
def special_function(name: str) -> Any:
    """Return a function of ``scipy.special`` by its name."""
    # Another thread may import the package just now, which must not find the one that stands in for it.
    if _PACKAGE not in sys.modules and threading.active_count() == 1:
        with suppress(ImportError, AttributeError):  # of another version, which has it elsewhere
            return getattr(_compiled(), name)
    import scipy.special

    return getattr(scipy.special, name)


def _compiled() -> Any:
    """Import the compiled functions alone, by a package that has their folder and nothing in it."""
    import scipy

    package = ModuleType(_PACKAGE)
    package.__path__ = [str(Path(scipy.__file__).parent / "special")]
    sys.modules[_PACKAGE] = package
    try:
        from scipy.special import _ufuncs

        return _ufuncs
    finally:
        del sys.modules[_PACKAGE]
        vars(scipy).pop("special", None)
