"""What the release costs: per attribute, and by every loss."""

from __future__ import annotations

from nymity.report import chart
from nymity.report.markup import Figures, Section, element, paragraph
from nymity.report.subject import Subject
from nymity.report.wording import axis_labels, listed, percent


def loss_section(subject: Subject, figures: Figures) -> Section:
    """Plot the share of detail each attribute lost, and all losses on one scale."""
    comparison = subject.comparison
    names = sorted(comparison.attribute_loss, key=lambda name: -comparison.attribute_loss[name])
    attributes = [
        chart.Bar(label=label, share=value, text=percent(value), full=name, note="share of its domain a cell covers")
        for label, name in zip(axis_labels(names), names, strict=True)
        for value in (min(max(comparison.attribute_loss[name], 0.0), 1.0),)
    ]
    scaled = sorted((loss for loss in comparison.losses if loss.scaled is not None), key=lambda loss: -(loss.scaled or 0))
    losses = [
        chart.Bar(
            label=loss.key,
            share=min(max(loss.scaled or 0.0, 0.0), 1.0),
            text=f"{loss.scaled:.3f}",
            full=f"{loss.title}: {loss.value:,.5g}",
            note=f"original {loss.original:,.5g}, full suppression {loss.suppressed:,.5g}",
            strong=loss.key == subject.release.outcome.loss_key,
        )
        for loss in scaled
    ]
    without = [loss.key for loss in comparison.losses if loss.scaled is None]
    parts = [
        paragraph(
            "Generalizing and suppressing cost detail. Left: how much of its domain a published cell of each attribute "
            "covers on average. Right: every loss nymity knows, scaled so that 0 is the original and 1 a release with "
            "everything suppressed."
        ),
        element(
            "div",
            figures.add(
                chart.bars(attributes, title="share of the domain a cell covers"),
                f"{names[0]} lost the most detail ({percent(attributes[0].share)}), "
                f"{names[-1]} the least ({percent(attributes[-1].share)})."
                if len(names) > 1
                else f"{names[0]} lost {percent(attributes[0].share)} of its detail.",
                heading="Per attribute",
            ),
            *(
                [
                    figures.add(
                        chart.bars(losses, title="scaled loss"),
                        f"{subject.release.outcome.loss_key} (marked) is what the method minimized; the others show "
                        "how the same release looks to other measures.",
                        heading="By every loss",
                    )
                ]
                if losses
                else []
            ),
            class_="grid",
        ),
    ]
    if without:
        parts.append(paragraph(f"No scale exists here for {listed(without)}: original and full suppression are alike."))
    if subject.dropped:
        parts.append(paragraph("Records dropped for missing values were taken out first and are not counted here."))
    return Section(anchor="loss", title="What it costs", parts=tuple(parts))
