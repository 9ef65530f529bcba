"""Compiled kernels on disk: damaged ones are compiled again, and where none can be kept nothing fails."""

from __future__ import annotations

import os
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
@pytest.mark.parametrize("damage", [empty, cut, change, foreign, folder])
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


EARLIER = """
from typing import NamedTuple
from nymity.kernels.compiled import njit

class Pair(NamedTuple):
    a: int
    b: int

@njit(cache=True)
def added(pair):
    return pair.a + pair.b

print(added(Pair(1, 2)))
"""


@pytest.mark.parametrize("gone", ["class", "module"])
def test_kernels_of_an_earlier_version_are_compiled_again(tmp_path: Path, gone: str) -> None:
    """An update leaves what numba kept beside the source, with names that are no more."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    main = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import adding"]
    types, kernel = EARLIER.split("@njit")
    later = EARLIER.replace("Pair", "Two") if gone == "class" else "from sums import Two as Pair\n@njit" + kernel
    (tmp_path / "pairs.py").write_text(types)
    (tmp_path / "sums.py").write_text(types.replace("Pair", "Two"))
    earlier = EARLIER if gone == "class" else "from pairs import Pair, njit\n@njit" + kernel
    for source in (earlier, later.replace("import Two as Pair", "import Two as Pair, njit")):
        (tmp_path / "adding.py").write_text(source)
        done = subprocess.run(main, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
        (tmp_path / "pairs.py").unlink(missing_ok=True)
