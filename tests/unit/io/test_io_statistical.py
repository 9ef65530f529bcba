"""SPSS, Stata and SAS files: labels, declared gaps, Unicode, round trips; and that nothing else goes out."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import FileError, TableError
from nymity.io import (
    Dictionary,
    ReadOptions,
    WriteOptions,
    format_of,
    read_detected,
    read_table,
    read_valued,
    write_table,
)
from nymity.io.dictionary import Entry

FORMS = ["sav", "zsav", "dta", "xpt"]
TABLE = pl.DataFrame(
    {
        "sex": [1, 2, None, 1],
        "wage": [1.5, None, 2.25, 3.0],
        "town": ["Größe", None, "Łódź", "北京"],
        "born": [date(1990, 1, 31), None, date(1900, 2, 3), date(2024, 2, 29)],
    }
)
LABELS = Dictionary(
    {
        "sex": Entry(label="Sex – Geschlecht", values={"1": "männlich", "2": "weiblich", "9": "keine Angabe"}),
        "town": Entry(label="Town"),
        "gone": Entry(label="a column that is not published"),
    }
)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_read_with_its_labels(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    write_table(TABLE, path, WriteOptions(dictionary=LABELS))
    assert read_table(path).equals(TABLE)
    known = format_of(path).described(path)
    assert known.label("sex") == "Sex – Geschlecht"
    assert known.label("town") == "Town"
    assert dict(known.values("sex")) == ({} if form == "xpt" else {"1": "männlich", "2": "weiblich"})
    assert format_of(path).strangers(path) == []


@pytest.mark.parametrize("form", FORMS)
def test_nothing_but_labels_of_published_values_is_in_the_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    write_table(TABLE, path, WriteOptions(dictionary=LABELS))
    content = path.read_bytes()
    for secret in ("keine Angabe", "not published", str(tmp_path), "gone"):
        assert secret.encode() not in content
    year = str(date.today().year)
    assert year.encode() not in content.replace(b"2024", b"")


CELLS = st.lists(
    st.tuples(
        st.none() | st.integers(-(2**53), 2**53),
        st.none() | st.floats(allow_nan=False, allow_infinity=False, width=32),
        st.none()
        | st.text(
            st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=12
        ),
        st.none() | st.dates(date(1700, 1, 1), date(2200, 1, 1)),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("form", ["sav", "dta", "xpt"])
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=CELLS)
def test_round_trips(form: str, rows: list[Any], tmp_path: Path) -> None:
    kinds = {"whole": pl.Int64, "number": pl.Float64, "text": pl.String, "day": pl.Date}
    table = pl.DataFrame(rows, schema=kinds, orient="row")
    write_table(table, path := tmp_path / f"t.{form}")
    back = read_table(path)
    for name in table.columns:
        assert back[name].to_list() == table[name].to_list()


# -- what a file declares


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.sav"
    frame = pl.DataFrame({"age": [34.0, -9.0, 98.0, 51.0], "q": [1.0, 8.0, 9.0, 2.0], "s": ["a", "x", "b", "a"]})
    pyreadstat.write_sav(
        frame,
        str(path),
        file_label="secret study",
        note="by somebody",
        column_labels={"age": "Age at interview"},
        variable_value_labels={"q": {1: "yes", 2: "no", 8: "refused", 9: "don't know"}},
        missing_ranges={"age": [-9], "q": [{"lo": 8, "hi": 9}], "s": ["x"]},
    )
    return path


def test_declared_codes_are_missing_and_counted(survey: Path) -> None:
    read = read_valued(survey, ReadOptions())
    assert read.table["age"].to_list() == [34, None, 98, 51]
    assert read.table["q"].to_list() == [1, None, None, 2]
    assert read.table["s"].to_list() == ["a", None, "b", "a"]
    assert read.taken == {"age": {"-9": 1}, "q": {"8": 1, "9": 1}, "s": {"x": 1}}


def test_the_job_says_otherwise(survey: Path) -> None:
    table = read_table(survey, ReadOptions(missing_in={"age": ("98",), "q": ()}))
    assert table["age"].to_list() == [34, -9, None, 51]
    assert table["q"].to_list() == [1, 8, 9, 2]
    assert table["s"].to_list() == ["a", None, "b", "a"]


def test_inspect_proposes_what_is_declared(survey: Path) -> None:
    table, found, known = read_detected(survey, ReadOptions())
    assert table["q"].to_list() == [1, None, None, 2]
    told = {name: set(found.options.codes_of(name)) for name in ("age", "q", "s")}
    assert told["age"] >= {"-9"}
    assert told["q"] >= {"8", "9"}
    assert known.label("age") == "Age at interview"
    assert known.kind("q") == "category"
    assert dict(known.values("q")) == {"1": "yes", "2": "no"}


def test_what_a_file_tells_beside_its_cells_is_strange_in_a_release(survey: Path) -> None:
    told = " ".join(format_of(survey).strangers(survey))
    for word in ("notes", "label of its own", "declares codes"):
        assert word in told
    labels = {"q": {1: "yes", 5: "nobody"}}
    pyreadstat.write_sav(pl.DataFrame({"q": [1.0]}), str(survey), variable_value_labels=labels)
    assert "labels values of 'q' that no cell has" in " ".join(format_of(survey).strangers(survey))


def test_labels_go_from_source_to_release(survey: Path, tmp_path: Path) -> None:
    frame = pl.DataFrame({"q": [1.0, 2.0] * 20 + [7.0], "name": ["n"] * 41})
    pyreadstat.write_sav(
        frame,
        str(survey),
        column_labels={"q": "Question", "name": "Full name"},
        variable_value_labels={"q": {1: "yes", 2: "no", 7: "the only one who said so"}},
    )
    schema = ny.Schema({"q": ny.quasi(), "name": ny.identifying()})
    for form in ("sav", "dta"):
        out = tmp_path / form
        release = ny.publish(
            survey,
            schema,
            privacy=ny.KAnonymity(k=5),
            method=ny.OptimalLattice(suppression=0.1),
            output=ny.Output(format=form),
            out=out,
        )
        known = format_of(out / f"release.{form}").described(out / f"release.{form}")
        assert known.label("q") == "Question"
        assert dict(known.values("q")) == {"1": "yes", "2": "no"}
        written = b"".join(path.read_bytes() for path in out.iterdir())
        for secret in (b"the only one", b"Full name"):
            assert secret not in written
        assert release.certificate["columns"][0]["label"] == "Question"
        assert ny.check(out).holds


# -- what cannot be


@pytest.mark.parametrize("form", [*FORMS, "sas7bdat"])
@pytest.mark.parametrize("keep", [0.5, 0.9])
def test_damaged_files_are_refused(form: str, keep: float, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    if form == "sas7bdat":
        content = format_of(path).signature.start + b"\0" * 5000
    else:
        write_table(pl.concat([TABLE] * 50), path)
        content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])
    try:
        table = read_table(path)
    except (FileError, TableError):
        return
    assert form == "xpt"  # whose records have no number: a shorter file is a shorter table
    assert table.height < 200


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"two words": [1]}, "a name that .sav takes"),
        ({"a": ["x "]}, "spaces at its end"),
        ({"a": [[1, 2]]}, "one value per cell"),
        ({"x" * 70: [1]}, "a name that .sav takes"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(table: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=says):
        write_table(pl.DataFrame(table), tmp_path / "t.sav")
    assert not list(tmp_path.iterdir())


def test_a_file_that_unpacks_beyond_measure_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.zsav"
    write_table(pl.DataFrame({"a": [1] * 50_000}), path)
    monkeypatch.setattr("nymity.io.statistical.PARQUET_CELLS", 100)
    monkeypatch.setattr("nymity.io.statistical.PARQUET_CELLS_A_BYTE", 1)
    with pytest.raises(TableError, match=r"at most .* cells"):
        read_table(path)


@pytest.mark.parametrize("form", FORMS)
def test_bytes_are_a_function_of_cells(form: str, tmp_path: Path) -> None:
    """Whoever gets a file must not learn when it was written: the clock has a part in no byte."""
    import time

    pages = []
    for number in range(2):
        path = tmp_path / f"{number}.{form}"
        write_table(TABLE, path)
        pages.append(path.read_bytes())
        now = int(time.time())
        while int(time.time()) == now:  # the formats tell seconds
            time.sleep(0.05)
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("forms", "cell", "told"),
    [
        (FORMS, "a\0b", "without NUL characters"),  # which ended the cell
        (["sav", "zsav", "xpt"], "a" * 40_000, "at most 32,767 bytes"),  # of 65,536 none were left in .xpt
        (["xpt"], 1e75, "range of such files"),  # which became infinite
        (["xpt"], 1e-78, "range of such files"),  # which became 0
        (["xpt"], float("inf"), "range of such files"),
    ],
)
def test_what_would_be_changed_is_refused(forms: list[str], cell: Any, told: str, tmp_path: Path) -> None:
    for form in forms:
        with pytest.raises(TableError, match=told):
            write_table(pl.DataFrame({"a": [cell, None]}), tmp_path / f"t.{form}")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", FORMS)
def test_what_is_just_held_comes_back(form: str, tmp_path: Path) -> None:
    table = pl.DataFrame({"text": ["ü" * 16_383, "b"], "number": [-1e74, 1e-77]})
    write_table(table, tmp_path / f"t.{form}")
    assert read_table(tmp_path / f"t.{form}").equals(table)
