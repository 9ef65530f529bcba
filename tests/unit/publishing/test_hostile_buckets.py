"""Sensitive tables that lie about their size: compared with the release before anything is laid out for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from test_publish_buckets import PROMISE, SCHEMA, patients, released

import nymity as ny
from nymity.core.errors import InputError, TableError
from nymity.publishing.checking.check import Answer
from nymity.utility import Released

BIG = 2**63 - 1


def forged(counts: pl.DataFrame, *values: int | None, dtype: type[pl.DataType] = pl.Int64) -> pl.DataFrame:
    """Put other counts into the first rows."""
    told = [*values, *counts["count"].to_list()[len(values) :]]
    return counts.with_columns(pl.Series("count", told, dtype=dtype))


@pytest.mark.parametrize(
    "values", [(10**12,), (BIG,), (10**12, -(10**12)), (BIG, BIG), (BIG,) * 40, (0,), (-1,), (None,), (-BIG - 1,)]
)
def test_a_check_says_that_the_tables_contradict_each_other(values: tuple[int, ...]) -> None:
    release = released()
    assert release.counts is not None
    found = ny.check(ny.open(release.frame, sensitive=forged(release.counts, *values), job=release.job))
    assert found.answer is Answer.BROKEN
    assert any("more or fewer records" in problem or "below one" in problem for problem in found.problems)
    assert found.verification.records <= release.frame.height


def test_counts_that_only_seem_right_when_they_overflow() -> None:
    """2 (2^63 - 1) + 5 is 3 in 64 bits."""
    table = pl.DataFrame({"age": [20, 21, 22], "sex": ["m"] * 3, "note": ["n"] * 3, "bucket": [0, 0, 0]})
    counts = pl.DataFrame({"bucket": [0, 0, 0], "disease": ["flu", "cold", "hiv"], "count": [BIG, BIG, 5]})
    job = ny.Job(schema=SCHEMA, privacy=(PROMISE,), method=ny.Buckets())
    found = ny.check(ny.open(table, sensitive=counts, job=job))
    assert any("more or fewer records" in problem for problem in found.problems)
    with pytest.raises(TableError, match="as many sensitive values as rows"):
        Released(frame=table, counts=counts)


def test_numbers_beyond_64_bits_and_other_kinds() -> None:
    release = released()
    assert release.counts is not None
    for counts in (
        forged(release.counts, 2**64 - 1, dtype=pl.UInt64),
        release.counts.with_columns(pl.col("count").cast(pl.String)),
        release.counts.with_columns(pl.col("count").cast(pl.Float64)),
        release.counts.with_columns(pl.lit(2**64 - 1, dtype=pl.UInt64).alias("bucket")),
        release.counts.with_columns(pl.lit("x").alias("bucket")),
    ):
        with pytest.raises(InputError):
            ny.check(ny.open(release.frame, sensitive=counts, job=release.job))
        with pytest.raises(InputError):
            Released(frame=release.frame, counts=counts)


@pytest.mark.parametrize("values", [(10**12,), (0,), (-1,), (None,), (10**12, -(10**12) + 2)])
def test_queries_and_attacks_refuse_them(values: tuple[int, ...]) -> None:
    release = released()
    assert release.counts is not None
    with pytest.raises(TableError, match="as many sensitive values as rows"):
        Released(frame=release.frame, counts=forged(release.counts, *values))


def test_the_command_line_needs_no_memory_for_them(tmp_path: Path) -> None:
    job = ny.Job(schema=SCHEMA, privacy=(PROMISE,), method=ny.Buckets())
    ny.publish(patients(), job.schema, privacy=PROMISE, method=job.method, out=tmp_path / "release")
    sensitive = tmp_path / "release" / "release-sensitive.csv"
    lines = sensitive.read_text().splitlines()
    sensitive.write_text("\n".join([lines[0], lines[1].rpartition(",")[0] + f",{10**12}", *lines[2:]]) + "\n")
    command = [sys.executable, "-m", "nymity", "check", str(tmp_path / "release" / "release.csv")]
    command += ["--certificate", str(tmp_path / "release" / "certificate.json")]
    code = (
        "import resource, subprocess, sys\n"
        "run = subprocess.run(sys.argv[1:], capture_output=True, text=True)\n"
        "print(run.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "print(run.stderr, run.stdout)"
    )
    told = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True).stdout
    returned, most = told.splitlines()[0].split()
    assert returned == "1", told
    assert "Traceback" not in told
    assert int(most) < 1_000_000
