"""k-map and delta-presence from end to end: Python, job files and the command line, certificates and checks."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from samples import multiset
from typer.testing import CliRunner, Result

import nymity as ny
from checking import checked
from nymity.cli.main import app
from nymity.core.errors import FileError, InputError, JobError, NoSolutionError, ParameterError, TableError
from nymity.io import RELEASED
from nymity.publishing.sealing.fingerprint import fingerprint

REGISTER = pl.DataFrame(
    {
        "name": [f"Person {i}" for i in range(120)],
        "age": [20 + i * 7 % 40 for i in range(120)],
        "sex": ["female" if i % 3 else "male" for i in range(120)],
    }
)
#: Every fourth person, and two who stand out in their town.
PATIENTS = REGISTER[[*range(0, 120, 4), 1, 2]].with_columns(
    pl.Series("illness", [("flu", "cold", "none")[i % 3] for i in range(32)])
)
ROLES = {
    "name": ny.identifying(),
    "age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=4)),
    "sex": ny.quasi(),
    "illness": ny.sensitive(),
}
SCHEMA = ny.Schema(ROLES)
FIVE = ny.KMap(k=5, population=REGISTER)
HIDDEN = ny.DeltaPresence(low=0.1, high=0.5, subset=PATIENTS)
METHOD = ny.OptimalLattice(suppression=0.1)


def mapped(**options: Any) -> ny.Release:
    return ny.publish(PATIENTS, SCHEMA, **({"privacy": [FIVE], "method": METHOD} | options))


def hidden(**options: Any) -> ny.Release:
    return ny.publish(REGISTER, SCHEMA, **({"privacy": [HIDDEN], "method": METHOD} | options))


# -- Python ----------------------------------------------------------------------------------------------------------


def test_k_map_asks_less_than_k_anonymity() -> None:
    release, stricter = mapped(), mapped(privacy=[ny.KAnonymity(k=5)])
    assert release.loss < stricter.loss
    assert release.frame.columns == ["age", "sex", "illness"]
    assert release.frame.height == PATIENTS.height
    (finding,) = release.certificate["measured"]["models"]
    assert finding["holds"]
    assert finding["k"] >= 5
    assert release.certificate["measured"]["smallest_class"] < 5


def test_only_the_subset_is_published() -> None:
    release = hidden()
    assert release.frame.columns == ["age", "sex", "illness"]
    assert release.frame.height == PATIENTS.height
    (finding,) = release.certificate["measured"]["models"]
    assert 0.1 <= finding["low"] <= finding["high"] <= 0.5
    assert set(release.log.source_rows.tolist()) == set(range(PATIENTS.height))


def test_a_suppressed_record_is_one_of_the_people_outside() -> None:
    """5 of 10 are published; the rest, 2 of 4 people, may be masked or removed, but 0 of 2 may not."""
    roles = ny.Schema({"town": ny.quasi(level=0), "id": ny.insensitive()})
    people = ["A"] * 10 + ["B", "B"] + ["C", "C"]
    subset = pl.DataFrame({"town": ["A"] * 5 + ["B", "B"], "id": range(7)})
    model = ny.DeltaPresence(low=0.3, high=0.6, subset=subset)
    for outliers, height in (("mask", 7), ("remove", 5)):
        method = ny.OptimalLattice(suppression=0.3, outliers=outliers)  # type: ignore[arg-type]
        release = ny.publish({"town": people}, roles, privacy=model, method=method)
        assert release.frame.height == height
        assert release.suppressed == 2
        (finding,) = release.certificate["measured"]["models"]
        assert (finding["low"], finding["high"]) == (0.5, 0.5)
    with pytest.raises(NoSolutionError):  # all four of them are suppressed beside nobody: 2 of 2
        ny.publish({"town": people[:-2]}, roles, privacy=model, method=ny.OptimalLattice(suppression=0.3))


@pytest.mark.parametrize("outliers", ["mask", "remove"])
@pytest.mark.parametrize("model", [FIVE, HIDDEN], ids=["k-map", "presence"])
def test_beside_other_models(model: Any, outliers: Any) -> None:
    method = ny.OptimalLattice(suppression=0.2, outliers=outliers)
    privacy = [model, ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="illness")]
    release = (mapped if model is FIVE else hidden)(privacy=privacy, method=method)
    assert release.verification.holds
    assert all(finding["holds"] for finding in release.certificate["measured"]["models"])


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "pyarrow", "dict"])
def test_any_kind_of_frame(kind: str) -> None:
    made = {
        "polars": lambda frame: frame,
        "lazy": lambda frame: frame.lazy(),
        "pandas": lambda frame: frame.to_pandas(),
        "pyarrow": lambda frame: frame.to_arrow(),
        "dict": lambda frame: frame.to_dict(as_series=False),
    }[kind]
    assert mapped(privacy=[ny.KMap(k=5, population=made(REGISTER))]).frame.equals(mapped().frame)
    subset = ny.DeltaPresence(low=0.1, high=0.5, subset=made(PATIENTS))
    assert hidden(privacy=[subset]).frame.equals(hidden().frame)


def test_the_order_of_either_table_does_not_matter() -> None:
    backwards = ny.publish(PATIENTS[::-1], SCHEMA, privacy=[ny.KMap(k=5, population=REGISTER[::-1])], method=METHOD)
    assert backwards.frame.equals(mapped().frame)
    subset = ny.DeltaPresence(low=0.1, high=0.5, subset=PATIENTS[::-1])
    assert ny.publish(REGISTER[::-1], SCHEMA, privacy=[subset], method=METHOD).frame.equals(hidden().frame)


def test_the_population_of_itself_is_k_anonymity() -> None:
    one, other = mapped(privacy=[ny.KMap(k=3, population=PATIENTS)]), mapped(privacy=[ny.KAnonymity(k=3)])
    assert one.levels == other.levels
    assert one.frame.equals(other.frame)


def test_values_of_the_population_alone_are_in_the_hierarchies() -> None:
    """The oldest patient is younger than the oldest person; floats and integers are the same numbers."""
    everyone = pl.concat([REGISTER, REGISTER.with_columns(pl.col("age") + 40)])
    release = mapped(privacy=[ny.KMap(k=5, population=everyone.cast({"age": pl.Float64}))])
    assert "99" in release.recoding.hierarchies["age"].index
    assert ny.compare(PATIENTS, release).losses[0].value == pytest.approx(release.loss)


def test_awkward_names_gaps_and_types() -> None:
    days = [dt.datetime(2020, 1, 1 + i % 3, 12) for i in range(12)]
    people = pl.DataFrame({"^x$": ["*a", None, "", "null"] * 3, "*": days, "b": [True, False, None] * 4})
    roles = ny.Schema({"^x$": ny.quasi(), "*": ny.quasi(), "b": ny.quasi()})
    sample = people[:7]
    for output in ("csv", "parquet", "xlsx"):
        release = ny.publish(sample, roles, privacy=ny.KMap(k=1, population=people), output=ny.Output(format=output))  # type: ignore[arg-type]
        assert release.levels == {"^x$": 0, "*": 0, "b": 0}
        assert release.certificate["measured"]["models"][0]["k"] == 1


def test_gaps_follow_the_schema_in_both_tables() -> None:
    people = {"a": ["x", "x", "y", None, None], "b": [1] * 5}
    sample = {"a": ["x", "y", None], "b": [1] * 3}
    for missing, records, least in (("category", 3, 1), ("drop", 2, 1)):
        roles = ny.Schema({"a": ny.quasi(missing=missing, level=0), "b": ny.quasi()})  # type: ignore[arg-type]
        release = ny.publish(sample, roles, privacy=ny.KMap(k=1, population=people))
        assert len(release.table["a"]) == records
        assert release.certificate["measured"]["models"][0]["k"] == least
    roles = ny.Schema({"a": ny.quasi(missing="error"), "b": ny.quasi()})
    with pytest.raises(TableError, match=r"population, column 'a': expected no missing values .*, got 2 of them"):
        ny.publish({"a": ["x"], "b": [1]}, roles, privacy=ny.KMap(k=1, population=people))


# -- the example of the paper ----------------------------------------------------------------------------------------


def test_the_example_of_nergiz_atzori_and_clifton() -> None:
    """Table 1 and its (1/2, 2/3)-present generalization: 3 of 6 Americans, 2 of 3 Europeans."""
    public = pl.DataFrame(
        {
            "zip": ["47906", "47903", "47906", "47630", "47630", "47633", "48973", "48972", "48970"],
            "age": [35, 59, 42, 18, 22, 63, 33, 47, 52],
            "nationality": ["USA", "Canada", "USA", "Brazil", "Brazil", "Peru", "Spain", "Bulgaria", "France"],
        }
    )
    tree = {"America": ["USA", "Canada", "Brazil", "Peru"], "Europe": ["Spain", "Bulgaria", "France"]}
    roles = ny.Schema(
        {
            "zip": ny.quasi(ny.Hierarchy.masking(), level=3),
            "age": ny.quasi(level=1),
            "nationality": ny.quasi(ny.Hierarchy.taxonomy(tree=tree), level=1),
        }
    )
    private = public[[1, 2, 5, 7, 8]]
    model = ny.DeltaPresence(low=0.5, high=0.666666667, subset=private)
    release = ny.publish(public, roles, privacy=model, method=ny.OptimalLattice())
    assert multiset(release.frame) == {("47***", "*", "America"): 3, ("48***", "*", "Europe"): 2}
    assert release.certificate["measured"]["models"] == [
        {"model": "delta-presence", "holds": True, "low": 0.5, "high": 2 / 3}
    ]
    for low, high in ((0.5, 0.666666666), (0.500000001, 0.7)):
        stricter = ny.DeltaPresence(low=low, high=high, subset=private)
        with pytest.raises(NoSolutionError):
            ny.publish(public, roles, privacy=stricter, method=ny.OptimalLattice())


# -- certificate and check -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", RELEASED)
@pytest.mark.parametrize("k", [1, 2])
def test_a_written_release_is_verified_beside_the_population(k: int, form: Any, tmp_path: Path) -> None:
    """Ages are numbers where nothing is suppressed, and become text where a row is masked."""
    roles = ny.Schema(ROLES | {"age": ny.quasi(ROLES["age"].hierarchy, level=0), "sex": ny.quasi(level=0)})
    release = ny.publish(
        PATIENTS,
        roles,
        privacy=ny.KMap(k=k, population=REGISTER),
        method=ny.OptimalLattice(suppression=0.6),
        output=ny.Output(format=form),
        out=tmp_path / "r",
    )
    assert (release.frame["age"].dtype == pl.Int64) == (k == 1)
    assert ny.check(
        ny.open(
            tmp_path / "r" / f"release.{form}",
            recoding=tmp_path / "r-custodian" / "recoding.json",
            job=release.job,
            certificate=tmp_path / "r" / "certificate.json",
        )
    ).holds


def test_certificates_tell_no_path_and_no_person(tmp_path: Path) -> None:
    REGISTER.write_csv(tmp_path / "register.csv")
    PATIENTS.write_csv(tmp_path / "patients.csv")
    beside = ny.publish(
        tmp_path / "patients.csv", SCHEMA, privacy=ny.KMap(k=5, population=tmp_path / "register.csv"), method=METHOD
    )
    inside = ny.publish(
        tmp_path / "register.csv",
        SCHEMA,
        privacy=ny.DeltaPresence(low=0.1, high=0.5, subset=tmp_path / "patients.csv"),
        method=METHOD,
    )
    for release, field, file in ((beside, "population", "register.csv"), (inside, "subset", "patients.csv")):
        text = json.dumps(release.certificate)
        assert str(tmp_path) not in text
        assert "Person" not in text
        assert release.certificate["promised"][0][field] == file
        assert release.certificate["job"]["privacy"][0][field] == file
        assert release.certificate["input"]["records"] == PATIENTS.height
        population = release.certificate["population"]
        assert population == {
            "file": "register.csv",
            "records": 120,
            "salted_sha256": fingerprint(REGISTER, salt=release.log.salt),
        }
    assert "population" not in mapped(privacy=[ny.KAnonymity(k=2)]).certificate
    assert set(mapped().certificate["population"]) == {"records", "salted_sha256"}
    assert mapped().certificate["promised"][0]["population"] == "(a table in memory)"


def test_a_check_without_the_population_says_so(tmp_path: Path) -> None:
    release = mapped(out=tmp_path / "r")
    for given in (
        {"certificate": tmp_path / "r" / "certificate.json"},
        {"job": release.job},
        {"certificate": release.certificate, "recoding": release.recoding},
    ):
        found = checked(release.frame, **given)
        assert found.answer == "cannot be seen"
        assert found.problems == ()
        assert "the job that names it and the recoding" in found.promises[0].why
    assert ny.check(ny.open(release.table, recoding=release.recoding, job=release.job)).holds


def test_a_check_notices_other_tables() -> None:
    release = mapped()
    against = {"job": release.job, "recoding": release.recoding}
    finer = release.frame.with_columns(pl.lit("20 to under 21").alias("age"))
    assert not checked(finer, **against).holds
    fewer = ny.KMap(k=5, population=REGISTER.head(60))
    other = ny.Job(schema=SCHEMA, privacy=(fewer,), method=METHOD)
    result = checked(release.frame, certificate=release.certificate, **(against | {"job": other}))
    assert not result.holds
    assert any("population of 120 records, the one given has 60" in problem for problem in result.problems)
    odd = release.certificate | {"population": "everyone"}
    with pytest.raises(InputError, match="certificate, population"):
        checked(release.frame, certificate=odd, **against)


def test_a_check_counts_who_is_published() -> None:
    release = hidden()
    against = {"job": release.job, "recoding": release.recoding, "source": REGISTER}
    assert checked(release.frame, **against).holds
    twice = checked(pl.concat([release.frame, release.frame]), **against).verification.findings[0]
    assert twice.measured["high"] == 2 * release.certificate["measured"]["models"][0]["high"]
    assert not twice.holds


def test_measuring_a_table_alone_tells_nothing() -> None:
    models = ny.measure(mapped().table, SCHEMA).models
    assert models["k-map"] == {"": {"k": None}}
    assert models["delta-presence"] == {"": {"low": None, "high": None}}


# -- job files and the command line ----------------------------------------------------------------------------------

JOB = """
[source]
path = "data/{source}.csv"

[schema]
name = {{ role = "identifying" }}
age = {{ role = "quasi", hierarchy = {{ type = "intervals", width = 5, levels = 4 }} }}
sex = {{ role = "quasi" }}
illness = {{ role = "sensitive" }}

[[privacy]]
{model}

[method]
name = "optimal-lattice"
suppression = 0.1
"""
MODELS = {
    "k-map": ("patients", 'model = "k-map"\nk = 5\npopulation = "data/register.csv"'),
    "delta-presence": (
        "register",
        'model = "delta-presence"\nlow = 0.1\nhigh = 0.5\nsubset = "data/patients.csv"',
    ),
}


def nymity(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tables and a job for each model, run from another folder."""
    (tmp_path / "project" / "data").mkdir(parents=True)
    REGISTER.write_csv(tmp_path / "project" / "data" / "register.csv")
    PATIENTS.write_csv(tmp_path / "project" / "data" / "patients.csv")
    for key, (source, model) in MODELS.items():
        (tmp_path / "project" / f"{key}.toml").write_text(JOB.format(source=source, model=model))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "project"


@pytest.mark.parametrize("key", MODELS)
def test_job_files_give_what_python_gives(key: str, project: Path) -> None:
    release = ny.publish(ny.Job.load(project / f"{key}.toml"))
    assert release.frame.equals((mapped if key == "k-map" else hidden)().frame)
    assert str(project) not in json.dumps(release.certificate)


@pytest.mark.parametrize("key", MODELS)
def test_the_command_line_publishes_checks_and_compares(key: str, project: Path) -> None:
    job = str(project / f"{key}.toml")
    done = nymity("publish", job, "--out", "r")
    assert done.exit_code == 0, done.output
    assert ny.read_table("r/release.csv").height == PATIENTS.height
    stated = json.loads(Path("r/certificate.json").read_text())
    assert stated["population"]["file"] == "register.csv"
    alone = nymity("check", "r/release.csv")
    assert alone.exit_code == 4
    assert "it is about a population" in " ".join(alone.output.split())
    certified = ("check", "r/release.csv", "--job", job, "--certificate", "r/certificate.json")
    for more in ((), ("--recoding", "r-custodian"), ("--recoding", "r-custodian/recoding.json")):
        done = nymity(*certified, *more, "--json")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["holds"]
    Path("r-custodian").rename("elsewhere")
    assert nymity(*certified).exit_code == 4
    compared = nymity("compare", str(project / "data" / "patients.csv"), "r/release.csv", "--job", job, "--json")
    assert compared.exit_code == 0, compared.output
    losses = {loss["key"]: loss["value"] for loss in json.loads(compared.stdout)["measured"]}
    told = stated["loss"]["value"]
    assert told is None if key == "delta-presence" else losses["loss"] == pytest.approx(told)


def test_a_stricter_setting_on_the_command_line(project: Path) -> None:
    job = str(project / "k-map.toml")
    done = nymity("publish", job, "--out", "r", "--set", "privacy[0].k=20", "--json", "--no-report")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["certificate"]["measured"]["models"][0]["k"] >= 20


def test_a_release_never_replaces_a_second_table(project: Path) -> None:
    (project / "data" / "release.csv").write_bytes((project / "data" / "register.csv").read_bytes())
    changed = ("--set", f"privacy[0].population={project / 'data' / 'release.csv'}")
    done = nymity("publish", str(project / "k-map.toml"), "--out", str(project / "data"), *changed)
    assert done.exit_code == 2
    assert "does not replace its source" in " ".join(done.output.split())
    with pytest.raises(ParameterError, match="does not replace its source"):
        mapped(privacy=[ny.KMap(k=5, population=project / "data" / "release.csv")], out=project / "data")
    assert ny.read_table(project / "data" / "release.csv").equals(REGISTER)


@pytest.mark.parametrize("key", ["k-map", "delta-presence"])
def test_a_second_file_is_read_like_the_source(key: str, tmp_path: Path) -> None:
    """German numbers, dates, and codes for missing: -9 is no age, in neither table."""

    def written(name: str, numbers: range) -> None:
        rows = [
            f"{20 + i % 20 if i % 11 else -9};{1 + i % 3:02}.05.{1960 + i % 2};{1 + i % 4}.000,50;{'fm'[i % 2]};-9"
            for i in numbers
        ]
        (tmp_path / name).write_text("\n".join(["alter;tag;lohn;sex;befund", *rows]) + "\n", encoding="utf-8")

    written("alle.csv", range(600))
    written("einige.csv", range(0, 600, 3))
    source, model = (
        ("einige.csv", 'model = "k-map"\nk = 4\npopulation = "alle.csv"')
        if key == "k-map"
        else ("alle.csv", 'model = "delta-presence"\nlow = 0.05\nhigh = 0.9\nsubset = "einige.csv"')
    )
    (tmp_path / "job.toml").write_text(
        f"""
        [source]
        path = "{source}"
        missing_in = {{ alter = ["-9"], befund = ["0"] }}
        decimal = ","
        thousands = "."
        dates = "%d.%m.%Y"
        [schema]
        tag = {{ role = "quasi", hierarchy = {{ type = "dates", levels = ["month", "year"] }} }}
        lohn = {{ role = "quasi", hierarchy = {{ type = "intervals", width = 1000, levels = 3 }} }}
        sex = {{ role = "quasi" }}
        befund = {{ role = "sensitive" }}
        [schema.alter]
        role = "quasi"
        hierarchy = {{ type = "intervals", width = 10, levels = 2 }}
        [[privacy]]
        {model}
        """.replace("        ", ""),
        encoding="utf-8",
    )
    job = ny.Job.load(tmp_path / "job.toml")
    release = ny.publish(job, out=tmp_path / "r")
    assert release.frame.height == 200
    again = ny.publish(replace(job, privacy=tuple(_with_frame(model, tmp_path) for model in job.privacy)))
    assert again.levels == release.levels
    assert multiset(again.frame) == multiset(release.frame)
    result = ny.check(
        ny.open(tmp_path / "r", job=tmp_path / "job.toml"), source=ny.Job.load(tmp_path / "job.toml").source.read()
    )
    assert result.holds, result.findings


def _with_frame(model: Any, folder: Path) -> Any:
    """The same model with its table read by hand."""
    name = "alle.csv" if model.key == "k-map" else "einige.csv"
    reading = ny.ReadOptions(
        missing_in={"alter": ["-9"], "befund": ["0"]}, decimal=",", thousands=".", dates="%d.%m.%Y"
    )
    return replace(model, **{model.second_table: ny.read_table(folder / name, reading)})


def test_a_frame_does_not_fit_into_a_job_file() -> None:
    with pytest.raises(JobError, match=r"k-map\.population: expected a path, .*, got a table in memory"):
        mapped().job.to_dict()


# -- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("population", "told"),
    [
        (REGISTER.head(0), r"k-map\.population: expected at least one record, got an empty table"),
        (REGISTER.drop("age"), r"population: expected the quasi-identifiers 'age', 'sex', got no column 'age'"),
        (REGISTER.rename({"sex": "Sex"}), r"no column 'sex'. Try: did you mean 'Sex'\?"),
        (REGISTER.with_columns(pl.col("age").cast(pl.String)), r"population, column 'age': expected numbers.*got text"),
        (REGISTER.with_columns(pl.lit(True).alias("sex")), r"population, column 'sex': expected text.*got Boolean"),
        (REGISTER.with_columns(pl.lit([1]).alias("sex")), r"population, column 'sex': expected one number"),
        (REGISTER.head(30), r"got \d+ of 32 records that are missing there"),
        (REGISTER.with_columns(pl.lit(None).alias("age")), r"32 of 32 records .* told by the values of 'age' alone"),
        ({"age": [1, 2], "sex": ["m"]}, "columns of equal length"),
    ],
)
def test_populations_that_do_not_fit(population: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        mapped(privacy=[ny.KMap(k=2, population=population)])


def test_a_subset_that_is_none() -> None:
    strange = PATIENTS.with_columns(pl.when(pl.col("age") == 20).then(19).otherwise("age").alias("age"))
    with pytest.raises(TableError, match=r"delta-presence\.subset: expected every record of the subset in the source"):
        hidden(privacy=[ny.DeltaPresence(low=0, high=1, subset=strange)])
    with pytest.raises(InputError, match="no column 'illness'"):
        hidden(privacy=[ny.DeltaPresence(low=0, high=1, subset=PATIENTS.drop("illness"))])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        mapped(privacy=[ny.KMap(k=2, population=tmp_path / "nothing.csv")])


def test_models_of_several_populations_are_refused() -> None:
    with pytest.raises(JobError, match=r"one population, got k-map with population .* and delta-presence with subset"):
        mapped(privacy=[FIVE, HIDDEN])
    with pytest.raises(JobError, match="one population"):
        mapped(privacy=[FIVE, ny.KMap(k=2, population=PATIENTS)])
    assert mapped(privacy=[FIVE, replace(FIVE, k=2)]).frame.equals(mapped().frame)


def test_a_presence_job_without_a_source_cannot_be_checked() -> None:
    release = hidden()
    with pytest.raises(JobError, match="a path to the table"):
        ny.check(ny.open(release.frame, recoding=release.recoding, job=release.job))
