"""Steps of runs as one Parquet file beside the outcomes, so that a run of days goes on from them on another machine.

A row is a step: its id, the fingerprint of what it was made with, its seconds, its machine and its rows, both as JSON.
Steps return figures and no rows of data. A step is taken up again only where the fingerprint is the one that the study
asks for today: results of other parameters, or of an earlier version of the study, are as good as none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nymity.core.errors import FileError
from nymity_lab.study import find_study
from nymity_lab.study.store import Record, Store, write_parquet
from nymity_lab.study.study import Row, Rows, Step, Study

_NAMES = ("step", "fingerprint", "seconds", "machine", "rows")


def keep_steps(run: Path, folder: Path, study: Study | None = None) -> tuple[Study, int]:
    """Write the results of a run, finished or not, to ``folder``; return the study and how many are kept of it now.

    What is there already stays as long as the study still asks for it at some scale. What it asks for later, which only
    results can tell, stays as long as any of its first steps does.
    """
    found = list(_results(run / "steps"))
    if not found:
        raise FileError(str(run), expected="the folder of a run", got="no result of a step in it")
    study = find_study(found[0]["study"]) if study is None else study
    kept = {row["fingerprint"]: row for row in _still_asked(study, read_steps(folder, study))}
    kept |= {result["fingerprint"]: _archived(result) for result in found}
    write_parquet(_path(folder, study), sorted(kept.values(), key=lambda row: (row["step"], row["fingerprint"])))
    return study, len(kept)


def take_up(folder: Path, store: Store, steps: Sequence[Step]) -> int:
    """Put kept results of these steps into the store of a run, where it has none of its own; return how many."""
    wanted = {store.study.fingerprint(step): step for step in steps if store.load(step) is None}
    taken = [row for row in read_steps(folder, store.study) if row["fingerprint"] in wanted]
    for row in taken:
        made = {name: json.loads(row[name]) for name in ("rows", "machine")}
        store.save(wanted[row["fingerprint"]], Record(seconds=row["seconds"], **made))
    return len(taken)


def read_steps(folder: Path, study: Study) -> Rows:
    """Return the kept steps of a study, none if nothing is kept."""
    import polars as pl

    path = _path(folder, study)
    if not path.exists():
        return []
    try:
        return pl.read_parquet(path, columns=list(_NAMES)).to_dicts()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileError(str(path), expected="steps that nymity study keep wrote", got=str(error)) from error


def _still_asked(study: Study, rows: Rows) -> Rows:
    first = [step for scale in study.scales for step in study.steps_at(scale)]
    ids, asked = {step.id for step in first}, {study.fingerprint(step) for step in first}
    if asked.isdisjoint(row["fingerprint"] for row in rows):
        return []
    return [row for row in rows if row["fingerprint"] in asked or row["step"] not in ids]


def _path(folder: Path, study: Study) -> Path:
    return folder / "steps" / f"{study.name}.parquet"


def _results(folder: Path) -> Iterator[dict[str, Any]]:
    """Give every result that can be read: a run takes the others for missing too."""
    for path in sorted(folder.glob("*.json")):
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        if isinstance(found, dict) and found.keys() >= {*_NAMES, "study"}:
            yield found


def _archived(result: dict[str, Any]) -> Row:
    texts = {name: json.dumps(result[name], separators=(",", ":")) for name in ("machine", "rows")}
    return {name: result[name] for name in _NAMES} | texts
