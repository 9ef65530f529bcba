"""The report on rows with suppressed cells of their own: how many cells, and what the promise leaves open."""

from __future__ import annotations

from nymity.report.cells import cells_table
from nymity.report.distribution import distribution_section
from nymity.report.loss import loss_section
from nymity.report.markup import (
    Figures,
    Section,
    at_a_glance,
    bullets,
    cells_of_columns,
    heading,
    paragraph,
    remaining_risks,
    tile,
    tiles,
)
from nymity.report.overview import ROLES, columns, fate
from nymity.report.page_wording import count, listed, percent
from nymity.report.steps import steps_section
from nymity.report.subject import Subject
from nymity.table.partition_recoding import SuppressedRowsRecoding
from nymity.table.text import MASK

_WEAKER = (
    "This is not k-anonymity: rows need not look the same as any other. What is promised, and of which attacker, is "
    "said above."
)


def glance_section(subject: Subject, _: Figures) -> Section:
    """Records, rows and cells."""
    sizes = subject.sizes_after
    cells = subject.frame.height * len(subject.quasi)
    gone = sum(int((subject.frame[name].cast(str) == MASK).sum()) for name in subject.quasi)
    facts = tiles(
        tile("Records", f"{subject.records:,} → {subject.frame.height:,}", "in the original → in the release"),
        tile("Suppressed cells", f"{gone:,}", f"{percent(gone / cells)} of {cells:,} in quasi-identifying columns"),
        tile("Different rows", f"{len(sizes):,}", f"{count(int((sizes == 1).sum()), 'row')} equal to no other"),
        tile("Loss", subject.lost, f"{subject.minimized.title}; smaller is better"),
    )
    return at_a_glance(paragraph(_WEAKER), facts, fate(subject, "row of its own"), columns(subject, ROLES))


def cells_section(subject: Subject, _: Figures) -> Section:
    """The section on cells."""
    recoding = subject.recoding
    assert isinstance(recoding, SuppressedRowsRecoding)
    text = "Every row shows the values of its record, and * where a cell is suppressed."
    return cells_of_columns(paragraph(text), cells_table(recoding))


def search_section(_: Subject, __: Figures) -> Section:
    """The section on the search."""
    text = (
        "Cells were suppressed until the promise held, cheap ones first, and shown again where that was not needed. "
        "Another choice may suppress fewer. Sensitive values had no say in it, and nothing was drawn."
    )
    return Section(anchor="search", title="How the cells were chosen", short="Search", parts=(paragraph(text),))


def risk_section(subject: Subject, _: Figures) -> Section:
    """The section on risk: what the promise leaves open."""
    sensitive = subject.schema.sensitive
    left = [f"{one.capitalize()}." for model in subject.promises for one in model.unprotected]
    left += [
        "Whoever knows more of a person than the promise reckons with may find a single row.",
        f"Nothing is promised about {listed(sensitive)}: all rows that fit a person may have the same value."
        if sensitive
        else "No column is declared sensitive, so nothing is measured or promised there.",
        "Two releases of one table can be intersected: each keeps its promise alone.",
        "The promise is about the columns declared quasi-identifying, and about the records of this table, not about "
        "a population.",
    ]
    return remaining_risks(heading("Finding a person's record"), bullets(left))


SUPPRESSED_SECTIONS = (
    glance_section,
    cells_section,
    distribution_section,
    steps_section,
    loss_section,
    search_section,
    risk_section,
)
