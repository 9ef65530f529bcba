"""The gallery: notebooks as Markdown, which jupytext opens in Jupyter and the site shows as they are.

``python -m tests.gallery`` runs them all and draws the picture of each into ``docs/gallery``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

GALLERY = Path(__file__).resolve().parents[1] / "docs" / "gallery"
NOTEBOOKS = sorted(path for path in GALLERY.glob("*.md") if path.name != "index.md")


def cells(notebook: Path) -> list[str]:
    """Return the Python of a notebook."""
    text = notebook.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run(notebook: Path) -> dict[str, Any]:
    """Run a notebook in a folder of its own, and return what it left."""
    left: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for cell in cells(notebook):
            exec(compile(cell, notebook.name, "exec"), left)
    return left


def main() -> None:
    """Draw the pictures; public data is left aside, so that they are the same everywhere."""
    os.environ.pop("NYMITY_DATA", None)
    for notebook in NOTEBOOKS:
        began = time.process_time()
        chart = run(notebook)["picture"].properties(width=420, background="white")
        chart.save(notebook.with_suffix(".svg"))
        sys.stdout.write(f"{notebook.stem}: {time.process_time() - began:.1f} s\n")


if __name__ == "__main__":
    main()
