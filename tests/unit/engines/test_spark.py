"""Spark, for real: local mode with two tasks at a time, several files and partitions, one session for all tests."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from engine_tables import in_files, plain_hash, random_table, schema
from test_engines import METHODS, published
from test_person_engines import published as of_persons
from test_person_engines import visits
from test_private_engines import people
from test_private_engines import published as private

import nymity as ny
from nymity.core.errors import FileError, MissingExtraError, TableError
from nymity.engines.spark_rows import check_java

#: Spark has no times of day.
COLUMNS = [name for name in schema() if name != "hour"]


def table_of(seed: int) -> pl.DataFrame:
    return random_table(seed).drop("hour")


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Start the one session."""
    if find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip("no Spark: pyspark or Java is missing")
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "3").config("spark.log.level", "ERROR")
    session = builder.config("spark.local.dir", str(folder)).config("spark.driver.memory", "1g").getOrCreate()
    yield
    session.stop()


@pytest.mark.parametrize(("seed", "row_order"), [(0, "sorted"), (3, "shuffled")])
def test_the_same_job_gives_the_same_release(spark: None, tmp_path: Path, seed: int, row_order: str) -> None:
    table, described = table_of(seed), ny.Schema({name: schema()[name] for name in COLUMNS})
    given: dict[str, Any] = {"schema": described, "row_order": row_order}
    in_memory = published(table, tmp_path, "memory", METHODS[seed], **given)
    found = published(table, tmp_path, "spark", METHODS[seed], engine={"mapping": "id"}, **given)
    assert found.certificate["output"]["content_sha256"] == in_memory.certificate["output"]["content_sha256"]
    written = pl.read_parquet(found.path)
    assert plain_hash(written) == found.certificate["output"]["content_sha256"]
    assert written.schema == pl.read_parquet_schema(tmp_path / "memory" / "release.parquet")
    assert ny.check(found.folder).holds
    kept = pl.read_parquet(tmp_path / "spark-custodian" / "mapping-by-key.parquet")
    assert sorted(kept["id"]) == list(range(table.height))


def test_the_name_of_a_file_is_no_pattern(spark: None, tmp_path: Path) -> None:
    """A file whose name is a pattern of another one's would be read as that one."""
    table = random_table(2, rows=200).select("text", "sick")
    described = ny.Schema({"text": ny.quasi(), "sick": ny.sensitive()})
    (tmp_path / "in").mkdir()
    for i, name in enumerate(("in1", "in[1]", "in{1,2}", "in?\\*", "a%20b #")):
        table[40 * i : 40 * (i + 1)].write_parquet(tmp_path / "in" / f"{name}.parquet")
    in_memory, found = (published(table, tmp_path, kind, schema=described) for kind in ("memory", "spark"))
    assert found.certificate["output"]["content_sha256"] == in_memory.certificate["output"]["content_sha256"]
    for name in ("a:b", "_a", ".a"):
        table.write_parquet(tmp_path / f"{name}.parquet")
        with pytest.raises(FileError, match="a name that Spark reads"):
            publish_file(tmp_path / f"{name}.parquet", described)


def publish_file(path: Path, described: ny.Schema) -> Any:
    privacy, output = [ny.KAnonymity(k=2)], ny.Output(format="parquet")
    return ny.publish(str(path), described, privacy=privacy, output=output, engine="spark", out=path.parent / "one")


def test_a_search_begins_at_the_same_levels(spark: None, tmp_path: Path) -> None:
    table, described = table_of(1), ny.Schema({name: schema()[name] for name in COLUMNS})
    given: dict[str, Any] = {"schema": described, "engine": {"combinations": 60}}
    in_memory = published(table, tmp_path, "memory", METHODS[0], **given).certificate
    found = published(table, tmp_path, "spark", METHODS[0], **given).certificate
    assert found["loss"]["begun"]["levels"]
    assert found["loss"] == in_memory["loss"]
    assert found["output"]["content_sha256"] == in_memory["output"]["content_sha256"]


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_frames_of_spark_are_taken_as_they_are(spark: None, tmp_path: Path) -> None:
    from pyspark.sql import SparkSession

    table = ny.datasets.hospital(rows=300).select("age", "sex", "diagnosis")
    table.write_parquet(tmp_path / "stays.parquet")
    frame = SparkSession.active().read.parquet(str(tmp_path / "stays.parquet"))
    release = ny.publish(frame, {"age": "quasi", "sex": "quasi", "diagnosis": "sensitive"}, k=5)
    assert type(release.table) is pl.DataFrame
    assert release.verification.holds
    assert ny.measure(frame, ["age", "sex"]).smallest_class == ny.measure(table, ["age", "sex"]).smallest_class
    assert ny.compare(frame, release).records == 300
    with pytest.raises(ny.NymityError, match=r'toPandas\(\)\["age"\]'):
        ny.Hierarchy.suggest(frame["age"])
    with pytest.raises(ny.NymityError, match=r"the Spark frame: expected rows .*Try: frame\.show"):
        ny.inspect(frame.selectExpr("raise_error('broken') AS age"))


def test_persons_and_private_releases_are_those_of_streaming(spark: None, tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "people.parquet")
    drawn = {kind: private(tmp_path / "people.parquet", tmp_path / "dp", kind) for kind in ("streaming", "spark")}
    assert drawn["spark"].certificate["output"] == {
        **drawn["streaming"].certificate["output"],
        "file_sha256": drawn["spark"].certificate["output"]["file_sha256"],
    }
    source = in_files(visits(1), tmp_path / "in")
    found = {kind: of_persons(source, tmp_path, kind, 1) for kind in ("streaming", "spark")}
    for name in ("measured", "unit", "suppressed", "not_protected"):
        assert found["spark"].certificate[name] == found["streaming"].certificate[name]


def test_what_spark_cannot_read_is_said_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("pyspark") is None:
        pytest.skip("no Spark: pyspark is missing")
    with pytest.raises(TableError, match="times of day"):
        published(random_table(0), tmp_path, "spark")
    assert not list((tmp_path / "spark").glob("*.parquet")) if (tmp_path / "spark").exists() else True


def test_java_that_is_missing_or_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(FileError, match="expected a Java, got none by JAVA_HOME"):
        check_java()
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_292\"' >&2\n")
    java.chmod(0o755)
    with pytest.raises(FileError, match="expected Java 17 or later, got openjdk version"):
        check_java()


def test_spark_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError, match=r"nymity\[spark\]"):
        published(table_of(0), tmp_path, "spark", schema=ny.Schema({name: schema()[name] for name in COLUMNS}))
