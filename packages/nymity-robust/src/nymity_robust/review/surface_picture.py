"""Picture of a loss surface: a grid of margins as an SVG file."""

from __future__ import annotations

from html import escape
from typing import Any

_CELL, _LEFT, _TOP = 26, 70, 34


def surface_svg(surface: dict[str, Any], title: str) -> str:
    """Draw the mean margin: blue where the right label leads, red where another does; the image is in the middle."""
    offsets, margins = surface["offsets"], surface["margin"]
    side = _CELL * len(offsets)
    most = max(abs(value) for row in margins for value in row) or 1.0
    width, height = _LEFT + side + 16, _TOP + side + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="13">{escape(title)}</text>',
    ]
    for column, row in enumerate(margins):  # rows of the grid go along the gradient: from left to right
        for place, value in enumerate(row):
            x, y = _LEFT + _CELL * column, _TOP + _CELL * (len(row) - 1 - place)
            where = f"{offsets[column]:g} along the gradient, {offsets[place]:g} aside: {value:.2f}"
            parts.append(
                f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="{_colour(value / most)}">'
                f"<title>{escape(where)}</title></rect>"
            )
    middle = len(offsets) // 2
    centre = (_LEFT + _CELL * middle + _CELL // 2, _TOP + _CELL * middle + _CELL // 2)
    parts.append(f'<circle cx="{centre[0]}" cy="{centre[1]}" r="4" fill="none" stroke="black"/>')
    low, high = f"{offsets[0]:g}", f"{offsets[-1]:g}"
    below = _TOP + side + 16
    parts += [
        f'<text x="{_LEFT}" y="{below}" font-size="11">{low}</text>',
        f'<text x="{_LEFT + side}" y="{below}" font-size="11" text-anchor="end">{high}</text>',
        f'<text x="{_LEFT + side / 2:g}" y="{below}" font-size="11" text-anchor="middle">against the gradient → '
        "along it (L2)</text>",
        f'<text x="{_LEFT - 6}" y="{_TOP + 10}" font-size="11" text-anchor="end">{high}</text>',
        f'<text x="{_LEFT - 6}" y="{_TOP + side}" font-size="11" text-anchor="end">{low}</text>',
        f'<text x="{_LEFT - 6}" y="{_TOP + side / 2:g}" font-size="11" text-anchor="end">random</text>',
        f'<text x="{_LEFT}" y="{below + 18}" font-size="11">mean margin of {surface["images"]} images: blue right, '
        f"red wrong, full colour at ±{most:.2f}</text>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _colour(share: float) -> str:
    """Return white for 0, blue towards 1, red towards −1."""
    faded = round(255 * (1 - min(abs(share), 1)))
    return f"#{faded:02x}{faded:02x}ff" if share >= 0 else f"#ff{faded:02x}{faded:02x}"
