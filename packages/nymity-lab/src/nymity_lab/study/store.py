"""Store: the result of each step as a JSON file, written whole as soon as there is one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nymity.core.commit import replace_file
from nymity_lab.study.study import Rows, Step, Study


@dataclass(frozen=True, kw_only=True)
class Record:
    """The rows of a step, the seconds it took, and the machine that made them."""

    rows: Rows
    seconds: float
    machine: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Store:
    """Results of one study in a folder. A result that was made with other parameters is as good as none."""

    study: Study
    folder: Path

    def save(self, step: Step, record: Record) -> None:
        """Write a result."""
        made_with = {"study": self.study.name, "step": step.id, "parameters": dict(step.parameters)}
        written = made_with | {"fingerprint": self.study.fingerprint(step)} | vars(record)
        write_json(self._path(step), written)
        self._error(step).unlink(missing_ok=True)

    def save_error(self, step: Step, error: str) -> None:
        """Keep a traceback for whoever mends the step."""
        write_text(self._error(step), error)

    def load(self, step: Step) -> Record | None:
        """Read a result; None if there is none, or none that was made with these parameters and can be read."""
        try:
            found = json.loads(self._path(step).read_text(encoding="utf-8"))
            if found["fingerprint"] != self.study.fingerprint(step):
                return None
            return Record(rows=found["rows"], seconds=found["seconds"], machine=found["machine"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _path(self, step: Step) -> Path:
        return self.folder / f"{step.id}.json"

    def _error(self, step: Step) -> Path:
        return self.folder / f"{step.id}.error.txt"


def write_json(path: Path, data: Any) -> None:
    """Put data at ``path``, whole or not at all."""
    write_text(path, json.dumps(data, indent=1, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Put text at ``path``, whole or not at all."""
    replace_file(path, lambda place: place.write_text(text, encoding="utf-8", newline="\n"))


def write_parquet(path: Path, rows: Rows) -> None:
    """Put rows at ``path`` as a Parquet file, whole or not at all; a value that a row does not have is missing."""
    import polars as pl

    names = dict.fromkeys(name for row in rows for name in row)
    frame = pl.DataFrame([{name: row.get(name) for name in names} for row in rows], infer_schema_length=None)
    replace_file(path, frame.write_parquet)
