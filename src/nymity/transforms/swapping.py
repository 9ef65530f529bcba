"""Swapping: cells go to other records, so that every column holds what it held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.core.errors import ParameterError, TableError
from nymity.table.text import gathered
from nymity.transforms.column_numbers import ColumnNumbers
from nymity.transforms.transform import ColumnTransform, Transform, names_of

Ints = NDArray[np.int64]
_FINEST = 2**40


@dataclass(frozen=True, kw_only=True)
class RankSwapping(ColumnTransform):
    """Numbers of each column go to records whose numbers have nearby ranks (Moore 1996).

    Ranks are cut into blocks of a share ``window`` of the records, the first of a drawn length, and the numbers of each
    block are permuted: no number moves by ``window`` of the ranks or more. Moore swaps pairs within a window; in blocks
    every order of theirs is as likely as any other, which takes one pass. Equal numbers are ranked by a draw.
    """

    key: ClassVar[str] = "rank-swapping"
    title: ClassVar[str] = "rank swapping"
    moves: ClassVar[bool] = True
    keeps: ClassVar[str] = "every column holds the numbers that it held"

    window: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.number("window", self.window, above=0, at_most=1)

    def changed_column(self, cells: pl.Series, draws: Draws, purpose: str, units: pl.Series | None) -> pl.Series:
        """Swap among the numbers; gaps stay where they are."""
        del units
        numbers, name = ColumnNumbers.of(cells), cells.name
        n = len(numbers.units)
        block = int(self.window * n)
        if n and block < 2:
            raise TableError(
                f"column {name!r}",
                expected="a window of at least two records, for nothing moves in a smaller one",
                got=f"{self.window} of {n:,}",
                hint=f"a window of at least {2 / n:.2g}" if n > 1 else "leave the transform out",
            )
        first = draws.below(f"{purpose} {name!r} first")(max(block, 1))
        ranked = np.lexsort((draws.permutation(f"{purpose} {name!r} ties", n), numbers.units))
        blocks = (np.arange(n) + first) // max(block, 1)
        moved = np.empty(n, dtype=np.int64)
        moved[ranked] = numbers.units[ranked[_permuted(blocks, draws, f"{purpose} {name!r} places")]]
        return numbers.with_units(moved)


@dataclass(frozen=True, kw_only=True)
class Shuffling(Transform):
    """Cells of the columns are permuted among records, together, and only among those alike in ``within``."""

    key: ClassVar[str] = "shuffling"
    title: ClassVar[str] = "shuffling"
    moves: ClassVar[bool] = True
    keeps: ClassVar[str] = "every column holds the values that it held, in each group"

    within: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "within", names_of("within", self.within))
        _check_apart("within", self.within, self.columns)

    @property
    def compared(self) -> tuple[str, ...]:
        """What groups are made of."""
        return self.within

    def changed(
        self, table: pl.DataFrame, draws: Draws, purpose: str, units: pl.Series | None = None
    ) -> Mapping[str, pl.Series]:
        """Permute the rows of the columns in each group."""
        del units
        return _gathered(table, self.columns, _permuted(_groups(table, self.within), draws, purpose))


@dataclass(frozen=True, kw_only=True)
class RecordSwapping(Transform):
    """A share of the records swap the columns, such as an area, in pairs that are alike in ``match``.

    Records are chosen by a draw, and paired by one among those chosen that are alike; where a number is odd, one stays.
    Those of a pair who live in the same area change nothing (Dalenius & Reiss 1982).
    """

    key: ClassVar[str] = "record-swapping"
    title: ClassVar[str] = "record swapping"
    moves: ClassVar[bool] = True
    keeps: ClassVar[str] = "every column holds the values that it held, in each group"

    match: tuple[str, ...] = ()
    share: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "match", names_of("match", self.match))
        _check_apart("match", self.match, self.columns)
        validation.number("share", self.share, above=0, at_most=1)

    @property
    def compared(self) -> tuple[str, ...]:
        """In what the records of a pair are alike."""
        return self.match

    def changed(
        self, table: pl.DataFrame, draws: Draws, purpose: str, units: pl.Series | None = None
    ) -> Mapping[str, pl.Series]:
        """Swap the columns of pairs."""
        del units
        n = table.height
        chosen = draws.numbers(f"{purpose} which", np.full(n, _FINEST)) < int(self.share * _FINEST)
        groups = np.where(chosen, _groups(table, self.match), -1)
        source = np.arange(n)
        for members in _members(groups, draws.permutation(f"{purpose} pairs", n)):
            if groups[members[0]] >= 0:
                # of an odd number the last stays as it is
                ones, others = members[: len(members) // 2 * 2 : 2], members[1::2]
                source[ones], source[others] = others, ones
        return _gathered(table, self.columns, source)


def _groups(table: pl.DataFrame, names: tuple[str, ...]) -> Ints:
    """Return a number for each row, the same where all these columns are alike; gaps are alike."""
    if not names:
        return np.zeros(table.height, dtype=np.int64)
    cells = pl.DataFrame({f"c{i}": table[name] for i, name in enumerate(names)})
    return cells.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64)


def _permuted(groups: Ints, draws: Draws, purpose: str) -> Ints:
    """Return for each place the place in its group that its cell comes from, every order as likely as any other."""
    source = np.arange(len(groups))
    order = draws.permutation(purpose, len(groups))
    source[np.argsort(groups, kind="stable")] = order[np.argsort(groups[order], kind="stable")]
    return source


def _members(groups: Ints, order: Ints) -> Iterator[Ints]:
    """Yield the rows of each group, in the given order of all rows."""
    rows = order[np.argsort(groups[order], kind="stable")]
    if len(rows):
        yield from np.split(rows, np.flatnonzero(np.diff(groups[rows])) + 1)


def _gathered(table: pl.DataFrame, columns: tuple[str, ...], source: Ints) -> dict[str, pl.Series]:
    places = pl.Series(source, dtype=pl.UInt32)
    return {name: gathered(table[name], places) for name in columns}


def _check_apart(field: str, names: tuple[str, ...], columns: tuple[str, ...]) -> None:
    if shared := sorted(set(names) & set(columns)):
        raise ParameterError(field, expected="columns that stay as they are", got=f"{shared[0]!r}, which is changed")
