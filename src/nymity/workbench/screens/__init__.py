"""Screens: one file each, which is all it takes to add one; the navigation shows those that exist, in this order.

A module has a ``SCREEN``. What it shows is a function of the project: nothing is kept in the page that is not in the
project, so that a reload, a second browser and a restart show the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from nymity.workbench.catalogue import Texts
from nymity.workbench.house.rights import Actor
from nymity.workbench.project import Project

#: The way through a project. Start has no project yet: it is a page of its own (:mod:`nymity.workbench.start_page`).
ORDER = ("overview", "data", "columns", "hierarchies", "promises", "search", "explore", "result", "release", "history")


@dataclass(frozen=True, kw_only=True)
class ProjectScreen:
    """One screen of a project.

    ``key`` is its address and the section of its texts. ``render`` fills the page (a coroutine may wait for work).
    ``looks``: it shows what is computed from records, so that private projects do not have it. ``open_points`` counts
    what is still to do there, for the navigation, from what the project's folder says: it must be quick; None shows
    nothing. ``code`` is the Python that computes what the screen shows, beside the job's own.
    """

    key: str
    render: Callable[[Project, Texts], Awaitable[None] | None]
    looks: bool = True
    open_points: Callable[[Project], int | None] = lambda _: None
    code: Callable[[Project], str] = lambda _: ""


def screens_for(actor: Actor) -> dict[str, ProjectScreen]:
    """Return the screens that are there for somebody."""
    return {key: screen for key, screen in screens().items() if actor.sees_screen(key)}


@cache
def screens() -> dict[str, ProjectScreen]:
    """Return the screens that exist, by key, in their order."""
    there = [name for name in ORDER if find_spec(f"{__name__}.{name}") is not None]
    return {name: import_module(f"{__name__}.{name}").SCREEN for name in there}
