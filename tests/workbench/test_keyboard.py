"""From a table to a release by the keyboard alone: everything on the way is reached by Tab, and nothing keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browsing import Served

import nymity as ny

pytestmark = pytest.mark.browser

#: Steps of Tab in which everything on a page must be reached.
MOST_STEPS = 250

#: What has the focus, as a screen reader would call it.
FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return "";
  const label = one.getAttribute("aria-label") || one.labels?.[0]?.innerText || one.innerText;
  return (label || "").replace(/\\s+/g, " ").trim();
}"""


class Keys:
    """Somebody without a mouse."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def reach(self, words: str) -> None:
        """Press Tab until what is called so has the focus."""
        seen: list[str] = []
        for _ in range(MOST_STEPS):
            self.page.keyboard.press("Tab")
            seen.append(self.page.evaluate(FOCUSED))
            if words in seen[-1]:
                return
        raise AssertionError(f"{words!r} is not reached by Tab: {list(dict.fromkeys(seen))}")

    def press(self, words: str) -> None:
        self.reach(words)
        self.page.keyboard.press("Enter")

    def write(self, words: str, value: str) -> None:
        self.reach(words)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(value)

    def next(self, screen: str) -> None:
        self.press(f"Next: {screen}")
        self.page.wait_for_selector(f"h1:has-text('{screen}')")


def test_from_a_table_to_a_release_by_keyboard(workbench: Served, page: Any, tmp_path: Path) -> None:
    ny.write_table(
        ny.datasets.hospital(500).select("patient_id", "age", "sex", "department", "diagnosis"), tmp_path / "p.csv"
    )
    keys = Keys(page)
    keys.write("Path of a file or folder", str(tmp_path / "p.csv"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/*/data")
    page.wait_for_selector(".ag-cell[col-id=c0]")
    keys.next("Columns")
    page.locator(".question, .all-decided").first.wait_for()
    while questions := page.locator(".question").count():
        keys.press("Keep")
        page.wait_for_function("before => document.querySelectorAll('.question').length < before", arg=questions)
    keys.next("Hierarchies")
    page.locator(".ladder-rung").first.wait_for()
    keys.next("Promises")
    page.locator(".consequences .tile").first.wait_for()
    keys.reach("Records that may be left out as outliers")
    before = page.evaluate("document.activeElement.value")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("before => document.activeElement.value !== before", arg=before)
    keys.next("Search")
    page.wait_for_timeout(500)
    page.locator("main .main-button").wait_for()
    keys.press("play_arrow")
    page.get_by_text("all hold").wait_for(timeout=180_000)
    keys.press("Look at the result")
    page.get_by_role("heading", name="Attacks that were tried").wait_for(timeout=180_000)
    keys.next("Release")
    out = tmp_path / "release"
    keys.write("Folder of the release", str(out))
    keys.press("Write the release")
    page.get_by_role("link", name="Open the report").wait_for(timeout=180_000)
    assert ny.open(out).holds
