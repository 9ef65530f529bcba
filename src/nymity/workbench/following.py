"""Following: a part of a page that people work in is drawn again when somebody else changed what it shows.

What the person at this page set is there already: drawing it anew would take the keyboard's place away.
"""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from nymity.workbench.project import Project
from nymity.workbench.watching import look_now, watched


class Followed:
    """Draws a part of a page, and again whenever ``shows`` says something that is not known here."""

    def __init__(self, project: Project, draw: Callable[[], None], shows: Callable[[], object]) -> None:
        self._shows, self._known = shows, shows()
        self._part = ui.refreshable(draw)
        self._part()

        @watched(project)
        def follow() -> None:
            if shows() != self._known:
                self._known = shows()
                self._part.refresh()

        follow()

    def changed_here(self) -> None:
        """Take what holds now as drawn, and let the rest of the page follow."""
        self._known = self._shows()
        look_now()
