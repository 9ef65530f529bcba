"""What reading a file takes: in a process of its own, whose peak is not that of the process that started it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_CODE = """
import sys, nymity as ny
try:
    ny.read_table(sys.argv[1])
    print("read")
except ny.NymityError as error:
    print(error)
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def reading(path: Path) -> tuple[str, int]:
    """Return what reading a table says, and the largest memory it had, in kB."""
    run = subprocess.run([sys.executable, "-c", _CODE, str(path)], capture_output=True, text=True, check=True)
    told, peak = run.stdout.splitlines()
    return told, int(peak)
