"""Watching: parts of a page are drawn again when the project changes, by this page, another one or a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import Client, context, ui

from nymity.workbench.project import Project

#: Seconds between looks.
_PAUSE = 1.0

_watches: dict[Client, ProjectWatch] = {}


class ProjectWatch:
    """Looks at a project for one page."""

    def __init__(self, project: Project) -> None:
        self._project, self._client = project, context.client
        self._seen = (project.audit.stamp, project.runs.stamp)
        self._of_job: list[Callable[[], Any]] = []
        self._of_runs: list[Callable[[], Any]] = []
        ui.timer(_PAUSE, self._look_for_somebody)

    def add(self, redraw: Callable[[], Any], *, runs: bool) -> None:
        """Call this when the job or notes change, or also when a run has something to tell."""
        (self._of_runs if runs else self._of_job).append(redraw)

    def _look_for_somebody(self) -> None:
        """Look, unless nobody is there: a page that was left is kept for a while, and there are more of these."""
        if self._client.has_socket_connection:
            self.look()

    def look(self) -> None:
        """Draw again what shows something that changed; leave a page whose project is not there any more."""
        if self._project.actor.in_house and not self._project.is_theirs:
            ui.navigate.to("/")
            return
        job, runs = self._seen
        self._seen = (self._project.audit.stamp, self._project.runs.stamp)
        if self._seen[0] != job:
            for redraw in self._of_job:
                redraw()
        if self._seen != (job, runs):
            self._project.runs.finish_lost()
            for redraw in self._of_runs:
                redraw()


def watched(project: Project, *, runs: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Make a part of a page that is drawn again when the job or notes change; with ``runs`` also while a run tells.

    ::

        @watched(project)
        def shown() -> None:
            text("p", project.name)

        shown()

    What somebody is typing into does not belong inside: it would be drawn anew under their hands.
    """

    def decorate(draw: Callable[..., Any]) -> Any:
        part = ui.refreshable(draw)
        _watch(project).add(part.refresh, runs=runs)
        return part

    return decorate


def look_now() -> None:
    """Draw what changed at once: after a change by this page, so that nobody waits a second for it."""
    watch = _watches.get(context.client)
    if watch is not None:
        watch.look()


def _watch(project: Project) -> ProjectWatch:
    client = context.client
    if client not in _watches:
        with client.layout:
            _watches[client] = ProjectWatch(project)
        client.on_delete(lambda: _watches.pop(client, None))  # a watch knows its page: weak keys would keep both
    return _watches[client]
