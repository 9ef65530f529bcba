"""From file to file: what a whole ``nymity publish`` costs, process start to end, beside ARX.

Reading table and hierarchies, searching, writing, verifying and the certificate are in it; the report is a line of its
own. ARX reads the same files, searches and writes the table.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nymity.core.progress import Observer, silent
from nymity.datasets import PublicDataset, public
from nymity.publishing.toml import toml_job
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line

PROVENANCE = (
    "ARX 3.9.2, OpenJDK 17, from file to file, process start to end, k=5, 5% suppression, two cores; it writes no "
    "certificate or report and verifies nothing"
)


@dataclass(frozen=True, kw_only=True)
class ProcessCost:
    """What a process took: CPU of all threads in G, seconds on the clock, and its largest memory."""

    cpu: float
    wall: float
    megabytes: float


ARX = {"adult": ProcessCost(cpu=28, wall=3.3, megabytes=430), "cup": ProcessCost(cpu=62, wall=7.2, megabytes=640)}
_RUNS = 3


def bench_files(observe: Observer = silent) -> BenchResult:
    """Measure everything; needs Adult and CUP under NYMITY_DATA."""
    return measured("files", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    for name, arx in ARX.items():
        with tempfile.TemporaryDirectory() as folder:
            _lay_out(public(name), Path(folder))
            for options in (["--no-report"], []):
                yield from _publish(name, Path(folder), options, unit, arx)


def _publish(name: str, folder: Path, options: list[str], unit: float, arx: ProcessCost) -> Iterator[Line]:
    costs = [_run(folder, options, unit) for _ in range(_RUNS + 1)][1:]  # the first compiles
    what = " ".join(["publish", name, *options])
    target = arx.cpu if options else None
    yield Line(name=what, value=_middle([c.cpu for c in costs]), unit="G", target=target, reference=arx.cpu)
    yield Line(name=f"{what}: clock", value=_middle([c.wall for c in costs]), unit="s", reference=arx.wall)
    peak = max(cost.megabytes for cost in costs)
    yield Line(name=f"{what}: peak memory", value=peak, unit="MB", reference=arx.megabytes)


def _run(folder: Path, options: list[str], unit: float) -> ProcessCost:
    command = [
        sys.executable,
        "-m",
        "nymity",
        "publish",
        "job.toml",
        "--out",
        "release",
        "--force",
        "--quiet",
        *options,
    ]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return ProcessCost(cpu=(usage.ru_utime + usage.ru_stime) / unit, wall=wall, megabytes=usage.ru_maxrss * 1024 / 1e6)


def _lay_out(data: PublicDataset, folder: Path) -> None:
    """Write the table, its hierarchies and the job as files."""
    data.table.write_csv(folder / "table.csv", separator=";")
    schema: dict[str, dict[str, object]] = {}
    for number, name in enumerate(data.table.columns):
        rows = [";".join(map(str, row)) for row in data.hierarchies[name].rows()]
        (folder / f"hierarchy-{number}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        schema[name] = {"role": "quasi", "hierarchy": {"type": "file", "path": f"hierarchy-{number}.csv"}}
    job = {
        "source": {"path": "table.csv"},
        "schema": schema,
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "method": {"name": "optimal-lattice", "loss": "loss-geometric", "suppression": 0.05},
    }
    (folder / "job.toml").write_text(toml_job(job), encoding="utf-8")


def _middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
