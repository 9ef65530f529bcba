"""The pictures of these pages: ``make pictures`` opens pages and the workbench in Chromium and takes them again.

Everything in them is generated. Colours are reduced to 256, so that a picture takes some ten kilobytes.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
NYMITY = [sys.executable, "-m", "nymity"]


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    path = next(found for name in ("chromium", "google-chrome", "chrome") if (found := shutil.which(name)))
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        of_pages(browser, folder)
        of_workbench(browser, folder)
        browser.close()


def of_pages(browser: Any, folder: Path) -> None:
    """The report of the demo, the summary for a board, and settings that were tried."""
    _run("demo", "--out", "demo/release", folder=folder)
    _run("report", "demo/release", "--for", "board", folder=folder)
    _run("recommend", "demo/job.toml", "--trials", "8", "--out", "choices", folder=folder)
    pages = {
        "report": (folder / "demo/release-custodian/report.html", 860),
        "steward/board": (folder / "demo/release-custodian/board.html", 900),
        "steward/choices": (folder / "choices/recommendation.html", 1000),
    }
    for name, (file, height) in pages.items():
        page = browser.new_page(viewport={"width": 1080, "height": height})
        page.goto(file.as_uri())
        page.wait_for_timeout(2_000)
        _keep(page, name)


def of_workbench(browser: Any, folder: Path) -> None:
    """The workbench on the demo: what each column is, and what is promised."""
    with _served(folder) as opening:
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(opening)
        page.get_by_role("button", name="Open the demo hospital").click()
        page.wait_for_url("**/p/*/data")
        address = str(page.url).removesuffix("/data")
        for screen, ready in (("columns", ".driver"), ("promises", ".tile")):
            page.goto(f"{address}/{screen}")
            page.locator(ready).first.wait_for()
            page.wait_for_timeout(2_500)
            _keep(page, f"steward/workbench-{screen}", close=False)
        page.close()


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    command = [*NYMITY, "workbench", "--no-browser", "--projects", str(folder / "projects")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        yield found.group()
    finally:
        process.terminate()
        process.wait(20)


def _run(*arguments: str, folder: Path) -> None:
    subprocess.run([*NYMITY, *arguments, "--quiet"], cwd=folder, check=True)


def _keep(page: Any, name: str, *, close: bool = True) -> None:
    from PIL import Image

    target = DOCS / f"{name}.png"
    target.parent.mkdir(exist_ok=True)
    page.screenshot(path=target)
    with Image.open(target) as taken:
        taken.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            target, optimize=True
        )
    if close:
        page.close()


if __name__ == "__main__":
    main()
