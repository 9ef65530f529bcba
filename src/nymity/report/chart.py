"""Plots as Vega-Lite specifications, and the script that draws them: the one file that knows altair and vl-convert.

Fields have short names of our own and values from tables appear only as data, never in expressions, titles or field
names, which Vega-Lite would interpret. Rows are put in after altair has written the specification, so that altair's
limits, checks and settings of the caller's session have no say over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from nymity.core.extras import require
from nymity.report.markup import Spec

# Okabe and Ito's palette, told apart by colour-blind readers, over a light grey for "before".
BEFORE, AFTER, SUPPRESSED, LEFT_OUT, CHOSEN = "#c3cad3", "#0072b2", "#e69f00", "#8a6d3b", "#d55e00"
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
        "labelLimit": 190,
        "titleColor": _QUIET,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": _GRID,
        "domainColor": "#b6bec8",
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
class Point:
    """One evaluated node."""

    suppressed: float
    loss: float
    kind: str
    levels: str


@cache
def javascript() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script without any import; building it takes a second or two."""
    bundle: str = _vl_convert().javascript_bundle()
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def paired_columns(pairs: Sequence[Pair], *, mark_before: str | None, mark: str) -> Spec:
    """Upright bars before and after, side by side; a line with the text ``mark`` stands before one category."""
    alt = _altair()
    labels = [pair.label for pair in pairs]
    rows: list[Spec] = []
    for pair in pairs:
        common = {"c": pair.label, "v": pair.full}
        rows.append({**common, "w": "before", "s": pair.before, "t": pair.before_text})
        rows.append({**common, "w": "after", "s": pair.after, "t": pair.after_text})
    axis = alt.Axis(labelAngle=0, grid=False, labelOverlap=False)
    x = alt.X(field="c", type="nominal", scale=_domain(labels), sort=None, axis=axis, title=None)
    bars = (
        alt.Chart()
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=x,
            xOffset=alt.XOffset(field="w", type="nominal", scale=_domain(["before", "after"]), sort=None),
            y=_share_axis(alt.Y, "s", "share of all records"),
            color=_colours("w", {"before": BEFORE, "after": AFTER}),
            tooltip=_tooltip({"v": "classes of", "w": "when", "t": "records"}),
        )
    )
    layers = [bars]
    if mark_before is not None:
        place = alt.X(datum=mark_before, type="nominal", bandPosition=0)
        line = alt.Chart().mark_rule(color=CHOSEN, strokeDash=[5, 4], strokeWidth=1.5, xOffset=-3).encode(x=place)
        text = alt.Chart().mark_text(align="left", baseline="top", dx=5, dy=-2, color=CHOSEN, fontWeight="bold", text=mark)
        layers += [line, text.encode(x=place, y=alt.value(0))]
    return _spec(alt.layer(*layers).properties(width="container", height=240), rows)


def paired_bars(pairs: Sequence[Pair]) -> Spec:
    """Lying bars: a light one for before and a thin dark one over it for after."""
    alt = _altair()
    rows: list[Spec] = [
        {
            "c": p.label, "v": p.full, "b": p.before, "a": p.after, "k": p.kind, "tb": p.before_text, "ta": p.after_text,
        }
        for p in pairs
    ]  # fmt: skip
    y = alt.Y(field="c", type="nominal", scale=_domain([p.label for p in pairs]), sort=None, title=None, axis=_plain())
    tooltip = _tooltip({"v": "value", "tb": "before", "ta": "after"})
    colours = {"published": AFTER, "masked": SUPPRESSED, "left out": LEFT_OUT}
    base = alt.Chart().encode(y=y, tooltip=tooltip)
    before = base.mark_bar(size=16, color=BEFORE).encode(x=_share_axis(alt.X, "b", "share of all records"))
    after = base.mark_bar(size=7).encode(
        x=_share_axis(alt.X, "a", "share of all records"), color=_colours("k", colours, legend=False)
    )
    return _spec(alt.layer(before, after).properties(width="container", height=_height(pairs)), rows)


def bars(items: Sequence[Bar], *, title: str, whole: bool = True) -> Spec:
    """Lying bars with their value at the end; ``whole`` lets the axis run from 0 to 1."""
    alt = _altair()
    rows: list[Spec] = [
        {"c": b.label, "s": b.share, "t": b.text, "v": b.full, "n": b.note, "k": "strong" if b.strong else "plain"}
        for b in items
    ]
    y = alt.Y(field="c", type="nominal", scale=_domain([b.label for b in items]), sort=None, title=None, axis=_plain())
    base = alt.Chart().encode(y=y, x=_share_axis(alt.X, "s", title, whole=whole))
    drawn = base.mark_bar(size=14, cornerRadiusEnd=2).encode(
        color=_colours("k", {"plain": AFTER, "strong": CHOSEN}, legend=False),
        tooltip=_tooltip({"v": "what", "t": "value", "n": "meaning"}),
    )
    ends = base.mark_text(align="left", dx=5).encode(text=alt.Text(field="t", type="nominal"))
    return _spec(alt.layer(drawn, ends).properties(width="container", height=_height(items)), rows)


def scatter(points: Sequence[Point], *, limit: float | None, loss: str) -> Spec:
    """Nodes by suppressed share (square-root scale) and loss; the limit as a line, the chosen node marked."""
    alt = _altair()
    rows: list[Spec] = [{"x": p.suppressed, "y": p.loss, "k": p.kind, "t": p.levels} for p in points]
    for row, point in zip(rows, points, strict=True):
        row["p"] = f"{point.suppressed:.2%}"
        row["q"] = f"{point.loss:,.5g}"
    kinds = {"solution": AFTER, "suppresses too much": "#9aa3ad", "chosen": CHOSEN}
    shapes = alt.Scale(domain=list(kinds), range=["circle", "cross", "diamond"])
    sizes = alt.Scale(domain=list(kinds), range=[45, 40, 210])
    x = alt.X(
        field="x",
        type="quantitative",
        title="share of records suppressed (square-root scale)",
        scale=alt.Scale(type="sqrt", domain=[0, max([p.suppressed for p in points] + [limit or 0.0, 0.01])]),
        axis=alt.Axis(format=".2~%", values=[0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]),
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, opacity=0.8, stroke="white", strokeWidth=0.6)
        .encode(
            x=x,
            y=alt.Y(field="y", type="quantitative", title=loss, axis=alt.Axis(format="~s"), scale=alt.Scale(zero=False)),
            color=_colours("k", kinds),
            shape=alt.Shape(field="k", type="nominal", scale=shapes),
            size=alt.Size(field="k", type="nominal", scale=sizes, legend=None),
            tooltip=_tooltip({"k": "node", "t": "levels", "p": "suppressed", "q": "loss"}),
        )
    )
    layers = [dots]
    if limit is not None:
        place = alt.X(datum=limit, type="quantitative")
        line = alt.Chart().mark_rule(color=_QUIET, strokeDash=[5, 4]).encode(x=place)
        text = alt.Chart().mark_text(align="left", baseline="top", dx=5, dy=2, color=_QUIET, text=f"limit {limit:.4g}")
        layers = [line, text.encode(x=place, y=alt.value(0)), dots]
    return _spec(alt.layer(*layers).properties(width="container", height=330), rows)


# -- pieces --------------------------------------------------------------------------------------------


def _spec(chart: Any, rows: Sequence[Spec]) -> Spec:
    """Return the chart as plain data without altair's theme, with its rows in place."""
    with _altair().theme.enable("none"):
        spec: Spec = chart.to_dict()
    for key in ("$schema", "datasets", "data"):
        spec.pop(key, None)
    for layer in spec.get("layer", ()):
        layer.pop("data", None)
    return {**spec, "data": {"values": list(rows)}, "autosize": {"type": "fit-x", "contains": "padding"}}


def _share_axis(channel: Any, field: str, title: str, *, whole: bool = False) -> Any:
    alt = _altair()
    scale = alt.Scale(domain=[0, 1], clamp=True) if whole else alt.Scale(zero=True)
    return channel(
        field=field, type="quantitative", stack=None, title=title, scale=scale, axis=alt.Axis(format=".1~%", tickCount=5)
    )


def _colours(field: str, colours: dict[str, str], *, legend: bool = True) -> Any:
    alt = _altair()
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return alt.Color(field=field, type="nominal", scale=scale, title=None, **({} if legend else {"legend": None}))


def _tooltip(titles: dict[str, str]) -> list[Any]:
    return [_altair().Tooltip(field=field, type="nominal", title=title) for field, title in titles.items()]


def _domain(labels: Sequence[str]) -> Any:
    return _altair().Scale(domain=list(labels))


def _plain() -> Any:
    return _altair().Axis(grid=False, domain=False)


def _height(rows: Sequence[object]) -> int:
    return 24 * max(len(rows), 1)


def _altair() -> ModuleType:
    return require("altair", extra="report", purpose="the HTML report")


def _vl_convert() -> ModuleType:
    return require("vl_convert", extra="report", purpose="the HTML report")
