"""Compiled kernels on disk: damaged ones are compiled again, and where none can be kept nothing fails."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
from nymity.kernels.grouping import distinct
group, first = distinct(np.array([[3], [1], [3], [2]], dtype=np.uint64))
print(group.tolist(), first.tolist(), sum(distinct.stats.cache_hits.values()))
"""


def run(cache: Path) -> list[str]:
    """Group four rows in a process of its own; return what it says, and how often a kernel came from the disk."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *answer, hits = done.stdout.strip().rsplit(" ", 1)
    assert answer == ["[0, 1, 0, 2] [0, 1, 3]"]
    return [hits]


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def change(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x55
    path.write_bytes(content)


def foreign(path: Path) -> None:
    path.write_bytes(b"not what numba writes" * 99)


def earlier(path: Path) -> None:
    """Write it as a version did in which a type of a kernel's arguments had a name that is gone."""
    first = pickle.dumps(pickle.loads(path.read_bytes())) if path.suffix == ".nbi" else b""  # the version of numba
    content = first + b"cnymity.kernels.grouping\nNoLongerThere\n."
    path.write_bytes(content + hashlib.sha256(content).digest())


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files that numba keeps of the kernel, by their path below the cache."""
    cache = tmp_path_factory.mktemp("cache")
    assert run(cache) == ["0"]
    assert run(cache) == ["1"]
    return {str(path.relative_to(cache)): path.read_bytes() for path in cache.rglob("*") if path.is_file()}


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", [empty, cut, change, foreign, earlier, folder])
def test_damaged_files_are_compiled_again(
    kept: dict[str, bytes], tmp_path: Path, suffix: str, damage: Callable[[Path], None]
) -> None:
    for name, content in kept.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
        if name.endswith(suffix):
            damage(tmp_path / name)
    assert run(tmp_path) == ["0"]
    assert run(tmp_path) == (["0"] if damage is folder else ["1"])


def test_no_place_to_keep_them(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert run(tmp_path / "cache")  # numba takes another place, or compiles again
