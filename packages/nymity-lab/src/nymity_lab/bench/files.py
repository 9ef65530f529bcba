"""From file to file: what a whole ``nymity publish`` costs, process start to end, beside ARX.

Reading table and hierarchies, searching, writing, verifying and the certificate are in it; the report is a line of its
own. ARX reads the same files, searches and writes the table. Starting the interpreter and importing are part of every
figure, and told apart in a line of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nymity.core.progress import Observer, silent
from nymity.publishing.jobs.toml import toml_job
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import counting_unit
from nymity_lab.datasets import PublicDataset, public

PROVENANCE = (
    "ARX 3.9.2, OpenJDK 17, from file to file, process start to end, k=5, 5% suppression, two cores; it writes no "
    "certificate or report and verifies nothing"
)


@dataclass(frozen=True, kw_only=True)
class ProcessCost:
    """What a process took: CPU of all threads and its children in G, seconds on the clock, and its largest memory."""

    cpu: float
    wall: float
    megabytes: float


@dataclass(frozen=True, kw_only=True)
class Case:
    """Files to publish: how they are laid out in a folder, goals in G without and with a report, and what ARX takes."""

    name: str
    lay_out: Callable[[Path], None]
    plain: float
    reported: float | None
    arx: ProcessCost | None
    rows: int | None = None  #: of a table that is large enough to tell what a row takes


#: Rows of the large table, and the most bytes that each may take beside the table itself.
CENSUS, BYTES = 1_000_000, 250
_RUNS = 3
_NO_REPORT = "--no-report"
#: Everything that a plain publish imports, as a command does it (``nymity/cli/start.py``).
_IMPORTS = """
import gc
gc.disable()
from nymity.cli.dataclass_code import compiled_once
with compiled_once():
    import nymity.cli.main, nymity.cli.publish, nymity.publishing.running.run
    import nymity.report.about, jinja2, nymity.kernels.kept
gc.freeze()
"""
_READING = f"{_IMPORTS}\nfrom nymity.io import read_table\ntable = read_table('table.csv')"
#: Runs a command and tells what it took, from a process that is small: Linux counts the memory of the one that starts a
#: command as the command's, until it is larger itself.
_WATCHED = """
import json, os, sys, time
start = time.perf_counter()
_, status, used = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
took = [used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss]
print(json.dumps([os.waitstatus_to_exitcode(status), *took]))
"""


def bench_files(observe: Observer = silent) -> BenchResult:
    """Measure everything; needs Adult, CUP and ACS under NYMITY_DATA."""
    return measured("files", PROVENANCE, _lines, observe)


def cases() -> Iterator[Case]:
    """Yield what is published."""
    adult = ProcessCost(cpu=28, wall=3.3, megabytes=430)
    yield Case(name="adult", lay_out=lambda f: _lay_out(public("adult"), f), plain=7, reported=11, arx=adult)
    cup = ProcessCost(cpu=62, wall=7.2, megabytes=640)
    yield Case(name="cup", lay_out=lambda f: _lay_out(public("cup"), f), plain=11, reported=17, arx=cup)
    noisy = ProcessCost(cpu=42, wall=4.9, megabytes=781)
    yield Case(name="adult ten times with noise", lay_out=_ten_times, plain=11, reported=16, arx=noisy)
    yield Case(
        name=f"{CENSUS:,} census records", lay_out=_lay_out_census, plain=20, reported=None, arx=None, rows=CENSUS
    )


def _lines(unit: float) -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as compiled:
        yield from _start(compiled, unit)
        for case in cases():
            with tempfile.TemporaryDirectory() as folder:
                case.lay_out(Path(folder))
                yield from _case(case, Path(folder), compiled)


def _start(compiled: str, unit: float) -> Iterator[Line]:
    cost = _cost([sys.executable, "-c", _IMPORTS], Path(compiled), compiled, unit)
    yield Line(name="of that: interpreter start and imports", value=cost.cpu, unit="G")


def _case(case: Case, folder: Path, compiled: str) -> Iterator[Line]:
    for options, target in (([_NO_REPORT], case.plain), ([], case.reported)):
        if target is None:
            continue
        unit = counting_unit()  # of the same minutes
        command = [sys.executable, "-m", "nymity", "publish", "job.toml", "--out", "release", "--force", "--quiet"]
        cost = _cost([*command, *options], folder, compiled, unit)
        what, arx = " ".join(["publish", case.name, *options]), case.arx
        yield Line(name=what, value=cost.cpu, unit="G", target=target, reference=arx.cpu if arx else None)
        yield Line(name=f"{what}: clock", value=cost.wall, unit="s", reference=arx.wall if arx else None)
        name, most = f"{what}: peak memory", arx.megabytes if arx else None
        yield Line(name=name, value=cost.megabytes, unit="MB", reference=most)
        if case.rows is not None:
            table = _cost([sys.executable, "-c", _READING], folder, compiled, unit)
            beside = (cost.megabytes - table.megabytes) * 1e6 / case.rows
            name = f"{what}: memory beside imports and the table as read"
            yield Line(name=name, value=beside, unit="bytes a row", target=BYTES)


def _cost(command: list[str], folder: Path, compiled: str, unit: float) -> ProcessCost:
    """Return the median of some runs; one before them compiles, as installing a package does."""
    costs = [_run(command, folder, compiled, unit) for _ in range(_RUNS + 1)][1:]
    return ProcessCost(
        cpu=_middle([cost.cpu for cost in costs]),
        wall=_middle([cost.wall for cost in costs]),
        megabytes=max(cost.megabytes for cost in costs),
    )


def _run(command: list[str], folder: Path, compiled: str, unit: float) -> ProcessCost:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, *command],
        cwd=folder,
        env={**environment, "PYTHONPYCACHEPREFIX": compiled},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    code, cpu, wall, kilobytes = json.loads(done.stdout.splitlines()[-1])
    if code:
        raise subprocess.CalledProcessError(code, command)
    return ProcessCost(cpu=cpu / unit, wall=wall, megabytes=kilobytes * 1024 / 1e6)


def _lay_out(data: PublicDataset, folder: Path) -> None:
    """Write the table, its hierarchies and the job as files."""
    schema: dict[str, dict[str, Any]] = {}
    for number, name in enumerate(data.table.columns):
        rows = [";".join(map(str, row)) for row in data.hierarchies[name].rows()]
        (folder / f"hierarchy-{number}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        schema[name] = {"role": "quasi", "hierarchy": {"type": "file", "path": f"hierarchy-{number}.csv"}}
    _write(data.table, schema, folder)


def _ten_times(folder: Path) -> None:
    """Lay Adult out ten times, a twentieth of the cells of each column drawn anew from it."""
    data, drawn = public("adult"), np.random.default_rng(21)
    table = pl.concat([data.table] * 10)
    columns = []
    for column in table:
        others = column.gather(drawn.integers(0, table.height, table.height))
        anew = pl.Series(drawn.random(table.height) < 0.05)
        columns.append(pl.select(pl.when(anew).then(others).otherwise(column)).to_series().alias(column.name))
    _lay_out(replace(data, table=pl.DataFrame(columns)), folder)


def _lay_out_census(folder: Path) -> None:
    """Draw records of the ACS with replacement: eight quasi-identifiers, the occupation published as it is."""
    table = public("acs").table
    table = table[np.random.default_rng(21).integers(0, table.height, CENSUS)]
    steps = {"Age": 5, "Education": 3, "Birthplace": 25, "Hours": 5}
    quasi = ["Age", "Gender", "Education", "Marital", "Race", "WorkClass", "Birthplace", "Hours"]
    schema: dict[str, dict[str, Any]] = {name: {"role": "quasi"} for name in quasi}
    for name, width in steps.items():
        schema[name]["hierarchy"] = {"type": "intervals", "width": width, "levels": 3}
    schema["Occ200"] = {"role": "sensitive"}
    _write(table.select(*quasi, "Occ200"), schema, folder)


def _write(table: pl.DataFrame, schema: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    table.write_csv(folder / "table.csv", separator=";")
    job = {
        "source": {"path": "table.csv"},
        "schema": schema,
        "privacy": [{"model": "k-anonymity", "k": 5}],
        "method": {"name": "optimal-lattice", "loss": "loss-geometric", "suppression": 0.05},
    }
    (folder / "job.toml").write_text(toml_job(job), encoding="utf-8")


def _middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
