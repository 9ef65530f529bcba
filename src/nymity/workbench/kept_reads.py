"""Files that pages read again and again: one that is as it was is parsed once, however many pages ask."""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar

T = TypeVar("T")

#: Bytes that are kept of one file, and of all.
_LONGEST, _MOST = 2**20, 32 * 2**20

_kept: OrderedDict[Path, tuple[tuple[int, ...], bytes]] = OrderedDict()
_keeping = Lock()


def read_once(path: Path, read: Callable[[Path], T]) -> T:
    """Return what ``read`` makes of a file, plain data of the caller's own; it is asked where the file has changed.

    The stamp is taken before the file is read: where it is replaced in between, the next look reads again.
    """
    stamp = _stamp(path)
    if stamp is None:
        return read(path)
    with _keeping:
        held = _kept.get(path)
        if held is not None and held[0] == stamp:
            _kept.move_to_end(path)
            made: T = pickle.loads(held[1])  # what this process itself wrote, into its memory
            return made
    data = read(path)
    content = pickle.dumps(data)
    if len(content) <= _LONGEST:
        with _keeping:
            _kept[path] = (stamp, content)
            _kept.move_to_end(path)
            while sum(len(one) for _, one in _kept.values()) > _MOST:
                _kept.popitem(last=False)
    return data


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return what tells a file from the one that was there before: each is written whole, and moved into its place."""
    try:
        seen = os.stat(path)  # noqa: PTH116 -- asked for on every page, many times
    except OSError:
        return None
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
