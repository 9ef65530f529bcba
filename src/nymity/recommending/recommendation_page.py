"""The recommendation as one HTML page that opens offline."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.core.template import Template
from nymity.recommending.plot import front_plot
from nymity.recommending.recommendation import Choice, Recommendation
from nymity.recommending.usefulness import CorrectPredictions
from nymity.report.document import document
from nymity.report.markup import PARTS, Figures, Html, Section, bullets, tile, tiles
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
    return _PAGE.opening(
        recommendation.target,
        tiles(
            tile(
                "settings tried",
                f"{len(recommendation.trials):,}",
                f"in {recommendation.seconds:,.0f} s; {_ENDINGS[recommendation.ending]}",
            ),
            tile("choices on the front", f"{len(recommendation.choices):,}", "no other is better in both"),
            tile("learned from the original", _rate(original), "on records kept apart"),
            tile("always the most frequent class", _rate(zero), f"of {recommendation.classes:,} classes"),
        ),
    )


def _front(recommendation: Recommendation, figures: Figures) -> Section:
    caption = (
        "Each point is a release, tested on the records that it was chosen by, as are both lines. Numbers lead to job "
        "files. Diamonds: the chosen releases on records that were kept apart, with 95% intervals."
    )
    table = PARTS.columns(
        ("choice", "highest risk", "average risk", "suppressed", "accuracy", "kept apart", "kept", "settings"),
        [_choice(choice) for choice in recommendation.choices],
        "columns figures",
    )
    parts = (figures.add(front_plot(recommendation), caption), table)
    return Section(anchor="front", title="What can be reached", short="Front", parts=parts)


def _choice(choice: Choice) -> Sequence[str]:
    trial, score = choice.trial, choice.trial.score
    low, high = score.confirming.interval
    return (
        _PAGE.link(choice.number, choice.file_name),
        percent(float(trial.risk.highest)),
        percent(float(trial.risk.average)),
        percent(trial.suppressed, trial.records),
        _rate(score.choosing),
        f"{_rate(score.confirming)} ({low:.1%} to {high:.1%})",
        "–" if choice.kept_accuracy is None else f"{choice.kept_accuracy:.0%}",
        trial.words,
    )


def _trials(recommendation: Recommendation) -> Section:
    rows = [
        (t.words, percent(float(t.risk.highest)), percent(float(t.risk.average)), _rate(t.score.choosing))
        for t in recommendation.trials
    ]
    table = PARTS.columns(("settings", "highest risk", "average risk", "accuracy"), rows, "columns figures")
    failed = [f"{failure.words}: {failure.reason}" for failure in recommendation.failures]
    parts = [PARTS.folded(count(len(recommendation.trials), "trial"), [table])]
    if failed:
        parts.append(PARTS.folded(f"{len(failed):,} without a release", [bullets(failed)]))
    return Section(anchor="trials", title="Everything that was tried", short="Trials", parts=tuple(parts))


def _reading(recommendation: Recommendation) -> Section:
    words = [
        "Risk: the chance that someone who knows a person is in the table, and knows "
        f"{listed(recommendation.schema.quasi)}, picks the right row. The highest is that of the smallest class.",
        "Accuracy: classifiers are trained on the release and tested on original records of other people; the best "
        "classifier counts. Other tasks may lose more or less.",
        "Kept: how far the release is on the way from the most frequent class to the original, on the records kept "
        "apart.",
        *(note[:1].upper() + note[1:] + "." for note in recommendation.notes),
    ]
    return Section(anchor="reading", title="How to read this", short="Reading", parts=(bullets(words),))


def _rate(share: CorrectPredictions) -> str:
    return f"{share.rate:.1%}"
