"""Attacks that were tried on the release, beside what was promised."""

from __future__ import annotations

from typing import Any

from nymity.publishing.releases.opened import OpenedRelease
from nymity.publishing.releases.release import Release
from nymity.report import chart
from nymity.report.markup import Figures, Html, Section, bullets, led, paragraph
from nymity.report.page_wording import axis_labels, count, percent
from nymity.risk import AttackReport, AttackResult, Linkage, attack
from nymity.risk.attacks import Attack

#: What a report tries unless it is given more: few people, and attacks that take no more than the release.
QUICK_TARGETS, QUICK_SUBSETS = 300, 30


def quick_attacks(release: Release | OpenedRelease, original: Any) -> AttackReport | None:
    """Try the fast attacks on a few people; None for private releases, of which a report tells nothing private."""
    if release.released.is_private:
        return None
    chosen: list[str | Attack] = [Linkage(subsets=QUICK_SUBSETS), "homogeneity", "skewness", "background-knowledge"]
    schema = release.released.schema_for("report")
    chosen += ["linked-records"] if schema.unit is not None and schema[schema.unit].pseudonym is not None else []
    chosen += ["date-gaps"] if schema.shifted else []
    return attack(release, original=original, attacks=chosen, targets=QUICK_TARGETS)


def attacks_section(found: AttackReport, figures: Figures) -> Section:
    """Show each attack as a bar against its limit, and say in words what it assumes and reaches."""
    return Section(
        anchor="attacks",
        title="Attacks that were tried",
        short="Attacks",
        parts=(
            paragraph(
                f"Attacks were tried on the release beside the original, those that draw people on "
                f"{_targets(found)} with seed {found.seed}. Bars show the largest chance with "
                f"{'any record' if found.by_records else 'anybody'}, or the rate where none is known; a stroke stands "
                "where a promise draws the limit."
            ),
            *_bars(found, figures),
            bullets([_described(result) for result in found.results]),
            *_not_run(found),
        ),
    )


def _targets(found: AttackReport) -> str:
    """Say how many are drawn."""
    if found.by_records:
        return f"{found.targets:,} records or persons, as each says,"
    return count(found.targets, "person", "people")


def _bars(found: AttackReport, figures: Figures) -> list[Html]:
    if not found.results:
        return []
    names = [_named(result, found) for result in found.results]
    items = [
        chart.Bar(
            label=label,
            share=_chance(result),
            text=percent(_chance(result)),
            full=name,
            note=result.sentence,
            strong=result.exceeds,
            limit=result.promised,
        )
        for label, name, result in zip(axis_labels(names), names, found.results, strict=True)
    ]
    exceeded = len(found.exceeded)
    caption = (
        f"{count(exceeded, 'attack')} did better than promised; orange."
        if exceeded
        else "No attack did better than promised."
    )
    return [figures.add(chart.bars(items, title="chance of success"), caption)]


def _named(result: AttackResult, found: AttackReport) -> str:
    """Return the key, with the attribute where there are several."""
    several = sum(other.key == result.key for other in found.results) > 1
    return f"{result.key}: {result.attribute}" if several else result.key


def _chance(result: AttackResult) -> float:
    return max(0.0, result.rate if result.highest is None else float(result.highest))


def _described(result: AttackResult) -> Html:
    if result.promised is None:
        limit = f"No promise limits this ({'; '.join(result.no_promise)})."
    else:
        limit = f"Promised: {percent(result.promised)}."
    return led(f"{result.title}. ", f"{result.sentence} Assumed: {result.assumes}. {limit}")


def _not_run(found: AttackReport) -> list[Html]:
    if not found.not_run:
        return []
    return [paragraph("Not run: "), bullets([f"{one.title}: {one.reason}." for one in found.not_run])]
