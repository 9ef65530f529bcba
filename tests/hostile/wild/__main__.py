"""Run wild cases: ``python -m tests.hostile.wild --cases 20000 --seed 0 --processes 2 --out wild.json``.

A case is drawn from the seed and its number: ``python -m tests.hostile.wild --seed 0 --only 4711`` runs one again.
"""

from __future__ import annotations

import os

os.environ |= {
    "POLARS_MAX_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "RUST_BACKTRACE": "0",
}  # before they are imported

import argparse
import importlib
import json
import pkgutil
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import asking, frames, stock, surroundings, tampering
from .case import Kind
from .driver import Result, results
from .outcome import Outcome

KINDS = {
    "files": Kind(run=asking.files, share=260),
    "frames": Kind(run=frames.frames, share=190),
    "jobs": Kind(run=asking.jobs_changed, share=200),
    "parameters": Kind(run=asking.parameters, share=120),
    "tampering": Kind(run=tampering.tampering, share=190),
    "environment": Kind(run=surroundings.environment, share=20, alone=True),
    "kills": Kind(run=surroundings.kills, share=8, alone=True),
    "two at once": Kind(run=surroundings.two_at_once, share=4, alone=True),
    "processes": Kind(run=surroundings.processes, share=4, alone=True),
}


def main() -> int:
    """Run the cases, write the counts, and say what is wrong."""
    asked = _arguments()
    kinds = {name: kind for name, kind in KINDS.items() if not asked.kinds or name in asked.kinds.split(",")}
    numbers = [asked.only] if asked.only is not None else list(range(asked.first, asked.first + asked.cases))
    base = Path(tempfile.mkdtemp(prefix="wild-")).resolve()
    tally, started = _Tally(asked), time.monotonic()
    try:
        _make_stock(base / "stock")
        for result in results(numbers, asked.seed, kinds, base, asked.processes):
            tally.add(result)
    except KeyboardInterrupt:
        _say("stopped")
    finally:
        shutil.rmtree(base, ignore_errors=True)
        if asked.out is not None:
            tally.save(asked.out)
    _say(tally.summary(time.monotonic() - started))
    return int(bool(tally.defects))


def _make_stock(folder: Path) -> None:
    """Make it in a process of its own, so that this one only imports: threads do not live through a fork."""
    _import_all()
    folder.mkdir()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            stock.make(folder)
            stock.warm(folder.with_name("warm"))
            code = 0
        except BaseException:  # noqa: BLE001 -- told, and the process ends
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError("the stock of good releases cannot be made")


def _import_all() -> None:
    """Import what commands import when they are called, so that no forked process has to."""
    import nymity

    for found in pkgutil.walk_packages(nymity.__path__, "nymity."):
        if not found.name.startswith(("nymity.study", "nymity.robust", "nymity.bench", "nymity.__main__")):
            importlib.import_module(found.name)


class _Tally:
    """Counts by kind and outcome, and every defect."""

    def __init__(self, asked: Any) -> None:
        self.asked, self.counts, self.seconds = asked, Counter[tuple[str, str]](), Counter[str]()
        self.defects: list[Result] = []

    def add(self, result: Result) -> None:
        self.counts[result.kind, result.outcome] += 1
        self.seconds[result.kind] += result.seconds  # type: ignore[assignment]
        if Outcome(result.outcome).is_defect:
            self.defects.append(result)
        if Outcome(result.outcome).is_defect or self.asked.only is not None or self.asked.all:
            _say(
                f"-- {result.number} {result.kind}: {result.outcome}\n{result.said}\n   again: {self._command(result)}"
            )

    def _command(self, result: Result) -> str:
        kinds = f" --kinds '{self.asked.kinds}'" if self.asked.kinds else ""
        return f"python -m tests.hostile.wild --seed {self.asked.seed}{kinds} --only {result.number}"

    def save(self, path: Path) -> None:
        data = {
            "seed": self.asked.seed,
            "first": self.asked.first,
            "cases": self.counts.total(),
            "outcomes": {outcome: sum(n for (_, o), n in self.counts.items() if o == outcome) for outcome in Outcome},
            "kinds": {kind: {o: self.counts[kind, o] for o in Outcome if self.counts[kind, o]} for kind in KINDS},
            "processor_seconds": {kind: round(spent, 2) for kind, spent in self.seconds.items()},
            "defects": [{**asdict(result), "again": self._command(result)} for result in self.defects],
        }
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", errors="replace")

    def summary(self, seconds: float) -> str:
        total, spent = self.counts.total(), sum(self.seconds.values())
        lines = [f"{total} cases, {seconds:.0f} s, {spent / max(total, 1):.3f} s of processor time a case"]
        for kind in KINDS:
            found = {outcome: self.counts[kind, outcome] for outcome in Outcome if self.counts[kind, outcome]}
            if found:
                each = self.seconds[kind] / sum(found.values())
                lines.append(
                    f"  {kind:12} {each:6.3f} s  " + ", ".join(f"{n} {outcome}" for outcome, n in found.items())
                )
        return "\n".join(lines)


def _say(text: str) -> None:
    sys.stdout.write(text.encode(errors="replace").decode() + "\n")
    sys.stdout.flush()


def _arguments() -> Any:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.wild", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="how many (default 20,000)")
    parser.add_argument("--seed", type=int, default=0, help="draws them all (default 0)")
    parser.add_argument("--first", type=int, default=0, help="the first number (default 0)")
    parser.add_argument("--only", type=int, help="the case of this number alone")
    parser.add_argument("--kinds", default="", help=f"some kinds alone, comma-separated: {', '.join(KINDS)}")
    parser.add_argument("--processes", type=int, default=2, help="how many at a time (default 2)")
    parser.add_argument("--all", action="store_true", help="print every case, not only defects")
    parser.add_argument("--out", type=Path, help="where counts and defects go, as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
