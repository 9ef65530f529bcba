"""History: every version of the job, every run, and who did what when."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from nicegui import ui

from nymity.workbench.audit_trail import AuditEntry
from nymity.workbench.catalogue import Texts
from nymity.workbench.compared_runs import compared_runs, difference
from nymity.workbench.parts import badge, box, button, card, heading, said, scroll_box, text
from nymity.workbench.project import JobVersion, Project
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.watching import look_now, watched

#: Lines of the log, and versions, that are shown at once.
_SHOWN, _AT_ONCE = 200, 40


def render(project: Project, texts: Texts) -> None:
    """Fill the page."""
    heading(texts("history.title"), texts("history.lead"))
    with box("div", "two-columns"):
        with box("div"):
            _versions(project, texts)
            compared_runs(project, texts)
            _audit(project, texts)
        _notes(project, texts)


def _versions(project: Project, texts: Texts) -> None:
    """Show the versions of the job, with what changed in each; any of them can hold again."""

    @watched(project)
    def shown(most: int = _AT_ONCE) -> None:
        state = project.state
        newest = sorted(state.versions.values(), key=lambda one: -one.number)
        with box("ol", "versions"):
            for version in newest[:most]:
                with box("li"):
                    _version(project, version, texts, holds=version.number == state.at)
        if left := len(newest[most:]):  # what differs in each is found out line by line, which takes its time
            button(texts("history.more", n=min(left, most)), lambda: shown.refresh(2 * most))

    with card(texts("history.versions")):
        shown()


def _version(project: Project, version: JobVersion, texts: Texts, *, holds: bool) -> None:
    with box("div", "version-line"):
        badge(str(version.number), "good" if holds else "")
        with box("div", "grow"):
            text("strong", _known("made", version.what, texts))
            text("div", texts("history.by", who=version.who, when=_when(version.when)), "quiet small")
        if not holds:
            button(texts("history.back"), partial(_go_back, project, version.number, texts))
    if version.parent is not None:
        lines = difference(project, version.parent, version.number)
        if not lines:
            return
        with box("details"):
            text("summary", texts("history.lines", n=len(lines)))
            said(text("pre", "\n".join(lines), "code"), tabindex="0")


def _go_back(project: Project, number: int, texts: Texts) -> None:
    """Make an earlier version hold again, as a version of its own: nothing in between is lost."""
    project.change_job(texts("history.went_back", version=number), lambda _: project.version_data(number))
    look_now()


def _notes(project: Project, texts: Texts) -> None:
    """Show notes, and take one more."""
    with card(texts("history.notes"), texts("history.notes_lead")):
        words = ui.textarea(texts("history.note")).props("outlined autogrow").classes("note-input")

        def add() -> None:
            if said_words := str(words.value or "").strip():
                project.add_note(said_words)
                words.value = ""
                look_now()

        with box("div", "actions"):
            button(texts("history.add"), add)

        @watched(project)
        def shown() -> None:
            for note in reversed(project.state.notes):
                with box("div", "written-note"):
                    text("p", note.text)
                    text("div", texts("history.by", who=note.who, when=_when(note.when)), "quiet small")

        shown()


def _audit(project: Project, texts: Texts) -> None:
    """Show the log, and whether it is whole."""

    @watched(project)
    def shown() -> None:
        broken = project.audit.broken_at()
        text(
            "p",
            texts("history.whole") if broken is None else texts("history.broken", line=broken),
            "" if broken is None else "notice",
        )
        with scroll_box(), box("table", "list audit"), box("tbody"):
            for entry in reversed(project.audit.entries()[-_SHOWN:]):
                with box("tr"):
                    text("td", str(entry.number), "number-cell")
                    text("td", _when(entry.when))
                    text("td", entry.who)
                    text("td", _told(entry, texts))
                    text("td", entry.hash[:10], "quiet small")

    with card(texts("history.audit"), texts("history.audit_lead")):
        shown()


#: Kinds of lines and the texts that tell them; others are shown as they are.
_TOLD = {
    "begun": "begun", "job": "job", "undo": "undo", "redo": "redo", "note": "note", "turned private": "private",
    "run": "run", "log opened": "log", "key made": "key",
    "shared": "shared",
}  # fmt: skip


def _told(entry: AuditEntry, texts: Texts) -> str:
    if entry.what in _TOLD:
        details: dict[str, Any] = {name: str(one) for name, one in entry.details.items()}
        for name, kind in (("change", "made"), ("task", "task")):
            if name in details:
                details[name] = _known(kind, details[name], texts)
        if entry.what == "shared":
            details["groups"] = ", ".join(entry.details["groups"]) or texts("history.nobody")
        return texts(f"history.what_{_TOLD[entry.what]}", **details)[:300]
    return f"{entry.what}: " + ", ".join(f"{name}: {value}" for name, value in entry.details.items())[:200]


def _known(kind: str, words: str, texts: Texts) -> str:
    """Return what the program itself called something in the language of whoever looks; other words as they are."""
    entry = f"history.{kind}_{words.replace(' ', '_')}"
    return texts(entry) if texts.has(entry) else words


def _when(moment: str) -> str:
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M:%S}"


SCREEN = ProjectScreen(key="history", render=render, looks=False)
