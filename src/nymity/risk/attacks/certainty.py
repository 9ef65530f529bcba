"""Certainty: people whose sensitive value follows from their class, as it is or after some values are ruled out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from nymity.core.confidence_intervals import ERROR, clopper_pearson
from nymity.core.wording import percent
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import certainty_limit
from nymity.risk.attacks.result import AttackResult
from nymity.risk.attacks.scene import Scene, ValueGroups


def values_hindrance(scene: Scene) -> str | None:
    """Return why sensitive values cannot be counted."""
    if not scene.sensitive:
        return "no sensitive column is published"
    if scene.freeform and (scene.people is None or scene.drawn):
        return "rows have cells of their own: only the original tells which of them fit a person"
    return None if scene.frame.height else "no row is published"


def values_of_persons(scene: Scene) -> bool:
    """Return whether values are counted by persons: it is known of whom rows are, and classes are."""
    return scene.row_owners is not None and not scene.freeform


def certain_results(attack: Attack, scene: Scene, attribute: str, *, excluded: int, assumes: str) -> AttackResult:
    """Count the people whose class has at most ``excluded`` + 1 different values.

    Models that ask for more different values promise that there are none. Persons may have several values: where these
    are counted, a value is certain that everybody of a class has, too, and only limits on shares of persons prevent it.
    """
    groups = scene.values(attribute)
    few = groups.histogram.distinct <= excluded + 1
    # A value that everybody of the class has, among others: many different values do not make it less certain.
    shared = groups.holders & (groups.histogram.largest == groups.sizes) & ~few
    few |= shared
    n, certain = int(groups.people.sum()), int(groups.people[few].sum())
    limit = certainty_limit(
        scene.models,
        attribute,
        groups.column,
        excluded=excluded,
        classes=not scene.freeform,
        persons=scene.of_persons,
        holders=groups.holders,
    )
    missing = int(groups.people[_only_missing(groups)].sum())
    gaps = f"; for {percent(missing / n)} it is a missing value" if missing else ""
    whom = f"{scene.unit}s in their classes" if groups.holders else scene.whom
    ruled = f" once {excluded} other{'s' * (excluded > 1)} of the class can be ruled out" if excluded else ""
    whole = percent(int(groups.people[shared].sum()) / n)
    beside = f"; for {whole} because everybody of the class has it, beside others" if shared.any() else ""
    return AttackResult(
        key=attack.key,
        title=attack.title,
        assumes=assumes,
        attribute=attribute,
        n=n,
        successes=certain,
        rate=certain / n,
        interval=interval(groups, certain, n),
        highest=Fraction(int(few.any())),
        limit=limit,
        exceeds=limit.exceeded_by(certain),
        sentence=f"The value of {attribute!r} is certain for {percent(certain / n)} of {n:,} {whom}"
        f"{ruled}{beside}{gaps}.",
        figures={
            "groups": len(groups.people),
            "certain_groups": int(few.sum()),
            "excluded": excluded,
            "certain_missing": missing,
        },
    )


def _only_missing(groups: ValueGroups) -> NDArray[np.bool_]:
    """Return in which groups everybody's value is missing: what is certain there is that nobody wrote one down."""
    entries = groups.histogram
    gap = np.array([label is None for label in groups.column.labels], dtype=np.bool_)[entries.codes]
    gaps = np.bincount(entries.classes[gap], weights=entries.counts[gap], minlength=entries.n_classes)
    return np.asarray((gaps == groups.sizes) & (gaps > 0))


def interval(groups: ValueGroups, successes: float, n: int) -> tuple[float, float] | None:
    """Return the interval of a rate; None where everybody was counted."""
    return None if groups.exact else clopper_pearson(successes, n, error=ERROR)
