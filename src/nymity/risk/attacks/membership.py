"""membership: is a person in the release at all?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from nymity.core.confidence_intervals import ERROR, clopper_pearson
from nymity.core.progress import Progress, report
from nymity.core.wording import percent
from nymity.kernels.grouping import distinct
from nymity.risk.attacks.contract import Attack
from nymity.risk.attacks.promises import advantage_limit, presence_limits
from nymity.risk.attacks.released_rows import Ints, Matcher
from nymity.risk.attacks.result import AttackResult, NoLimit
from nymity.risk.attacks.scene import NOT_THERE, Scene


@dataclass(frozen=True, kw_only=True)
class Membership(Attack):
    """Someone who knows all quasi-identifiers of a person says that the person is in, if a row fits.

    Members are drawn from the people with a row, others from ``control`` or from those of the population that the
    original lacks. The rate is the *advantage*: the share of members who are told to be in, less the share of others
    who are. Its interval is that of both shares at half of the error each. Masked rows are no sign: who fits no
    published combination is told to be out.

    With a population, everybody's chance to be in the release is counted besides: of the people who fit a class, the
    share whose row it is (Nergiz et al. 2007). Masked rows are the class of the people who fit no other; for
    delta-presence the records that were removed are among these, too.
    """

    key = "membership"
    title = "membership in the release"

    def hindrance(self, scene: Scene) -> str | None:
        """It needs people inside and outside."""
        if scene.people is None or scene.drawn:
            return "it needs the original, to know who is in the release"
        if not (scene.own != NOT_THERE).any():
            return "nobody of the original is in the release"
        if scene.control is None and scene.population is None:
            return "it needs people who are not in the release (control, or population)"
        return None if len(_others(scene)) or scene.population is not None else "nobody is outside of the release"

    def run(self, scene: Scene) -> list[AttackResult]:
        """Ask for members and others alike; then count everybody's chance where the population is known."""
        report(scene.observe, Progress(stage=self.key))
        found = [self._advantage(scene)] if len(_others(scene)) else []
        return found if scene.population is None else [*found, self._presence(scene)]

    def _advantage(self, scene: Scene) -> AttackResult:
        assert scene.people is not None
        assert scene.matcher is not None
        inside = scene.people.codes[:, scene.drawn_from("membership.inside", np.flatnonzero(scene.own != NOT_THERE))]
        outside = _others(scene)[scene.drawn_from("membership.outside", np.arange(len(_others(scene))))].T
        told = [_told(scene.matcher, codes) for codes in (inside, outside)]
        n = scene.targets
        (low_in, high_in), (low_out, high_out) = (clopper_pearson(hits, n, error=ERROR / 2) for hits in told)
        true, false = (hits / n for hits in told)
        limit = advantage_limit(scene.models)
        return AttackResult(
            key=self.key,
            title=self.title,
            assumes="the attacker knows all quasi-identifiers of a person; people inside and outside are of one kind",
            n=2 * n,
            successes=told[0] + n - told[1],
            rate=true - false,
            interval=(low_in - high_out, high_in - low_out),
            baseline=0.0,
            limit=limit,
            # Only what the intervals leave no doubt of is more than was promised.
            exceeds=limit.exceeded_by(low_in - high_out),
            sentence=f"A row fits {percent(true)} of the {scene.whom} in the release and {percent(false)} of those "
            f"that are not: an advantage of {percent(true - false)} over guessing.",
            figures={"true_positive_rate": true, "false_positive_rate": false},
        )

    def _presence(self, scene: Scene) -> AttackResult:
        """Count the chance of everybody in the population, by class; nobody is drawn."""
        assert scene.population is not None
        assert scene.matcher is not None
        people, members = _by_class(scene, scene.population.codes), scene.rows.sizes
        some = people > 0
        bounds = presence_limits(scene.models, persons=scene.of_persons)
        lowest, limit = (Fraction(0), bounds) if isinstance(bounds, NoLimit) else bounds
        promised = limit.chance is not None
        # Masked rows fit everybody: the promise speaks of their people as of all others outside of classes.
        told = some & (np.arange(len(some)) != scene.rows.suppressed) if promised else some
        shares = [Fraction(int(m), int(p)) for m, p in zip(members[told], people[told], strict=True)]
        if promised:  # it speaks about the people outside of all classes too, whatever became of the members
            shares += _remainder(scene)
        high = max(shares, default=Fraction(0))
        inside, everyone = int(members[some].sum()), int(people.sum())
        return AttackResult(
            key=f"{self.key}-chance",
            title="chance to be in the release",
            assumes="the attacker knows the population, and not who of it is in the release",
            n=everyone,
            successes=inside,
            rate=inside / everyone if everyone else 0.0,
            highest=high,
            baseline=float(members.sum() / len(scene.population)),
            limit=limit,
            exceeds=limit.exceeded_by(high) or min(shares, default=lowest) < lowest,
            sentence=f"Of {everyone:,} {scene.whom} of the population that fit a class, {inside:,} are in the release; "
            f"for some of them the chance is {percent(float(high))}.",
            figures={"classes": int(some.sum()), "lowest": float(min(shares, default=Fraction(0)))},
        )


def _told(matcher: Matcher, codes: Ints) -> int:
    """Count the people whom a row fits."""
    return int((matcher.counts(codes, matcher.rows.published)[:, 0] > 0).sum())


def _others(scene: Scene) -> Ints:
    """Return the people who are not in the release, (n, n_columns): the control, or the rest of the population."""
    if scene.control is not None:
        return scene.control.codes.T
    assert scene.people is not None
    assert scene.population is not None
    everyone = np.concatenate([scene.people.codes.T, scene.population.codes.T])
    group, _ = distinct(np.ascontiguousarray(everyone.astype(np.int64).view(np.uint64)))
    own, rest = group[: len(scene.people)].astype(np.int64), group[len(scene.people) :].astype(np.int64)
    order = np.argsort(rest, kind="stable")
    turn = np.empty(len(rest), dtype=np.int64)  # how many of the same values come before
    turn[order] = np.arange(len(rest)) - np.searchsorted(rest[order], rest[order])
    taken = np.bincount(own, minlength=int(group.max(initial=0)) + 1)
    found: Ints = scene.population.codes.T[turn >= taken[rest]]
    return found


def _remainder(scene: Scene) -> list[Fraction]:
    """Return the chance of the people who fit no class: the members whose rows are masked or removed are among them."""
    assert scene.population is not None
    assert scene.matcher is not None
    outside = len(scene.population) - _told(scene.matcher, scene.population.codes)
    suppressed = len(scene.own) - len(scene.present) + len(scene.masked_people)
    return [Fraction(suppressed, outside)] if outside else []


def _by_class(scene: Scene, codes: Ints) -> Ints:
    """Count the people that fit each class, masked rows if no other; whoever fits several counts in none of them."""
    assert scene.matcher is not None
    shown = (scene.rows.published > 0).astype(np.int64)
    number = shown * np.arange(1, len(shown) + 1)
    fits, which = (scene.matcher.counts(codes, weights)[:, 0] for weights in (shown, number))
    people = np.bincount(which[fits == 1] - 1, minlength=len(shown)).astype(np.int64)
    if scene.rows.suppressed >= 0:
        people[scene.rows.suppressed] = int((fits == 0).sum())
    return people
