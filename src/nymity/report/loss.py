"""What the release costs: per attribute, and by every loss."""

from __future__ import annotations

from nymity.report import chart
from nymity.report.markup import Figures, Html, Section, element, paragraph
from nymity.report.subject import Subject
from nymity.report.wording import amount, axis_labels, listed, percent


def loss_section(subject: Subject, figures: Figures) -> Section:
    """Plot the share of detail each attribute lost, and all losses on one scale."""
    parts = [
        paragraph(
            "Generalizing and suppressing cost detail. First: how much of its domain a cell of each attribute covers "
            "on average. Second: every loss nymity knows, scaled so that 0 is the original and 1 a release with "
            "everything suppressed."
        ),
        element("div", _attributes(subject, figures), *_losses(subject, figures), class_="grid"),
    ]
    without = [loss.name for loss in subject.comparison.losses if loss.scaled is None]
    if without:
        parts.append(paragraph(f"No scale exists here for {listed(without)}: original and full suppression are alike."))
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
    minimized = subject.release.outcome.minimized.name
    scaled = {loss.name: (loss, loss.scaled) for loss in subject.comparison.losses if loss.scaled is not None}
    bars = [
        chart.Bar(
            label=name,
            share=_within(share),
            text=f"{share:.3f}",
            full=f"{loss.title}: {amount(loss.value)}",
            note=f"original {amount(loss.original)}, full suppression {amount(loss.suppressed)}",
            strong=name == minimized,
        )
        for name, (loss, share) in sorted(scaled.items(), key=lambda item: -item[1][1])
    ]
    if not bars:
        return []
    spec = chart.bars(bars, title="scaled loss, from 0 (original) to 1 (nothing left)", number_format=".1f")
    caption = (
        f"{minimized}{' (marked)' if minimized in scaled else ''} is what the method minimized; the others show how "
        "the same release looks to other measures."
    )
    return [figures.add(spec, caption, heading="By every loss")]


def _within(share: float) -> float:
    """Return a share between 0 and 1, without what rounding adds."""
    return min(max(share, 0.0), 1.0)
