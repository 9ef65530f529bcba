"""What type checkers say of a project that uses nymity: nothing, but where it is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "typing_example" / "project.py"


def test_mypy_strict(tmp_path: Path) -> None:
    """Ignores that are not needed are errors, so what is wrong in the project is found."""
    options = [
        "--strict",
        "--warn-unused-ignores",
        "--config-file=",
        f"--cache-dir={tmp_path}",
        "--follow-imports=silent",
    ]
    command = [sys.executable, "-m", "mypy", *options, str(PROJECT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "Success: no issues found in 1 source file\n", done.stdout + done.stderr
