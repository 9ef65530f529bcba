"""Input and output at a glance."""

from __future__ import annotations

from collections.abc import Mapping

from nymity.report.markup import Figures, Html, Section, element, paragraph, tile
from nymity.report.subject import Subject
from nymity.report.wording import amount, count, percent
from nymity.table.schema import Role

ROLES = {
    Role.IDENTIFYING: "Identifying, not published",
    Role.QUASI: "Quasi-identifying, generalized",
    Role.SENSITIVE: "Sensitive, published as they are",
    Role.INSENSITIVE: "Insensitive, published as they are",
}


def overview_section(subject: Subject, _: Figures) -> Section:
    """Records, classes and columns before and after."""
    return Section(
        anchor="glance",
        title="At a glance",
        short="At a glance",
        parts=(_tiles(subject), fate(subject), *columns(subject, ROLES)),
    )


def _tiles(subject: Subject) -> Html:
    release, before, after = subject.release, subject.sizes_before, subject.sizes_after
    outcome, loss = release.outcome, release.outcome.minimized.name
    smallest = f"{after.min():,}" if len(after) else "–"
    note = f"{outcome.minimized.title}; smaller is better"
    return element(
        "div",
        tile("Records", f"{subject.records:,} → {release.frame.height:,}", "in the original → in the release"),
        tile("Classes", f"{len(before):,} → {len(after):,}", "groups of records that look alike"),
        tile("Smallest class", f"{before.min():,} → {smallest}", f"{subject.threshold:,} or more were promised"),
        tile("Loss" if loss == "loss" else f"Loss ({loss})", amount(outcome.loss), note),
        class_="tiles",
    )


def fate(subject: Subject, group: str = "class") -> Html:
    """What became of the records, as one bar and in words."""
    parts = [
        ("published", subject.published, f"published in a {group}"),
        ("masked", subject.masked, "suppressed: published as one class with * in every quasi-identifier"),
        ("removed", subject.removed, "suppressed: removed"),
        ("dropped", subject.dropped, "dropped because of missing values"),
    ]
    present = [part for part in parts if part[1]]
    segments = [
        element("span", class_=kind, style=f"flex-grow:{number}", title=f"{number:,} {words}")
        for kind, number, words in present
    ]
    legend = [
        element(
            "span",
            element("i", class_=kind),
            f"{count(number, 'record')} ({percent(number, subject.records)}) {words}",
        )
        for kind, number, words in present
    ]
    if len(present) == 1 and subject.published:
        legend.append(element("span", "No record was suppressed."))
    return element(
        "div", element("div", *segments, class_="stack"), element("div", *legend, class_="legend"), class_="fate"
    )


def columns(subject: Subject, roles: Mapping[Role, str]) -> list[Html]:
    """List the columns by their role, with what became of them."""
    schema = subject.release.job.schema
    rows = []
    for role, meaning in roles.items():
        names = schema.columns(role)
        if names:
            chips = [element("span", name, class_=f"chip {role.value}") for name in names]
            rows += [element("dt", meaning), element("dd", *chips)]
    published = len(subject.release.frame.columns)
    return [
        paragraph(f"{count(len(schema), 'column')} came in, {published:,} are published."),
        element("dl", *rows, class_="roles"),
    ]
