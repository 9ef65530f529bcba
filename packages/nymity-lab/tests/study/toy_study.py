"""A study of squares: steps that can be slow, fail or die, as the environment says.

Workers import this module, so what steers them from a test is in environment variables.
"""

from __future__ import annotations

import os
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.runner import run_study
from nymity_lab.study.study import Results, Rows, Scale, Step, Study

if TYPE_CHECKING:
    import polars as pl


def square(number: int) -> Rows:
    """Return numpy's numbers, which are not JSON's, after noting that the step was computed."""
    if "TOY_LOG" in os.environ:
        with Path(os.environ["TOY_LOG"]).open("a", encoding="utf-8") as log:
            log.write(f"{number}\n")
    time.sleep(float(os.environ.get("TOY_SECONDS", "0")))
    if str(number) == os.environ.get("TOY_FAILS"):
        raise ValueError(f"no square of {number} today")
    if str(number) == os.environ.get("TOY_DIES"):
        os._exit(7)
    import numpy as np

    return [{"number": number, "square": np.int64(number) ** 2, "root": np.float64(number) ** 0.5}]


def cubes(numbers: list[int]) -> pl.DataFrame:
    """Return a frame."""
    import polars as pl

    return pl.DataFrame({"number": numbers}).with_columns(cube=pl.col("number") ** 3)


def threads() -> Rows:
    """Say how many threads there are."""
    import numba
    import polars as pl

    return [{"numba": numba.config.NUMBA_NUM_THREADS, "polars": pl.thread_pool_size()}]


def infinite() -> Rows:
    """Return what JSON does not know."""
    return [{"value": float("inf")}]


def steps(_: str) -> list[Step]:
    return [Step(id=f"square.n={n}", run=square, parameters={"number": n}) for n in range(4)]


def exhibits(results: Results) -> list[Exhibit]:
    rows = results.rows("square")
    values = [
        Value(series="square", at=r["number"], ours=r["square"], paper={2: 4, 3: 8}.get(r["number"])) for r in rows
    ]
    roots = [Value(series="root", at=r["number"], ours=r["root"]) for r in rows]
    grows = all(a["square"] <= b["square"] for a, b in pairwise(rows))
    return [
        Exhibit(
            number="Table 1",
            title="Squares",
            panels=(
                Panel(title="(a) <squares>", across="n", measure="n²", values=tuple(values), plot="log"),
                Panel(title="(b) roots", across="n", measure="√n", values=tuple(roots)),
            ),
            findings=(Finding(paper="Squares grow.", ours=f"up to {rows[-1]['square']}", holds=grows),),
            notes=("Their 3 squared is 8.",),
        )
    ]


STUDY = TOY = Study(
    name="toy",
    title="Squares & roots",
    source="Nobody (2020)",
    version="1",
    scales={"smoke": Scale(takes="a second"), "quick": Scale(takes="two", needs=("adult",))},
    steps=steps,
    exhibits=exhibits,
)

if __name__ == "__main__":
    run_study(TOY, "smoke", out=sys.argv[1], jobs=1)
