"""Tasks: what a run can do. One file each, which is all it takes.

A task is a function ``work(folder, settings, observe)`` in a module of its own: it reads ``job.toml`` in the run's
folder, calls nymity, leaves what it made in the folder, and returns plain data for the page. One that writes elsewhere
may have ``finished(folder, settings)``: the data of a run whose process was killed when all of it was written, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from nymity.core import validation
from nymity.core.progress import Observer

Task = Callable[[Path, Mapping[str, Any], Observer], Any]


def task_names() -> list[str]:
    """Name all tasks."""
    return sorted(module.name for module in iter_modules(__path__))


def task_named(name: str) -> Task:
    """Return a task by its name."""
    task: Task = _module(name).work
    return task


def finished_by(name: str, folder: Path, settings: Mapping[str, Any]) -> Any | None:
    """Return what a run has made that was killed before it could say so; None where that is not whole."""
    finished = getattr(_module(name), "finished", None)
    return None if finished is None else finished(folder, settings)


def _module(name: str) -> ModuleType:
    validation.one_of("task", name, task_names())
    return import_module(f"{__name__}.{name}")
