"""RowLayout: a published row as a few whole numbers beside the cells that nobody counted, in the order of its columns.

Neighbouring columns whose cells are known share a number: the place of each cell among those of its column, times a
stride. The number has the order of the cells, so that rows are sorted by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.engines.engine_rows import RECORDS
from nymity.engines.numbering import Numbering
from nymity.engines.recoding_plan import KEY, RecodingPlan
from nymity.table.text import MASK

#: Keys up to which classes are looked up by a table.
_DENSE = 2**24
_LARGEST = 2**63 - 1
#: Rows that are written at a time.
_PIECE = 250_000


def packed(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the word and the stride of each column, the first one counting most within its word."""
    groups: list[list[int]] = [[]]
    used = 1
    for column, size in enumerate(sizes):
        if used * max(1, size) > _LARGEST:
            groups.append([])
            used = 1
        groups[-1].append(column)
        used *= max(1, size)
    places = {}
    for word, group in enumerate(groups):
        stride = 1
        # The last column has the stride 1, so that order by the number is order by the columns.
        for column in reversed(group):
            places[column] = (word, stride)
            stride *= max(1, sizes[column])
    return [places[column] for column in range(len(sizes))]


def summed(places: Sequence[tuple[int, int]], codes: Iterable[NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
    """Return the words of rows, k0, k1, …, whose cells have these codes, by column."""
    words: dict[str, NDArray[np.int64]] = {}
    for (word, stride), code in zip(places, codes, strict=True):
        name = f"{KEY}{word}"
        words[name] = words[name] + code * stride if name in words else code * stride
    return words


@dataclass(frozen=True, eq=False)
class _Part:
    """A run of known columns in one number, ``word``, or one column of unknown cells."""

    word: str
    columns: tuple[str, ...]
    strides: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class RowLayout:
    """How rows of a plan are laid out; ``needed`` are the columns of a batch, named c0, c1, …"""

    plan: RecodingPlan
    needed: tuple[str, ...]
    parts: tuple[_Part, ...]
    known: Mapping[str, Numbering]
    schema: Mapping[str, pl.DataType]
    keys: tuple[Numbering, ...]
    #: Of each class, and last of a row without one: the place of its cell, by column.
    of_class: Mapping[str, NDArray[np.int64]]
    lookup: _Lookup

    @staticmethod
    def of(plan: RecodingPlan, columns: Mapping[str, pl.DataType]) -> RowLayout:
        """Lay out the rows of a plan on a table with these columns."""
        known: dict[str, Numbering] = {}
        of_class, schema = {}, {}
        for name in plan.columns:
            if name in plan.cells:
                cells = plan.classes[plan.cells[name]]
                if plan.masks and cells.dtype == pl.String:
                    cells = pl.concat([cells.alias("c"), pl.Series("c", [MASK])])
                known[name] = Numbering(name, cells)
                of_class[name] = known[name].of(cells)
                schema[name] = cells.dtype
            elif name in plan.counted:
                known[name] = Numbering(name, plan.counted[name])
                schema[name] = plan.counted[name].dtype
            else:
                kind = columns[name]
                schema[name] = pl.String() if kind in (pl.Categorical, pl.Enum) else kind
        needed = [column.name for column in plan.keys]
        needed += [name for name in plan.columns if name not in plan.cells]
        return RowLayout(
            plan,
            tuple(needed),
            _parts(plan.columns, known),
            known,
            schema,
            tuple(Numbering(column.name, column.values, column.codes) for column in plan.keys),
            of_class,
            _Lookup(plan),
        )

    @property
    def bytes_a_row(self) -> int:
        """Roughly what a row takes while it is sorted."""
        return 120 + 64 * len(self.parts) + 96 * sum(not part.strides for part in self.parts)

    def encoded(self, batch: pl.DataFrame) -> pl.DataFrame:
        """Return the rows that a batch is published as, laid out, with their counts; equal ones are one row.

        A row of a batch stands for as many as ``RECORDS`` says, or for itself.
        """
        at = {name: f"c{i}" for i, name in enumerate(self.needed)}
        words: dict[int, NDArray[np.int64]] = {}
        for i, (column, numbering) in enumerate(zip(self.plan.keys, self.keys, strict=True)):
            part = numbering.of(batch[f"c{i}"]) * column.stride
            words[column.word] = words[column.word] + part if column.word in words else part
        of_row = self.lookup.classes([words[word] for word in range(self.plan.words)])
        if not self.plan.masks:
            inside = np.flatnonzero(of_row >= 0)
            batch, of_row = (batch, of_row) if len(inside) == len(of_row) else (batch[inside], of_row[inside])
        laid: dict[str, pl.Series | NDArray[np.int64]] = {}
        for part_ in self.parts:
            if not part_.strides:
                laid[part_.word] = batch[at[part_.columns[0]]]
                continue
            number = np.zeros(len(of_row), dtype=np.int64)
            for name, stride in zip(part_.columns, part_.strides, strict=True):
                places = self.of_class.get(name)
                number += stride * (self.known[name].of(batch[at[name]]) if places is None else places[of_row])
            laid[part_.word] = number
        counts = batch[RECORDS] if RECORDS in batch.columns else pl.repeat(1, batch.height, eager=True)
        rows = pl.DataFrame({**laid, RECORDS: counts.cast(pl.Int64)})
        # Rows of known cells alone repeat often, and take less as one with a count; those with other cells seldom do.
        if all(part_.strides for part_ in self.parts):
            return rows.group_by(list(laid)).agg(pl.col(RECORDS).sum())
        return rows

    def decoded(self, rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Return rows with the cells they are published with."""
        for piece in expanded(rows):
            cells: dict[str, pl.Series] = {}
            for part in self.parts:
                if not part.strides:
                    cells[part.columns[0]] = piece[part.word]
                    continue
                numbers = piece[part.word].to_numpy()
                for name, stride in zip(part.columns, part.strides, strict=True):
                    known = self.known[name]
                    cells[name] = known.values.gather((numbers // stride) % max(1, known.size))
            yield pl.DataFrame({name: cells[name].alias(name) for name in self.plan.columns})


def expanded(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Return rows as often as they are there, some at a time."""
    counts = rows[RECORDS].to_numpy()
    if not len(counts):
        return
    ends = np.cumsum(counts)
    for start in range(0, int(ends[-1]), _PIECE):
        stop = min(start + _PIECE, int(ends[-1]))
        first, last = int(np.searchsorted(ends, start, "right")), int(np.searchsorted(ends, stop, "left"))
        often = counts[first : last + 1].copy()
        # The first and the last row of a piece may be cut in two: only their part in this piece counts.
        often[0] -= start - (int(ends[first]) - int(counts[first]))
        often[-1] -= int(ends[last]) - stop
        piece = rows[first : last + 1]
        if (often != 1).any():
            piece = piece[np.repeat(np.arange(len(often)), often)]
        yield piece.with_columns(pl.lit(1, pl.Int64).alias(RECORDS))


class _Lookup:
    """The class of each key, -1 where there is none."""

    def __init__(self, plan: RecodingPlan) -> None:
        self._words = [f"{KEY}{word}" for word in range(plan.words)]
        self._classes = plan.classes.select(self._words).with_row_index("class")
        space = max((int(c.codes.max(initial=0)) + 1) * c.stride for c in plan.keys)
        self._dense: NDArray[np.int64] | None = None
        keys = self._classes[self._words[0]].to_numpy()
        if plan.words == 1 and space <= _DENSE:
            self._dense = np.full(space, -1, dtype=np.int64)
            self._dense[keys] = np.arange(len(keys))
        self._order = np.argsort(keys)
        self._sorted = keys[self._order]

    def classes(self, words: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the class of each row."""
        if self._dense is not None:
            return self._dense[words[0]]
        if len(words) == 1:
            if not len(self._sorted):
                return np.full(len(words[0]), -1, dtype=np.int64)
            at = np.minimum(np.searchsorted(self._sorted, words[0]), len(self._sorted) - 1)
            return np.where(self._sorted[at] == words[0], self._order[at], -1)
        rows = pl.DataFrame(dict(zip(self._words, words, strict=True)))
        found = rows.join(self._classes, on=self._words, how="left", maintain_order="left")["class"]
        return found.cast(pl.Int64).fill_null(-1).to_numpy()


def _parts(columns: Sequence[str], known: Mapping[str, Numbering]) -> tuple[_Part, ...]:
    """Join neighbouring columns whose cells are known, as far as one number holds them."""
    parts: list[_Part] = []
    run: list[str] = []

    def finish() -> None:
        places = packed([known[name].size for name in run])
        for word in sorted({word for word, _ in places}):
            chosen = [(name, stride) for name, (of, stride) in zip(run, places, strict=True) if of == word]
            names, strides = zip(*chosen, strict=True)
            parts.append(_Part(f"w{len(parts)}", names, strides))
        run.clear()

    for name in columns:
        if name in known:
            run.append(name)
            continue
        if run:
            finish()
        parts.append(_Part(f"w{len(parts)}", (name,)))
    if run:
        finish()
    return tuple(parts)
