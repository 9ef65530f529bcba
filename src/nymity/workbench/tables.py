"""Tables: the one door to a project's records. A private project has none.

What was read stays in memory while its file is as it was, for the last few tables.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

import nymity as ny
from nymity.io import CodedTable, DetectedReading, Dictionary, cells_at
from nymity.publishing import Inspection
from nymity.workbench.memory import give_back
from nymity.workbench.project import Project
from nymity.workbench.turns import computing

#: Tables that stay in memory, however large; further ones while all have no more cells than this, for many users.
_MOST, _MOST_CELLS = 2, 10_000_000

_kept: OrderedDict[str, LookedTable] = OrderedDict()
_keeping = threading.Lock()
_reading: dict[str, threading.Lock] = {}
#: Tables that are read at once: each takes memory.
_few = threading.BoundedSemaphore(4)


@dataclass(eq=False, kw_only=True)
class LookedTable:
    """A table that was read, and what was found out about it."""

    cells: pl.DataFrame | CodedTable
    reading: DetectedReading
    dictionary: Dictionary
    memory: dict[object, Any] = field(default_factory=dict)  #: what endpoints keep of it, such as an order of rows
    _inspecting: threading.Lock = field(default_factory=threading.Lock)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.cells.columns)

    @property
    def height(self) -> int:
        """Number of records."""
        return self.cells.height

    @cached_property
    def _inspection(self) -> Inspection:
        return ny.inspect(self.cells, dictionary=self.dictionary, reading=self.reading)

    @property
    def inspection(self) -> Inspection:
        """What columns look like and which roles are suggested, whatever anybody decided; computed once."""
        with self._inspecting:
            if "_inspection" in vars(self):
                return self._inspection
            with computing():
                return self._inspection

    def spread(self, name: str, made: pl.Series) -> pl.Series:
        """Return for each row what was made of its value, given for each of :func:`nymity.io.values_of`."""
        return made.gather(pl.Series(self.cells.coded[name].codes)) if isinstance(self.cells, CodedTable) else made

    def keys(self, names: Sequence[str]) -> pl.DataFrame:
        """Return some columns for counting alone: numbers in place of values where these are held once each."""
        if not isinstance(self.cells, CodedTable):
            return self.cells.select(names)
        return pl.DataFrame([self.cells.coded[name].keys.alias(name) for name in names])

    def rows(self, numbers: pl.Series) -> pl.DataFrame:
        """Return some rows."""
        return pl.DataFrame([cells_at(self.cells, name, numbers).alias(name) for name in self.columns])


def look_at(project: Project) -> LookedTable:
    """Return the table of a project as its job says it is read; this takes a while when it is not in memory."""
    project.refuse_looking("the table")
    key = _key(project.source_data)
    with _keeping:
        lock = _reading.setdefault(key, threading.Lock())
    with lock:  # two pages that ask for the same table wait for one reading
        with _keeping:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
        with _few, computing():
            valued = project.source().read_valued()
        reading = DetectedReading(options=project.source().options)
        looked = LookedTable(cells=valued.table, reading=reading, dictionary=valued.dictionary)
        keep(project.source_data, looked)
        return looked


def kept_table(project: Project) -> LookedTable | None:
    """Return the table of a project if it is in memory, at once."""
    project.refuse_looking("the table")
    with _keeping:
        return _kept.get(_key(project.source_data))


def keep(source: dict[str, Any], looked: LookedTable) -> None:
    """Keep a table that was read, with what was found out about it, for whoever asks next."""
    give_back()
    with _keeping:
        _kept[_key(source)] = looked
        while len(_kept) > _MOST and sum(one.height * len(one.columns) for one in _kept.values()) > _MOST_CELLS:
            _reading.pop(_kept.popitem(last=False)[0], None)


def _key(source: dict[str, Any]) -> str:
    """Tell tables apart by how they are read, and by whether their file is as it was."""
    seen = Path(source["path"]).stat() if "path" in source and Path(source["path"]).exists() else None
    stamp = None if seen is None else [seen.st_size, seen.st_mtime_ns, seen.st_ino]
    return json.dumps([source, stamp], sort_keys=True, default=str)
