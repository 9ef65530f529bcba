"""Superimposition (section 4.3.3 of the thesis): the smallest perturbations of several members, added up.

The thesis does not define it. Here it is s + Σ (a_i − s) over the ``count`` examples a_i with the smallest L2
perturbation among those that fool their own member, clipped to [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import torch

from nymity.core.validation import whole_number
from nymity_robust.attacks.attack import AdversarialExamples, AttackTask, ClassifierAttack, GradientAttack
from nymity_robust.attacks.carlini_wagner import CarliniWagner
from nymity_robust.attacks.single_network import ensemble_of, for_members


@dataclass(frozen=True, kw_only=True)
class Superimposition(ClassifierAttack):
    """Adds the ``count`` smallest perturbations; 2 and 3 in the thesis."""

    key: ClassVar[str] = "superimposition"
    attack: GradientAttack = field(default_factory=CarliniWagner)
    count: int = 2

    def __post_init__(self) -> None:
        whole_number("Superimposition.count", self.count, at_least=1)

    def examples(self, task: AttackTask) -> AdversarialExamples:
        """Craft an example for every member, then add."""
        ensemble = ensemble_of(task.model, self.key)
        whole_number("Superimposition.count", self.count, at_most=len(ensemble))
        return self.combine(for_members(self.attack, replace(task, model=ensemble)))

    def combine(self, made: AdversarialExamples) -> AdversarialExamples:
        """Add up examples that were made for every member, in the order of :func:`craft_for_members`.

        ``success`` says whether every perturbation added fooled its own member.
        """
        smallest = self.smallest(made)
        wishes = smallest.indices.shape[1]
        row = torch.arange(wishes, device=smallest.indices.device)
        changes = (made.images - made.originals).unflatten(0, (-1, wishes))  # (members, n, …)
        originals = made.originals[:wishes]
        return AdversarialExamples(
            originals=originals,
            images=(originals + changes[smallest.indices, row].sum(0)).clamp(0, 1),
            criterion=made.criterion.take(slice(0, wishes)),
            success=smallest.values.isfinite().all(0),
            source=made.source[:wishes],
        )

    def smallest(self, made: AdversarialExamples) -> torch.return_types.topk:
        """Return the members with the smallest perturbations, (count, n), and their sizes, infinite if they failed."""
        assert made.member is not None
        members = int(made.member.max()) + 1
        size = made.distances().where(made.success, torch.inf).view(members, -1)  # (members, n)
        return size.topk(self.count, dim=0, largest=False)
