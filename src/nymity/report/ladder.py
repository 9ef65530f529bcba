"""Levels chosen per attribute, as a ladder from the raw value to the top of its hierarchy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nymity.report.distribution import raw_counts
from nymity.report.markup import Figures, Html, Section, element, paragraph
from nymity.report.subject import Subject
from nymity.report.wording import count, shortened
from nymity.table.hierarchy import Hierarchy


def ladder_section(subject: Subject, _: Figures) -> Section:
    """Show one ladder per quasi-identifier."""
    recoding = subject.release.recoding
    ladders = [
        _ladder(name, level, recoding.hierarchies[name], raw_counts(subject, name)[0], subject.threshold)
        for name, level in recoding.levels.items()
    ]
    untouched = sum(level == 0 for level in recoding.levels.values())
    note = f" {count(untouched, 'column')} kept raw values." if untouched else " No column kept its raw values."
    return Section(
        anchor="levels",
        title="Levels chosen on each hierarchy",
        short="Levels",
        parts=(
            paragraph(
                "Every quasi-identifier is published at one level of its hierarchy, from the raw value on the left to "
                "its top on the right. The filled step is what was chosen; the example shows what a common value "
                "becomes on the way." + note
            ),
            *ladders,
        ),
    )


def example_path(hierarchy: Hierarchy, counts: NDArray[np.int64], threshold: int) -> list[str | None]:
    """Return a common value on every level, from raw to top; None where it would stand for too few records.

    counts: records of each raw value. From the top down, the most frequent value below the last one is taken, until
    it has fewer than ``threshold`` records.
    """
    path: list[str | None] = [*[None] * hierarchy.height, hierarchy.labels[-1][0]]
    below = np.ones(hierarchy.domain_size, dtype=np.bool_)  # raw values under the one taken last
    for level in reversed(range(hierarchy.height)):
        labels, codes = hierarchy.labels[level], hierarchy.codes[level]
        records = np.bincount(codes, weights=counts * below, minlength=len(labels))
        records[[label is None for label in labels]] = 0  # a gap is no example
        common = int(np.argmax(records))
        if records[common] < max(threshold, 1):
            break
        path[level] = labels[common]
        below &= codes == common
    return path


def _ladder(name: str, chosen: int, hierarchy: Hierarchy, counts: NDArray[np.int64], threshold: int) -> Html:
    steps = []
    for level, example in enumerate(example_path(hierarchy, counts, threshold)):
        place = "chosen" if level == chosen else "passed" if level < chosen else "above"
        values = count(len(hierarchy.labels[level]), "value")
        shown = (
            element("b", shortened(example, 34), title=example)
            if example is not None
            else element("b", "rare values", class_="hidden", title=f"each stands for fewer than {threshold} records")
        )
        where = "raw" if level == 0 else f"level {level}"
        steps.append(
            element("li", element("span", where), shown, element("span", values), class_=place)
            if level != chosen
            else element("li", element("span", f"{where} · published"), shown, element("span", values), class_=place)
        )
    return element(
        "div",
        element("h3", name, element("span", f"level {chosen} of {hierarchy.height}")),
        element("ol", *steps),
        class_="ladder",
    )
