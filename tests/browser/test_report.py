"""The report in a real browser: every plot is drawn, and no script fails."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from nymity.datasets import hospital, hospital_schema
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.publish.pipeline import publish
from nymity.publish.release import Release
from nymity.report import Findings, quick_attacks, write_about, write_board, write_report
from nymity.table.schema import Schema, insensitive, quasi, sensitive

pytestmark = pytest.mark.browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --enable-logging=stderr --log-level=0 --window-size=1100,6000 "
    "--virtual-time-budget=20000 --dump-dom"
)
#: What the browser writes to its log for an uncaught error, a failed assertion of the policy, or console.error.
COMPLAINT = re.compile(r"CONSOLE.*?(?:Uncaught|Error|Refused|violates|WARN).*")


@pytest.fixture(scope="module")
def browser() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium or Chrome is installed: the report was not opened in a browser")
    return found


def opened(browser: str, page: Path, profile: Path) -> tuple[str, str]:
    """Return the page after its scripts ran, and what the browser logged."""
    command = [browser, *OPTIONS.split(), f"--user-data-dir={profile}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, done.stderr


def check_drawn(document: str, log: str) -> None:
    body = document[document.index("<body") : document.index("<script", document.index("<body"))]
    drawings = re.findall(r'<div class="chart[^"]*" id="chart-\d+".*?<figcaption>', body, flags=re.DOTALL)
    assert len(drawings) == body.count("<figcaption>") > 3
    assert len(re.findall(r'<div class="chart[^"]* drawn"', body)) == len(drawings)
    for drawing in drawings:
        assert drawing.count("<svg") == 1
        assert re.search(r'<g class="mark-(rect|symbol)[^>]*>.*?<path', drawing, flags=re.DOTALL)
        assert "could not be drawn" not in drawing
    assert "chart-failed" not in body
    assert COMPLAINT.findall(log) == []


def tags(document: str) -> set[str]:
    found: set[str] = set()
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, _: found.add(tag)  # type: ignore[method-assign]
    reader.feed(document)
    return found


def test_every_plot_of_the_hospital_is_drawn(browser: str, tmp_path: Path) -> None:
    frame = hospital(1200)
    models = [KAnonymity(k=5), DistinctLDiversity(l=3, attribute="diagnosis")]
    release = publish(frame, hospital_schema(), privacy=models, method=OptimalLattice(suppression=0.05))
    write_report(release, frame, tmp_path / "report.html")
    check_drawn(*opened(browser, tmp_path / "report.html", tmp_path / "profile"))


def test_hostile_names_and_values_are_drawn_and_nothing_more(browser: str, tmp_path: Path) -> None:
    script = "</script><script>document.title='taken'</script>"
    names = [script, "quote\"'\\", "a.b[0]", "<img src=x onerror=\"document.title='taken'\">"]
    values = [*names, "datum.k", None, "\\", "ünï☃"]
    frame = pl.DataFrame({name: [values[(i * (n + 3) // 2) % 8] for i in range(320)] for n, name in enumerate(names)})
    schema = Schema({names[0]: quasi(), names[1]: quasi(level=0), names[2]: sensitive(), names[3]: insensitive()})
    release = publish(frame, schema, privacy=KAnonymity(k=3), method=OptimalLattice(suppression=0.1))
    write_report(release, frame, tmp_path / "report.html")
    document, log = opened(browser, tmp_path / "report.html", tmp_path / "profile")
    check_drawn(document, log)
    assert "<title>nymity report</title>" in document
    assert "img" not in tags(document)
    check_pages_for_others(browser, release, frame, tmp_path)


def check_pages_for_others(browser: str, release: Release, frame: pl.DataFrame, folder: Path) -> None:
    """The pages for recipients and for a board have no script of their own, and none of the table's runs."""
    release.write(folder / "release", beside=write_about)
    findings = Findings.of(release, frame, quick_attacks(release, frame))
    write_board(folder / "release", folder / "board.html", findings)
    for page, title in ((folder / "release" / "about.html", "About"), (folder / "board.html", "Summary on")):
        document, log = opened(browser, page, folder / "profile")
        assert f"<title>{title} release.csv</title>" in document
        assert not {"script", "img"} & tags(document)
        assert "onerror=&quot;" in document or "onerror=" in document  # it is there, as text
        assert COMPLAINT.findall(log) == []
