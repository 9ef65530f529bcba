"""The report in a real browser: every plot is drawn, and no script fails."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from in_browser import COMPLAINT, browser, check_drawn, opened, tags
from nymity.datasets import hospital, hospital_schema
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.report import Findings, quick_attacks, write_about, write_board, write_report
from nymity.table.attribute import insensitive, quasi, sensitive
from nymity.table.schema import Schema

pytestmark = pytest.mark.browser
assert browser  # a fixture


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
    release.save(folder / "release", further_files=write_about)
    findings = Findings.of(release, frame, quick_attacks(release, frame))
    write_board(folder / "release", folder / "board.html", findings)
    for page, title in ((folder / "release" / "about.html", "About"), (folder / "board.html", "Summary on")):
        document, log = opened(browser, page, folder / "profile")
        assert f"<title>{title} release.csv</title>" in document
        assert not {"script", "img"} & tags(document)
        assert "onerror=&quot;" in document or "onerror=" in document  # it is there, as text
        assert COMPLAINT.findall(log) == []
