"""Addresses: which page or answer is where."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from nicegui import ui
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from nymity.core.errors import NymityError
from nymity.workbench.catalogue import LANGUAGES, Texts
from nymity.workbench.endpoints import ADDRESS, answering
from nymity.workbench.frame import THEMES, framed, show_screen
from nymity.workbench.home import Homes
from nymity.workbench.house.rights import Right
from nymity.workbench.parts import empty_state, error_card
from nymity.workbench.passphrases import PASSPHRASE, taking
from nymity.workbench.project import Project
from nymity.workbench.release_page import show_release
from nymity.workbench.screens import ORDER, screens_for
from nymity.workbench.start_page import show_start
from nymity.workbench.uploads import receiving

_LANGUAGE_COOKIE, _THEME_COOKIE = "nymity-language", "nymity-theme"


def add_addresses(api: FastAPI, home: Homes) -> None:
    """Add every page and endpoint to the application."""
    api.add_route(PASSPHRASE, taking(home), methods=["POST"])
    api.add_route(ADDRESS, answering(home), methods=["GET"])
    api.add_route("/api/upload", receiving(home), methods=["POST"])
    api.add_route("/settings", _settings, methods=["GET"])
    ui.add_head_html('<script src="/assets/grid.js"></script>', shared=True)
    for name in ("workbench", *ORDER):
        if files("nymity.workbench").joinpath("assets", f"{name}.css").is_file():
            ui.add_head_html(f'<link rel="stylesheet" href="/assets/{name}.css">', shared=True)

    @ui.page("/")
    async def start(request: Request) -> None:
        texts, theme = _wanted(request)
        _speak(texts)
        with framed(texts, theme, title=texts("start.title")):
            await show_start(home.of(request), texts)

    @ui.page("/release")
    async def release(request: Request, path: str = "") -> Response | None:
        texts, theme = _wanted(request)
        actor = home.of(request).actor
        if not actor.may(Right.LOOK):
            return nothing_here()
        _speak(texts)
        with framed(texts, theme, title=texts("received.title")):
            try:
                if actor.reach is not None:
                    actor.reach.check_read("path", path)
                await show_release(path, texts)
            except NymityError as error:
                error_card(error, texts)
        return None

    @ui.page("/p/{project_id}")
    def project_page(request: Request, project_id: str) -> Response:
        return RedirectResponse(f"/p/{project_id}/{next(iter(screens_for(home.of(request).actor)))}")

    @ui.page("/p/{project_id}/{key}")
    async def screen_page(request: Request, project_id: str, key: str) -> Response | None:
        texts, theme = _wanted(request)
        own = home.of(request)
        project, screen = own.find(project_id), screens_for(own.actor).get(key)
        if own.actor.in_house and (project is None or screen is None):
            return nothing_here()
        _speak(texts)
        if project is None or screen is None:
            with framed(texts, theme, title=texts("app.name")):
                empty_state(texts("app.not_found"))
            return None
        try:
            project.check_folder()
            project.runs.finish_lost()
        except NymityError as error:
            with framed(texts, theme, title=texts("app.name")):
                damaged(project, error, texts)
            return None
        own.remember(project)
        await show_screen(project, screen, texts, theme)
        return None


def damaged(project: Project, error: NymityError, texts: Texts) -> None:
    """Say that a project cannot be shown; in a house not where its files lie."""
    empty_state(texts("app.damaged", name=project.name), texts("app.damaged_then"))
    if not project.actor.in_house:
        error_card(error, texts)


def nothing_here() -> Response:
    """Answer as if there were nothing: whether somebody else has it is nobody's business."""
    return PlainTextResponse("There is nothing here.\n", status_code=404)


def _wanted(request: Request) -> tuple[Texts, str]:
    """Return the language and the theme that were chosen, or that the browser asks for."""
    asked = request.headers.get("accept-language", "")[:2].lower()
    theme = request.cookies.get(_THEME_COOKIE, "auto")
    return Texts.of(request.cookies.get(_LANGUAGE_COOKIE, asked)), theme if theme in THEMES else "auto"


def _speak(texts: Texts) -> None:
    ui.run_javascript(f"document.documentElement.lang = {texts.language!r}")


async def _settings(request: Request) -> Response:
    """Keep a setting in a cookie, and go back."""
    back = request.headers.get("referer", "/").partition("://")[2].partition("/")[2]
    answer = RedirectResponse("/" + back.lstrip("/\\"), status_code=303)  # // would be another server
    known: dict[str, tuple[str, Any]] = {"language": (_LANGUAGE_COOKIE, LANGUAGES), "theme": (_THEME_COOKIE, THEMES)}
    for name, (cookie, values) in known.items():
        if (value := request.query_params.get(name, "")) in values:
            answer.set_cookie(cookie, value, max_age=31_536_000, httponly=True, samesite="strict")
    return answer
