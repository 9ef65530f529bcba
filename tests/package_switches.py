"""How far a reader must travel: how often one ``nymity publish`` changes the package on first visits.

Each function of nymity is listed when it is called for the first time, in the order of these calls, with the package
that its file lies in. A switch is a function, or a file, whose package is not that of the one before. What runs while
modules are imported is not counted: decorators and registries, which nobody follows who reads the way of a row.

``python -m tests.package_switches`` publishes the table of ``nymity demo`` and prints the way; ``--job JOB`` another.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGE = Path(__file__).parents[1] / "src" / "nymity"
#: Code that is no function of its own to a reader.
INNER = ("<module>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>", "<lambda>")
#: Rows of the demo's table; the way does not depend on how many.
ROWS = 500


@dataclass(frozen=True)
class Visit:
    """A function that was called for the first time."""

    place: str
    function: str

    @property
    def package(self) -> str:
        """The package of nymity; what lies below ``publishing`` is one."""
        return self.place.split("/")[0]


@dataclass
class Way:
    """The functions that were called, each once, in the order of first calls."""

    visits: list[Visit] = field(default_factory=list)
    _seen: set[CodeType] = field(default_factory=set)
    _importing: int = 0

    def follow(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; what ``sys.setprofile`` is given."""
        code = frame.f_code
        if code.co_name == "<module>":
            self._importing += (event == "call") - (event == "return")
        elif event == "call" and not self._importing and code not in self._seen:
            self._seen.add(code)
            if code.co_name not in INNER and code.co_filename.startswith(f"{PACKAGE}{os.sep}"):
                self.visits.append(Visit(Path(code.co_filename).relative_to(PACKAGE).as_posix(), code.co_qualname))


def switches(visits: Sequence[Visit]) -> int:
    """Return how often the package changes from one visit to the next."""
    return sum(before.package != after.package for before, after in pairwise(visits))


def by_files(visits: Sequence[Visit]) -> list[Visit]:
    """Return the first visit of each file: a reader opens it once, and reads on there."""
    first: dict[str, Visit] = {}
    for one in visits:
        first.setdefault(one.place, one)
    return list(first.values())


def published(job: Path, out: Path) -> list[Visit]:
    """Publish a job in a fresh process, where nothing is loaded or remembered, and return its way."""
    command = [sys.executable, __file__, "--traced", str(out), "--job", str(job)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [Visit(*one) for one in json.loads(done.stdout)]


def of_demo(folder: Path) -> list[Visit]:
    """Publish the table of ``nymity demo`` into a folder, and return the way."""
    from nymity.cli.demo import DATA_NAME, JOB_NAME, job_text
    from nymity.datasets import hospital

    hospital(ROWS).write_csv(folder / DATA_NAME)
    (folder / JOB_NAME).write_text(job_text(), encoding="utf-8")
    return published(folder / JOB_NAME, folder / "release")


def traced(job: str, out: str) -> None:
    """Run the command in this process, as the shell starts it, and print its way."""
    from nymity.cli.start import run

    way = Way()
    sys.argv = ["nymity", "publish", job, "--out", out, "--no-report", "--quiet"]
    code: object = 0
    sys.setprofile(way.follow)
    try:
        run()
    except SystemExit as done:
        code = done.code
    finally:
        sys.setprofile(None)
    if code:
        raise SystemExit(code)
    sys.stdout.write(json.dumps([(one.place, one.function) for one in way.visits]))


def main() -> None:
    """Print the way as one line for each stay in a package."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--job", help="publish this one")
    options.add_argument("--traced", metavar="OUT", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.traced:
        traced(given.job, given.traced)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        visits = published(Path(given.job).resolve(), folder / "release") if given.job else of_demo(folder)
    for package, stay in groupby(visits, lambda one: one.package):
        names = ", ".join(f"{one.place.rpartition('/')[2]}:{one.function}" for one in stay)
        sys.stdout.write(f"{package:12} {names}\n")
    files = by_files(visits)
    sys.stdout.write(
        f"{switches(files)} switches by {len(files)} files, {switches(visits)} by {len(visits)} functions\n"
    )


if __name__ == "__main__":
    main()
