"""The front as a plot: risk across, usefulness upwards. Plain Vega-Lite, in which values appear only as data."""

from __future__ import annotations

from typing import Any

from nymity.recommending.recommendation import Choice, Recommendation
from nymity.recommending.trial import Trial
from nymity.recommending.yardstick import Measure
from nymity.report.chart import AFTER, BEFORE, CHOSEN, SERIES
from nymity.report.markup import Spec

#: What a point is, with its colour and shape.
_TRIED, _CHOSEN, _AGAIN = "tried", "on the front", "on what was kept apart"
_KINDS = {_TRIED: (BEFORE, "circle"), _CHOSEN: (AFTER, "circle"), _AGAIN: (CHOSEN, "diamond")}
_TOOLTIP = {"n": "choice", "t": "settings", "r": "risk", "a": "usefulness", "k": "which"}


def front_plot(recommendation: Recommendation) -> Spec:
    """Every trial by its risk and its usefulness, the front numbered, and what it reaches on what was kept apart.

    A click on a number opens its job file.
    """
    front = {id(choice.trial) for choice in recommendation.choices}
    tried = [_row(trial, recommendation) for trial in recommendation.trials if id(trial) not in front]
    rows = [row for choice in recommendation.choices for row in _rows_of(choice, recommendation)]
    return {
        "layer": [
            *_level(recommendation.measure.original, recommendation.best_original.choosing.rate, SERIES[2]),
            *_level(recommendation.measure.nothing, recommendation.zero_r.choosing.rate, SERIES[7]),
            *_layers(f"{recommendation.risk} risk (logarithmic scale)", recommendation.measure),
        ],
        "width": "container",
        "height": 380,
        "data": {"values": [*tried, *rows]},
        "autosize": {"type": "fit-x", "contains": "padding"},
    }


def _layers(risk: str, measure: Measure) -> list[Spec]:
    """The front as steps, intervals, points, and numbers that are links."""
    x = {"field": "x", "type": "quantitative", "title": risk, "scale": {"type": "log", "padding": 24}}
    x["axis"] = {"format": ".2~%", "labelOverlap": "greedy", "labelSeparation": 6}
    y = {"field": "y", "type": "quantitative", "title": measure.title, "scale": {"zero": False, "padding": 24}}
    y["axis"] = {"format": ".1~%" if measure.as_percent else ".3~f"}
    tooltip = [{"field": field, "type": "nominal", "title": title} for field, title in _TOOLTIP.items()]
    colour, shape = ({"field": "k", "type": "nominal", "title": None, "scale": _scale(i)} for i in (0, 1))
    steps = {"type": "line", "interpolate": "step-after", "color": AFTER, "strokeWidth": 1.5}
    number = {"type": "text", "dy": -13, "fontWeight": "bold", "color": AFTER, "cursor": "pointer"}
    named = {"text": {"field": "n", "type": "nominal"}, "href": {"field": "h", "type": "nominal"}}
    reach = {"x": x, "y": {"field": "lo", "type": "quantitative"}, "y2": {"field": "hi"}}
    points = {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": tooltip}
    return [
        {"mark": steps, "encoding": {"x": x, "y": y}, "transform": [_only(_CHOSEN)]},
        {"mark": {"type": "rule", "color": CHOSEN, "opacity": 0.6}, "encoding": reach, "transform": [_only(_AGAIN)]},
        {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.9}, "encoding": points},
        {"mark": number, "encoding": {"x": x, "y": y, **named, "tooltip": tooltip}, "transform": [_only(_CHOSEN)]},
    ]


def _rows_of(choice: Choice, recommendation: Recommendation) -> list[Spec]:
    """Where a choice was when it was chosen, and where it is on the records that were kept apart."""
    again = choice.trial.score.confirming
    low, high = again.interval
    chosen = _row(choice.trial, recommendation) | {"k": _CHOSEN, "n": str(choice.number), "h": choice.file_name}
    return [
        chosen,
        chosen | {"k": _AGAIN, "y": again.rate, "a": recommendation.measure.said(again.rate), "lo": low, "hi": high},
    ]


def _row(trial: Trial, recommendation: Recommendation) -> Spec:
    rate, value = trial.score.choosing.rate, float(trial.risk.of(recommendation.risk))
    return {
        "x": value,
        "y": rate,
        "k": _TRIED,
        "t": trial.words,
        "r": f"{value:.2%}",
        "a": recommendation.measure.said(rate),
    }


def _level(words: str, height: float, colour: str) -> list[Spec]:
    """A line across with words above it."""
    y: dict[str, Any] = {"datum": height, "type": "quantitative"}
    style = {"align": "left", "baseline": "bottom", "dx": 4, "dy": -3, "color": colour}
    once: Spec = {"values": [{}]}  # drawn once, not once per row
    return [
        {"data": once, "mark": {"type": "rule", "color": colour, "strokeDash": [5, 4]}, "encoding": {"y": y}},
        {"data": once, "mark": {"type": "text", "text": words, **style}, "encoding": {"x": {"value": 0}, "y": y}},
    ]


def _scale(part: int) -> Spec:
    return {"domain": list(_KINDS), "range": [look[part] for look in _KINDS.values()]}


def _only(kind: str) -> Spec:
    return {"filter": f"datum.k === '{kind}'"}
