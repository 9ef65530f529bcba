"""Linking: which records of the original became which released row.

Three ways, tried in turn. (1) Where every column has one level, records are rolled up to these levels: if each class is
kept whole or not at all, that settles it. (2) A release knows the source row of each of its rows, from the custodian's
log. (3) A recoding is applied to the original again, and must give the same rows. What was found is believed only if
every cell stands for the value it was made from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from nymity.kernels.grouping import distinct
from nymity.publishing.comparing.read_rows import ReadRows
from nymity.quality.published_rows import Ints, Links, PublishedRows
from nymity.table.level_recoding import LevelRecoding
from nymity.table.packing import KeyLayout
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.recoding import Recoding

_NO_RECODING = "give the recoding of the release (recoding.json in the custodian's log)"


def with_links(
    read: ReadRows,
    source: pl.DataFrame,
    combination_of: Callable[[], Ints],
    recoding: Recoding | None,
    source_rows: Ints | None,
) -> PublishedRows:
    """Match what was published with the original, or say why that cannot be.

    combination_of: tells the combination of each row of ``source``, (n,). source_rows: the row of ``source`` that each
    released row came from, where that is known.
    """
    published = read.published
    links = _rolled_up(published)
    # Levels come first: they need no log, which may be of another table.
    if links is None and source_rows is not None:
        links = _logged(read, combination_of, source_rows)
    if links is None and isinstance(recoding, LevelRecoding | PartitionRecoding):
        links = _applied(read, source, combination_of(), recoding)
        why = "the recoding makes other rows of it"
    else:
        why = "classes are not kept as a whole" if published.several_levels is None else _NO_RECODING
    return replace(published, links=links, unlinked="" if links is not None else why)


def _rolled_up(published: PublishedRows) -> Links | None:
    """Generalize the combinations to the levels of the columns; each class must be kept whole or not at all."""
    if published.several_levels is not None:
        return None
    table, levels = published.table, published.column_levels
    own, general = [], []
    for a, (hierarchy, level, cells) in enumerate(zip(table.hierarchies, levels, published.cells, strict=True)):
        codes = hierarchy.codes[level].astype(np.int64)
        general.append(codes[table.combinations[:, a]])
        # Any value that a cell covers tells its code at the level: the first one is taken.
        own.append(codes[cells.covered[cells.starts[:-1]]][published.rows[:, a]])
    sizes = [len(hierarchy.labels[level]) for hierarchy, level in zip(table.hierarchies, levels, strict=True)]
    row = _found(own, general, sizes)
    return _settled(published, np.arange(len(row)), row, table.counts.astype(np.int64))


def _logged(read: ReadRows, combination_of: Callable[[], Ints], source_rows: Ints) -> Links | None:
    """Follow the custodian's log, if it fits the original that was given."""
    known = combination_of()
    if len(source_rows) != len(read.row_of) or ((source_rows < 0) | (source_rows >= len(known))).any():
        return None
    # A record has one row at most: a log that says otherwise is of another table.
    if np.bincount(source_rows, minlength=1).max() > 1:
        return None
    row = np.full(len(known), -1, dtype=np.int64)
    row[source_rows] = read.row_of
    return _settled(read.published, known, row, np.ones_like(row))


def _applied(read: ReadRows, source: pl.DataFrame, combination_of: Ints, recoding: Recoding) -> Links | None:
    """Publish the original again."""
    again = recoding.apply(source, unseen="mask")
    numbers = read.numbered(again.table)
    # -1 + 1 = 0 below: masked rows get a code that no released row has.
    numbers[again.masked] = -1
    row = np.full(source.height, -1, dtype=np.int64)
    sizes = [len(cells.labels) + 1 for cells in read.published.cells]
    row[again.source_rows] = _found(list(read.published.rows.T + 1), list(numbers.T + 1), sizes)
    return _settled(read.published, combination_of, row, np.ones_like(row))


def _found(own: list[Ints], rows: list[Ints], sizes: list[int]) -> Ints:
    """Number of the row of ``own`` that equals each of ``rows``, both by column; -1 where none does."""
    n = len(own[0])
    # One numbering for both: what comes first in ``own`` is its row, and a group that starts later is nowhere.
    both = [np.append(column, others) for column, others in zip(own, rows, strict=True)]
    group, first = distinct(KeyLayout.for_sizes(sizes).pack(both))
    found: Ints = np.where(first < n, first, -1)[group[n:]]
    return found


def _settled(published: PublishedRows, combination: Ints, row: Ints, counts: Ints) -> Links | None:
    """Add up equal links; None if rows get more or fewer records than were published, or values their cells deny."""
    order = np.lexsort((row, combination))
    combination, row, counts = combination[order], row[order], counts[order]
    first = np.flatnonzero(np.append(True, (combination[1:] != combination[:-1]) | (row[1:] != row[:-1]))[: len(row)])
    links = Links(combination[first], row[first], np.add.reduceat(counts, first))
    there = links.counts > 0
    links = Links(links.combination[there], links.row[there], links.counts[there])
    kept = links.row >= 0
    # Whole numbers up to 2**53 are exact as floats, so that equality is.
    got = np.bincount(links.row[kept], weights=links.counts[kept], minlength=len(published.rows))
    if not np.array_equal(got, published.counts) or not _stand_for(published, links):
        return None
    return links


def _stand_for(published: PublishedRows, links: Links) -> bool:
    """Return whether every cell stands for the values it was made from."""
    kept = links.row >= 0
    for a, (cells, hierarchy) in enumerate(zip(published.cells, published.table.hierarchies, strict=True)):
        values = published.table.combinations[links.combination[kept], a].astype(np.int64)
        # A pair of cell and raw value as one number
        pairs = np.unique(published.rows[links.row[kept], a] * hierarchy.domain_size + values)
        of_cell = np.repeat(np.arange(len(cells.labels)), cells.sizes)
        if not np.isin(pairs, of_cell * hierarchy.domain_size + cells.covered).all():
            return False
    return True
