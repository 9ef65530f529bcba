"""What type checkers say of a project that uses nymity: nothing, but where it is wrong."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1] / "typing_example" / "project.py"


def test_mypy_strict(pytestconfig: pytest.Config) -> None:
    """Ignores that are not needed are errors, so what is wrong in the project is found."""
    # What is known of nymity and its libraries is kept: mypy looks again at what has changed since.
    known = pytestconfig.cache.mkdir("mypy")
    options = [
        "--strict",
        "--warn-unused-ignores",
        "--config-file=",
        f"--cache-dir={known}",
        "--follow-imports=silent",
    ]
    command = [sys.executable, "-m", "mypy", *options, str(PROJECT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "Success: no issues found in 1 source file\n", done.stdout + done.stderr


def test_pyright_strict() -> None:
    """What is wrong on purpose is ignored where it is, so an ignore that is not needed is an error here, too."""
    pytest.importorskip("pyright", reason="pyright is not installed")
    version = [sys.executable, "-m", "pyright", "--version"]
    if shutil.which("node") is None or subprocess.run(version, capture_output=True, check=False).returncode:
        pytest.skip("pyright needs node, and its package of node")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(PROJECT.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "0 errors, 0 warnings" in done.stdout, done.stdout + done.stderr
