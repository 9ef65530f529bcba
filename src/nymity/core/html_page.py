"""Page: a whole HTML page as a value, for files and notebooks, and who makes one of a release.

Releases live below the package that draws pages, and must not import it. So ``nymity/__init__.py``, which is above
both, hands down what draws them (:func:`draw_with`), to be loaded when a page is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Page:
    """One HTML page that needs no network; notebooks show it in a frame of its own, where it can reach nothing."""

    html: str

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, whole or not at all, and return its path."""
        from nymity.core.commit import replace_file
        from nymity.core.paths import path_text

        place = Path(path_text("path", path))
        replace_file(place, lambda file: file.write_text(self.html, encoding="utf-8", newline="\n"))
        return place

    def __repr__(self) -> str:
        return f"Page({len(self.html):,} characters; .save(path) writes it)"

    def _repr_html_(self) -> str:
        # Without allow-same-origin its script has no access to the notebook around it.
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.html, quote=True)}" title="nymity report" '
            'style="width:100%;height:36rem;border:1px solid #8884;border-radius:8px"></iframe>'
        )


#: Returns what makes the HTML of a page from a release and, where it is given, the original.
_Drawing = Callable[[], Callable[[Any, Any], str]]
_drawing: list[_Drawing] = []


def draw_with(drawing: _Drawing) -> None:
    """Set what pages of releases are drawn by."""
    _drawing[:] = [drawing]


def page_of(release: Any, original: Any = None) -> Page:
    """Return the page on a release: for its recipients, or with the original for its custodian."""
    return Page(_drawing[0]()(release, original))
