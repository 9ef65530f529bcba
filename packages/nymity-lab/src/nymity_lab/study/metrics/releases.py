"""Releases of the thesis (section 3.3): Datafly, Datafly with shuffled hierarchies, Mondrian with permuted orders.

Nothing is written: a release of Adult with twelve quasi-identifiers takes less than a tenth of a second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from nymity.table.cells import Cells
    from nymity.table.hierarchy import Hierarchy
    from nymity.table.recoding import Recoding
    from nymity.utility import Released
    from nymity_lab.study.metrics.data import Data, QuasiColumn

DATAFLY, SHUFFLED, MONDRIAN = ALGORITHMS = ("datafly", "datafly-shuffled", "mondrian")


@dataclass(frozen=True, kw_only=True, eq=False)
class Made:
    """A release: its k, the released table in the order of the records, and the recoding it was made by."""

    k: int
    table: pl.DataFrame
    recoding: Recoding

    def released(self, links: NDArray[np.int64] | None = None) -> Released:
        """Return what comparisons and learners take; ``links`` are the records of its rows."""
        from nymity.utility import Released

        return Released(frame=self.table, recoding=self.recoding, source_rows=links)


def make(data: Data, algorithm: str, number: int, k: int | None = None) -> Made:
    """Make the release of this number: its k = 2 + Poisson(1), unless given, and trees or orders are drawn by it."""
    import numpy as np

    rng = np.random.default_rng([crc32(f"{data.name} {algorithm}".encode()), number])
    drawn = 2 + int(rng.poisson(1))
    k = drawn if k is None else k
    recoding = _mondrian(data, k, rng) if algorithm == MONDRIAN else _datafly(data, k, rng, algorithm == SHUFFLED)
    # As in the thesis, suppressed records stay as masked rows, however few they are.
    return Made(k=k, table=recoding.apply(data.table, outliers="mask").table, recoding=recoding)


def _datafly(data: Data, k: int, rng: np.random.Generator, shuffled: bool) -> Recoding:
    """Generalize by random trees; those of columns without an order are always shuffled (section 3.3.1)."""
    from nymity.lattice.datafly import Datafly
    from nymity.privacy import KAnonymity

    trees = tuple(_tree(column, rng, shuffled or not column.ordered) for column in data.columns)
    table = replace(data.encoded, hierarchies=trees, max_levels=tuple(tree.height for tree in trees))
    return Datafly(at_most="k-records").run(table, [KAnonymity(k=k)], columns=data.table.columns).recoding


def _mondrian(data: Data, k: int, rng: np.random.Generator) -> Recoding:
    """Cut by the places that values get by chance, then say by the values themselves what cells stand for."""
    from nymity.partition.mondrian import Mondrian
    from nymity.privacy import KAnonymity
    from nymity.table.hierarchy import Hierarchy

    places = tuple(Hierarchy.flat([str(p) for p in rng.permutation(len(c.values))]) for c in data.columns)
    table = replace(data.encoded, hierarchies=places)
    found = Mondrian().run(table, [KAnonymity(k=k)], columns=data.table.columns).recoding
    named = data.encoded.hierarchies
    cells = {n: _by_values(cells, h) for (n, cells), h in zip(found.cells.items(), named, strict=True)}
    return replace(found, hierarchies=dict(zip(found.cells, named, strict=True)), cells=cells)


def _tree(column: QuasiColumn, rng: np.random.Generator, shuffled: bool) -> Hierarchy:
    """Draw a hierarchy (section 3.3.2), whose values have the codes they have in the column."""
    import polars as pl

    from nymity.table.builders import RandomTree, Shuffled

    tree = RandomTree(seed=int(rng.integers(2**31)))
    source = Shuffled(hierarchy=tree, seed=int(rng.integers(2**31))) if shuffled else tree  # type: ignore[arg-type]
    drawn = source.build(pl.Series(column.values))
    assert drawn.values == column.labels
    return drawn


def _by_values(cells: Cells, hierarchy: Hierarchy) -> Cells:
    """Name cells by the set of values that they stand for."""
    from nymity.table.builders.value_sets import set_label

    def named(codes: Sequence[int]) -> str:
        return set_label([str(hierarchy.values[code]) for code in sorted(codes)])

    return replace(cells, labels=tuple(named(cells.codes(cell).tolist()) for cell in range(len(cells.labels))))
