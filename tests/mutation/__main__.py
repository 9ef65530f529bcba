"""Run a mutation campaign: ``python -m tests.mutation --per-module 4 --seed 1``.

Every mutant is written into a copy of the tree, and the tests that know its module run there. A mutant that no test
notices survives: it needs a test, or a reason in ``equivalent.toml`` why it is no mistake at all.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import hypothesis  # noqa: F401 -- imported once, before the forks
import numba  # noqa: F401
import numpy  # noqa: F401
import polars  # noqa: F401
import pydantic  # noqa: F401
import pytest
import scipy.stats  # noqa: F401

from .modules import files_of, modules
from .mutants import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[2]
#: A mutant that loops for ever is noticed too, after so many seconds beyond what the tests take without it.
PATIENCE = 120


def main() -> int:
    """Run the mutants that were asked for, and say which survived without a reason."""
    asked = _arguments()
    reasons = tomllib.loads((ROOT / "tests/mutation/equivalent.toml").read_text(encoding="utf-8"))
    known = json.loads(asked.out.read_text()) if asked.out.exists() and asked.go_on else []
    done = {result["id"] for result in known}
    chosen = [(module, mutant) for module, mutant in _chosen(asked) if mutant.id not in done]
    results = list(known)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        bench = _Bench(Path(folder) / "tree", trust=asked.trust)
        for number, (module, mutant) in enumerate(chosen, 1):
            answer = "equivalent" if mutant.id in reasons else bench.try_out(module, mutant)
            results.append(
                {"id": mutant.id, "module": module, "line": mutant.line, "diff": mutant.diff, "answer": answer}
            )
            asked.out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
            _say(f"{number}/{len(chosen)} {answer}: {mutant.id}")
            if answer == "survived":
                _say(f"    src/nymity/{module}:{mutant.line}\n    " + mutant.diff.replace("\n", "\n    "))
    return _summary(results, reasons)


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
        drawn = random.Random(f"{asked.seed}:{module}").sample(range(len(found)), min(asked.per_module, len(found)))
        chosen += [(module, found[n]) for n in sorted(drawn)]
    return chosen


class _Bench:
    """A copy of the tree in which one module at a time is wrong."""

    def __init__(self, tree: Path, *, trust: bool) -> None:
        self.tree, self.trust = tree, trust
        kernels = ROOT / "src/nymity/kernels"
        for name in ("src", "tests", "docs"):
            shutil.copytree(ROOT / name, tree / name, ignore=_without_bytecode)
        if (kernels / "__pycache__").is_dir():  # compiled kernels take minutes, and none is mutated
            shutil.copytree(kernels / "__pycache__", tree / "src/nymity/kernels/__pycache__")
        for name in ("pyproject.toml", "conftest.py", "README.md", "CHANGELOG.md"):
            shutil.copy2(ROOT / name, tree / name)
        self.seconds: dict[tuple[str, ...], float] = {}
        sys.path[:] = [str(tree / "src"), *(path for path in sys.path if Path(path or ".") not in _OWN)]
        os.environ |= {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        for name in (
            "nymity.cli",
            "nymity.publish.check",
            *(m.removesuffix(".py").replace("/", ".") for m in modules(ROOT)),
        ):
            importlib.import_module(name if name.startswith("nymity") else f"nymity.{name}")

    def try_out(self, module: str, mutant: Mutant) -> str:
        """Say whether tests notice a mutant: killed, timeout (noticed too), survived; or that they fail without it."""
        tests = files_of(module, ROOT)
        usual = self._usual(tuple(tests))
        if usual is None:
            return "tests fail without it"
        path = self.tree / "src/nymity" / module
        right = path.read_text(encoding="utf-8")
        path.write_text(mutant.source, encoding="utf-8")  # for processes that tests start
        try:
            return self._run(tests, timeout=3 * usual + PATIENCE, change=(module, mutant.source))
        finally:
            path.write_text(right, encoding="utf-8")

    def _usual(self, tests: tuple[str, ...]) -> float | None:
        """Seconds that tests take on the right tree; None if they fail there."""
        if self.trust:
            return 120.0
        if tests not in self.seconds:
            start = time.perf_counter()
            passed = self._run(list(tests), timeout=900) == "survived"
            self.seconds[tests] = time.perf_counter() - start if passed else -1.0
        return None if self.seconds[tests] < 0 else self.seconds[tests]

    def _run(self, tests: list[str], timeout: float, change: tuple[str, str] | None = None) -> str:
        """Run tests in a copy of this process, which has imported everything, with a module changed."""
        child = os.fork()
        if not child:
            self._become(tests, change)
        started = time.monotonic()
        while time.monotonic() - started < timeout:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
            time.sleep(0.05)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "timeout"

    def _become(self, tests: list[str], change: tuple[str, str] | None) -> NoReturn:
        """Run tests in the copied tree and end."""
        os.setsid()  # a group of its own, so that what it starts ends with it
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os.chdir(self.tree)
        sys.dont_write_bytecode = True
        answer = 1
        try:
            if change is not None and not _changed_in_place(*change):
                for name in [name for name in sys.modules if name.split(".")[0] == "nymity"]:
                    del sys.modules[name]  # imported again, changed
            quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what was imported before
            for test in tests:  # one after another: most mutants are noticed by the first
                answer = int(pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *quiet, test]))
                if answer:
                    break
        finally:
            os._exit(answer)


def _changed_in_place(module: str, source: str) -> bool:
    """Give the functions of an imported module their changed code; False where something else was changed."""
    name = "nymity." + module.removesuffix(".py").replace("/", ".")
    new = {code.co_qualname: code for code in _codes(compile(source, sys.modules[name].__file__ or name, "exec"))}
    old = {code.co_qualname: code for code in _codes(compile(_right(name), sys.modules[name].__file__ or name, "exec"))}
    changed = {place for place in new if place not in old or new[place] != old[place]}
    functions = [thing for thing in gc.get_objects() if type(thing) is types.FunctionType and thing.__module__ == name]
    inner = [place for place in changed if "<locals>" not in place and not place.startswith("<")]
    found = [function for function in functions if function.__qualname__ in inner]
    if len({function.__qualname__ for function in found}) < len(inner) or not inner:
        return False
    for function in found:
        function.__code__ = new[function.__qualname__]
    return True


def _right(name: str) -> str:
    return (ROOT / "src" / (name.replace(".", "/") + ".py")).read_text(encoding="utf-8")


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of every function in a module, not the module's own."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


#: Where python -m finds this package and nymity: the copy has both.
_OWN = (ROOT, ROOT / "src", Path())


def _without_bytecode(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in ("__pycache__", ".hypothesis")]


def _summary(results: list[dict[str, Any]], reasons: dict[str, Any]) -> int:
    answers = [("equivalent" if result["id"] in reasons else result["answer"]) for result in results]
    counts = {answer: answers.count(answer) for answer in dict.fromkeys(answers)}
    _say(f"{len(results)} mutants: " + ", ".join(f"{n} {answer}" for answer, n in sorted(counts.items())))
    for result, answer in zip(results, answers, strict=True):
        if answer in ("survived", "tests fail without it"):
            _say(f"{answer}: src/nymity/{result['module']}:{result['line']}  {result['id']}")
    return int("survived" in counts or "tests fail without it" in counts)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--per-module", type=int, default=4, help="how many mutants of each module (default 4)")
    parser.add_argument("--seed", type=int, default=1, help="which ones are drawn (default 1)")
    parser.add_argument("--only", action="append", help="only modules with this in their path; may be repeated")
    parser.add_argument("--ids", action="append", help="exactly the mutants with this in their id; may be repeated")
    parser.add_argument("--out", type=Path, default=ROOT / "mutants.json", help="where results go")
    parser.add_argument("--go-on", action="store_true", help="keep the results in --out and run only what is missing")
    parser.add_argument("--trust", action="store_true", help="do not run the tests without a mutant first: they pass")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
