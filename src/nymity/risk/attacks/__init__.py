"""Attacks on releases: what someone tries, how often it works, and what was promised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nymity.core.calls import called_well
from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, silent
from nymity.core.quoting import as_given
from nymity.core.validation import one_of, whole_number
from nymity.risk.attacks.contract import CannotRunError
from nymity.risk.attacks.registry import *  # noqa: F403
from nymity.risk.attacks.registry import ATTACKS, Attack
from nymity.risk.attacks.result import AttackReport as AttackReport
from nymity.risk.attacks.result import AttackResult as AttackResult
from nymity.risk.attacks.result import NotRun as NotRun
from nymity.risk.attacks.scene_opening import open_scene
from nymity.utility.released import Released

#: Numbers are drawn for all targets at once.
MOST_TARGETS = 10_000_000


@called_well
def attack(
    release: Any,
    original: Any = None,
    *,
    attacks: Sequence[str | Attack] | None = None,
    population: Any = None,
    control: Any = None,
    earlier: Any = None,
    targets: int = 1000,
    seed: int = 1,
    observe: Observer = silent,
) -> AttackReport:
    """Attack a release, and say how far each attack gets beside what was promised.

    ``release`` is what ``publish`` returns or ``nymity.open`` opens: its job or certificate says what was promised and
    how it was made, its recoding what cells stand for (where that is not known they are read from their text, beside
    the original). ``original`` is the table it was made from,
    ``population`` everybody the records could be of, ``control`` people of the same kind who are not in the release,
    ``earlier`` another release of the same people: all as they were, not generalized. ``attacks`` are keys of
    :data:`ATTACKS` or attacks with parameters of their own; all unless given. What cannot be run is told with the
    reason. Attacks that draw take ``targets`` people each; the same ``seed`` draws the same.
    """
    if isinstance(getattr(original, "released", None), Released):
        raise ParameterError("attack", expected="the release, then the original", got="a release second")
    chosen = _chosen(attacks)
    whole_number("targets", targets, at_least=1)
    if targets > MOST_TARGETS:
        raise ParameterError("targets", expected=f"at most {MOST_TARGETS:,}", got=f"{targets:,}")
    whole_number("seed", seed, at_least=0)
    beside: dict[str, Any] = {"original": original, "population": population}
    settings: dict[str, Any] = {"targets": targets, "seed": seed, "observe": observe}
    scene = open_scene(release, control=control, **beside, **settings)
    if earlier is not None:
        before = Released.of(earlier)
        if before.schema is None:
            # A bare frame says nothing of its columns: those of the attacked release are taken.
            before = replace(before, schema=scene.schema)
        scene = replace(scene, earlier=open_scene(before, name="earlier release", **beside, **settings))
    results: list[AttackResult] = []
    not_run: list[NotRun] = []
    for one in chosen:
        try:
            reason = one.hindrance(scene)
            found = one.run(scene) if reason is None else []
            if scene.of_persons:
                by_persons = one.counts_persons(scene)
                found = [result.by_persons(scene.unit) if by_persons else result.by_records() for result in found]
            results.extend(found)
        # Some attacks only find out on the way, after as many tables as they may try.
        except CannotRunError as late:
            reason = str(late)
        if reason is not None:
            not_run.append(NotRun(key=one.key, title=one.title, reason=reason))
    return AttackReport(
        results=tuple(results),
        not_run=tuple(not_run),
        rows=scene.frame.height,
        people=None if scene.people is None or scene.drawn else len(scene.people),
        of_persons=scene.of_persons,
        persons=None if scene.owners is None or scene.drawn else len(np.unique(scene.owners)),
        targets=targets,
        seed=seed,
        perturbed=scene.schema.perturbed,
    )


def _chosen(attacks: Sequence[str | Attack] | None) -> list[Attack]:
    if attacks is None:
        return [kind() for kind in ATTACKS.values()]
    if isinstance(attacks, str | Attack):
        raise ParameterError("attacks", expected="a list of attacks", got=as_given(attacks), hint=f"[{attacks!r}]")
    if not len(attacks):
        raise ParameterError("attacks", expected="at least one attack", got="none", hint="None, for all of them")
    found = []
    for one in attacks:
        if not isinstance(one, Attack):
            one_of("attacks", one, ATTACKS)
            one = ATTACKS[one]()
        found.append(one)
    return found
