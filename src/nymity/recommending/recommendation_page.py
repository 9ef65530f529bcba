"""The recommendation as one HTML page that opens offline."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.core.template import Template
from nymity.recommending.plot import front_plot
from nymity.recommending.recommendation import Choice, Recommendation
from nymity.report.document import document
from nymity.report.markup import PARTS, Figures, Html, Section, tile, tiles
from nymity.report.page_wording import count, listed, percent

_PAGE = Template("recommendation.html", "nymity.recommending", "nymity.report")
_ENDINGS = {
    "complete": "nothing was left to try near the front",
    "time": "the time was over",
    "trials": "as many as asked for",
    "interrupted": "it was interrupted",
}


def render_page(recommendation: Recommendation) -> str:
    """Return the page; its links lead to the job files beside it."""
    figures = Figures()
    sections = [_front(recommendation, figures), _trials(recommendation), _reading(recommendation)]
    return document("nymity recommendation", _opening(recommendation), sections, figures)


def _opening(recommendation: Recommendation) -> Html:
    original, zero = recommendation.best_original.confirming, recommendation.zero_r.confirming
    measure, knee = recommendation.measure, recommendation.knee
    of = f"of {recommendation.classes:,} classes" if recommendation.target is not None else f"on {measure.again}"
    return _PAGE.opening(
        recommendation.target or "count queries",
        tiles(
            tile(
                "settings tried",
                f"{len(recommendation.trials):,}",
                f"in {recommendation.seconds:,.0f} s; {_ENDINGS[recommendation.ending]}",
            ),
            tile("choices on the front", f"{len(recommendation.choices):,}", "no other is better in both"),
            tile("where to begin", f"choice {knee.number}", "the knee: beyond it risk rises faster"),
            tile(measure.original, measure.said(original.rate), f"{measure.title} on {measure.again}"),
            tile(measure.nothing, measure.said(zero.rate), of),
        ),
    )


def _front(recommendation: Recommendation, figures: Figures) -> Section:
    caption = (
        "Each point is a release, by the records or queries that it was chosen by, as are both lines. Numbers lead to "
        f"job files. Diamonds: the chosen releases on {recommendation.measure.again}, with 95% intervals."
    )
    title = recommendation.measure.title
    choices = PARTS.table(
        ("choice", "highest risk", "average risk", "suppressed", title, "again", "kept", "settings"),
        [_choice(choice, recommendation) for choice in recommendation.choices],
    )
    parts = (figures.add(front_plot(recommendation), caption), choices)
    return Section(anchor="front", title="What can be reached", short="Front", parts=parts)


def _choice(choice: Choice, recommendation: Recommendation) -> Sequence[str]:
    trial, score, said = choice.trial, choice.trial.score, recommendation.measure.said
    low, high = score.confirming.interval
    return (
        _PAGE.link(choice.number, choice.file_name),
        percent(float(trial.risk.highest)),
        percent(float(trial.risk.average)),
        percent(trial.suppressed, trial.records),
        said(score.choosing.rate),
        f"{said(score.confirming.rate)} ({said(low)} to {said(high)})",
        "–" if choice.kept is None else f"{choice.kept:.0%}",
        f"{trial.words} (the knee)" if choice == recommendation.knee else trial.words,
    )


def _trials(recommendation: Recommendation) -> Section:
    said, title = recommendation.measure.said, recommendation.measure.title
    rows = [
        (t.words, percent(float(t.risk.highest)), percent(float(t.risk.average)), said(t.score.choosing.rate))
        for t in recommendation.trials
    ]
    tried = PARTS.table(("settings", "highest risk", "average risk", title), rows)
    failed = [f"{failure.words}: {failure.reason}" for failure in recommendation.failures]
    parts = [PARTS.folded(count(len(recommendation.trials), "trial"), [tried])]
    if failed:
        parts.append(PARTS.folded(f"{len(failed):,} without a release", [PARTS.bullets(failed)]))
    return Section(anchor="trials", title="Everything that was tried", short="Trials", parts=tuple(parts))


def _reading(recommendation: Recommendation) -> Section:
    words = [
        "Risk: the chance that someone who knows a person is in the table, and knows "
        f"{listed(recommendation.schema.quasi)}, picks the right row. The highest is that of the smallest class.",
        f"{recommendation.measure.explained}. Other tasks may lose more or less.",
        f"Kept: how far the release is on the way from {recommendation.measure.nothing} to the original, on "
        f"{recommendation.measure.again}.",
        f"Where to begin: choice {recommendation.knee.number}, where usefulness has risen most ahead of the logarithm "
        "of risk, both scaled from nothing published to the original.",
        *(note[:1].upper() + note[1:] + "." for note in recommendation.notes),
    ]
    return Section(anchor="reading", title="How to read this", short="Reading", parts=(PARTS.bullets(words),))
