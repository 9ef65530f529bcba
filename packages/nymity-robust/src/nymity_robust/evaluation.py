"""Evaluation: what a defence is worth against attacks, with intervals and with everything needed to repeat it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from nymity.core.progress import Observer, silent
from nymity.core.validation import one_of
from nymity_robust.attacks.attack import AdversarialExamples, ClassifierAttack
from nymity_robust.criteria import Criterion, Misclassified, Targeted, every_target
from nymity_robust.device import describe_device
from nymity_robust.distances import RelativePerturbation
from nymity_robust.ensemble import Ensemble
from nymity_robust.images import LabelledImages
from nymity_robust.noise import replayable
from nymity_robust.querying import BATCH, answers, labels
from nymity_robust.rates import MeasuredRate, measured_rate
from nymity_robust.seeds import derive

#: Bins of perturbation in a curve, as in the thesis.
BINS = 40

#: Examples kept for the grid of images.
SHOWN = 9


@dataclass(frozen=True, kw_only=True)
class Bin:
    """Examples whose relative perturbation lies around ``middle``: how they were answered.

    ``members_to_target`` and ``members_to_other`` are mean numbers of members that left their answer to the clean image
    (equations 4.3.2 and 4.3.3).
    """

    middle: float
    n: int
    correct: float
    target: float
    other: float
    members_to_target: float | None
    members_to_other: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackOutcome:
    """How a defence answered the examples of one attack.

    ``crafted`` is the share that succeeded on the surface they were made for; ``perturbation`` the mean relative
    perturbation by outcome (equation 4.3.1), None where there is no such example. ``attacked_member`` is what the
    members answer to the examples made for them alone.
    """

    name: str
    attack: dict[str, Any]
    adaptive: bool
    submissions: int
    crafted: MeasuredRate
    correct: MeasuredRate
    target: MeasuredRate
    other: MeasuredRate
    perturbation: dict[str, float | None]
    mean_l2: float
    member_accuracy: float | None
    attacked_member: dict[str, MeasuredRate] | None
    curve: tuple[Bin, ...]
    seconds: float
    shown: tuple[Tensor, Tensor, Tensor]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, without images."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "shown"}
        shares = {name: getattr(self, name).to_dict() for name in ("crafted", "correct", "target", "other")}
        own = self.attacked_member
        attacked = None if own is None else {kind: one.to_dict() for kind, one in own.items()}
        return values | shares | {"attacked_member": attacked, "curve": [vars(one) for one in self.curve if one.n]}


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation:
    """Everything found about one defence."""

    defence: str
    data: str
    remark: str
    clean: MeasuredRate
    clean_member_accuracy: float | None
    outcomes: tuple[AttackOutcome, ...]
    seed: int
    device: str
    torch_version: str
    seconds: float

    @property
    def heading(self) -> str:
        """Return what the figures rest on."""
        if any(outcome.adaptive for outcome in self.outcomes):
            return "transfer and adaptive attacks"
        return "transfer attacks only" if self.outcomes else "no attack"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        outcomes = [outcome.to_dict() for outcome in self.outcomes]
        return {"heading": self.heading} | values | {"clean": self.clean.to_dict(), "outcomes": outcomes}


def evaluate(
    defence: nn.Module,
    attacks: Mapping[str, ClassifierAttack],
    data: LabelledImages,
    *,
    name: str = "defence",
    wishes: str = "every-target",
    seed: int = 0,
    batch: int = 256,
    observe: Observer = silent,
) -> Evaluation:
    """Attack a defence with every attack and count its answers.

    ``wishes``: every image with ``every-target``, with the label after its own as target (``next-label``), or any wrong
    label (``untargeted``).
    """
    begun, outcomes = time.perf_counter(), []
    index, criterion = wishes_of(data, wishes)
    for title, attack in attacks.items():
        start = time.perf_counter()
        made = attack.run(
            defence, data.images[index], criterion, seed=derive(seed, title), batch=batch, observe=observe
        )
        outcome = judge(title, attack, defence, made, image=index, seed=seed, seconds=time.perf_counter() - start)
        outcomes.append(outcome)
    clean, members = clean_accuracy(defence, data, seed=seed)
    return Evaluation(
        defence=name,
        data=data.name,
        remark=data.remark,
        clean=clean,
        clean_member_accuracy=members,
        outcomes=tuple(outcomes),
        seed=seed,
        device=describe_device(data.images.device),
        torch_version=torch.__version__,
        seconds=time.perf_counter() - begun,
    )


def wishes_of(data: LabelledImages, wishes: str) -> tuple[Tensor, Criterion]:
    """Return which images are attacked and what is wished for each."""
    one_of("wishes", wishes, ("every-target", "next-label", "untargeted"))
    if wishes == "every-target":
        return every_target(data.labels, data.classes)
    index = torch.arange(len(data), device=data.labels.device)
    if wishes == "untargeted":
        return index, Misclassified(labels=data.labels)
    return index, Targeted(labels=data.labels, targets=(data.labels + 1).remainder(data.classes))


def judge(
    name: str,
    attack: ClassifierAttack,
    defence: nn.Module,
    made: AdversarialExamples,
    *,
    image: Tensor,
    seed: int,
    seconds: float,
) -> AttackOutcome:
    """Submit examples to a defence, with fresh noise, and count what it answers.

    ``image`` numbers the image behind each wish, for intervals: examples of one image are not independent.
    """
    with replayable(defence, derive(seed, "judge", name)):
        answered = _submit(defence, made, attack.submissions)
        before, after = _member_labels(defence, made.originals), _member_labels(defence, made.images)
    truth, home = made.criterion.labels, image[made.source]
    kinds = _kinds(made.criterion, answered)
    size = RelativePerturbation()(made.images, made.originals)
    return AttackOutcome(
        name=name,
        attack=attack.describe(),
        adaptive=attack.adaptive,
        submissions=attack.submissions,
        crafted=measured_rate(made.success, home),
        **{kind: measured_rate(chosen, home) for kind, chosen in kinds.items()},
        perturbation={kind: _mean(size[chosen]) for kind, chosen in kinds.items()},
        mean_l2=float(made.distances().mean()),
        member_accuracy=None if after is None else float((after == truth).double().mean()),
        attacked_member=_attacked_member(made, after, home),
        curve=_curve(size, kinds, made.criterion, before, after),
        seconds=seconds,
        shown=(made.originals[:SHOWN].cpu(), made.images[:SHOWN].cpu(), answered[:SHOWN].cpu()),
    )


def clean_accuracy(defence: nn.Module, data: LabelledImages, *, seed: int) -> tuple[MeasuredRate, float | None]:
    """Return the accuracy on clean images, and that of a single member on average."""
    with replayable(defence, derive(seed, "clean")):
        right = labels(defence, data.images) == data.labels
        members = _member_labels(defence, data.images)
    return measured_rate(right), None if members is None else float((members == data.labels).double().mean())


def _submit(defence: nn.Module, made: AdversarialExamples, submissions: int) -> Tensor:
    """Return the first answer as wished, or the last one."""
    answered = labels(defence, made.images)
    for _ in range(submissions - 1):
        again = labels(defence, made.images)
        answered = torch.where(made.criterion.reached(answered), answered, again)
    return answered


def _member_labels(defence: nn.Module, images: Tensor) -> Tensor | None:
    """Return what each member answers, (members, n), or None where there are no members."""
    ensemble = getattr(defence, "ensemble", None)
    if not isinstance(ensemble, Ensemble):
        return None
    return answers(ensemble, images, batch=BATCH, axis=1).argmax(-1)


def _kinds(criterion: Criterion, answered: Tensor) -> dict[str, Tensor]:
    """Return which answers are correct, which are the target, and which are neither."""
    correct, reached = answered == criterion.labels, criterion.reached(answered)
    if not isinstance(criterion, Targeted):  # every wrong label is as good as another
        reached = torch.zeros_like(correct)
    return {"correct": correct, "target": reached, "other": ~correct & ~reached}


def _attacked_member(made: AdversarialExamples, after: Tensor | None, home: Tensor) -> dict[str, MeasuredRate] | None:
    if made.member is None or after is None:
        return None
    own = after.gather(0, made.member.unsqueeze(0)).squeeze(0)
    return {kind: measured_rate(chosen, home) for kind, chosen in _kinds(made.criterion, own).items()}


def _curve(
    size: Tensor, kinds: dict[str, Tensor], criterion: Criterion, before: Tensor | None, after: Tensor | None
) -> tuple[Bin, ...]:
    """Divide the range of perturbations into equal bins."""
    finite = size.isfinite()
    top = float(size[finite].max()) if finite.any() else 0.0
    place = (size / (top or 1.0) * BINS).clamp(0, BINS - 1).long()
    bins = []
    for number in range(BINS):
        inside = (place == number) & finite
        shares = {kind: _mean(chosen[inside].double()) or 0.0 for kind, chosen in kinds.items()}
        to_target = to_other = None
        if before is not None and after is not None and inside.any():
            changed = (after != before)[:, inside]
            wished = _reached(criterion, after)[:, inside]
            to_target = float((changed & wished).sum(0).double().mean())
            to_other = float((changed & ~wished).sum(0).double().mean())
        middle, n = (number + 0.5) * top / BINS, int(inside.sum())
        bins.append(Bin(middle=middle, n=n, **shares, members_to_target=to_target, members_to_other=to_other))
    return tuple(bins)


def _reached(criterion: Criterion, answered: Tensor) -> Tensor:
    return torch.stack([criterion.reached(one) for one in answered])


def _mean(values: Tensor) -> float | None:
    return float(values.double().mean()) if len(values) else None
