"""The random single network attack (section 4.3.2 of the thesis): an example made for one member, tried on all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import torch
from torch import Tensor, nn

from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, silent
from nymity.core.validation import whole_number
from nymity_robust.attacks.attack import (
    AdversarialExamples,
    AttackTask,
    ClassifierAttack,
    GradientAttack,
    Surface,
)
from nymity_robust.attacks.carlini_wagner import CarliniWagner
from nymity_robust.criteria import Criterion
from nymity_robust.ensemble import Ensemble
from nymity_robust.noise import replayable
from nymity_robust.seeds import derive, generator


@dataclass(frozen=True, kw_only=True)
class SingleNetwork(ClassifierAttack):
    """Crafts an example for ``members`` randomly drawn networks per wish, or for every one (None, as the thesis did).

    The members are attacked as they answer: those of a noisy ensemble with their noise.
    """

    key: ClassVar[str] = "single-network"
    attack: GradientAttack = field(default_factory=CarliniWagner)
    members: int | None = None

    def __post_init__(self) -> None:
        if self.members is not None:
            whole_number("SingleNetwork.members", self.members, at_least=1)

    def examples(self, task: AttackTask) -> AdversarialExamples:
        """Craft the examples: all wishes for the first member drawn, then for the next."""
        ensemble, images, criterion = ensemble_of(task.model, self.key), task.images, task.criterion
        if self.members is None:
            return for_members(self.attack, replace(task, model=ensemble))
        whole_number("SingleNetwork.members", self.members, at_most=len(ensemble))
        source = generator(torch.device("cpu"), task.seed, self.key)
        chances = torch.rand((len(images), len(ensemble)), generator=source)
        chosen = chances.argsort(1)[:, : self.members]  # (n, members drawn)
        parts = []
        for member in chosen.unique().tolist():
            rows = (chosen == member).any(1).nonzero().flatten().to(images.device)
            of_member = replace(
                task,
                model=ensemble.subset([member]),
                images=images[rows],
                criterion=criterion.take(rows),
                seed=derive(task.seed, member),
            )
            made = for_members(self.attack, of_member)
            parts.append((made, rows, member))
        return _joined(parts, criterion, images)


def craft_for_members(
    attack: GradientAttack,
    ensemble: Ensemble,
    images: Tensor,
    criterion: Criterion,
    *,
    seed: int = 0,
    batch: int = 256,
    observe: Observer = silent,
) -> AdversarialExamples:
    """Make an example for each member and wish, every member attacked in the same pass; member by member in order."""
    return for_members(
        attack,
        AttackTask(model=ensemble, images=images, criterion=criterion, seed=seed, batch=batch, observe=observe),
    )


def for_members(attack: GradientAttack, task: AttackTask) -> AdversarialExamples:
    """Do as :func:`craft_for_members` for the members of the task's model."""
    ensemble, images, criterion = task.model, task.images, task.criterion
    members = len(ensemble)
    rows = torch.arange(len(images), device=images.device).repeat(members)
    order = torch.cat([torch.arange(members) * len(images) + image for image in range(len(images))]).to(images.device)
    wanted = criterion.take(rows[order])  # image by image, so that a batch holds whole images with all members
    with replayable(ensemble, derive(task.seed, "members")):
        made = attack.examples(
            replace(
                task,
                model=_members_side_by_side(ensemble),
                images=images[rows[order]],
                criterion=wanted,
                batch=max(1, task.batch // members) * members,
            )
        )
    back = order.argsort()
    return AdversarialExamples(
        originals=made.originals[back],
        images=made.images[back],
        criterion=criterion.take(rows),
        success=made.success[back],
        source=rows,
        member=torch.arange(members, device=images.device).repeat_interleave(len(images)),
    )


def ensemble_of(model: nn.Module, where: str) -> Ensemble:
    """Return the members behind a voting defence."""
    found = getattr(model, "ensemble", model)
    if isinstance(model, Ensemble):
        found = model
    if not isinstance(found, Ensemble):
        raise ParameterError(where, expected="an ensemble or a vote of one", got=type(model).__name__)
    return found


def _members_side_by_side(ensemble: Ensemble) -> Surface:
    """Answer rows (image, member), image by image, each by its own member with logits divided by T."""
    members = len(ensemble)

    def surface(images: Tensor) -> Tensor:
        by_member = images.unflatten(0, (-1, members)).transpose(0, 1)  # (members, n, …)
        return ensemble.normalized(by_member).transpose(0, 1).flatten(0, 1)

    return surface


def _joined(
    parts: list[tuple[AdversarialExamples, Tensor, int]], criterion: Criterion, images: Tensor
) -> AdversarialExamples:
    source = torch.cat([rows for _, rows, _ in parts])
    return AdversarialExamples(
        originals=images[source],
        images=torch.cat([made.images for made, _, _ in parts]),
        criterion=criterion.take(source),
        success=torch.cat([made.success for made, _, _ in parts]),
        source=source,
        member=torch.cat([torch.full_like(rows, member) for _, rows, member in parts]),
    )
