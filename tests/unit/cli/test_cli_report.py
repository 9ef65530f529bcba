"""nymity report, and the pages that nymity publish writes."""

from __future__ import annotations

import html
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import Result

from cli_fixtures import JOB
from nymity.report import chart

Run = Callable[..., Result]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def drawn(folder: Path, nymity: Run) -> Path:
    """The folder after publishing with a report."""
    done = nymity("publish", "job.toml", "--out", "release", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    return folder


def test_what_lies_in_the_release_folder_may_be_given_away(drawn: Path) -> None:
    assert names(drawn / "release") == ["about.html", "certificate.json", "release.csv"]
    assert {"report.html", "findings.json", "log.json"} <= set(names(drawn / "release-custodian"))
    for path in (drawn / "release-custodian").iterdir():
        assert path.stat().st_mode & 0o777 == 0o600, path.name
    for path in (drawn / "release").iterdir():
        assert b"Person " not in path.read_bytes()
        assert str(drawn).encode() not in path.read_bytes()


def test_the_custodians_pages_name_no_place_on_the_machine(drawn: Path, nymity: Run) -> None:
    assert nymity("report", "release", "--for", "board").exit_code == 0
    for name in ("report.html", "board.html", "findings.json"):
        content = (drawn / "release-custodian" / name).read_text(encoding="utf-8")
        for secret in (str(drawn), drawn.name, str(Path.home()) + "/", f"@{os.uname().nodename}"):
            assert secret not in content, (name, secret)


def test_pages_are_made_again(drawn: Path, nymity: Run) -> None:
    places = {
        "recipients": drawn / "release/about.html",
        "board": drawn / "release-custodian/board.html",
        "custodian": drawn / "release-custodian/report.html",
    }
    before = {reader: path.read_bytes() for reader, path in places.items() if path.exists()}
    for reader, path in places.items():
        done = nymity("report", "release", "--for", reader, "--job", "job.toml", "--json")
        assert done.exit_code == 0, done.output
        assert Path(json.loads(done.stdout)["file"]).resolve() == path
        assert path.read_bytes() == before.get(reader, path.read_bytes())
    board = places["board"].read_text(encoding="utf-8")
    assert "cannot be told here" not in board
    assert "Person " not in board


def test_a_new_release_takes_the_old_ones_pages_away(drawn: Path, nymity: Run) -> None:
    assert nymity("report", "release", "--for", "board").exit_code == 0
    done = nymity(
        "publish", "job.toml", "--out", "release", "--no-report", "--quiet", "--force", "--set", "privacy[0].k=6"
    )
    assert done.exit_code == 0, done.output
    assert not {"report.html", "board.html", "findings.json"} & set(names(drawn / "release-custodian"))
    found = nymity("report", "release", "--for", "board")
    assert found.exit_code == 0
    assert "findings.json" in found.stderr
    assert "cannot be told here" in (drawn / "release-custodian/board.html").read_text(encoding="utf-8")


def test_a_report_is_about_the_release_whatever_became_of_the_job(drawn: Path, nymity: Run) -> None:
    page = drawn / "release-custodian/report.html"
    before = page.read_bytes()
    other = (drawn / "job.toml").read_text(encoding="utf-8").replace("k = 4", "k = 20")
    (drawn / "job.toml").write_text(other, encoding="utf-8")
    done = nymity("report", "release", "--for", "custodian", "--job", "job.toml")
    assert done.exit_code == 0, done.output
    assert page.read_bytes() == before


def test_a_report_on_another_source_is_refused(drawn: Path, nymity: Run) -> None:
    (source,) = drawn.glob("*.csv")
    rows = source.read_text(encoding="utf-8").splitlines(keepends=True)
    source.write_text("".join([*rows[:-1], rows[-2]]), encoding="utf-8")
    done = nymity("report", "release", "--for", "custodian", "--job", "job.toml")
    assert done.exit_code == 2
    assert "a table of the same size with other cells" in done.stderr
    done = nymity("report", "release", "--for", "custodian")
    assert done.exit_code == 2
    assert "--job" in done.stderr


OLD = Path(__file__).parents[2] / "releases-0.1.0"


@pytest.mark.parametrize("kind", sorted(folder.parent.name for folder in OLD.glob("*/release-custodian")))
def test_a_release_of_an_earlier_version_gets_its_report(
    kind: str, tmp_path: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(OLD / kind, tmp_path / kind)
    monkeypatch.chdir(tmp_path / kind)
    before = [(path, path.read_bytes()) for path in Path("release").iterdir()]
    done = nymity("report", "release", "--for", "custodian", "--job", "job.json", "--quiet")
    assert done.exit_code == 0, done.output
    page = Path("release-custodian/report.html").read_text(encoding="utf-8")
    certificate = json.loads(Path("release/certificate.json").read_text(encoding="utf-8"))
    assert certificate["output"]["content_sha256"] in page
    for promise in certificate["promised"]:
        assert promise["means"].rpartition(": ")[0] in html.unescape(page)
    assert f"{certificate['output']['records']:,}" in page
    assert all(path.read_bytes() == content for path, content in before)


@pytest.mark.parametrize("reader", ["recipients", "board", "custodian"])
def test_pages_do_not_repeat_a_promise_that_is_broken_by_what_is_known_now(
    reader: str, tmp_path: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version 0.1.0 measured k = 3, for it did not count its one masked row, which is a class of its own."""
    shutil.copytree(OLD / "one-masked", tmp_path / "one-masked")
    monkeypatch.chdir(tmp_path / "one-masked")
    assert nymity("check", "release").exit_code == 1
    done = nymity("report", "release", "--for", reader, "--job", "job.json", "--out", "page.html", "--quiet")
    assert done.exit_code == 0, done.output
    page = Path("page.html").read_text(encoding="utf-8")
    if reader == "board":
        assert "not every promise holds" in page
        assert re.search(r">\s*broken\s*<", page)
    else:
        assert 'class="card bad"' in page
        assert "It does not hold for this table." in page
        assert 'class="badge good"' not in page
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page))
    assert reader == "board" or "1 measured" in text
    if reader != "custodian":  # whose page has many shares
        assert "33.3%" not in text  # one over the k that was certified
        assert "100%" in text


def test_a_release_without_its_log_has_no_report_for_the_custodian(drawn: Path, nymity: Run) -> None:
    (drawn / "release-custodian").rename(drawn / "elsewhere")
    done = nymity("report", "release", "--for", "custodian", "--job", "job.toml")
    assert done.exit_code == 2
    assert "a custodian's folder, with a log" in done.stderr
    done = nymity("report", "release", "--for", "custodian", "--job", "job.toml", "--custodian", "elsewhere")
    assert done.exit_code == 0, done.output


def test_out_is_not_overwritten_unless_asked(drawn: Path, nymity: Run) -> None:
    (drawn / "mine.html").write_text("mine")
    assert nymity("report", "release", "--out", "mine.html").exit_code == 2
    assert (drawn / "mine.html").read_text() == "mine"
    assert nymity("report", "release", "--out", "mine.html", "--force").exit_code == 0
    assert (drawn / "mine.html").read_bytes() == (drawn / "release/about.html").read_bytes()


# -- a report that cannot be drawn ---------------------------------------------------------------------------------


def memory_error(*_: Any, **__: Any) -> str:
    raise MemoryError


class PanicError(BaseException):
    """As those of polars, which are no Exception."""


def panic(*_: Any, **__: Any) -> str:
    raise PanicError("the cell 'Person 7'")


def bug(*_: Any, **__: Any) -> str:
    raise ZeroDivisionError("the cell 'Person 7'")


@pytest.mark.parametrize("fails", [memory_error, panic, bug])
@pytest.mark.parametrize("fail_on_warnings", [False, True])
def test_the_release_stands_without_its_report(
    folder: Path,
    people: pl.DataFrame,
    nymity: Run,
    monkeypatch: pytest.MonkeyPatch,
    fails: Any,
    fail_on_warnings: bool,
) -> None:
    people.drop("illness").write_csv(folder / "people.csv")
    job = "\n".join(line for line in JOB.splitlines() if not line.startswith("illness"))
    (folder / "job.toml").write_text(
        job.partition('[[privacy]]\nmodel = "distinct')[0] + "[method]\nname = 'datafly'\n"
    )
    monkeypatch.setattr("nymity.report.render_report", fails)
    done = nymity("publish", "job.toml", "--out", "release", *["--fail-on-warnings"] * fail_on_warnings)
    assert done.exit_code == (1 if fail_on_warnings else 0), done.output
    assert names(folder / "release") == ["about.html", "certificate.json", "release.csv"]
    assert "report.html" not in names(folder / "release-custodian")
    (line,) = done.stderr.splitlines()
    assert line.startswith("note: report.html was left out: ")
    assert "Person 7" not in line
    assert nymity("check", "release/release.csv").exit_code == 0


def test_a_plot_library_that_aborts_ends_nothing(folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    chart.begin_javascript.cache_clear()
    monkeypatch.setattr(chart, "_BUNDLING", "import os; os.abort()")
    done = nymity("publish", "job.toml", "--out", "release", "--quiet")
    assert done.exit_code == 0
    assert "SIGABRT" in done.stderr
    assert names(folder / "release") == ["about.html", "certificate.json", "release.csv"]
    assert "findings.json" in names(folder / "release-custodian")


def test_an_interrupt_while_drawing_leaves_the_release(
    folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("nymity.report.render_report", interrupt)
    done = nymity("publish", "job.toml", "--out", "release", "--quiet")
    assert done.exit_code == 130
    assert names(folder / "release") == ["about.html", "certificate.json", "release.csv"]
    assert nymity("check", "release/release.csv").exit_code in (0, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux")
def test_little_address_space_costs_the_report_alone(folder: Path) -> None:
    """With ulimit -v 6000000 the plot library traps."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (6_000_000 * 1024, 6_000_000 * 1024))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    code = (
        "import pathlib; from nymity.core import kept; kept._FOLDER = pathlib.Path('nowhere', 'there')\n"  # made anew
        "from nymity.cli.start import run; run()"
    )
    command = [sys.executable, "-c", code, "publish", "job.toml", "--out", "release", "--quiet"]
    done = subprocess.run(command, cwd=folder, preexec_fn=limit, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "report.html was left out: the plots cannot be drawn" in done.stderr
    assert names(folder / "release") == ["about.html", "certificate.json", "release.csv"]
