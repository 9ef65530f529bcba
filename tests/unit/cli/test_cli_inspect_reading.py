"""``nymity inspect`` on files as they come: what cells mean goes into the job, and the job reads the table so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest
from typer.testing import CliRunner, Result

from nymity.cli.main import app
from nymity.database.address import Address
from nymity.database.session import Session
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.job_tables import load_source
from nymity.table.hierarchy import Hierarchy

N = 120


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def german_hospital(folder: Path) -> Path:
    rows = [
        f"{1000 + i};{'mw'[i % 2]};{['-9', 'k.A.'][i // 40 % 2] if i % 40 == 7 else 20 + i % 60};I1{i % 9}.0;"
        f"{1 + i % 9}.{i % 10}34,{i % 10}0;{1 + i % 28:02}.0{1 + i % 9}.2020;0{1067 + i % 5};Müller"
        for i in range(N)
    ]
    path = folder / "krankenhaus.csv"
    text = "Fallnr;Geschlecht;Alter;Hauptdiagnose;Kosten;Aufnahme;PLZ;Name\r\n" + "\r\n".join(rows) + "\r\n"
    path.write_bytes(text.encode("cp1252"))
    return path


def eu_silc(folder: Path) -> Path:
    """As R's write.csv has it."""
    rows = [
        f'"{i}",{20 + i % 50},"{["male", "female"][i % 2]}",{"NA" if i % 30 == 3 else round(1000.5 + 37.25 * i, 2)},'
        f"{'NA' if i % 11 == 0 else f'{i % 5}'},{250 + i / 7:.4f}"
        for i in range(1, N)
    ]
    path = folder / "eusilc.csv"
    path.write_text('"","age","rb090","eqIncome","pl030","rb050"\n' + "\n".join(rows) + "\n")
    return path


def stroke(folder: Path) -> Path:
    rows = [
        f"{9000 + i},{['Male', 'Female', 'Other'][i % 3]},{float(20 + i % 60)},{80 + i % 99}.{i % 10}5,"
        f"{'N/A' if i % 20 == 5 else f'{20 + i % 15}.{i % 10}'},{['smokes', 'Unknown'][i % 2]},{i % 2}"
        for i in range(N)
    ]
    path = folder / "stroke.csv"
    path.write_text("id,gender,age,avg_glucose_level,bmi,smoking_status,stroke\n" + "\n".join(rows) + "\n")
    return path


def dutch_census(folder: Path) -> Path:
    path = folder / "census.sav"
    frame = pl.DataFrame(
        {
            "age": [float(4 + i % 12) for i in range(N)],
            "cur_eco_activity": [[111.0, 122.0, 999.0, 138.0][i % 4] for i in range(N)],
        }
    )
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels={"age": "Leeftijd", "cur_eco_activity": "Economische activiteit"},
        variable_value_labels={"cur_eco_activity": {111: "Landbouw", 122: "Industrie", 138: "Handel", 999: "Onbekend"}},
        missing_ranges={"cur_eco_activity": [999]},
    )
    return path


def compas(folder: Path) -> Path:
    rows = [
        f"{'' if i % 15 == 0 else f'{1 + i % 12:02}/{1 + i % 28:02}/{1950 + i % 50}'},"
        f"2013-08-{13 + i % 9} 06:03:{i % 60:02},"
        f"{i % 11},{-1 if i % 9 == 0 else i % 300}"
        for i in range(N)
    ]
    path = folder / "compas.csv"
    path.write_text("dob,c_jail_in,priors_count,days_b_screening_arrest\n" + "\n".join(rows) + "\n")
    return path


JOURNEYS: dict[str, tuple[Callable[[Path], Path], dict[str, str], dict[str, Any]]] = {
    "German hospital": (
        german_hospital,
        {"Alter": "Int64", "Kosten": "Float64", "Aufnahme": "Date", "PLZ": "String", "Fallnr": "Int64"},
        {"encoding": "cp1252", "decimal": ",", "thousands": ".", "dates": "%d.%m.%Y"},
    ),
    "EU-SILC": (
        eu_silc,
        {"row_names": "Int64", "age": "Int64", "eqIncome": "Float64", "pl030": "Int64", "rb050": "Float64"},
        {"missing": ("NA",)},
    ),
    "stroke": (
        stroke,
        {"age": "Int64", "avg_glucose_level": "Float64", "bmi": "Float64", "smoking_status": "String"},
        {"missing": ("N/A",)},
    ),
    "Dutch census": (dutch_census, {"age": "Int64", "cur_eco_activity": "Int64"}, {"missing": ("999",)}),
    "COMPAS": (
        compas,
        {"dob": "Date", "c_jail_in": "Datetime", "priors_count": "Int64", "days_b_screening_arrest": "Int64"},
        {},
    ),
}


@pytest.mark.parametrize("name", JOURNEYS)
def test_the_job_reads_the_table_as_it_is_meant(name: str, tmp_path: Path) -> None:
    make, types, stated = JOURNEYS[name]
    path = make(tmp_path)
    done = run("inspect", str(path), "--job", str(tmp_path / "job.toml"))
    assert done.exit_code == 0, done.output
    job = Job.load(tmp_path / "job.toml")
    assert job.source is not None
    for field, value in stated.items():
        assert getattr(job.source, field) == value
    table = load_source(job)
    assert {column: str(table.schema[column].base_type()) for column in types} == types


def test_codes_of_a_hospital_are_missing(tmp_path: Path) -> None:
    path = german_hospital(tmp_path)
    told = run("inspect", str(path), "--job", str(tmp_path / "job.toml"))
    assert "'-9'" in told.output
    assert "k.A." in told.output
    assert load_source(Job.load(tmp_path / "job.toml"))["Alter"].null_count() == 3


def test_labels_and_codes_come_from_a_dictionary(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("sex,age\n" + "1,99\n2,34\n9,51\n" * 20)
    (tmp_path / "d.csv").write_text(
        "column,label,values,missing\nsex,Sex of the patient,1=male;2=female,9\nage,Age,,99\n"
    )
    arguments = ["inspect", str(tmp_path / "t.csv"), "--dictionary", str(tmp_path / "d.csv")]
    told = run(*arguments, "--job", str(tmp_path / "job.toml"))
    assert "Sex of the patient" in told.output
    assert "declared as missing" in told.output.replace("\n", " ")
    source = Job.load(tmp_path / "job.toml").source
    assert source is not None
    assert set(source.missing) == {"9", "99"}
    plain = json.loads(run(*arguments, "--json").stdout)
    assert plain["columns"][0]["label"] == "Sex of the patient"
    assert {one["value"] for one in plain["reading"]} == {"9", "99"}


def test_what_is_unsure_is_asked(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("seen\n" + "01/02/2020\n03/04/2021\n" * 20)
    told = run("inspect", str(tmp_path / "t.csv"), "--header", "--job", str(tmp_path / "job.toml"))
    assert "please decide" in told.output
    assert "# PLEASE DECIDE: dates '%d/%m/%Y'" in (tmp_path / "job.toml").read_text()


def test_options_state_what_cells_mean(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b\n" + "1,5;01/02/2020\nx;03/04/2021\n" * 20)
    arguments = ["--missing", "x", "--missing", "-9", "--decimal", ",", "--dates", "%m/%d/%Y", "--header"]
    done = run("inspect", str(tmp_path / "t.csv"), *arguments, "--job", str(tmp_path / "job.toml"))
    assert done.exit_code == 0, done.output
    table = load_source(Job.load(tmp_path / "job.toml"))
    assert [str(dtype) for dtype in table.dtypes] == ["Float64", "Date"]
    assert table["b"][0].month == 1


def test_an_answer_about_one_column_leaves_the_reading_of_others(tmp_path: Path) -> None:
    path = german_hospital(tmp_path)
    (tmp_path / "answers.toml").write_text('[columns]\nKosten = { role = "sensitive", missing = ["0,00"] }\n')
    done = run("inspect", str(path), "--answers", str(tmp_path / "answers.toml"), "--job", str(tmp_path / "job.toml"))
    assert done.exit_code == 0, done.output
    source = Job.load(tmp_path / "job.toml").source
    assert source is not None
    assert set(source.missing) == {"-9", "k.A."}
    assert source.missing_in == {"Kosten": ("0,00",)}
    assert load_source(Job.load(tmp_path / "job.toml"))["Alter"].null_count() == 3


def test_columns_that_a_dictionary_alone_has_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("sex,age\n" + "1,99\n2,34\n2,51\n" * 20)
    (tmp_path / "d.csv").write_text("column,label\nSex,Sex\nnope,Not there\n")
    arguments = ["inspect", str(tmp_path / "t.csv"), "--dictionary", str(tmp_path / "d.csv")]
    assert "does not have: nope" in run(*arguments).output
    assert json.loads(run(*arguments, "--json").stdout)["described_elsewhere"] == ["nope"]
    (tmp_path / "d.csv").write_text("column,label\nnope,Not there\n")
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert "a dictionary of the columns of the table" in " ".join(refused.output.split())


def occupations(folder: Path, short: list[int]) -> Path:
    codes = [2211, 5120, 9112, 2212, 2221, 2222, 3111, 3112, 4110, 5111, *short]
    path = folder / "work.csv"
    path.write_text("isco08,sex\n" + "".join(f"{codes[i % len(codes)]},{'mf'[i // 7 % 2]}\n" for i in range(300)))
    return path


def test_zeros_that_codes_lost_are_put_back_and_said(tmp_path: Path) -> None:
    told = run("inspect", str(occupations(tmp_path, [110, 310])), "--job", str(tmp_path / "job.toml"))
    assert "they lost the zero" in " ".join(told.output.split())
    assert "zeros put back" not in told.output  # which is what is asked
    attribute = Job.load(tmp_path / "job.toml").schema["isco08"]
    assert attribute.hierarchy == Hierarchy.isco_08(digits=4)


def test_zeros_that_codes_may_have_lost_are_asked_and_decided(tmp_path: Path) -> None:
    path = occupations(tmp_path, [221, 110])
    told = run("inspect", str(path), "--job", str(tmp_path / "job.toml"))
    assert "Please decide" in told.output
    assert "PLEASE DECIDE: codes of 3 digits (110, 221) stand among codes of 4" in (tmp_path / "job.toml").read_text()
    (tmp_path / "answers.toml").write_text('[columns.isco08]\nrole = "quasi"\nhierarchy = { type = "isco-08" }\n')
    again = run("inspect", str(path), "--answers", str(tmp_path / "answers.toml"), "--job", str(tmp_path / "new.toml"))
    assert again.exit_code == 0, again.output
    assert "PLEASE DECIDE" not in (tmp_path / "new.toml").read_text()


def test_levels_that_change_nothing_are_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,sex\n" + "".join(f"{20 + 10 * (i % 5)},{'mf'[i % 2]}\n" for i in range(200)))
    fields = 'hierarchy = { type = "intervals", width = 10, levels = 3 }'
    (tmp_path / "answers.toml").write_text(f'[columns.age]\nrole = "quasi"\n{fields}\n')
    arguments = ["inspect", str(tmp_path / "t.csv"), "--answers", str(tmp_path / "answers.toml")]
    told = run(*arguments, "--job", str(tmp_path / "job.toml"))
    assert "level 1 of the hierarchy changes nothing in column 'age'" in " ".join(told.output.split())
    assert "# Levels that change nothing in this table: 1." in (tmp_path / "job.toml").read_text()
    assert json.loads(run(*arguments, "--json").stdout)["columns"][0]["idle_levels"] == [1]


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_table_of_a_database_is_inspected_and_published(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "jobs").mkdir()
    monkeypatch.chdir(tmp_path)
    url = f"{kind}:///data/people.db"
    with Session(Address.of("test", url), "test") as session:
        session.run("create table people (age integer, sex text)")
        rows = ", ".join(f"({20 + i % 50}, '{'mf'[i % 2]}')" for i in range(400))
        session.run(f"insert into people values {rows}")
        session.commit()
    done = run("inspect", url, "--table", "people", "--job", "jobs/job.toml")
    assert done.exit_code == 0, done.output
    assert "400 records, 2 columns" in done.output
    assert 'url = "' + kind + ':///../data/people.db"' in Path("jobs/job.toml").read_text()
    done = run("publish", "jobs/job.toml", "--out", "release", "--no-report")
    assert done.exit_code == 0, done.output
    done = run("inspect", url, "--query", "select age from people where sex = 'm'", "--json")
    assert json.loads(done.stdout)["records"] == 200
    Path("jobs/source.toml").write_text(f'[source]\nurl = "{kind}:///../data/people.db"\ntable = "people"\n')
    done = run("inspect", "jobs/source.toml", "--json")
    assert json.loads(done.stdout)["records"] == 400


def test_what_a_database_cannot_be_told_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'p.db'}"
    with Session(Address.of("test", url), "test") as session:
        session.run("create table people (age integer)")
        session.commit()
    for arguments, words in (
        ([url, "--table", "people", "--header-row", "2"], "--header-row: expected no such option"),
        ([url, "--table", "people", "--encoding", "utf-8"], "--encoding: expected no such option"),
        (
            [url],
            'either a table or a query, got neither try: table = "patients", or query = "select ..."; on the command',
        ),
        (
            [str(tmp_path / "p.db"), "--table", "people"],
            "--table or --query",
        ),  # and the URL, which is broken into lines
        (["t.csv", "--table", "people"], "URL of a database"),
    ):
        refused = run("inspect", *arguments)
        assert refused.exit_code == 2
        assert words in " ".join(refused.output.split())


def test_a_file_that_names_the_source_says_how_it_is_read(tmp_path: Path) -> None:
    path = german_hospital(tmp_path)
    (tmp_path / "source.toml").write_text(f'[source]\npath = "{path.name}"\nmissing = ["-9"]\n')
    done = run("inspect", str(tmp_path / "source.toml"), "--job", str(tmp_path / "job.toml"))
    assert done.exit_code == 0, done.output
    source = Job.load(tmp_path / "job.toml").source
    assert source is not None
    assert source.missing == ("-9",)  # what is stated is not added to
    assert source.decimal == ","
