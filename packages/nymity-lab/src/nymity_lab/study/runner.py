"""Run a study: compute the steps that have no result yet, then put exhibits, summary and page together."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nymity.core.errors import StepError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.validation import whole_number
from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.machine import describe_machine
from nymity_lab.study.step_archive import take_up
from nymity_lab.study.store import Record, Store, write_json, write_parquet, write_text
from nymity_lab.study.study import Results, Step, Study
from nymity_lab.study.workers import compute


@dataclass(frozen=True, kw_only=True)
class StudyRun:
    """A finished run: its exhibits, how many steps were computed just now, and what all results were made on.

    Of ``planned`` steps it has ``steps``; fewer only if it was asked to put together what there is.
    """

    study: Study
    scale: str
    exhibits: tuple[Exhibit, ...]
    steps: int
    planned: int
    computed: int
    seconds: float
    machines: tuple[dict[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        study = {name: getattr(self.study, name) for name in ("name", "title", "source", "version")}
        exhibits = [exhibit.to_dict() for exhibit in self.exhibits]
        run = {
            "scale": self.scale,
            "steps": self.steps,
            "planned": self.planned,
            "seconds": self.seconds,
            "machines": list(self.machines),
        }
        return study | run | {"exhibits": exhibits}


def run_study(
    study: Study,
    scale: str,
    *,
    out: str | Path,
    jobs: int | None = None,
    partial: bool = False,
    kept: Path | None = None,
    observe: Observer = silent,
) -> StudyRun:
    """Run a study, or go on with one that was stopped, and leave ``study.json`` and ``study.html`` in ``out``.

    Each step's result is in ``out/steps`` as soon as it is there, and is not computed again. ``jobs`` processes work
    side by side, by default two where there are two cores. A step that fails is named, after all others are done.
    ``partial`` leaves out the first steps that have no result yet: exhibits are then of n of N steps, and say so.
    ``kept`` is a folder in which steps of earlier runs lie; they are not computed again either.
    """
    from nymity.report.chart import javascript
    from nymity_lab.datasets.public import locate
    from nymity_lab.study.study_page import render_page

    javascript()  # the page needs it: better to fail now than when the work is done
    jobs = min(2, os.cpu_count() or 1) if jobs is None else jobs
    whole_number("study: jobs", jobs, at_least=1)
    planned = study.steps_at(scale)
    for name in study.scales[scale].needs:
        locate(name)
    store = Store(study=study, folder=Path(out) / "steps")
    _take_up(kept, store, planned)
    steps = tuple(step for step in planned if store.load(step) is not None) if partial else planned
    records, computed = _carry_out(store, steps, jobs, observe)
    missing = tuple(step.id for step in planned if step.id not in records)
    later = study.steps_after(_results(scale, records, missing))
    _take_up(kept, store, later)
    more, further = _carry_out(store, later, jobs, observe)
    records |= more
    results = _results(scale, records, missing)
    run = StudyRun(
        study=study,
        scale=scale,
        exhibits=tuple(study.exhibits(results)),
        steps=len(records),
        planned=len(planned) + len(more),
        computed=computed + further,
        seconds=sum(record.seconds for record in records.values()),
        machines=_distinct(records),
    )
    for name, rows in study.tables(results).items():
        write_parquet(Path(out) / f"{name}.parquet", rows)
    write_json(Path(out) / "study.json", run.to_dict())
    write_text(Path(out) / "study.html", render_page(run))
    return run


def _take_up(kept: Path | None, store: Store, steps: Sequence[Step]) -> None:
    if kept is not None:
        take_up(kept, store, steps)


def _carry_out(store: Store, steps: Sequence[Step], jobs: int, observe: Observer) -> tuple[dict[str, Record], int]:
    """Return the record of each step in their order, and how many were computed just now."""
    kept = {step.id: record for step in steps if (record := store.load(step)) is not None}
    found = kept | _compute_missing(store, steps, kept, jobs, observe)
    return {step.id: found[step.id] for step in steps}, len(steps) - len(kept)


def _results(scale: str, records: Mapping[str, Record], missing: tuple[str, ...]) -> Results:
    return Results(scale=scale, by_step={id_: record.rows for id_, record in records.items()}, missing=missing)


def _compute_missing(
    store: Store, steps: Sequence[Step], kept: Mapping[str, Record], jobs: int, observe: Observer
) -> dict[str, Record]:
    """Compute and save what is not kept; several workers take the longest first, so that they end at about one time."""
    missing = [step for step in steps if step.id not in kept]
    if jobs > 1:
        missing.sort(key=lambda step: -step.seconds)
    machine, found, failed = describe_machine(), dict[str, Record](), dict[str, str]()

    def tick() -> None:
        known = {**kept, **found}
        left = _seconds_left(steps, known, jobs)
        report(observe, Progress(stage="computing steps", done=len(known), total=len(steps), seconds_left=left))

    with closing(compute(missing, jobs, store.folder.parent / "work", tick)) as results:
        for result in results:
            if result.error is not None:
                failed[result.step.id] = result.error.strip().splitlines()[-1]
                store.save_error(result.step, result.error)
            else:
                found[result.step.id] = Record(rows=result.rows, seconds=result.seconds, machine=machine)
                store.save(result.step, found[result.step.id])
    if failed:
        told = "; ".join(f"{id_}: {error}" for id_, error in failed.items())
        raise StepError(
            f"{len(failed)} of {len(steps)} steps failed: {told}. Try: see the .error.txt files in {store.folder}, and "
            "run again once it is mended; results of the other steps are kept"
        )
    return found


def _seconds_left(steps: Sequence[Step], known: Mapping[str, Record], jobs: int) -> float:
    """Return what the other steps are expected to take, as much slower or faster as those that are known were."""
    expected = sum(step.seconds for step in steps if step.id in known)
    pace = sum(record.seconds for record in known.values()) / expected if expected else 1.0
    return pace * sum(step.seconds for step in steps if step.id not in known) / jobs


def _distinct(records: Mapping[str, Record]) -> tuple[dict[str, Any], ...]:
    machines: list[dict[str, Any]] = []
    for record in records.values():
        if record.machine not in machines:
            machines.append(record.machine)
    return tuple(machines)
