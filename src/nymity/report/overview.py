"""Input and output at a glance."""

from __future__ import annotations

from collections.abc import Mapping

from nymity.io import taken_in_words
from nymity.report.markup import Figures, Html, Section, at_a_glance, template, tile, tiles
from nymity.report.page_wording import count, percent
from nymity.report.subject import Subject
from nymity.table.attribute import Role

OVERVIEW = template("overview.html")

ROLES = {
    Role.IDENTIFYING: "Identifying, not published",
    Role.PERSON: "Of whom records are, not published but for pseudonyms",
    Role.HOUSEHOLD: "Who lives together, not published but for pseudonyms",
    Role.WEIGHT: "Sampling weights",
    Role.ITEMS: "Sets of items, generalized",
    Role.QUASI: "Quasi-identifying, generalized",
    Role.SENSITIVE: "Sensitive, published as they are",
    Role.PERTURBED: "Known to others, published with changed values, without a promise",
    Role.INSENSITIVE: "Insensitive, published as they are, or as transforms and shifts of dates leave them",
}


def overview_section(subject: Subject, _: Figures) -> Section:
    """Records, classes and columns before and after."""
    return at_a_glance(_tiles(subject), columns(subject, ROLES))


def _tiles(subject: Subject) -> Html:
    loss, unit = subject.minimized.name, "" if subject.schema.unit is None else f", in {subject.schema.counts}"
    fewest, classes = subject.opened.class_sizes
    smallest = "not told" if fewest is None and unit else "–" if fewest is None else f"{fewest:,}"
    note = f"{subject.minimized.title}; smaller is better"
    return tiles(
        tile("Records", f"{subject.records:,} → {subject.frame.height:,}", "in the original → in the release"),
        tile("Classes", f"{len(subject.people_before):,} → {classes:,}", "groups of records that look alike"),
        tile(
            f"Smallest class{unit}",
            f"{subject.people_before.min():,} → {smallest}",
            f"{subject.threshold:,} or more were promised" if subject.threshold > 1 else "no number was promised",
        ),
        tile("Loss" if loss == "loss" else f"Loss ({loss})", subject.lost, note),
    )


def fate(subject: Subject, group: str) -> Html:
    """What became of the records, as one bar and in words; on top of the page."""
    parts = [
        ("published", subject.published, f"published in a {group}"),
        ("masked", subject.masked, "suppressed: published as one class with * in every quasi-identifier"),
        ("removed", subject.removed, "suppressed: removed"),
        ("dropped", subject.dropped, "dropped because of missing values"),
    ]
    present = [part for part in parts if part[1]]
    segments = [(kind, number, f"{number:,} {words}") for kind, number, words in present]
    legend = [
        (kind, f"{count(number, 'record')} ({percent(number, subject.records)}) {words}")
        for kind, number, words in present
    ]
    if len(present) == 1 and subject.published:
        legend.append(("", "No record was suppressed."))
    if taken := taken_in_words(subject.log.taken_as_missing):
        legend.append(("", f"Taken as missing in the source: {taken}."))
    return OVERVIEW.fate(segments, legend, subject.comparison.kept_and_lost(apart=group == "bucket"))


def columns(subject: Subject, roles: Mapping[Role, str]) -> Html:
    """List the columns by their role, with what became of them."""
    schema = subject.schema
    rows = [(role.value, meaning, names) for role, meaning in roles.items() if (names := schema.columns(role))]
    published = len(subject.frame.columns)
    labels = {column.name: column.label for column in subject.certificate.columns if column.label}
    told = [(role, meaning, [(name, labels.get(name, "")) for name in names]) for role, meaning, names in rows]
    return OVERVIEW.columns(f"{count(len(schema), 'column')} came in, {published:,} are published.", told)
