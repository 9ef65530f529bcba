"""Every engine against memory and against a slow oracle, on random tables with every type."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from engine_tables import in_files, plain_cell, plain_counts, plain_hash, random_table, schema

import nymity as ny
from nymity.engines import RECORDS, rows_hash, table_hash
from nymity.engines.duckdb_rows import DuckDBRows
from nymity.engines.engine_rows import Rows
from nymity.engines.parquet_source import ParquetSource
from nymity.engines.streaming import StreamedRows, measured_parts
from nymity.publishing.running.engine_counts import Counted, ReleasePlan
from nymity.table.attribute import Attribute, Role

KINDS = ("streaming", "duckdb")
METHODS = [
    ny.OptimalLattice(suppression=0.3),
    ny.OptimalLattice(suppression=0.3, outliers="remove"),
    ny.IterativeRecoding(),
    ny.Mondrian(),
]
PRIVACY = [ny.KAnonymity(k=3), ny.DistinctLDiversity(l=2, attribute="sick")]


def rows_of(kind: str, source: Path, folder: Path) -> Rows:
    found = ParquetSource.of(source)
    return StreamedRows(found, folder, 10**9) if kind == "streaming" else DuckDBRows(found, folder, 10**9, {})


def published(table: pl.DataFrame, folder: Path, kind: str, method: Any = None, **more: Any) -> Any:
    source = folder / "in"
    if not source.exists():
        in_files(table, source)
    return ny.publish(
        str(source),
        more.pop("schema", schema()),
        privacy=PRIVACY,
        method=method or METHODS[0],
        output=ny.Output(format="parquet", row_order=more.pop("row_order", "sorted")),
        engine=ny.Engine(kind=kind, **more.pop("engine", {})),
        out=folder / kind,
        **more,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_counting_is_that_of_a_loop_over_rows(tmp_path: Path, kind: str, seed: int) -> None:
    table = random_table(seed)
    columns = ["text", "^num$", "float", "big", "sick", "money", "moment", "hour", "small", "day", "flag"]
    plain = table.rename({"^num$": "num"})
    expected = plain_counts(plain, [name.strip("^$") for name in columns])
    with rows_of(kind, in_files(table, tmp_path / "in"), tmp_path) as rows:
        found = rows.count(columns)
        gaps = rows.gaps(columns)
    counted: Counter[tuple[str, ...]] = Counter()
    for *cells, records in found.iter_rows():
        counted[tuple(map(plain_cell, cells))] += records
    assert counted == expected
    assert found.select(pl.exclude(RECORDS)).is_duplicated().sum() == 0
    for i, name in enumerate(columns):
        assert gaps[name] == sum(n for cells, n in expected.items() if cells[i] == "")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("row_order", ["sorted", "shuffled"])
def test_the_same_job_gives_the_same_release(tmp_path: Path, seed: int, row_order: str) -> None:
    table, method = random_table(seed), METHODS[seed % len(METHODS)]
    in_memory = published(table, tmp_path, "memory", method, row_order=row_order)
    expected = in_memory.certificate["output"]["content_sha256"]
    assert expected == plain_hash(in_memory.frame)
    for kind in KINDS:
        found = published(table, tmp_path, kind, method, row_order=row_order)
        assert found.certificate["output"]["content_sha256"] == expected, kind
        same = ("promised", "measured", "loss", "suppressed", "job")
        assert {name: found.certificate[name] for name in same} == {name: in_memory.certificate[name] for name in same}
        written = pl.read_parquet(found.path)
        assert plain_hash(written) == expected
        if row_order == "sorted":
            plain = _renamed(written)
            assert plain.equals(plain.sort(plain.columns))
        assert ny.check(found.folder).holds, kind
        assert ny.check(found.folder, engine=kind).holds, kind


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_rows_of_a_file_are_measured_by_their_runs(tmp_path: Path, seed: int, order: str) -> None:
    """A sorted file has few runs of equal rows, a shuffled one many: what is counted is the same."""
    plain = _renamed(random_table(seed)).select("text", "num", "float", "flag", "sick")
    table = pl.concat([plain] * 9)
    table = table.sort(table.columns) if order == "sorted" else table.sample(fraction=1, shuffle=True, seed=seed)
    table.write_parquet(tmp_path / "t.parquet")
    found: Counter[tuple[str, ...]] = Counter()
    for part in measured_parts(tmp_path / "t.parquet", table.columns, tmp_path, 10**9):
        for *cells, records in part.iter_rows():
            found[tuple(map(plain_cell, cells))] += records
    assert found == plain_counts(table, table.columns)


def test_the_hash_tells_tables_apart() -> None:
    table = pl.DataFrame({"a": ["x", "x", "y"], "b": [1, 1, 2]})
    assert table_hash(table) == plain_hash(table) == table_hash(table[[2, 0, 1]])
    for other in (table[:2], pl.concat([table, table]), table.rename({"a": "c"}), table.select("b", "a")):
        assert table_hash(other) != table_hash(table)
    one = pl.DataFrame({"a": ["x\x1f"], "b": ["y"]})
    assert table_hash(one) != table_hash(pl.DataFrame({"a": ["x"], "b": ["\x1fy"]}))


@pytest.mark.parametrize("seed", range(4))
def test_the_hash_is_that_of_its_definition(seed: int) -> None:
    table = random_table(seed)
    assert table_hash(table) == plain_hash(table)


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_custodian_keeps_is_by_a_key(tmp_path: Path, kind: str) -> None:
    table = random_table(1)
    published(table, tmp_path, kind, engine={"mapping": "id"})
    kept = pl.read_parquet(tmp_path / f"{kind}-custodian" / "mapping-by-key.parquet")
    assert kept.columns == ["id", *schema().quasi]
    assert sorted(kept["id"]) == list(range(table.height))
    classes = [name for name in kept.columns if name != "id"]
    written = pl.read_parquet(tmp_path / kind / "release.parquet")
    plain = [plain_counts(_renamed(one), [n.strip("^$") for n in classes]) for one in (kept, written)]
    assert plain[0] == plain[1]


def _renamed(table: pl.DataFrame) -> pl.DataFrame:
    return table.rename({"^num$": "num"})


@pytest.mark.parametrize("kind", KINDS)
def test_gaps_leave_records_out_or_are_refused(tmp_path: Path, kind: str) -> None:
    table = random_table(2)
    dropping = ny.Schema(
        {**schema(), "float": ny.quasi(missing="drop"), "small": Attribute(role=Role.INSENSITIVE, missing="drop")}
    )
    in_memory = published(table, tmp_path, "memory", schema=dropping)
    found = published(table, tmp_path, kind, schema=dropping)
    assert found.certificate["output"]["content_sha256"] == in_memory.certificate["output"]["content_sha256"]
    assert found.certificate["suppressed"] == in_memory.certificate["suppressed"]
    refusing = ny.Schema({**schema(), "small": Attribute(role=Role.INSENSITIVE, missing="error")})
    with pytest.raises(ny.NymityError, match="no missing values"):
        published(table, tmp_path, kind, schema=refusing, force=True)
    assert ny.check(tmp_path / kind).holds  # the earlier release stays


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gap", [True, False])
def test_not_a_number_is_a_gap_though_no_footer_tells_of_it(tmp_path: Path, kind: str, gap: bool) -> None:
    """Bounds of a column in a Parquet file leave not-a-number out, so who believes them looks for none."""
    table = pl.DataFrame({"q": [1.0, 1.0, 2.0, 2.0, float("nan"), None if gap else 2.0], "n": [1] * 6})
    table.write_parquet(tmp_path / "in.parquet")
    for missing, gaps in (("error", 1 + gap), ("drop", 1 + gap), ("category", 0)):
        job: dict[str, Any] = {"privacy": ny.KAnonymity(k=1), "output": ny.Output(format="parquet"), "engine": kind}
        schema = {"q": ny.quasi(missing=missing), "n": ny.insensitive()}  # type: ignore[arg-type]
        if missing == "error":
            with pytest.raises(ny.NymityError, match=f"no missing values .*, got {gaps} of them"):
                ny.publish(tmp_path / "in.parquet", schema, out=tmp_path / missing, **job)
            continue
        found: Any = ny.publish(tmp_path / "in.parquet", schema, out=tmp_path / missing, **job)
        assert found.certificate["output"]["records"] == 6 - gaps
        assert found.certificate["measured"]["classes"] == 2 + (missing == "category")
        assert not pl.read_parquet(found.path)["q"].is_nan().any()


@pytest.mark.parametrize("kind", KINDS)
def test_order_owes_nothing_to_the_source(tmp_path: Path, kind: str) -> None:
    table = random_table(3)
    first = published(table, tmp_path, kind)
    (tmp_path / "other").mkdir()
    second = published(table[::-1], tmp_path / "other", kind)
    assert pl.read_parquet(first.path).equals(pl.read_parquet(second.path))


def test_a_draw_with_the_same_key_is_the_same(tmp_path: Path) -> None:
    table = random_table(3)
    first = published(table, tmp_path, "streaming", row_order="shuffled")
    rows = pl.read_parquet(first.path)
    published(table, tmp_path, "streaming", row_order="shuffled", force=True, log=tmp_path / "streaming-custodian")
    assert pl.read_parquet(first.path).equals(rows)
    other = published(table, tmp_path, "streaming", row_order="shuffled", force=True)
    assert not pl.read_parquet(other.path).equals(rows)
    rows, again = _renamed(rows), _renamed(pl.read_parquet(other.path))
    assert rows.sort(rows.columns).equals(again.sort(rows.columns))


@pytest.mark.parametrize("kind", KINDS)
def test_a_shuffle_that_is_undone_tells_no_order_of_the_source(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nymity.engines.shuffled_rows._BATCH", 70)
    table = random_table(3)
    found = []
    for turned in (table, table[::-1], table[[*range(100, 300), *range(100)]]):
        (folder := tmp_path / str(len(found))).mkdir()
        found.append(pl.read_parquet(published(turned, folder, kind, row_order="shuffled", seed=7).path))
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])
    assert not found[0].equals(pl.read_parquet(published(table, tmp_path, kind).path))


def test_text_files_mean_what_they_do_in_memory(tmp_path: Path) -> None:
    table = _renamed(random_table(5)).select("id", "text", "day", "sick", "num").with_columns(code=pl.lit("007"))
    table = table.with_columns(pl.col("text").str.replace_all(r"[\n\x1f]", " "), price=pl.lit("1.5"))
    path = tmp_path / "table.csv"
    table.write_csv(path)
    described = ny.Schema(
        {
            "id": ny.identifying(),
            "text": ny.quasi(),
            "day": ny.quasi(ny.Hierarchy.dates()),
            "sick": ny.sensitive(),
            "num": ny.quasi(),
            "code": ny.insensitive(),
            "price": ny.insensitive(),
        }
    )
    hashes = set()
    for kind in ("memory", *KINDS):
        found: Any = ny.publish(
            str(path),
            described,
            privacy=PRIVACY,
            method=METHODS[0],
            output=ny.Output(format="parquet"),
            engine=kind,
            out=tmp_path / kind,
        )
        hashes.add(found.certificate["output"]["content_sha256"])
    assert len(hashes) == 1
    types = [dict(pl.read_parquet_schema(tmp_path / kind / "release.parquet")) for kind in ("memory", *KINDS)]
    assert types[0] == types[1] == types[2]


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_hashed_by_ranks_as_by_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Cells that sort before the separator, cells of the same text, many parts: the definition decides."""
    monkeypatch.setattr(rows_hash, "_LINES_AT_A_TIME", 2)
    draw = np.random.default_rng(seed)
    texts = pl.Series(["a", "a\t", "a\x00", "a\x1f", "a\\", "a\n", "a ", "", None, "ab", "ä", "\x01"])
    numbers = pl.Series([1.0, float("nan"), None, 10.0, -0.0, 0.0, 9.5])
    table = pl.DataFrame(
        {
            "c0": texts.gather(draw.integers(0, len(texts), 80)),
            "c1": numbers.gather(draw.integers(0, len(numbers), 80)),
            "c2": texts.gather(draw.integers(0, len(texts), 80)),
        }
    )
    counted = table.with_columns(pl.lit(1, pl.Int64).alias(RECORDS))
    parts = [counted[:30], counted[30:31], counted[31:]]
    expected = plain_hash(table)
    assert rows_hash.counted_hash(table.columns, parts) == expected
    assert rows_hash.counted_hash(table.columns, iter(parts), folder=tmp_path, expected=80, rows=20) == expected


@pytest.mark.parametrize("kind", ["streaming", "duckdb"])
@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_counted_columns_are_published_without_another_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, order: str
) -> None:
    roles = schema()
    chosen = roles.among([*roles.quasi, *roles.sensitive])
    table = random_table(7)
    source = in_files(pl.DataFrame({name: table[name] for name in chosen}), tmp_path / "in")

    def published(out: str, engine: str) -> Any:
        return ny.publish(
            str(source),
            chosen,
            privacy=[ny.KAnonymity(k=3)],
            method=ny.OptimalLattice(suppression=0.2),
            output=ny.Output(format="parquet", row_order=order),
            engine=engine,
            out=tmp_path / out,
        )

    expected = published("memory", "memory").certificate["output"]["content_sha256"]
    for rows in (StreamedRows, DuckDBRows):
        monkeypatch.setattr(rows, "apply", None)  # nobody asks for it
    assert published("other", kind).certificate["output"]["content_sha256"] == expected
    assert ny.check(tmp_path / "other").holds


@pytest.mark.parametrize("kind", KINDS)
def test_a_mapping_of_other_rows_than_the_release_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """As many rows, and cells that were counted; but somebody wrote to the source after the release was written."""
    source, write = tmp_path / "in.parquet", Counted.write
    before, after = (pl.DataFrame({"id": range(12), "q": ["a"] * n + ["b"] * (12 - n)}) for n in (6, 9))
    before.write_parquet(source)

    def changing(counted: Counted, plan: ReleasePlan, rows: Rows, path: Path) -> None:
        write(counted, plan, rows, path)
        after.write_parquet(source)

    monkeypatch.setattr(Counted, "write", changing)
    with pytest.raises(ny.NymityError, match="source changed while it was read"):
        ny.publish(
            source,
            {"id": ny.identifying(), "q": ny.quasi()},
            privacy=[ny.KAnonymity(k=3)],
            output=ny.Output(format="parquet"),
            engine=ny.Engine(kind=kind, mapping="id"),
            out=tmp_path / "out",
        )
    assert not (tmp_path / "out" / "release.parquet").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_mapping_by_a_column_that_is_recoded_is_refused(tmp_path: Path, kind: str) -> None:
    with pytest.raises(ny.NymityError, match=r"engine\.mapping: expected a column that is not quasi-identifying"):
        published(random_table(1), tmp_path, kind, engine={"mapping": schema().quasi[0]})
