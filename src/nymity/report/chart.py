"""Plots as Vega-Lite specifications, and the script that draws them: the one file that knows vl-convert.

Fields have short names of our own and values from tables appear only as data, never in expressions, titles or field
names, which Vega-Lite would interpret. The tests validate every specification with altair; drawing needs no more than
mappings (:mod:`nymity.report.layers`), and altair takes longer to load than all plots to write.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from nymity.core.errors import DrawingError
from nymity.core.extras import require
from nymity.core.kept import kept
from nymity.report.layers import PlotLayer
from nymity.report.markup import Spec
from nymity.report.page_wording import amount

# Okabe and Ito's palette, told apart by colour-blind readers, over a light grey for "before".
BEFORE, AFTER, SUPPRESSED, LEFT_OUT, CHOSEN = "#c3cad3", "#0072b2", "#e69f00", "#8a6d3b", "#d55e00"
#: Colours and shapes of series, in this order; together they are told apart by colour-blind readers.
SERIES = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7a8591", "#8f6fd1", "#a3324f",
    "#44aa99", "#999933",
)  # fmt: skip
_SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "stroke")
#: Ticks at values, and characters of names that lie side by side, at most.
_MOST_TICKS, _LONG_NAME = 12, 24
_FATES = {"published": AFTER, "masked": SUPPRESSED, "left out": LEFT_OUT}
_INK, _QUIET, _GRID = "#1f2933", "#5b6773", "#e7eaee"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

#: How every plot looks; written into the page once.
CONFIG: Spec = {
    "font": _FONT,
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "labelFontSize": 12,
        "labelLimit": 210,
        "titleColor": _QUIET,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": _GRID,
        "domainColor": "#b6bec8",
        "labelFlush": False,
        "ticks": False,
        "labelPadding": 6,
        "titlePadding": 10,
    },
    "legend": {"labelFontSize": 12, "labelColor": _INK, "title": None, "orient": "top", "symbolSize": 90},
    "text": {"font": _FONT, "fontSize": 12, "color": _INK},
}


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar: its label beside the axis, its length (a share), what is written at its end and in its tooltip."""

    label: str
    share: float
    text: str
    full: str
    note: str = ""
    strong: bool = False
    limit: float | None = None  #: where a stroke is drawn across


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One category before and after: two shares, with their tooltips. ``kind`` colours what came after."""

    label: str
    full: str
    before: float
    after: float
    before_text: str
    after_text: str
    kind: str = "published"


@dataclass(frozen=True, kw_only=True)
class NodePoint:
    """One evaluated node; ``front`` says whether it is on the Pareto front that is drawn."""

    suppressed: float
    k: int
    loss: float
    kind: str
    levels: str
    front: bool = False


@dataclass(frozen=True, kw_only=True)
class HeatMapField:
    """A field of a heat map: its row and column, a share that colours it, and what its tooltip says."""

    row: str
    column: str
    share: float
    text: str
    full: str


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A value of one of several series, at a place on the axis across."""

    series: str
    at: float | str
    value: float


@cache
def begin_javascript() -> Future[str]:
    """Begin to build the script of :func:`javascript` while the sections are written, unless it is kept already.

    It takes a second or two, once for each version of the plot library (:mod:`nymity.core.kept`).

    vl-convert runs a JavaScript engine, which ends the whole process where it gets no memory, and nothing can catch
    that. So it runs in a process of its own.
    """
    if find_spec("vl_convert") is None:
        require("vl_convert", extra="report", purpose="the HTML report")
    worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nymity-plots")
    begun = worker.submit(_bundled)
    worker.shutdown(wait=False)
    return begun


def javascript() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script without any import, or raise a DrawingError."""
    try:
        return begin_javascript().result()
    except DrawingError:
        begin_javascript.cache_clear()  # another time there may be memory
        raise


_BUNDLING = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"


def _bundled() -> str:
    """Return the script that was kept, or have it made."""
    return kept("plots", f"vl-convert-python {version('vl-convert-python')}: {_BUNDLING}", _made).decode()


def _made() -> bytes:
    done = subprocess.run([sys.executable, "-P", "-c", _BUNDLING], capture_output=True, check=False)
    if done.returncode != 0:
        code = done.returncode
        ended = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        raise DrawingError(
            f"the plots cannot be drawn: the plot library (vl-convert) {ended}. "
            "Try: more memory; a limit on address space (ulimit -v) is what mostly ends it"
        )
    return done.stdout.replace(b"</script", b"<\\/script").replace(b"<!--", b"<\\!--")


def paired_columns(pairs: Sequence[Pair], *, mark_before: str | None, mark: str) -> Spec:
    """Upright bars, light for before and thin for after; a line with the text ``mark`` stands before one category."""
    x = _names("c", [p.label for p in pairs], {"labelAngle": 0, "grid": False, "labelOverlap": False})
    base = PlotLayer().encode(x=x, tooltip=_tooltip({"v": "classes of", "tb": "records before", "ta": "records after"}))
    before = base.mark("bar", width={"band": 0.62}, color=BEFORE).encode(y=_share_axis("b", "share of all records"))
    after = base.mark("bar", width={"band": 0.28}).encode(
        y=_share_axis("a", "share of all records"), color=_colours("k", _FATES, legend=False)
    )
    layers = [before, after]
    if mark_before is not None:
        # The left edge of the band, not its middle: the line separates what is promised from what is not.
        place = {"datum": mark_before, "type": "nominal", "bandPosition": 0}
        line = PlotLayer().mark("rule", color=CHOSEN, strokeDash=[5, 4], strokeWidth=1.5).encode(x=place)
        style = {"align": "left", "baseline": "top", "dx": 7, "dy": 2, "color": CHOSEN, "fontWeight": "bold"}
        layers += [line, PlotLayer().mark("text", text=mark, **style).encode(x=place, y={"value": 0})]
    return _spec(layers, _paired_rows(pairs), height=240)


def paired_bars(
    pairs: Sequence[Pair], *, before: str = "before", after: str = "after", measure: str = "share of all records"
) -> Spec:
    """Lying bars: a light one for before and a thin dark one over it for after."""
    tooltip = _tooltip({"v": "value", "tb": before, "ta": after})
    base = PlotLayer().encode(y=_names("c", [p.label for p in pairs], _plain()), tooltip=tooltip)
    light = base.mark("bar", size=16, color=BEFORE).encode(x=_share_axis("b", measure))
    dark = base.mark("bar", size=7).encode(x=_share_axis("a", measure), color=_colours("k", _FATES, legend=False))
    return _spec([light, dark], _paired_rows(pairs), height=_height(pairs))


def bars(items: Sequence[Bar], *, title: str, number_format: str = ".1~%") -> Spec:
    """Lying bars from 0 to 1 with their value written at the end."""
    rows: list[Spec] = [
        {"c": b.label, "s": b.share, "t": b.text, "v": b.full, "n": b.note, "k": "strong" if b.strong else "plain"}
        | ({} if b.limit is None else {"l": b.limit})
        for b in items
    ]
    y = _names("c", [b.label for b in items], _plain())
    base = PlotLayer().encode(y=y, x=_share_axis("s", title, whole=True, number_format=number_format))
    drawn = base.mark("bar", size=14, cornerRadiusEnd=2).encode(
        color=_colours("k", {"plain": AFTER, "strong": CHOSEN}, legend=False),
        tooltip=_tooltip({"v": "what", "t": "value", "n": "meaning"}),
    )
    text = base.encode(text={"field": "t", "type": "nominal"})
    beside = text.where("datum.s <= 0.85").mark("text", align="left", dx=5)
    inside = text.where("datum.s > 0.85").mark("text", align="right", dx=-6, color="white", fontWeight="bold")
    layers = [drawn, beside, inside]
    if any(b.limit is not None for b in items):
        limits = base.where("isValid(datum.l)").encode(x=_share_axis("l", title, whole=True))
        layers.append(limits.mark("tick", color=_INK, thickness=3, size=22))
    return _spec(layers, rows, height=_height(items))


def heat_map(cells: Sequence[HeatMapField], *, title: str) -> Spec:
    """Fields of rows and columns, the darker the larger their share, with the share written in them."""
    rows: list[Spec] = [{"x": c.column, "c": c.row, "s": c.share, "t": c.text, "v": c.full} for c in cells]
    names = list(dict.fromkeys(c.row for c in cells))
    x, y = (_names(field, names, axis) for field, axis in (("x", {"grid": False, "labelAngle": -35}), ("c", _plain())))
    base, scale = PlotLayer().encode(x=x, y=y), {"domain": [0, 1], "range": ["#eef3f8", AFTER]}
    shade = {"field": "s", "type": "quantitative", "scale": scale, "legend": None}
    fields = base.mark("rect", stroke="white").encode(color=shade, tooltip=_tooltip({"v": "columns", "t": title}))
    ink = {"condition": {"test": "datum.s > 0.6", "value": "white"}, "value": _INK}
    text = base.mark("text").encode(text={"field": "t", "type": "nominal"}, color=ink)
    return _spec([fields, text], rows, height=_height(names) + 30)


def nodes_by_suppression(points: Sequence[NodePoint], *, limit: float | None, loss: str) -> Spec:
    """Nodes by suppressed share (square-root scale) and loss; the limit as a line."""
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "share of records suppressed (square-root scale)",
        "scale": {"type": "sqrt", "domain": [0, max([p.suppressed for p in points] + [limit or 0.0, 0.01])]},
        "axis": {
            "format": ".2~%",
            "values": [0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1],
            "labelOverlap": "greedy",
            "labelSeparation": 6,
        },
    }
    marks = []
    if limit is not None:
        place = {"datum": limit, "type": "quantitative"}
        line = PlotLayer().mark("rule", color=_QUIET, strokeDash=[5, 4]).encode(x=place)
        text = PlotLayer().mark(
            "text", align="left", baseline="top", dx=6, dy=2, color=_QUIET, text=f"limit {limit * 100:.4g}%"
        )
        marks = [line, text.encode(x=place, y={"value": 0})]
    return _scatter(points, [p.suppressed for p in points], x, loss=loss, step="step-after", marks=marks)


def nodes_by_k(points: Sequence[NodePoint], *, loss: str) -> Spec:
    """Nodes by the k reached (logarithmic scale) and loss."""
    low = min(p.k for p in points)
    high = max(2 * low, *(p.k for p in points))
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "k reached: records of the smallest published class (logarithmic scale)",
        "scale": {"type": "log", "domain": [low, high], "nice": False, "padding": 36},
        "axis": {"format": "~s", "values": _round_numbers(high), "labelOverlap": "greedy", "labelSeparation": 6},
    }
    return _scatter(points, [p.k for p in points], x, loss=loss, step="step-before", marks=[])


def series_lines(marks: Sequence[Mark], *, across: str, measure: str, colours: dict[str, str], log: bool) -> Spec:
    """A line with points for each series; on a logarithmic scale values of 0 and below are left out."""
    kept = [mark for mark in marks if mark.value > 0 or not log]
    rows: list[Spec] = [{"x": m.at, "y": m.value, "s": m.series, "t": amount(m.value)} for m in kept]
    scale = {"type": "log"} if log else {"zero": False}
    scheme = _domain(list(colours), list(colours.values()))
    base = PlotLayer().encode(
        x=_places(list(dict.fromkeys(mark.at for mark in marks)), across),
        y={"field": "y", "type": "quantitative", "title": measure, "scale": scale, "axis": _amounts(marks, log=log)},
        color={"field": "s", "type": "nominal", "scale": scheme, "title": None, "legend": _legend(list(colours))},
        tooltip=_tooltip({"s": "series", "x": across, "t": measure}),
    )
    shapes = _domain(list(colours), [_SHAPES[i % len(_SHAPES)] for i in range(len(colours))])
    points = base.mark("point", filled=True, size=60, opacity=0.9).encode(
        shape={"field": "s", "type": "nominal", "scale": shapes, "title": None}
    )
    layers = [base.mark("line", strokeWidth=1.8, opacity=0.75), points]
    return _spec(layers, rows, height=260)


def series_points(marks: Sequence[Mark], *, across: str, measure: str, colours: dict[str, str]) -> Spec:
    """Points of each series over numbers, and the line that fits them best."""
    rows: list[Spec] = [{"x": mark.at, "y": mark.value, "s": mark.series} for mark in marks]
    x, y = (
        {"field": field, "type": "quantitative", "title": title, "scale": {"zero": False}}
        for field, title in (("x", across), ("y", measure))
    )
    scheme = _domain(list(colours), list(colours.values()))
    colour = {"field": "s", "type": "nominal", "scale": scheme, "title": None, "legend": _legend(list(colours))}
    base = PlotLayer().encode(x=x, y=y, color=colour)
    fits = base.fitted("x", "y", by=["s"]).mark("line", strokeWidth=1.8)
    layers = [base.mark("point", filled=True, size=14, opacity=0.45), fits]
    return _spec(layers, rows, height=260)


def series_bars(marks: Sequence[Mark], *, measure: str) -> Spec:
    """A lying bar from 0 for each series, with its value written at the end."""
    rows: list[Spec] = [{"s": mark.series, "y": mark.value, "t": amount(mark.value)} for mark in marks]
    y = _names("s", [m.series for m in marks], _plain())
    longest = max(mark.value for mark in marks)
    scale = {"nice": False, "domain": [0, 1.35 * longest if longest > 0 else 1]}  # with room for the text
    x = {"field": "y", "type": "quantitative", "title": measure, "scale": scale, "axis": _amounts(marks)}
    base = PlotLayer().encode(x=x, y=y, tooltip=_tooltip({"s": "series", "t": measure}))
    text = base.mark("text", align="left", dx=5).encode(text={"field": "t", "type": "nominal"})
    layers = [base.mark("bar", size=14, cornerRadiusEnd=2, color=AFTER), text]
    return _spec(layers, rows, height=_height(marks))


# -- pieces --------------------------------------------------------------------------------------------


def _scatter(
    points: Sequence[NodePoint], across: Sequence[float], x: Any, *, loss: str, step: str, marks: Sequence[Any]
) -> Spec:
    """Nodes by something and loss, the Pareto front as a line of steps, the chosen node marked."""
    rows: list[Spec] = [
        {"x": place, "y": p.loss, "k": p.kind, "f": p.front, "t": p.levels}
        | {"p": f"{p.suppressed:.2%}", "q": amount(p.loss), "r": f"{p.k:,}"}
        for p, place in zip(points, across, strict=True)
    ]
    kinds = {"within the limit": AFTER, "suppresses too much": "#9aa3ad", "chosen": CHOSEN}
    large = "~s" if max(p.loss for p in points) >= 1000 else "~g"
    axis = {"format": large, "labelExpr": "datum.value < 0 ? '' : datum.label"}
    y = {"field": "y", "type": "quantitative", "title": loss, "axis": axis, "scale": {"zero": False, "padding": 26}}
    tooltip = _tooltip({"k": "node", "t": "levels", "p": "suppressed", "r": "k reached", "q": "loss"})
    base = PlotLayer().encode(x=x, y=y)
    front = base.where("datum.f").mark("line", interpolate=step, color=_INK, strokeWidth=1.5)
    dots = base.mark("point", filled=True, size=50, opacity=0.8).encode(
        color=_colours("k", kinds),
        shape={"field": "k", "type": "nominal", "scale": _domain(list(kinds), ["circle", "cross", "diamond"])},
        tooltip=tooltip,
    )
    chosen = base.encode(tooltip=tooltip).where("datum.k === 'chosen'")
    layers = [
        *marks,
        dots,
        front,
        chosen.mark("point", shape="diamond", filled=True, size=260, opacity=1, color=CHOSEN, stroke="white"),
        chosen.mark("text", text="chosen", dy=18, color=CHOSEN, fontWeight="bold"),
    ]
    return _spec(layers, rows, height=330)


def _spec(layers: Sequence[PlotLayer], rows: Sequence[Spec], *, height: int) -> Spec:
    """Return layers as one plot, with its rows in place."""
    drawn = [layer.to_dict() for layer in layers]
    for layer in drawn:
        if "datum" in layer["encoding"]["x"]:  # a line or its text is drawn once, not once per row
            layer["data"] = {"values": [{}]}
    size = {"width": "container", "height": height, "autosize": {"type": "fit-x", "contains": "padding"}}
    return {"layer": drawn, **size, "data": {"values": list(rows)}}


def _paired_rows(pairs: Sequence[Pair]) -> list[Spec]:
    return [
        {"c": p.label, "v": p.full, "b": p.before, "a": p.after, "k": p.kind, "tb": p.before_text, "ta": p.after_text}
        for p in pairs
    ]


def _places(places: Sequence[float | str], title: str) -> Any:
    """The axis across: numbers, with ticks where there are values unless these are many, or names."""
    if any(isinstance(place, str) for place in places):
        return _names("x", [str(place) for place in places], {"grid": False, "labelAngle": 0}, title=title)
    ticks: dict[str, Any] = {"values": list(places)} if len(places) <= _MOST_TICKS else {"tickCount": 6}
    axis = {"grid": False, "format": ",.4~r", "labelOverlap": "greedy", **ticks}
    return {
        "field": "x",
        "type": "quantitative",
        "title": title,
        "scale": {"zero": False, "nice": False, "padding": 12},
        "axis": axis,
    }


def _names(field: str, names: Sequence[str], axis: Any, *, title: str | None = None) -> Any:
    """An axis of names. They come in this order, where Vega-Lite would sort them, and have a place without a row."""
    return {"field": field, "type": "nominal", "scale": _domain(names), "sort": None, "title": title, "axis": axis}


def _amounts(marks: Sequence[Mark], *, log: bool = False) -> Any:
    large = max(mark.value for mark in marks) >= 1000
    tiny = log and 0 < min(mark.value for mark in marks) < 1e-4
    return {"format": "~s" if large else ".0e" if tiny else ",.3~r", "tickCount": 5}


def _legend(names: Sequence[str]) -> Any:
    """Names side by side, or one below another where they are long."""
    columns = 2 if max(map(len, names)) <= _LONG_NAME else 1
    return {"columns": columns, "labelLimit": 400}


def _round_numbers(largest: int) -> list[int]:
    """Return 1, 2, 5, 10 … up to a number: what a logarithmic axis shows."""
    return [leading * 10**zeros for zeros in range(len(str(largest))) for leading in (1, 2, 5)]


def _share_axis(field: str, title: str, *, whole: bool = False, number_format: str = ".1~%") -> Any:
    scale = {"domain": [0, 1], "clamp": True} if whole else {"zero": True}
    axis = {"format": number_format, "tickCount": 5}
    return {"field": field, "type": "quantitative", "stack": None, "title": title, "scale": scale, "axis": axis}


def _colours(field: str, colours: dict[str, str], *, legend: bool = True) -> Any:
    scale = _domain(list(colours), list(colours.values()))
    return dict(field=field, type="nominal", scale=scale, title=None, **({} if legend else {"legend": None}))


def _tooltip(titles: dict[str, str]) -> list[Any]:
    return [{"field": field, "type": "nominal", "title": title} for field, title in titles.items()]


def _domain(labels: Sequence[str], values: Sequence[str] | None = None) -> Any:
    return dict(domain=list(labels), **({} if values is None else {"range": list(values)}))


def _plain() -> Any:
    return {"grid": False, "domain": False}


def _height(rows: Sequence[object]) -> int:
    return 24 * max(len(rows), 1)
