"""Masking: does the defence withstand attacks, or does it only hide the gradients they follow?

Six checks, after Athalye, Carlini & Wagner (2018, section 3.1) and Carlini et al. (2019, section 3.3). What counts as a
sign of masking is fixed here, in shares of right answers over all images and fresh draws of the noise:

``surface``
    A small step along the gradient lowers the margin by more than one of the same size along a random direction, on at
    least nine images in ten.
``unbounded``
    With no bound but the box, PGD leaves at most 1% right.
``transfer``
    Examples made without noise, for all members or for a random half of them, leave at most 5 points fewer right than
    those made against the noise.
``black-box``
    The square attack, which uses no gradient, leaves at most 5 points fewer right than the strongest gradient attack.
``draws``
    Averaging over four times as many draws leaves at most 5 points fewer right.
``steps``
    Four times as many steps leave at most 5 points fewer right.

One radius of each norm is looked at, the middle one: where nearly all or nothing is right, nothing can be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any

import torch
from torch import Tensor

from nymity_robust.attacks import ClassifierAttack, PartialKnowledge, WholeEnsemble
from nymity_robust.attacks.adaptive import ExpectationOverTransformation
from nymity_robust.attacks.attack import averaged, cross_entropy, gradient
from nymity_robust.attacks.ball import length
from nymity_robust.criteria import Misclassified
from nymity_robust.images import LabelledImages
from nymity_robust.noise import replayable
from nymity_robust.review.bounded import BoundedAttack
from nymity_robust.review.scrutiny import Scrutiny
from nymity_robust.review.standing import Standing
from nymity_robust.seeds import derive, generator
from nymity_robust.voting import EnsembleVoting

#: A check's answers.
MASKED, NO_SIGN, NOT_RUN = "masked", "no sign of masking", "not run"

#: More right answers than this, as a share, are a difference that counts.
MUCH = Fraction(5, 100)

#: What an attack that may make any image of any other may leave right.
UNBOUNDED = Fraction(1, 100)

#: The share of images on which the gradient must lead farther down than a random direction.
ASCENT = Fraction(9, 10)


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One run that a check compares: the ``name`` of its piece, what makes it, and what it stands for."""

    name: str
    attack: ClassifierAttack
    draws: int
    stands_for: str
    sort: str
    cost: int


@dataclass(frozen=True, kw_only=True)
class Check:
    """``base`` leaves at most ``much`` more right answers than any of the ``others``; without one, ``much`` at all."""

    check: str
    norm: str
    radius: float
    attack: str
    base: tuple[Probe, ...]
    others: tuple[Probe, ...]
    decisive: tuple[str, ...]
    much: Fraction = MUCH

    def probes(self) -> tuple[Probe, ...]:
        """Return all runs, those that decide first."""
        rest = tuple(probe for probe in self.others if probe.name not in self.decisive)
        return (*self.base, *(probe for probe in self.others if probe.name in self.decisive), *rest)

    def judge(self, pieces: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """Return the verdict, and what each run left right."""
        found = [
            {"of": probe.stands_for, **Standing.of([pieces[probe.name]["made"]]).summary()["right"]}
            for probe in sorted(self.probes(), key=_order)
            if probe.name in pieces
        ]
        return {
            "check": self.check,
            "norm": self.norm,
            "radius": self.radius,
            "attack": self.attack,
            "verdict": self._verdict(pieces),
            "limit": float(self.much),
            "runs": found,
            "of_runs": len(self.probes()),
        }

    def _verdict(self, pieces: dict[str, dict[str, Any]]) -> str:
        base = [_right(pieces, probe.name) for probe in self.base if probe.name in pieces]
        others = [_right(pieces, name) for name in self.decisive if name in pieces]
        if len(base) < len(self.base) or len(others) < len(self.decisive):
            return NOT_RUN
        least = min(others, default=Fraction(0))
        return MASKED if min(base) - least > self.much else NO_SIGN


def checks(scrutiny: Scrutiny, members: int, pixels: int) -> Iterator[Check]:
    """Return every check but that of the surface, in the order of what they tell for their time."""
    for norm in ("linf", "l2"):
        yield _unbounded(scrutiny, norm, pixels)
        yield _transfer(scrutiny, norm, members)
        if norm == "linf":
            yield _black_box(scrutiny)
        yield _draws(scrutiny, norm)
        for kind in ("pgd", "apgd"):
            yield _steps(scrutiny, kind, norm)


def _unbounded(scrutiny: Scrutiny, norm: str, pixels: int) -> Check:
    radius = 1.0 if norm == "linf" else sqrt(pixels)
    attack = BoundedAttack.of(scrutiny, "pgd", norm, radius)
    probe = _probe(f"masking-unbounded-{norm}", attack, "the whole box")
    return Check(
        check="unbounded", norm=norm, radius=radius, attack="pgd", base=(probe,), others=(), decisive=(), much=UNBOUNDED
    )


def _transfer(scrutiny: Scrutiny, norm: str, members: int) -> Check:
    attack = BoundedAttack.of(scrutiny, "pgd", norm, scrutiny.middle(norm))
    half = max(1, members // 2)
    without = replace(attack, draws=1)
    others = (
        replace(
            _probe(f"masking-transfer-whole-{attack.place}", without, "made without noise"),
            attack=WholeEnsemble(attack=attack.alone()),
        ),
        replace(
            _probe(
                f"masking-transfer-half-{attack.place}", without, f"made without noise for {half} of {members} members"
            ),
            attack=PartialKnowledge(attack=attack.alone(), known=half),
        ),
    )
    return _check("transfer", attack, (_as_bounded(attack),), others, tuple(probe.name for probe in others))


def _black_box(scrutiny: Scrutiny) -> Check:
    radius = scrutiny.middle("linf")
    gradients = [BoundedAttack.of(scrutiny, kind, "linf", radius) for kind in ("pgd", "apgd")]
    square = _as_bounded(BoundedAttack.of(scrutiny, "square", "linf", radius))
    return _check("black-box", gradients[0], tuple(map(_as_bounded, gradients)), (square,), (square.name,))


def _draws(scrutiny: Scrutiny, norm: str) -> Check:
    attack = BoundedAttack.of(scrutiny, "pgd", norm, scrutiny.middle(norm))
    others = tuple(
        _probe(f"masking-draws-{draws}-{attack.place}", replace(attack, draws=draws), _counted(draws, "draw"))
        for draws in scrutiny.masking_draws
    )
    most = f"masking-draws-{max(scrutiny.masking_draws)}-{attack.place}"
    return _check("draws", attack, (_as_bounded(attack, _counted(attack.draws, "draw")),), others, (most,))


def _steps(scrutiny: Scrutiny, kind: str, norm: str) -> Check:
    attack = BoundedAttack.of(scrutiny, kind, norm, scrutiny.middle(norm))
    others = tuple(
        _probe(f"masking-steps-{kind}-{steps}-{attack.place}", replace(attack, steps=steps), _counted(steps, "step"))
        for steps in scrutiny.masking_steps
    )
    most = f"masking-steps-{kind}-{max(scrutiny.masking_steps)}-{attack.place}"
    return _check("steps", attack, (_as_bounded(attack, _counted(attack.steps, "step")),), others, (most,))


def _check(
    check: str, attack: BoundedAttack, base: tuple[Probe, ...], others: tuple[Probe, ...], decisive: tuple[str, ...]
) -> Check:
    return Check(
        check=check,
        norm=attack.norm,
        radius=attack.radius,
        attack=attack.kind,
        base=base,
        others=others,
        decisive=decisive,
    )


def _probe(name: str, attack: BoundedAttack, stands_for: str) -> Probe:
    return Probe(
        name=name,
        attack=attack.averaged(),
        draws=attack.draws,
        stands_for=stands_for,
        sort=attack.sort,
        cost=attack.cost,
    )


def _as_bounded(attack: BoundedAttack, stands_for: str | None = None) -> Probe:
    """Return the piece that the part ``bounded`` makes too: whoever comes first makes it."""
    return _probe(f"bounded-{attack.kind}-{attack.place}", attack, stands_for or attack.kind)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _right(pieces: dict[str, dict[str, Any]], name: str) -> Fraction:
    made = pieces[name]["made"]
    return Fraction(sum(made["right"]), made["draws"] * len(made["right"]))


def _order(probe: Probe) -> tuple[int, str]:
    """Order runs by the number they stand for, if they do."""
    number = probe.stands_for.split()[0]
    return (int(number), "") if number.isdigit() else (0, probe.stands_for)


# -- the surface ---------------------------------------------------------------------------------------------


def surface(
    scrutiny: Scrutiny, defence: EnsembleVoting, data: LabelledImages, *, batch: int, seed: int
) -> dict[str, Any]:
    """Measure the margin on a grid around each image: along the gradient of the cross entropy, and a random direction.

    The same draws of noise are asked at every point, so that points differ by where they lie alone. Both directions
    have length 1; the grid reaches the middle L2 radius. The means over all images are kept, and how often the gradient
    led farther down than the random direction, forwards or backwards: at the first point of the grid, and at the last.
    """
    reach, steps = scrutiny.middle("l2"), scrutiny.grid
    offsets = [reach * place / steps for place in range(-steps, steps + 1)]
    size = max(1, batch // (len(defence.ensemble) * scrutiny.pgd_draws))
    parts = [
        _margins(scrutiny, defence, data.take(slice(first, first + size)), offsets, seed=derive(seed, first))
        for first in range(0, len(data), size)
    ]
    margins = torch.cat(parts, dim=2)  # (along the gradient, along the random direction, images)
    start, leads = margins[steps, steps], {}
    for name, away in (("first", 1), ("last", steps)):
        down = start - margins[steps + away, steps]
        aside = start - torch.minimum(margins[steps, steps + away], margins[steps, steps - away])
        leads[name] = int((down > aside).sum())
    return {
        "offsets": offsets,
        "margin": [[round(float(value), 5) for value in row] for row in margins.double().mean(2)],
        "images": len(data),
        "gradient_leads": leads,
        "limit": float(ASCENT),
        "verdict": MASKED if leads["first"] < ASCENT * len(data) else NO_SIGN,
    }


def _margins(
    scrutiny: Scrutiny, defence: EnsembleVoting, data: LabelledImages, offsets: list[float], *, seed: int
) -> Tensor:
    """Return the margins of a batch of images at every point of the grid."""
    wish = Misclassified(labels=data.labels)
    asked = ExpectationOverTransformation(draws=scrutiny.pgd_draws).surface(defence, 0)
    with replayable(defence, seed):
        slope = gradient(asked, data.images, cross_entropy(wish))
    down = -slope / length(slope)
    random = torch.randn(down.shape, generator=generator(down.device, seed, "direction"), device=down.device)
    random = random / length(random)

    def at(along: float, aside: float) -> Tensor:
        point = (data.images + along * down + aside * random).clamp(0, 1)
        with replayable(defence, seed), torch.no_grad():
            return averaged(wish.margin(asked(point))).cpu()

    return torch.stack([torch.stack([at(along, aside) for aside in offsets]) for along in offsets])
