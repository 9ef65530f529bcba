"""What promises cost, beside them: exact where the whole lattice can be looked at, and marked where it cannot."""

from __future__ import annotations

from typing import Any

from nicegui import background_tasks, context, ui
from nicegui.element import Element

from nymity.core.errors import NymityError
from nymity.lattice.default import SUPPRESSION, rounded
from nymity.publishing import Consequences
from nymity.workbench.catalogue import Texts
from nymity.workbench.foresights import consequences_of, known_consequences
from nymity.workbench.parts import (
    OneAtATime,
    badge,
    bar,
    box,
    card,
    error_card,
    line_figure,
    link,
    said,
    text,
    tile,
)
from nymity.workbench.project import Project
from nymity.workbench.promise_sentences import has_field
from nymity.workbench.watching import watched

#: What the panel is called in the page.
_ANCHOR = "consequences"
#: Shares of suppression that are compared.
_SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
_counting = OneAtATime()


class ConsequencesPanel:
    """Shows what the promises cost; counted in a thread, newly whenever the job changes.

    In a narrow window it lies below everything that can be set: a line of it stays in sight at the end of ``setting``.
    """

    def __init__(self, project: Project, texts: Texts, setting: Element) -> None:
        self._project, self._texts, self._client = project, texts, context.client
        self._found: Consequences | None = None
        with card(texts("promises.consequences"), classes="consequences") as panel:
            said(panel, id=_ANCHOR)
            self._place = box("div")
        with setting:
            self._line = link("", f"#{_ANCHOR}", "in-sight")

        @watched(project)
        def follow() -> None:
            with self._client:
                self._follow()

        follow()

    def slide(self, share: float) -> None:
        """Show what another share of suppression would cost, before it is chosen: every one is in the answer."""
        if self._found is not None and self._found.nodes is not None:
            self._show(self._found, share)

    def _follow(self) -> None:
        """Show what is known at once, and else that it is being counted."""
        known = known_consequences(self._project)
        self._show(known)
        if known is None:
            background_tasks.create(self._count(), name="consequences")

    async def _count(self) -> None:
        version = self._project.state.at

        def wanted() -> bool:
            return version == self._project.state.at and not self._client.is_deleted

        try:
            found: Any = await _counting.in_thread(wanted, consequences_of, self._project)
        except NymityError as error:
            found = error
        if found is not None and wanted():
            with self._client:
                self._show(found)

    def _show(self, found: Consequences | NymityError | None, share: float | None = None) -> None:
        texts = self._texts
        self._found = found if isinstance(found, Consequences) else None
        for place in (self._place, self._line):
            place.clear()
        with self._line:
            _in_a_line(self._project, found, texts, share)
        with self._place:
            if found is None:
                with box("div", "run-line"):
                    ui.spinner(size="sm")
                    text("span", texts("promises.counting"), "quiet")
            elif isinstance(found, NymityError):
                text("p", texts("promises.not_counted"), "quiet")
                error_card(found, texts)
            else:
                _shown(self._project, found, texts, share)


def _in_a_line(project: Project, found: Consequences | NymityError | None, texts: Texts, share: float | None) -> None:
    """Show the figures that matter most, as few as have room beside each other."""
    if not isinstance(found, Consequences):
        text("span", texts("promises.counting" if found is None else "promises.not_counted"), "quiet")
        return
    if found.nodes is None:
        badge(texts("promises.estimate"), "warned")
        line_figure(texts("promises.breaking"), texts.number(found.breaking_records))
        return
    best = found.nodes.within(_share(project, share)).best(1)
    if not len(best):
        badge(texts("promises.nothing_fits"), "bad")
        return
    gone = int(best.suppressed[0]) / found.records
    line_figure(texts("promises.detail_lost"), _loss(float(best.loss[0]), texts))
    line_figure(texts("promises.left_out"), texts.percent(gone))
    line_figure(texts("promises.smallest"), texts.number(int(best.smallest[0])))


def _share(project: Project, sliding: float | None) -> float:
    """Return the share of suppression that a slider is at, or else that of the job."""
    if sliding is not None:
        return sliding
    method = project.job_data.get("method")
    return SUPPRESSION if method is None else float(method.get("suppression", 0.0))


def _shown(project: Project, found: Consequences, texts: Texts, share: float | None) -> None:
    method = project.job_data.get("method")
    if found.nodes is not None:
        with box("div", "run-line"):
            badge(texts("promises.exact"), "good")
            text("span", texts("promises.exact_is", n=found.lattice_size), "quiet small")
        _exact(found, _share(project, share), texts)
        return
    with box("div", "run-line"):
        badge(texts("promises.estimate"), "warned")
        large = has_field(method, "suppression")
        said = texts(
            "promises.estimate_large" if large else "promises.estimate_local", size=rounded(found.lattice_size)
        )
        text("span", said, "quiet small")
    _breaking(found, texts)


def _breaking(found: Consequences, texts: Texts) -> None:
    with box("div", "tiles"):
        broken = texts.number(found.breaking_records)
        note = texts("promises.breaking_of", n=found.records)
        tile(texts("promises.breaking"), broken, note, "bad" if found.breaking_records else "good")
        tile(texts("promises.groups"), texts.number(found.classes))
    bar(found.breaking_share, texts.percent(found.breaking_share))
    text("p", texts("promises.breaking_is"), "quiet small")


def _exact(found: Consequences, share: float, texts: Texts) -> None:
    assert found.nodes is not None
    nodes = found.nodes.within(share)
    best = nodes.best(1)
    with box("div", "tiles"):
        solutions = int(nodes.solution.sum())
        tile(
            texts("promises.solutions"),
            texts.number(solutions),
            texts("promises.solutions_of", n=found.lattice_size),
            "" if solutions else "bad",
        )
        if len(best):
            tile(texts("promises.detail_lost"), _loss(float(best.loss[0]), texts))
            gone = int(best.suppressed[0])
            tile(texts("promises.left_out"), texts.number(gone), texts.percent(gone / found.records))
            tile(texts("promises.smallest"), texts.number(int(best.smallest[0])))
    if not len(best):
        text("p", texts("promises.no_solution"), "notice")
    else:
        text("h3", texts("promises.best_levels"))
        with box("div", "levels"):
            for name, level in zip(best.names, best.levels[0].tolist(), strict=True):
                text("span", name)
                text("span", texts("promises.level", level=level) if level else texts("promises.as_is"), "quiet")
    _by_suppression(found, share, texts)
    _breaking(found, texts)


def _by_suppression(found: Consequences, share: float, texts: Texts) -> None:
    """Show the best that each limit would allow."""
    rows = found.best_by_suppression(tuple(sorted({*_SHARES, share})))
    most = max((float(best.loss[0]) for _, best in rows if len(best)), default=0.0)
    text("h3", texts("promises.by_suppression"))
    with box("div", "trade-off"):
        for limit, best in rows:
            text("span", texts("promises.at_most", share=texts.percent(limit)), "now" if limit == share else "")
            if len(best):
                loss = float(best.loss[0])
                bar(loss / (1.0 if most <= 1 else most), _loss(loss, texts))
                text("span", _loss(loss, texts), "number-cell")
            else:
                text("span", texts("promises.nothing_fits"), "quiet nothing")


def _loss(value: float, texts: Texts) -> str:
    """Write a loss: most are shares, others have a unit of their own."""
    return texts.percent(value) if 0 <= value <= 1 else texts.number(value, 1)
