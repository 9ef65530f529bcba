"""URLs of databases: no password, no user that is repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

import nymity as ny
from nymity.core.errors import InputError, ParameterError
from nymity.database.address import Address

SECRET = "s3cret"

WITH_PASSWORD = [
    f"postgresql://alice:{SECRET}@db.example/clinic",
    f"postgres://alice:{SECRET}@db.example:5432,other.example/clinic",
    f"postgresql://alice:@db.example/{SECRET}",
    f"postgresql://:{SECRET}@db.example/clinic",
    f"postgresql://alice:{SECRET}/x@db.example/clinic",
    f"postgresql://alice:{SECRET}@x@db.example/clinic",
    f"postgresql://db.example/clinic?password={SECRET}",
    f"postgresql://db.example/clinic?user=alice&PASSWORD={SECRET}",
    f"postgresql://db.example/clinic?sslpassword={SECRET}",
    f"postgresql://alice%3A{SECRET}:{SECRET}@/clinic",
    f"postgresql://db.example/clinic?oauth_client_id=me&oauth_client_secret={SECRET}",
    f"postgresql://db.example/clinic?scram_client_key={SECRET}",
    f"postgresql://db.example/clinic?%73cram_server_key={SECRET}",
    f"postgresql://db.example/clinic?sslmode=require#&password={SECRET}",
]


@pytest.mark.parametrize("url", WITH_PASSWORD)
def test_a_password_is_refused_with_the_way_out_and_never_repeated(url: str) -> None:
    for make in (lambda: ny.DatabaseSource(url=url, table="t"), lambda: ny.DatabaseOutput(url=url, table="t")):
        with pytest.raises(InputError, match=r"\.url: expected a URL without a password.*~/\.pgpass") as failed:
            make()
        assert SECRET not in str(failed.value)
        assert "alice" not in str(failed.value)


def test_a_password_in_a_job_file_is_refused(tmp_path: Path) -> None:
    job = tmp_path / "job.toml"
    job.write_text(f'[source]\nurl = "{WITH_PASSWORD[0]}"\ntable = "t"\n[schema.a]\nrole = "quasi"\n'
                   '[[privacy]]\nmodel = "k-anonymity"\nk = 2\n')  # fmt: skip
    with pytest.raises(InputError, match=r"source\.url: expected a URL without a password") as failed:
        ny.Job.load(job)
    assert SECRET not in str(failed.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://alice@db.example:5433/clinic", "postgresql://db.example:5433/clinic"),
        ("postgresql:///clinic?user=alice&host=/run/pg&sslmode=require", "postgresql:///clinic?host=/run/pg"),
        ("postgresql:///?service=clinic", "postgresql:///?service=clinic"),
        ("postgresql://db/c?passfile=/x&sslkey=/k&sslrootcert=/r&require_auth=scram-sha-256", "postgresql://db/c"),
        ("postgres://a%20b@one,two/c", "postgresql://one,two/c"),
        ("sqlite:///folder/a.db", "sqlite:///folder/a.db"),
        ("duckdb:////abs/a%3Fb.duckdb", "duckdb:////abs/a?b.duckdb"),
    ],
)
def test_users_are_not_shown(url: str, shown: str) -> None:
    assert Address.of("url", url).shown == shown


def test_users_are_taken_out_of_what_a_server_says() -> None:
    address = Address.of("url", "postgresql://alice@db.example/clinic?user=bob")
    said = 'FATAL: password authentication failed for user "carol" (alice, bob); role "dan" does not exist; bobsleigh'
    found = address.without_users(said)
    assert not any(name in found.replace("bobsleigh", "") for name in ("alice", "bob", "carol", "dan"))
    assert "bobsleigh" in found


@pytest.mark.parametrize(
    "url", ["", "clinic", "mysql://host/db", "sqlite://x.db", "duckdb:///", "sqlite:///a?b=c", "x\0"]
)
def test_what_is_no_url_of_a_database_is_refused(url: str) -> None:
    with pytest.raises(ParameterError):
        Address.of("url", url)


def test_relative_paths_start_at_the_job(tmp_path: Path) -> None:
    found = Address.of("url", "sqlite:///data/a%3Fb.db").within(tmp_path)
    assert found.file == tmp_path / "data" / "a?b.db"
    assert Address.of("url", found.url) == found
