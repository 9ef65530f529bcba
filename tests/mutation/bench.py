"""Bench: a copy of the tree in which mutants are tried out, and what is known of the tests."""

from __future__ import annotations

import gc
import hashlib
import importlib
import inspect
import json
import os
import resource
import shutil
import signal
import sys
import threading
import time
import types
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import NoReturn

import hypothesis
import numba  # noqa: F401 -- imported once, before the forks
import numpy  # noqa: F401
import polars  # noqa: F401
import pydantic  # noqa: F401
import pytest
import scipy.stats  # noqa: F401

from .modules import files_of, modules
from .mutants import Mutant

ROOT = Path(__file__).resolve().parents[2]
#: A mutant that loops for ever is noticed too: by seconds of the processor beyond twice those that tests take without
#: it, so that a busy machine makes no difference; one that waits for ever after as many minutes.
PATIENCE = 15
#: Tests that take no more seconds are tried first, of all files that are known already.
QUICK = 0.2
#: Stands among the functions of a test for other processes.
STARTS = "starts a process"


class Bench:
    """A copy of the tree in which one module at a time is wrong."""

    def __init__(self, tree: Path, told: Path) -> None:
        self.tree, self.told = tree, told  # told: what is known of test files, with the digest of each
        self.used = 0.0  # seconds of the processor by the last run
        kernels = ROOT / "src/nymity/kernels"
        for name in ("src", "tests", "docs"):
            shutil.copytree(ROOT / name, tree / name, ignore=_without_bytecode)
        if (kernels / "__pycache__").is_dir():  # compiled kernels take minutes, and none is mutated
            shutil.copytree(kernels / "__pycache__", tree / "src/nymity/kernels/__pycache__")
        for name in ("pyproject.toml", "conftest.py", "README.md", "CHANGELOG.md"):
            shutil.copy2(ROOT / name, tree / name)
        before = json.loads(told.read_text(encoding="utf-8")) if told.exists() else {}
        self.known = {name: known for name, known in before.items() if known["digest"] == _digest(name)}
        sys.path[:] = [str(tree / "src"), *(path for path in sys.path if Path(path or ".") not in _OWN)]
        os.environ |= {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        for name in (
            "nymity.cli",
            "nymity.publishing.checking.check",
            *(m.removesuffix(".py").replace("/", ".") for m in modules(ROOT)),
        ):
            importlib.import_module(name if name.startswith("nymity") else f"nymity.{name}")

    def try_out(self, module: str, mutant: Mutant) -> str:
        """Say whether tests notice a mutant: killed, timeout (noticed too), survived; or that they fail without it."""
        codes = _codes(compile((ROOT / "src/nymity" / module).read_text(encoding="utf-8"), module, "exec"))
        functions = {_plain(code) for code in codes if code.co_flags & inspect.CO_OPTIMIZED}  # no bodies of classes
        files, name, tried = files_of(module, ROOT), f"{module}::{mutant.function}", set[str]()
        known = [test for file in files if file in self.known for test in self._that_run(file, name)]
        quick = sorted((test for test in known if self._seconds(test) < QUICK), key=self._seconds)
        if (answer := self._with(mutant, module, quick)) != "survived":
            return answer
        tried.update(quick)
        for whole in (False, True):  # whole files only where no test is seen to run what was changed
            for file in files if whole or mutant.function in functions else ():
                if not self._pass(file):
                    return "tests fail without it"
                tests = [file] if whole else [test for test in self._that_run(file, name) if test not in tried]
                tried.update(tests)
                if (answer := self._with(mutant, module, tests)) != "survived":
                    return answer
            if tried:
                break
        return "survived"

    def _with(self, mutant: Mutant, module: str, tests: list[str]) -> str:
        """Run tests on the tree with a mutant."""
        if not tests:
            return "survived"
        path = self.tree / "src/nymity" / module
        right = path.read_text(encoding="utf-8")
        path.write_text(mutant.source, encoding="utf-8")  # for processes that tests start
        try:
            limit = 2 * sum(map(self._seconds, tests)) + PATIENCE
            return self._run(tests, limit, change=(module, mutant.source))
        finally:
            path.write_text(right, encoding="utf-8")

    def _seconds(self, test: str) -> float:
        known = self.known[test.split("::")[0]]
        return known["tests"][test][0] if "::" in test else known["seconds"]

    def _that_run(self, file: str, function: str) -> list[str]:
        """Return the tests of a file that run a function, the fastest first, and those that start other processes."""
        tests = self.known[file]["tests"]
        if not any(function in run for _, run in tests.values()):
            return []
        return sorted((name for name, (_, run) in tests.items() if {function, STARTS} & set(run)), key=tests.get)

    def _pass(self, file: str) -> bool:
        """Say whether a test file passes on the right tree; what its tests run is kept for later campaigns too."""
        if file not in self.known:
            watched = self.tree.parent / "watched.json"
            passed = self._run([file], 900, watched=watched) == "survived"
            seconds = self.used
            say(f"    {file}: " + (f"{seconds:.1f} s" if passed else "fails without a mutant"))
            if not passed:
                return False
            tests = json.loads(watched.read_text(encoding="utf-8"))
            self.known[file] = {"digest": _digest(file), "seconds": seconds, "tests": tests}
            self.told.write_text(json.dumps(self.known, indent=1) + "\n", encoding="utf-8")
        return True

    def _run(
        self, tests: list[str], limit: float, *, change: tuple[str, str] | None = None, watched: Path | None = None
    ) -> str:
        """Run tests in a copy of this process, which has imported everything, with a module changed."""
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_CPU, (ceil(limit), ceil(limit) + 5))
            self._become(tests, change, watched)
        started, ended = time.monotonic(), 0
        try:
            while time.monotonic() - started < 60 * limit:
                ended, status, used = os.wait4(child, os.WNOHANG)
                if ended:
                    self.used = used.ru_utime + used.ru_stime
                    code = os.waitstatus_to_exitcode(status)
                    return {0: "survived", -signal.SIGXCPU: "timeout"}.get(code, "killed")
                time.sleep(0.05)
            return "timeout"
        finally:
            if not ended:  # also when the campaign is stopped
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)

    def _become(self, tests: list[str], change: tuple[str, str] | None, watched: Path | None) -> NoReturn:
        """Run tests in the copied tree and end."""
        os.setsid()  # a group of its own, so that what it starts ends with it
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a shell starts in the background
        for number in (signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
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
            watch = _Watch(str(self.tree / "src/nymity") + "/")
            quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what was imported before
            asked = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--assert=plain", "--tb=no", *quiet]
            answer = int(pytest.main([*asked, *tests], plugins=[_Unshrunk(), *([] if watched is None else [watch])]))
            if answer == pytest.ExitCode.USAGE_ERROR:  # a name that is another one with the change
                answer = int(pytest.main([*asked, *dict.fromkeys(test.split("::")[0] for test in tests)]))
            if watched is not None:
                watched.write_text(json.dumps(watch.tests), encoding="utf-8")
        finally:
            os._exit(answer)


class _Unshrunk:
    """Keeps hypothesis from making a failure small: that there is one is enough."""

    def pytest_sessionstart(self) -> None:
        """Change the profile that tests/conftest.py has loaded, before any test is imported."""
        found = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
        hypothesis.settings.register_profile("unshrunk", hypothesis.settings(), phases=found)
        hypothesis.settings.load_profile("unshrunk")


class _Watch:
    """Notes which functions of the mutated modules each test runs, and how long it takes."""

    def __init__(self, package: str) -> None:
        self.package, self.watched = package, set(modules(ROOT))
        self.tests: dict[str, tuple[float, list[str]]] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch one test with all that it sets up."""
        seen: set[types.CodeType] = set()
        start = time.process_time()

        def notice(frame: types.FrameType, event: str, _: object) -> None:
            if event == "call":
                seen.add(frame.f_code)

        threading.setprofile(notice)
        sys.setprofile(notice)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            self.tests[item.nodeid] = (round(time.process_time() - start, 3), sorted(set(self._named(seen))))

    def _named(self, seen: set[types.CodeType]) -> Iterator[str]:
        for code in seen:
            path = code.co_filename.removeprefix(self.package)
            if path in self.watched:
                yield f"{path}::{_plain(code)}"
            elif code.co_qualname == "Popen.__init__":
                yield STARTS


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


def _digest(test: str) -> str:
    path = ROOT / test
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _right(name: str) -> str:
    return (ROOT / "src" / (name.replace(".", "/") + ".py")).read_text(encoding="utf-8")


def _plain(code: types.CodeType) -> str:
    return code.co_qualname.replace(".<locals>", "")


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


def say(text: str) -> None:
    """Print at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
