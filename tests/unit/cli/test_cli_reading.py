"""Commands that look at tables: inspect, check, measure, compare, apply, hierarchy, schema."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

from nymity.io import Dictionary, WriteOptions, format_of, write_table
from nymity.io.dictionary import Entry
from nymity.publishing.jobs.job import Job
from nymity.table.hierarchy import Hierarchy

Run = Callable[..., Result]


# -- inspect ---------------------------------------------------------------------------------------------------


def test_inspect_shows_columns_roles_and_uniqueness(folder: Path, nymity: Run) -> None:
    done = nymity("inspect", "people.csv")
    assert done.exit_code == 0
    assert "people.csv: 60 records, 4 columns" in done.stdout
    for words in ("identifying", "quasi", "sensitive", "'name' in its name", "unique in", "nymity inspect people.csv"):
        assert words in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    found = json.loads(nymity("inspect", "people.csv", "--json").stdout)
    assert [column["distinct"] for column in found["columns"]] == [60, 40, 2, 4]
    assert found["job"] is None


def test_the_starter_job_runs_from_wherever_it_lies(folder: Path, nymity: Run) -> None:
    done = nymity("inspect", "people.csv", "--job", "jobs/mine.toml", "--k", "3")
    assert done.exit_code == 0, done.output
    assert 'path = "../people.csv"' in (folder / "jobs/mine.toml").read_text(encoding="utf-8")
    assert Job.load(folder / "jobs/mine.toml").privacy[0].k == 3  # type: ignore[attr-defined]
    ran = nymity("publish", "jobs/mine.toml", "--out", "release", "--no-report", "--set", "method.suppression=1")
    assert ran.exit_code == 0, ran.output


def test_a_starter_job_overwrites_only_by_force(folder: Path, nymity: Run) -> None:
    before = (folder / "job.toml").read_bytes()
    done = nymity("inspect", "people.csv", "--job", "job.toml")
    assert done.exit_code == 2
    assert "--force" in done.stderr
    assert (folder / "job.toml").read_bytes() == before
    assert nymity("inspect", "people.csv", "--job", "job.toml", "--force").exit_code == 0
    assert (folder / "job.toml").read_bytes() != before


def test_how_a_file_was_read_goes_into_the_starter_job(folder: Path, nymity: Run) -> None:
    (folder / "odd.csv").write_bytes("town;age\n".encode("cp1250") + "Łódź;30\nBrno;40\n".encode("cp1250"))
    done = nymity("inspect", "odd.csv", "--encoding", "cp1250", "--delimiter", ";", "--header", "--job", "odd.toml")
    assert done.exit_code == 0, done.output
    source = Job.load(folder / "odd.toml").source
    assert source is not None
    assert (source.encoding, source.delimiter, source.header) == ("cp1250", ";", True)
    assert source.path == str(folder / "odd.csv") or Path(source.path).name == "odd.csv"


def test_names_that_look_like_markup_or_control_the_terminal(folder: Path, nymity: Run) -> None:
    pl.DataFrame({"[bold]x[/bold]": ["a"] * 3, "[/]": ["b"] * 3, "c\x1b[31m": ["d"] * 3}).write_csv(folder / "odd.csv")
    done = nymity("inspect", "odd.csv", "--header")
    assert done.exit_code == 0
    assert "[bold]x[/bold]" in done.stdout
    assert "[/]" in done.stdout
    assert "\x1b" not in done.stdout


# -- check -----------------------------------------------------------------------------------------------------


def test_check_finds_the_certificate_beside_the_release(published: Path, nymity: Run) -> None:
    done = nymity("check", "release/release.csv")
    assert done.exit_code == 0, done.output
    assert "Everything holds, with 1 warning." in done.stdout
    assert "4-anonymity" in done.stdout
    found = json.loads(nymity("check", "release/release.csv", "--json").stdout)
    assert found["holds"] is True
    assert found["problems"] == []
    assert found["checked_against"] == {"job": None, "certificate": "release/certificate.json", "key": None}


def test_check_against_a_job_ignores_the_certificate(published: Path, nymity: Run) -> None:
    (published / "release/certificate.json").write_text("broken")
    assert nymity("check", "release/release.csv", "--job", "job.toml").exit_code == 0
    assert nymity("check", "release/release.csv").exit_code == 2


def test_a_tampered_release_is_found_out(published: Path, nymity: Run) -> None:
    path = published / "release/release.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), encoding="utf-8")
    done = nymity("check", "release/release.csv")
    assert done.exit_code == 1
    assert "problem: the certificate states 57 records, the table has 56" in done.stdout


def test_a_broken_promise(published: Path, nymity: Run) -> None:
    done = nymity("check", "people.csv", "--job", "job.toml")
    assert done.exit_code == 1
    assert "A promise is broken." in done.stdout
    assert "identifying column 'name' is in the release" in done.stdout
    found = json.loads(nymity("check", "people.csv", "--job", "job.toml", "--json").stdout)
    assert [finding["answer"] for finding in found["findings"][:2]] == ["does not hold"] * 2
    assert nymity("check", "people.csv", "--job", "job.toml", "--quiet").output == ""


def test_masked_rows_are_one_of_the_classes(folder: Path, nymity: Run) -> None:
    rows = ["age,sex,illness", *["20-29,male,flu", "20-29,male,cold"] * 2, "*,*,flu", "*,*,cold"]
    (folder / "masked.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = nymity("check", "masked.csv", "--job", "job.toml")
    assert done.exit_code == 1
    told = " ".join(done.stdout.split())
    assert "6 records in 2 classes" in told
    assert "2 masked rows (every quasi-identifier is '*'): one of these classes" in told
    assert "the masked rows alone break it" in told


@pytest.mark.parametrize("command", ["measure", "risk"])
def test_there_is_one_reading_of_masked_rows(folder: Path, nymity: Run, command: str) -> None:
    (folder / "masked.csv").write_text("age\n20-29\n20-29\n*\n", encoding="utf-8")
    assert nymity(command, "masked.csv", "--quasi", "age", "--strict").exit_code == 2
    done = nymity(command, "masked.csv", "--quasi", "age")
    assert "1 row with every quasi-identifier masked: one of the classes" in " ".join(done.stdout.split())


# -- measure and compare ---------------------------------------------------------------------------------------


def test_measure_by_job_and_by_names(published: Path, nymity: Run) -> None:
    released = json.loads(nymity("measure", "release/release.csv", "--job", "job.toml", "--json").stdout)
    assert released["models"]["k-anonymity"][""]["k"] >= 4
    assert released["quasi"] == ["age", "sex"]
    raw = nymity("measure", "people.csv", "--quasi", "age, sex", "--sensitive", "illness", "--json")
    by_job = nymity("measure", "people.csv", "--job", "job.toml", "--json")
    assert json.loads(raw.stdout) == json.loads(by_job.stdout)
    shown = nymity("measure", "people.csv", "--quasi", "age")
    assert "(none is sensitive)" in shown.stdout
    assert "k = 1" in shown.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "either --job or --quasi, got neither"),
        (("--job", "job.toml", "--quasi", "age"), "got both"),
        (("--quasi", "agee"), "did you mean 'age'?"),
        (("--quasi", ","), "at least one column"),
        (("--quasi", "age", "--sensitive", "age"), "columns that are not in --quasi"),
    ],
)
def test_measure_needs_roles(folder: Path, nymity: Run, options: tuple[str, ...], words: str) -> None:
    done = nymity("measure", "people.csv", *options)
    assert done.exit_code == 2
    assert words in done.stderr


def test_the_source_is_read_as_the_job_says(folder: Path, people: pl.DataFrame, nymity: Run) -> None:
    people.write_csv(folder / "people.csv", separator=";")
    assert nymity("publish", "job.toml", "--out", "release", "--no-report").exit_code == 0
    assert nymity("measure", "people.csv", "--job", "job.toml").exit_code == 0
    assert nymity("compare", "people.csv", "release/release.csv", "--job", "job.toml").exit_code == 0


def test_compare_shows_every_loss_and_metric(published: Path, nymity: Run) -> None:
    from nymity.publishing.comparing.metrics import METRICS
    from nymity.quality import LOSSES

    done = nymity("compare", "people.csv", "release/release.csv", "--job", "job.toml")
    assert done.exit_code == 0, done.output
    assert all(key in done.stdout for key in (*LOSSES, *METRICS))
    assert re.search(r"^mutual-information .* ↑", done.stdout, re.MULTILINE)
    assert "█" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    found = json.loads(nymity("compare", "people.csv", "release/release.csv", "--job", "job.toml", "--json").stdout)
    assert [measured["key"] for measured in found["measured"]] == [*LOSSES, *METRICS]
    assert set(found["attribute_loss"]) == {"age", "sex"}


def test_compare_shows_how_far_metrics_can_be_trusted(published: Path, nymity: Run) -> None:
    from nymity.quality.trust import measured_trust

    arguments = ("compare", "people.csv", "release/release.csv", "--job", "job.toml")
    printed = nymity(*arguments).stdout
    known = measured_trust()
    for key in ("granularity", "loss", "discernibility"):
        assert re.search(rf"^{key} .* {known[key].overall.rate:.0%}$", printed, re.MULTILINE)
    told = " ".join(printed.split())
    assert "A coin picks 50%" in told
    assert "by the literature's encoding" in told
    answer = json.loads(nymity(*arguments, "--json").stdout)
    picks = answer["picks"]
    assert answer["picks_encoding"] == "joined"
    assert picks["loss"]["rate"] == known["loss"].overall.rate
    assert "learnability" not in picks  # of the study alone


# -- apply -----------------------------------------------------------------------------------------------------


def test_apply_publishes_new_rows_without_a_certificate(published: Path, nymity: Run) -> None:
    arguments = ("apply", "release-custodian/recoding.json", "people.csv", "--out", "new/rows.csv", "--force")
    done = nymity(*arguments, "--export-mapping", "mapping.csv")
    assert done.exit_code == 0, done.output
    assert "60 rows in, 57 out, 0 of them masked, 3 removed" in done.stdout  # as in the release
    assert "Checked as a release of their own, and no certificate was written" in done.stdout
    assert nymity("check", "new/rows.csv", "--job", "job.toml").exit_code == 0
    assert pl.read_csv(published / "mapping.csv").columns == ["column", "value", "level", "published"]
    found = json.loads(nymity(*arguments, "--json").stdout)
    assert found["certified"] is False
    assert (found["rows_out"], found["checked"], found["holds"]) == (57, True, True)
    assert found["promises"][0]["measured"]["k"] >= 4


def test_apply_and_values_it_does_not_know(published: Path, nymity: Run) -> None:
    (published / "new.csv").write_text("name,age,sex,illness\nA,20,other,flu\nB,21,male,flu\n", encoding="utf-8")
    arguments = ("apply", "release-custodian/recoding.json", "new.csv", "--out", "rows.csv", "--force")
    done = nymity(*arguments, "--unseen", "error")
    assert done.exit_code == 2
    assert "--unseen mask" in done.stderr
    assert not (published / "rows.csv").exists()
    done = nymity(*arguments)
    assert done.exit_code == 1  # a promise is broken, whoever says what was promised
    assert "values that nobody had before and that fall into no published cell: 'sex' in 1 row" in done.stdout
    assert "Checked as a release of their own: they are none" in done.stdout
    asked = nymity(*arguments, "--job", "job.toml", "--json")
    assert asked.exit_code == 1
    assert json.loads(asked.stdout)["holds"] is False
    (published / "elsewhere").mkdir()
    (published / "release-custodian/recoding.json").rename(published / "elsewhere/recoding.json")
    alone = nymity("apply", "elsewhere/recoding.json", "new.csv", "--out", "rows.csv", "--force")
    assert "Not checked: no job and no release was given" in alone.stdout
    (published / "elsewhere/recoding.json").rename(published / "release-custodian/recoding.json")
    masked = nymity(*arguments, "--unseen", "mask", "--outliers", "mask", "--json")
    assert json.loads(masked.stdout)["masked"] >= 1
    removed = nymity(*arguments, "--unseen", "mask", "--outliers", "remove", "--json")
    assert json.loads(removed.stdout)["rows_out"] < 2
    assert nymity(*arguments, "--unseen", "guess").exit_code == 2


def test_apply_writes_as_the_release_is_written(folder: Path, nymity: Run, people: pl.DataFrame) -> None:
    costs = people.with_columns(cost=pl.int_range(60) + 0.5).rename({"illness": "Größe"})
    text = costs.write_csv(separator=";", decimal_comma=True)
    (folder / "people.csv").write_text(text, encoding="cp1252")
    job = (folder / "job.toml").read_text(encoding="utf-8").replace('"illness"', '"Größe"')
    job = job.replace("illness =", '"Größe" =')
    job = job.replace("[source]", '[source]\ndecimal = ","') + '\n[schema.cost]\nrole = "insensitive"\n'
    (folder / "job.toml").write_text(job, encoding="utf-8")
    assert nymity("publish", "job.toml", "--out", "release", "--no-report").exit_code == 0
    done = nymity("apply", "release-custodian", "people.csv", "--out", "rows.csv")
    assert done.exit_code == 0, done.output
    released = (folder / "release/release.csv").read_text(encoding="cp1252").splitlines()
    applied = (folder / "rows.csv").read_text(encoding="cp1252").splitlines()
    assert "Größe" in applied[0]
    assert sorted(applied) == sorted(released)
    assert nymity("check", "rows.csv", "--job", "job.toml").exit_code == 0
    (folder / "job.toml").unlink()
    (folder / "release").rename(folder / "elsewhere")  # nothing says how the release is written
    alone = nymity("apply", "release-custodian", "people.csv", "--out", "again.csv")
    assert alone.exit_code == 0, alone.output
    assert (folder / "again.csv").read_text(encoding="cp1252").splitlines()[0] == applied[0]


def test_apply_keeps_labels(folder: Path, nymity: Run, people: pl.DataFrame) -> None:
    pytest.importorskip("pyreadstat")
    labels = Dictionary({"illness": Entry(label="Main illness", values={"flu": "Influenza", "x": "of nobody"})})
    write_table(people, folder / "people.sav", WriteOptions(dictionary=labels))
    job = (folder / "job.toml").read_text(encoding="utf-8").replace("people.csv", "people.sav")
    (folder / "job.toml").write_text(job, encoding="utf-8")
    assert nymity("publish", "job.toml", "--out", "release", "--no-report").exit_code == 0
    assert nymity("apply", "release-custodian", "people.sav", "--out", "rows.sav").exit_code == 0
    known = format_of(folder / "rows.sav").described(folder / "rows.sav")
    assert known.label("illness") == "Main illness"
    assert dict(known.values("illness")) == {"flu": "Influenza"}


def test_apply_does_not_overwrite_what_it_reads(published: Path, nymity: Run) -> None:
    before = (published / "people.csv").read_bytes()
    done = nymity("apply", "release-custodian/recoding.json", "people.csv", "--out", "./people.csv")
    assert done.exit_code == 2
    assert (published / "people.csv").read_bytes() == before


# -- hierarchy and schema --------------------------------------------------------------------------------------


def test_what_hierarchy_says_to_put_into_a_job_is_read_back(folder: Path, nymity: Run) -> None:
    name = 'age "in years".\\ [x] = 1'
    pl.DataFrame({name: list(range(40))}).write_csv(folder / "odd.csv")
    done = nymity("hierarchy", "--column", name, "odd.csv", "--header")
    assert done.exit_code == 0, done.output
    said = tomllib.loads(done.stdout.partition("In a job file:\n")[2])
    answer = json.loads(nymity("hierarchy", "--column", name, "odd.csv", "--header", "--json").stdout)
    assert said == {"schema": {name: {"hierarchy": answer["specification"]}}}


def test_hierarchy_is_suggested_saved_and_drawn(folder: Path, nymity: Run) -> None:
    done = nymity("hierarchy", "--column", "age", "people.csv", "--save", "age.csv")
    assert done.exit_code == 0, done.output
    assert '  [schema.age.hierarchy]\n  type = "file"\n  path = "age.csv"\n' in done.stdout
    saved = Hierarchy.read(folder / "age.csv")
    assert saved.domain_size == 40
    drawn = nymity("hierarchy", "age.csv")
    assert drawn.exit_code == 0
    assert "└──" in drawn.stdout
    assert nymity("hierarchy", "age.csv", "--branches", "1").stdout.count("… 1 more") >= 1
    found = json.loads(nymity("hierarchy", "age.csv", "--json").stdout)
    assert found["rows"] == saved.rows()
    assert found["level_sizes"] == [len(labels) for labels in saved.labels]
    again = nymity("hierarchy", "--column", "age", "people.csv", "--save", "age.csv")
    assert again.exit_code == 2
    assert "--force" in again.stderr


def test_hierarchy_says_what_it_recognised_and_which_levels_change_nothing(folder: Path, nymity: Run) -> None:
    codes = [f"{letter}{number}.{digit}" for letter in "JK" for number in (20, 21, 30, 35, 40) for digit in (0, 1)]
    pl.DataFrame({"illness": codes}).write_csv(folder / "ill.csv")
    done = nymity("hierarchy", "--column", "illness", "ill.csv")
    assert "20 of 20 different values are ICD-10 codes such as 'J45.0'" in done.stdout
    assert 'type = "icd-10"' in done.stdout
    assert "chapter" in done.stdout
    assert "changes nothing" not in done.stdout
    flat = nymity("hierarchy", "--column", "illness", "ill.csv", "--kind", "text", "--json")
    assert json.loads(flat.stdout)["specification"]["type"] == "icd-10"
    Hierarchy.icd_10().build(pl.Series(["J45.0", "I10"])).save(folder / "idle.csv")
    drawn = nymity("hierarchy", "idle.csv")
    assert "levels 1, 2 and 3 of the hierarchy change nothing" in drawn.stdout
    assert json.loads(nymity("hierarchy", "idle.csv", "--json").stdout)["idle_levels"] == [1, 2, 3]


def test_hierarchy_of_what_a_column_is_said_to_hold(folder: Path, nymity: Run) -> None:
    pl.DataFrame({"x": list(range(20, 60))}).write_csv(folder / "x.csv")
    kinds = {None: "intervals", "code": "masking", "ages": "ages"}
    for kind, builder in kinds.items():
        said = [] if kind is None else ["--kind", kind]
        found = json.loads(nymity("hierarchy", "--column", "x", "x.csv", *said, "--json").stdout)
        assert found["specification"]["type"] == builder
    assert found["level_names"] == ["5 years", "10 years", "20 years"]
    wrong = nymity("hierarchy", "--column", "x", "x.csv", "--kind", "agess")
    assert wrong.exit_code == 2
    assert "did you mean 'ages'?" in wrong.stderr
    assert nymity("hierarchy", "x.csv", "--kind", "code").exit_code == 2


def test_publish_points_out_levels_that_change_nothing(folder: Path, nymity: Run) -> None:
    pl.DataFrame({"illness": ["J45.0", "I10"] * 5}).write_csv(folder / "ill.csv")
    (folder / "ill.toml").write_text(
        '[source]\npath = "ill.csv"\n[schema]\nillness = { role = "quasi", hierarchy = { type = "icd-10" } }\n'
        '[[privacy]]\nmodel = "k-anonymity"\nk = 2\n[method]\nname = "optimal-lattice"\n'
    )
    done = nymity("publish", "ill.toml", "--out", "ill")
    assert done.exit_code == 0, done.output
    assert "note: levels 1, 2 and 3 of the hierarchy change nothing in column 'illness'" in done.stderr


def test_hierarchy_of_an_unknown_column(folder: Path, nymity: Run) -> None:
    done = nymity("hierarchy", "--column", "agee", "people.csv")
    assert done.exit_code == 2
    assert "did you mean 'age'?" in done.stderr
    assert nymity("hierarchy", "people.csv", "--save", "x.csv").exit_code == 2
    assert "--column" in nymity("hierarchy", "people.csv").stderr


def test_schema_is_json(nymity: Run) -> None:
    assert json.loads(nymity("schema").stdout)["title"] == "nymity job"
    assert nymity("schema").stdout == nymity("schema", "--json").stdout
    assert nymity("schema", "--quiet").stdout == ""


# -- apply: a split ----------------------------------------------------------------------------------------------


def test_a_split_into_rows_to_learn_from_and_to_test_on(folder: Path, nymity: Run) -> None:
    """Ages of the second part that the first lacks are published in its cells; one that lies in none is counted."""
    lines = "\n".join(f"{20 + 2 * (i % 20)},{'fm'[i % 2]}" for i in range(80))
    (folder / "train.csv").write_text(f"age,sex\n{lines}\n", encoding="utf-8")
    (folder / "test.csv").write_text("age,sex\n" + "25,f\n" * 5 + "27,m\n" * 5 + "99,f\n", encoding="utf-8")
    (folder / "split.toml").write_text(
        'source = "train.csv"\n[schema.age]\nrole = "quasi"\nhierarchy = {type = "intervals", width = 10, levels = 2}\n'
        '[schema.sex]\nrole = "quasi"\n[[privacy]]\nmodel = "k-anonymity"\nk = 5\n',
        encoding="utf-8",
    )
    assert nymity("publish", "split.toml", "--out", "learned", "--no-report").exit_code == 0
    done = nymity("apply", "learned-custodian", "test.csv", "--out", "tested.csv", "--outliers", "remove", "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert (said["rows_out"], said["unseen"], said["holds"]) == (10, {"age": 1}, True)
    assert set(pl.read_csv(folder / "tested.csv")["age"]) == {"20-29"}
