"""What people wait for in the workbench: one with a million records of 20 columns, and twenty at once; in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

from nymity.core.errors import MissingExtraError
from nymity.core.extras import require
from nymity.core.progress import Observer, silent
from nymity.core.validation import one_of
from nymity_lab.bench.inspection import many_columns
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.workbench_users import users_lines

PROVENANCE = (
    "generated: a million records of 20 columns: numbers, names, codes, categories, measurements; "
    "the demo hospital for each of 20 users"
)
RECORDS = 1_000_000
COLUMNS = (
    "patient_id", "birth", "surname", "zip", "sex", "age", *(f"cat{i}" for i in range(6)),
    *(f"code{i}" for i in range(4)), *(f"measure{i}" for i in range(4)),
)  # fmt: skip
#: Columns by which the promises of the slider are made: a lattice that is counted whole.
QUASI = ("age", "sex", "zip", "cat0")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
#: Times that something is done whose slowest twentieth counts, and milliseconds that a step may take at most.
_TIMES, _PATIENCE = 40, 60_000


def bench_workbench(observe: Observer = silent, only: str | None = None) -> BenchResult:
    """Measure the way from a file to the slider, and many users at once; ``only`` one part.

    Times are those of a person, not of the processor.
    """
    if only is not None:
        one_of("bench workbench: only", only, PARTS)
    chosen = [part for name, part in PARTS.items() if only in (None, name)]
    return measured("workbench", PROVENANCE, lambda _: (line for part in chosen for line in part()), observe)


def _large(records: int = RECORDS) -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "patients.csv"
        table = many_columns(records).select(COLUMNS)
        table.write_csv(path)
        del table
        size = pl.read_csv(path, try_parse_dates=True).estimated_size() / 1e6
        with served(Path(folder) / "projects") as (address, server), browsed(address) as page:
            before = _memory(server, "VmRSS")
            yield Line(name="table shown after it was chosen", value=_open(page, path), unit="s", target=10)
            yield Line(name="roles, single columns and pairs of risk", value=_columns(page), unit="s", target=10)
            yield Line(name="scrolling to any row, p95", value=_scrolling(page, records), unit="ms", target=300)
            _promise_few(Path(folder) / "projects")
            first, later = _sliding(page)
            yield Line(name="consequences of a promise, the first time", value=first, unit="s")
            yield Line(name="answer of the slider, p95", value=later, unit="ms", target=300)
            above = _memory(server, "VmHWM") - before - size
            yield Line(name="server: peak memory above the table", value=above, unit="MB", target=500)
            yield Line(name="the table in memory", value=size, unit="MB")


def _open(page: Any, path: Path) -> float:
    page.get_by_label("Path of a file or folder").fill(str(path))
    begun = perf_counter()
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/*/data", timeout=_PATIENCE)
    page.wait_for_selector(".ag-cell[col-id=c0]", timeout=_PATIENCE)
    return perf_counter() - begun


def _columns(page: Any) -> float:
    begun = perf_counter()
    page.locator("nav.steps a[href$='/columns']").click()
    page.locator(".driver").first.wait_for(timeout=_PATIENCE)
    page.locator(".column-row").first.wait_for(timeout=_PATIENCE)
    return perf_counter() - begun


def _scrolling(page: Any, records: int) -> float:
    """Jump to rows that nobody has seen yet, until they are there."""
    page.locator("nav.steps a[href$='/data']").click()
    page.wait_for_selector(".ag-cell[col-id=c0]", timeout=_PATIENCE)
    page.wait_for_function("() => getElement(Number(document.querySelector('.data-grid').id.slice(1)))?.api")
    drawn = np.random.default_rng(3)
    return _slow([page.evaluate(_JUMP, int(row)) for row in drawn.integers(0, records, _TIMES)])


_JUMP = """async (row) => {
  const grid = getElement(Number(document.querySelector('.data-grid').id.slice(1))).api, begun = performance.now();
  grid.ensureIndexVisible(row, 'top');
  while (!document.querySelector(`.ag-row[row-index="${row}"] .ag-cell[col-id=c0]`)?.textContent) {
    await new Promise((done) => setTimeout(done, 5));
    if (performance.now() - begun > 20000) return 20000;
  }
  return performance.now() - begun;
}"""


def _promise_few(projects: Path) -> None:
    """Leave so few quasi-identifiers that every choice of levels can be counted."""
    from nymity.workbench.home import Home

    (project,) = Home(projects).recent()

    def edit(data: dict[str, Any]) -> None:
        for name, column in data["schema"].items():
            if name not in QUASI and column["role"] in ("quasi", "sensitive"):
                data["schema"][name] = {"role": "insensitive"}
        data["privacy"] = [{"model": "k-anonymity", "k": 5}]
        data["method"] = {"name": "optimal-lattice", "suppression": 0.05}

    project.change_job("bench", edit)


def _sliding(page: Any) -> tuple[float, float]:
    """Return the seconds until consequences are shown, and the milliseconds of the slider's answers."""
    begun = perf_counter()
    page.locator("nav.steps a[href$='/promises']").click()
    page.locator(".consequences .tile").first.wait_for(timeout=_PATIENCE)
    first = perf_counter() - begun
    page.get_by_role("slider").first.focus()
    page.evaluate(_WATCH)
    times = []
    for _ in range(_TIMES):
        page.evaluate("window.begun = performance.now(); window.answered = null")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => window.answered", timeout=_PATIENCE, polling=10)
        times.append(page.evaluate("window.answered - window.begun"))
    return first, _slow(times)


#: The panel is drawn anew with every answer; what counts is the last time before it rests.
_WATCH = """() => new MutationObserver(() => {
  if (document.querySelector('.consequences .tile')) window.answered = performance.now();
}).observe(document.querySelector('.consequences'), { childList: true, subtree: true })"""


def _slow(times: list[float]) -> float:
    return float(np.quantile(times, 0.95))


@contextmanager
def served(projects: Path) -> Iterator[tuple[str, int]]:
    """Serve a workbench; give the address that opens it and the number of its process."""
    command = [sys.executable, "-m", "nymity", "workbench", "--no-browser", "--projects", str(projects)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None, "the workbench did not start"
            yield found.group(), process.pid
        finally:
            process.terminate()


@contextmanager
def browsed(address: str) -> Iterator[Any]:
    """Open an address in Chromium."""
    sync_api = require("playwright.sync_api", extra="dev", purpose="a browser")
    path = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        raise MissingExtraError("Chromium or Chrome is needed: the workbench is measured in a browser")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 860}, locale="en-US")
        page.set_default_timeout(_PATIENCE)
        page.goto(address)
        yield page
        browser.close()


#: What can be measured alone.
PARTS: dict[str, Callable[[], Iterator[Line]]] = {"large": _large, "users": lambda: users_lines(browsed)}


def _memory(process: int, what: str) -> float:
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith(what)).split()[1]) * 1024 / 1e6
