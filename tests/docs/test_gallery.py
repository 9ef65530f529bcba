"""The gallery: notebooks that jupytext reads, each with a question and a picture; test_examples.py runs their cells."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from gallery import GALLERY, NOTEBOOKS, cells


def test_there_are_ten_and_the_index_shows_each() -> None:
    assert len(NOTEBOOKS) == 10
    index = (GALLERY / "index.md").read_text(encoding="utf-8")
    for notebook in NOTEBOOKS:
        assert f"]({notebook.name}):" in index
        assert f"({notebook.stem}.svg)]({notebook.name})" in index
    assert {path.stem for path in GALLERY.glob("*.svg")} == {notebook.stem for notebook in NOTEBOOKS}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_a_notebook(notebook: Path) -> None:
    jupytext = pytest.importorskip("jupytext")
    text = notebook.read_text(encoding="utf-8")
    read = jupytext.reads(text, fmt="md")
    assert [cell.source + "\n" for cell in read.cells if cell.cell_type == "code"] == cells(notebook)
    assert re.match(r"# .+\n\n\*Question: .+\?\*\n", text)
    assert "assert " in text
    assert re.search(r"^picture = ", text, re.MULTILINE)
    assert "picture\n```\n\n![" in text  # shown by Jupyter, and by the site
    assert f"]({notebook.stem}.svg)" in text


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_picture_is_drawn_and_loads_nothing(notebook: Path) -> None:
    svg = notebook.with_suffix(".svg").read_text(encoding="utf-8")
    drawn = ElementTree.fromstring(svg)
    assert sum(1 for one in drawn.iter() if one.tag.endswith("path")) > 3
    assert not re.search(r"(href|src)=\"(https?:)?//|<script|<image", svg)


def test_one_runs_in_a_kernel(tmp_path: Path) -> None:
    jupytext = pytest.importorskip("jupytext")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    made = jupytext.reads((GALLERY / "first-release.md").read_text(encoding="utf-8"), fmt="md")
    nbclient.NotebookClient(
        made, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [
        output for cell in made.cells for output in cell.get("outputs", []) if "text/html" in output.get("data", {})
    ]
    assert sum('class="nymity-card"' in output.data["text/html"] for output in shown) == 2  # inspect and release
    assert (tmp_path / "release" / "certificate.json").is_file()
