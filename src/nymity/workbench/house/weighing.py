"""Weighing: a table is read once in a process that may take so much memory and no more, before the server reads it.

A small file can unpack to anything (a Parquet file of one repeated value, a workbook). What brings that process down
would have brought everybody's server down. ``python -m nymity.workbench.house.weighing BYTES``, the source on stdin.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nymity.core.errors import FileError, NymityError
from nymity.workbench.worker import NICE, error_data, limit_memory

#: Seconds that reading may take.
_PATIENCE = 600.0
#: What Python and its packages take before anything is read.
_OWN = 600 * 10**6


def weigh(source: Mapping[str, Any], *, memory: int) -> None:
    """Refuse a table that cannot be read with this much memory as its source says, or cannot be read at all."""
    command = [sys.executable, "-m", "nymity.workbench.house.weighing", str(memory + _OWN)]
    name = Path(source["path"]).name if "path" in source else str(source.get("table", "table"))
    try:
        done = subprocess.run(
            command,
            input=json.dumps(dict(source), default=str).encode(),
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
            cwd="/",
        )
    except subprocess.TimeoutExpired as error:
        raise _too_heavy(name, memory) from error
    if done.returncode == 0:
        return
    try:
        told = json.loads(done.stdout)
    except ValueError:  # it was killed, or ran into its limit
        raise _too_heavy(name, memory) from None
    raise FileError(
        told.get("where", name),
        expected=told.get("expected", "a table"),
        got=told.get("got", told["message"]),
        hint=told.get("hint", ""),
    )


def _too_heavy(name: str, memory: int) -> FileError:
    expected = f"a table that can be read with {memory // 10**6:,} MB of memory"
    return FileError(name, expected=expected, got="one that takes more", hint="leave out columns, or ask the house")


def main(source: Mapping[str, Any], memory: int) -> int:
    """Read the table, and say what is wrong with it."""
    limit_memory(memory)
    if hasattr(os, "nice"):  # Windows has none
        os.nice(NICE)
    import nymity as ny

    try:
        lies = ny.DatabaseSource(**source) if "url" in source else ny.Source(**source)
        lies.read_detected({}, None)
    except NymityError as error:
        sys.stdout.write(json.dumps(error_data(error)))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(json.load(sys.stdin), int(sys.argv[1])))
