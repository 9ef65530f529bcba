"""nymity: publish tables about people with a guarantee that is stated, proved and measured.

    import nymity as ny

    release = ny.publish(frame, schema, privacy=[ny.KAnonymity(k=5)], method=ny.OptimalLattice(suppression=0.05))

Names load when they are first used, so importing nymity costs next to nothing. ``__init__.pyi`` lists them; a
registered model, method or loss is a name also without its line there.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

#: Name → module, from lines such as ``from nymity.privacy import KAnonymity as KAnonymity``.
_HOMES = {
    name: home
    for home, name in re.findall(
        r"^from (\S+) import (\w+) as \2$", Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"), re.MULTILINE
    )
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        home = _HOMES[name]
        value = import_module(f"nymity.{name}") if home == "nymity" else _bounded(getattr(import_module(home), name))
    elif name[:1].isupper() and (found := _registered(name)) is not None:
        value = found
    else:
        raise AttributeError(f"module 'nymity' has no attribute {name!r}")
    globals()[name] = value
    return value


def _registered(name: str) -> Any:
    """Return the model, method or loss of this name."""
    from nymity.publishing.registry import METHODS, MODELS
    from nymity.quality import LOSSES

    known: list[type[Any]] = [*MODELS.values(), *METHODS.values(), *LOSSES.values()]
    return next((one for one in known if one.__name__ == name), None)


def _bounded(value: Any) -> Any:
    """Return a function so that an exhausted memory, or a panic below it, is a clear error; anything else as it is."""
    if not isinstance(value, FunctionType):
        return value
    from nymity.core.boundary import bounded

    return bounded()(value)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
