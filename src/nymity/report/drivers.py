"""Which columns make people stand out in the original, in pairs."""

from __future__ import annotations

from nymity.report import chart
from nymity.report.markup import Figures, Html, paragraph
from nymity.report.page_wording import axis_labels, count, percent
from nymity.report.subject import Subject
from nymity.risk import drivers

#: Columns that are shown: those with the most different values.
MOST_COLUMNS = 10


def drivers_figure(subject: Subject, figures: Figures) -> list[Html]:
    """Draw for every pair of quasi-identifiers how many records of the original it makes unique."""
    original = subject.original
    names = sorted(subject.quasi, key=lambda name: -original[name].n_unique())[:MOST_COLUMNS]
    found = drivers(original, names, size=min(2, len(names)))
    counted, total = found.combinations, original.height
    unique = {
        frozenset(columns): n
        for columns, n in zip(counted["columns"].to_list(), counted["unique"].to_list(), strict=True)
    }
    labels = dict(zip(names, axis_labels(names), strict=True))
    cells = [
        chart.HeatMapField(
            row=labels[row],
            column=labels[column],
            share=unique[frozenset((row, column))] / total,
            text=percent(unique[frozenset((row, column))], total),
            full=row if row == column else f"{row} and {column}",
        )
        for row in names
        for column in names
    ]
    most = max(unique, key=lambda columns: (unique[columns], -len(columns)))
    caption = (
        f"{count(unique[most], 'record')} of the original ({percent(unique[most], total)}) "
        f"{'is' if unique[most] == 1 else 'are'} unique by {' and '.join(sorted(most))} alone."
    )
    return [
        paragraph(
            "Some columns make people stand out more than others. The map shows what share of the original's records "
            "is the only one with its values in two columns; a single column is on the diagonal."
        ),
        figures.add(chart.heat_map(cells, title="unique records"), caption),
    ]
