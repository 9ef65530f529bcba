"""Writing a release: whole or not at all, the same cells in every format, and the custodian's part elsewhere."""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import pickle
import signal
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from samples import K2, folder_content, people, people_schema, released, simple

from nymity.core.disk import HIDDEN_PREFIX
from nymity.core.errors import FileError, ParameterError, PromiseError, TableError
from nymity.io import RELEASED
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity
from nymity.publishing.checking.check import check
from nymity.publishing.custodian import release_place
from nymity.publishing.custodian.reading_back import read_release
from nymity.publishing.jobs.job import Job, Output
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.publishing.sealing.fingerprint import fingerprint
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from nymity.table.text import is_missing

# -- what lies where -------------------------------------------------------------------------------------------


def test_the_folder_holds_table_and_certificate_and_nothing_else(tmp_path: Path) -> None:
    release = released(out=tmp_path / "out" / "release")
    assert sorted(folder_content(tmp_path / "out" / "release")) == ["certificate.json", "release.csv"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["release", "release-custodian"]
    private = tmp_path / "out" / "release-custodian"
    kept = ["log.json", "mapping.parquet", "nodes.parquet", "recoding.json", "seen.json"]
    assert sorted(folder_content(private)) == kept
    log = json.loads((private / "log.json").read_text())
    assert log["salt"] == release.log.salt
    assert "Not for release" in log["note"]
    mapping = pl.read_parquet(private / "mapping.parquet")
    assert mapping["source_row"].to_list() == release.log.source_rows.tolist()
    assert mapping["masked"].to_list() == release.log.masked.tolist()
    assert mapping["released_row"].to_list() == list(range(15))
    assert pl.read_parquet(private / "nodes.parquet").height == log["nodes_evaluated"] > 0
    again = Recoding.load(private / "recoding.json")
    assert again.to_dict() == release.recoding.to_dict()


def test_the_custodians_folder_can_be_named(tmp_path: Path) -> None:
    released().save(tmp_path / "r", custodian=tmp_path / "safe" / "place")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r", "safe"]
    assert (tmp_path / "safe" / "place" / "mapping.parquet").exists()


@pytest.mark.parametrize("inside", ["r", "r/private", "r/../r", "r/a/../b"])
def test_the_custodians_folder_is_never_inside_the_release(inside: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="a folder outside"):
        released().save(tmp_path / "r", custodian=tmp_path / inside)
    assert list(tmp_path.iterdir()) == []


def test_writing_into_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    released().save(".")
    assert sorted(folder_content(tmp_path / "here")) == ["certificate.json", "release.csv"]
    assert (tmp_path / "here-custodian" / "log.json").exists()
    (tmp_path / "here" / "below").mkdir()
    monkeypatch.chdir(tmp_path / "here" / "below")
    released().save("..", custodian=tmp_path / "c", force=True)
    with pytest.raises(ParameterError, match="a folder outside"):
        released().save("..", custodian="private")
    released().save("..", force=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c", "here", "here-custodian"]


def test_the_source_is_never_replaced(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "release.csv")
    before = folder_content(tmp_path)
    with pytest.raises(ParameterError, match="does not replace its source"):
        publish(tmp_path / "release.csv", people_schema(), privacy=K2, out=tmp_path)
    assert folder_content(tmp_path) == before


def test_the_returned_certificate_is_the_written_one(tmp_path: Path) -> None:
    certificate = released().save(tmp_path / "r")
    assert json.loads((tmp_path / "r" / "certificate.json").read_text(encoding="utf-8")) == certificate


def test_the_same_release_gives_the_same_bytes(tmp_path: Path) -> None:
    for form in ("csv", "csv.gz", "tsv", "parquet"):
        output = Output(format=form)  # type: ignore[arg-type]
        released(output=output, out=tmp_path / form / "a")
        released(output=output, out=tmp_path / form / "b")
        files = [(tmp_path / form / x / f"release.{form}").read_bytes() for x in "ab"]
        assert files[0] == files[1]


# -- failures --------------------------------------------------------------------------------------------------


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A folder with an earlier release of another table."""
    simple({"q": ["a", "a", "b", "b"], "v": [1, 2, 3, 4]}, out=tmp_path / "r")
    return tmp_path / "r"


def assert_untouched(folder: Path, before: dict[str, bytes]) -> None:
    assert folder_content(folder) == before
    assert sorted(path.name for path in folder.iterdir()) == sorted(before)  # no staging left behind


def full_disk(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def half_written(table: pl.DataFrame, path: Path, options: Any) -> None:
    path.write_bytes(b"age,zip\n20-")
    full_disk()


def interrupted(*_: Any) -> None:
    raise KeyboardInterrupt


def other_cells(table: pl.DataFrame, path: Path, options: Any) -> None:
    table.with_columns(note=pl.lit("x")).write_csv(path)


def lost_row(table: pl.DataFrame, path: Path, options: Any) -> None:
    table[:-1].write_csv(path)


def not_a_table(table: pl.DataFrame, path: Path, options: Any) -> None:
    path.write_bytes(b"a,b\n1\n")


@pytest.mark.parametrize(
    ("write", "failure"),
    [
        (full_disk, FileError),
        (half_written, FileError),
        (interrupted, KeyboardInterrupt),
        (other_cells, TableError),
        (lost_row, TableError),
        (not_a_table, TableError),
    ],
)
def test_a_failed_write_leaves_everything_as_it_was(
    write: Any, failure: type[BaseException], earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, private = folder_content(earlier), folder_content(earlier.with_name("r-custodian"))
    release = released()
    monkeypatch.setattr(release_place, "write_table", write)
    with pytest.raises(failure):
        release.save(earlier, force=True)
    assert_untouched(earlier, before)
    assert_untouched(earlier.with_name("r-custodian"), private)
    with pytest.raises(failure):
        release.save(earlier.with_name("new"))
    assert sorted(path.name for path in earlier.parent.iterdir()) == ["r", "r-custodian"]


def test_a_full_disk_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released()
    monkeypatch.setattr(release_place, "write_table", full_disk)
    with pytest.raises(FileError, match=r"No space left|disk") as caught:
        release.save(tmp_path / "r")
    assert caught.value.exit_code == 2


def test_a_release_that_breaks_its_promise_is_not_written(earlier: Path) -> None:
    """The frame was edited between publishing and writing: the file would read back, but not hold."""
    release = released()
    before = folder_content(earlier)
    ages = release.frame["age"].to_list()
    ages[-1] = "36"
    object.__setattr__(release, "frame", release.frame.with_columns(age=pl.Series(ages)))
    with pytest.raises(PromiseError, match=r"2-anonymity.*measured k = 1"):
        release.save(earlier, force=True)
    assert_untouched(earlier, before)


@pytest.mark.parametrize("failure", [OSError(errno.EIO, "disk"), KeyboardInterrupt()])
@pytest.mark.parametrize("file", ["release.csv", "certificate.json"])
def test_a_failed_move_takes_the_others_back(
    file: str, failure: BaseException, earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Table and certificate belong together: when the second does not arrive, the first leaves again."""
    release, before, real = released(), folder_content(earlier), os.replace
    failed: list[str] = []

    def replace(source: Any, target: Any) -> None:
        if Path(target) == earlier / file and not failed:
            failed.append(file)
            raise failure
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises((FileError, KeyboardInterrupt)):
        release.save(earlier, force=True)
    assert failed == [file]
    assert_untouched(earlier, before)


def test_a_failure_of_the_custodians_log_stops_the_release(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release, before = released(), folder_content(earlier)
    monkeypatch.setattr(Recoding, "save_with_values", full_disk)
    with pytest.raises(FileError):
        release.save(earlier, force=True)
    assert_untouched(earlier, before)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("mine")
    with pytest.raises(ParameterError, match="folder: expected a folder, got the file"):
        released().save(tmp_path / "r")
    assert (tmp_path / "r").read_text() == "mine"


KILLED = """
import os, pickle, signal, sys
release = pickle.loads(open(sys.argv[1], "rb").read())
real = os.replace
def replace(source, target):
    if os.path.dirname(target) == sys.argv[2]:  # everything is written and verified; the first move is next
        os.kill(os.getpid(), signal.SIGKILL)
    real(source, target)
os.replace = replace
release.save(sys.argv[2], force=True)
"""


def test_a_killed_process_leaves_the_earlier_release(earlier: Path, tmp_path: Path) -> None:
    (tmp_path / "release.pickle").write_bytes(pickle.dumps(released()))
    before = folder_content(earlier)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "release.pickle"), str(earlier)], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert {name: content for name, content in folder_content(earlier).items() if name in before} == before
    left = [path.name for path in earlier.iterdir() if path.name not in before]
    assert left
    assert all(name.startswith(HIDDEN_PREFIX) for name in left)
    with pytest.raises(FileError, match="before all of them were exchanged"):
        check(earlier / "release.csv", certificate=earlier / "certificate.json")
    released().save(earlier, force=True)  # the next run finishes what was begun, and replaces it
    assert sorted(folder_content(earlier)) == ["certificate.json", "release.csv"]
    assert check(earlier / "release.csv", certificate=earlier / "certificate.json").holds


def test_a_failed_first_write_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released()
    monkeypatch.setattr(release_place, "write_table", interrupted)
    with pytest.raises(KeyboardInterrupt):
        release.save(tmp_path / "deep" / "down" / "r")
    assert list(tmp_path.iterdir()) == []


# -- the same cells in every format ----------------------------------------------------------------------------

AWKWARD: dict[str, list[Any]] = {
    "formulas": ["=1+1", "+A1", "@x", "-2"],
    "more formulas": ["'=x", "''=x", "\t=1", "-x"],
    "numbers with a sign": ["+1", "-1.5", "+1e3", "-"],
    "quotes": ['a"b', '"', "'", '""'],
    "delimiters": ["a,b", "a;b", "a\tb", "a|b"],
    "line ends": ["a\nb", "a\r\nb", "\n", "a\rb"],
    "unicode": ["größe", "日本", "😀", "e\u0301\u202e"],
    "spaces": [" a", "a ", " ", "\u00a0"],
    "leading zeros": ["007", "0", "00", "0.10"],
    "number-like text": ["1e3", "0x1", "1_000", "١"],
    "whole floats as text": ["1.0", "2.0", "3.0", "4.0"],
    "missing": [None, "", "NA", "null"],
    "nothing at all": [None, None, None, None],
    "words of truth": ["true", "False", "TRUE", None],
    "date-like text": ["2020-02-30", "01/02/2020", "2020-01-01", None],
    "escapes": ["_x0041_", "\\n", "&amp;", "<b>"],
    "whole numbers": [1, -2, None, 2**53 + 1],
    "floats": [0.5, -2.25, None, 1e20],
    "whole floats": [1.0, -2.0, None, 2.0**53],
    "truth": [True, False, None, True],
    "dates": [dt.date(2020, 2, 29), dt.date(1, 1, 1), None, dt.date(9999, 12, 31)],
    "moments": [dt.datetime(2020, 2, 29, 13, 5), dt.datetime(2020, 1, 1), None, dt.datetime(1999, 1, 1, 0, 0, 0, 7)],
    "times": [dt.time(13, 5), dt.time(0), None, dt.time(1, 2, 3, 4)],
    "spans": [dt.timedelta(days=1), dt.timedelta(seconds=-5), None, dt.timedelta(0)],
    "decimals": [Decimal("1.50"), Decimal("2.00"), None, Decimal("-0.10")],
}


#: Formats of statistics programs, which take plain names and cut spaces off the end of text.
STATISTICAL = ("sav", "dta", "xpt")
ANY_NAMES = [form for form in RELEASED if form not in STATISTICAL]


@pytest.mark.parametrize("kind", AWKWARD)
@pytest.mark.parametrize("form", RELEASED)
def test_awkward_values_read_back_the_same(form: Any, kind: str, tmp_path: Path) -> None:
    values = {"q": ["a", "a", "b", "b"], "v": AWKWARD[kind]}
    options: dict[str, Any] = {"output": Output(format=form, delimiter=";")}
    if form in STATISTICAL and kind == "spaces":
        with pytest.raises(TableError, match="text without spaces at its end"):
            simple(values, out=tmp_path / "r", **options)
        assert not (tmp_path / "r").exists()
        return
    release = simple(values, out=tmp_path / "r", **options)
    path = tmp_path / "r" / f"release.{form}"
    written = read_release(path, release.job.output)
    assert written.columns == ["q", "v"]
    assert fingerprint(written) == fingerprint(release.frame)
    assert plainly(written["v"]) == plainly(release.frame["v"])
    assert is_missing(written["v"]).to_list() == is_missing(release.frame["v"]).to_list()
    assert check(path, certificate=tmp_path / "r" / "certificate.json").holds


def plainly(cells: pl.Series) -> list[str]:
    """Cells as a person would compare them: as text, without caring whether a whole number has a point."""
    if cells.dtype.is_temporal():
        cells = cells.dt.to_string("iso")
    if cells.dtype.is_decimal():
        cells = cells.cast(pl.String)
    texts = [str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in cells if cell not in (None, "")]
    return sorted(text.removesuffix(".0") for text in texts)


@pytest.mark.parametrize("form", ["csv", "tsv", "csv.gz"])
def test_formulas_stay_as_they_are_when_asked(form: Any, tmp_path: Path) -> None:
    values = {"q": ["=a", "=a", "'=b", "'=b"], "v": ["+A1", "@x", "'+A1", "-2"]}
    release = simple(values, out=tmp_path / "r", output=Output(format=form, neutralize_formulas=False))
    written = read_release(tmp_path / "r" / f"release.{form}", release.job.output)
    assert written.equals(release.frame)
    assert release.certificate["output"]["formulas_neutralized"] is False


def test_text_files_are_what_a_spreadsheet_may_open(tmp_path: Path) -> None:
    simple({"q": ["=a", "=a", "b", "b"], "v": ["+A1", "@x", "x", "-2"]}, out=tmp_path / "r")
    cells = [
        cell
        for line in (tmp_path / "r" / "release.csv").read_text().splitlines()
        for cell in line.replace('"', "").split(",")
    ]
    assert not [cell for cell in cells if cell[0] in "=+@"]


NAMES = ["*", "a.b", "x\ny", "größe 日本", '"', "a,b", " ", "=x", "'=x", "c0", "row", "q0", "value", "len"]
PATTERNS = ["^a$", "^.*$", "^x", "b$"]


@pytest.mark.parametrize("form", STATISTICAL)
@pytest.mark.parametrize("name", ["*", "x\ny", "größe 日本", '"', "a,b", " ", "=x", "^a$", "x" * 65, "9a"])
def test_names_that_a_format_does_not_take_are_refused_with_the_job(form: Any, name: str) -> None:
    with pytest.raises(TableError, match="rename it in the source"):
        Job(schema=Schema({name: quasi()}), privacy=(K2,), output=Output(format=form))
    Job(schema=Schema({"a": quasi(), name: identifying()}), privacy=(K2,), output=Output(format=form))


@pytest.mark.parametrize("form", ANY_NAMES)
def test_awkward_column_names_read_back_the_same(form: Any, tmp_path: Path) -> None:
    """All of them at once, as quasi-identifiers, sensitive and insensitive columns."""
    assert_names_survive(NAMES, form, tmp_path / "r")


@pytest.mark.parametrize("form", ANY_NAMES)
def test_column_names_like_patterns_read_back_the_same(form: Any, tmp_path: Path) -> None:
    assert_names_survive(PATTERNS, form, tmp_path / "r")


def test_column_names_like_patterns_in_memory() -> None:
    assert_names_survive(PATTERNS + NAMES, "csv", None)


def assert_names_survive(names: list[str], form: Any, folder: Path | None) -> None:
    table = pl.DataFrame({name: ["a", "a", "b", "b"] for name in names})
    roles = [quasi(), sensitive(), quasi(), insensitive()]
    schema = Schema({name: roles[i % 4] for i, name in enumerate(names)} | {names[-1]: identifying()})
    privacy = [K2, DistinctLDiversity(l=1, attribute=names[1])]
    release = publish(table, schema, privacy=privacy, out=folder, output=Output(format=form))
    assert release.frame.columns == names[:-1]
    assert release.frame.equals(table.drop(names[-1]))
    assert check(release.frame, certificate=release.certificate).holds
    if folder is not None:
        path = folder / f"release.{form}"
        assert read_release(path, release.job.output).equals(release.frame)
        assert check(path, certificate=folder / "certificate.json").holds


def test_a_column_without_name(tmp_path: Path) -> None:
    """Parquet can hold one; where a file cannot, nothing is published and the way out is told."""
    values = {"q": ["a", "a", "b", "b"], "": [1, 2, 3, 4]}
    release = simple(values, out=tmp_path / "p", output=Output(format="parquet"))
    assert release.frame.columns == ["q", ""]
    assert pl.read_parquet(tmp_path / "p" / "release.parquet").equals(release.frame)
    with pytest.raises(TableError, match=r"empty name.*Try: another output format, such as parquet"):
        simple(values, out=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_text_that_no_text_file_can_hold(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="NUL"):
        simple({"q": ["a", "a"], "v": ["x\0y", "z"]}, out=tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("values", [[[1], [2], [1], []], [{"x": 1}] * 4, [b"\xff", b"", b"x", None]])
def test_nested_columns_that_no_model_looks_at(values: list[Any], tmp_path: Path) -> None:
    columns = {"q": ["a", "a", "b", "b"], "v": values}
    release = simple(columns, out=tmp_path / "p", output=Output(format="parquet"))
    assert check(tmp_path / "p" / "release.parquet", certificate=tmp_path / "p" / "certificate.json").holds
    assert sorted(map(str, release.frame["v"])) == sorted(map(str, pl.Series(values)))
    with pytest.raises(ValueError, match="one value per cell"):
        simple(columns, out=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_one_column_with_gaps_only(tmp_path: Path) -> None:
    for form in RELEASED:
        release = simple({"q": [None, None, "a", "a"]}, out=tmp_path / form, output=Output(format=form))  # type: ignore[arg-type]
        written = read_release(tmp_path / form / f"release.{form}", release.job.output)
        assert written["q"].to_list() == [None, None, "a", "a"]


def test_removed_outliers_are_not_in_the_file(tmp_path: Path) -> None:
    release = released(method=OptimalLattice(suppression=0.2, outliers="remove"), out=tmp_path / "r")
    lines = (tmp_path / "r" / "release.csv").read_text().splitlines()
    assert len(lines) == 1 + 12
    assert not any(line.startswith("*,*,*") for line in lines)
    assert release.certificate["suppressed"]["removed"] == 3


def test_a_release_survives_pickling() -> None:
    release = released()
    again: Release = pickle.loads(pickle.dumps(release))
    assert again.frame.equals(release.frame)
    assert np.array_equal(again.log.source_rows, release.log.source_rows)
