"""The report on a bucketized release: what buckets hold, how their sizes were chosen, and what they leave open."""

from __future__ import annotations

import numpy as np
import polars as pl

from nymity.bucket.methods import ValueLimits
from nymity.privacy import Groups
from nymity.publishing.caveats.of_table import unique_rows
from nymity.publishing.certificates.bucket_tables import members
from nymity.publishing.certificates.certificate_form import LossSection
from nymity.report import chart
from nymity.report.markup import Figures, Html, Section, at_a_glance, paragraph, remaining_risks, tile, tiles
from nymity.report.overview import columns
from nymity.report.page_wording import axis_labels, count, percent
from nymity.report.risk import linking
from nymity.report.subject import Subject
from nymity.table.attribute import Role
from nymity.table.bucket_recoding import BUCKET, BucketRecoding
from nymity.table.encoding import SensitiveColumn
from nymity.table.text import as_text

_ROLES = {
    Role.IDENTIFYING: "Identifying, not published",
    Role.PERSON: "Of whom records are, not published but for pseudonyms",
    Role.HOUSEHOLD: "Who lives together, not published but for pseudonyms",
    Role.WEIGHT: "Sampling weights",
    Role.QUASI: "Quasi-identifying, published as they are with the number of a bucket",
    Role.SENSITIVE: "Sensitive, published apart by bucket",
    Role.PERTURBED: "Known to others, published with changed values, without a promise",
    Role.INSENSITIVE: "Insensitive, published as they are or as transforms leave them",
}
#: Values and sizes shown at most.
_MOST_BARS = 25


def glance_section(subject: Subject, _: Figures) -> Section:
    """Records, buckets and columns."""
    sizes = _recoding(subject).slots.sizes
    facts = tiles(
        tile("Records", f"{subject.records:,} → {subject.frame.height:,}", "in the original → in the release"),
        tile("Buckets", f"{len(sizes):,}", f"of {sizes.min():,} to {sizes.max():,} records"),
        tile("Average bucket", f"{sizes.mean():.1f}", "records, any of which may have any of its values"),
        tile("Loss", subject.lost, f"{subject.minimized.title}; smaller is better"),
    )
    return at_a_glance(facts, columns(subject, _ROLES))


def values_section(subject: Subject, figures: Figures) -> Section:
    """Plot the largest share of each sensitive value in a bucket beside its share of the table."""
    attribute = _recoding(subject).attribute
    return Section(
        anchor="values",
        title=f"How sure a guess of {attribute} can be",
        short="Sensitive values",
        parts=(
            paragraph(
                "Whoever finds a person's row knows the bucket, and how many of its records have which value. Grey is "
                "a value's share of the whole table, which anybody may guess; blue its largest share of a bucket."
            ),
            _values_figure(subject, figures),
        ),
    )


def sizes_section(subject: Subject, figures: Figures) -> Section:
    """Plot how many records lie in buckets of each size, and say what is proved of these."""
    sizes, buckets = np.unique(_recoding(subject).slots.sizes, return_counts=True)
    records, kept = sizes * buckets, np.sort(np.argsort(-sizes * buckets, kind="stable")[:_MOST_BARS])
    bars = [
        chart.Bar(
            label=f"{sizes[i]:,}",
            share=records[i] / records.sum(),
            text=percent(records[i], records.sum()),
            full=f"buckets of {count(int(sizes[i]), 'record')}",
            note=count(int(buckets[i]), "bucket"),
        )
        for i in kept
    ]
    return Section(
        anchor="sizes",
        title="How large buckets are",
        short="Bucket sizes",
        parts=(
            paragraph(
                "Small buckets answer questions about the table more exactly. A value with a strict threshold needs "
                f"large ones. {_proof(subject.loss)}"
            ),
            figures.add(chart.bars(bars, title="share of records in buckets of this size"), _left_out(len(sizes))),
        ),
    )


def open_section(subject: Subject, figures: Figures) -> Section:
    """The section on what buckets do not protect, counted on the release."""
    unique, rows = unique_rows(subject.frame, subject.quasi), subject.frame.height
    return remaining_risks(
        paragraph(
            "Buckets hide who has which value, and nothing else. "
            f"{count(unique, 'row')} of {rows:,} ({percent(unique, rows)}) "
            f"{'is' if unique == 1 else 'are'} unique in the published quasi-identifiers: whoever knows them sees "
            "that the person is in the table, in which bucket, and every insensitive column."
        ),
        *linking(subject, figures),
    )


def _values_figure(subject: Subject, figures: Figures) -> Html:
    recoding, counts = _recoding(subject), subject.opened.sensitive_table
    assert counts is not None
    found = Groups(members(counts, most=subject.frame.height), [BUCKET]).value_counts(recoding.attribute)
    values = found.group_by("value").agg(
        pl.col("overall").first(), (pl.col("records") / pl.col("size")).max().alias("largest")
    )
    values = values.sort("largest", "value", descending=[True, False]).head(_MOST_BARS)
    allowed = _allowed(subject)
    total, texts = subject.frame.height, as_text(values["value"]).to_list()
    pairs = [
        chart.Pair(
            label=label,
            full=text or label,
            before=overall / total,
            after=largest,
            before_text=f"{count(overall, 'record')} ({percent(overall, total)})",
            after_text=f"{percent(largest)} at most, {percent(allowed[text])} allowed",
        )
        for label, text, (overall, largest) in zip(
            axis_labels(texts), texts, values.select("overall", "largest").iter_rows(), strict=True
        )
    ]
    return figures.add(
        chart.paired_bars(pairs, before="share of the table", after="share of a bucket", measure="share"),
        _left_out(len(recoding.labels)),
    )


def _allowed(subject: Subject) -> dict[str | None, float]:
    """Return the largest share of a bucket that the promises allow each value."""
    recoding, slots = _recoding(subject), _recoding(subject).slots
    value, records = slots.value.astype(np.uint32), slots.records.astype(np.uint32)
    column = SensitiveColumn(recoding.labels, np.zeros_like(value), value, records)
    largest = ValueLimits.of(subject.promises, column, "report").largest
    return {value: float(share) for value, share in largest.items()}


def _proof(loss: LossSection) -> str:
    if loss.proven_optimal:
        return "It is proved that no other sizes lose less."
    if loss.gap is not None:
        return f"It is proved that no other sizes lose more than {percent(loss.gap)} less."
    return "Other sizes may lose less."


def _left_out(shown: int) -> str:
    return f"The {_MOST_BARS} largest of {shown:,} are shown." if shown > _MOST_BARS else ""


def _recoding(subject: Subject) -> BucketRecoding:
    assert isinstance(subject.recoding, BucketRecoding)
    return subject.recoding


BUCKET_SECTIONS = (glance_section, values_section, sizes_section, open_section)
