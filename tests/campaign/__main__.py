"""Run the campaign: ``python -m tests.campaign --jobs 20000 --seed 0 --seconds 3600``.

One seed is one job, so that a run can be continued with the next seeds and any finding be looked at again:
``python -m tests.campaign --only 4711``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .trial import TRACEBACK, WRONG, Result, try_out

#: So many of each kind of fault are printed; all of them are in the file.
EXAMPLES = 5
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Try the jobs out, write the counts, and say what is wrong."""
    asked = _arguments()
    seeds = [asked.only] if asked.only is not None else range(asked.seed, asked.seed + asked.jobs)
    tally = _Tally(asked.out, asked.go_on)
    seeds = [seed for seed in seeds if seed not in tally.done]
    started, ended = time.monotonic(), False
    with multiprocessing.get_context("spawn").Pool(asked.processes) as pool:
        for result in pool.imap_unordered(try_out, seeds, chunksize=8):
            tally.add(result)
            if any(tally.families[family] <= EXAMPLES for family, _ in result.faults):
                _say(_told(result))
            if time.monotonic() - started > asked.seconds:
                ended = True
                break
        if ended:
            pool.terminate()
    tally.save()
    _say(tally.summary(time.monotonic() - started))
    return int(bool(tally.wrong))


class _Tally:
    """Counts by method, model, kind of release and outcome, kept in a file."""

    def __init__(self, path: Path, go_on: bool) -> None:
        self.path, self.counts, self.wrong = path, Counter[str](), []
        self.families: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.done: set[int] = set()
        if go_on and path.exists():
            data = json.loads(path.read_text(encoding="utf-8"))
            self.counts.update(data["counts"])
            self.families.update(data["families"])
            self.refusals.update(data["refusals"])
            self.wrong = data["wrong"]
            self.done = {seed for first, last in data["seeds"] for seed in range(first, last + 1)}

    def add(self, result: Result) -> None:
        self.done.add(result.seed)
        for model in result.models:
            self.counts[f"{result.method} | {model} | {result.kind} | {result.outcome}"] += 1
        self.counts[f"all | all | all | {result.outcome}"] += 1
        self.families.update({family for family, _ in result.faults})
        if result.outcome.startswith("refused"):
            self.refusals[_outline(result.said)] += 1
        if result.outcome in (WRONG, TRACEBACK):
            self.wrong.append(asdict(result))
        if len(self.done) % 200 == 0:
            self.save()

    def save(self) -> None:
        data = {
            "seeds": _ranges(sorted(self.done)),
            "jobs": len(self.done),
            "outcomes": {k.split(" | ")[-1]: n for k, n in self.counts.items() if k.startswith("all |")},
            "families": dict(self.families.most_common()),
            "counts": dict(sorted(self.counts.items())),
            "refusals": dict(self.refusals.most_common(200)),
            "wrong": self.wrong,
        }
        self.path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def summary(self, seconds: float) -> str:
        lines = [f"{len(self.done)} jobs, {seconds:.0f} s, counts in {self.path}"]
        table: dict[str, Counter[str]] = {}
        for key, n in self.counts.items():
            method, _, kind, outcome = key.split(" | ")
            table.setdefault(f"{method}, {kind.split(' ')[0]}", Counter())[outcome] += n
        for name, outcomes in sorted(table.items()):
            lines.append(f"  {name:38}" + ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items())))
        lines += [f"  {n:6} {family}" for family, n in self.families.most_common()]
        return "\n".join(lines)


def _ranges(seeds: list[int]) -> list[tuple[int, int]]:
    """Return whole numbers as ranges, first and last."""
    ranges: list[tuple[int, int]] = []
    for seed in seeds:
        if ranges and ranges[-1][1] == seed - 1:
            ranges[-1] = (ranges[-1][0], seed)
        else:
            ranges.append((seed, seed))
    return ranges


def _outline(message: str) -> str:
    """Return an error without what is particular to its job."""
    return "".join("#" if c.isdigit() else c for c in message.split(", got")[0])[:120]


def _told(result: Result) -> str:
    faults = "\n".join(f"    {family}: {text}" for family, text in result.faults)
    return f"{result.outcome} {result.said}\n{faults}\n    again: python -m tests.campaign --only {result.seed}"


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _arguments() -> Any:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("--jobs", type=int, default=20_000, help="how many jobs (default 20,000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many seconds")
    parser.add_argument("--processes", type=int, default=2, help="how many at a time (default 2)")
    parser.add_argument("--only", type=int, help="the job of this seed alone")
    parser.add_argument("--out", type=Path, default=ROOT / "campaign.json", help="where counts go")
    parser.add_argument(
        "--go-on", action="store_true", help="add to the counts in --out, leaving out seeds that were run"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
