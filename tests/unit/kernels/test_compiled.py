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

#: A kernel that takes a moment to compile, in a file of its own: numba keeps it by the file's name and date.
KERNEL = """
import numpy as np
from nymity.kernels.compiled import njit

@njit(cache=True)
def doubled(values):
    return 2 * values[0]

print(doubled(np.array([21])), sum(doubled.dispatcher.stats.cache_hits.values()))
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("kernel") / "doubling.py"
    program.write_text(KERNEL, encoding="utf-8")
    return program


def run(kernel: Path, cache: Path) -> list[str]:
    """Double a number in a process of its own; return how often a kernel came from the disk."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, str(kernel)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer, hits = done.stdout.split()
    assert answer == "42"
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
def kept(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files that numba keeps of the kernel, by their path below the cache."""
    cache = tmp_path_factory.mktemp("cache")
    assert run(kernel, cache) == ["0"]
    assert run(kernel, cache) == ["1"]
    return {str(path.relative_to(cache)): path.read_bytes() for path in cache.rglob("*") if path.is_file()}


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", [empty, cut, change, foreign, earlier, folder])
def test_damaged_files_are_compiled_again(
    kernel: Path, kept: dict[str, bytes], tmp_path: Path, suffix: str, damage: Callable[[Path], None]
) -> None:
    for name, content in kept.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
        if name.endswith(suffix):
            damage(tmp_path / name)
    assert run(kernel, tmp_path) == ["0"]
    assert run(kernel, tmp_path) == (["0"] if damage is folder else ["1"])


def test_no_place_to_keep_them(kernel: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert run(kernel, tmp_path / "cache")  # numba takes another place, or compiles again


LOADED = """
import sys
import numpy as np
from nymity.kernels.compiled import njit

@njit(cache=True)
def highest(values):
    return np.sort(values)[-1]

@njit(cache=True)
def shown(values):
    return highest(values) + 1

print(shown(np.array([20, 41, 7])))
print("numba.np.arraymath" in sys.modules, "numba.np.polynomial" in sys.modules, "scipy.linalg" in sys.modules)

@njit(cache=False)
def further(values):
    return shown(values) + values.mean()

print(further(np.array([1.0, 3.0])))
"""


def test_a_kept_kernel_loads_nothing_that_compiles_and_what_is_not_kept_is_compiled_beside_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(LOADED, encoding="utf-8")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    told = [
        subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert told[0].stdout.split() == ["42", "True", "True", "False", "6.0"]
    assert told[1].stdout.split() == ["42", "False", "False", "False", "6.0"]


LINKED = """
import sys
import numpy as np
from nymity.kernels.compiled import njit

@njit(cache=True)
def inner(values):
    return values.sum() + 1

@njit(cache=True)
def outer(values):
    return 2 * inner(values)

for kernel in sys.argv[1:]:
    print({"inner": inner, "outer": outer}[kernel](np.array([7, 13])))
print(*(sum(kernel.dispatcher.stats.cache_hits.values()) for kernel in (inner, outer)))
"""


def test_a_kernel_compiled_with_a_kept_one_holds_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(LINKED, encoding="utf-8")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    told = []
    for kernels in (["inner"], ["inner", "outer"], ["outer"]):  # keeps one, compiles another with it, calls that alone
        command = [sys.executable, str(program), *kernels]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        told.append(done.stdout.split())
    assert told == [["21", "0", "0"], ["21", "42", "1", "0"], ["42", "0", "1"]]
