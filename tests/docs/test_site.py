"""The site: every page is in its navigation, every name in its reference, and nothing is loaded from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import nymity

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

#: What a page of the site would load by itself; a link is followed by people alone.
LOADED = re.compile(r'<(?:script|img|iframe|source|link(?=[^>]*stylesheet))\b[^>]*?(?:src|href)="(?:https?:)?//[^"]*"')


def pages(nav: Any) -> Iterator[str]:
    for entry in nav:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [value] if isinstance(value, str) else pages(value)


def test_every_page_is_in_the_navigation_once() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = list(pages(settings["nav"]))
    assert len(listed) == len(set(listed))
    assert set(listed) == {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}


def test_every_name_is_in_the_reference_once() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md"))
    named = re.findall(r"^::: nymity\.(\w+)$", text, flags=re.MULTILINE)
    packages = {name for name, home in nymity._HOMES.items() if home == "nymity"}
    assert len(named) == len(set(named))
    assert set(named) == set(nymity.__all__) - packages - {"__version__"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site from a copy, as ``make docs`` does."""
    place = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "mkdocs.yml", place)
    shutil.copytree(DOCS, place / "docs")
    (place / "src").symlink_to(ROOT / "src")
    command = [str(Path(sys.executable).with_name("zensical")), "build", "--strict"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return place / "site"


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    built = list(site.rglob("*.html"))
    assert len(built) > 80
    for page in built:
        assert not LOADED.findall(page.read_text(encoding="utf-8")), page.name
    for style in site.rglob("*.css"):
        assert not re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", style.read_text(encoding="utf-8")), style.name


def test_the_reference_shows_signatures_and_docstrings(site: Path) -> None:
    shown = re.sub(r"<[^>]+>", "", (site / "reference" / "models.html").read_text(encoding="utf-8"))
    assert re.search(r"KAnonymity\(\s*\*,\s*k:\s*int\s*\)", shown)
    assert "shares its published quasi-identifiers with at least" in shown
    assert ":class:" not in shown
