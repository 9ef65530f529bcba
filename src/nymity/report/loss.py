"""What the release costs: per attribute, and by every loss and metric."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.publishing.comparing.compare import Measured
from nymity.report import chart
from nymity.report.markup import PARTS, Figures, Html, Section, bullets, grid, led, paragraph
from nymity.report.page_wording import amount, axis_labels, listed, percent
from nymity.report.subject import Subject


def loss_section(subject: Subject, figures: Figures) -> Section:
    """Plot the share of detail each attribute lost, and all losses and metrics on one scale."""
    parts = [
        paragraph(
            "Generalizing and suppressing cost detail. First: how much of its domain a cell of each attribute covers "
            "on average. Second: every loss nymity knows, scaled so that 0 is the original and 1 a release with "
            "everything suppressed. Third: further metrics of a finished release, on the same scale. No figure "
            "here says what the release is good for in a task of yours."
        ),
        grid([_attributes(subject, figures), *_losses(subject, figures), *_metrics(subject, figures)]),
        PARTS.folded("What each measure says", [bullets(_explained(subject))]),
        *(paragraph(f"Undefined here: {listed(names)} ({why}).") for why, names in _undefined(subject).items()),
    ]
    if subject.dropped:
        parts.append(paragraph("Records dropped for missing values were taken out first and are not counted here."))
    return Section(anchor="loss", title="What it costs", short="Cost", parts=tuple(parts))


def _attributes(subject: Subject, figures: Figures) -> Html:
    losses = {name: _within(value) for name, value in subject.comparison.attribute_loss.items()}
    names = sorted(losses, key=lambda name: -losses[name])
    bars = [
        chart.Bar(
            label=label,
            share=losses[name],
            text=percent(losses[name]),
            full=name,
            note="share of its domain that a cell covers",
        )
        for label, name in zip(axis_labels(names), names, strict=True)
    ]
    most, least = names[0], names[-1]
    caption = f"{most} lost the most detail ({percent(losses[most])}), {least} the least ({percent(losses[least])})."
    if losses[most] == losses[least]:
        caption = f"Every attribute lost the same share of its detail ({percent(losses[most])})."
    return figures.add(chart.bars(bars, title="share of the domain a cell covers"), caption, heading="Per attribute")


def _losses(subject: Subject, figures: Figures) -> list[Html]:
    minimized, losses = subject.minimized.name, subject.comparison.losses
    bars = _bars(losses, marked=minimized)
    if not bars:
        return []
    spec = chart.bars(bars, title="scaled loss, from 0 (original) to 1 (nothing left)", number_format=".1f")
    there = any(loss.name == minimized and loss.scaled is not None for loss in losses)
    caption = (
        f"{minimized}{' (marked)' if there else ''} is what the method minimized; the others show how the same release "
        "looks to other measures."
    )
    return [figures.add(spec, caption, heading="By every loss")]


def _metrics(subject: Subject, figures: Figures) -> list[Html]:
    bars = _bars(subject.comparison.metrics)
    if not bars:
        return []
    spec = chart.bars(bars, title="from 0 (original) to 1 (nothing left)", number_format=".1f")
    beyond = [m.name for m in subject.comparison.metrics if m.scaled is not None and m.scaled > 1]
    further = f" {listed(beyond)} went further from the original than full suppression does." if beyond else ""
    caption = f"By {bars[0].label} the release lost the most, by {bars[-1].label} the least.{further}"
    return [figures.add(spec, caption, heading="By further metrics")]


def _bars(measured: Sequence[Measured], marked: str | None = None) -> list[chart.Bar]:
    """Return a bar for everything that has a scale, the largest first; what lies beyond the scale says so in text."""
    scaled = [(m, m.scaled, m.value) for m in measured if m.scaled is not None and m.value is not None]
    return [
        chart.Bar(
            label=m.name,
            share=_within(share),
            text=f"{share:.3f}",
            full=f"{m.title}: {amount(value)}",
            note=f"original {amount(m.original or 0.0)}, full suppression {amount(m.suppressed or 0.0)}",
            strong=m.name == marked,
        )
        for m, share, value in sorted(scaled, key=lambda item: -item[1])
    ]


def _explained(subject: Subject) -> list[Html]:
    """Return a plain sentence on each measure of the plots, by its name."""
    shown = sorted((m for m in subject.comparison.measured if m.scaled is not None), key=lambda m: m.name)
    return [led(f"{m.name}: ", m.plain) for m in shown]


def _undefined(subject: Subject) -> dict[str, list[str]]:
    """Names of what has no value or no scale, by the reason."""
    reasons: dict[str, list[str]] = {}
    for m in subject.comparison.measured:
        if m.undefined is not None:
            reasons.setdefault(m.undefined, []).append(m.name)
    return reasons


def _within(share: float) -> float:
    """Return a share between 0 and 1, without what rounding adds."""
    return min(max(share, 0.0), 1.0)
