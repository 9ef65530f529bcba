"""nymity publish and demo."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console
from typer.testing import Result

import nymity.cli.publish as publish_command
from nymity.cli.console import Screen
from nymity.cli.demo import job_text
from nymity.cli.destination import Destination
from nymity.cli.inputs import load_job
from nymity.cli.progress import describe, watching
from nymity.core.errors import JobError, MissingExtraError, ParameterError
from nymity.core.progress import Observer, Progress
from nymity.datasets import hospital_schema
from nymity.publishing.jobs.job import Job
from nymity.publishing.releases.release import Release

Run = Callable[..., Result]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_publish_writes_everything_and_says_what_was_done(folder: Path, nymity: Run) -> None:
    done = nymity("publish", "job.toml", "--out", "release")
    assert done.exit_code == 0, done.output
    assert sorted(contents(folder / "release")) == ["about.html", "certificate.json", "release.csv"]
    assert "recoding.json" in contents(folder / "release-custodian")
    assert "<html" in (folder / "release-custodian/report.html").read_text(encoding="utf-8")
    for words in ("4-anonymity", "k = 4", "distinct 2-diversity of 'illness'", " of 3", "limit 10%", "loss = "):
        assert words in done.stdout
    for path in (
        "release/release.csv",
        "release/certificate.json",
        "release/about.html",
        "release-custodian/report.html",
    ):
        assert path in done.stdout
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stderr == ""


def test_the_source_is_hashed_once_though_the_report_is_about_it(
    folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hashed_again(*_: object, **__: object) -> str:
        raise AssertionError("the source was hashed before")

    monkeypatch.setattr("nymity.publishing.releases.opened.source_hash", hashed_again)
    assert nymity("publish", "job.toml", "--out", "release").exit_code == 0
    assert (folder / "release-custodian/report.html").exists()


@pytest.mark.parametrize("reported", [True, False])
def test_rows_of_the_source_lie_beside_what_is_written_only_for_the_report(
    folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch, reported: bool
) -> None:
    seen: list[int] = []
    save = Release.save

    def saved(release: Release, *arguments: Any, **options: Any) -> Any:
        tables = (one for one in gc.get_objects() if type(one) is pl.DataFrame and "name" in one.columns)
        seen.append(sum(one.height for one in tables) - before)
        return save(release, *arguments, **options)

    monkeypatch.setattr(Release, "save", saved)
    gc.collect()
    before = sum(one.height for one in gc.get_objects() if type(one) is pl.DataFrame and "name" in one.columns)
    done = nymity("publish", "job.toml", "--out", "release", *([] if reported else ["--no-report"]))
    assert done.exit_code == 0, done.output
    assert bool(seen[0]) is reported


def test_publish_answers_in_json_alone(folder: Path, nymity: Run) -> None:
    done = nymity("publish", "job.toml", "--out", "release", "--no-report", "--json")
    found = json.loads(done.stdout)
    certificate = json.loads((folder / "release/certificate.json").read_text(encoding="utf-8"))
    assert found["certificate"] == certificate
    assert certificate["output"]["file"] == "release.csv"
    assert found["holds"] is True
    assert found["files"]["report"] is None
    assert [row["promised"] for row in found["guarantees"]] == [{"k": 4}, {"l": 2}]
    released = pl.read_csv(folder / "release/release.csv")
    assert found["records"] == {"in": 60, "out": released.height}
    for row in found["levels"]:
        assert row["example"] == "*" or row["example"] in set(released[row["attribute"]].cast(str))
    assert 0 <= found["loss"]["scaled"] <= 1


def test_quiet_says_nothing(folder: Path, nymity: Run) -> None:
    done = nymity("publish", "job.toml", "--out", "release", "--no-report", "--quiet")
    assert (done.exit_code, done.output) == (0, "")


def test_set_changes_fields_of_the_job(folder: Path) -> None:
    settings = ["method.suppression=0.02", "privacy[0].k=7", "output.format=parquet", 'schema."sex".max_level=0']
    job = load_job(folder / "job.toml", settings)
    assert job.method.suppression == 0.02  # type: ignore[attr-defined]
    assert job.privacy[0].k == 7  # type: ignore[attr-defined]
    assert job.output.file_name == "release.parquet"
    assert job.schema["sex"].max_level == 0
    assert job.source == load_job(folder / "job.toml").source


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("method.suppression=1.5", "method.suppression: expected a number from 0 to 1, got 1.5"),
        ("method.supression=0.1", "did you mean 'suppression'?"),
        ("privacy[5].k=3", "a number from 0 to 1 in brackets"),
        ("privacy.k=3", "in brackets"),
        ("method.name.deep=3", "inside a plain value"),
        ("method.suppression", "field=value"),
        ("[0]=1", "the name of a field, got [0]"),
        ("[0].k=1", "the name of a field, got [0]"),
        ("=3", "field=value"),
    ],
)
def test_set_refuses_what_it_cannot_place(folder: Path, nymity: Run, setting: str, words: str) -> None:
    done = nymity("publish", "job.toml", "--out", "release", "--set", setting)
    assert done.exit_code == 2
    assert words in done.stderr
    assert not (folder / "release").exists()


def test_another_custodians_folder(folder: Path, nymity: Run) -> None:
    done = nymity("publish", "job.toml", "--out", "release", "--no-report", "--custodian", "vault/log")
    assert done.exit_code == 0, done.output
    assert (folder / "vault/log/mapping.parquet").is_file()
    assert not (folder / "release-custodian").exists()


@pytest.mark.parametrize("custodian", ["release", "release/private", "release/a/../b"])
def test_the_custodians_log_never_lies_in_the_release(folder: Path, nymity: Run, custodian: str) -> None:
    done = nymity("publish", "job.toml", "--out", "release", "--custodian", custodian)
    assert done.exit_code == 2
    assert "links published rows to people" in done.stderr


def test_publishing_into_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "here").mkdir()
    monkeypatch.chdir(folder / "here")
    assert Destination.of(Path(), None).custodian == folder / "here-custodian"
    assert Destination.of(Path("x/.."), None).custodian == folder / "here-custodian"


def test_the_source_is_never_overwritten(folder: Path, nymity: Run) -> None:
    before = (folder / "people.csv").read_bytes()
    done = nymity("publish", "job.toml", "--out", ".", "--set", "output.name=people")
    assert done.exit_code == 2
    assert "--out" in done.stderr
    assert (folder / "people.csv").read_bytes() == before


def test_a_stale_report_does_not_stay_beside_a_new_table(published: Path, nymity: Run) -> None:
    (published / "release/report.html").write_text("of an earlier table")
    assert nymity("publish", "job.toml", "--out", "release", "--no-report", "--force").exit_code == 0
    assert not (published / "release/report.html").exists()


def test_without_the_reports_extra_the_rest_is_published(
    folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def render_report(*_: Any, **__: Any) -> None:
        raise MissingExtraError(
            "the report needs 'vl_convert', which is not installed. Try: pip install \"nymity[report]\""
        )

    monkeypatch.setattr("nymity.report.render_report", render_report)
    done = nymity("publish", "job.toml", "--out", "release")
    assert done.exit_code == 0
    assert sorted(contents(folder / "release")) == ["about.html", "certificate.json", "release.csv"]
    (line,) = done.stderr.splitlines()
    assert line.startswith("note: report.html was left out")
    assert 'pip install "nymity[report]"' in line


# -- stopping --------------------------------------------------------------------------------------------------


def stopping(at: str, how: Callable[[], bool]) -> Callable[[Any], Any]:
    """A progress display that stops the run at a stage."""

    @contextmanager
    def watch(_: Any) -> Iterator[Observer]:
        yield lambda progress: how() if progress.stage == at else None

    return watch


def press_control_c() -> bool:
    raise KeyboardInterrupt


STAGES = ("searching the lattice", "writing and verifying")


@pytest.mark.parametrize("how", [press_control_c, lambda: False])
@pytest.mark.parametrize("at", STAGES)
def test_a_stopped_run_leaves_earlier_files(
    published: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch, at: str, how: Callable[[], bool]
) -> None:
    before = contents(published)
    monkeypatch.setattr(publish_command, "watching", stopping(at, how))
    done = nymity("publish", "job.toml", "--out", "release", "--set", "privacy[0].k=6", "--json", "--force")
    assert done.exit_code == 130
    assert contents(published) == before
    assert done.stderr.startswith("stopped: ")
    assert json.loads(done.stdout)["error"]["exit_code"] == 130


@pytest.mark.parametrize("at", STAGES)
def test_a_stopped_first_run_leaves_nothing(
    folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    monkeypatch.setattr(publish_command, "watching", stopping(at, press_control_c))
    assert nymity("publish", "job.toml", "--out", "deep/release").exit_code == 130
    assert sorted(path.name for path in folder.iterdir()) == ["job.toml", "people.csv"]


@pytest.mark.parametrize("how", [press_control_c, lambda: False])
def test_a_run_stopped_at_its_report_has_published(
    published: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch, how: Callable[[], bool]
) -> None:
    before = contents(published)
    monkeypatch.setattr(publish_command, "watching", stopping("drawing the report", how))
    done = nymity("publish", "job.toml", "--out", "release", "--set", "privacy[0].k=6", "--json", "--force")
    assert done.exit_code == 130
    assert "the release is written, its report is not" in done.stderr
    after = contents(published)
    assert after.keys() > before.keys()  # and the log of what was replaced
    assert b'"k": 6' in after["release/certificate.json"]


def test_a_failing_report_does_not_undo_the_release(
    published: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def render_report(*_: Any, **__: Any) -> None:
        raise ParameterError("report", expected="something", got="else")

    monkeypatch.setattr("nymity.report.render_report", render_report)
    done = nymity("publish", "job.toml", "--out", "release", "--set", "privacy[0].k=6", "--force")
    assert done.exit_code == 0
    assert "note: report.html was left out: report: expected something, got else" in done.stderr
    assert '"k": 6' in (published / "release/certificate.json").read_text(encoding="utf-8")


# -- the demo --------------------------------------------------------------------------------------------------


def test_the_demos_job_says_what_the_sample_needs(folder: Path) -> None:
    (folder / "demo.toml").write_text(job_text(), encoding="utf-8")
    job = Job.load(folder / "demo.toml")
    assert dict(job.schema) == dict(hospital_schema())
    assert [model.promise().partition(":")[0] for model in job.privacy] == [
        "5-anonymity",
        "distinct 3-diversity of 'diagnosis'",
    ]
    assert job.method.suppression == 0.05  # type: ignore[attr-defined]


def test_demo_runs_the_job_it_writes(folder: Path, nymity: Run) -> None:
    done = nymity("demo", "--rows", "800", "--no-report", "--out", "demo/release")
    assert done.exit_code == 0, done.output
    assert "nymity publish demo/job.toml --out demo/release" in done.stdout
    assert (folder / "demo/job.toml").read_text(encoding="utf-8") == job_text()
    assert pl.read_csv(folder / "demo/hospital.csv", infer_schema=False).height == 800
    first = contents(folder / "demo/release")
    assert nymity("publish", "demo/job.toml", "--out", "again", "--no-report").exit_code == 0
    assert contents(folder / "again")["release.csv"] == first["release.csv"]
    assert nymity("demo", "--rows", "500", "--no-report").exit_code == 0, "the demo's own files are replaced"


def test_demo_spares_a_changed_job(folder: Path, nymity: Run) -> None:
    before = (folder / "job.toml").read_bytes()
    done = nymity("demo", "--rows", "500", "--no-report", "--out", "release")
    assert done.exit_code == 2
    assert (folder / "job.toml").read_bytes() == before
    assert not (folder / "hospital.csv").exists()
    assert nymity("demo", "--rows", "500", "--no-report", "--out", "release", "--force").exit_code == 0


def test_errors_in_a_job_name_its_file(folder: Path) -> None:
    (folder / "bad.toml").write_text("[privacy]\nk = 5\n")
    with pytest.raises(JobError, match=r"bad\.toml, job: expected a field 'schema'"):
        load_job(folder / "bad.toml")


def test_progress_is_drawn_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")  # on a dumb one nothing is drawn
    reports = [Progress(stage="searching the lattice", done=done, best=0.5) for done in range(1, 10_000)]
    for is_terminal in (True, False):
        screen = Screen()
        screen.err = Console(file=StringIO(), force_terminal=is_terminal, width=80)
        with watching(screen) as observe:
            for progress in reports:
                assert observe(progress) is None
        drawn = screen.err.file.getvalue()  # type: ignore[attr-defined]
        assert ("searching the lattice: 1 node checked, best loss so far 0.5" in drawn) is is_terminal
        assert len(drawn) < 20_000, "not every report is drawn"


def test_progress_is_put_into_words() -> None:
    assert describe(Progress(stage="reading")) == "reading"
    searching = Progress(stage="searching the lattice", done=374, best=0.25)
    assert describe(searching) == "searching the lattice: 374 nodes checked, best loss so far 0.25"
    assert describe(Progress(stage="evaluating the lattice", done=1, total=1200)).endswith("1 of 1,200 nodes checked")


# -- warnings --------------------------------------------------------------------------------------------------


def test_the_first_line_counts_the_warnings(folder: Path, nymity: Run) -> None:
    done = nymity("publish", "job.toml", "--out", "release", "--no-report")
    first, second = done.stdout.splitlines()[:2]
    assert first.startswith("Released ")
    assert first.endswith("; every promise holds, with 1 warning.")
    assert second.startswith("1. Levels and suppressed classes were chosen by")
    told = json.loads((folder / "release/certificate.json").read_text(encoding="utf-8"))["not_protected"]
    assert [one["warning"] for one in told] == ["optimality"]


def test_without_a_warning_it_holds(folder: Path, nymity: Run) -> None:
    text = (folder / "job.toml").read_text().replace('illness = { role = "sensitive" }', 'illness = { role = "quasi" }')
    start = text.index('[[privacy]]\nmodel = "distinct')
    (folder / "job.toml").write_text(text[:start] + text[text.index("[method]") :])
    done = nymity("publish", "job.toml", "--out", "release", "--no-report", "--fail-on-warnings")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0].endswith("; every promise holds.")
    done = nymity("check", "release/release.csv", "--fail-on-warnings")
    assert done.exit_code == 0
    assert "Everything holds.\n" in done.stdout


def test_warnings_can_be_made_to_fail_and_then_nothing_is_written(folder: Path, nymity: Run) -> None:
    before = contents(folder)
    done = nymity("publish", "job.toml", "--out", "release", "--fail-on-warnings")
    assert done.exit_code == 1
    assert "holds, with 1 warning" in done.stdout
    assert "Nothing was written" in done.stdout
    assert contents(folder) == before
    found = json.loads(nymity("publish", "job.toml", "--out", "r", "--fail-on-warnings", "--json").stdout)
    assert (found["written"], [one["warning"] for one in found["warnings"]]) == (False, ["optimality"])


def test_a_check_can_fail_on_warnings(published: Path, nymity: Run) -> None:
    assert nymity("check", "release/release.csv").exit_code == 0
    done = nymity("check", "release/release.csv", "--fail-on-warnings")
    assert done.exit_code == 1
    assert "Everything holds, with 1 warning." in done.stdout
    found = json.loads(nymity("check", "release/release.csv", "--json").stdout)
    assert (found["holds"], [one["warning"] for one in found["warnings"]]) == (True, ["optimality"])


def test_a_private_job_cannot_be_asked_to_fail_on_warnings(folder: Path, nymity: Run) -> None:
    (folder / "private.toml").write_text(
        """
        source = "nowhere.csv"
        schema.sex = { role = "quasi", hierarchy = { type = "rows", rows = [["male", "*"], ["female", "*"]] } }
        privacy = [{ model = "differential-privacy", epsilon = 1, public_records = 1000 }]
        method.name = "safepub"
        """
    )
    done = nymity("publish", "private.toml", "--out", "release", "--fail-on-warnings")
    assert done.exit_code == 2
    assert "whose certificate always says what is not protected" in done.stderr


def test_earlier_releases_are_intersected_and_demanded(published: Path, nymity: Run) -> None:
    text = (published / "job.toml").read_text()
    demand = 'earlier_releases = [{ release = "release", name = "the first" }]\nearlier.smallest_group = 30\n'
    (published / "next.toml").write_text(demand + text)
    done = nymity("publish", "next.toml", "--out", "second", "--no-report")
    assert done.exit_code == 3
    assert "30 are asked for" in done.stderr
    assert not (published / "second").exists()
    (published / "next.toml").write_text(demand.replace("= 30", "= 2") + text)
    done = nymity("publish", "next.toml", "--out", "second", "--no-report", "--json")
    assert done.exit_code == 0, done.output
    (entry,) = json.loads(done.stdout)["certificate"]["earlier_releases"]
    assert entry["name"] == "the first"
    assert 2 <= entry["smallest_group"] < 30
