"""The report on a freeform release: rows with cells of their own, and how many records fit each of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nymity.privacy import Groups
from nymity.privacy.consistency import Consistency, Originals
from nymity.report import chart
from nymity.report.cells import cells_table
from nymity.report.class_size import bin_labels, bin_starts
from nymity.report.distribution import distribution_section
from nymity.report.loss import loss_section
from nymity.report.markup import (
    Figures,
    Html,
    Section,
    at_a_glance,
    bullets,
    cells_of_columns,
    grid,
    heading,
    paragraph,
    remaining_risks,
    tile,
    tiles,
)
from nymity.report.overview import ROLES, columns
from nymity.report.page_wording import count, listed, percent
from nymity.report.steps import steps_section
from nymity.report.subject import Subject
from nymity.table.attribute import Role
from nymity.table.one_zero import with_one_zero
from nymity.table.partition_recoding import FreeformRecoding

_WEAKER = (
    "This is not k-anonymity: rows need not look the same as any other, and many do not. What is promised is "
    "that nobody can tell which of at least k records a row was made from by comparing the release with the original, "
    "not even by matching all of them."
)


def glance_section(subject: Subject, _: Figures) -> Section:
    """Records, rows and columns."""
    sizes = subject.sizes_after
    alone = int((sizes == 1).sum())
    (reached,) = {found.parameters["k"] for found in subject.certificate.measured.models}
    facts = tiles(
        tile("Records", f"{subject.records:,} → {subject.frame.height:,}", "in the original → in the release"),
        tile("Different rows", f"{len(sizes):,}", f"{count(alone, 'row')} equal to no other, as is allowed here"),
        tile("Matchings", f"{reached:,}", f"without a common pair; {subject.threshold:,} or more were promised"),
        tile("Loss", subject.lost, f"{subject.minimized.title}; smaller is better"),
    )
    return at_a_glance(paragraph(_WEAKER), facts, columns(subject, ROLES))


def cells_section(subject: Subject, _: Figures) -> Section:
    """The section on cells: how many values they stand for."""
    recoding = subject.recoding
    assert isinstance(recoding, FreeformRecoding)
    text = (
        f"Every row has cells of its own, which cover the values of {subject.threshold:,} records: the value itself "
        "where they share it, otherwise what covers them."
    )
    return cells_of_columns(paragraph(text), cells_table(recoding))


def fits_section(subject: Subject, figures: Figures) -> Section:
    """Plot how many records fit a row, and how many rows a record."""
    found = _consistency(subject)
    return Section(
        anchor="fits",
        title="How many records fit a row",
        short="Fits",
        parts=(
            paragraph(
                "A record fits a row if each of its values is covered by the row's cell. More may fit than the "
                f"{subject.threshold:,} that are promised; only those that are part of a matching of everybody cannot "
                "be ruled out."
            ),
            grid(
                [
                    _figure(subject, figures, "records that fit a row", found.records_of_rows, found.row_counts, "row"),
                    _figure(
                        subject, figures, "rows that fit a record", found.rows_of_records, found.record_counts, "record"
                    ),
                ]
            ),
        ),
    )


def search_section(subject: Subject, _: Figures) -> Section:
    """The section on the search: how the rows were made and what is proved of their loss."""
    gap, proof = subject.loss.gap, "; another choice may lose less"
    if gap is not None:
        proof = f"; it is proved that no other choice loses more than {percent(gap)} less" if gap else ""
    text = (
        f"Each row starts with one record and takes a further one in each of {subject.threshold - 1:,} rounds, such "
        f"that every record is taken once in a round{proof}. Which of these records the other columns of the row come "
        "from was drawn, each being as likely as the next."
    )
    return Section(anchor="search", title="How the rows were made", short="Search", parts=(paragraph(text),))


def risk_section(subject: Subject, _: Figures) -> Section:
    """The section on risk: what the promise bounds and what it leaves open."""
    schema, k = subject.schema, subject.threshold
    sensitive, unprotected = schema.sensitive, schema.columns(Role.INSENSITIVE)
    facts = tiles(
        tile("Chance of a link", percent(1 / k), f"at most: a row's other columns are of one of {k:,} records"),
        tile("Before", percent(1 / subject.sizes_before.min()), "for a record of the smallest class of the original"),
    )
    finding = (
        "Risk figures that count equal rows, such as the prosecutor's, do not apply: a row that looks like no other "
        f"still fits {k:,} records or more. Whoever knows everybody's quasi-identifiers finds {k:,} rows or more for "
        f"each person and cannot rule out any of {k:,} of them; which one has the person's other columns was drawn "
        f"with equal chances of 1 in {k:,}."
    )
    open_ = [
        "The promise cannot be checked by those who have the release alone; they have to trust the certificate.",
        f"Nothing is promised about {listed(sensitive)}: all rows that fit a person may have the same value."
        if sensitive
        else "No column is declared sensitive, so nothing is measured or promised there.",
        "Whoever knows the original order, other columns of a person, or some links for sure can narrow the rest down: "
        "links that were drawn together change together.",
        "Two releases of one table can be intersected: each keeps its promise alone.",
        "The promise is about the columns declared quasi-identifying, and about the records of this table, not about "
        "a population.",
    ]
    if unprotected:
        open_.insert(
            2, f"Columns published as they are ({listed(unprotected)}) tell rows apart for anyone who knows them."
        )
    return remaining_risks(heading("Finding a person's record"), facts, paragraph(finding), bullets(open_))


def _consistency(subject: Subject) -> Consistency:
    table, _ = subject.schema.without_gaps(subject.original)
    originals = Originals.of(with_one_zero(table), subject.recoding)
    return Groups(subject.frame, subject.quasi, originals=originals).consistency


def _figure(
    subject: Subject, figures: Figures, title: str, fits: NDArray[np.int64], counts: NDArray[np.int64], noun: str
) -> Html:
    starts = [start for start in bin_starts(int(fits.max()), subject.threshold) if start >= subject.threshold]
    place = np.searchsorted(np.array(starts), fits, side="right") - 1
    shares = np.bincount(place, weights=counts, minlength=len(starts)) / counts.sum()
    bars = [
        chart.Bar(label=label, share=share, text=percent(share), full=f"{label} {title}")
        for label, share in zip(bin_labels(starts), shares.tolist(), strict=True)
    ]
    caption = f"{fits.min():,} at least, {float(fits @ counts / counts.sum()):,.1f} on average."
    return figures.add(chart.bars(bars, title=f"share of {noun}s"), caption, heading=title.capitalize())


FREEFORM_SECTIONS = (
    glance_section,
    cells_section,
    fits_section,
    distribution_section,
    steps_section,
    loss_section,
    search_section,
    risk_section,
)
