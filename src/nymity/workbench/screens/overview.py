"""Overview: what a project promises and whether that held, for those who see nothing else of it.

It has no row, value, histogram, hierarchy, count or log: promises are the job's, verdicts the certificate's.
"""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from numbers import Number

from nymity.core.errors import NymityError
from nymity.privacy import PrivacyModel
from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import badge, box, card, empty_state, heading, text
from nymity.workbench.project import Project
from nymity.workbench.run_panel import state_badge
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.trials import TriedRelease, published
from nymity.workbench.watching import watched


def render(project: Project, texts: Texts) -> None:
    """Fill the page."""
    heading(texts("overview.title"), texts("overview.lead"))

    @watched(project, runs=True)
    def shown() -> None:
        _promises(project, texts)
        _releases(project, texts)

    shown()


def _promises(project: Project, texts: Texts) -> None:
    with card(texts("overview.promises")):
        try:
            job = project.job()
            promised = list(zip(job.privacy, job.promises, strict=True))
        except NymityError:  # what it says may quote values
            promised = []
        if not promised:
            empty_state(texts("overview.no_promises"))
        with box("ul"):
            for model, words in promised:
                text("li", _sentence(model, words))


def _sentence(model: PrivacyModel, words: str) -> str:
    """Return a promise in its words; of one that is about certain values, or another table, what it is called."""
    given = {one.name: getattr(model, one.name) for one in fields(model)}  # type: ignore[arg-type]
    named = all(isinstance(value, Number | None) or name == "attribute" for name, value in given.items())
    return words if named else model.key


def _releases(project: Project, texts: Texts) -> None:
    with card(texts("overview.releases")):
        releases = published(project, trials=False)
        if not releases:
            empty_state(texts("overview.none"))
        with box("ul"):
            for one in releases:
                with box("li", "overview-release"):
                    _release(one, texts)


def _release(one: TriedRelease, texts: Texts) -> None:
    when = datetime.fromtimestamp((one.run.folder / "spec.json").stat().st_mtime, UTC)
    text("span", texts("overview.release", run=one.number, version=one.version, when=f"{when:%Y-%m-%d}"))
    if one.is_done:
        holds = bool(one.account["holds"])
        badge(texts("overview.holds" if holds else "overview.broken"), "good" if holds else "bad")
    else:
        state_badge(one.run.state, texts)


SCREEN = ProjectScreen(key="overview", render=render, looks=False)
