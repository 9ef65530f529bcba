"""Reading: what a first look at a large table costs, and an SPSS file beside pyreadstat alone. Data is generated."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from nymity.core.progress import Observer, silent
from nymity.io import write_table
from nymity_lab.bench.measuring import in_new_process, measured
from nymity_lab.bench.result import BenchResult, Line

PROVENANCE = "pyreadstat's read_sav into polars, the same file, the same machine"
#: Of the table that is looked at, and of the SPSS file.
ROWS, COLUMNS = 1_000_000, 50
_SAV_ROWS = 300_000
_RUNS = 3

#: As the command is started (:mod:`nymity.cli.start`), which sets what libraries do before it loads them.
_INSPECT = """
import json, sys, time
sys.argv = ["nymity", "inspect", {path!r}, "--json"]
from nymity.cli.start import run
try:
    run()
except SystemExit:
    pass
cpu = time.process_time()
from nymity_lab.bench.measuring import peak_megabytes
print(json.dumps([cpu, peak_megabytes()]), file=sys.stderr)
"""
_SAV = """
import json, time
import pyreadstat
from nymity.io import ReadOptions, read_valued
def seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start
ours = min(seconds(lambda: read_valued({path!r}, ReadOptions())) for _ in range({runs}))
bare = min(seconds(lambda: pyreadstat.read_sav({path!r}, output_format="polars")) for _ in range({runs}))
print(json.dumps([ours, bare]))
"""


def bench_reading(observe: Observer = silent) -> BenchResult:
    """Measure everything on generated tables."""
    return measured("reading", PROVENANCE, _lines, observe)


def _lines(unit: float) -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.sav"
        write_table(_table(_SAV_ROWS, 20), path)
        ours, bare = json.loads(in_new_process(_SAV.format(path=str(path), runs=_RUNS)))
        yield Line(
            name=f"read .sav of {_SAV_ROWS:,} × 20, times pyreadstat alone", value=ours / bare, unit="×", target=1.3
        )
        path = Path(folder) / "table.csv"
        _table(ROWS, COLUMNS).write_csv(path, separator=";")
        cpu, peak = min(inspected(path) for _ in range(2))  # the first may have to compile
        what = f"inspect {ROWS:,} × {COLUMNS}"
        yield Line(name=what, value=cpu / unit, unit="G", target=12)
        yield Line(name=f"{what}: peak memory", value=peak, unit="MB", target=2_000)


def inspected(path: Path) -> tuple[float, float]:
    """Return the CPU seconds and the megabytes that ``nymity inspect`` takes for a file.

    Modules are compiled once and kept, as where a package was installed, also where Python is told not to write them.
    """
    import os
    import subprocess
    import sys

    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", _INSPECT.format(path=str(path))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=kept)
    cpu, peak = json.loads(done.stderr.splitlines()[-1])
    return cpu, peak


def _table(rows: int, columns: int) -> pl.DataFrame:
    """Return numbers with codes, decimals, dates, codes with letters and words, in turn."""
    draw = np.random.default_rng(20)
    days = pl.date_range(pl.date(1930, 1, 1), pl.date(2020, 12, 31), "1d", eager=True)
    words = pl.Series([f"word {number}" for number in range(500)])
    kinds = [
        lambda: pl.Series(np.where(draw.random(rows) < 0.01, -9, draw.integers(0, 100, rows))),
        lambda: pl.Series(np.round(draw.lognormal(7, 1, rows), 2)),
        lambda: days.gather(draw.integers(0, len(days), rows)),
        lambda: pl.Series([f"{letter}{number:02}" for letter in "ABCDEFG" for number in range(99)]).gather(
            draw.integers(0, 693, rows)
        ),
        lambda: words.gather(draw.integers(0, len(words), rows)),
    ]
    return pl.DataFrame({f"column{place}": kinds[place % len(kinds)]() for place in range(columns)})
