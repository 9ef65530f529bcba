"""Tables and queries as sources: types, gaps and text stay what they are, and nothing is written."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import DatabaseError, InputError, JobError, ParameterError, TableError
from nymity.database.database_kind import parted, spelled
from postgres import GUEST, Server

Execute = Callable[..., None]

CREATE = 'CREATE TABLE "Patients of ""A""" (age {whole}, "body temp" {real}, town {text}, day {date}, "?" {text})'
TYPES = {
    "postgresql": {"whole": "integer", "real": "double precision", "text": "text", "date": "date"},
    "duckdb": {"whole": "INTEGER", "real": "DOUBLE", "text": "VARCHAR", "date": "DATE"},
    "sqlite": {"whole": "INTEGER", "real": "REAL", "text": "TEXT", "date": "TEXT"},
}
ROWS = """INSERT INTO "Patients of ""A\""" VALUES (51, 36.6, 'Ulm', '2020-02-29', 'it''s "ok"; ''x'),
    (NULL, NULL, NULL, NULL, NULL), (7, 38.25, 'Köln 東京', '1999-12-31', ''), (0, -1.5, '007', '2020-01-01', ' ')"""
EXPECTED = pl.DataFrame(
    {
        "age": [None, 0, 7, 51],
        "body temp": [None, -1.5, 38.25, 36.6],
        "town": [None, "007", "Köln 東京", "Ulm"],
        "day": [None, date(2020, 1, 1), date(1999, 12, 31), date(2020, 2, 29)],
        "?": [None, " ", "", "it's \"ok\"; 'x"],
    }
)


def test_types_gaps_and_text_are_kept(url: str, execute: Execute) -> None:
    kind = url.partition(":")[0]
    execute(CREATE.format(**TYPES[kind]), ROWS)
    found = ny.DatabaseSource(url=url, table='Patients of "A"').read()
    expected = EXPECTED.with_columns(pl.col("day").dt.to_string()) if kind == "sqlite" else EXPECTED
    assert found.dtypes[1:] == expected.dtypes[1:]
    assert found["age"].dtype.is_integer()
    assert found.with_columns(pl.col("age").cast(pl.Int64)).equals(expected)


@given(*[st.text(st.sampled_from('ab."\n é'), min_size=1, max_size=6)] * 2, st.booleans())
def test_a_name_is_read_as_it_is_spelled(schema: str, table: str, alone: bool) -> None:
    given = (None if alone else schema, table)
    assert parted("--table", spelled(*given)) == given


@pytest.mark.parametrize("name", ["", ".", "a.", ".a", "a.b.c", '"a', 'a"b', '""', '"a"b', '"a".', 'a."b".c'])
def test_a_name_that_could_mean_several_tables_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=r"--table: expected TABLE or SCHEMA\.TABLE"):
        ny.DatabaseSource.named(name, url="sqlite:///a.db")


def test_a_dot_stands_before_a_table_or_in_its_name(url: str, execute: Execute, tmp_path: Path) -> None:
    """Where only one of both is there, the other is refused with what is; where both are, each is read."""
    schema = "main" if url.startswith("sqlite") else "wards"
    if schema == "wards":
        execute("CREATE SCHEMA wards")
    execute(f'CREATE TABLE "{schema}.stays" (age integer)', f'INSERT INTO "{schema}.stays" VALUES (41)')
    inside, literal = [url, "--table", f"{schema}.stays"], [url, "--table", f'"{schema}.stays"']
    refused = CliRunner().invoke(app, ["inspect", *inside])
    assert refused.exit_code == 2
    assert f"""--table '"{schema}.stays"'""" in refused.output
    with pytest.raises(JobError, match=rf'"{schema}.stays" is. Try: table = .{schema}.stays. alone'):
        ny.DatabaseSource(url=url, schema=schema, table="stays").read()
    job = tmp_path / "job.toml"
    assert CliRunner().invoke(app, ["inspect", *literal, "--job", str(job)]).exit_code == 0
    assert tomllib.loads(job.read_text())["source"]["table"] == f"{schema}.stays"
    assert ny.Job.load_source(job).read()["age"].to_list() == [41]
    execute(f"CREATE TABLE {schema}.stays (age integer)", f"INSERT INTO {schema}.stays VALUES (7)")
    for asked, age in ((inside, 7), (literal, 41)):
        shown = json.loads(CliRunner().invoke(app, ["inspect", *asked, "--json"]).stdout)
        assert shown["columns"][0]["examples"] == [str(age)]
    execute(f'DROP TABLE "{schema}.stays"')
    with pytest.raises(JobError, match=f"schema = '{schema}' and table = 'stays'"):
        ny.DatabaseSource(url=url, table=f"{schema}.stays").read()


def test_the_order_of_rows_in_the_database_does_not_matter(url: str, execute: Execute) -> None:
    """Links of a custodian's log count rows: the same rows must have the same numbers whenever they are read."""
    execute("CREATE TABLE a (x integer, y text)", "INSERT INTO a VALUES (2, 'b'), (1, 'z'), (2, 'a'), (1, 'a')")
    execute("CREATE TABLE b (x integer, y text)", "INSERT INTO b VALUES (1, 'a'), (2, 'a'), (1, 'z'), (2, 'b')")
    assert ny.DatabaseSource(url=url, table="a").read().equals(ny.DatabaseSource(url=url, table="b").read())


def test_a_query_selects_rows(url: str, execute: Execute) -> None:
    execute("CREATE TABLE a (x integer, y text)", "INSERT INTO a VALUES (2, '?'), (1, ';')")
    found = ny.DatabaseSource(url=url, query="SELECT y, x * 2 AS twice FROM a WHERE y = '?';").read()
    assert found.to_dicts() == [{"y": "?", "twice": 4}]


@pytest.mark.parametrize(
    "query", ["DROP TABLE a", "DELETE FROM a", "INSERT INTO a VALUES (3)", "CREATE TABLE b (x int)"]
)
def test_a_query_that_writes_is_refused_and_writes_nothing(url: str, execute: Execute, query: str) -> None:
    execute("CREATE TABLE a (x integer)", "INSERT INTO a VALUES (1)")
    with pytest.raises(DatabaseError):
        ny.DatabaseSource(url=url, query=query).read()
    assert ny.DatabaseSource(url=url, table="a").read()["x"].to_list() == [1]
    with pytest.raises(DatabaseError, match="no such table"):
        ny.DatabaseSource(url=url, table="b").read()


@pytest.mark.parametrize("query", ["COPY a TO '{path}'", "SELECT * FROM read_csv('{path}')", "ATTACH '{path}' AS b"])
def test_a_query_reaches_no_other_file(tmp_path: Path, query: str) -> None:
    """DuckDB would copy the rows of a read-only database wherever a query says."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "a.db")) as made:
        made.execute("CREATE TABLE a (x integer)")
    path = tmp_path / "others.csv"
    if "read_csv" in query:
        path.write_text("x\n1\n")
    with pytest.raises(DatabaseError):
        ny.DatabaseSource(url=f"duckdb:///{tmp_path / 'a.db'}", query=query.format(path=path)).read()
    assert path.exists() == ("read_csv" in query)


def test_a_url_that_cannot_be_read_is_refused_without_repeating_it() -> None:
    with pytest.raises(ParameterError, match="cannot be read") as refused:
        ny.DatabaseSource(url="postgresql://alice@[::1/db", table="t")
    assert "alice" not in str(refused.value)


def test_a_table_that_is_not_there_is_a_clear_error(url: str, execute: Execute) -> None:
    execute("CREATE TABLE a (x integer)")
    with pytest.raises(DatabaseError, match=r"^source \(.*\): expected to read nope, got no such table.*Try: check"):
        ny.DatabaseSource(url=url, table="nope").read()


def test_a_table_is_a_name_and_never_a_statement(url: str, execute: Execute) -> None:
    execute("CREATE TABLE a (x integer)", "INSERT INTO a VALUES (1)")
    for name in ('a"; DROP TABLE a; --', "a; DROP TABLE a", "a WHERE 1=1", "(SELECT 1)"):
        with pytest.raises(InputError):
            ny.DatabaseSource(url=url, table=name).read()
    assert ny.DatabaseSource(url=url, table="a").read().height == 1


def test_postgresql_numbers_times_and_identifiers(server: Server) -> None:
    statement = """SELECT * FROM (VALUES
        (12.50::numeric, 3::numeric(10,0), 12345678901234567.5::numeric, 'ab'::char(5), true,
         '6f9619ff-8b86-d011-b42d-00c04fc964ff'::uuid, timestamp '2020-01-02 03:04:05.5',
         timestamptz '2020-01-02 03:04:05+02', time '01:02:03', '{"a": 1}'::jsonb, 'x'::varchar(3)),
        (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) AS t (
        n, whole, long, ch, b, u, ts, tz, tm, j, v)"""
    found = ny.DatabaseSource(url=server.url(), query=statement).read().drop_nulls("n")
    row = found.row(0, named=True)
    assert row["n"] == 12.5
    assert (found["whole"].dtype, row["whole"]) == (pl.Int64, 3)
    assert row["long"] == "12345678901234567.5"  # more digits than a 64-bit number holds
    assert row["ch"] == "ab"
    assert row["u"] == "6f9619ff-8b86-d011-b42d-00c04fc964ff"
    assert row["ts"] == datetime(2020, 1, 2, 3, 4, 5, 500_000)
    assert row["tz"].isoformat() == "2020-01-02T01:04:05+00:00"
    assert row["j"] == '{"a": 1}'
    assert (row["b"], row["v"]) == (True, "x")


@pytest.mark.parametrize(
    "cell", ["array[1, 2]", "interval '1 day'", "'a'::bytea", "inet '1.2.3.4'", "5::money", "point '(1,2)'"]
)
def test_cells_of_other_types_are_refused_with_a_way_out(server: Server, cell: str) -> None:
    with pytest.raises(TableError, match=r"column 'x'.*a query that leaves it out, or casts it to text"):
        ny.DatabaseSource(url=server.url(), query=f"SELECT {cell} AS x").read()
    assert ny.DatabaseSource(url=server.url(), query="SELECT array[1, 2]::text AS x").read()["x"].to_list() == ["{1,2}"]


#: Cells of a staging table, all text, as a file might have brought them.
STAGED = [
    ("NA" if i % 9 == 0 else str(i % 70), f"{i % 28 + 1:02}.01.1970", f"{1000 + i}"[0] + f".{i:03},5", f"{i % 5:05}")
    for i in range(300)
]
STATED: dict[str, Any] = {"missing": ("NA",), "dates": "%d.%m.%Y", "decimal": ",", "thousands": "."}


@pytest.fixture
def staged(url: str, execute: Execute, tmp_path: Path) -> str:
    """Return the URL of a database with a table of text, beside which the same lies as table.csv."""
    cells = ", ".join("('" + "', '".join(row) + "')" for row in STAGED)
    names = ("age", "born", "cost", "zip")
    execute("CREATE TABLE staged (age text, born text, cost text, zip text)", f"INSERT INTO staged VALUES {cells}")
    pl.DataFrame(STAGED, schema=names, orient="row").write_csv(tmp_path / "table.csv", separator=";")
    return url


@pytest.mark.parametrize(
    "stated",
    [
        STATED,
        {"missing": ["NA", -9]},
        {"missing_in": {"age": ["NA"]}},
        {"dates_in": {"born": "%d.%m.%Y"}},
        {"decimal": ",", "thousands": ".", "missing_in": {"zip": ["00001"]}},
    ],
)
def test_text_is_read_as_that_of_a_file(staged: str, tmp_path: Path, stated: dict[str, Any]) -> None:
    found = ny.DatabaseSource(url=staged, table="staged", **stated).read_valued()
    file = ny.Source(path=str(tmp_path / "table.csv"), **stated).read_valued()
    assert found.table.schema == file.table.schema
    assert found.table.sort(pl.all()).equals(file.table.sort(pl.all()))
    assert found.taken == file.taken


def test_text_of_which_nothing_is_stated_stays_text(staged: str) -> None:
    found = ny.DatabaseSource(url=staged, table="staged").read_valued()
    assert found.table.dtypes == [pl.String] * 4
    assert sorted(found.table.rows()) == sorted(STAGED)
    assert found.taken == {}


def test_codes_among_numbers_of_a_database_are_gaps(url: str, execute: Execute) -> None:
    execute("CREATE TABLE a (x integer, y integer)", "INSERT INTO a VALUES (1, -9), (-9, 3), (-9, 4)")
    found = ny.DatabaseSource(url=url, table="a", missing_in={"x": [-9]}).read_valued()
    assert sorted(found.table.rows(), key=str) == sorted([(1, -9), (None, 3), (None, 4)], key=str)
    assert found.taken == {"x": {"-9": 2}}


def test_private_methods_read_each_cell_by_itself(staged: str, tmp_path: Path) -> None:
    found = ny.DatabaseSource(url=staged, table="staged", **STATED).read_texts(None)
    file = ny.Source(path=str(tmp_path / "table.csv"), **STATED, delimiter=";", header=True).read_texts(None)
    assert found.sort(pl.all()).equals(file.sort(pl.all()))
    assert found["age"].null_count() == 34


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"decimal": ";"}, "decimal"),
        ({"dates": "%d"}, "dates"),
        ({"missing": "NA"}, "missing"),
        ({"missing_in": {"nope": ["NA"]}}, "missing_in"),
    ],
)
def test_what_cannot_be_meant_is_refused(staged: str, stated: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ny.DatabaseSource(url=staged, table="staged", **stated).read()


def test_what_is_found_out_is_stated_and_counted(staged: str, tmp_path: Path) -> None:
    """From a look at the table to a checked release: job, certificate, summary and report say how it was read."""
    job, release = tmp_path / "job.toml", tmp_path / "release"
    answers = tmp_path / "decided.toml"
    answers.write_text('[columns]\nage = "quasi"\nborn = "quasi"\nzip = "quasi"\ncost = "sensitive"\n')
    run = CliRunner().invoke
    shown = run(app, ["inspect", staged, "--table", "staged", "--json"])
    told = json.loads(shown.stdout)
    proposed = {(one["field"], one["value"]) for one in told["reading"]}
    assert {("missing", "NA"), ("dates", "%d.%m.%Y"), ("decimal", ",")} <= proposed
    assert [one["missing"] for one in told["columns"]] == [34, 0, 0, 0]
    assert [one["type"] for one in told["columns"]] == ["whole number", "date", "number", "text"]
    of_file = json.loads(run(app, ["inspect", str(tmp_path / "table.csv"), "--json"]).stdout)
    of_cells = [one for one in of_file["reading"] if one["field"] in ("missing", "dates", "decimal", "thousands")]
    assert [one["value"] for one in told["reading"]] == [one["value"] for one in of_cells]
    asked = ["inspect", staged, "--table", "staged", "--answers", str(answers), "--job", str(job), "--k", "3"]
    assert run(app, asked).exit_code == 0
    source = tomllib.loads(job.read_text())["source"]
    assert (source["decimal"], source["thousands"], source["dates"]) == (",", ".", "%d.%m.%Y")
    published = run(app, ["publish", str(job), "--out", str(release), "--report"])
    assert published.exit_code == 0, published.output
    assert json.loads((release / "certificate.json").read_text())["job"]["reading"]["decimal"] == ","
    assert "'age' 34 × 'NA'" in " ".join(published.output.split())
    pages = [page for page in tmp_path.rglob("report.html") if "Taken as missing in the source" in page.read_text()]
    assert len(pages) == 1
    assert run(app, ["check", str(release)]).exit_code == 0
    compared = run(app, ["compare", str(tmp_path / "table.csv"), str(release), "--job", str(job)])
    assert compared.exit_code == 0, compared.output
    assert run(app, ["compare", str(job), str(release)]).exit_code == 0


def test_a_slash_that_is_missing_is_told(tmp_path: Path) -> None:
    import sqlite3

    sqlite3.connect(tmp_path / "a.db").close()
    (tmp_path / "a.db").touch()
    with pytest.raises(DatabaseError, match="one more slash: a path from the root is sqlite:////"):
        ny.DatabaseSource(url=f"sqlite://{tmp_path / 'a.db'}", table="a").read()


def test_sqlite_cells_of_several_types_are_refused(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "a.db") as file:
        file.execute("CREATE TABLE a (x, y)")
        file.executemany("INSERT INTO a VALUES (?, ?)", [(i, i / 2) for i in range(3000)] + [("old", 1)])
    file.close()
    source = ny.DatabaseSource(url=f"sqlite:///{tmp_path / 'a.db'}", table="a")
    with pytest.raises(TableError, match="column 'x': expected only text, or only numbers, got text beside numbers"):
        source.read()
    found = ny.DatabaseSource(url=source.url, query="SELECT cast(x AS text) AS x, y FROM a").read()
    assert found["x"].dtype == pl.String
    assert found["y"].sum() == sum(range(3000)) / 2 + 1


def test_two_columns_of_one_name_are_refused(url: str, execute: Execute) -> None:
    execute("CREATE TABLE a (x integer)", "INSERT INTO a VALUES (1)")
    with pytest.raises(InputError):
        ny.DatabaseSource(url=url, query="SELECT x, x FROM a").read()


# -- rights, servers, timeouts -----------------------------------------------------------------------------------------


def test_missing_rights_are_told_without_the_user(server: Server) -> None:
    server.run("CREATE TABLE IF NOT EXISTS closed (x integer)")
    with pytest.raises(DatabaseError, match="got no right to do this") as failed:
        ny.DatabaseSource(url=server.url(user=GUEST), table="closed").read()
    assert GUEST not in str(failed.value)


def test_no_server_no_database_no_user_and_no_file_are_told(server: Server, tmp_path: Path) -> None:
    for url, told in (
        (f"postgresql://eve@/x?host={tmp_path}", "nothing that answers there"),
        ("postgresql://eve@localhost:1/x", "no server that answers"),
        (server.url("nowhere", user="eve"), "let in|no such database"),
        (server.url("nowhere"), 'database "nowhere" does not exist'),
        (f"sqlite:///{tmp_path / 'none.db'}", "no .*none.db"),
        (f"duckdb:///{tmp_path / 'none.duckdb'}", "no .*none.duckdb"),
    ):
        with pytest.raises(DatabaseError, match=told) as failed:
            ny.DatabaseSource(url=url, table="t").read()
        assert "eve" not in str(failed.value).replace("never", "")
        assert not failed.value.quotes_values
    assert not list(tmp_path.iterdir())


def test_errors_say_whether_they_quote_cells(url: str, execute: Callable[..., None]) -> None:
    execute("CREATE TABLE t (x text)", "INSERT INTO t VALUES ('Frau Weber')")
    with pytest.raises(DatabaseError, match="no such table") as failed:
        ny.DatabaseSource(url=url, table="u").read()
    assert not failed.value.quotes_values
    if not url.startswith("sqlite"):  # which makes numbers of everything
        with pytest.raises(DatabaseError, match="Frau Weber") as failed:
            ny.DatabaseSource(url=url, query="SELECT cast(x AS integer) AS x FROM t").read()
        assert failed.value.quotes_values


def test_a_statement_timeout_is_told(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c statement_timeout=50ms")
    with pytest.raises(DatabaseError, match=r"got a statement that was stopped, by a timeout.*PGOPTIONS"):
        ny.DatabaseSource(url=server.url(), query="SELECT pg_sleep(5)::text AS x").read()


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age\n1\n" * 1000)
    for scheme in ("sqlite", "duckdb"):
        with pytest.raises(DatabaseError, match="a file that is no such database"):
            ny.DatabaseSource(url=f"{scheme}:///{tmp_path / 'a.csv'}", table="t").read()


def test_credentials_come_from_where_libpq_looks(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server.run("CREATE TABLE IF NOT EXISTS small (x integer)")
    (tmp_path / "services").write_text(f"[clinic]\nhost={server.folder}\ndbname=postgres\nuser=owner\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert ny.DatabaseSource(url="postgresql:///?service=clinic", table="small").read().columns == ["x"]
    monkeypatch.setenv("PGHOST", str(server.folder))
    monkeypatch.setenv("PGUSER", "owner")
    assert ny.DatabaseSource(url="postgresql:///postgres", table="small").read().columns == ["x"]


# -- jobs --------------------------------------------------------------------------------------------------------------

SCHEMA = {"x": {"role": "quasi"}}
PRIVACY = [{"model": "k-anonymity", "k": 2}]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({"url": "sqlite:///a.db"}, "either a table or a query, got neither"),
        ({"url": "sqlite:///a.db", "table": "a", "query": "select 1"}, "either a table or a query, got both"),
        ({"url": "sqlite:///a.db", "query": "select 1", "schema": "s"}, "source.schema"),
        ({"url": "sqlite:///a.db", "table": "a", "delimiter": ","}, "source.delimiter"),
        ({"url": "sqlite:///a.db", "path": "a.csv"}, "source.path"),
        ({"table": "a"}, "source.table"),
    ],
)
def test_a_wrong_source_is_refused(source: dict[str, str], told: str) -> None:
    with pytest.raises(JobError, match=told):
        ny.Job.from_dict({"source": source, "schema": SCHEMA, "privacy": PRIVACY})


def test_a_job_is_written_and_read_again(tmp_path: Path) -> None:
    source = {"url": "postgresql://alice@host/db", "table": "t", "schema": "s"}
    output = {"url": "sqlite:///out.db", "table": "r", "mode": "replace"}
    job = ny.Job.from_dict({"source": source, "schema": SCHEMA, "privacy": PRIVACY, "output": output}, folder=tmp_path)
    assert job.inputs == ()
    assert job.output.address.file == tmp_path / "out.db"
    assert ny.Job.from_dict(job.to_dict()) == job


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (ny.DatabaseSource(url="postgresql:///d", query="SELECT 1"), "a query, in which one record can change"),
        (ny.DatabaseSource(url="sqlite:///a.db", table="t"), "the type of one cell can change how others are read"),
    ],
)
def test_private_methods_refuse_what_lets_one_record_change_others(source: ny.DatabaseSource, told: str) -> None:
    schema = ny.Schema({"x": ny.quasi(ny.Hierarchy.flat(["a", "b"]))})
    job = ny.Job(
        schema=schema,
        privacy=(ny.DifferentialPrivacy(epsilon=1, delta=1e-4, public_records=1000),),
        method=ny.SafePub(),
        source=source,
    )
    with pytest.raises(JobError, match=told):
        ny.publish(job)


def test_text_cells_of_a_database_are_those_of_a_file(server: Server, tmp_path: Path) -> None:
    """A private method must see the same records whichever way they come."""
    server.run("DROP TABLE IF EXISTS t")
    server.run("CREATE TABLE t (n numeric(8,2), i integer, d date, s text)")
    server.run("INSERT INTO t VALUES (1.50, 3, '2020-01-01', 'a'), (2.00, 4, NULL, '')")
    (tmp_path / "t.csv").write_text("n,i,d,s\n1.5,3,2020-01-01,a\n2,4,,\n")
    table = ny.DatabaseSource(url=server.url(), table="t").read_texts(None)
    file = ny.Source(path=str(tmp_path / "t.csv"), delimiter=",", encoding="utf-8", header=True).read_texts(None)
    assert table.to_dicts() == file.to_dicts()
