"""The report on a differentially private release, which may be published with it.

It is made from the release, its certificate, its schema and its promise. Neither the original nor the custodian's log
is at hand here, so nothing of them can get in.
"""

from __future__ import annotations

from math import exp

import numpy as np
import polars as pl

from nymity.core.errors import ParameterError
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.forecast import Forecast, forecast
from nymity.dp.private_method import the_promise
from nymity.privacy import Groups
from nymity.publishing.certificates.certificate import Certificate
from nymity.publishing.releases.opened import OpenedRelease
from nymity.report import chart
from nymity.report.certificate import section_of
from nymity.report.document import document
from nymity.report.headline import HEADLINE, badge, cards, names, warnings
from nymity.report.holders import Holders
from nymity.report.ladder import ladder
from nymity.report.markup import Figures, Html, Section, bullets, led, paragraph, tile, tiles
from nymity.report.page_wording import count
from nymity.table.schema import Schema

_NOTIONS = {
    "standard": "A chance of delta is left in which more may be learned.",
    "probabilistic": "It holds for every single release, but for some that come with a chance of at most delta.",
}


def private_page(opened: OpenedRelease) -> str:
    """Return the page; of the release it sees what is published, and its levels."""
    stated, figures, model = opened.stated, Figures(), the_promise(opened.promises)
    assert stated is not None
    sections = [
        meaning_section(model),
        budget_section(model, figures),
        reached_section(opened.table, opened.schema or stated.job.schema, model),
        *levels_sections(opened),
        section_of(stated.plain),
    ]
    return document("nymity report", _opening(opened, stated.plain), sections, figures)


def meaning_section(model: DifferentialPrivacy) -> Section:
    """The section on what epsilon, delta, k and beta mean."""
    factor, beta, most = exp(model.epsilon), float(model.beta), model.records_per_person
    yours = "your record" if most is None else "your records"
    drawn = f"Every record was drawn with probability beta = {beta:.4g}; whether yours was is left to chance."
    groups = f"Records are shown in groups of at least k = {model.k} that look the same; no others are shown."
    if most is not None:
        drawn = (
            f"Of your records at most {most:,} that differ took part, drawn at random if you have more. Each was drawn "
            f"with probability beta = {beta:.4g}; whether yours was is left to chance."
        )
        groups = (
            f"Rows are shown in groups of at least k = {model.k} that look the same, each of another person; no others "
            "are shown."
        )
    return Section(
        anchor="meaning",
        title="What that means",
        short="Meaning",
        parts=(
            paragraph(
                f"Think of anything that could be concluded about you from this table. With {yours} in the original "
                f"it is at most {factor:.3g} times likelier than without, and at most {factor:.3g} times less "
                f"likely: that is e to the power of epsilon = {model.epsilon:g}. {_NOTIONS[model.notion]} "
                f"Here delta is {model.delta:g}."
            ),
            bullets(
                [
                    drawn,
                    groups,
                    "How coarse the values are was drawn at random as well, on another sample.",
                    "Every record shown is true: values are made coarser, never changed.",
                ]
            ),
        ),
    )


def budget_section(model: DifferentialPrivacy, figures: Figures) -> Section:
    """Show how epsilon was split."""
    parts = [
        ("choosing levels", float(model.epsilon_search), "drawn by their score on a sample"),
        ("publishing the sample", float(model.epsilon_anonymization), f"k = {model.k} follows from it, and beta"),
    ]
    bars = [
        chart.Bar(label=name, share=spent / float(model.epsilon), text=f"{spent:.4g}", full=name, note=note)
        for name, spent, note in parts
    ]
    caption = f"Both together are epsilon = {model.epsilon:g}."
    return Section(
        anchor="budget",
        title="How the budget was spent",
        short="Budget",
        parts=(
            paragraph("Whatever looks at the records spends part of epsilon. What the search spends, k and beta miss."),
            figures.add(chart.bars(bars, title="share of epsilon"), caption),
        ),
    )


def reached_section(frame: pl.DataFrame, schema: Schema, model: DifferentialPrivacy) -> Section:
    """Put what was released beside what public facts let expect."""
    classes, ahead = len(Groups(frame, list(schema.quasi)).sizes), _forecast(schema, model)
    average = frame.height / classes if classes else 0.0
    sampled, most = int(model.public_records * model.beta), "" if model.records_per_person is None else "at most "
    reached = tiles(
        tile("Records", f"{frame.height:,}", f"{most}{sampled:,} would be sampled of {model.public_records:,}"),
        tile("Groups", f"{classes:,}", f"at most about {sampled // model.k:,} of k = {model.k} were to be expected"),
        tile("Average group", f"{average:,.1f}", "records that look the same"),
    )
    return Section(
        anchor="reached",
        title="What was released, and what was to be expected",
        short="Reached",
        parts=(
            paragraph(
                f"Expected is what follows from the promise, the hierarchies and a public number of records, "
                f"{model.public_records:,}. How many records the original has is private."
            ),
            reached,
            *(() if ahead is None else _finest(ahead)),
        ),
    )


def levels_sections(opened: OpenedRelease) -> list[Section]:
    """Show the level of each hierarchy, with an example from the hierarchy itself; nothing where they are not known."""
    if opened.recoding is None:
        return []
    levels = opened.levels
    ladders = [
        ladder(name, {levels[name]: 1.0}, hierarchy, Holders(np.arange(hierarchy.domain_size), None), 1)
        for name, hierarchy in opened.recoding.hierarchies.items()
    ]
    text = "The filled step is what was drawn. Examples are from the hierarchies, not from the records."
    parts = (paragraph(text), *ladders)
    return [Section(anchor="levels", title="Levels drawn on each hierarchy", short="Levels", parts=parts)]


def _finest(ahead: Forecast) -> tuple[Html, ...]:
    """Name levels to hope for, and parameters that would help another time."""
    told = []
    if not (finest := ahead.finest).is_empty():
        row = finest.row(0, named=True)
        levels = ", ".join(f"{name} {row[f'level of {name}']}" for name in ahead.names)
        told.append(f"Spread evenly, records would fill {count(int(row['classes']), 'group')} at the levels {levels}.")
    told += [f"Next time: {text}." for text in ahead.advice()]
    return (bullets(told),) if told else ()


def _forecast(schema: Schema, model: DifferentialPrivacy) -> Forecast | None:
    try:
        return forecast(schema, model)
    except ParameterError:  # more nodes than can be listed
        return None


def _opening(opened: OpenedRelease, certificate: Certificate) -> Html:
    private = certificate["differential_privacy"]["private"]
    shown = badge(opened) if private else HEADLINE.badge("bad", "✗ not private")
    public = (
        "It shows nothing but what follows from the release, its certificate and public parameters. "
        "Figures about the original are in the custodian's log."
        if private
        else "All draws were from a known seed, for a test. Nothing is promised."
    )
    return HEADLINE.header(
        "nymity · report on a differentially private release",
        "What this release promises",
        shown,
        names(opened),
        Html(),
        warnings(opened),
        cards(opened),
        paragraph(led("This page may be read by anybody. " if private else "Not private. ", public)),
    )
