"""Who is logged in, with whom a project is shared, and the way out: what the header has in a house."""

from __future__ import annotations

from functools import partial

from nicegui import context, ui

from nymity.workbench.catalogue import Texts
from nymity.workbench.house.house_guard import ACTOR, LOGOUT
from nymity.workbench.house.rights import Actor, Right
from nymity.workbench.parts import badge, box, button, icon_button, text
from nymity.workbench.project import Project
from nymity.workbench.watching import look_now


def asking() -> Actor | None:
    """Return who asks for this page; None where there is no house."""
    actor: Actor | None = context.client.request.scope.get(ACTOR)
    return actor


def house_menu(project: Project | None, texts: Texts) -> None:
    """Show it where there is a house."""
    actor = asking()
    if actor is None:
        return
    if project is not None and actor.may(Right.SHARE) and actor.groups:
        icon_button("group", texts("house.share"), partial(_share, project, actor, texts))
    with icon_button("account_circle", texts("house.user", name=actor.name)), ui.menu():
        with box("div", "house-user"):
            text("strong", actor.name)
            badge(texts(f"house.{actor.role.value}"))
        leave = f"fetch({LOGOUT!r}, {{method: 'POST'}}).finally(() => {{ window.location = '/'; }})"
        ui.menu_item(texts("house.logout"), lambda: ui.run_javascript(leave))


def _share(project: Project, actor: Actor, texts: Texts) -> None:
    chosen = set(project.state.groups & actor.groups)

    def choose(group: str, *, on: bool) -> None:
        (chosen.add if on else chosen.discard)(group)

    def share() -> None:
        dialog.close()
        project.share(chosen)
        look_now()

    with ui.dialog(value=True) as dialog, box("div", "dialog"):
        text("h2", texts("house.share"))
        text("p", texts("house.share_lead"), "quiet")
        for group in sorted(actor.groups):
            ui.checkbox(
                group, value=group in chosen, on_change=lambda event, group=group: choose(group, on=bool(event.value))
            )
        with box("div", "actions end"):
            button(texts("app.cancel"), dialog.close)
            button(texts("app.apply"), share, main=True)
