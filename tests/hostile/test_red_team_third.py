"""Plugins, private runs, ended custody and damaged releases in hostile and clumsy hands: each case once went wrong."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

import nymity as ny
from nymity import report as pages
from nymity.cli.main import app as nymity_app
from nymity.cli.plugins import add_plugins
from nymity.cli.register import group, register
from nymity.core.boundary import bounded
from nymity.core.exit_code import ExitCode
from nymity.dp import ledger as ledgers

# -- plugins -------------------------------------------------------------------------------------------


def _distribution(folder: Path, registers: str, name: str = "stranger") -> None:
    """Install a distribution that registers entry points, as far as importlib can tell."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(registers)


def _own() -> typer.Typer:
    def publish() -> None:
        """Publish as nymity does."""
        typer.echo("published by nymity")

    app = group("A command of its own.")
    register(app, "publish", publish, [])
    return app


def test_a_plugin_never_takes_the_place_of_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _distribution(tmp_path, "[nymity.commands]\npublish = stranger_of_plugins:app\nbench = stranger_of_plugins:app\n")
    monkeypatch.syspath_prepend(tmp_path)
    app = _own()
    notes = add_plugins(app)
    assert "published by nymity" in CliRunner().invoke(app, ["publish"]).output
    assert any("'publish' of stranger" in note for note in notes)
    ours = [entry for entry in entry_points(group="nymity.commands") if entry.value.startswith("nymity_lab")]
    assert (sum("'bench' of stranger" in note for note in notes) == 1) == bool(ours)


@pytest.mark.parametrize(
    ("source", "got"),
    [
        ("raise RuntimeError('boom')", "RuntimeError: boom"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("import no_package_of_this_name", "No module named"),
        ("def (:", "SyntaxError"),
        ("app = 'text'", "a str"),
        ("def app(*given, **named): return 7", "a function"),
        ("", "has no attribute 'app'"),
    ],
)
def test_a_broken_plugin_says_whose_it_is(
    source: str, got: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _distribution(tmp_path, "[nymity.commands]\nodd = stranger_of_plugins:app\n")
    (tmp_path / "stranger_of_plugins.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "stranger_of_plugins", raising=False)
    app = _own()
    add_plugins(app)
    assert CliRunner().invoke(app, ["--help"]).exit_code == 0
    done = CliRunner().invoke(app, ["odd"])
    assert done.exit_code == ExitCode.INPUT
    said = " ".join(done.output.split())
    assert "'odd' of stranger" in said
    assert got in said


def test_a_distribution_that_is_damaged_breaks_no_command(tmp_path: Path) -> None:
    _distribution(tmp_path, "[nymity.commands]\nno value\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-m", "nymity", "--help"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert "publish" in done.stdout
    assert "stranger" in done.stderr or sys.version_info >= (3, 12)  # which takes such a line for a name


# -- custody that has ended ------------------------------------------------------------------------------

_JOB = """
[source]
path = "people.csv"
[schema]
age = { role = "quasi", hierarchy = { type = "intervals", width = 5, levels = 3 } }
s = { role = "sensitive" }
[[privacy]]
model = "k-anonymity"
k = 3
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table of people and a job."""
    monkeypatch.chdir(tmp_path)
    people = pl.DataFrame({"age": [20 + n % 20 for n in range(60)], "s": [("flu", "ok")[n % 2] for n in range(60)]})
    people.write_csv("people.csv")
    Path("job.toml").write_text(_JOB)
    return tmp_path


def _run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(nymity_app, arguments)
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize(
    "command",
    [("publish", "job.toml", "--out", "release"), ("report", "release", "--for", "custodian", "--job", "job.toml")],
)
def test_no_report_is_left_where_custody_ended_while_it_was_drawn(
    here: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if command[0] == "report":
        assert _run("publish", "job.toml", "--out", "release", "--no-report")[0] == 0

    def drawn(*_: Any, **__: Any) -> str:
        ny.forget("release")
        return "what the original looks like"

    monkeypatch.setattr(pages, "render_report", drawn)
    assert "custody of this release was ended" in _run(*command)[1]
    assert [path.name for path in Path("release-custodian").iterdir()] == ["log.json"]


def test_the_summary_for_a_board_replaces_no_file_of_somebody(here: Path) -> None:
    ny.publish(ny.Job.load("job.toml"), out="release").save("elsewhere", custodian="hidden")
    Path("board.html").write_text("the board's own page")
    code, said = _run("report", "elsewhere", "--for", "board")
    assert (code, Path("board.html").read_text()) == (ExitCode.INPUT, "the board's own page"), said
    assert _run("report", "elsewhere", "--for", "board", "--force")[0] == 0


def test_the_summary_for_a_board_says_that_custody_has_ended(here: Path) -> None:
    assert _run("publish", "job.toml", "--out", "release", "--no-report")[0] == 0
    assert "links released rows to people" in pages.render_board("release", "release-custodian")
    ny.forget("release")
    page = pages.render_board("release", "release-custodian")
    assert "Custody was ended on" in page
    assert "links released rows to people" not in page
    assert "--for custodian" not in page  # nobody can measure it again


# -- damaged files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "odd"),
    [
        (("attempts", 0, "exceeds"), ""),
        (("attempts", 0, "title"), []),
        (("attempts", 0, "chance"), "0.5"),
        (("before", "records"), "9"),
        (("before", "unique"), None),
        (("before",), []),
        (("attempts",), {"a": 1}),
    ],
)
def test_damaged_findings_are_a_clear_error(here: Path, place: tuple[str | int, ...], odd: object) -> None:
    assert _run("publish", "job.toml", "--out", "release")[0] == 0
    path = Path("release-custodian/findings.json")
    found = json.loads(path.read_text())
    *way, last = place
    part = found
    for step in way:
        part = part[step]
    part[last] = odd
    path.write_text(json.dumps(found))
    code, said = _run("report", "release", "--for", "board")
    assert code == ExitCode.INPUT, said
    assert "findings.json: expected findings" in said


@pytest.mark.parametrize("odd", [[1, 2], 7, True, {"a": 1}])
@pytest.mark.parametrize("method", ["mondrian", "freeform-greedy"])
def test_cells_of_a_recoding_that_are_no_text_are_a_clear_error(here: Path, method: str, odd: object) -> None:
    privacy = 'model = "k-matching"' if method.startswith("freeform") else 'model = "k-anonymity"'
    Path("job.toml").write_text(_JOB.replace('model = "k-anonymity"', privacy) + f'[method]\nname = "{method}"\n')
    assert _run("publish", "job.toml", "--out", "release", "--no-report")[0] == 0
    path = Path("release-custodian/recoding.json")
    recoding = json.loads(path.read_text())
    whole = path.read_bytes()
    recoding["cells"]["age"]["labels"][0] = odd
    path.write_text(json.dumps(recoding))
    with_recoding = ("release/release.csv", "--job", "job.toml", "--recoding", str(path))
    for command in (("compare", "people.csv", *with_recoding), ("apply", str(path), "people.csv", "--out", "o.csv")):
        code, said = _run(*command)
        assert code == ExitCode.INPUT, said
    path.write_bytes(whole)
    beside = path.with_name("seen.json")
    shorter = json.loads(beside.read_text())
    shorter["cells"]["age"]["covered"].pop()
    beside.write_text(json.dumps(shorter))
    assert _run("compare", "people.csv", *with_recoding)[0] == ExitCode.INPUT


@pytest.mark.parametrize("odd", [0.5, "1", None])
@pytest.mark.parametrize(("method", "listed"), [("mondrian", "cell_of"), ("anatomy", "ids")])
def test_numbers_of_a_recoding_that_are_not_whole_are_a_clear_error(
    here: Path, method: str, listed: str, odd: object
) -> None:
    diverse = 'model = "frequency-l-diversity"\nl = 2\nattribute = "s"'
    job = _JOB.replace('model = "k-anonymity"\nk = 3', diverse) if method == "anatomy" else _JOB
    Path("job.toml").write_text(job + f'[method]\nname = "{method}"\n')
    assert _run("publish", "job.toml", "--out", "release", "--no-report")[0] == 0
    path = Path("release-custodian/recoding.json")
    recoding = json.loads(path.read_text())
    numbers = recoding[listed]
    while isinstance(numbers[0], list):
        numbers = numbers[0]
    numbers[0] = odd
    path.write_text(json.dumps(recoding))
    code, said = _run("apply", str(path), "people.csv", "--out", "o.csv")
    assert code == ExitCode.INPUT, said
    assert "a recoding file as nymity writes it" in said


@pytest.mark.parametrize("odd", ["x", 0.5, None, -1, 10**12])
def test_a_damaged_row_mapping_is_a_clear_error(here: Path, odd: object) -> None:
    assert _run("publish", "job.toml", "--out", "release", "--no-report")[0] == 0
    path = Path("release-custodian/mapping.parquet")
    pl.read_parquet(path).with_columns(pl.lit(odd).alias("source_row")).write_parquet(path)
    learning = ("--target", "s", "--classifier", "decision-tree", "--folds", "2", "--links", str(path))
    code, said = _run("compare", "people.csv", "release/release.csv", "--job", "job.toml", *learning)
    assert code == ExitCode.INPUT, said


@pytest.mark.parametrize("reader", ["recipients", "board"])
@pytest.mark.parametrize(
    ("place", "forged"),
    [
        (("promised", 0, "k"), 1000),
        (("promised", 0, "means"), "nobody can ever be found"),
        (("measured", "models", 0, "k"), 1000),
        (("measured", "smallest_class"), 1000),
    ],
)
def test_no_page_repeats_a_forged_certificate(
    here: Path, place: tuple[str | int, ...], forged: object, reader: str
) -> None:
    assert _run("publish", "job.toml", "--out", "release", "--no-report")[0] == 0
    Path("release/about.html").unlink()
    path = Path("release/certificate.json")
    certificate = json.loads(path.read_text())
    *way, last = place
    part = certificate
    for step in way:
        part = part[step]
    part[last] = forged
    path.write_text(json.dumps(certificate))
    code, said = _run("report", "release", "--for", reader)
    assert (code, "certificate.json: expected a certificate that says what the table shows" in said) == (2, True), said
    assert not Path("release/about.html").exists()
    assert not Path("release-custodian/board.html").exists()
    render = pages.render_about if reader == "recipients" else pages.render_board
    with pytest.raises(ny.NymityError, match="a certificate that says what the table shows"):
        render(ny.open("release"))


# -- ledgers ---------------------------------------------------------------------------------------------


def test_a_ledger_that_is_opened_twice_at_once_keeps_what_was_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ny.dp.Ledger(path=str(tmp_path / "new" / "ledger.json"), source="people")
    promise = ny.DifferentialPrivacy(epsilon=1.0, public_records=1000)
    monkeypatch.setattr(ledgers, "_PATIENCE", 0.1)
    write = ledgers.replace_file

    def meanwhile(*given: Any, **named: Any) -> None:
        """Let somebody else open the same ledger, and spend, just before it is written."""
        monkeypatch.setattr(ledgers, "replace_file", write)
        with ThreadPoolExecutor() as other:
            other.submit(_open_and_spend).exception()
        write(*given, **named)

    shown = []

    def _open_and_spend() -> None:
        ledger.open(epsilon=2, delta=1e-3)
        ledger.enter(promise, "safepub")
        shown.append(promise)

    monkeypatch.setattr(ledgers, "replace_file", meanwhile)
    ledger.open(epsilon=2, delta=1e-3)
    assert len(shown) == ledger.spending().releases


# -- tables as they come -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "form"),
    [
        (["31.12.1970", "01.02.1948", "24.12.1999", "03.04.2001"] * 3, "%d.%m.%Y"),
        (["12/31/1970", "01/02/1948", "12/24/1999", "03/04/2001"] * 3, "%m/%d/%Y"),
        (["31/12/1970", "01/02/1948", "24/12/1999", "03/04/2001"] * 3, "%d/%m/%Y"),
        (["11/12/1970", "01/02/1948", "04/12/1999", "03/04/2001"] * 3, None),  # what is the month?
        (["31.12.1970", "1948-02-01", "24.12.1999", "03.04.2001"] * 3, None),
    ],
)
def test_days_with_the_year_last_are_taken_for_dates(days: list[str], form: str | None) -> None:
    """Masked from the right, as codes are, they would lose the year and keep the birthday."""
    column = pl.DataFrame({"birth": [f"{day[:-1]}{n % 10}" for n, day in enumerate(days)]})
    suggested = ny.inspect(column)["birth"].hierarchy
    assert getattr(suggested, "format", None) == form


def test_a_delimiter_at_the_end_of_every_line_is_no_column(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age;s;\n31;flu;\n")
    assert ny.read_table(tmp_path / "people.csv").rows(named=True) == [{"age": 31, "s": "flu"}]


def test_a_column_without_a_name_that_has_values_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age;s;\n31;flu;\n32;cold;x\n")
    with pytest.raises(ny.NymityError, match="column 3"):
        ny.read_table(tmp_path / "people.csv")


# -- words -------------------------------------------------------------------------------------------------


def test_a_log_that_is_not_there_closes_no_folder(here: Path) -> None:
    here.chmod(0o755)
    code, said = _run("publish", "job.toml", "--out", "release", "--log", "nowhere")
    assert code == ExitCode.INPUT
    assert "nowhere: expected a custodian's log" in said
    assert "chmod" not in said


@pytest.mark.parametrize("reader", ["recipients", "board", "custodian"])
def test_a_report_on_what_is_not_there_says_so(here: Path, reader: str) -> None:
    code, said = _run("report", "nowhere", "--for", reader, "--job", "job.toml")
    assert (code, "nowhere: expected the folder of a release" in said) == (ExitCode.INPUT, True), said
    assert "note:" not in said


def test_files_are_not_called_unchanged_where_the_release_was_replaced(here: Path) -> None:
    assert _run("publish", "job.toml", "--out", "release", "--no-report")[0] == 0
    Path("release-custodian/report.html").mkdir()
    code, said = _run("publish", "job.toml", "--out", "release", "--force")
    assert (code, "report.html was left out" in said) == (0, True)
    assert "unchanged" not in said


# -- frames --------------------------------------------------------------------------------------------


def test_cells_that_cannot_be_compared_are_refused_when_they_are_measured() -> None:
    table = pl.DataFrame({"q": ["a", "b"], "s": pl.Series([object(), object()], dtype=pl.Object)})
    schema = ny.Schema({"q": ny.quasi(), "s": ny.sensitive()})
    with pytest.raises(ny.NymityError, match=r"column 's': expected one number, date or text"):
        ny.measure(table, schema)


@pytest.mark.parametrize("names", [None, 5, "q", [1]])
def test_a_risk_profile_needs_names(names: object) -> None:
    with pytest.raises(ny.NymityError, match=r"a list of column names|the quasi-identifiers, or all roles"):
        ny.measure_risk(pl.DataFrame({"q": ["a"]}), names)  # type: ignore[arg-type]


def test_columns_of_a_dict_may_be_named_like_patterns(tmp_path: Path) -> None:
    days = [datetime.datetime(2021, 3, 4, 5, 6)] * 2
    ny.write_table({"^a$": days, "*": ["x", "y"]}, tmp_path / "t.csv")
    assert ny.read_table(tmp_path / "t.csv").columns == ["^a$", "*"]


def test_the_recoding_of_another_release_is_refused_by_attacks_queries_and_learning() -> None:
    table = pl.DataFrame({"q": ["a", "b"] * 3, "r": ["x", "y"] * 3, "s": ["u", "v"] * 3})
    schema = ny.Schema({"q": ny.quasi(), "r": ny.quasi(), "s": ny.sensitive()})
    other = ny.publish(table.drop("r"), {n: schema[n] for n in ("q", "s")}, privacy=[ny.KAnonymity(k=2)]).recoding
    known = ny.open(table, schema=schema, recoding=other)
    for ask in (
        lambda: ny.risk.attack(known, original=table),
        lambda: ny.utility.count_queries(table, known),
        lambda: ny.utility.learn(table, known, target="s", test=table),
    ):
        with pytest.raises(ny.NymityError, match="recoding: expected the quasi-identifiers 'q', 'r'"):
            ask()


def test_a_panic_for_want_of_open_files_is_told_as_that() -> None:
    panic = type("PanicException", (BaseException,), {})
    with pytest.raises(OSError, match="Too many open files"), bounded():
        raise panic('called `Result::unwrap()` on an `Err` value: Os { code: 24, message: "Too many open files" }')
