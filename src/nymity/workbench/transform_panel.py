"""Transforms of columns that no promise is about: coded ends, rounding, noise, swapping; added, changed, removed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.transforms import TRANSFORMS
from nymity.workbench.catalogue import Texts
from nymity.workbench.following import Followed
from nymity.workbench.parts import box, button, card, error_card, icon_button, said, text
from nymity.workbench.project import Project
from nymity.workbench.promise_sentences import first_line
from nymity.workbench.transform_forms import (
    TAG,
    TransformEdits,
    TransformField,
    fields_of,
    new_transform,
    offered_columns,
    told,
    with_field,
)
from nymity.workbench.watching import look_now


def transform_panel(project: Project, texts: Texts) -> None:
    """Show the transforms of the job, with what changes them."""
    edits = TransformEdits(project, texts)

    def remove(place: int, key: str) -> None:
        edits.remove(place, key)
        look_now()

    def draw() -> None:
        known = project.job_data.get("transforms", [])
        changeable = offered_columns(project.job_data, "columns")
        if not known:
            text("p", texts("transforms.none" if changeable else "transforms.no_columns"), "quiet")
        for place, one in enumerate(known):
            key = str(one.get(TAG, ""))
            with box("div", "transform"):
                with box("div", "grow"):
                    title = TRANSFORMS[key].title if key in TRANSFORMS else key
                    text("strong", texts("transforms.of", name=title, columns=", ".join(one.get("columns", []))))
                    text("p", told(one), "quiet small")
                if key in TRANSFORMS:
                    icon_button(
                        "edit", texts("transforms.edit", name=title), partial(_form, project, texts, place, one)
                    )
                icon_button("close", texts("transforms.remove", name=title), partial(remove, place, key))
        if changeable:
            button(texts("transforms.add"), partial(_adding, project, texts), icon="add")

    def shows() -> object:
        return project.job_data.get("transforms"), offered_columns(project.job_data, "columns")

    with card(texts("transforms.title"), texts("transforms.lead"), "transforms"):
        Followed(project, draw, shows)


def _adding(project: Project, texts: Texts) -> None:
    """Offer all there are."""

    def take(key: str) -> None:
        dialog.close()
        _form(project, texts, None, new_transform(key))

    with ui.dialog(value=True) as dialog, box("div", "dialog wide-dialog"):
        text("h2", texts("transforms.add_title"))
        for key, one in TRANSFORMS.items():
            with box("div", "offer"):
                with box("div", "grow"):
                    text("span", one.title, "offer-title")
                    text("p", first_line(one), "small")
                    text("p", texts("transforms.keeps", what=one.keeps), "quiet small")
                said(
                    button(texts("transforms.take"), partial(take, key)),
                    aria_label=f"{texts('transforms.take')}: {one.title}",
                )
        with box("div", "actions end"):
            button(texts("app.cancel"), dialog.close)


def _form(project: Project, texts: Texts, place: int | None, begun: Mapping[str, Any]) -> None:
    """Ask for the fields of one transform; nothing is changed before they are right."""
    key, draft = str(begun[TAG]), dict(begun)

    def set_field(field: TransformField, value: Any) -> None:
        nonlocal draft
        draft = with_field(draft, field, value)
        wrong.clear()

    def save() -> None:
        wrong.clear()
        try:
            TransformEdits(project, texts).put(place, draft)
        except NymityError as error:
            with wrong:
                error_card(error, texts)
            return
        dialog.close()
        look_now()

    with ui.dialog(value=True) as dialog, box("div", "dialog transform-dialog"):
        text("h2", TRANSFORMS[key].title)
        text("p", first_line(TRANSFORMS[key]), "quiet")
        for field in fields_of(key):
            _asked(project, field, draft, texts, partial(set_field, field))
        wrong = said(box("div"), role="status")
        with box("div", "actions end"):
            button(texts("app.cancel"), dialog.close)
            button(texts("transforms.save"), save, main=True)


def _asked(project: Project, field: TransformField, draft: Mapping[str, Any], texts: Texts, put: Any) -> None:
    """Show what asks for one field."""
    label, value = texts(f"transforms.field.{field.name}"), draft.get(field.name, field.usual)
    if field.kind in ("columns", "names"):
        names = offered_columns(project.job_data, field.kind)
        # By place: a name of a column may be anything, also what a widget would run.
        made: Any = ui.select(
            dict(enumerate(names)),
            value=[names.index(name) for name in value or [] if name in names],
            multiple=True,
            label=label,
            on_change=lambda event: put([names[one] for one in event.value]),
        ).props("outlined use-chips options-dense")
    elif field.kind == "choice":
        words = {one: texts(f"transforms.choice.{one}") for one in field.choices}
        made = ui.select(words, value=value, label=label, on_change=lambda event: put(event.value))
        made.props("outlined options-dense")
    else:
        made = ui.number(label=label, value=value, on_change=lambda event: put(event.value))
        made.props(f"outlined step={1 if field.kind == 'whole' else 'any'}")
    made.classes("whole-width")
