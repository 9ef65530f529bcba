"""Faults that are none of ours, for real: a disk that is full, a driver that is killed, an executor that is lost."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import FileError

KINDS = ("streaming", "duckdb")
SCHEMA = ny.Schema(
    {
        "age": ny.quasi(ny.Hierarchy.intervals(width=5, levels=3)),
        "zip": ny.quasi(ny.Hierarchy.masking()),
        "sick": ny.sensitive(),
        "amount": ny.insensitive(),
    }
)
MEGABYTES = 2


def table(rows: int = 120_000) -> pl.DataFrame:
    draw = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "age": draw.integers(20, 60, rows),
            "zip": draw.choice(["81667", "81675", "89312"], rows),
            "sick": draw.choice(["flu", "cold"], rows),
            "amount": draw.random(rows),  # no two alike, so that no packing makes them few bytes
        }
    )


def published(source: Path, out: Path, kind: str, temporary: Path | None = None) -> Any:
    return ny.publish(
        str(source),
        SCHEMA,
        privacy=[ny.KAnonymity(k=5)],
        output=ny.Output(format="parquet", row_order="shuffled"),
        engine=ny.Engine(kind=kind, temporary=None if temporary is None else str(temporary)),
        out=out,
    )


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    mount = shutil.which("mount")
    size = f"size={MEGABYTES}m"
    made = mount and subprocess.run([mount, "-t", "tmpfs", "-o", size, "none", str(place)], check=False).returncode == 0
    if not made:
        pytest.skip("no small disk: mounting one is not permitted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_for_what_does_not_fit(tmp_path: Path, small_disk: Path, kind: str) -> None:
    table().write_parquet(tmp_path / "in.parquet")
    with pytest.raises(FileError, match="a full disk"):
        published(tmp_path / "in.parquet", tmp_path / "out", kind, small_disk)
    assert list(small_disk.iterdir()) == []  # raw rows do not stay
    assert not (tmp_path / "out" / "certificate.json").exists()
    assert not (tmp_path / "out" / "release.parquet").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_for_the_release(tmp_path: Path, small_disk: Path, kind: str) -> None:
    table(2_000).write_parquet(tmp_path / "in.parquet")
    first = published(tmp_path / "in.parquet", small_disk / "out", kind)
    before = {path.name: path.read_bytes() for path in first.folder.iterdir() if path.is_file()}
    table(400_000).write_parquet(tmp_path / "in.parquet")
    with pytest.raises(ny.NymityError, match=r"full disk|No space left"):
        published(tmp_path / "in.parquet", small_disk / "other", kind)
    assert not (small_disk / "other" / "certificate.json").exists()
    assert not (small_disk / "other" / "release.parquet").exists()
    assert {path.name: path.read_bytes() for path in first.folder.iterdir() if path.is_file()} == before
    assert ny.check(first.folder).holds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stage", ["_apply", "_verify", "_custodian_log"])
def test_a_driver_that_is_killed(tmp_path: Path, kind: str, stage: str) -> None:
    """Whenever it dies, what lies there is the release as it was, and the next run finishes and sweeps."""
    source, out, temporary = tmp_path / "in.parquet", tmp_path / "out", tmp_path / "spilled"
    temporary.mkdir()
    table(3_000).write_parquet(source)
    code = f"""
    import os, signal, sys
    sys.path.insert(0, {str(Path(__file__).parent)!r})
    from pathlib import Path
    from nymity.publishing.running.engine_run import EngineRun
    from test_real_faults import published
    inner = EngineRun.{stage}
    def dying(*given):
        inner(*given)
        os.kill(os.getpid(), signal.SIGKILL)
    EngineRun.{stage} = dying
    published(Path({str(source)!r}), Path({str(out)!r}), {kind!r}, Path({str(temporary)!r}))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(list(temporary.iterdir())) == 1  # what it spilled is still there, for nobody else to read
    assert not (out / "certificate.json").exists()
    assert not (out / "release.parquet").exists()
    release = published(source, out, kind, temporary)
    assert list(temporary.iterdir()) == []
    assert ny.check(release.folder).holds
    left = [path.name for path in tmp_path.rglob("*") if path.name.startswith(".") and path.is_file()]
    assert not [name for name in left if name.endswith(".parquet")]


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    """Say what a driver runs that loses an executor between counting and applying, in a cluster of two."""
    if find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip("no Spark: pyspark or Java is missing")
    return textwrap.dedent(
        f"""
        import os, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        import nymity as ny
        from nymity.publishing.running.engine_run import EngineRun
        from test_real_faults import SCHEMA
        tmp = Path({str(tmp_path)!r})

        def executors():
            found = []
            for place in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    told = place.read_bytes()
                except OSError:  # it has ended
                    continue
                if told.split(b"\\0")[0].endswith(b"java") and b"CoarseGrainedExecutorBackend" in told:
                    found += [int(place.parent.name)] if os.fsencode(tmp) in told else []
            return found

        def publish(engine):
            return ny.publish(
                str(tmp / "in"), SCHEMA, privacy=[ny.KAnonymity(k=5)], output=ny.Output(format="parquet"),
                engine=engine, out=tmp / engine.kind,
            )

        spark = ny.Engine(kind="spark", master="local-cluster[2,1,600]", memory="600MB", temporary=str(tmp), settings={{
            "spark.executor.memory": "600m", "spark.sql.shuffle.partitions": "3",
            "spark.executor.extraJavaOptions": "-Dnymity.test=" + str(tmp),
        }})
        """
    )


def test_a_lost_executor_changes_nothing(tmp_path: Path, cluster: str) -> None:
    (tmp_path / "in").mkdir()
    for i in range(4):
        table(3_000)[i * 700 : (i + 1) * 700].write_parquet(tmp_path / "in" / f"part-{i}.parquet")
    code = cluster + textwrap.dedent(
        """
        search = EngineRun._search
        def losing(run):
            search(run)
            there = executors()
            assert len(there) == 2, there
            os.kill(there[0], signal.SIGKILL)
        EngineRun._search = losing
        found = publish(spark).certificate["output"]["content_sha256"]
        EngineRun._search = search
        assert found == publish(ny.Engine(kind="streaming")).certificate["output"]["content_sha256"]
        print("the same")
        """
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=500)
    assert "the same" in done.stdout, done.stderr[-3000:]


def test_a_task_that_fails_leaves_nothing(tmp_path: Path, cluster: str) -> None:
    """Every try of a task fails: a file that was there when rows were counted is broken afterwards."""
    (tmp_path / "in").mkdir()
    for i in range(4):
        table(3_000)[i * 700 : (i + 1) * 700].write_parquet(tmp_path / "in" / f"part-{i}.parquet")
    code = cluster.replace("local-cluster[2,1,600]", "local[2,2]") + textwrap.dedent(
        """
        search = EngineRun._search
        def breaking(run):
            search(run)
            whole = (tmp / "in" / "part-2.parquet").read_bytes()
            (tmp / "in" / "part-2.parquet").write_bytes(whole[:200] + bytes(len(whole) - 208) + whole[-8:])
        EngineRun._search = breaking
        try:
            publish(spark)
        except ny.NymityError as error:
            print("refused:", error)
        """
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=500)
    assert "refused: engine spark: expected to recode rows" in done.stdout, done.stdout + done.stderr[-3000:]
    assert "nothing was published" in done.stdout
    assert not (tmp_path / "spark" / "certificate.json").exists()
    assert not (tmp_path / "spark" / "release.parquet").exists()
    assert not list(tmp_path.glob("nymity-spill-*"))
