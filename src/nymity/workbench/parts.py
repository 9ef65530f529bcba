"""Parts that every screen is made of: texts, links, buttons, errors. Values are set as text, never as HTML."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from nymity.core.errors import InputError, NymityError
from nymity.workbench.catalogue import Texts
from nymity.workbench.unturned import unturned

T = TypeVar("T")

#: What pages wait for: a table that takes long to read keeps few others waiting. asyncio's own are six on two cores.
_threads = ThreadPoolExecutor(32, thread_name_prefix="page")


def text(tag: str, words: str, classes: str = "") -> TextElement:
    """Show words in an element of HTML, such as ``h2`` or ``p``."""
    return TextElement(tag=tag, text=unturned(words)).classes(classes)


def box(tag: str = "div", classes: str = "") -> Element:
    """Return an element to put others into: ``with box("section", "card"):``."""
    return ui.element(tag).classes(classes)


def said(element: Element, **attributes: str) -> Element:
    """Give an element attributes of HTML; values may be anybody's (``aria_label`` is ``aria-label``)."""
    for name, value in attributes.items():
        element.props[name.replace("_", "-")] = value
    return element


def scroll_box() -> Element:
    """Return a box for something wide, which a keyboard can scroll, too."""
    return said(box("div", "scroll-x"), tabindex="0")


def link(words: str, to: str, classes: str = "") -> TextElement:
    """Show a link inside of the workbench."""
    shown = text("a", words, classes)
    shown.props["href"] = to
    return shown


def button(words: str, on_click: Callable[[], Any] | None = None, *, icon: str = "", main: bool = False) -> ui.button:
    """Show a button; the ``main`` one of a screen is filled."""
    made = ui.button(unturned(words), on_click=on_click, icon=icon or None, color=None).props(
        "no-caps unelevated" + ("" if main else " outline")
    )
    return made.classes("main-button" if main else "plain-button")


def icon_button(icon: str, words: str, on_click: Callable[[], Any] | None = None) -> ui.button:
    """Show a button that is a sign; the words are for screen readers and as a tooltip."""
    made = ui.button(icon=icon, on_click=on_click, color=None).props("flat round dense").classes("icon-button")
    said(made, aria_label=words, title=words)
    return made


def badge(words: str, kind: str = "") -> TextElement:
    """Show a word or number in a pill; ``kind``: good, warned, bad, or the name of a role."""
    return text("span", words, f"pill {kind}")


def tile(label: str, value: str, note: str = "", kind: str = "") -> None:
    """Show one figure with what it is."""
    with box("div", f"tile {kind}"):
        text("span", label, "label")
        text("strong", value)
        if note:
            text("span", note, "note")


def line_figure(label: str, value: str) -> None:
    """Show one figure in a line of them that stays in sight."""
    with box("span", "line-figure"):
        text("span", label, "label")
        text("strong", value)


def bar(share: float, words: str) -> Element:
    """Show a share as a bar; the words are for screen readers."""
    with said(box("div", "bar"), role="img", aria_label=words) as made:
        box("span").style(f"width: {max(0.0, min(1.0, share)) * 100:.1f}%")
    return made


def bars(counts: Sequence[int], words: str, *, bound: bool = True) -> Element:
    """Show a small histogram; ``bound`` bars touch each other, as those of intervals do."""
    most, width = max(counts, default=0), max(1, len(counts))
    gap = 0.04 if bound else 0.2
    parts = (
        f"M{place + gap:.2f} 20V{20 - max(0.8, 20 * count / most):.2f}H{place + 1 - gap:.2f}V20Z"
        for place, count in enumerate(counts)
        if count
    )
    made = said(box("svg", "bars"), viewBox=f"0 0 {width} 20", preserveAspectRatio="none", role="img", aria_label=words)
    with made:
        said(box("path"), d="".join(parts))
    return made


def slider(
    label: str,
    value: float,
    *,
    most: float,
    step: float,
    sliding: Callable[[float], Any],
    put: Callable[[float], Any] | None = None,
) -> Element:
    """Show a slider of the browser's own, from 0 on: keyboards, touch and screen readers know it.

    ``sliding`` hears of every value on the way, ``put`` of the one where it is left.
    """
    made = said(box("input", "slider"), type="range", min="0", max=f"{most:g}", step=f"{step:g}", aria_label=label)
    said(made, value=f"{value:g}")
    number = "(event) => emit(Number(event.target.value))"
    made.on("input", lambda event: sliding(float(event.args)), js_handler=number, throttle=0.05)
    if put is not None:
        made.on("change", lambda event: put(float(event.args)), js_handler=number)
    return made


def empty_state(words: str, then: str = "") -> None:
    """Say that there is nothing yet, and what to do."""
    with box("div", "empty"):
        text("p", words)
        if then:
            text("p", then, "quiet")


def error_card(error: BaseException, texts: Texts) -> None:
    """Show an error in our one form: where, what was expected, what came, what to try."""
    with said(box("div", "error-card"), role="alert"):
        if isinstance(error, InputError):
            text("strong", error.where)
            with box("dl"):
                for name in ("expected", "got", "hint"):
                    if getattr(error, name):
                        text("dt", texts(f"app.{name}"))
                        text("dd", getattr(error, name))
        else:
            foreseen = isinstance(error, NymityError)
            text("strong", texts("app.failed" if foreseen else "app.bug"))
            # What nobody foresaw may quote a table, and in a house the server's paths: the server's own log has it.
            text("p", str(error) if foreseen else type(error).__name__)


def tell_uncaught(texts: Texts, *, quoting: bool) -> None:
    """Show what no part of the page has caught; once while it is shown, for a timer may fail every second.

    Without ``quoting`` it is only told of what kind it is: an error may quote values.
    """
    shown: set[str] = set()

    def tell(error: Exception) -> None:
        if (words := str(error)) not in shown:
            shown.add(words)
            said = error if quoting else NymityError(type(error).__name__)
            told(said, texts).on("hide", lambda: shown.discard(words))

    ui.on_exception(tell)


def told(error: Exception, texts: Texts) -> ui.dialog:
    """Show an error over the page, until it is closed."""
    with ui.dialog(value=True) as dialog, box("div", "dialog"):
        text("h2", texts("app.failed"))
        error_card(error, texts)
        with box("div", "actions"):
            button(texts("app.close"), dialog.close, main=True)
    return dialog


async def in_thread(work: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Wait for work outside of the page's loop, where it keeps nobody else waiting."""
    called = partial(contextvars.copy_context().run, work, *arguments, **named)
    return await asyncio.get_running_loop().run_in_executor(_threads, called)


class OneAtATime:
    """Work of which the machine does one piece at a time; pages that wait for their turn hold no thread meanwhile."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def in_thread(self, wanted: Callable[[], bool], work: Callable[..., T], *arguments: Any) -> T | None:
        """Wait for a turn, then for the work; None where nobody wants it any more when its turn comes."""
        async with self._turn:
            return await in_thread(work, *arguments) if wanted() else None


async def in_background(texts: Texts, work: Callable[..., T], *arguments: Any, **named: Any) -> T | None:
    """Do something that takes a while outside of the page's loop, and show its error; None where it failed."""
    notice = ui.notification(texts("app.working"), spinner=True, timeout=None)
    try:
        return await in_thread(work, *arguments, **named)
    except NymityError as error:
        told(error, texts)
        return None
    finally:
        notice.dismiss()


@contextmanager
def card(title: str, lead: str = "", classes: str = "") -> Iterator[Element]:
    """Give a box with a heading."""
    with box("section", f"card {classes}") as made:
        text("h2", title)
        if lead:
            text("p", lead, "quiet")
        yield made


def heading(title: str, lead: str = "") -> None:
    """Show the title of a screen and one sentence on it."""
    with box("div", "heading"):
        text("h1", title)
        if lead:
            text("p", lead, "lead")
