"""Registries: a module registers the classes that it imports, one line each, in the order of its lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def registered(names: Mapping[str, Any], kind: type | tuple[type, ...] = object) -> dict[str, Any]:
    """Return the classes of a kind among a module's names by their ``key``; base classes have none."""
    found: dict[str, Any] = {}
    for one in names.values():
        if isinstance(one, type) and issubclass(one, kind) and "key" in vars(one):
            key = one.key  # type: ignore[attr-defined]
            if found.setdefault(key, one) is not one:
                raise ValueError(f"{one.__name__} and {found[key].__name__} have the same key, {key!r}")
    return found
