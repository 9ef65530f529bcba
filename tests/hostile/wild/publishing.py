"""Publishing a job and judging what is there afterwards."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from . import judge
from .command import Ended, run
from .jobs import LEVELS
from .outcome import Outcome, Verdict
from .tables import Table


def publish(job: Path, out: str = "release", *further: str, **how: Any) -> Ended:
    """Run ``nymity publish``."""
    return run(["publish", str(job), "--out", out, *further], **how)


def forced() -> list[str]:
    """What replaces a release that is there."""
    from nymity.cli import publish as command

    return ["--force"] if "force" in signature(command.command).parameters else []


def judged(
    ended: Ended, data: Any, table: Table | None, release: Path, *, custodian: Path | None = None
) -> list[Verdict]:
    """Judge what a publish left; nothing is there that should not be, whether it succeeded or not."""
    verdicts = [ended.verdict()]
    private = custodian or release.with_name(f"{release.name}-custodian")
    verdicts += found(Outcome.LEAK, judge.left_lying(release, private), ended)
    if ended.code not in (0, 5):
        if release.is_dir() and any(release.iterdir()):
            verdicts += found(
                Outcome.MIXED, [f"files are left: {sorted(path.name for path in release.iterdir())}"], ended
            )
        return verdicts
    words = set() if table is None else forbidden(data, table)
    try:
        verdicts += found(Outcome.LEAK, judge.leaks(release, words), ended)
        verdicts += found(Outcome.WRONG, broken(data, release), ended)
    except judge.Unreadable as error:
        verdicts += found(Outcome.WRONG, [f"the release cannot be read: {error}"], ended)
    return verdicts


def broken(data: Any, release: Path) -> list[str]:
    """Say which promises do not hold in the written files."""
    output = data.get("output") or {}
    name, form = output.get("name", "release"), output.get("format", "csv")
    certificate = release / "certificate.json"
    try:  # a device would never end
        text = certificate.read_text(encoding="utf-8") if certificate.is_file() else ""
        stated = json.loads(text)["job"].get("output", {})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # gone or tampered with: the job is what counts
        stated = {}
    delimiter = stated.get("delimiter", ",")  # that of the source, where the job says none
    encoding = stated.get("encoding", "utf-8")
    if method_of(data).startswith(("freeform", "safepub", "epsilon")):
        return []
    cells = judge.read(release / f"{name}.{form}", delimiter=delimiter, encoding=encoding)
    second = release / f"{name}-sensitive.{form}"
    return list(
        judge.broken(
            cells, judge.read(second, delimiter=delimiter, encoding=encoding) if second.exists() else None, data
        )
    )


def method_of(data: Any) -> str:
    """Return the name of the method; where none is named it is a search of the lattice."""
    return str(data.get("method", {}).get("name", "optimal-lattice"))


def forbidden(data: Any, table: Table) -> set[str]:
    """Return the marked values that must not be in the release: of identifying columns, and those of one person alone.

    A value that one person alone has is in no class of two, unless cells are sets of values.
    """
    words: set[str] = set()
    schema, method = data["schema"], method_of(data)
    sizes = [model.get("k") for model in data["privacy"] if model["model"] == "k-anonymity"]
    alone = method in LEVELS and any(isinstance(k, int) and k >= 2 for k in sizes)
    for name, cells in zip(table.names, table.columns, strict=True):
        attribute = schema.get(name)
        role = attribute.get("role") if isinstance(attribute, dict) else "identifying"
        marked = {cell for cell in cells if cell is not None and cell.startswith("Zq")}
        flat = role == "quasi" and "hierarchy" not in attribute
        if role == "identifying" or (flat and alone):
            words |= marked
    return words


def found(outcome: Outcome, faults: Iterable[str], ended: Ended) -> list[Verdict]:
    """Make verdicts of faults."""
    return [Verdict(outcome=outcome, said=f"{fault}\n{ended.told}") for fault in faults]


def options(draw: random.Random) -> Sequence[str]:
    """Return harmless options of publish."""
    return [
        *(["--no-report"] if draw.random() < 0.985 else []),
        *draw.choice([[], [], ["-q"], ["--json"], ["--fail-on-warnings"]]),
    ]
