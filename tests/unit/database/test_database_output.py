"""Releases as tables of a database: what is there afterwards is the whole release, or nothing of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import DatabaseError, FileError, InputError, JobError, PromiseError
from nymity.core.journal import journal_of
from nymity.database import TableWriter
from nymity.database.session import Session
from postgres import GUEST, Server

Execute = Callable[..., None]
SCHEMA = ny.Schema({"name": ny.identifying(), "age": ny.quasi(), "town": ny.quasi(), "illness": ny.sensitive()})


def people(records: int = 60, *, illness: str = "flu cold gout") -> pl.DataFrame:
    words = illness.split()
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(records)],
            "age": [20 + i % 5 for i in range(records)],
            "town": [("Ulm", "Köln", 'a "b"')[i % 3] for i in range(records)],
            "illness": [words[i % len(words)] for i in range(records)],
        }
    )


def job(url: str, **fields: Any) -> ny.Job:
    named = {name: fields.pop(name) for name in ("table", "mode", "schema", "repeat") if name in fields}
    output = {"table": "people of 2020", **named}
    return ny.Job(
        schema=SCHEMA,
        privacy=fields.pop("privacy", (ny.KAnonymity(k=2),)),
        method=fields.pop("method", ny.SortedGroups()),
        output=ny.DatabaseOutput(url=url, **output),
        **fields,
    )


def made(described: ny.Job, table: pl.DataFrame | None = None) -> ny.Release:
    from nymity.publishing.running.run import Run

    return Run(described, people() if table is None else table).release()


def rows(url: str, table: str = "people of 2020") -> int:
    return ny.DatabaseSource(url=url, table=table).read().height


def tables(url: str) -> set[str]:
    kind = url.partition(":")[0]
    query = {
        "postgresql": "SELECT table_name::text AS n FROM information_schema.tables WHERE table_schema = 'public'",
        "duckdb": "SELECT table_name AS n FROM information_schema.tables",
        "sqlite": "SELECT name AS n FROM sqlite_master WHERE type = 'table'",
    }[kind]
    try:
        return set(ny.DatabaseSource(url=url, query=query).read()["n"])
    except DatabaseError:  # no file yet
        return set()


def whole(release: ny.Release, tmp_path: Path, url: str, **options: Any) -> None:
    """Write a release and check it as its recipients would."""
    release.save(tmp_path / "r", **options)
    assert ny.check(ny.open(tmp_path / "r", url=url)).problems == ()


# -- what is written ---------------------------------------------------------------------------------------------------


def test_a_release_is_written_and_checked_again(url: str, tmp_path: Path) -> None:
    release = made(job(url))
    certificate = release.save(tmp_path / "r")
    assert certificate["output"]["database"]["table"] == "people of 2020"
    assert "file" not in certificate["output"]
    assert "files" not in certificate
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == ["certificate.json"]
    opened = ny.open(tmp_path / "r", url=url)
    assert opened.table.shape == (60, 3)
    assert ny.check(opened).holds
    assert opened.log is not None
    assert opened.links is not None
    assert tables(url) == {"people of 2020", "nymity_releases"}


def test_the_page_for_recipients_says_how_to_check_a_table(tmp_path: Path) -> None:
    from nymity.report import write_about

    url = f"duckdb:///{tmp_path / 'a.duckdb'}"
    made(job(url)).save(tmp_path / "r", further_files=write_about)
    assert "nymity check certificate.json --url duckdb://..." in (tmp_path / "r" / "about.html").read_text()
    assert ny.check(ny.open(tmp_path / "r" / "certificate.json", url=url)).holds


def test_neither_certificate_nor_log_says_where_to_connect(server: Server, tmp_path: Path) -> None:
    """Whoever gives you a certificate must not choose where your credentials go."""
    made(job(server.url(server.new_database()))).save(tmp_path / "r")
    for path in (*(tmp_path / "r").iterdir(), *(tmp_path / "r-custodian").glob("*.json")):
        text = path.read_text()
        assert "owner" not in text
        assert str(server.folder) not in text
    with pytest.raises(JobError, match=r"output\.url: expected the URL of the database.*--url"):
        ny.open(tmp_path / "r")


def test_columns_are_commented_with_what_they_are(server: Server, tmp_path: Path) -> None:
    database = server.new_database()
    made(job(server.url(database))).save(tmp_path / "r")
    query = """SELECT a.attname::text, col_description(a.attrelid, a.attnum) FROM pg_attribute a
        WHERE a.attrelid = '"people of 2020"'::regclass AND a.attnum > 0 ORDER BY a.attnum"""
    found = dict(server.run(query, database=database))
    assert found == {
        "age": "quasi-identifier, generalized",
        "town": "quasi-identifier, generalized",
        "illness": "sensitive",
    }


def test_names_are_quoted(url: str, tmp_path: Path) -> None:
    name = 'x"; DROP TABLE "nymity_releases"; -- ? $1 %s'
    table = people().rename({"town": 'to"wn; ?', "age": "a'ge $1"})
    schema = ny.Schema(
        {"name": ny.identifying(), "a'ge $1": ny.quasi(), 'to"wn; ?': ny.quasi(), "illness": ny.sensitive()}
    )
    described = replace(job(url, table=name), schema=schema)
    release = made(described, table)
    release.save(tmp_path / "r")
    assert ny.check(ny.open(tmp_path / "r", url=url)).holds
    assert tables(url) == {name, "nymity_releases"}


@pytest.mark.parametrize("method", ["buckets", "lattice"])
def test_two_tables_are_written_together(url: str, tmp_path: Path, method: str) -> None:
    table = people()
    if method == "buckets":
        model = ny.FPrivacy(thresholds={"*": 0.7}, attribute="illness")
        described = job(url, privacy=(model,), method=ny.Buckets(), mode="replace")
        whole(made(described, table), tmp_path, url)
        assert tables(url) == {"people of 2020", "people of 2020_sensitive", "nymity_releases"}
        made(job(url, mode="replace")).save(tmp_path / "r", force=True)  # one table in place of two
    else:
        described = job(url, method=ny.OptimalLattice(), mode="replace")
        whole(made(described, table), tmp_path, url)
    assert tables(url) == {"people of 2020", "nymity_releases"}
    assert ny.check(ny.open(tmp_path / "r", url=url)).holds


def test_a_job_file_publishes_from_one_database_to_another(url: str, execute: Execute, tmp_path: Path) -> None:
    execute("CREATE TABLE patients (age integer, town text, illness text)")
    values = ", ".join(f"({20 + i % 4}, '{'ab'[i % 2]}', '{'xyz'[i % 3]}')" for i in range(48))
    execute(f"INSERT INTO patients VALUES {values}")
    (tmp_path / "job.toml").write_text(
        f"""[source]\nurl = "{url}"\ntable = "patients"
        [schema]\nage = {{ role = "quasi" }}\ntown = {{ role = "quasi" }}\nillness = {{ role = "sensitive" }}
        [[privacy]]\nmodel = "k-anonymity"\nk = 3
        [output]\nurl = "{url}"\ntable = "released"\n""".replace("        ", "")
    )

    def cli(*arguments: object) -> Result:
        return CliRunner().invoke(app, [*map(str, arguments)])

    done = cli("publish", tmp_path / "job.toml", "--out", tmp_path / "r", "--no-report")
    assert done.exit_code == 0, done.output
    assert "table released" in " ".join(done.output.split())
    checked = cli("check", tmp_path / "r", "--job", tmp_path / "job.toml")
    assert checked.exit_code == 0, checked.output
    assert cli("check", tmp_path / "r", "--url", url).exit_code == 0
    assert "owner" not in done.output + checked.output


# -- modes -------------------------------------------------------------------------------------------------------------


def test_create_refuses_a_table_that_is_there_before_any_work(url: str, execute: Execute, tmp_path: Path) -> None:
    execute('CREATE TABLE "people of 2020" (x integer)', 'INSERT INTO "people of 2020" VALUES (1)')
    with pytest.raises(DatabaseError, match="expected no table of this name yet, got a table 'people of 2020'"):
        ny.publish(job(url, source=ny.Source(path="nowhere.csv")), out=tmp_path / "r")
    with pytest.raises(DatabaseError, match="expected no table of this name yet"):
        made(job(url)).save(tmp_path / "r")
    assert rows(url) == 1
    assert not (tmp_path / "r").exists()
    assert not (tmp_path / "r-custodian").exists()


def test_a_table_is_not_named_like_one_of_a_schema(url: str, execute: Execute, tmp_path: Path) -> None:
    """Whoever writes ``wards.people`` where there are wards means these, and not a table of this name in the first."""
    schema = "main" if url.startswith("sqlite") else "wards"
    if schema == "main":
        made(job(url, table="wards.before")).save(tmp_path / "before")
    else:
        execute("CREATE SCHEMA wards")
    with pytest.raises(
        DatabaseError, match=rf"got '{schema}\.people', which begins with a schema. Try: table = 'people'"
    ):
        made(job(url, table=f"{schema}.people")).save(tmp_path / "r")
    assert not (tmp_path / "r").exists()
    made(job(url, table="people", schema=None if schema == "main" else schema)).save(tmp_path / "s")
    assert ny.check(ny.open(tmp_path / "s", url=url)).holds


@pytest.mark.parametrize("mode", ["replace", "append"])
def test_tables_of_others_are_never_changed(url: str, execute: Execute, tmp_path: Path, mode: str) -> None:
    execute('CREATE TABLE "people of 2020" (x integer)', 'INSERT INTO "people of 2020" VALUES (1)')
    with pytest.raises(DatabaseError, match="which nymity_releases does not list"):
        made(job(url, mode=mode)).save(tmp_path / "r")
    made(job(url, table="other")).save(tmp_path / "r")
    with pytest.raises(DatabaseError, match="which nymity_releases does not list"):
        made(job(url, mode=mode)).save(tmp_path / "s")
    assert rows(url) == 1


@pytest.mark.parametrize("mode", ["replace", "append"])
def test_a_table_of_others_that_took_a_listed_name_is_spared(
    url: str, execute: Execute, tmp_path: Path, mode: str
) -> None:
    made(job(url, mode=mode)).save(tmp_path / "r")
    execute(
        'DROP TABLE "people of 2020"',
        'CREATE TABLE "people of 2020" (x integer)',
        'INSERT INTO "people of 2020" VALUES (1)',
    )
    with pytest.raises(DatabaseError, match="other columns or another number of rows"):
        made(job(url, mode=mode)).save(tmp_path / "r", force=True)
    assert rows(url) == 1


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_what_is_replaced_is_not_left_in_a_file(kind: str, tmp_path: Path) -> None:
    url, file = f"{kind}:///{tmp_path / 'a.db'}", tmp_path / "a.db"
    made(job(url, table="other", mode="append")).save(tmp_path / "o")
    made(job(url, table="other", mode="append"), people(45)).save(tmp_path / "p")
    for illness in ("vanished", "flu"):
        table = people(3000, illness=f"{illness} cold gout")
        made(job(url, mode="replace"), table).save(tmp_path / "r", force=True)
        file.chmod(0o640)
    assert b"vanished" not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o640
    for folder in ("r", "p"):
        assert ny.check(ny.open(tmp_path / folder, url=url)).holds
    assert not list(tmp_path.glob(".nymity*db*"))


def test_what_is_replaced_in_a_schema_is_not_left_in_a_file(tmp_path: Path) -> None:
    import duckdb

    file = tmp_path / "a.db"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE SCHEMA rel")
    described = job(f"duckdb:///{file}", mode="replace", schema="rel")
    for illness in ("vanished", "flu"):
        made(described, people(3000, illness=f"{illness} cold gout")).save(tmp_path / "r", force=True)
    assert b"vanished" not in file.read_bytes()
    assert ny.check(ny.open(tmp_path / "r", url=f"duckdb:///{file}")).holds


def test_nothing_is_left_to_be_written_beside_a_new_file(tmp_path: Path) -> None:
    """Whoever dies right after the file was put in its place leaves one that can be opened."""
    import duckdb

    program = """
import os, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
import nymity.database.duckdb as kind
from test_database_output import job, made, people
file = sys.argv[1]
made(job(f"duckdb:///{file}", mode="replace"), people(3000)).save(Path(file).parent / "r")
put = os.replace
def die(old, new):
    put(old, new)
    if str(new) == file:
        os._exit(9)
os.replace = die
made(job(f"duckdb:///{file}", mode="replace"), people(2500)).save(Path(file).parent / "r", force=True)
"""
    file = (tmp_path / "a.db").resolve()
    tests = Path(__file__).resolve().parents[2]
    died = subprocess.run(
        [sys.executable, "-c", program, str(file), str(Path(__file__).parent), str(tests)], check=False
    )
    assert died.returncode == 9
    with duckdb.connect(str(file)) as connection:
        assert connection.execute('SELECT count(*) FROM "people of 2020"').fetchall() == [(2500,)]


def test_a_file_with_tables_of_others_is_not_written_anew(tmp_path: Path) -> None:
    import duckdb

    file = tmp_path / "a.db"
    for statement in ("CREATE TABLE own (x integer)", "CREATE VIEW seen AS SELECT 1 AS x", "CREATE SEQUENCE counted"):
        with duckdb.connect(str(file)) as connection:
            connection.execute(statement)
        made(job(f"duckdb:///{file}", mode="replace")).save(tmp_path / "r", force=True)
        before = file.stat().st_ino
        made(job(f"duckdb:///{file}", mode="replace"), people(30)).save(tmp_path / "r", force=True)
        assert file.stat().st_ino == before
        with duckdb.connect(str(file)) as connection:
            connection.execute("DROP " + statement.removeprefix("CREATE ").split(" (")[0].split(" AS ")[0])


def test_a_file_that_cannot_be_written_anew_keeps_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nymity.database import duckdb

    url = f"duckdb:///{tmp_path / 'a.db'}"
    made(job(url, mode="replace")).save(tmp_path / "r")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(duckdb, "flush", full)
    with pytest.warns(UserWarning, match="what was replaced may still lie in the file"):
        made(job(url, mode="replace"), people(30)).save(tmp_path / "r", force=True)
    assert rows(url) == 30
    assert ny.check(ny.open(tmp_path / "r", url=url)).holds
    assert not list(tmp_path.glob(".nymity*db*"))


def test_replace_leaves_the_new_release_alone(url: str, tmp_path: Path) -> None:
    made(job(url, mode="replace")).save(tmp_path / "r")
    release = made(job(url, mode="replace"), people(30))
    release.save(tmp_path / "r", force=True)
    assert rows(url) == 30
    assert ny.check(ny.open(tmp_path / "r", url=url)).holds
    assert len(ny.DatabaseSource(url=url, table="nymity_releases").read()) == 1


def test_batches_and_the_whole_table_keep_the_promise(url: str, tmp_path: Path) -> None:
    for number, size in enumerate((60, 30, 45)):
        release = made(job(url, mode="append"), people(size))
        assert "batches-can-be-subtracted" in {one.key for one in release.warnings}
        release.save(tmp_path / f"r{number}")
    assert rows(url) == 135
    stated = json.loads((tmp_path / "r2" / "certificate.json").read_text())
    assert (stated["output"]["records"], stated["output"]["database"]["whole"]["records"]) == (45, 135)
    result = ny.check(ny.open(tmp_path / "r2", url=url))
    assert result.problems == ()
    assert result.holds
    grown = ny.check(ny.open(tmp_path / "r1", url=url))  # the certificate of a batch before
    assert any("the whole table, with all its batches, is not the one" in says for says in grown.problems)


def test_a_batch_that_breaks_the_promise_of_the_whole_is_refused(url: str, tmp_path: Path) -> None:
    """Each batch has the same share of values in all its classes; together they have not."""
    promise = (ny.TCloseness(t=0.1, attribute="illness", distance="equal"),)
    one = people(60, illness="flu").with_columns(age=pl.lit(20))
    other = people(60, illness="gout").with_columns(age=pl.lit(70))
    made(job(url, mode="append", privacy=promise), one).save(tmp_path / "r")
    with pytest.raises(PromiseError, match="the whole table that it would be added to does not; nothing was written"):
        made(job(url, mode="append", privacy=promise), other).save(tmp_path / "s")
    assert rows(url) == 60
    assert not (tmp_path / "s").exists()


def test_a_batch_of_other_columns_is_refused(url: str, tmp_path: Path) -> None:
    made(job(url, mode="append")).save(tmp_path / "r")
    schema = ny.Schema({**{name: SCHEMA[name] for name in ("name", "age", "illness")}, "city": ny.quasi()})
    described = replace(job(url, mode="append"), schema=schema)
    with pytest.raises(DatabaseError, match="a batch that fits the table"):
        made(described, people().rename({"town": "city"})).save(tmp_path / "s")
    assert rows(url) == 60


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"method": ny.Buckets(), "privacy": (ny.FPrivacy(thresholds={"*": 0.7}, attribute="illness"),)}, "two tables"),
        (
            {"privacy": (ny.KMap(k=2, population="p.csv"),), "method": ny.OptimalLattice()},
            "k-map, which speaks",
        ),
    ],
)
def test_append_is_refused_where_the_whole_cannot_be_measured(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(JobError, match=rf"output\.mode: .*{told}"):
        job("sqlite:///a.db", mode="append", **fields)


def test_an_earlier_release_in_a_database_is_named_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    made(job(url)).save(tmp_path / "r")
    later = job(url, table="later", earlier_releases=(tmp_path / "r",))
    with pytest.raises(FileError, match="one in a database, which is not intersected"):
        made(later)


# -- tampering ---------------------------------------------------------------------------------------------------------


def test_a_changed_table_is_found(url: str, execute: Execute, tmp_path: Path) -> None:
    made(job(url)).save(tmp_path / "r")
    execute("UPDATE \"people of 2020\" SET illness = 'none' WHERE illness = 'flu'")
    problems = ny.check(ny.open(tmp_path / "r", url=url)).problems
    assert any("content_sha256 differs" in says for says in problems)


def test_a_deleted_row_of_an_earlier_batch_is_found(url: str, execute: Execute, tmp_path: Path) -> None:
    for number in range(2):
        made(job(url, mode="append", repeat=True)).save(tmp_path / f"r{number}")
    first = {"postgresql": "ctid", "sqlite": "rowid", "duckdb": "rowid"}[url.partition(":")[0]]
    execute(f'DELETE FROM "people of 2020" WHERE {first} = (SELECT min({first}) FROM "people of 2020")')
    assert not ny.check(ny.open(tmp_path / "r1", url=url)).holds


@pytest.mark.parametrize(
    ("forge", "told"),
    [
        (lambda whole: whole["measured"]["models"][0].update(k=99), "k = 99 of k-anonymity, the whole table"),
        (lambda whole: whole["measured"]["models"][0].update(l=9), "l = 9 of k-anonymity, the whole table"),
        (lambda whole: whole["measured"]["models"][0].update(model="l-diversity"), "is not what was promised"),
        (lambda whole: whole["measured"].update(models=[]), "is not what was promised"),
        (lambda whole: whole["measured"]["models"].append(whole["measured"]["models"][0]), "is not what was promised"),
        (lambda whole: whole["measured"].update(masked_records=77), "masked_records = 77, the whole table"),
        (lambda whole: whole["measured"].update(classes=1), "classes = 1, the whole table"),
        (lambda whole: whole["measured"].update(smallest_class=99), "smallest_class = 99, the whole table"),
        (lambda whole: whole["measured"].update(records=61), "records"),
        (lambda whole: whole["measured"].update(holds=False), "does not hold on the whole table"),
    ],
)
def test_a_forged_measure_of_the_whole_table_is_found(tmp_path: Path, forge: Callable[[Any], None], told: str) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    for number in range(2):
        made(job(url, mode="append", repeat=True)).save(tmp_path / f"r{number}")
    path = tmp_path / "r1" / "certificate.json"
    certificate = json.loads(path.read_text())
    forge(certificate["output"]["database"]["whole"])
    path.write_text(json.dumps(certificate))
    problems = ny.check(ny.open(tmp_path / "r1", url=url)).problems
    assert any(told in says for says in problems), problems


def test_another_kind_of_database_than_it_lies_in_is_found(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    release = made(job(url, mode="append"))
    certificate = json.loads(json.dumps(release.save(tmp_path / "r")))
    copied = ny.check(release.frame, certificate=certificate)
    assert copied.holds
    unseen = [one.says for one in copied.findings if one.about == "output"]
    assert unseen == [
        "that it is the table 'people of 2020' of a database (sqlite), and what all batches of that are like"
    ]
    certificate["output"]["database"]["kind"] = "duckdb"
    (tmp_path / "r" / "certificate.json").write_text(json.dumps(certificate))
    problems = ny.check(ny.open(tmp_path / "r", url=url)).problems
    assert any("lies in sqlite, and the certificate says duckdb" in says for says in problems)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda told: told["database"].update(table="other"), "another one than its job says"),
        (lambda told: told["database"].update(mode="append"), "all batches are described, or not"),
        (lambda told: told.update(file="release.csv"), "a file and a table|described in part"),
    ],
)
def test_a_certificate_that_says_two_things_is_found(tmp_path: Path, change: Callable[[Any], None], told: str) -> None:
    import re

    url = f"sqlite:///{tmp_path / 'a.db'}"
    release = made(job(url))
    certificate = json.loads(json.dumps(release.save(tmp_path / "r")))
    change(certificate["output"])
    problems = ny.check(release.frame, certificate=certificate).problems
    assert any(re.search(told, says) for says in problems), problems


# -- faults ------------------------------------------------------------------------------------------------------------


def nothing_is_there(tmp_path: Path, url: str) -> bool:
    return not (tmp_path / "r").exists() and not (tmp_path / "r-custodian").exists() and not tables(url)


@pytest.mark.parametrize("at", ["put", "record", "ingest"])
def test_a_failure_while_writing_leaves_nothing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    release = made(job(url))
    place: Any = Session if at == "ingest" else TableWriter
    real = getattr(place, at)

    def fail(*arguments: Any, **options: Any) -> Any:
        real(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(place, at, fail)
    with pytest.raises(KeyboardInterrupt):
        release.save(tmp_path / "r")
    monkeypatch.undo()
    assert nothing_is_there(tmp_path, url)
    assert not list(tmp_path.glob("a database*")) or url.startswith("postgresql")


def test_other_cells_when_read_back_are_refused(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release, real = made(job(url)), Session.ingest

    def one_less(self: Session, table: str, schema: str | None, frame: pl.DataFrame) -> None:
        real(self, table, schema, frame.head(-1))

    monkeypatch.setattr(Session, "ingest", one_less)
    with pytest.raises(InputError, match="another table when it is read back; nothing was published"):
        release.save(tmp_path / "r")
    assert nothing_is_there(tmp_path, url)


def test_a_commit_that_fails_is_asked_for_and_undone(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = made(job(url))

    def fail(_: TableWriter) -> None:
        raise DatabaseError("output", expected="to commit", got="a lost connection")

    monkeypatch.setattr(TableWriter, "commit", fail)
    with pytest.raises(DatabaseError, match="a lost connection"):
        release.save(tmp_path / "r")
    monkeypatch.undo()
    assert nothing_is_there(tmp_path, url)


def test_a_commit_whose_answer_is_lost_is_asked_for_and_finished(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has committed, and the client does not know."""
    release, real = made(job(url)), TableWriter.commit

    def lost(self: TableWriter) -> None:
        real(self)
        raise DatabaseError("output", expected="to commit", got="a lost connection")

    monkeypatch.setattr(TableWriter, "commit", lost)
    release.save(tmp_path / "r")
    monkeypatch.undo()
    assert ny.check(ny.open(tmp_path / "r", url=url)).holds
    assert not journal_of(tmp_path / "r-custodian").exists()


@pytest.mark.parametrize("committed", [True, False])
def test_a_server_that_cannot_be_asked_leaves_the_question_to_the_next_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    release, real = made(job(url)), TableWriter.commit
    gone = DatabaseError("output", expected="to commit", got="a lost connection")

    def lost(self: TableWriter) -> None:
        if committed:
            real(self)
        raise gone

    def unreachable(self: TableWriter, _: str) -> bool:
        raise gone

    monkeypatch.setattr(TableWriter, "commit", lost)
    monkeypatch.setattr(TableWriter, "has", unreachable)
    with pytest.raises(DatabaseError, match="a lost connection"):
        release.save(tmp_path / "r")
    monkeypatch.undo()
    with pytest.raises(FileError, match="a run under way, or one that ended"):
        ny.open(tmp_path / "r", url=url)
    with pytest.raises(FileError, match="publish again with the job of that run"):  # it does not say where to ask
        ny.forget(tmp_path / "r")
    other = replace(release, job=job(url, table="another"))
    with pytest.raises(FileError, match="a command that does not ask there"):
        other.save(tmp_path / "r", force=True)
    certificate = release.save(tmp_path / "r")  # finished if it was committed, and written otherwise
    assert certificate == json.loads((tmp_path / "r" / "certificate.json").read_text())
    assert ny.check(ny.open(tmp_path / "r", url=url)).holds
    assert rows(url) == 60


@contextmanager
def dying_after_the_commit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a run end between its commit and the files, as a kill does: nothing is asked, and nothing cleaned up."""
    real = TableWriter.commit

    def killed(self: TableWriter) -> None:
        real(self)
        raise KeyboardInterrupt

    def nobody(self: TableWriter, _: str) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(TableWriter, "commit", killed)
        patched.setattr(TableWriter, "has", nobody)
        yield


def job_of_a_file(url: str, tmp_path: Path, mode: str, records: int = 61) -> ny.Job:
    """A job whose method draws: another key would publish other cells, and the batch could not be known by them."""
    people(records).with_columns(age=pl.int_range(0, records) // 7).write_csv(tmp_path / "people.csv")
    described = job(url, mode=mode, privacy=(ny.KAnonymity(k=4),))
    return replace(described, source=ny.Source(path=str(tmp_path / "people.csv")))


@pytest.mark.parametrize(("mode", "force"), [("create", False), ("append", False), ("append", True), ("replace", True)])
def test_a_run_that_was_committed_is_finished_and_not_repeated(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, force: bool
) -> None:
    described = job_of_a_file(url, tmp_path, mode)
    with dying_after_the_commit(monkeypatch), pytest.raises(KeyboardInterrupt):
        ny.publish(described, out=tmp_path / "r")
    with pytest.raises(FileError, match="a run under way, or one that ended"):
        ny.open(tmp_path / "r", url=url)
    again = ny.publish(described, out=tmp_path / "r", force=force)
    assert again.certificate == json.loads((tmp_path / "r" / "certificate.json").read_text())
    assert len(ny.DatabaseSource(url=url, table="nymity_releases").read()) == 1
    opened = ny.open(tmp_path / "r", url=url)
    assert opened.table.height == 61
    assert sorted(map(str, opened.table.rows())) == sorted(map(str, again.table.rows()))
    assert ny.check(opened).holds


def test_another_batch_is_appended_after_one_that_was_finished(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = job_of_a_file(url, tmp_path, "append")
    with dying_after_the_commit(monkeypatch), pytest.raises(KeyboardInterrupt):
        ny.publish(described, out=tmp_path / "r")
    ny.publish(job_of_a_file(url, tmp_path, "append", records=40), out=tmp_path / "r", force=True)
    assert rows(url) == 61 + 40
    assert ny.check(ny.open(tmp_path / "r", url=url)).holds


def test_the_command_line_says_that_an_earlier_run_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    people(60).write_csv(tmp_path / "people.csv")
    (tmp_path / "job.toml").write_text(
        f"""source = "people.csv"\noutput = {{url = "{url}", table = "t"}}
        method = {{name = "sorted-groups"}}\n[[privacy]]\nmodel = "k-anonymity"\nk = 3
        [schema]\nname = {{role = "identifying"}}\nage = {{role = "quasi"}}
        town = {{role = "quasi"}}\nillness = {{role = "sensitive"}}\n""".replace("        ", "")
    )
    arguments = ["publish", str(tmp_path / "job.toml"), "--out", str(tmp_path / "r"), "--no-report"]
    with dying_after_the_commit(monkeypatch):
        assert CliRunner().invoke(app, arguments).exit_code == 130
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "An earlier run had committed this release" in done.output
    assert "nothing was published again" in done.output.replace("\n", " ")
    assert rows(url, "t") == 60
    assert CliRunner().invoke(app, arguments).exit_code == 2  # there is one, and nothing was left to finish


def test_a_batch_is_appended_twice_only_where_that_is_meant(url: str, tmp_path: Path) -> None:
    made(job(url, mode="append")).save(tmp_path / "r0")
    with pytest.raises(DatabaseError, match=r"a batch that was not appended yet.*repeat = true"):
        made(job(url, mode="append")).save(tmp_path / "r1")
    assert rows(url) == 60
    made(job(url, mode="append", repeat=True)).save(tmp_path / "r1")
    assert rows(url) == 120
    assert ny.check(ny.open(tmp_path / "r1", url=url)).holds
    with pytest.raises(JobError, match="mode = 'append' with it"):
        job(url, repeat=True)


def test_a_move_that_fails_after_the_commit_is_finished_by_the_next_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nymity.core.journal import Move

    release, real, moved = made(job(url)), Move.make, []

    def fail(self: Move) -> None:
        if len(moved) == 2:
            raise OSError(28, "No space left on device")
        moved.append(self)
        real(self)

    monkeypatch.setattr(Move, "make", fail)
    with pytest.raises(FileError, match=r"a full disk.*the next run finishes"):
        release.save(tmp_path / "r")
    monkeypatch.undo()
    release.save(tmp_path / "r")
    assert ny.check(ny.open(tmp_path / "r", url=url)).holds


# -- a server ----------------------------------------------------------------------------------------------------------


def test_missing_rights_leave_nothing(server: Server, tmp_path: Path) -> None:
    database = server.new_database()
    server.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC", database=database)
    guest = server.url(database, user=GUEST)
    with pytest.raises(DatabaseError, match="got no right to do this") as failed:
        made(job(guest)).save(tmp_path / "r")
    assert GUEST not in str(failed.value)
    assert nothing_is_there(tmp_path, server.url(database))


def test_a_database_that_is_only_read_is_told_as_such(server: Server, tmp_path: Path) -> None:
    database = server.new_database()
    server.run(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    with pytest.raises(DatabaseError, match=r"where one may only read.*for a release a database that can be written"):
        made(job(server.url(database))).save(tmp_path / "r")
    assert nothing_is_there(tmp_path, server.url(database))


def test_a_trigger_that_changes_rows_is_found_and_told(server: Server, tmp_path: Path) -> None:
    database = server.new_database()
    url = server.url(database)
    made(job(url, mode="append")).save(tmp_path / "r")
    for statement in (
        "CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN NEW.illness := 'x'; RETURN NEW; END $$ LANGUAGE plpgsql",
        'CREATE TRIGGER t BEFORE INSERT ON "people of 2020" FOR EACH ROW EXECUTE FUNCTION f()',
    ):
        server.run(statement, database=database)
    with pytest.raises(InputError, match=r"nothing was published\. Try: look for triggers"):
        made(job(url, mode="append"), people(illness="mumps cold")).save(tmp_path / "r2")
    assert rows(url) == 60
    assert not (tmp_path / "r2").exists()


def test_rows_that_a_policy_hides_stop_a_batch(server: Server, tmp_path: Path) -> None:
    """What the whole table promises cannot be measured by whoever sees a part of it."""
    database = server.new_database()
    made(job(server.url(database), mode="append")).save(tmp_path / "r")
    for statement in (
        f"GRANT CREATE, USAGE ON SCHEMA public TO {GUEST}",
        f'GRANT SELECT, INSERT ON nymity_releases, "people of 2020" TO {GUEST}',
        'ALTER TABLE "people of 2020" ENABLE ROW LEVEL SECURITY',
        f"""CREATE POLICY p ON "people of 2020" TO {GUEST} USING (illness <> 'flu') WITH CHECK (true)""",
    ):
        server.run(statement, database=database)
    with pytest.raises(DatabaseError, match="another number of rows than nymity gave it"):
        made(job(server.url(database, user=GUEST), mode="append"), people(90)).save(tmp_path / "r2")
    assert rows(server.url(database)) == 60


def test_a_schema_that_is_not_there_is_told(server: Server, tmp_path: Path) -> None:
    url = server.url(server.new_database())
    with pytest.raises(DatabaseError, match="got no such schema"):
        made(job(url, schema="research")).save(tmp_path / "r")


def test_a_schema_of_its_own(server: Server, tmp_path: Path) -> None:
    database = server.new_database()
    server.run('CREATE SCHEMA "my research"', database=database)
    url = server.url(database)
    made(job(url, schema="my research")).save(tmp_path / "r")
    assert ny.check(ny.open(tmp_path / "r", url=url)).holds
    assert tables(url) == set()


@pytest.mark.parametrize("at", ["ingest", "run"])
def test_a_lost_connection_leaves_nothing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    database = server.new_database()
    url, real = server.url(database), getattr(Session, at)
    release = made(job(url))

    def cut(self: Session, *arguments: Any, **options: Any) -> None:
        real(self, *arguments, **options)
        server.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE datname = '{database}' AND pid <> pg_backend_pid()"
        )

    monkeypatch.setattr(Session, at, cut)
    with pytest.raises(DatabaseError, match="got a lost connection"):
        release.save(tmp_path / "r")
    monkeypatch.undo()
    assert nothing_is_there(tmp_path, url)


def test_a_statement_timeout_leaves_nothing(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = server.new_database()
    url = server.url(database)
    release, real = made(job(url)), Session.ingest

    def slow(self: Session, *arguments: Any) -> None:
        real(self, *arguments)
        self.run("SET statement_timeout = '50ms'")
        self.rows("SELECT pg_sleep(3)::text")

    monkeypatch.setattr(Session, "ingest", slow)
    with pytest.raises(DatabaseError, match="got a statement that was stopped, by a timeout"):
        release.save(tmp_path / "r")
    monkeypatch.undo()
    assert nothing_is_there(tmp_path, url)


def test_recovery_waits_for_a_commit_that_is_under_way(server: Server) -> None:
    """A client may die after it sent its commit, and the server go on: an answer before its end would be wrong."""
    import threading
    import time

    url = server.url(server.new_database())
    output = ny.DatabaseOutput(url=url, table="t")
    writer, answer = TableWriter(output), []
    with writer:
        writer.put("t", pl.DataFrame({"x": [1]}), "", {})
        writer.record(b"{}", "")
        assert writer.mark is not None
        asking = threading.Thread(target=lambda: answer.append(TableWriter(output).has(str(writer.mark))))
        asking.start()
        time.sleep(0.5)
        assert answer == []
        mark = writer.mark
        writer.commit()
        asking.join(timeout=30)
    assert answer == [True]
    assert TableWriter(output).has(mark)
