"""Engines: where the rows of a job live while they are counted, recoded, written and measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nymity.core.public_names import public_names

if TYPE_CHECKING:
    from nymity.engines.engine import Engine as Engine

__all__, __getattr__ = public_names(
    __name__,
    cell_forms="canonical_rows check_types",
    counted_plan="CountedPlan",
    engine="Engine KINDS",
    engine_rows="RECORDS Rows",
    laid_out_rows="write_counted",
    merged_cells="MergedCells",
    opening="open_rows",
    recoding_plan="RecodingPlan plan_of",
    rows_hash="counted_hash table_hash",
    spill="spilling",
)
