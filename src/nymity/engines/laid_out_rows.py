"""Writing rows that are laid out as whole numbers: sorted or shuffled in bounded memory, wherever they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

from nymity.engines.engine_rows import RECORDS, Rows
from nymity.engines.external_sort import ExternalSort
from nymity.engines.failures import told
from nymity.engines.parquet_writing import write_parts
from nymity.engines.recoding_plan import RecodingPlan
from nymity.engines.row_layout import RowLayout, expanded
from nymity.engines.shuffled_rows import ShuffledRows

#: Rows of a batch.
BATCH = 500_000


def write_laid_out(layout: RowLayout, batches: Iterable[pl.DataFrame], path: Path, folder: Path, memory: int) -> None:
    """Bring the rows of a layout, which come in batches with their counts, into order, and write them."""
    plan, rows = layout.plan, max(BATCH, memory // layout.bytes_a_row)
    sort = ExternalSort(folder, rows, plan.records)
    for batch in batches:
        sort.add(batch)
    # Sorted first in any case: what is drawn then does not depend on the order of the source.
    parts = sort.sorted()
    if plan.order == "shuffled":
        shuffle = ShuffledRows(folder, rows, plan.records, plan.draws)
        for part in parts:
            for piece in expanded(part):
                shuffle.add(piece)
        parts = shuffle.parts()
    write_parts(path, layout.schema, (piece for part in parts for piece in layout.decoded(part)))


def write_counted(
    plan: RecodingPlan, cells: Mapping[str, pl.Series], counts: pl.Series, rows: Rows, path: Path
) -> None:
    """Write a plan that publishes counted columns alone: ``cells`` with their ``counts`` are all that it needs.

    So no row is read, joined or sorted again, whatever their number; only distinct ones are.
    """
    layout = RowLayout.of(plan, rows.columns)
    table = pl.DataFrame({**{f"c{i}": cells[name] for i, name in enumerate(layout.needed)}, RECORDS: counts})
    with told(rows.kind, "apply"):
        batches = (layout.encoded(batch) for batch in table.iter_slices(BATCH))
        write_laid_out(layout, batches, path, rows.folder, rows.memory)
