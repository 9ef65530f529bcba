"""Scale: what a whole ``nymity publish`` costs by engine on a generated census of 10^6, 10^7 and 10^8 records.

Eight quasi-identifiers and a sensitive column that depends on them: at most three million combinations of the nine,
whatever the number of records. Sizes and engines are taken from ``NYMITY_SCALE``, such as ``1e6:memory,1e7:duckdb``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
import polars as pl

from nymity.core.progress import Observer, silent
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import counting_unit

PROVENANCE = "goals of the project; a process from start to end, without report"
#: Sizes and engines that are measured unless others are named.
USUAL = "1e6:memory,1e6:streaming,1e6:duckdb,1e7:memory,1e7:streaming,1e7:duckdb"
#: Most G and MB, by records and engine.
GOALS = {
    (10**7, "memory"): (120, 3_000),
    (10**7, "streaming"): (200, 2_000),
    (10**8, "duckdb"): (2_200, 4_500),
    (10**8, "streaming"): (2_200, 3_000),
}
_PROFILES, _ROWS_A_FILE = 3_000_000, 1_000_000
_JOB = """
[source]
path = "census"
[schema]
age = {{ role = "quasi", hierarchy = {{ type = "intervals", width = 5, levels = 4 }} }}
sex = {{ role = "quasi" }}
region = {{ role = "quasi", hierarchy = {{ type = "masking" }} }}
education = {{ role = "quasi" }}
marital = {{ role = "quasi" }}
origin = {{ role = "quasi" }}
work = {{ role = "quasi" }}
hours = {{ role = "quasi" }}
disease = {{ role = "sensitive" }}
[[privacy]]
model = "k-anonymity"
k = 5
[[privacy]]
model = "distinct-l-diversity"
l = 2
attribute = "disease"
[method]
name = "optimal-lattice"
suppression = 0.05
[output]
format = "parquet"
[engine]
kind = "{kind}"
{memory}
"""
#: The command, which also leaves what CPU its stages took: the clock of a shared machine says little.
_WATCHED = """
import json, os, pathlib, time
from nymity.cli import start
os.environ.setdefault(*start._WAITING)  # as it does, before numpy is loaded
from nymity.publishing.running.stages import Staged
inner, cpu = Staged._stage, {}
def stage(run, name, work):
    before = time.process_time()
    inner(run, name, work)
    cpu[name] = time.process_time() - before
Staged._stage = stage
try:
    start.run()
finally:
    pathlib.Path("cpu.json").write_text(json.dumps(cpu), encoding="utf-8")
"""
_MEMORY = {"duckdb": 'memory = "4GB"', "streaming": 'memory = "1GB"'}


@dataclass(frozen=True, kw_only=True)
class RunCost:
    """What one run took: CPU in G, seconds on the clock, megabytes; of each stage CPU in G, and the clock.

    Spark has a process of its own, whose CPU and memory are in none of them: there the clock alone says something.
    """

    cpu: float
    wall: float
    megabytes: float
    stages: dict[str, float]
    clocks: dict[str, float]


def bench_scale(observe: Observer = silent) -> BenchResult:
    """Measure the sizes and engines that ``NYMITY_SCALE`` names."""
    return measured("scale", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    del unit  # each run has that of its own minutes
    wanted = [one.partition(":") for one in os.environ.get("NYMITY_SCALE", USUAL).split(",")]
    costs: dict[str, dict[int, RunCost]] = {}
    with tempfile.TemporaryDirectory(dir=os.environ.get("NYMITY_SCALE_FOLDER")) as folder:
        for size in dict.fromkeys(size for size, _, _ in wanted):
            rows = int(float(size))
            write_census(Path(folder) / "census", rows)
            for _, _, kind in (one for one in wanted if one[0] == size):
                cost = published(Path(folder), kind)
                costs.setdefault(kind, {})[rows] = cost
                yield from _of_run(rows, kind, cost)
    for kind, by_rows in costs.items():
        yield from _exponents(kind, by_rows)


def _of_run(rows: int, kind: str, cost: RunCost) -> Iterator[Line]:
    name, (most, megabytes) = f"{rows:,} records, {kind}", GOALS.get((rows, kind), (None, None))
    yield Line(name=name, value=cost.cpu, unit="G", target=most)
    yield Line(name=f"{name}: clock", value=cost.wall, unit="s")
    yield Line(name=f"{name}: peak memory", value=cost.megabytes, unit="MB", target=megabytes)
    for stage, seconds in cost.clocks.items():
        yield Line(name=f"{name}: {stage}", value=cost.stages[stage], unit="G")
        yield Line(name=f"{name}: {stage}, clock", value=seconds, unit="s")


def _exponents(kind: str, by_rows: dict[int, RunCost]) -> Iterator[Line]:
    """Yield by which power of the number of records costs grow, between neighbouring sizes: 1 is linear."""
    sizes = sorted(by_rows)
    for small, large in pairwise(sizes):
        for what in ("counting", "recoding and writing", "verifying"):
            costs = (by_rows[rows].clocks if kind == "spark" else by_rows[rows].stages for rows in (small, large))
            before, after = (of_size.get(what) for of_size in costs)
            if before and after:
                power = log(after / before) / log(large / small)
                yield Line(name=f"{kind}, {what}: exponent from {small:,} to {large:,}", value=power, unit="power")


def published(folder: Path, kind: str) -> RunCost:
    """Publish the census of a folder, and return what the process took."""
    (folder / "job.toml").write_text(_JOB.format(kind=kind, memory=_MEMORY.get(kind, "")), encoding="utf-8")
    command = [sys.executable, "-c", _WATCHED, "publish", "job.toml", "--out", "release", "--force", "--quiet"]
    unit, start = counting_unit(), time.perf_counter()
    process = subprocess.Popen([*command, "--no-report"], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)  # what this process took, and no other
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise RuntimeError(f"nymity publish with engine {kind} ended with {process.returncode}")
    log_ = json.loads((folder / "release-custodian" / "log.json").read_text(encoding="utf-8"))
    stages = json.loads((folder / "cpu.json").read_text(encoding="utf-8"))
    return RunCost(
        cpu=(used.ru_utime + used.ru_stime) / unit,
        wall=time.perf_counter() - start,
        megabytes=used.ru_maxrss * 1024 / 1e6,
        stages={name: seconds / unit for name, seconds in stages.items()},
        clocks=log_["seconds"],
    )


def write_census(folder: Path, rows: int) -> None:
    """Write the records of so many people, a file for each million."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.parquet"):
        old.unlink()
    profiles = _profiles()
    draw = np.random.default_rng(21)
    for number, start in enumerate(range(0, rows, _ROWS_A_FILE)):
        chosen = draw.integers(0, _PROFILES, min(_ROWS_A_FILE, rows - start))
        profiles[chosen].write_parquet(folder / f"part-{number:04}.parquet")


def _profiles() -> pl.DataFrame:
    """Return the combinations that people have: values are skewed, some are missing, and disease depends on age."""
    draw, n = np.random.default_rng(20), _PROFILES
    age = np.clip(draw.gamma(6, 7, n) + 10, 15, 95).astype(np.int64)
    sick = (age // 12 + draw.geometric(0.35, n)) % 20

    def words(name: str, size: int, power: float) -> pl.Series:
        places = np.minimum(draw.zipf(power, n) - 1, size - 1)
        cells = pl.Series([f"{name} {'äöüßé'[i % 5]}{i:02}" for i in range(size)]).gather(places)
        return cells.set(pl.Series(draw.random(n) < 0.01), None)

    return pl.DataFrame(
        {
            "age": age,
            "sex": words("sex", 2, 1.6),
            "region": pl.Series([f"R{i:02}" for i in range(50)]).gather(np.minimum(draw.zipf(1.4, n) - 1, 49)),
            "education": words("school", 12, 1.7),
            "marital": words("state", 6, 1.8),
            "origin": words("origin", 5, 2.2),
            "work": words("work", 20, 1.6),
            "hours": words("hours", 8, 1.9),
            "disease": pl.Series([f"disease {i}" for i in range(20)]).gather(sick),
        }
    )
