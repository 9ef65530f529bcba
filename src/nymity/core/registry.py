"""Registries: a module registers the classes that it imports, one line each, in the order of its lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nymity.core.calls import made_well


def registered(names: Mapping[str, Any], kind: type | tuple[type, ...] = object) -> dict[str, Any]:
    """Return the classes of a kind among a module's names by their ``key``; base classes have none.

    What people call a class of a registry with is explained where it is wrong (:func:`nymity.core.calls.made_well`).
    """
    found: dict[str, Any] = {}
    for one in names.values():
        if isinstance(one, type) and issubclass(one, kind) and "key" in vars(one):
            key = made_well(one).key  # type: ignore[attr-defined]
            if found.setdefault(key, one) is not one:
                raise ValueError(f"{one.__name__} and {found[key].__name__} have the same key, {key!r}")
    return found
