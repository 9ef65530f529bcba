"""PostgreSQL, for real: the server counts, joins and sorts in one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from engine_tables import plain_hash, random_table, schema
from test_engines import METHODS, PRIVACY
from test_person_engines import published as of_persons
from test_person_engines import visits
from test_private_engines import people
from test_private_engines import published as private

import nymity as ny
from nymity.core.errors import DatabaseError, JobError, TableError
from nymity.database import Session
from nymity.database.address import Address
from postgres import Server, running_server

TYPES = {
    "id": "bigint",
    "text": "text",
    "^num$": "smallint",
    "float": "double precision",
    "day": "date",
    "sick": "text",
    "flag": "boolean",
    "moment": "timestamptz",
    "hour": "time",
    "small": "real",
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


def filled(server: Server, table: pl.DataFrame) -> str:
    """Return the URL of a new database with a table in it."""
    url = server.url(server.new_database())
    with Session(Address.of("test", url), "test") as session:
        columns = ", ".join(f'"{name}" {kind}' for name, kind in TYPES.items())
        session.run(f"CREATE TABLE people ({columns})")
        session.ingest("people", None, pl.DataFrame([table[name] for name in TYPES]))
        session.commit()
    return url


def name_of(url: str) -> str:
    return url.split("/")[3].split("?")[0]


def published(url: str, folder: Path, kind: str, method: Any, **more: Any) -> Any:
    return ny.publish(
        ny.DatabaseSource(url=url, table="people"),
        ny.Schema({name: schema()[name] for name in TYPES}),
        privacy=PRIVACY,
        method=method,
        output=ny.Output(format="parquet", row_order=more.pop("row_order", "sorted")),
        engine=ny.Engine(kind=kind, **more.pop("engine", {})),
        out=folder / kind,
        **more,
    )


def test_a_search_begins_at_the_same_levels(server: Server, tmp_path: Path) -> None:
    url, given = filled(server, random_table(1)), {"combinations": 40}
    in_memory = published(url, tmp_path, "memory", METHODS[0], engine=given).certificate
    found = published(url, tmp_path, "postgresql", METHODS[0], engine=given).certificate
    assert found["loss"]["begun"]["levels"]
    assert found["loss"] == in_memory["loss"]
    assert found["output"]["content_sha256"] == in_memory["output"]["content_sha256"]


@pytest.mark.parametrize(("seed", "row_order"), [(0, "sorted"), (1, "shuffled"), (2, "sorted")])
def test_the_same_job_gives_the_same_release(server: Server, tmp_path: Path, seed: int, row_order: str) -> None:
    table = random_table(seed)
    url = filled(server, table)
    in_memory = published(url, tmp_path, "memory", METHODS[seed], row_order=row_order)
    found = published(url, tmp_path, "postgresql", METHODS[seed], row_order=row_order, engine={"mapping": "id"})
    assert found.certificate["output"]["content_sha256"] == in_memory.certificate["output"]["content_sha256"]
    written = pl.read_parquet(found.path)
    assert plain_hash(written) == found.certificate["output"]["content_sha256"]
    assert ny.check(found.folder).holds
    kept = pl.read_parquet(tmp_path / "postgresql-custodian" / "mapping-by-key.parquet")
    assert sorted(kept["id"]) == list(range(table.height))
    assert server.run("SELECT count(*) FROM pg_class WHERE relname LIKE 'nymity%'", database=name_of(url)) == [(0,)]


def test_persons_and_private_releases_are_those_of_streaming(server: Server, tmp_path: Path) -> None:
    tables = {"people": people(), "visits": visits(1)}
    url = server.url(server.new_database())
    with Session(Address.of("test", url), "test") as session:
        session.run("CREATE TABLE people (name text, age double precision, sex text)")
        session.run("CREATE TABLE visits (who text, age bigint, zip text, sick text, visit text)")
        for name, table in tables.items():
            session.ingest(name, None, table)
            table.write_parquet(tmp_path / f"{name}.parquet")
        session.commit()
    given = {
        "private": ny.DatabaseSource(url=url, table="people"),
        "persons": ny.DatabaseSource(url=url, table="visits"),
    }
    drawn = private(tmp_path / "people.parquet", tmp_path / "dp", "streaming").certificate["output"]
    here = private(Path(), tmp_path / "dp", "postgresql", read=given["private"]).certificate["output"]
    assert here["content_sha256"] == drawn["content_sha256"]
    there = of_persons(tmp_path / "visits.parquet", tmp_path, "streaming", 1).certificate
    found = of_persons(given["persons"], tmp_path, "postgresql", 1).certificate
    for name in ("measured", "unit", "suppressed", "not_protected"):
        assert found[name] == there[name]


def test_both_passes_see_the_same_rows(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nymity.publishing.running.engine_run import EngineRun

    table = random_table(0)
    url = filled(server, table)
    expected = published(url, tmp_path, "memory", METHODS[0]).certificate["output"]["content_sha256"]
    search, database = EngineRun._search, name_of(url)

    def meddling(run: EngineRun) -> None:
        search(run)
        server.run("INSERT INTO people (id, text) VALUES (-1, 'never counted')", database=database)

    monkeypatch.setattr(EngineRun, "_search", meddling)
    found = published(url, tmp_path, "postgresql", METHODS[0])
    assert found.certificate["output"]["content_sha256"] == expected


def test_what_cannot_be_read_is_refused(server: Server, tmp_path: Path) -> None:
    url = server.url(server.new_database())
    database = name_of(url)
    server.run("CREATE TABLE people (id bigint, text numeric)", database=database)
    with pytest.raises(TableError, match="got numeric"):
        published(url, tmp_path, "postgresql", METHODS[0])
    with pytest.raises(DatabaseError, match="to connect"):
        published("postgresql://nobody@/none?host=/nowhere", tmp_path, "postgresql", METHODS[0])
    with pytest.raises(JobError, match="a table of a PostgreSQL server"):
        ny.publish(
            "people.parquet",
            ny.Schema({"a": ny.quasi()}),
            privacy=[ny.KAnonymity(k=2)],
            output=ny.Output(format="parquet"),
            engine="postgresql",
            out=tmp_path / "o",
        )


def test_what_cells_mean_is_refused_where_rows_stay_on_the_server(server: Server, tmp_path: Path) -> None:
    """Codes for missing values would be counted as values there."""
    url = filled(server, random_table(0, 50))
    with pytest.raises(JobError, match=r"engines read no codes .*got missing.*engine 'memory'"):
        ny.publish(
            ny.DatabaseSource(url=url, table="people", missing=("NA",)),
            ny.Schema({name: schema()[name] for name in TYPES}),
            privacy=PRIVACY,
            output=ny.Output(format="parquet"),
            engine=ny.Engine(kind="postgresql"),
            out=tmp_path / "release",
        )
