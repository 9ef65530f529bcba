"""The frame of every screen: header, navigation, job and code, errors. Screens fill its middle and know none of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import isawaitable

from nicegui import context, ui

from nymity.core.errors import NymityError
from nymity.workbench.catalogue import LANGUAGES, Texts
from nymity.workbench.code_panel import code_panel
from nymity.workbench.house.house_menu import asking, house_menu
from nymity.workbench.house.rights import Right
from nymity.workbench.left_pages import hold_few
from nymity.workbench.parts import badge, box, card, error_card, icon_button, link, said, tell_uncaught, text
from nymity.workbench.project import Project
from nymity.workbench.screens import ProjectScreen, screens_for
from nymity.workbench.watching import watched

#: What NiceGUI calls the themes: None follows the system.
THEMES = {"light": False, "dark": True, "auto": None}
_NEXT = {"auto": "dark", "dark": "light", "light": "auto"}
_ICONS = {"auto": "brightness_auto", "dark": "dark_mode", "light": "light_mode"}


async def show_screen(project: Project, screen: ProjectScreen, texts: Texts, theme: str) -> None:
    """Build the page of a screen."""
    title = texts(f"nav.{screen.key}")
    with framed(texts, theme, title=f"{title} · {project.name}", project=project, current=screen):
        if screen.looks and not project.may_look:
            with card(title):
                text("p", texts("app.private_screen"))
            return
        try:
            done = screen.render(project, texts)
            if isawaitable(done):
                await done
        except NymityError as error:
            error_card(error, texts)
        _next_step(project, screen, texts)


def _next_step(project: Project, current: ProjectScreen, texts: Texts) -> None:
    """Show the way on, for whoever does not know it yet."""
    keys = list(screens_for(project.actor))
    place = keys.index(current.key) + 1
    if place < len(keys):
        with box("div", "next-step"):
            link(texts("app.next", screen=texts(f"nav.{keys[place]}")), f"{project.address}/{keys[place]}", "next-link")


@contextmanager
def framed(
    texts: Texts, theme: str, *, title: str, project: Project | None = None, current: ProjectScreen | None = None
) -> Iterator[None]:
    """Give the middle of a page with its header and, in a project, the navigation."""
    actor = asking()
    if actor is not None:
        hold_few(context.client)
    tell_uncaught(texts, quoting=actor is None or actor.may(Right.LOOK))
    ui.page_title(f"{title} · nymity")
    ui.colors(primary="#0b6096", accent="#0b6096", negative="#a32a00", positive="#00684a", warning="#8f5b00")
    ui.dark_mode(THEMES[theme])
    ui.query("body").classes("workbench" if project is not None else "workbench without-project")
    link(texts("app.skip"), "#content", "skip")
    _header(texts, theme, project, current)
    with box("div", "shell" if project is not None else "shell without-steps"):
        if project is not None:
            _steps(project, texts, current)
        with said(box("main", "content"), id="content", tabindex="-1"):
            if project is not None and project.state.private:
                text("p", texts("app.private_explored" if project.state.explored else "app.private"), "notice")
            yield


def _header(texts: Texts, theme: str, project: Project | None, current: ProjectScreen | None) -> None:
    with box("header", "top"):
        said(link(texts("app.name"), "/", "brand"), title=texts("app.projects"))
        if project is not None:
            named = text("span", project.name, "project-name")
            if not project.actor.in_house:
                said(named, title=str(project.folder))
        box("div", "spring")
        if project is not None and current is not None:
            if project.actor.may(Right.CHANGE):
                _undo_buttons(project, texts)
            if project.actor.may(Right.LOOK):  # a job lists values in its hierarchies
                code_panel(project, current, texts)
        house_menu(project, texts)
        icon_button(_ICONS[theme], texts("app.theme"), lambda: ui.navigate.to(f"/settings?theme={_NEXT[theme]}"))
        with icon_button("language", texts("app.language")), ui.menu():
            for code, (name, _, _) in LANGUAGES.items():
                said(ui.menu_item(name, lambda code=code: ui.navigate.to(f"/settings?language={code}")), lang=code)


def _undo_buttons(project: Project, texts: Texts) -> None:
    def go(*, back: bool) -> None:
        if project.undo() if back else project.redo():
            ui.navigate.reload()  # whatever the screen shows may be another thing now

    @watched(project)
    def buttons() -> None:
        state = project.state
        icon_button("undo", texts("app.undo"), lambda: go(back=True)).set_enabled(state.earlier is not None)
        icon_button("redo", texts("app.redo"), lambda: go(back=False)).set_enabled(state.later is not None)

    buttons()


def _steps(project: Project, texts: Texts, current: ProjectScreen | None) -> None:
    """Show the way through the project, with what is still to do at each step."""

    @watched(project)
    def steps() -> None:
        with box("ol"):
            for number, screen in enumerate(screens_for(project.actor).values(), 1):
                _step(number, screen, project, texts, is_current=screen is current)

    with said(box("nav", "steps"), aria_label=texts("nav.label")):
        steps()
    # In a narrow window the steps are one line, which begins with the first.
    ui.run_javascript("document.querySelector('.step.current')?.scrollIntoView({ block: 'nearest', inline: 'center' })")


def _step(number: int, screen: ProjectScreen, project: Project, texts: Texts, *, is_current: bool) -> None:
    with box("li"), box("a", "step current" if is_current else "step") as shown:
        said(shown, href=f"/p/{project.id}/{screen.key}", **({"aria_current": "page"} if is_current else {}))
        text("span", str(number), "number")
        text("span", texts(f"nav.{screen.key}"), "name")
        left = screen.open_points(project) if project.may_look or not screen.looks else None
        if left:
            said(badge(str(left), "warned"), title=texts("app.open_points", n=left))
        elif left == 0:
            said(text("span", "✓", "done"), title=texts("app.done"))
