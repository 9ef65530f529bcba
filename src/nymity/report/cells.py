"""Cells of classes, where a method divides the records instead of choosing levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.report.markup import PARTS, Figures, Html, Section, cells_of_columns, paragraph
from nymity.report.page_wording import count, percent
from nymity.report.subject import Subject
from nymity.table.partition_recoding import PartitionRecoding


def cells_section(subject: Subject, _: Figures) -> Section:
    """The section on cells: for each quasi-identifier how many different ones, and how many values they stand for."""
    recoding = subject.recoding
    assert isinstance(recoding, PartitionRecoding)
    return cells_of_columns(
        paragraph(
            f"The records were divided into {count(len(recoding.cell_of), 'group')}. Each group is published with "
            "cells of its own: the value itself where all its records share it, otherwise what covers their "
            "values. Groups with the same cells are one class to everybody who reads them."
        ),
        cells_table(recoding),
    )


def cells_table(recoding: PartitionRecoding) -> Html:
    """List the quasi-identifiers with how wide their cells are."""
    titles = ("attribute", "different cells", "records with their own value", "values per cell, on average")
    rows = [
        (name, f"{one.different:,}", percent(one.own), f"{one.values:.2f} of {one.domain:,}")
        for name, one in cell_widths(recoding).items()
    ]
    return PARTS.columns(titles, rows)


@dataclass(frozen=True, kw_only=True)
class CellWidths:
    """The different cells of a column, the share of records with their own value, and the values of a cell on average.

    ``domain`` is how many values there are.
    """

    different: int
    own: float
    values: float
    domain: int


def cell_widths(recoding: PartitionRecoding) -> dict[str, CellWidths]:
    """Return how wide the cells of each quasi-identifier are."""
    sizes = np.bincount(recoding.quotas.classes, weights=recoding.quotas.records, minlength=len(recoding.cell_of))
    found = {}
    for a, (name, cells) in enumerate(recoding.cells.items()):
        values = cells.sizes[recoding.cell_of[:, a]]
        found[name] = CellWidths(
            different=len(cells.labels),
            own=float(sizes[values == 1].sum() / sizes.sum()),
            values=float(values @ sizes / sizes.sum()),
            domain=recoding.hierarchies[name].domain_size,
        )
    return found
