"""Files that are read once: whoever asks gets data of their own, and never that of a file which was there before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nymity.core.errors import FileError
from nymity.core.plain_data import read_json
from nymity.workbench.kept_reads import read_once
from nymity.workbench.runs import write_json


class Reader:
    """Counts how often a file is read."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, path: Path) -> dict[str, object]:
        self.times += 1
        return read_json(path, expected="a test")


def test_a_file_that_is_as_it_was_is_read_once_and_shared_by_nobody(tmp_path: Path) -> None:
    path, reader = tmp_path / "one.json", Reader()
    write_json(path, {"list": [1]})
    first = read_once(path, reader)
    first["list"].append(2)
    assert read_once(path, reader) == {"list": [1]}
    assert reader.times == 1


def test_a_file_that_was_replaced_is_read_again_also_with_its_size_and_time(tmp_path: Path) -> None:
    path, reader = tmp_path / "one.json", Reader()
    write_json(path, {"at": 1})
    assert read_once(path, reader) == {"at": 1}
    seen = path.stat()
    write_json(path, {"at": 2})
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (seen.st_size, seen.st_mtime_ns)
    assert read_once(path, reader) == {"at": 2}


def test_what_is_replaced_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write_json(path, {"at": 1})

    def slow(path: Path) -> dict[str, object]:
        found = read_json(path, expected="a test")
        write_json(path, {"at": 2})
        return found

    assert read_once(path, slow) == {"at": 1}
    assert read_once(path, Reader()) == {"at": 2}


def test_a_file_that_is_gone_is_an_error_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write_json(path, {})
    read_once(path, Reader())
    path.unlink()
    with pytest.raises(FileError):
        read_once(path, Reader())
