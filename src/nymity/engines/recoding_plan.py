"""RecodingPlan: a recoding as a map and a join, the same for every engine.

Each quasi-identifier is mapped to a code by a dictionary in which a gap has a code of its own. Codes times strides are
summed to one whole number of 63 bits, or several where one is not enough: the *key*. A row is published with the cells
that the table of classes has for its key; one whose key is not there is masked, or removed. No cell is compared with a
gap anywhere, so gaps mean the same in every engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.draws import Draws
from nymity.engines.merged_cells import UNMERGED, Merged, MergedCells
from nymity.engines.numbering import Numbering
from nymity.table.encoding import codes_of
from nymity.table.recoding import Recoding

if TYPE_CHECKING:
    from nymity.engines.engine_rows import Rows

#: Keys stay below this.
_LARGEST = 2**63 - 1
#: How columns of the table of classes are called: keys, then cells.
KEY, CELL = "k", "c"

RowOrder = Literal["sorted", "shuffled"]
#: Columns in which a gap leaves a row out, each with the texts of spaces alone that are as good as one.
Dropping = Mapping[str, Sequence[str]]
NOTHING: Dropping = {}


@dataclass(frozen=True, eq=False, kw_only=True)
class MappedColumn:
    """The dictionary of a quasi-identifier: distinct cells, a gap among them if there is one, and the code of each.

    ``word`` and ``stride`` say where the code stands in the key.
    """

    name: str
    values: pl.Series
    codes: NDArray[np.int64]
    word: int
    stride: int

    @property
    def of_gap(self) -> int | None:
        """The code of a gap; None where there is none."""
        found = np.flatnonzero(self.values.is_null().to_numpy())
        return int(self.codes[found[0]]) if len(found) else None


@dataclass(frozen=True, eq=False, kw_only=True)
class RecodingPlan:
    """What is published: ``columns`` in order, those of ``cells`` from the table of classes, others as they are.

    classes: k0, k1, … (keys) and c0, c1, … (cells, by ``cells``). ``masks``: rows without a class are masked, or else
    removed. ``dropping``: where a gap leaves a row out. ``counted``: the distinct cells of further columns, where they
    are known.
    """

    columns: tuple[str, ...]
    keys: tuple[MappedColumn, ...]
    classes: pl.DataFrame
    cells: Mapping[str, str]
    masks: bool
    dropping: Dropping
    order: RowOrder = "sorted"
    counted: Mapping[str, pl.Series]
    #: The records that are published, for what was written to be held against, and how many of them are masked.
    records: int
    masked: int
    #: What rows are shuffled by.
    draws: Draws

    @property
    def words(self) -> int:
        """How many numbers a key has."""
        return 1 + max(column.word for column in self.keys)

    def write(self, rows: Rows, path: Path) -> None:
        """Let an engine publish its rows as a Parquet file."""
        rows.apply(self, path)

    def with_key_of_source(self, name: str, *further: str) -> RecodingPlan:
        """Return the plan of what stays with the custodian: a column of the source beside the published cells."""
        return replace(self, columns=(name, *self.cells, *further), order="sorted")

    def has_class(self, cells: Mapping[str, pl.Series]) -> NDArray[np.bool_]:
        """Return which rows are published as a class, and not masked or removed, (n,); their cells were counted."""
        codes = [Numbering(column.name, column.values, column.codes).of(cells[column.name]) for column in self.keys]
        words = _words(self.keys, codes)
        found = np.zeros(words.height, dtype=np.bool_)
        found[_inside(words, self.classes)] = True
        return found


def plan_of(
    recoding: Recoding,
    cells: Mapping[str, pl.Series],
    records: NDArray[np.int64],
    *,
    counted: Mapping[str, pl.Series],
    dropping: Dropping,
    order: RowOrder,
    draws: Draws,
    merged: Merged = UNMERGED,
) -> RecodingPlan:
    """Return the plan of a recoding that is decided by quasi-identifiers alone.

    ``cells`` are the distinct combinations of these, with their number of ``records``; ``counted`` has further columns.
    """
    numbered = {name: _numbered(column, recoding, name, merged.get(name)) for name, column in cells.items()}
    places = _places([size for _, _, _, size in numbered.values()])
    keys = tuple(
        MappedColumn(name=name, values=values, codes=codes, word=word, stride=stride)
        for (name, (values, codes, _, _)), (word, stride) in zip(numbered.items(), places, strict=True)
    )
    words = _words(keys, [of_row for _, _, of_row, _ in numbered.values()])
    # Combinations that the recoding never tells apart are one: the first stands for them.
    groups = words.with_row_index("row").group_by(words.columns).agg(pl.col("row").first()).sort("row")
    first = groups["row"].to_numpy()
    distinct = pl.DataFrame({name: column[first] for name, column in cells.items()})
    made: Any = recoding.for_further_rows()
    recoded = replace(made, columns=tuple(cells)).apply(distinct, draws=draws)
    shown = ~recoded.masked
    kept = recoded.source_rows[shown]
    table = recoded.table.filter(pl.Series(shown))
    names = {name: f"{CELL}{i}" for i, name in enumerate(cells)}
    classes = pl.DataFrame(
        {
            **{word: groups[word][kept] for word in words.columns},
            **{names[name]: table[name] for name in cells},
        }
    )
    masks = recoding.outliers == "mask"
    inside = int(records[_inside(words, classes)].sum())
    everyone = int(records.sum())
    return RecodingPlan(
        columns=recoding.columns,
        keys=keys,
        classes=classes,
        cells=names,
        masks=masks,
        dropping=dropping,
        order=order,
        counted=counted,
        records=everyone if masks else inside,
        masked=everyone - inside if masks else 0,
        draws=draws,
    )


def _inside(words: pl.DataFrame, classes: pl.DataFrame) -> NDArray[np.int64]:
    """Return the combinations that have a class."""
    return words.with_row_index("row").join(classes, on=words.columns, how="semi")["row"].to_numpy()


def _numbered(
    column: pl.Series, recoding: Recoding, name: str, merged: MergedCells | None
) -> tuple[pl.Series, NDArray[np.int64], NDArray[np.int64], int]:
    """Return the different cells of a column, the code of each, that of each row, and how many codes there are.

    Cells that the recoding never tells apart have one code, which keeps the table of classes small; so have those that
    were ``merged`` when they were counted.
    """
    named = column.alias("cell")
    values = named.unique().sort(nulls_last=True)
    listed = codes_of(values, None, recoding.hierarchies[name].index).astype(np.int64)
    decided = recoding.deciding_codes(name)
    codes = np.arange(len(values), dtype=np.int64) if decided is None else decided[listed].astype(np.int64)
    number = pl.DataFrame({"cell": values, "code": codes})
    of_row = named.to_frame().join(number, on="cell", how="left", nulls_equal=True, maintain_order="left")["code"]
    size = int(codes.max(initial=0)) + 1
    if merged is not None:
        counted = merged.values.gather(merged.places).alias("cell").to_frame()
        found = counted.join(number, on="cell", how="left", nulls_equal=True, maintain_order="left")["code"]
        values, codes = merged.values, found.to_numpy()
    return values, codes, of_row.to_numpy(), size


def _places(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the word and the stride of each column; a word is filled as far as it goes."""
    places, word, used = [], 0, 1
    for size in sizes:
        if used * size > _LARGEST:
            word, used = word + 1, 1
        places.append((word, used))
        used *= size
    return places


def _words(keys: Sequence[MappedColumn], codes: Sequence[NDArray[np.int64]]) -> pl.DataFrame:
    words: dict[str, NDArray[np.int64]] = {}
    for column, of_row in zip(keys, codes, strict=True):
        name = f"{KEY}{column.word}"
        part = of_row * column.stride
        words[name] = words[name] + part if name in words else part
    return pl.DataFrame(words)
