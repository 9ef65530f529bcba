"""Levels chosen per attribute, as a ladder from the raw value to the top of its hierarchy."""

from __future__ import annotations

import numpy as np

from nymity.report.holders import Holders
from nymity.report.markup import PARTS, Figures, Html, Section, paragraph
from nymity.report.overview import OVERVIEW
from nymity.report.page_wording import count, shortened
from nymity.report.scale import raw_codes
from nymity.report.subject import Subject
from nymity.table.hierarchy import Hierarchy
from nymity.table.level_recoding import LevelRecoding

#: Columns whose levels are shown; those of the others are folded.
MOST_LADDERS = 10


def ladder_section(subject: Subject, _: Figures) -> Section:
    """Show one ladder per quasi-identifier."""
    recoding = subject.recoding
    assert isinstance(recoding, LevelRecoding)
    used = shares_of_levels(subject, recoding)
    ladders = [
        ladder(
            name,
            used[name],
            hierarchy,
            Holders(raw_codes(subject, name), subject.owners),
            subject.threshold,
            subject.schema.counts,
        )
        for name, hierarchy in recoding.hierarchies.items()
    ]
    if len(recoding.layers) > 1:
        return _section(
            f"Records are published in {count(len(recoding.layers), 'layer')}, each at levels of its own, from the raw "
            "value on the left to the top of the hierarchy on the right. The filled steps are in use, with the share "
            "of the published records; the example shows what a common value becomes on the way.",
            ladders,
        )
    untouched = sum(level == 0 for level in recoding.levels.values())
    note = f" {count(untouched, 'column')} kept raw values." if untouched else " No column kept its raw values."
    return _section(
        "Every quasi-identifier is published at one level of its hierarchy, from the raw value on the left to its top "
        "on the right. The filled step is what was chosen; the example shows what a common value becomes on the way."
        + note,
        ladders,
    )


def shares_of_levels(subject: Subject, recoding: LevelRecoding) -> dict[str, dict[int, float]]:
    """Return, per quasi-identifier and level in use, the share of the published records at that level."""
    if len(recoding.layers) == 1:
        return {name: {level: 1.0} for name, level in recoding.levels.items()}
    layer = recoding.layer_of(subject.original)
    records = np.bincount(layer[layer >= 0], minlength=len(recoding.layers)) / max(int((layer >= 0).sum()), 1)
    shares: dict[str, dict[int, float]] = {name: {} for name in recoding.hierarchies}
    for part, share in zip(recoding.layers, records.tolist(), strict=True):
        for name, level in part.levels.items():
            shares[name][level] = shares[name].get(level, 0.0) + share
    return shares


def _section(text: str, ladders: list[Html]) -> Section:
    further = ladders[MOST_LADDERS:]
    return Section(
        anchor="levels",
        title="Levels chosen on each hierarchy",
        short="Levels",
        parts=(
            paragraph(text),
            *ladders[:MOST_LADDERS],
            *([PARTS.folded(count(len(further), "further column"), further)] if further else []),
        ),
    )


def example_path(hierarchy: Hierarchy, holders: Holders, threshold: int) -> list[str | None]:
    """Return a common value on every level, from raw to top; None where it would stand for too few people.

    ``holders`` of raw values. From the top down, the most frequent value below the last one is taken, until fewer than
    ``threshold`` persons have it, or records where these are counted.
    """
    counts = np.bincount(holders.codes[holders.codes >= 0], minlength=hierarchy.domain_size)
    path: list[str | None] = [*[None] * hierarchy.height, hierarchy.labels[-1][0]]
    below = np.ones(hierarchy.domain_size, dtype=np.bool_)  # raw values under the one taken last
    for level in reversed(range(hierarchy.height)):
        labels, codes = hierarchy.labels[level], hierarchy.codes[level]
        records = np.bincount(codes, weights=counts * below, minlength=len(labels))
        records[[label is None for label in labels]] = 0  # a gap is no example
        common = int(np.argmax(records))
        below &= codes == common
        if holders.among(below) < max(threshold, 1) or not records[common]:
            break
        path[level] = labels[common]
    return path


def ladder(
    name: str, used: dict[int, float], hierarchy: Hierarchy, holders: Holders, threshold: int, counts: str = "records"
) -> Html:
    """Return one hierarchy from raw to top, the levels in use filled, with an example on the way."""
    steps, coarsest = [], max(used)
    for level, example in enumerate(example_path(hierarchy, holders, threshold)):
        place = "chosen" if level in used else "passed" if level < coarsest else "above"
        where = "raw" if level == 0 else f"level {level}"
        if level in used:
            where += " · published" if len(used) == 1 else f" · {used[level]:.1%} of records"
        steps.append(
            {
                "place": place,
                "where": where,
                "hidden": example is None,
                "shown": "rare values" if example is None else shortened(example, 34),
                "title": f"each stands for fewer than {threshold} {counts}" if example is None else example,
                "size": count(len(hierarchy.labels[level]), "value"),
            }
        )
    summary = f"level {coarsest} of {hierarchy.height}" if len(used) == 1 else f"up to level {coarsest}"
    return OVERVIEW.ladder(name, summary, steps)
