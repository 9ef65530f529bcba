"""What a package shows to others, loaded when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def public_names(package: str, **modules: str) -> tuple[list[str], Callable[[str], Any]]:
    """Return a package's ``__all__`` and ``__getattr__``, given the names that each of its modules has for others.

    Importing the package loads none of them: a command pays only for what it uses.
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{_near(package, name)}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return list(homes), load


def _near(package: str, name: str) -> str:
    """Return which name is near, of those that the package lists; Python itself asks for some of its own."""
    if name.startswith("_"):
        return ""
    from nymity.core.validation import nearest

    near = nearest(name, import_module(package).__all__)
    return f". Try: {near}" if near else ""
