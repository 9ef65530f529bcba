"""Certificates: what no attack whatever can do, within a stated radius.

**Randomized smoothing.** Let p be the probability that a classifier answers A when noise is added to its input. If
p > 1/2, the smoothed classifier (the most probable answer) is A for every input nearer than

    σ Φ⁻¹(p)            in L2, for Normal(0, σ²)      (Cohen, Rosenfeld & Kolter 2019, theorem 1)
    −b ln(2 (1 − p))    in L1, for Laplace(0, b)      (Teng, Lee & Yuan 2020, theorem 1; Yang et al. 2020)

p is bounded from below by Clopper-Pearson on fresh draws, so a certificate is wrong with probability at most ``error``.
Where each of m members draws noise of its own, the classifier sees m inputs that move together: a change δ of the image
is one of length √m ‖δ‖₂, or m ‖δ‖₁. Such radii are divided by √m or m; one draw shared by all members is not.

The certificate is about the smoothed classifier, hence about the majority of many answers, not about one of them.

**Poisoned training data** (Levine & Feizi 2021). If members were trained on disjoint parts, one changed sample changes
one member. With votes n_c of the winner c, no ρ changed samples can make another label c' win, as long as
n_c − ρ ≥ n_c' + ρ + [c' < c]; the last term is how ties fall.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import Any

import torch
from torch import Tensor, nn

from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.validation import number, whole_number
from nymity_robust.ensemble import Ensemble
from nymity_robust.images import LabelledImages, check_images
from nymity_robust.noise import GaussianNoise, LaplaceNoise, Noise, replayable
from nymity_robust.noisy_logit import NoisyEnsemble, NoisyLogit
from nymity_robust.querying import BATCH, labels
from nymity_robust.rates import lower_bound
from nymity_robust.voting import EnsembleVoting


@dataclass(frozen=True, kw_only=True)
class Smoothing:
    """How p is estimated: ``selection`` draws to choose the answer, ``draws`` fresh ones to bound p."""

    selection: int = 100
    draws: int = 1000
    error: float = 0.001

    def __post_init__(self) -> None:
        whole_number("Smoothing.selection", self.selection, at_least=1)
        whole_number("Smoothing.draws", self.draws, at_least=1)
        number("Smoothing.error", self.error, above=0, at_most=0.5)


@dataclass(frozen=True, kw_only=True, eq=False)
class Certificates:
    """One per image: the certified answer (−1 where none could be certified), its radius, and the true label."""

    kind: str
    unit: str
    answers: Tensor
    radii: Tensor
    labels: Tensor
    facts: dict[str, Any]

    def accuracy_at(self, radius: float) -> float:
        """Return the share of images whose answer is right and certified at least this far."""
        return float(((self.answers == self.labels) & (self.radii >= radius)).double().mean())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, with the accuracy at eleven radii up to the largest."""
        top = float(self.radii.max())
        curve = [{"radius": top * i / 10, "accuracy": self.accuracy_at(top * i / 10)} for i in range(11)]
        abstained = float((self.answers < 0).double().mean())
        return {
            "certificate": self.kind,
            "unit": self.unit,
            "images": len(self.labels),
            "abstained": abstained,
            "curve": curve,
            **self.facts,
        }


def certify_smoothing(
    defence: nn.Module,
    data: LabelledImages,
    smoothing: Smoothing,
    *,
    seed: int = 0,
    batch: int = BATCH,
    observe: Observer = silent,
) -> Certificates:
    """Certify the smoothed form of a noisy defence: a :class:`NoisyLogit`, or a vote of a :class:`NoisyEnsemble`."""
    noise, divisor = _noise_of(defence)
    answered, radii = [], []
    with replayable(defence, seed):
        for done, image in enumerate(data.images.split(1), start=1):
            top = int(_counts(defence, image, smoothing.selection, data.classes, batch).argmax())
            hits = int(_counts(defence, image, smoothing.draws, data.classes, batch)[top])
            p = lower_bound(hits, smoothing.draws, error=smoothing.error)
            answered.append(top if p > 0.5 else -1)
            radii.append(smoothing_radius(noise, p) / divisor if p > 0.5 else 0.0)
            report(observe, Progress(stage="certifying", done=done, total=len(data)))
    return Certificates(
        kind="randomized smoothing",
        unit="L2" if isinstance(noise, GaussianNoise) else "L1",
        answers=torch.tensor(answered),
        radii=torch.tensor(radii, dtype=torch.float64),
        labels=data.labels.cpu(),
        facts={"draws": smoothing.draws, "error": smoothing.error, "noise": repr(noise), "radius_divisor": divisor},
    )


def smoothing_radius(noise: Noise, probability: float) -> float:
    """Return the radius within which an answer of at least this probability (above 1/2) stays the most probable."""
    number("probability", probability, above=0.5, at_most=1)
    if isinstance(noise, GaussianNoise):
        return noise.sigma * NormalDist().inv_cdf(probability) if probability < 1 else float("inf")
    if isinstance(noise, LaplaceNoise):
        return -noise.b * log(2 * (1 - probability)) if probability < 1 else float("inf")
    raise ParameterError("noise", expected="Gaussian or Laplace noise", got=type(noise).__name__)


def certify_partition(ensemble: Ensemble, data: LabelledImages, *, hashed: bool, batch: int = BATCH) -> Certificates:
    """Certify a vote of members that were trained on disjoint parts, each by a procedure of its own.

    With parts of equal size the radius counts samples that were *replaced*. With :func:`hashed_parts`, where a sample's
    part does not depend on the others, it counts samples *added or removed*.
    """
    check_images(data.images)
    voting = EnsembleVoting(ensemble)
    with torch.no_grad():
        votes = torch.cat([voting(part) for part in data.images.split(batch)]).cpu().long()
    answers, radii = partition_radii(votes)
    unit = "training samples added or removed" if hashed else "training samples replaced"
    return Certificates(
        kind="partition",
        unit=unit,
        answers=answers,
        radii=radii.double(),
        labels=data.labels.cpu(),
        facts={"members": len(ensemble)},
    )


def partition_radii(votes: Tensor) -> tuple[Tensor, Tensor]:
    """Return the winners of votes (n, classes) and how many members may change without changing them."""
    winners = votes.argmax(1)
    classes = torch.arange(votes.shape[1])
    lead = votes.gather(1, winners[:, None]) - votes - (classes < winners[:, None]).long()
    lead.scatter_(1, winners[:, None], torch.iinfo(torch.int64).max)
    return winners, lead.amin(1).div(2, rounding_mode="floor")


def _noise_of(defence: nn.Module) -> tuple[Noise, float]:
    """Return the noise of a defence and what its radii are divided by."""
    inner = defence.ensemble if isinstance(defence, EnsembleVoting) else defence
    if isinstance(inner, NoisyLogit):
        return inner.source.noise, 1.0
    if isinstance(inner, NoisyEnsemble) and isinstance(defence, EnsembleVoting):
        noise, members = inner.source.noise, len(inner)
        if inner.shared:
            return noise, 1.0
        return noise, sqrt(members) if isinstance(noise, GaussianNoise) else float(members)
    raise ParameterError("defence", expected="a noisy network or a vote of a noisy ensemble", got=type(inner).__name__)


def _counts(defence: nn.Module, image: Tensor, draws: int, classes: int, batch: int) -> Tensor:
    """Ask about one image many times and count the answers."""
    repeated = image.expand(draws, *image.shape[1:])
    return torch.bincount(labels(defence, repeated, batch=batch).cpu(), minlength=classes)
