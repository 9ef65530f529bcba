"""Choosing an engine: what a call asks for, or streaming where a table would not fit into memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from nymity.core.errors import FileError, JobError
from nymity.core.memory import free_memory
from nymity.core.progress import Observer, Progress, report
from nymity.engines import Engine
from nymity.io import parquet_files
from nymity.publishing.jobs.job import Job, Source

#: Memory that a table takes beyond its cells while it is published: encoded, recoded, sorted and read back.
_TIMES = 3.0
#: Bytes in memory for each byte of a text file.
_TEXT = 2.0


def with_engine(job: Job, engine: Engine | str | None) -> Job:
    """Return the job with the engine that a call names."""
    if engine is None:
        return job
    return replace(job, engine=Engine.of(engine))


def with_fitting_engine(job: Job, observe: Observer) -> Job:
    """Return the job with engine 'streaming' where its table would not fit into memory, and say so."""
    if job.engine is not None or not isinstance(job.source, Source):
        return job
    if (said := too_large(job)) is None:
        return job
    try:
        streamed = replace(job, engine=Engine(kind="streaming"))
    except JobError as error:
        # It is read into memory all the same: it may fit, and whoever waits knows why it may not.
        report(observe, Progress(stage=f"{said}; it cannot be streamed ({error.where}: {error.got})"))
        return job
    report(observe, Progress(stage=f"{said}: engine 'streaming' reads it in batches"))
    return streamed


def too_large(job: Job) -> str | None:
    """Say how much memory the table of a job takes that does not fit; None where it does, or nothing tells."""
    if not isinstance(job.source, Source):
        return "the rows are in a database"
    needed, free = _needed(Path(job.source.path)), free_memory()
    if needed is None or free is None or needed < free:
        return None
    return f"the table takes about {needed / 1e9:.1f} GB in memory, and {free / 1e9:.1f} GB are free"


def _needed(path: Path) -> float | None:
    """Estimate what publishing a file takes; None where nothing tells."""
    try:
        if path.is_file() and path.suffix.lower() in (".csv", ".tsv", ".txt"):
            return path.stat().st_size * _TEXT * _TIMES
        files = [path] if path.suffix.lower() == ".parquet" and path.is_file() else []
        files += parquet_files(path) if path.is_dir() else []
        if not files:
            return None
        # A cell takes at least eight bytes once it is a number, or the view of a text.
        scans = [pl.scan_parquet(file, glob=False, hive_partitioning=False) for file in files]
        cells = sum(int(scan.select(pl.len()).collect().item()) * len(scan.collect_schema()) for scan in scans)
        return max(cells * 16, sum(file.stat().st_size for file in files)) * _TIMES
    except (OSError, FileError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None  # whoever reads it says what is wrong
