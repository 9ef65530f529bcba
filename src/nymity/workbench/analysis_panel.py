"""What was computed of a trial beside its original: columns, classes, losses, risk, attacks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from nymity.workbench.analyses import figures_of
from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints import address
from nymity.workbench.parts import badge, bar, box, card, said, scroll_box, text
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun
from nymity.workbench.trials import TriedRelease


def analysis_panel(project: Project, trial: TriedRelease, run: BackgroundRun, texts: Texts) -> None:
    """Show all of it."""
    found = (run.result or {})["answer"]
    figures = figures_of(project, trial)
    _kept(found, texts)
    if figures["names"]:
        _distribution(project, trial, figures, texts)
    if len(figures["names"]) > 1:
        _pairs(project, trial, figures["names"], texts)
    _classes(project, trial, found, figures["classes"], texts)
    _published(found, texts)
    _losses(found, texts)
    if found.get("changed"):  # not in analyses that were made before there were transforms
        _changed(found["changed"], texts)
    _risk(found["risk"], texts)
    _attacks(found, texts)


def chart(kind: str, where: str, words: Mapping[str, str]) -> ui.echart:
    """Show a chart whose data the page fetches; what it says to screen readers are the words' ``title``."""
    made = ui.echart({}).classes("chart")
    said(made, role="img", aria_label=words["title"])
    redraw(made, kind, where, words)
    return made


def redraw(made: ui.echart, kind: str, where: str, words: Mapping[str, str]) -> None:
    """Show other data in a chart."""
    ui.run_javascript(f"nymityChart({made.id}, {json.dumps(kind)}, {json.dumps(where)}, {json.dumps(dict(words))})")


def _words(texts: Texts, title: str, **further: str) -> dict[str, str]:
    names = ("before", "after", "missing", "other", "size")
    return {"title": title, **{name: texts(f"result.{name}") for name in names}, **further}


def _kept(found: Mapping[str, Any], texts: Texts) -> None:
    with card(texts("result.kept_title")):
        for sentence in found["sentences"]:
            text("p", sentence)


def _distribution(project: Project, trial: TriedRelease, figures: Mapping[str, Any], texts: Texts) -> None:
    names: Sequence[str] = figures["names"]

    def where(place: int) -> str:
        return f"{address(project, 'result-distribution')}?trial={trial.number}&column={place}"

    def words(place: int) -> dict[str, str]:
        return _words(texts, texts("result.distribution_of", column=names[place]))

    def show(place: int) -> None:
        redraw(made, "paired", where(place), words(place))
        note.set_visibility(bool(figures["columns"][place]["spread"]))

    with card(texts("result.distribution_title"), texts("result.distribution_lead")):
        with box("div", "choices"):
            _choice(texts("result.column"), names, 0, show)
        note = text("p", texts("result.spread"), "quiet small")
        note.set_visibility(bool(figures["columns"][0]["spread"]))
        made = chart("paired", where(0), words(0))


def _pairs(project: Project, trial: TriedRelease, names: Sequence[str], texts: Texts) -> None:
    chosen = {"first": 0, "second": len(names) - 1}

    def where() -> str:
        query = f"trial={trial.number}&first={chosen['first']}&second={chosen['second']}"
        return f"{address(project, 'result-contingency')}?{query}"

    def words(when: str) -> dict[str, str]:
        title = texts("result.pairs_of", first=names[chosen["first"]], second=names[chosen["second"]])
        return _words(texts, f"{texts(f'result.{when}')}: {title}", when=when)

    def show(which: str, place: int) -> None:
        other = "second" if which == "first" else "first"
        if chosen[other] == place:  # the two change places
            chosen[other] = chosen[which]
            selects[other].value = chosen[other]
        chosen[which] = place
        for when, made in charts.items():
            redraw(made, "heat", where(), words(when))

    with card(texts("result.pairs_title"), texts("result.pairs_lead")):
        with box("div", "choices"):
            selects = {
                which: _choice(texts(f"result.{which}"), names, place, lambda value, which=which: show(which, value))
                for which, place in chosen.items()
            }
        charts = {}
        with box("div", "side-by-side"):
            for when in ("before", "after"):
                with box("div"):
                    text("h3", texts(f"result.{when}"))
                    charts[when] = chart("heat", where(), words(when))


def _choice(label: str, names: Sequence[str], place: int, show: Any) -> ui.select:
    """Let a column be chosen by its place."""
    return ui.select(dict(enumerate(names)), value=place, label=label, on_change=lambda event: show(event.value)).props(
        "outlined dense"
    )


def _classes(
    project: Project, trial: TriedRelease, found: Mapping[str, Any], classes: Mapping[str, Any], texts: Texts
) -> None:
    kind = "bucket" if found["shape"] == "buckets" else "class"
    with card(texts(f"result.{kind}_title"), texts(f"result.{kind}_lead")):
        smallest, number = classes["smallest"], classes["number"]
        says = texts(
            f"result.{kind}_says",
            smallest_before=smallest[0],
            smallest_after=smallest[1],
            number_before=number[0],
            number_after=number[1],
        )
        text("p", says)
        chart("sizes", f"{address(project, 'result-classes')}?trial={trial.number}", _words(texts, says))


def _published(found: Mapping[str, Any], texts: Texts) -> None:
    """Show how columns are published, by the kind of release."""
    if found["shape"] == "levels":
        with card(texts("result.levels_title"), texts("result.levels_lead")):
            for ladder in found["ladders"]:
                _ladder(ladder, texts)
    elif found["shape"] == "cells":
        with card(texts("result.cells_title"), texts("result.cells_lead")):
            _cells(found["cells"], texts)
    else:
        with card(texts("result.buckets_title")):
            text("p", texts("result.buckets_says", **found["buckets"]))


def _ladder(ladder: Mapping[str, Any], texts: Texts) -> None:
    used = {int(level): share for level, share in ladder["used"].items()}
    text("h3", ladder["name"])
    with box("div", "steps-of"):
        for level, (size, example) in enumerate(zip(ladder["sizes"], ladder["example"], strict=True)):
            place = "chosen" if level in used else "passed" if level < max(used) else "above"
            shown = texts("result.rare") if example is None else example
            with said(box("span", f"rung {place}"), title=texts("result.values", n=size)):
                text("span", shown if len(shown) <= 40 else f"{shown[:39]}…")
                if used.get(level, 1.0) < 1:
                    text("span", f" · {texts.percent(used[level])}")


def _cells(cells: Sequence[Mapping[str, Any]], texts: Texts) -> None:
    with scroll_box(), box("table", "list"):
        with box("thead"), box("tr"):
            for name in ("column", "different", "own", "per_cell"):
                text("th", texts(f"result.{name}"))
        with box("tbody"):
            for one in cells:
                with box("tr"):
                    text("td", one["name"])
                    text("td", texts.number(one["different"]))
                    text("td", texts.percent(one["own"]))
                    text("td", texts("result.of_values", values=texts.number(one["values"], 1), n=one["domain"]))


def _losses(found: Mapping[str, Any], texts: Texts) -> None:
    scaled = [one for one in found["measured"] if one["scaled"] is not None]
    with card(texts("result.losses_title"), texts("result.losses_lead")):
        if found["attribute_loss"]:
            text("h3", texts("result.by_column"))
            with box("div", "side-by-side"):
                for name, share in sorted(found["attribute_loss"].items(), key=lambda item: -item[1]):
                    _measure(name, share, "", texts)
        with box("details", "more"):
            text("summary", texts("result.by_measure", n=len(scaled)))
            with box("div", "side-by-side"):
                for one in sorted(scaled, key=lambda one: -one["scaled"]):
                    limits = f"{texts('result.limits')}: {one['limits']}."
                    _measure(f"{one['title'][:1].upper()}{one['title'][1:]}", one["scaled"], limits, texts)
        undefined = [one for one in found["measured"] if one["scaled"] is None]
        if undefined:
            with box("details", "more"):
                text("summary", texts("result.undefined", n=len(undefined)))
                for one in undefined:
                    text("p", f"{one['title']}: {one['undefined']}", "quiet small")


def _measure(title: str, share: float, note: str, texts: Texts) -> None:
    """Show one share of what can be lost."""
    with box("div", "measure"):
        with box("div", "line"):
            text("strong", title)
            text("span", texts.percent(share), "figure")
        bar(share, f"{title}: {texts.percent(share)}")
        if note:
            text("p", note, "quiet small")


def _changed(found: Mapping[str, Any], texts: Texts) -> None:
    """Show what transforms did to columns, and what somebody who knows the true values can still tell."""

    def share(value: float | None) -> str:
        return "–" if value is None else texts.percent(value)

    with card(texts("result.changed_title"), texts("result.changed_lead")):
        with scroll_box(), box("table", "list changed-columns"):
            with box("thead"), box("tr"):
                for name in ("column", "changed_kept", "changed_il1s", "changed_near", "changed_dominance"):
                    text("th", texts(f"result.{name}"))
            with box("tbody"):
                for one in found["columns"]:
                    with box("tr"):
                        text("td", one["name"])
                        text("td", share(one["kept"]), "number-cell")
                        text("td", "–" if one["il1s"] is None else texts.number(one["il1s"], 3), "number-cell")
                        text("td", share(one["near"]), "number-cell")
                        text("td", share(one.get("dominance")), "number-cell")  # not in earlier analyses
        if found["linked"] is not None:
            linked = texts.percent(found["linked"])
            text("p", texts("result.changed_linked", linked=linked, chance=texts.percent(found["by_chance"])))
        if found.get("linked_alike") is not None:  # not in earlier analyses
            linked, chance = texts.percent(found["linked_alike"]), texts.percent(found["by_chance_alike"])
            text("p", texts("result.changed_linked_alike", linked=linked, chance=chance), "notice")
        if found.get("linked_together") is not None:
            together = texts.percent(found["linked_together"])
            text("p", texts("result.changed_linked_together", linked=together), "notice")


def _risk(risk: Mapping[str, Any], texts: Texts) -> None:
    """Show the risk by attacker, before and after."""
    before, after = risk["before"], risk["after"]
    with card(texts("result.risk_title"), texts("result.risk_lead")):
        with scroll_box(), box("table", "list"):
            with box("thead"), box("tr"):
                for name in ("attacker", "highest", "average"):
                    text("th", texts(f"result.{name}"))
            with box("tbody"):
                for kind in ("prosecutor", "journalist", "marketer"):
                    if before[kind] is not None:
                        _attacker(kind, before[kind], after[kind] or {}, texts)
        unique = (before["unique_records"], after["unique_records"])
        text("p", texts("result.uniques", before=unique[0], after=unique[1]), "quiet")


def _attacker(kind: str, before: Mapping[str, Any], after: Mapping[str, Any], texts: Texts) -> None:
    def shown(share: float | None) -> str:
        return "–" if share is None else texts.percent(share)

    with box("tr"):
        with box("td"):
            text("strong", texts(f"result.{kind}"))
            text("div", texts(f"result.{kind}_is"), "quiet small")
        for figure in ("highest", "average"):
            words = f"{shown(before.get(figure))} → {shown(after.get(figure))}" if figure in before else "–"
            text("td", words, "number-pair")


def _attacks(found: Mapping[str, Any], texts: Texts) -> None:
    with card(texts("result.attacks_title"), texts("result.attacks_lead")):
        for one in found["attempts"]:
            limit = one["promised"]
            kind = "bad" if one["exceeds"] else "good" if limit is not None else "warned"
            word = "exceeds" if one["exceeds"] else "within" if limit is not None else "no_limit"
            with box("div", "measure"):
                with box("div", "line"):
                    text("strong", f"{one['title'][:1].upper()}{one['title'][1:]}")
                    badge(texts(f"result.{word}"), kind)
                bar(one["chance"], f"{one['title']}: {texts.percent(one['chance'])}")
                text("p", one["says"])
                reached = texts.percent(one["chance"])
                says = (
                    texts("result.reached", reached=reached)
                    if limit is None
                    else texts("result.reached_of", reached=reached, limit=texts.percent(limit))
                )
                text("p", f"{says} {texts('result.assumes')}: {one['assumes']}.", "quiet small")
        for reason in found["not_tried"]:
            text("p", reason, "quiet small")
