"""Bad input, spilling, and runs that die: clear errors, and nothing half-written that looks whole."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from engine_tables import in_files, plain_hash, random_table, schema
from filelock import FileLock
from test_engines import KINDS, PRIVACY, published

import nymity as ny
from nymity.core.errors import FileError, JobError, MissingExtraError, ParameterError, TableError
from nymity.engines import RECORDS, counted_hash, spilling
from nymity.engines.distinct_rows import DistinctRows
from nymity.engines.external_sort import ExternalSort
from nymity.engines.recoding_plan import _places
from nymity.engines.row_layout import packed
from nymity.engines.spill import sweep


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.drop("small"), "no 'small'"),
        (lambda t: t.with_columns(more=pl.lit(1)), "also 'more'"),
        (lambda t: t.with_columns(pl.col("big").cast(pl.Float64)), "big Float64"),
        (lambda t: t.select(reversed(t.columns)), "another order"),
    ],
)
def test_footers_are_compared_first(tmp_path: Path, kind: str, change: Any, said: str) -> None:
    table = random_table(0).rename({"^num$": "num"})
    source = in_files(table, tmp_path / "in")
    change(table).write_parquet(source / "z.parquet")
    with pytest.raises(TableError, match=said):
        published(table, tmp_path, kind)
    assert not (tmp_path / kind).exists() or not list((tmp_path / kind).iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    source = in_files(random_table(0), tmp_path / "in")
    (source / "z.parquet").write_bytes(b"PAR1 and no more PAR1")
    with pytest.raises(FileError, match="intact Parquet file"):
        published(random_table(0), tmp_path, kind)


def test_what_an_engine_cannot_do_is_refused_with_what_it_can(tmp_path: Path) -> None:
    base: dict[str, Any] = {"privacy": (ny.KAnonymity(k=3),), "output": ny.Output(format="parquet")}
    streaming = ny.Engine(kind="streaming")
    person = ny.Schema({"who": ny.household(), "age": ny.quasi()})
    with pytest.raises(JobError, match="records of each person together"):
        ny.Job(schema=person, engine=streaming, **base)
    plain = ny.Schema({"age": ny.quasi(), "s": ny.sensitive()})
    for method in (ny.Mondrian(cuts="relaxed"), ny.KMember()):
        with pytest.raises(JobError, match=r"decides by combinations .*mondrian"):
            ny.Job(schema=plain, method=method, engine=streaming, **base)
    with pytest.raises(JobError, match="'parquet', which engines write"):
        ny.Job(schema=plain, engine=streaming, **{**base, "output": ny.Output()})
    with pytest.raises(JobError, match="a column of the schema"):
        ny.Job(schema=plain, engine=ny.Engine(kind="streaming", mapping="id"), **base)
    with pytest.raises(ParameterError, match="`out`"):
        ny.publish(pl.DataFrame({"age": [1], "s": [1]}), plain, engine="streaming", out=tmp_path / "o", **base)
    with pytest.raises(ParameterError, match="an Engine, or its kind"):
        ny.check(tmp_path, engine=5)
    with pytest.raises(ParameterError, match="'memory', 'streaming'"):
        ny.publish("x.parquet", plain, engine="steaming", out=tmp_path / "o", **base)
    with pytest.raises(JobError, match="which engines read"):
        ny.publish("x.xlsx", plain, engine="streaming", out=tmp_path / "o", **base)


@pytest.mark.parametrize("given", ["much", "3 parsecs", "1MB", "-1GB", 5])
def test_an_amount_of_memory(given: Any) -> None:
    with pytest.raises(ParameterError, match=r"engine\.memory"):
        ny.Engine(kind="duckdb", memory=given)
    assert ny.Engine(kind="duckdb", memory="1.5GB").memory_bytes == 1_500_000_000


def test_settings_pass_through_but_ours(tmp_path: Path) -> None:
    found = published(random_table(0), tmp_path, "duckdb", engine={"settings": {"threads": "1"}})
    assert found.job.engine.settings == {"threads": "1"}
    with pytest.raises(ParameterError, match="nymity does not make itself"):
        published(random_table(0), tmp_path, "duckdb", engine={"settings": {"temp_directory": "/tmp"}}, force=True)
    with pytest.raises(FileError, match="engine duckdb"):
        published(random_table(0), tmp_path, "duckdb", engine={"settings": {"no_such_setting": "1"}}, force=True)


def test_an_engine_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r"nymity\[engines\]"):
        published(random_table(0), tmp_path, "duckdb")


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_that_changes_meanwhile(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from nymity.publishing.running.engine_run import EngineRun

    table = random_table(0)
    search = EngineRun._search

    def meddling(run: EngineRun) -> None:
        search(run)
        table.with_columns(pl.lit("never counted").alias("text")).write_parquet(tmp_path / "in" / "part-1.parquet")

    monkeypatch.setattr(EngineRun, "_search", meddling)
    with pytest.raises((TableError, ny.PromiseError, FileError)):
        published(table, tmp_path, kind, ny.OptimalLattice(suppression=0.3, outliers="remove"))
    assert not (tmp_path / kind / "certificate.json").exists()


@pytest.mark.parametrize("locks_first", [True, False])
def test_a_run_that_starts_at_the_same_time_sweeps_nothing_that_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locks_first: bool
) -> None:
    """Between a folder and its lock: when the lock is there and not held yet, and when it comes while a sweep looks."""
    acquire, iterdir = FileLock.acquire, Path.iterdir
    started: list[Any] = []

    def acquired(lock: FileLock, *arguments: Any, **options: Any) -> Any:
        if not started and locks_first:
            started.append(lock)
            Path(lock.lock_file).touch()
            sweep(tmp_path)
        return acquire(lock, *arguments, **options)

    def seen(folder: Path) -> Any:
        if not started and not locks_first:
            started.append(acquire(FileLock(folder / ".lock")))
        return iterdir(folder)

    monkeypatch.setattr(FileLock, "acquire", acquired)
    monkeypatch.setattr(Path, "iterdir", seen)
    if not locks_first:
        (tmp_path / "nymity-spill-new").mkdir()
        assert sweep(tmp_path) == []
        assert (tmp_path / "nymity-spill-new").exists()
        return
    with spilling(str(tmp_path)) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert sweep(tmp_path) == []
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [40, 400])
def test_rows_that_come_or_go_before_they_are_counted(
    tmp_path: Path, kind: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would be said to have been left out for gaps."""
    from nymity.publishing.running.engine_run import EngineRun

    count, table = EngineRun._count, random_table(0, rows=400)

    def meddling(run: EngineRun) -> None:
        table[:rows].write_parquet(tmp_path / "in" / "part-2.parquet")  # of 329
        count(run)

    monkeypatch.setattr(EngineRun, "_count", meddling)
    with pytest.raises(TableError, match="rows that it was said to have"):
        published(table, tmp_path, kind)
    assert not (tmp_path / kind).exists()


def test_spilled_rows_are_private_and_swept(tmp_path: Path) -> None:
    with spilling(str(tmp_path)) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        with spilling(str(tmp_path)) as other:
            assert other != folder
            assert folder.exists()  # one that lives is left alone
    assert list(tmp_path.iterdir()) == []
    code = f"""
import os
from nymity.engines import spilling
held = spilling({str(tmp_path)!r})
folder = held.__enter__()
(folder / "rows.arrow").write_text("raw rows")
os._exit(9)
"""
    subprocess.run([sys.executable, "-c", code], check=False)
    (left,) = tmp_path.iterdir()
    assert (left / "rows.arrow").exists()
    with spilling(str(tmp_path)):
        assert not left.exists()
    with pytest.raises(FileError, match=r"engine\.temporary"), spilling(str(tmp_path / "nowhere")):
        pass


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_fails_late_leaves_the_earlier_release(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nymity.publishing.running.engine_run import EngineRun

    first = published(random_table(0), tmp_path, kind)
    before = {path.name: path.read_bytes() for path in first.folder.iterdir() if path.is_file()}

    def full(run: EngineRun, path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(EngineRun, "_verify", full)
    with pytest.raises(FileError, match="a full disk"):
        published(random_table(0), tmp_path, kind, force=True)
    assert {path.name: path.read_bytes() for path in first.folder.iterdir() if path.is_file()} == before


def test_a_broken_promise_is_found_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nymity.engines.streaming import StreamedRows

    apply = StreamedRows.apply

    def careless(rows: StreamedRows, plan: Any, path: Path) -> None:
        apply(rows, plan, path)
        table = pl.read_parquet(path)
        columns = {one.name: one for one in table}
        columns["text"] = pl.Series("text", ["alone", *table["text"].cast(pl.String)[1:]])
        pl.DataFrame(list(columns.values())).write_parquet(path)

    monkeypatch.setattr(StreamedRows, "apply", careless)
    with pytest.raises(ny.PromiseError, match="breaks its promise"):
        published(random_table(0), tmp_path, "streaming")
    assert not (tmp_path / "streaming" / "certificate.json").exists()


def test_sorting_and_counting_beyond_memory(tmp_path: Path) -> None:
    draw = np.random.default_rng(4)
    table = pl.DataFrame({"a": draw.integers(0, 30, 5_000), "b": draw.choice(["x", "y", None], 5_000)})
    batches = [batch.with_columns(pl.lit(1, pl.Int64).alias(RECORDS)) for batch in table.iter_slices(300)]
    sort, distinct = ExternalSort(tmp_path, 500, 5_000), DistinctRows(tmp_path, ["a", "b"], most=20)
    for batch in batches:
        sort.add(batch)
        distinct.add(batch.group_by("a", "b").agg(pl.col(RECORDS).sum()))
    assert len(list(tmp_path.iterdir())) > 10  # it did spill
    assert pl.concat(list(sort.sorted())).drop(RECORDS).equals(table.sort("a", "b"))
    counted = pl.concat(list(distinct.parts()))
    assert counted.sort("a", "b").equals(
        table.group_by("a", "b").agg(pl.len().cast(pl.Int64).alias(RECORDS)).sort("a", "b")
    )
    renamed = [one.rename({"a": "c0", "b": "c1"}) for one in batches]
    assert counted_hash(["a", "b"], renamed, folder=tmp_path, expected=5_000, rows=600) == plain_hash(table)


def test_keys_of_several_numbers() -> None:
    sizes = [10**6] * 8
    for places in (_places(sizes), packed(sizes)):
        assert max(word for word, _ in places) == 2
        for word in range(3):
            inside = [(size - 1) * stride for size, (of, stride) in zip(sizes, places, strict=True) if of == word]
            assert sum(inside) < 2**63


def test_a_table_that_would_not_fit_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nymity.publishing.jobs import engine_choice

    in_files(random_table(0), tmp_path / "in")
    said: list[str] = []
    monkeypatch.setattr(engine_choice, "free_memory", lambda: 1_000)
    found: Any = ny.publish(
        str(tmp_path / "in"),
        schema(),
        privacy=PRIVACY,
        method=ny.OptimalLattice(suppression=0.3),
        output=ny.Output(format="parquet"),
        out=tmp_path / "release",
        observe=lambda progress: said.append(progress.stage),
    )
    assert found.job.engine.kind == "streaming"
    assert any("engine 'streaming' reads it in batches" in one for one in said)


@pytest.mark.parametrize("kind", KINDS)
def test_no_record_is_without_gaps(tmp_path: Path, kind: str) -> None:
    table = random_table(0).with_columns(pl.lit("").alias("text"))
    dropping = ny.Schema({**schema(), "text": ny.quasi(missing="drop")})
    with pytest.raises(TableError, match=r"records without gaps .* got none.* missing = 'category'"):
        published(table, tmp_path, kind, schema=dropping)
    assert not (tmp_path / kind).exists()


@pytest.mark.parametrize("dtype", [pl.Categorical(), pl.Enum(["", "a", "b"])])
def test_empty_text_is_a_gap_also_as_a_category(tmp_path: Path, dtype: pl.DataType) -> None:
    table = pl.DataFrame({"q": pl.Series(["", "a", "b", "a", "b", None], dtype=dtype), "n": [1] * 6})
    table.write_parquet(tmp_path / "in.parquet")
    described = ny.Schema({"q": ny.quasi(missing="drop"), "n": ny.insensitive()})
    for kind in ("memory", *KINDS):
        found: Any = ny.publish(
            str(tmp_path / "in.parquet"),
            described,
            privacy=[ny.KAnonymity(k=2)],
            output=ny.Output(format="parquet"),
            engine=kind,
            out=tmp_path / kind,
        )
        assert found.certificate["suppressed"]["dropped_for_missing_values"] == 2, kind


def test_numbers_of_128_bits_are_refused_by_duckdb(tmp_path: Path) -> None:
    table = random_table(0).with_columns(pl.Series("money", [2**90] * 300, dtype=pl.Int128))
    published(table, tmp_path, "streaming")
    with pytest.raises(TableError, match="up to 64 bits"):
        published(table, tmp_path, "duckdb")
    assert not (tmp_path / "duckdb").exists()


def test_an_interrupt_of_a_query_is_an_interrupt(tmp_path: Path) -> None:
    code = f"""
import _thread, signal, threading
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background
from nymity.engines.duckdb_rows import DuckDBRows
from nymity.engines.parquet_source import ParquetSource
folder = Path({str(tmp_path)!r})
with DuckDBRows(ParquetSource.of(folder / "in.parquet"), folder, 10**9, {{}}) as rows:
    threading.Timer(0.5, _thread.interrupt_main).start()
    rows._fetched("SELECT count(*) AS n FROM range(1000000000000) a", "count")
"""
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "in.parquet")
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert done.stderr.strip().splitlines()[-1] == "KeyboardInterrupt"


def test_stopping_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ny.NymityError, match="stopped by the caller"):
        published(random_table(0), tmp_path, "streaming", observe=lambda progress: progress.stage != "verifying")
    assert not (tmp_path / "streaming" / "certificate.json").exists()
    assert not [path for path in (tmp_path / "streaming").glob("**/*") if path.suffix == ".parquet"]


def test_the_command_line(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from nymity.cli.main import app
    from nymity.publishing.jobs.toml import toml_job

    in_files(random_table(0), tmp_path / "in")
    job = ny.Job(
        source=ny.Source(path="in"),
        schema=schema(),
        privacy=tuple(PRIVACY),
        method=ny.OptimalLattice(suppression=0.3),
        output=ny.Output(format="parquet"),
    )
    (tmp_path / "job.toml").write_text(toml_job(job.to_dict()))
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        for kind in KINDS:
            done = CliRunner().invoke(app, ["publish", "job.toml", "--out", kind, "--engine", kind])
            assert done.exit_code == 0, done.output
            assert "every promise holds" in done.output
            assert CliRunner().invoke(app, ["check", kind]).exit_code == 0
            refused = CliRunner().invoke(
                app, ["publish", "job.toml", "--out", "x", "--engine", kind, "--fail-on-warnings"]
            )
            assert refused.exit_code == 1
            assert not (tmp_path / "x" / "certificate.json").exists()
    finally:
        os.chdir(here)


@pytest.mark.parametrize("kind", KINDS)
def test_checking_in_bounded_memory_finds_what_checking_in_memory_does(tmp_path: Path, kind: str) -> None:
    found = published(random_table(0), tmp_path, kind)
    table = pl.read_parquet(found.path)
    assert ny.check(found.folder, engine=kind).holds
    whole = ny.check(found.folder)
    bounded = ny.check(found.folder, engine=kind)
    assert bounded.warnings == whole.warnings
    assert [one.measured for one in bounded.promises] == [one.measured for one in whole.promises]
    money = table.get_column_index("money")
    changed = table.clone().replace_column(money, table["money"].shuffle(seed=1))
    for other in (changed, table[::-1], table[1:], pl.concat([table, table[:1]])):
        other.write_parquet(found.path)
        assert not ny.check(found.folder, engine=kind).holds
        assert not ny.check(found.folder).holds
    with pytest.raises(ParameterError, match="the folder of a release"):
        ny.check(table, engine=kind, certificate=found.certificate)
