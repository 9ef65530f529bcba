"""What is kept of a run beside its page: findings as JSON, compared values as Parquet, and the commit that made them.

No row of data is in it: figures of exhibits alone, without single points of plots. Of a run on generated records only
exhibits are kept that need no records, such as worked examples; of an older run only those that it has figures for.

Parts of a run add up: what a part lacks stays as an earlier one of the same version and scale had it, with its commit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nymity.core.errors import FileError
from nymity_lab.study.exhibit_parts import GENERATED
from nymity_lab.study.store import write_json, write_parquet
from nymity_lab.study.study import Row, Rows


@dataclass(frozen=True, kw_only=True)
class OutcomeRecord:
    """The outcome of a run: what it was made by, and the findings and number of compared values of each exhibit.

    An exhibit that stayed of an earlier part has its own ``commit`` and ``steps``.
    """

    study: str
    version: str
    scale: str
    commit: str
    steps: int
    planned: int
    exhibits: dict[str, dict[str, Any]]

    @property
    def whole(self) -> bool:
        """Whether every exhibit of the study is in it: all steps were there, and real records."""
        return self.steps == self.planned and self.scale != "smoke"

    @property
    def parts(self) -> list[tuple[str, int]]:
        """Commit and number of steps of each part that exhibits are of, the newest first."""
        stayed = [(found["commit"], found["steps"]) for found in self.exhibits.values() if "commit" in found]
        return list(dict.fromkeys([(self.commit, self.steps), *stayed]))

    @staticmethod
    def read(folder: Path, study: str) -> OutcomeRecord | None:
        """Read what is kept of a study; None if nothing is."""
        path = folder / f"{study}.json"
        return OutcomeRecord(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def keep(run: Path, folder: Path, commit: str) -> OutcomeRecord:
    """Write ``NAME.json`` and ``NAME.parquet`` from the folder of a finished run."""
    try:
        found = json.loads((run / "study.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileError(str(run), expected="the folder of a finished run", got="no study.json in it") from None
    exhibits = [exhibit for exhibit in found["exhibits"] if GENERATED not in exhibit["notes"] and _was_run(exhibit)]
    record = OutcomeRecord(
        study=found["name"],
        version=found["version"],
        scale=found["scale"],
        commit=commit,
        steps=found["steps"],
        planned=found["planned"],
        exhibits={exhibit["number"]: _outcome(exhibit) for exhibit in exhibits},
    )
    record, values = _with_earlier(record, _values(exhibits), folder)
    write_json(folder / f"{record.study}.json", vars(record))
    write_parquet(folder / f"{record.study}.parquet", values)
    return record


def _with_earlier(record: OutcomeRecord, values: Rows, folder: Path) -> tuple[OutcomeRecord, Rows]:
    """Add exhibits that a part of a run does not have and that are kept of an earlier one."""
    before = OutcomeRecord.read(folder, record.study)
    done = record.steps == record.planned
    if before is None or done or (before.version, before.scale) != (record.version, record.scale):
        return record, values
    import polars as pl

    made = {"commit": before.commit, "steps": before.steps}
    stay = {number: made | outcome for number, outcome in before.exhibits.items() if number not in record.exhibits}
    kept = pl.read_parquet(folder / f"{record.study}.parquet").filter(pl.col("exhibit").is_in(list(stay)))
    return replace(record, exhibits=record.exhibits | stay), values + kept.to_dicts()


def _was_run(exhibit: dict[str, Any]) -> bool:
    return any(value["ours"] is not None for panel in exhibit["panels"] for value in panel["values"])


def _outcome(exhibit: dict[str, Any]) -> dict[str, Any]:
    values = [value for panel in exhibit["panels"] for value in panel["values"]]
    both = [value for value in values if value["paper"] is not None and value["ours"] is not None]
    findings = [{name: found[name] for name in ("paper", "ours", "verdict")} for found in exhibit["findings"]]
    return {"title": exhibit["title"], "compared": len(both), "findings": findings}


def _values(exhibits: list[dict[str, Any]]) -> Rows:
    return list(_each_value(exhibits))


def _each_value(exhibits: list[dict[str, Any]]) -> Iterator[Row]:
    for exhibit in exhibits:
        for panel in exhibit["panels"]:
            if panel["plot"] == "points":
                continue
            for value in panel["values"]:
                row: Row = {"exhibit": exhibit["number"], "panel": panel["title"], "measure": panel["measure"]}
                row |= {"series": value["series"], "at": str(value["at"])}
                for name in ("ours", "paper"):
                    number = isinstance(value[name], int | float)
                    row |= {name: float(value[name]) if number else None}
                    row |= {f"{name} in words": None if number or value[name] is None else value[name]}
                yield row
