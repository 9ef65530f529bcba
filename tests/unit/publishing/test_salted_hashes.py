"""Hashes that nobody can look up: the custodian's salt goes into every hash of what is not published.

The expected values are computed here from bytes, not by the functions under test.
"""

from __future__ import annotations

import hashlib
import json

import polars as pl

import nymity as ny

SOURCE = pl.DataFrame({"zip": ["10", "11", "20", "21"], "sex": ["m", "f", "m", "f"]})
PEOPLE = pl.DataFrame({"zip": ["10", "11", "20", "21"] * 2, "sex": ["m", "f", "m", "f"] * 2})
SCHEMA = ny.Schema({"zip": ny.quasi(ny.Hierarchy.masking()), "sex": ny.quasi()})


def release() -> ny.Release:
    return ny.publish(SOURCE, SCHEMA, privacy=ny.KMap(k=2, population=PEOPLE), method=ny.OptimalLattice())


def table_bytes(table: pl.DataFrame) -> bytes:
    """A table as it is hashed: names as JSON, then cells line by line."""
    names = json.dumps(table.columns, ensure_ascii=False) + "\n"
    return (names + "".join(",".join(row) + "\n" for row in table.iter_rows())).encode()


def with_salt(salt: str, content: bytes) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + content).hexdigest()


def test_the_input_and_the_population_are_hashed_with_the_salt() -> None:
    found = release()
    for section, table in (("input", SOURCE), ("population", PEOPLE)):
        stated = found.certificate[section]["salted_sha256"]
        assert stated == with_salt(found.log.salt, table_bytes(table))
        assert stated != hashlib.sha256(table_bytes(table)).hexdigest(), "anybody could try out tables"


def test_hierarchies_are_hashed_with_the_salt() -> None:
    found = release()
    for column in found.certificate["columns"]:
        plain = found.recoding.hierarchies[column["name"]].fingerprint()
        assert column["hierarchy_sha256"] == with_salt(found.log.salt, bytes.fromhex(plain))
        assert column["hierarchy_sha256"] not in (plain, hashlib.sha256(bytes.fromhex(plain)).hexdigest())


def test_no_salted_hash_is_the_same_in_two_releases_of_one_table() -> None:
    def hashes(found: ny.Release) -> list[str]:
        stated = found.certificate
        columns = [column["hierarchy_sha256"] for column in stated["columns"]]
        return [stated["input"]["salted_sha256"], stated["population"]["salted_sha256"], *columns]

    first, second = release(), release()
    assert first.certificate["output"]["content_sha256"] == second.certificate["output"]["content_sha256"]
    assert len({*hashes(first), *hashes(second)}) == 2 * len(hashes(first)) == 8


def test_hierarchies_of_different_values_differ() -> None:
    one, other = (ny.Hierarchy.masking().build(pl.Series(values)) for values in (["10", "11"], ["10", "12"]))
    assert one.fingerprint() != other.fingerprint()
