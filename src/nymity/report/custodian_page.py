"""The report as one page: its sections in reading order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nymity.core.commit import replace_file
from nymity.io import to_polars
from nymity.publishing.comparing.compare import Comparison
from nymity.publishing.releases.opened import OpenedRelease
from nymity.publishing.releases.release import Release
from nymity.report.attacks import attacks_section
from nymity.report.buckets import BUCKET_SECTIONS
from nymity.report.cells import cells_section
from nymity.report.certificate import certificate_section
from nymity.report.class_size import class_size_section
from nymity.report.differential import private_page
from nymity.report.distribution import distribution_section
from nymity.report.document import document
from nymity.report.freeform import FREEFORM_SECTIONS
from nymity.report.headline import headline
from nymity.report.ladder import ladder_section
from nymity.report.learning import learning_section
from nymity.report.loss import loss_section
from nymity.report.markup import Figures, Section
from nymity.report.overview import fate, overview_section
from nymity.report.received import checked
from nymity.report.risk import risk_section
from nymity.report.search import search_section
from nymity.report.steps import steps_section
from nymity.report.subject import Subject
from nymity.report.suppressed_rows import SUPPRESSED_SECTIONS
from nymity.risk import AttackReport
from nymity.table.bucket_recoding import BucketRecoding
from nymity.table.partition_recoding import CentreRecoding, FreeformRecoding, PartitionRecoding, SuppressedRowsRecoding
from nymity.table.recoding import Recoding
from nymity.utility.learning_result import LearningResult

#: What follows on how columns are published.
_OF_CLASSES = (
    class_size_section,
    distribution_section,
    steps_section,
    loss_section,
    search_section,
    risk_section,
)
_SECTIONS = (overview_section, ladder_section, *_OF_CLASSES)
_WITH_CELLS = (overview_section, cells_section, *_OF_CLASSES)
#: Kinds of release whose columns are not on levels: what their records are published in, and their sections.
_KINDS: dict[type[Recoding], tuple[str, Sequence[Callable[[Subject, Figures], Section]]]] = {
    PartitionRecoding: ("class", _WITH_CELLS),
    CentreRecoding: ("class", _WITH_CELLS),
    BucketRecoding: ("bucket", BUCKET_SECTIONS),
    FreeformRecoding: ("row of its own", FREEFORM_SECTIONS),
    SuppressedRowsRecoding: ("row of its own", SUPPRESSED_SECTIONS),
}


def render_report(
    release: Release | OpenedRelease | str | Path,
    original: Any = None,
    *,
    comparison: Comparison | None = None,
    learning: LearningResult | None = None,
    attacks: AttackReport | None = None,
    known: bool = False,
) -> str:
    """Return the report on a release as one HTML page that needs no network.

    ``release`` is what publish returned, or the folder of a release of any day, or :func:`nymity.open` of it, with the
    custodian's folder beside it.
    ``original`` is the table the release was made from, in any kind of frame; it is checked against the certificate,
    unless whoever has just made the release of it says that it is ``known``.
    The page shows aggregates of the original (never a record, and no category of fewer records than the promise
    protects), so it is for the custodian. The same release and table give the same page.
    ``comparison`` is what :func:`nymity.compare` said of both by all measures, where that was asked before.
    ``learning`` is what :func:`nymity.utility.learn` found out about the release, and ``attacks`` what
    :func:`nymity.risk.attack` reached, for sections of their own.

    The page on a differentially private release says only what anybody can know who has the release, its certificate
    and its schema. It looks at nothing else that is given.
    """
    opened = OpenedRelease.of(release)
    if opened.given_log is None:  # on disk, where it may have been changed
        opened = checked(opened)
    if opened.is_private:
        return private_page(opened)
    subject = Subject.of(opened, original if known else to_polars(original), comparison, known=known)
    figures = Figures()
    group, chosen = _KINDS.get(type(subject.recoding), ("class", _SECTIONS))
    opening = headline(opened, fate(subject, group))
    sections = [section(subject, figures) for section in chosen]
    if attacks is not None:
        sections.append(attacks_section(attacks, figures))
    if learning is not None:
        sections.append(learning_section(learning, figures))
    sections.append(certificate_section(subject, figures))
    return document("nymity report", opening, sections, figures)


def write_report(
    release: Release | OpenedRelease | str | Path,
    original: Any,
    path: str | Path,
    *,
    learning: LearningResult | None = None,
    attacks: AttackReport | None = None,
) -> None:
    """Render the report and put it at ``path``; an earlier file there is replaced only by a whole new one."""
    page = render_report(release, original, learning=learning, attacks=attacks)
    replace_file(path, lambda place: place.write_text(page, encoding="utf-8", newline="\n"))
