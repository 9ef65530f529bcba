"""The promises of a project as sentences, to change, add and remove; and presets to begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nicegui import events, ui
from nicegui.element import Element

import nymity as ny
from nymity.core.errors import InputError, NymityError
from nymity.privacy import OTHERS
from nymity.publishing import JOB_PRESETS, MODELS, FilledJob, JobPreset
from nymity.workbench.catalogue import Texts
from nymity.workbench.following import Followed
from nymity.workbench.parts import badge, box, button, card, empty_state, icon_button, in_background, said, text
from nymity.workbench.project import Project
from nymity.workbench.promise_edits import PromiseEdits
from nymity.workbench.promise_sentences import (
    Parameter,
    columns_of,
    further,
    known_columns,
    new_model,
    offered,
    parameter,
    pieces,
    plain_sentence,
    protects,
    told,
    value_of,
)
from nymity.workbench.tables import look_at
from nymity.workbench.watching import look_now

#: Milliseconds without a key until a number counts as typed.
_TYPED = 700


def promise_panel(project: Project, texts: Texts) -> None:
    """Show the promises."""
    edits = PromiseEdits(project, texts)

    def sentences() -> None:
        data = project.job_data
        for place, model in enumerate(data.get("privacy", [])):
            _sentence(place, model, data, edits, texts, lambda: part.changed_here())
        if names := columns_of(data, "perturbed"):
            text("p", texts("promises.not_known", names=", ".join(names)), "notice")
        if not data.get("privacy"):
            empty_state(texts("promises.none"), texts("promises.none_then"))

    lead = "" if project.may_look else texts("promises.private_lead")
    with card(texts("promises.your_promises"), lead):
        part = Followed(project, sentences, lambda: _drawn(project))
        with box("div", "actions"):
            button(texts("promises.add"), lambda: _adding(project, edits, texts), icon="add", main=True)
            if project.may_look:
                button(texts("promises.presets"), lambda: _choosing_preset(project, edits, texts), icon="menu_book")


def _drawn(project: Project) -> tuple[Any, ...]:
    """What the sentences show."""
    data = project.job_data
    roles = ("quasi", "sensitive", "perturbed")
    return (data.get("privacy"), *(columns_of(data, role) for role in roles))


def _sentence(
    place: int,
    model: Mapping[str, Any],
    data: Mapping[str, Any],
    edits: PromiseEdits,
    texts: Texts,
    changed: Callable[[], None],
) -> None:
    """Show one promise: words, and what can be set between them."""
    key = str(model.get("model", ""))

    def remove() -> None:
        edits.remove(place, key)
        look_now()

    with box("div", "promise"):
        with box("div", "promise-head"):
            if key in MODELS:
                kind = protects(MODELS[key])
                badge(texts(f"promises.group_{kind}"), {"identity": "quasi", "value": "sensitive"}.get(kind, ""))
                text("span", MODELS[key].title, "quiet small")
            box("div", "spring")
            icon_button("close", texts("promises.remove"), remove)
        with box("div", "sentence"):
            wrong = None
            setting = _setting(place, key, edits, changed, lambda: wrong)
            for words, name in pieces(key, texts):
                if words:
                    text("span", words)
                if name == "known":
                    text("strong", known_columns(data, texts), "known")
                elif name:
                    _field(key, name, model, data, texts, setting(name))
        with box("div", "sentence further"):
            for words, name in further(key, texts):
                text("span", words)
                _field(key, name, model, data, texts, setting(name))
        wrong = said(text("p", "", "wrong"), role="status")
        wrong.set_visibility(False)


def _setting(
    place: int, key: str, edits: PromiseEdits, changed: Callable[[], None], wrong: Callable[[], Any]
) -> Callable[[str], Callable[[Any], None]]:
    """Return what sets a parameter, and shows beside the sentence why it cannot be so."""

    def of(name: str) -> Callable[[Any], None]:
        def put(value: Any) -> None:
            try:
                edits.set_parameter(place, key, name, value)
            except NymityError as error:
                expected = error.expected if isinstance(error, InputError) else str(error)
                wrong().set_text(f"{name}: {expected}")
                wrong().set_visibility(True)
                return
            wrong().set_visibility(False)
            changed()

        return put

    return of


def _field(
    key: str, name: str, model: Mapping[str, Any], data: Mapping[str, Any], texts: Texts, put: Callable[[Any], None]
) -> None:
    """Show what sets a parameter, as wide as what it holds."""
    found = parameter(key, name) or Parameter(kind="path")
    value = value_of(model, name)
    if name == "thresholds":
        value = value.get(OTHERS) if isinstance(value, Mapping) else None

    def on(event: events.ValueChangeEventArguments[Any]) -> None:
        put(event.value)

    if found.kind == "column":
        names = columns_of(data, "sensitive")
        made: Element = ui.select(names, value=value if value in names else None, on_change=on)
        made.props("dense outlined options-dense").classes("in-sentence column")
        label = texts("promises.column")
    elif found.kind == "choice":
        words = [texts(f"promises.choice.{one}") if isinstance(one, str) else str(one) for one in found.choices]
        chosen = value if value in found.choices else found.start
        made = ui.select(
            dict(enumerate(words)),
            value=found.choices.index(chosen),
            on_change=lambda event: put(found.choices[event.value]),
        )
        made.props("dense outlined options-dense").classes("in-sentence choice")
        label = name
    elif found.kind == "words":
        made = ui.input(value=told(model, name, texts) if value else "", placeholder="…", on_change=on)
        made.props(f"dense outlined spellcheck=false debounce={_TYPED}").classes("in-sentence path-field")
        label = name
    elif found.kind == "path":
        made = ui.input(value=str(value or ""), placeholder=texts("promises.path"), on_change=on)
        made.props(f"dense outlined spellcheck=false debounce={_TYPED}").classes("in-sentence path-field")
        label = f"{name}, {texts('promises.path')}"
    else:
        step = 1 if found.kind == "whole" else "any" if found.low is None or found.high is None else 0.01
        made = ui.number(value=value, on_change=on)  # without limits: a number is refused with words, not changed
        made.props(f"dense outlined debounce={_TYPED} step={step} input-class=number-input").classes(
            f"in-sentence {'long-number' if name in ('public_records', 'delta') else 'number-field'}"
        )
        label = name
    said(made, aria_label=label)


def _adding(project: Project, edits: PromiseEdits, texts: Texts) -> None:
    """Offer all promises, by what they protect."""
    data, known = project.job_data, known_columns(project.job_data, texts)

    def add(key: str) -> None:
        dialog.close()
        edits.add(key)
        look_now()

    with ui.dialog(value=True) as dialog, box("div", "dialog wide-dialog"):
        text("h2", texts("promises.add_title"))
        for group, models in offered(private=not project.may_look).items():
            text("h3", texts(f"promises.group_{group}"))
            text("p", texts(f"promises.group_{group}_is"), "quiet small")
            if group == "value" and not columns_of(data, "sensitive"):
                text("p", texts("promises.no_value"), "notice")
            for key, model in models.items():
                with box("div", "offer"):
                    with box("div", "grow"):
                        text("span", model.title, "offer-title")
                        text("p", plain_sentence(new_model(key, data), known, texts), "small")
                    said(
                        button(texts("promises.add_this"), partial(add, key)),
                        aria_label=f"{texts('promises.add_this')}: {model.title}",
                    )
        if project.may_look:
            text("p", texts("promises.private_only"), "quiet small")
        with box("div", "actions end"):
            button(texts("app.cancel"), dialog.close)


def _choosing_preset(project: Project, edits: PromiseEdits, texts: Texts) -> None:
    """Offer presets with their sources, and what they cannot check."""

    async def take(key: str) -> None:
        dialog.close()
        filled = await in_background(texts, lambda: ny.preset(key, project.job(), look_at(project).cells))
        if filled is not None:
            edits.fill(filled)
            look_now()
            _filled(filled, texts)

    with ui.dialog(value=True) as dialog, box("div", "dialog wide-dialog"):
        text("h2", texts("promises.presets_title"))
        text("p", texts("promises.presets_lead"), "quiet")
        for key, one in JOB_PRESETS.items():
            _preset(one, texts, partial(take, key))
        with box("div", "actions end"):
            button(texts("app.cancel"), dialog.close)


def _preset(one: JobPreset, texts: Texts, take: Callable[[], Any]) -> None:
    with box("div", "offer preset"):
        with box("div", "grow"):
            text("span", one.title, "offer-title")
            text("p", texts("promises.source", source=one.source), "quiet small")
            with box("details", "small"):
                text("summary", texts("promises.sets"))
                _points(one.sets)
                text("p", texts("promises.cannot_check"), "label")
                _points(one.cannot_check)
                text("p", one.advice, "quiet")
        said(button(texts("promises.take"), take), aria_label=f"{texts('promises.take')}: {one.title}")


def _filled(filled: FilledJob, texts: Texts) -> None:
    with ui.dialog(value=True) as dialog, box("div", "dialog"):
        text("h2", texts("promises.took"))
        if filled.changes:
            _points(filled.changes)
        else:
            text("p", texts("promises.took_nothing"))
        text("h3", texts("promises.cannot_check"))
        _points(filled.preset.cannot_check)
        text("p", filled.preset.advice, "quiet small")
        with box("div", "actions end"):
            button(texts("app.close"), dialog.close, main=True)


def _points(lines: tuple[str, ...] | list[str]) -> None:
    with box("ul", "points"):
        for line in lines:
            text("li", line)
