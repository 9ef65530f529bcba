"""What each step cost: from the original to the release, by the share of all cells that is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.draws import KeyedDraws
from nymity.report import chart
from nymity.report.markup import Figures, Html, Section, paragraph, table
from nymity.report.page_wording import axis_labels, percent
from nymity.report.subject import Subject
from nymity.table.encoding import person_ids
from nymity.table.partition_recoding import CentreRecoding
from nymity.table.text import MASK, as_text, gathered, plainly_named

Bools = NDArray[np.bool_]

_TEXT = (
    "Of all cells of the original, each step takes some. A cell that is as it was counts 1, a generalized one what is "
    "left of its detail (1 less the share of its domain that it covers), and one that is left out, suppressed, coded "
    "or changed 0. It counts for the first step that touches it. That a cell is left says nothing of what it is worth."
)


@dataclass(frozen=True, kw_only=True)
class StepCost:
    """What one step cost: how many cells it touched, and what it took of them, a whole one counting 1."""

    says: str
    cells: int
    taken: float


def steps_section(subject: Subject, figures: Figures) -> Section:
    """Plot what is left after each step, and list what each took."""
    whole = _records(subject) * len(subject.schema)
    return Section(
        anchor="steps",
        title="What each step cost",
        short="Steps",
        parts=(paragraph(_TEXT), *_drawn([*steps(subject)], whole, figures)),
    )


def steps(subject: Subject) -> Iterator[StepCost]:
    """Yield the steps that touched a cell, in the order in which they are carried out."""
    return (step for step in (*_left_out(subject), *_recoded(subject), *_changed(subject)) if step.cells)


def _left_out(subject: Subject) -> Iterator[StepCost]:
    """Columns, and records: all published cells of a removed one, the quasi-identifiers of a masked one."""
    columns = [name for name in subject.schema if name in subject.frame.columns]
    out = (len(subject.schema) - len(columns)) * _records(subject)
    yield StepCost(says="columns left out", cells=out, taken=out)
    dropped, removed = subject.dropped * len(columns), subject.removed * len(columns)
    yield StepCost(says="records left out for their gaps", cells=dropped, taken=dropped)
    masked = subject.masked * len(subject.quasi)
    yield StepCost(says="records suppressed", cells=removed + masked, taken=removed + masked)


def _recoded(subject: Subject) -> Iterator[StepCost]:
    """Cells of quasi-identifiers, of rows that are not masked: generalized ones, and stars of cell suppression."""
    gone, touched, stars, lost = subject.masked + subject.removed, 0, 0, 0.0
    suppresses = hasattr(subject.opened.method, "star")
    for name in subject.quasi:
        before, after = (as_text(plainly_named(one)) for one in (subject.raw_cells(name), subject.frame[name]))
        before, after = before.fill_null(""), after.fill_null("")
        other = (before != after).to_numpy() & ~subject.log.masked
        star = other & (after == MASK).to_numpy() & suppresses
        touched, stars = touched + int((other & ~star).sum()), stars + int(star.sum())
        everything = subject.comparison.attribute_loss.get(name, 0.0) * (_records(subject) - subject.dropped)
        lost += min(max(everything - gone - int(star.sum()), 0.0), float((other & ~star).sum()))
    centres = isinstance(subject.recoding, CentreRecoding)
    yield StepCost(says="centres of groups in place of values" if centres else "generalized", cells=touched, taken=lost)
    yield StepCost(says="single cells suppressed", cells=stars, taken=stars)


def _changed(subject: Subject) -> Iterator[StepCost]:
    """Cells of all other columns: by codings, which are made again here, and by what draws, once for each column."""
    stated, unit = subject.opened.stated, subject.schema.unit
    transforms = () if stated is None else stated.job.transforms
    units = None if unit is None else gathered(person_ids(subject.original[unit]), subject.log.source_rows)
    names = [name for name in subject.schema if name in subject.frame.columns and name not in subject.quasi]
    cells = {name: subject.raw_cells(name) for name in names}
    untouched = {name: np.ones(subject.frame.height, dtype=np.bool_) for name in names}
    for one in sorted(transforms, key=lambda one: not one.is_coding):
        made = {name: subject.frame[name] for name in one.columns}
        if one.is_coding:
            before = pl.DataFrame(list(cells.values()))
            made = {**one.changed(before, KeyedDraws.public("codings draw nothing"), one.key, units)}
        n = 0
        for name, column in made.items():
            other = untouched[name] & _differ(cells[name], column)
            untouched[name] &= ~other
            cells[name], n = column, n + int(other.sum())
        yield StepCost(says=f"{one.title}: {', '.join(one.columns)}", cells=n, taken=n)
    for name in names:  # pseudonyms, moved dates, means of weights, sets of items
        n = int((untouched[name] & _differ(cells[name], subject.frame[name])).sum())
        yield StepCost(says=f"otherwise: {name}", cells=n, taken=n)


def _records(subject: Subject) -> int:
    """Return the records that there were to publish: fewer than rows where lines of a person are one."""
    return subject.frame.height + subject.removed + subject.dropped


def _differ(before: pl.Series, after: pl.Series) -> Bools:
    """Return which cells are not as they were; numbers are compared as numbers, and gaps are alike."""
    if before.dtype.is_numeric() and after.dtype.is_numeric():
        one, other = (plainly_named(cells).cast(pl.Float64).fill_nan(None) for cells in (before, after))
    else:
        one, other = (as_text(plainly_named(cells)).fill_null("") for cells in (before, after))
    return one.ne_missing(other).to_numpy()


def _drawn(taken: list[StepCost], whole: int, figures: Figures) -> list[Html]:
    if not taken:
        return [paragraph("No cell was touched.")]
    left = [float(whole)]
    for step in taken:
        left.append(left[-1] - step.taken)
    told = ["all cells of the original", *(f"{percent(step.taken, whole)} less than before" for step in taken)]
    labels = axis_labels(["original", *(step.says for step in taken)])
    bars = [
        chart.Bar(label=label, share=min(max(n / whole, 0.0), 1.0), text=percent(n, whole), full=label, note=note)
        for label, n, note in zip(labels, left, told, strict=True)
    ]
    rows = [(step.says, f"{step.cells:,}", percent(step.taken, whole)) for step in taken]
    caption = f"The release has {percent(left[-1], whole)} of what the original's cells told."
    return [
        figures.add(chart.bars(bars, title="share of all cells that is left after the step"), caption),
        table(("step", "cells touched", "of all that was there"), rows),
    ]
