"""CustodianLog: what only the custodian may see of a release, and its files in the custodian's folder."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.commit import Stage
from nymity.core.custodian import LOG_FILES, LOG_NAME, MAPPING_NAME, NODES_NAME, RECODING_NAME
from nymity.core.format_numbers import LOG
from nymity.io import Taken
from nymity.publishing.certificates.certificate import Certificate
from nymity.publishing.custodian.custody import RELEASED, released_tables
from nymity.publishing.steps.pseudonyms import Pseudonyms
from nymity.publishing.steps.shifts import Shifts
from nymity.table.recoding import Recoding


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CustodianLog:
    """What only the custodian may see: the private mapping of rows, the salt, timings and the search's trace.

    source_rows[i] is the source row that released row i came from; masked marks suppressed rows. figures are what the
    certificate must not tell, of a differentially private release, of what earlier releases leave or of items that
    were left out. draw_key is the key, in hexadecimal, that the draws of the release are derived from; with it the
    same job gives the same release of the same table. None where there is no secret one: draws of a seed, and those of
    differential privacy. draw_mark tells whether it was the same job and table.
    """

    source_rows: NDArray[np.int64]
    masked: NDArray[np.bool_]
    salt: str
    seconds: dict[str, float]
    nodes: pl.DataFrame | None = None
    nodes_checked: int | None = None
    dropped_records: int = 0
    figures: dict[str, Any] = field(default_factory=dict)
    draw_key: str | None = field(default=None, repr=False)
    draw_mark: str | None = None
    pseudonyms: Pseudonyms | None = field(default=None, repr=False)
    shifts: Shifts | None = field(default=None, repr=False)
    #: Cells of the source that were taken as missing, by column and code.
    taken_as_missing: Taken = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"CustodianLog({len(self.source_rows):,} rows; its fields are not for release)"

    def stage(self, stage: Stage, recoding: Recoding, certificate: Certificate) -> None:
        """Put the log, the row mapping, the evaluated nodes and the recoding where they wait for their place.

        The hashes of the tables that the certificate is of say what the log belongs to.
        """
        log = {
            "format": LOG.tag,
            "note": "Not for release: this links published rows to their source.",
            RELEASED: released_tables(certificate),
            "salt": self.salt,
            **({} if self.draw_key is None else {"draw_key": self.draw_key}),
            **({} if self.draw_mark is None else {"draw_mark": self.draw_mark}),
            "seconds": self.seconds,
            "dropped_records": self.dropped_records,
            **({} if not self.taken_as_missing else {"taken_as_missing": self.taken_as_missing}),
            **self.figures,
            **({} if self.nodes is None else {"nodes_evaluated": self.nodes.height}),
            **({} if self.nodes_checked is None else {"nodes_checked": self.nodes_checked}),
        }
        mapped = self.stage_mapping(stage)
        if self.nodes is not None:
            _write_parquet(self.nodes, stage / NODES_NAME)
        decided = recoding.save_with_values(stage / RECODING_NAME)
        (stage / LOG_NAME).write_text(json.dumps(log, indent=2) + "\n", encoding="utf-8")
        nodes = [] if self.nodes is None else [NODES_NAME]
        persons = [name for part in (self.pseudonyms, self.shifts) if part is not None for name in part.stage(stage)]
        written = [*mapped, *nodes, *decided, *persons, LOG_NAME]
        stage.commit(written)
        for name in LOG_FILES:
            if name not in written:
                stage.remove(name)  # it would speak of an earlier release

    def stage_mapping(self, stage: Stage) -> list[str]:
        """Write which source row each released row came from; return the name of the file."""
        mapping = pl.DataFrame({"source_row": self.source_rows, "masked": self.masked}).with_row_index("released_row")
        _write_parquet(mapping, stage / MAPPING_NAME)
        return [MAPPING_NAME]


def _write_parquet(table: pl.DataFrame, path: Path) -> None:
    """Write through Python's file: polars takes no path that is not UTF-8."""
    with path.open("wb") as file:
        table.write_parquet(file)
