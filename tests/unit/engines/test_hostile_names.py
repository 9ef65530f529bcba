"""Names of columns that an engine's language, or our own plan, could take for something else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from engine_tables import plain_hash
from test_engines import KINDS

import nymity as ny
from nymity.core.errors import TableError

NAMES = ["records", "^x$", "p0", "P1", "c0", "s1", "k0", "r0", "row", "bucket", "filename", "file_row_number", "rowid"]
NAMES += ["select", "a b", 'x"y', "x'y", "*", "é", "É", "e\u0301", "$1", "cell", "code", "t.r0"]


def described(names: list[str]) -> ny.Schema:
    """The first two are quasi-identifiers, the third is sensitive, the others are published as they are."""
    roles = [ny.quasi(), ny.quasi(), ny.sensitive(), *(ny.insensitive() for _ in names[3:])]
    return ny.Schema(dict(zip(names, roles, strict=True)))


def table_of(names: list[str], seed: int) -> pl.DataFrame:
    """Rows whose columns all differ, so that a column taken for another shows."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {name: pl.Series([f"{i}{n}" for n in draw.integers(0, 3, 200)]) for i, name in enumerate(names)}
    )


def published(source: Path, schema: ny.Schema, kind: str, out: Path, **more: Any) -> Any:
    return ny.publish(
        str(source),
        schema,
        privacy=[ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute=schema.sensitive[0])],
        method=ny.OptimalLattice(suppression=0.5),
        output=ny.Output(format="parquet"),
        engine=ny.Engine(kind=kind, **more),
        out=out,
    )


@pytest.mark.parametrize("turn", range(0, len(NAMES), 3))
def test_no_name_is_taken_for_something_else(tmp_path: Path, turn: int) -> None:
    names = [*NAMES[turn:], *NAMES[:turn]][:8]
    table = table_of(names, turn)
    table.write_parquet(tmp_path / "in.parquet")
    expected = published(tmp_path / "in.parquet", described(names), "memory", tmp_path / "memory")
    for kind in KINDS:
        found = published(tmp_path / "in.parquet", described(names), kind, tmp_path / kind)
        written = pl.read_parquet(found.path)
        assert written.columns == names
        assert plain_hash(written) == expected.certificate["output"]["content_sha256"], kind
        rows = written.rows()
        assert rows == sorted(rows), kind  # by all columns, or ties would keep the order of the source
        assert ny.check(found.folder).holds
        assert ny.check(found.folder, engine=kind).holds


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_differ_in_case_alone(tmp_path: Path, kind: str) -> None:
    table = pl.DataFrame({"name": [f"n{i}" for i in range(40)], "Name": ["x", "y"] * 20, "q": [1, 2] * 20})
    table.write_parquet(tmp_path / "in.parquet")
    schema = ny.Schema({"name": ny.identifying(), "Name": ny.insensitive(), "q": ny.quasi()})
    job: dict[str, Any] = {
        "privacy": [ny.KAnonymity(k=2)],
        "output": ny.Output(format="parquet"),
        "engine": kind,
        "out": tmp_path / kind,
    }
    if kind == "duckdb":
        with pytest.raises(TableError, match="DuckDB ignores"):
            ny.publish(str(tmp_path / "in.parquet"), schema, **job)
        assert not (tmp_path / kind).exists()
    else:
        ny.publish(str(tmp_path / "in.parquet"), schema, **job)
        assert set(pl.read_parquet(tmp_path / kind / "release.parquet")["Name"]) == {"x", "y"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_key_of_a_mapping_may_have_any_name(tmp_path: Path, kind: str) -> None:
    names = ["q", "r", "s"]
    table = table_of(names, 1).with_columns(p2=pl.Series(range(200)))
    table.write_parquet(tmp_path / "in.parquet")
    schema = ny.Schema({**described(names), "p2": ny.identifying()})
    published(tmp_path / "in.parquet", schema, kind, tmp_path / kind, mapping="p2")
    kept = pl.read_parquet(tmp_path / f"{kind}-custodian" / "mapping-by-key.parquet")
    assert kept["p2"].to_list() == list(range(200))


@pytest.mark.parametrize("kind", ["memory", *KINDS])
def test_names_in_the_header_of_a_text_file(tmp_path: Path, kind: str) -> None:
    names = ['x"y', "a,b", "s", " "]
    table_of(names, 1).write_csv(tmp_path / "in.csv", include_bom=True)
    published(tmp_path / "in.csv", described(names), kind, tmp_path / kind)
    assert pl.read_parquet(tmp_path / kind / "release.parquet").columns == names
    (tmp_path / "twice.csv").write_text("q,r,s,q\n1,2,3,4\n")
    with pytest.raises(TableError, match="different names for all columns"):
        published(tmp_path / "twice.csv", described(["q", "r", "s"]), kind, tmp_path / "other")


@pytest.mark.parametrize("place", ["in[1].parquet", "in*", "a?b"])
@pytest.mark.parametrize("kind", ["memory", *KINDS])
def test_the_name_of_a_file_is_no_pattern(tmp_path: Path, kind: str, place: str) -> None:
    names = ["q", "r", "s"]
    source = tmp_path / f"{place}.parquet"
    table_of(names, 1).write_parquet(source)
    table_of(names, 2).write_parquet(tmp_path / "in1.parquet")
    folder = tmp_path / f"{kind} {place} release"  # a folder that is called like a table is refused
    found = published(source, described(names), kind, folder)
    assert found.certificate["input"]["records"] == 200
    assert ny.check(folder).holds
    assert kind == "memory" or ny.check(folder, engine=kind).holds


def test_an_identifying_column_whose_name_is_a_pattern(tmp_path: Path) -> None:
    table = table_of(["^x$", "q", "s"], 1)
    schema = ny.Schema({"^x$": ny.identifying(), "q": ny.quasi(), "s": ny.sensitive()})
    found = ny.publish(table, schema, privacy=[ny.KAnonymity(k=2)])
    assert found.frame.columns == ["q", "s"]
