"""The interface as callers see it: what help(ny) says first, and the signature of every public name.

``python -m tests.interface`` writes it to ``tests/interface.txt``; a test compares. A changed line there is a change of
the interface: it belongs into the CHANGELOG.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import nymity as ny

SNAPSHOT = Path(__file__).with_suffix(".txt")
#: Packages with functions that users call as ``ny.risk.attack``.
PACKAGES = ("dp", "risk", "utility", "datasets", "bucket")
#: Classes with methods that users call.
CLASSES = ("Release", "OpenedRelease", "Job", "Schema", "Hierarchy", "EvaluatedNodes", "Anonymizer", "CellEncoder")


def interface() -> str:
    """Return the interface as text, one line for each name."""
    lines = [*str(ny.__doc__).strip().splitlines(), ""]
    lines += [line for name in sorted(ny.__all__) for line in described(f"ny.{name}", getattr(ny, name))]
    for package in PACKAGES:
        home = getattr(ny, package)
        for name in sorted(home.__all__):
            value = getattr(home, name)
            lines += [] if not callable(value) or name[:1].isupper() else described(f"ny.{package}.{name}", value)
    for name in CLASSES:
        lines += methods(f"ny.{name}", getattr(ny, name))
    return "\n".join(lines) + "\n"


def described(name: str, value: Any) -> list[str]:
    if isinstance(value, ModuleType):
        return [f"{name}: a package"]
    return [f"{name}{signature(value)}"] if callable(value) else [name]


def methods(name: str, kind: type) -> Iterator[str]:
    for method in sorted(set(dir(kind))):
        value = getattr(kind, method, None)
        if method.startswith("_") or not str(getattr(value, "__module__", "nymity")).startswith("nymity"):
            continue
        yield f"{name}.{method}" + (signature(value) if inspect.isroutine(value) else "")


def signature(value: Any) -> str:
    """Return parameters with their kinds, and those defaults that are plain; annotations are for type checkers."""
    try:
        found = inspect.signature(value)
    except ValueError:
        return "(...)"
    plain = [
        one.replace(
            annotation=one.empty,
            default=one.default if isinstance(one.default, int | float | str | tuple | type | None) else ...,
        )
        for one in found.parameters.values()
    ]
    shown = str(found.replace(parameters=plain, return_annotation=found.empty))
    return re.sub("Ellipsis|<[^<>]*>", "...", shown)


if __name__ == "__main__":
    SNAPSHOT.write_text(interface(), encoding="utf-8")
