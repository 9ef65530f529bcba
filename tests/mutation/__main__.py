"""Run a mutation campaign: ``python -m tests.mutation --per-module 2 --seed 1``.

Every mutant is written into a copy of the tree, and the tests that know its module run there. A mutant that no test
notices survives: it needs a test, or a reason in ``equivalent.toml`` why it is no mistake at all.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from .bench import ROOT, Bench, say
from .modules import modules
from .mutants import Mutant, mutants_of

#: Answers that stay when a campaign goes on.
NOTICED = ("killed", "timeout")
#: One more mutant is drawn of a module for so many that can be made of it.
SHARE = 60


def main() -> int:
    """Run the mutants that were asked for, and say which survived without a reason."""
    asked = _arguments()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # ends what is under way too
    reasons = tomllib.loads((ROOT / "tests/mutation/equivalent.toml").read_text(encoding="utf-8"))
    known = json.loads(asked.out.read_text(encoding="utf-8")) if asked.out.exists() and asked.go_on else []
    results = [result for result in known if result["answer"] in NOTICED]  # the others are tried again
    done, drawn = {result["id"] for result in results}, _chosen(asked)
    chosen = [(module, mutant) for module, mutant in drawn if mutant.id not in done]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        bench = Bench(Path(folder) / "tree", asked.out.with_suffix(".tests.json"))
        for number, (module, mutant) in enumerate(chosen, 1):
            answer = "equivalent" if mutant.id in reasons else bench.try_out(module, mutant)
            results.append(
                {"id": mutant.id, "module": module, "line": mutant.line, "diff": mutant.diff, "answer": answer}
            )
            asked.out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            say(f"{number}/{len(chosen)} {answer}: {mutant.id}")
            if answer == "survived":
                say(f"    src/nymity/{module}:{mutant.line}\n    " + mutant.diff.replace("\n", "\n    "))
    asked_for = {mutant.id for _, mutant in drawn}
    return _summary([result for result in results if result["id"] in asked_for], reasons)


def _chosen(asked: argparse.Namespace) -> list[tuple[str, Mutant]]:
    """Draw mutants of each module; the same ones for the same seed and the same source."""
    chosen: list[tuple[str, Mutant]] = []
    for module in modules(ROOT):
        if asked.only and not any(part in module for part in asked.only):
            continue
        found = mutants_of((ROOT / "src/nymity" / module).read_text(encoding="utf-8"), module)
        if asked.ids:
            chosen += [(module, mutant) for mutant in found if any(part in mutant.id for part in asked.ids)]
            continue
        number = min(asked.per_module + len(found) // SHARE, len(found))
        drawn = random.Random(f"{asked.seed}:{module}").sample(range(len(found)), number)
        chosen += [(module, found[n]) for n in sorted(drawn)]
    return chosen


def _summary(results: list[dict[str, Any]], reasons: dict[str, Any]) -> int:
    answers = [("equivalent" if result["id"] in reasons else result["answer"]) for result in results]
    counts = {answer: answers.count(answer) for answer in dict.fromkeys(answers)}
    say(f"{len(results)} mutants: " + ", ".join(f"{n} {answer}" for answer, n in sorted(counts.items())))
    for result, answer in zip(results, answers, strict=True):
        if answer in ("survived", "tests fail without it"):
            say(f"{answer}: src/nymity/{result['module']}:{result['line']}  {result['id']}")
    return int("survived" in counts or "tests fail without it" in counts)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--per-module", type=int, default=2, help="how many of each, large ones more (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="which ones are drawn (default 1)")
    parser.add_argument("--only", action="append", help="only modules with this in their path; may be repeated")
    parser.add_argument("--ids", action="append", help="exactly the mutants with this in their id; may be repeated")
    parser.add_argument("--out", type=Path, default=ROOT / "mutants.json", help="where results go")
    parser.add_argument("--go-on", action="store_true", help="run only what --out does not name as noticed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
