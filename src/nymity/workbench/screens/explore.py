"""Explore: every choice of levels as a plot of risk against loss; one can be looked at, compared and published."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints import address
from nymity.workbench.explorations import CODE, LevelChoice, LevelExploration, begin, newest, publish_choice
from nymity.workbench.parts import (
    box,
    button,
    card,
    empty_state,
    error_card,
    heading,
    in_thread,
    said,
    scroll_box,
    slider,
    text,
    tile,
    told,
)
from nymity.workbench.project import Project
from nymity.workbench.run_panel import run_panel
from nymity.workbench.runs import RunState
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.settings_panel import settings_panel
from nymity.workbench.watching import look_now, watched

#: Nodes of a lattice that is drawn whole.
FEW = 250
#: Solutions that are listed, and by what they can be sorted.
LISTED, SORTED = 10, ("loss", "suppressed", "average", "risk")


async def render(project: Project, texts: Texts) -> None:
    """Fill the page."""
    heading(texts("explore.title"), texts("explore.lead"))
    problem = project.problem()
    if problem is not None:
        error_card(problem, texts)
        return
    found = newest(project)
    done = found is not None and found.is_done
    if not done or found is None:
        _begin(project, texts)
        return
    if not found.is_of_now(project):
        text("p", texts("explore.outdated"), "notice")
    ui.add_body_html('<script src="/assets/explore.js"></script>')
    await in_thread(lambda: found.nodes)
    SolutionSpace(project, found, texts).show()


def _begin(project: Project, texts: Texts) -> None:
    """Offer to explore, or show how far it is."""

    def start() -> None:
        begin(project)
        look_now()

    @watched(project, runs=True)
    def shown() -> None:
        found = newest(project)
        if found is not None and found.is_done:
            ui.navigate.reload()
            return
        running = found is not None and found.run.state is RunState.RUNNING
        if found is None:
            empty_state(texts("explore.none"), texts("explore.none_then"))
        else:
            with card(texts("explore.under_way")):
                run_panel(found.run, texts)
        with box("div", "actions"):
            button(texts("explore.begin"), start, icon="scatter_plot", main=True).set_enabled(not running)

    shown()
    settings_panel(project, texts)


class SolutionSpace:
    """The plot, the node that was clicked, and up to two that are compared."""

    def __init__(self, project: Project, found: LevelExploration, texts: Texts) -> None:
        self._project, self._found, self._texts = project, found, texts
        self._answer = found.answer
        self._chosen: LevelChoice | None = None
        self._pinned: list[LevelChoice] = []

    def show(self) -> None:
        """Show all of it."""
        answer, texts = self._answer, self._texts
        with box("div", "tiles"):
            tile(texts("explore.nodes"), texts.number(answer["nodes"]), texts("explore.shown", n=answer["shown"]))
            tile(texts("explore.solutions"), texts.number(answer["solutions"]), texts("explore.solutions_are"))
            tile(texts("explore.minimized"), answer["loss"], answer["loss_title"])
        if not answer["by_levels"]:
            text("p", texts("explore.other_method"), "notice")
        self._plot()
        if answer["nodes"] <= FEW:
            self._lattice()
        self._cards = ui.refreshable(self._draw_cards)
        self._cards()
        self._best()
        settings_panel(self._project, texts)
        with box("div", "actions"):
            button(texts("explore.again"), self._again, icon="refresh")

    def _plot(self) -> None:
        texts = self._texts
        names = ("node", "loss", "suppressed", "average", "risk", "solution", "beyond")
        words = {"title": texts("explore.plot_title"), **{name: texts(f"explore.word_{name}") for name in names}}
        with card(texts("explore.plot_title"), texts("explore.plot_lead")):
            with box("div", "explore-tools"):
                axes = {name: texts(f"explore.axis_{name}") for name in ("average", "risk", "suppressed")}
                ui.toggle(axes, value="average", on_change=lambda event: _filter(axis=event.value)).props("no-caps")
                ui.checkbox(
                    texts("explore.only_solutions"), on_change=lambda event: _filter(solutions=bool(event.value))
                )
                with box("div"):
                    text("span", texts("explore.most_suppressed"), "quiet small")
                    label = texts("explore.most_suppressed")
                    slider(label, 100, most=100, step=1, sliding=lambda percent: _filter(most=percent / 100))
            plot = said(ui.echart({}).classes("space-plot"), role="img", aria_label=texts("explore.plot_title"))
        where = address(self._project, "explore-nodes")
        ui.run_javascript(f"nymityExplore({plot.id}, {json.dumps(where)}, {json.dumps(words)})")
        ui.on("explore_node", lambda event: self._look(event.args))

    def _lattice(self) -> None:
        """Show every node by how far up it is, the raw table at the bottom."""
        texts = self._texts
        by_height: dict[int, list[LevelChoice]] = {}
        for number in self._found.nodes["node"].to_list():
            choice = self._found.choice(number)
            by_height.setdefault(sum(choice.levels.values()), []).append(choice)
        with card(texts("explore.lattice_title"), texts("explore.lattice_lead")), box("div", "lattice"):
            for height in sorted(by_height, reverse=True):
                with box("div", "lattice-row"):
                    for choice in by_height[height]:
                        levels = "·".join(map(str, choice.levels.values()))
                        node = text("button", levels, "lattice-node solution" if choice.solution else "lattice-node")
                        words = texts("explore.lattice_node", node=choice.number, levels=levels)
                        said(node, type="button", aria_label=words, title=words)
                        node.on("click", partial(self._look, choice.number), [])
            text("p", texts("explore.lattice_order", columns=" · ".join(self._answer["names"])), "quiet small")

    def _look(self, number: Any) -> None:
        """Show a node; what a browser sends is anything."""
        try:
            self._chosen = self._found.choice(int(number))
        except (NymityError, TypeError, ValueError):
            return
        ui.run_javascript(f"nymityExploreChosen({self._chosen.number})")
        self._cards.refresh()

    def _draw_cards(self) -> None:
        chosen = self._chosen
        shown = [*self._pinned, *([chosen] if chosen is not None and chosen not in self._pinned else [])]
        if not shown:
            text("p", self._texts("explore.click"), "quiet")
        with box("div", "choice-cards"):
            for choice in shown:
                self._card(choice, shown[0])

    def _card(self, choice: LevelChoice, other: LevelChoice) -> None:
        texts, pinned = self._texts, choice in self._pinned
        with card(texts("explore.node_title", node=choice.number)):
            text("p", texts("explore.solves" if choice.solution else "explore.solves_not"), "quiet")
            with box("dl", "choice-levels"):
                figures = {
                    "loss": f"{choice.loss:.5g}",
                    "suppressed": f"{texts.number(choice.suppressed)} ({texts.percent(choice.share)})",
                    "average": texts.percent(choice.average),
                    "risk": f"{texts.percent(choice.risk)} (k = {texts.number(choice.k)})",
                    "classes": texts.number(choice.classes),
                }
                for name, value in figures.items():
                    text("dt", texts(f"explore.word_{name}"), "quiet")
                    text("dd", value)
            text("h3", texts("explore.levels"))
            with box("dl", "choice-levels"):
                for (name, level), height in zip(choice.levels.items(), self._answer["heights"], strict=True):
                    text("dt", name)
                    differs = "other" if level != other.levels[name] else ""
                    text("dd", texts("explore.level_of", level=level, height=height), differs)
            with box("div", "actions"):
                pin = button(
                    texts("explore.unpin" if pinned else "explore.pin"), partial(self._pin, choice), icon="push_pin"
                )
                pin.set_enabled(pinned or len(self._pinned) < 2)
                publish = button(texts("explore.publish"), partial(self._publish, choice), icon="play_arrow", main=True)
                publish.set_enabled(choice.solution and self._found.is_of_now(self._project))

    def _pin(self, choice: LevelChoice) -> None:
        if choice in self._pinned:
            self._pinned.remove(choice)
        elif len(self._pinned) < 2:
            self._pinned.append(choice)
        self._cards.refresh()

    def _publish(self, choice: LevelChoice) -> None:
        try:
            publish_choice(self._project, self._texts("explore.fixed", node=choice.number), choice)
        except NymityError as error:
            told(error, self._texts)
            return
        ui.navigate.to(f"{self._project.address}/search")

    def _best(self) -> None:
        texts = self._texts
        with card(texts("explore.best_title"), texts("explore.best_lead")):
            if not self._answer["solutions"]:
                text("p", texts("explore.no_solution"))
                return
            words = {name: texts(f"explore.word_{name}") for name in SORTED}
            order = ui.select(words, value=SORTED[0], label=texts("explore.sorted")).props("outlined dense")
            rows = ui.refreshable(self._rows)
            order.on_value_change(lambda event: rows.refresh(event.value))
            rows(SORTED[0])

    def _rows(self, what: str) -> None:
        texts = self._texts
        with scroll_box(), box("table", "list best-nodes"):
            with box("thead"), box("tr"):
                for name in ("node", "loss", "suppressed", "average", "risk"):
                    text("th", texts(f"explore.word_{name}"))
                text("th", "", "row-action")
            with box("tbody"):
                for number in self._found.best_by(what, LISTED):
                    self._row(self._found.choice(number), partial(self._look, number))

    def _row(self, choice: LevelChoice, look: Callable[[], None]) -> None:
        texts = self._texts
        with box("tr"):
            text("td", texts.number(choice.number), "number-cell")
            text("td", f"{choice.loss:.5g}")
            text("td", f"{texts.number(choice.suppressed)} ({texts.percent(choice.share)})")
            text("td", texts.percent(choice.average))
            text("td", texts.percent(choice.risk))
            with box("td", "row-action"):
                button(texts("explore.look"), look).props("dense flat")

    def _again(self) -> None:
        begin(self._project)
        ui.navigate.reload()


def _filter(**show: Any) -> None:
    ui.run_javascript(f"nymityExploreShow({json.dumps(show)})")


SCREEN = ProjectScreen(key="explore", render=render, code=lambda _: CODE)
