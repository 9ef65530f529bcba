"""How every benchmark runs: the unit first, then its lines one by one, with what they were measured with."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from nymity.core.progress import Observer, Progress, report
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import counting_unit


def measured(name: str, provenance: str, lines: Callable[[float], Iterator[Line]], observe: Observer) -> BenchResult:
    """Measure the unit, then the lines that depend on it."""
    unit, found = counting_unit(), []
    for line in lines(unit):
        found.append(line)
        report(observe, Progress(stage=f"measured {line.name}", done=len(found)))
    packages = ("nymity", "numpy", "numba", "polars")
    return BenchResult(
        name=name,
        unit_seconds=unit,
        versions={"python": platform.python_version(), **{package: version(package) for package in packages}},
        provenance=provenance,
        lines=tuple(found),
    )


def in_new_process(code: str, environment: Mapping[str, str] | None = None) -> str:
    """Run Python code in a process of its own, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **(environment or {})},
    )
    return done.stdout


def peak_megabytes() -> float:
    """Return the most memory this process had so far."""
    try:  # ru_maxrss would include what the parent process had when it forked
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        peak = next(line for line in lines if line.startswith("VmHWM")).split()[1]
    except OSError:
        peak = str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return int(peak) * 1024 / 1e6
