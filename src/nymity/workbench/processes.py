"""Processes: is one still there that was begun earlier? A number alone says nothing, for numbers are given again."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def begun_at(pid: int) -> str | None:
    """Return when a process began, as the system says it; None where there is no such process, or it has ended."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] in "ZX" else fields[19]  # a zombie has ended; the 22nd field is its start
    found = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


def is_alive(pid: int, begun: str | None) -> bool:
    """Return whether the process of this number that began then is still there."""
    if begun is None:
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return begun_at(pid) == begun
