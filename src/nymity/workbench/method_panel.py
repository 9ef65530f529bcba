"""How a release is made: method, loss, suppression, and how much each column counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.lattice.default import SUPPRESSION
from nymity.publishing import METHODS
from nymity.quality import LOSSES
from nymity.workbench.catalogue import Texts
from nymity.workbench.following import Followed
from nymity.workbench.parts import box, card, slider, text, told
from nymity.workbench.project import Project
from nymity.workbench.promise_edits import PromiseEdits
from nymity.workbench.promise_sentences import columns_of, explained, has_field, loss_key, methods, uses_weights
from nymity.workbench.watching import look_now

#: Importance that a slider can give at most.
_MOST_WEIGHT = 5

Then = Callable[[], None]


def method_panel(project: Project, texts: Texts, sliding: Callable[[float], None]) -> None:
    """Show the method and what it can be told; ``sliding`` hears of shares of suppression before one is chosen."""
    edits = PromiseEdits(project, texts)

    def draw() -> None:
        method = project.job_data.get("method")
        _method(project, method, edits, texts)
        if has_field(method, "loss"):
            _loss(method, edits, texts)
        if has_field(method, "suppression"):
            _suppression(method, edits, texts, sliding, lambda: part.changed_here())

    with card(texts("promises.how_title")):
        part = Followed(project, draw, lambda: project.job_data.get("method"))


def _method(project: Project, method: dict[str, Any] | None, edits: PromiseEdits, texts: Texts) -> None:
    known = methods(private=not project.may_look)
    options = {key: key for key in known} | ({"": texts("promises.method_unnamed")} if project.may_look else {})
    now = "" if method is None else str(method.get("name", ""))
    chosen = ui.select(
        options,
        value=now if now in options else None,
        label=texts("promises.method_label"),
        on_change=lambda event: _do(lambda: edits.set_method(event.value), texts),
    )
    chosen.props("outlined options-dense").classes("whole-width")
    if now in METHODS:
        text("p", explained("method", now, METHODS[now], texts), "quiet small explained")


def _loss(method: dict[str, Any] | None, edits: PromiseEdits, texts: Texts) -> None:
    now = loss_key(method)
    chosen = ui.select(
        {key: key for key in LOSSES},
        value=now if now in LOSSES else None,
        label=texts("promises.loss_label"),
        on_change=lambda event: _do(lambda: edits.set_method_field("loss", event.value), texts),
    )
    chosen.props("outlined options-dense").classes("whole-width")
    if now in LOSSES:
        text("p", explained("loss", now, LOSSES[now], texts), "quiet small explained")


def _suppression(
    method: dict[str, Any] | None, edits: PromiseEdits, texts: Texts, sliding: Callable[[float], None], then: Then
) -> None:
    share = SUPPRESSION if method is None else float(method.get("suppression", 0.0))
    with box("div", "slider-head"):
        text("span", texts("promises.suppression"))
        value = text("strong", texts.percent(share), "number-cell")

    def slid(percent: float) -> None:
        value.set_text(texts.percent(percent / 100))
        sliding(percent / 100)

    def put(percent: float) -> None:
        _do(lambda: edits.set_method_field("suppression", round(percent / 100, 4)), texts, then)

    slider(texts("promises.suppression"), share * 100, most=100, step=0.5, sliding=slid, put=put)
    text("p", texts("promises.suppression_is"), "quiet small")


def importance_panel(project: Project, texts: Texts) -> None:
    """Show how much each quasi-identifier counts, where the loss asks."""
    edits = PromiseEdits(project, texts)

    def draw() -> None:
        data = project.job_data
        names = columns_of(data, "quasi")
        if not names or not uses_weights(data.get("method")):
            return
        with card(texts("promises.importance_title"), texts("promises.importance_lead")), box("div", "weights"):
            for name in names:
                weight = float(data["schema"][name].get("weight", 1))
                _weight(name, weight, edits, texts, lambda: part.changed_here())

    def shows() -> object:
        data = project.job_data
        weights = [(name, data["schema"][name].get("weight", 1)) for name in columns_of(data, "quasi")]
        return weights, uses_weights(data.get("method"))

    part = Followed(project, draw, shows)


def _weight(name: str, weight: float, edits: PromiseEdits, texts: Texts, then: Then) -> None:
    text("span", name, "weight-name")
    slider(
        texts("promises.importance_of", column=name),
        weight,
        most=max(_MOST_WEIGHT, weight),
        step=0.25,
        sliding=lambda now: value.set_text(f"{now:g}"),
        put=lambda now: _do(lambda: edits.set_weight(name, now), texts, then),
    )
    value = text("span", f"{weight:g}", "number-cell")


def _do(change: Then, texts: Texts, then: Then = look_now) -> None:
    """Change something and let the page follow, or show why it cannot be."""
    try:
        change()
    except NymityError as error:
        told(error, texts)
        return
    then()
