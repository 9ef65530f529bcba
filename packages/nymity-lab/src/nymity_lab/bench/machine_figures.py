"""All figures of one machine, in one file, and two such files compared."""

from __future__ import annotations

import json
import math
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nymity.core.errors import FileError
from nymity_lab.bench.result import BenchResult, Line

FORMAT = "nymity-bench-1"


@dataclass(frozen=True, kw_only=True)
class Machine:
    """The figures of a machine, and why some benchmarks could not be run there."""

    system: str
    processor: str
    cores: int
    results: tuple[BenchResult, ...]
    not_run: dict[str, str]

    @staticmethod
    def here(results: tuple[BenchResult, ...], not_run: dict[str, str]) -> Machine:
        """Return what was measured on the machine at hand."""
        return Machine(
            system=f"{platform.system()} {platform.release()}",
            processor=_processor(),
            cores=os.cpu_count() or 1,
            results=results,
            not_run=not_run,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "format": FORMAT,
            "machine": {"system": self.system, "processor": self.processor, "cores": self.cores},
            "benchmarks": [result.to_dict() for result in self.results],
            "not_run": self.not_run,
        }

    @staticmethod
    def read(path: Path) -> Machine:
        """Read a file that ``nymity bench … --json`` wrote."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data["format"] != FORMAT:
                raise ValueError(data["format"])
            results = tuple(BenchResult.from_dict(result) for result in data["benchmarks"])
            return Machine(**data["machine"], results=results, not_run=dict(data["not_run"]))
        except OSError as error:
            raise FileError(str(path), expected="a file that can be read", got=error.strerror or str(error)) from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FileError(
                str(path), expected=f"figures in the format {FORMAT}", got="something else",
                hint="nymity bench all --json FILE writes them",
            ) from error  # fmt: skip

    @property
    def lines(self) -> dict[tuple[str, str], Line]:
        """Every figure by the name of its benchmark and its own."""
        return {(result.name, line.name): line for result in self.results for line in result.lines}


@dataclass(frozen=True, kw_only=True)
class Change:
    """A figure of two machines, or of one before and after a change."""

    bench: str
    name: str
    unit: str
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """After over before; not a number where before is 0."""
        return self.after / self.before if self.before else math.nan


def compared(before: Machine, after: Machine) -> list[Change]:
    """Return the figures that both have, in the same unit and order as before."""
    later = after.lines
    return [
        Change(bench=bench, name=name, unit=line.unit, before=line.value, after=later[bench, name].value)
        for (bench, name), line in before.lines.items()
        if (bench, name) in later and later[bench, name].unit == line.unit
    ]


def mean_ratio(changes: list[Change], unit: str) -> float:
    """Return the geometric mean of the ratios of one unit."""
    logarithms = [math.log(change.ratio) for change in changes if change.unit == unit and change.ratio > 0]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
