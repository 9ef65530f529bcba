"""Certificates: what they say, and above all what they must not say."""

from __future__ import annotations

import getpass
import json
import platform
import re
import socket
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from samples import DIVERSE, K2, people, people_schema, released

from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity
from nymity.publishing.certificates.certificate import salted
from nymity.publishing.custodian.reading_back import read_release
from nymity.publishing.jobs.job import Job, Output, Source
from nymity.publishing.running.pipeline import publish
from nymity.publishing.sealing.fingerprint import file_fingerprint, fingerprint
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

MARK = "ZZMARK"


def secretive(folder: Path) -> Job:
    """A job in which every value, label, path and folder bears the mark; only column names do not."""
    folder.mkdir(parents=True)
    rows = 24
    zips = [f"{MARK}zip{i % 3}" for i in range(rows)]
    jobs = [f"{MARK}job{i % 4}" for i in range(rows)]
    towns = [f"{MARK}town{i % 2}" for i in range(rows)]
    pl.DataFrame(
        {
            "name": [f"{MARK}name{i}" for i in range(rows)],
            "zip": zips,
            "job": jobs,
            "town": towns,
            "grade": [f"{MARK}grade{i % 2}" for i in range(rows)],
            "flag": [f"{MARK}flag{i % 2}" for i in range(rows)],
            "born": [f"19{50 + i % 6}-04-17" for i in range(rows)],
            "disease": [f"{MARK}disease{i % 5}" for i in range(rows)],
            "note": [f"{MARK}note{i}" for i in range(rows)],
        }
    ).write_csv(folder / f"{MARK}table.csv")
    (folder / f"{MARK}zip.csv").write_text("".join(f"{z};{MARK}region;*\n" for z in sorted(set(zips))))
    (folder / f"{MARK}town.json").write_text(json.dumps({f"{MARK}country": sorted(set(towns))}))
    schema = Schema(
        {
            "name": identifying(),
            "zip": quasi(Hierarchy.read(folder / f"{MARK}zip.csv")),
            "job": quasi(Hierarchy.taxonomy({f"{MARK}group": sorted(set(jobs))})),
            "town": quasi(Hierarchy.taxonomy(file=str(folder / f"{MARK}town.json"))),
            "grade": quasi(Hierarchy.ordering(groups={f"{MARK}all": [f"{MARK}grade0", f"{MARK}grade1"]})),
            "flag": quasi(Hierarchy.masking(keep_length=False, char="#")),
            "born": quasi(Hierarchy.dates(levels=("year",), format="%Y-%m-%d")),
            "disease": sensitive(),
            "note": insensitive(),
        }
    )
    return Job(
        schema=schema,
        privacy=(KAnonymity(k=4), DIVERSE),
        method=OptimalLattice(suppression=0.1),
        source=Source(path=str(folder / f"{MARK}table.csv")),
    )


def test_no_value_path_or_name_of_the_user_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / f"{MARK}folder"
    release = publish(secretive(folder), out=tmp_path / f"{MARK}out" / "release")
    written = (tmp_path / f"{MARK}out" / "release" / "certificate.json").read_text(encoding="utf-8")
    assert MARK in str(release.frame.rows())  # the marks were there to be found
    for text in (written, json.dumps(release.certificate)):
        assert MARK not in text
        assert str(tmp_path) not in text
        assert not re.search(r'"[^"]*[\\/][^"]*"', text), "a path"
        words = set(re.findall(r"[^\W_]+", text))
        assert not {getpass.getuser(), socket.gethostname(), platform.node()} & words
        assert "04-17" not in text  # a raw date
        assert release.log.salt not in text


def test_generalized_labels_are_not_in_it() -> None:
    release = released()
    text = json.dumps(release.certificate)
    for name in release.levels:
        for label in set(release.frame[name]) - {"*", None}:
            assert f'"{label}"' not in text
    assert release.frame["age"].is_in(["20-29"]).any()
    assert "20-29" not in text


def test_it_is_json_and_stays_the_same_through_it(tmp_path: Path) -> None:
    release = released(out=tmp_path / "r")
    assert json.loads(json.dumps(release.certificate)) == release.certificate
    assert json.loads((tmp_path / "r" / "certificate.json").read_text(encoding="utf-8")) == release.certificate


def test_the_salted_hash_differs_and_the_content_hash_does_not() -> None:
    first, second = released(), released()
    assert first.certificate["input"]["salted_sha256"] != second.certificate["input"]["salted_sha256"]
    assert first.certificate["output"]["content_sha256"] == second.certificate["output"]["content_sha256"]
    for release in (first, second):
        assert release.certificate["input"]["salted_sha256"] == fingerprint(people(), salt=release.log.salt)
        assert release.certificate["input"]["salted_sha256"] != fingerprint(people())
        assert len(release.log.salt) == 64


def test_versions_and_the_day() -> None:
    certificate = released().certificate
    assert certificate["versions"]["nymity"] == version("nymity")
    assert certificate["versions"]["python"] == platform.python_version()
    assert {"numpy", "numba", "polars", "pydantic"} <= certificate["versions"].keys()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", certificate["created"])


def test_promised_and_measured() -> None:
    certificate = released().certificate
    assert [promise["model"] for promise in certificate["promised"]] == ["k-anonymity", "distinct-l-diversity"]
    assert certificate["promised"][0] | {"means": ""} == {"model": "k-anonymity", "k": 2, "means": ""}
    assert certificate["promised"][1] | {"means": ""} == {
        "model": "distinct-l-diversity",
        "l": 2,
        "attribute": "disease",
        "means": "",
    }
    assert all(promise["means"] for promise in certificate["promised"])
    measured = certificate["measured"]
    assert measured["holds"] is True
    assert (measured["records"], measured["masked_records"]) == (15, 3)
    assert measured["models"][0]["k"] == measured["smallest_class"] >= 2
    assert measured["models"][1]["l"] >= 2


def test_levels_and_hashes_of_hierarchies() -> None:
    release = released()
    columns = {column["name"]: column for column in release.certificate["columns"]}
    assert list(columns) == release.frame.columns
    for name, hierarchy in release.recoding.hierarchies.items():
        assert columns[name]["level"] == release.levels[name]
        assert columns[name]["height"] == hierarchy.height
        assert columns[name]["hierarchy_sha256"] == salted(hierarchy.fingerprint(), release.log.salt)
    assert "level" not in columns["disease"]
    other = publish(people(), people_schema(age=quasi(Hierarchy.intervals(width=7))), privacy=K2)
    assert other.certificate["columns"][0]["hierarchy_sha256"] != columns["age"]["hierarchy_sha256"]


def test_a_suppressed_value_cannot_be_found_by_trying() -> None:
    """An outsider knows the builder (it is in the job) and nearly all ages; the hash must not confirm the last one."""
    builder = Hierarchy.intervals(width=10, levels=3)
    table = pl.DataFrame({"age": [*range(20, 40)] * 5 + [103], "v": range(101)})
    release = publish(table, Schema({"age": quasi(builder), "v": insensitive()}), privacy=KAnonymity(k=5))
    assert release.suppressed == 1
    guesses = [builder.build(pl.Series([*range(20, 40), guess])).fingerprint() for guess in range(40, 121)]
    assert release.recoding.hierarchies["age"].fingerprint() in guesses  # the guess would have been right
    assert not [guess for guess in guesses if guess in json.dumps(release.certificate)]


def test_the_job_without_its_values() -> None:
    job = released().certificate["job"]
    assert job["schema"]["age"] == {"role": "quasi", "hierarchy": {"type": "intervals", "width": 5, "levels": 4}}
    assert job["schema"]["name"] == {"role": "identifying"}
    assert job["method"] == {"name": "optimal-lattice", "suppression": 0.2}
    assert "source" not in job


def test_earlier_releases_are_repeated() -> None:
    told = released(earlier_releases=["of 2023"]).certificate["earlier_releases"]
    assert told == [{"name": "of 2023", "smallest_group": None}]


def test_loss_and_search() -> None:
    release = released()
    loss = release.certificate["loss"]
    assert loss["key"] == "loss"
    assert loss["value"] == release.loss
    assert loss["proven_optimal"] is True
    assert loss["proven_bound"] == loss["value"]
    assert loss["lattice_nodes"] == 5 * 5 * 2
    assert "nodes_checked" not in loss  # it can depend on who has which value


def test_the_file_is_named_and_hashed(tmp_path: Path) -> None:
    release = released(out=tmp_path / "r", output=Output(name="table", format="tsv"))
    output = release.certificate["output"]
    assert output["file"] == "table.tsv"
    assert output["file_sha256"] == file_fingerprint(tmp_path / "r" / "table.tsv")
    assert output["formulas_neutralized"] is True
    assert "file" not in released().certificate["output"]  # nothing was written


# -- the content hash ------------------------------------------------------------------------------------------


def table(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame(columns)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (table(a=["x", None]), table(a=["x", ""])),
        (table(a=[1, 2]), table(a=["1", "2"])),
        (table(a=[1.0, 2.0]), table(a=[1, 2])),  # a spreadsheet cannot tell them apart
        (table(a=["1.0", "2.0"]), table(a=[1.0, 2.0])),  # nor a text file these
        (table(a=[True, None]), table(a=["true", ""])),
        (table(a=pl.Series([0.1], dtype=pl.Float64)), table(a=["0.1"])),
    ],
)
def test_cells_no_file_tells_apart_have_one_hash(one: pl.DataFrame, other: pl.DataFrame) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (table(a=["x"]), table(b=["x"])),
        (table(a=["x", "y"]), table(a=["y", "x"])),
        (table(a=["x"]), table(a=["x", "x"])),
        (table(a=["x"]), table(a=["x "])),
        (table(a=["01"]), table(a=["1"])),
        (table(a=["1.0", "x"]), table(a=["1", "x"])),
        (table(a=["x,y"], b=["z"]), table(a=["x"], b=["y,z"])),
        (table(a=["x\ny"]), table(a=["x", "y"])),
        (table(a=[None, "x"]), table(a=["x", None])),
        (table(a=["x"], b=["y"]), table(b=["y"], a=["x"])),
        (table(a=[1.5, 2.0]), table(a=[1.5, 2.1])),
        (table(a=[2**53 + 1]), table(a=[2**53])),
        (table(a=[[1]]), table(a=[[2]])),
        (table(a=[{"x": 1}]), table(a=[{"x": None}])),
        (table(a=[b"x"]), table(a=[b"y"])),
    ],
)
def test_cells_that_differ_have_another_hash(one: pl.DataFrame, other: pl.DataFrame) -> None:
    assert fingerprint(one) != fingerprint(other)


def test_long_tables_are_hashed_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = table(a=[0.5, 2.0, 3.0], b=["x", "1.0", None])
    expected = fingerprint(whole)
    monkeypatch.setattr("nymity.core.csv_lines._ROWS_AT_A_TIME", 1)
    assert fingerprint(whole) == expected


def test_what_is_hashed_is_what_is_read(tmp_path: Path) -> None:
    release = released(out=tmp_path / "r")
    written = read_release(tmp_path / "r" / "release.csv", release.job.output)
    assert fingerprint(written) == release.certificate["output"]["content_sha256"]
