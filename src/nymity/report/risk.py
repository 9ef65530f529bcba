"""What remains risky: what the promise does not cover, said plainly and counted on the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.publishing.caveats.of_table import unique_rows
from nymity.report import chart
from nymity.report.drivers import drivers_figure
from nymity.report.markup import (
    PARTS,
    Figures,
    Html,
    Section,
    bullets,
    grid,
    heading,
    led,
    paragraph,
    remaining_risks,
    tile,
    tiles,
)
from nymity.report.page_wording import axis_labels, count, listed, percent
from nymity.report.subject import Subject
from nymity.risk.changed_columns import changed_columns
from nymity.risk.profile import measure_risk
from nymity.table.attribute import Role


@dataclass(frozen=True, kw_only=True)
class LargestShares:
    """Of a sensitive column: in each class, the share of its most frequent value; missing: classes that have none."""

    shares: NDArray[np.float64]
    missing: int = 0

    def above(self, share: float) -> int:
        """Classes in which one value holds more than this share."""
        return int((self.shares > share).sum())

    @property
    def certain(self) -> int:
        """Classes in which everyone has the same value."""
        return int((self.shares == 1).sum())


def risk_section(subject: Subject, figures: Figures) -> Section:
    """Re-identification, sensitive values that are nearly certain, unprotected columns, and general limits."""
    return remaining_risks(
        paragraph(
            "A promise kept is not the absence of risk. This is what someone could still try, and how far they "
            "would get."
        ),
        heading("Finding a person's record"),
        _tiles(subject),
        _finding(subject),
        *_by_perturbed(subject),
        *_by_weights(subject),
        *drivers_figure(subject, figures),
        *_learning(subject, figures),
        *linking(subject, figures),
        heading("What no such release can promise"),
        _limits(subject),
    )


def _by_perturbed(subject: Subject) -> list[Html]:
    """Say how often who knows perturbed columns, too, finds a row: no class size limits that."""
    if not (names := subject.schema.perturbed):
        return []
    found = changed_columns(subject.original, subject.opened, columns=names)
    if found.linked_alike is None or found.by_chance_alike is None:
        return []
    return [
        paragraph(
            f"All of this is by quasi-identifiers alone. Whoever also knows {listed(names)} of somebody, whose values "
            f"were changed, and picks the nearest of the rows that look like theirs, is right with a chance of "
            f"{percent(found.linked_alike)} on average, and whoever knows them of everybody with one of "
            f"{percent(found.linked_together or 0)}; any of these rows would be {percent(found.by_chance_alike)}. "
            "No promise limits that."
        )
    ]


def homogeneity(frame: pl.DataFrame, quasi: Sequence[str], attribute: str) -> LargestShares:
    """Return the share of the most frequent value of ``attribute`` in every class of ``frame``."""
    keys = [f"q{i}" for i in range(len(quasi))]
    safe = pl.DataFrame(
        {**{key: frame[name] for key, name in zip(keys, quasi, strict=True)}, "value": frame[attribute]}
    )
    counted = safe.group_by([*keys, "value"]).agg(pl.len().alias("records"))
    largest = counted.group_by(keys).agg(pl.col("records").max() / pl.col("records").sum())
    missing = counted.group_by(keys).agg(pl.col("value").is_null().all())["value"].sum()
    return LargestShares(shares=largest["records"].sort().to_numpy(), missing=int(missing))


def _tiles(subject: Subject) -> Html:
    return _tiles_of_records(subject) if subject.schema.unit is None else _tiles_of_persons(subject)


def _tiles_of_persons(subject: Subject) -> Html:
    """Show how likely somebody's row is picked, as it was certified, beside the original's classes."""
    unit, people = subject.schema.counts[:-1], subject.people_before

    def told(risk: tuple[int, int] | None) -> str:
        return "not told" if risk is None else percent(*risk)

    return tiles(
        tile(
            "Highest risk",
            told(subject.opened.highest_risk),
            f"for the {unit} with the largest share of a class; before: {percent(subject.highest_risk_before)}",
        ),
        tile(
            "Average risk",
            told(subject.opened.average_risk),
            f"over the {subject.schema.counts} of all classes; before: {percent(len(people), int(people.sum()))}",
        ),
        tile("Suppressed", percent(subject.suppressed, subject.records), _suppressed(subject)),
    )


def _tiles_of_records(subject: Subject) -> Html:
    before, after, threshold = subject.sizes_before, subject.sizes_after, subject.threshold
    near = int(after[after < 2 * threshold].sum())
    released = subject.frame.height

    def average(sizes: NDArray[np.int64]) -> str:
        return percent(len(sizes), int(sizes.sum())) if len(sizes) else "–"

    highest = percent(1 / after.min()) if len(after) else "–"
    return tiles(
        tile("Highest risk", highest, f"for a record of the smallest class; before: {percent(1 / before.min())}"),
        tile("Average risk", average(after), f"over records; before: {average(before)}"),
        tile(
            "In small classes", percent(near, released), f"{count(near, 'record')} in classes under {2 * threshold:,}"
        ),
        tile("Suppressed", percent(subject.suppressed, subject.records), _suppressed(subject)),
    )


def _suppressed(subject: Subject) -> str:
    how = [(subject.masked, "masked, no quasi-identifier left"), (subject.removed, "removed")]
    return "; ".join(f"{count(number, 'record')} {words}" for number, words in how if number) or "no record"


def _finding(subject: Subject) -> Html:
    unit = subject.schema.counts[:-1]
    parts = [
        "The risk is the chance that someone who knows a person is in the table, and knows all their "
        "quasi-identifiers, picks the right record (the prosecutor's view): one over the size of the class."
        if subject.schema.unit is None
        else f"The risk is the chance that someone who knows the quasi-identifiers of one record of a {unit} picks a "
        f"row of that {unit}: the share of the class that is theirs. On average it is one over the "
        f"{subject.schema.counts} of a class. Below, classes are counted in records."
    ]
    if subject.masked:
        parts.append(
            "Masked records are one class: whoever fits no other is known to be among them, unusual as they are. They "
            "still show their sensitive and insensitive columns."
        )
    return paragraph(" ".join(parts))


def _by_weights(subject: Subject) -> list[Html]:
    """Say what sampling weights tell of the risk, before and after."""
    if subject.schema.weight is None:
        return []
    before = measure_risk(subject.original, subject.schema)
    own = before.individual
    if own is None or own.highest is None or own.mean is None:
        return []
    says = (
        f"By the sampling weights, which say how many people look alike in the population, the individual risk of a "
        f"{own.unit[:-1]} of the original is {percent(own.highest)} at most and {percent(own.mean)} on average; "
        f"{own.expected:,.1f} of {own.units:,} {own.unit} would be found."
    )
    after = measure_risk(subject.owned, subject.schema).individual
    if after is not None and after.highest is not None and after.mean is not None:
        says += (
            f" Of the release it is {percent(after.highest)} at most and {percent(after.mean)} on average, and "
            f"{after.expected:,.1f} of {after.units:,} {after.unit} would be found."
        )
    if before.households is not None and before.households.highest is not None:
        says += (
            f" A household of the original is found by one member at least with a chance of "
            f"{percent(before.households.highest)} at most, if members are found independently."
        )
    return [paragraph(says)]


# -- learning a sensitive value ------------------------------------------------------------------------


def _learning(subject: Subject, figures: Figures) -> list[Html]:
    names = subject.schema.sensitive
    head = heading("Learning a sensitive value without finding the record")
    if not names:
        return [head, paragraph("No column is declared sensitive, so nothing is measured or promised here.")]
    protected = {name for model in subject.promises for name in model.sensitive}
    bare = [name for name in names if name not in protected]
    parts = [
        head,
        paragraph(
            "If nearly everyone in a class has the same value, knowing the class is enough. The plot counts classes by "
            "the share of their most frequent value; orange where it is more than half."
        ),
    ]
    if bare:
        parts.append(paragraph(led("No promise covers ", f"{listed(bare)}: the release may reveal it for some.")))
    plots = [_homogeneity_figure(figures, name, homogeneity(subject.frame, subject.quasi, name)) for name in names]
    parts.append(grid(plots))
    return parts


def _homogeneity_figure(figures: Figures, name: str, found: LargestShares) -> Html:
    total = len(found.shares)
    edges = [0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0]
    bars = []
    for low, high in pairwise(edges):
        classes = found.above(low) - found.above(high)
        bars.append(
            _class_bar(f"over {low:.0%} to {high:.0%}" if low else f"up to {high:.0%}", classes, total, low >= 0.5)
        )
    bars[-1] = _class_bar("over 80%, not all", found.above(0.8) - found.certain, total, True)
    bars.append(_class_bar("everyone alike", found.certain, total, True))
    caption = (
        f"One value holds more than half in {percent(found.above(0.5), total)} of the classes and more than 80% in "
        f"{percent(found.above(0.8), total)}; "
        + (
            f"in {count(found.certain, 'class', 'classes')} everyone has the same value{_of_them_missing(found)}."
            if found.certain
            else "in none is everyone alike."
        )
    )
    return figures.add(chart.bars(bars, title="share of classes"), caption, heading=name)


def _of_them_missing(found: LargestShares) -> str:
    return f", which is missing in {found.missing:,} of them" if found.missing else ""


def _class_bar(label: str, classes: int, total: int, strong: bool) -> chart.Bar:
    return chart.Bar(
        label=label,
        share=classes / total if total else 0.0,
        text=percent(classes, total),
        full=label,
        note=count(classes, "class", "classes"),
        strong=strong,
    )


# -- columns nobody protects ---------------------------------------------------------------------------


def linking(subject: Subject, figures: Figures) -> list[Html]:
    """Show how many rows become unique with columns that no promise covers."""
    frame = subject.frame
    names = [name for name in subject.schema.columns(Role.INSENSITIVE) if name in frame.columns]
    head = heading("Columns published unprotected")
    if not names:
        return [head, paragraph("No column is declared insensitive.")]
    found = {name: unique_rows(frame, [*subject.quasi, name]) for name in names}
    together = unique_rows(frame, [*subject.quasi, *names])
    order = sorted(names, key=lambda name: -found[name])[:15]
    rows = [(label, name, found[name]) for label, name in zip(axis_labels(order), order, strict=True)]
    if len(names) > 1:
        rows.append(("all of them together", listed(names), together))
    total = frame.height
    bars = [
        chart.Bar(
            label=label,
            share=unique / total,
            text=percent(unique, total),
            full=full,
            note=f"{count(unique, 'row')} of {total:,}",
            strong=label == "all of them together",
        )
        for label, full, unique in rows
    ]
    caption = (
        f"{count(together, 'row')} of {total:,} ({percent(together, total)}) "
        f"{'is' if together == 1 else 'are'} unique once {listed(names)} "
        f"{'is' if len(names) == 1 else 'are'} known besides the published quasi-identifiers."
    )
    return [
        head,
        paragraph(
            "Insensitive columns count for no promise, and are published as they are or as transforms leave them. If "
            "someone can know one of them, declare it a quasi-identifier: " + PARTS.chips(names, "insensitive")
        ),
        figures.add(chart.bars(bars, title="share of released rows that become unique"), caption),
    ]


# -- general limits ------------------------------------------------------------------------------------


def _limits(subject: Subject) -> Html:
    assert subject.opened.stated is not None
    earlier = subject.opened.stated.plain["earlier_releases"]
    again = " ".join(map(_intersected, earlier)) or "The job names no earlier release of the same people."
    return bullets(
        [
            "Background knowledge: who knows more about a person than the quasi-identifiers (a rare diagnosis, the "
            "length of a stay, who it cannot be) can narrow a class down further. k-anonymity does not protect "
            "against that.",
            "Two releases of one table can be intersected: each keeps its promise alone, but a person's two classes "
            f"may have one record in common. {again}",
            "The promise is about the columns declared quasi-identifying. A column that others can know and that was "
            "declared otherwise is not covered.",
            "Groups are not protected: that most people of one kind share a value is what research wants to learn, and "
            "it holds for people who are not in the table, too.",
        ]
    )


def _intersected(entry: dict[str, Any] | str) -> str:
    """Return a sentence on what an earlier release leaves of the guarantee, if that was measured."""
    if isinstance(entry, str):  # version 1 has the name alone
        return f"With {entry} it was not intersected."
    left = entry["smallest_group"]
    if left is None and "people_in_both" in entry:
        return f"Nobody of this release is in {entry['name']}."
    if left is None and "withheld" in entry:
        return f"What is left with {entry['name']} is not told, because that would tell a secret."
    if left is None:
        return f"With {entry['name']} it was not intersected."
    return f"With {entry['name']} the smallest group that shares both classes is of {count(left, 'person', 'people')}."
