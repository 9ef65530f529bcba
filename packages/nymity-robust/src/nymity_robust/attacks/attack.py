"""ClassifierAttack: a frozen configuration with ``run``, and the examples it answers with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, Progress, report, silent
from nymity_robust.criteria import Criterion
from nymity_robust.distances import L2, Norm
from nymity_robust.images import check_images
from nymity_robust.noise import replayable
from nymity_robust.seeds import derive, generator

#: What a gradient attack differentiates: images (n, …) to logits (…, n, classes), leading axes members or draws.
Surface = Callable[[Tensor], Tensor]


@dataclass(frozen=True, kw_only=True, eq=False)
class AdversarialExamples:
    """One example per wish.

    ``success`` says whether it was granted when the attacked surface was asked once more (but for
    :class:`~nymity_robust.attacks.carlini_wagner.CarliniWagnerAsPublished`); where it was not, ``images`` holds the
    attempt that came closest. ``source`` is the place of each example's image among those given
    to ``run``, ``member`` the network it was made for, where there is one.
    """

    originals: Tensor
    images: Tensor
    criterion: Criterion
    success: Tensor
    source: Tensor
    member: Tensor | None = None

    def __len__(self) -> int:
        return len(self.images)

    def distances(self, norm: Norm = L2) -> Tensor:
        """Return the size of each perturbation."""
        return norm(self.images, self.originals)

    def take(self, index: Tensor) -> AdversarialExamples:
        """Return some of the examples."""
        return AdversarialExamples(
            originals=self.originals[index],
            images=self.images[index],
            criterion=self.criterion.take(index),
            success=self.success[index],
            source=self.source[index],
            member=None if self.member is None else self.member[index],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackTask:
    """What an attack is run on: a model (or a surface), images in [0, 1], and a wish for each of them.

    ``batch`` bounds how many images are in work at a time. All draws follow from ``seed``.
    """

    model: Any
    images: Tensor
    criterion: Criterion
    seed: int
    batch: int
    observe: Observer


@dataclass(frozen=True, kw_only=True)
class ClassifierAttack(ABC):
    """Parameters of an attack.

    ``adaptive`` attacks know the defence and go against it; without one of them an evaluation says little.
    ``submissions`` is how often each example may be submitted: one answer as wished is enough.
    """

    key: ClassVar[str]
    adaptive: ClassVar[bool] = False

    @property
    def submissions(self) -> int:
        """How often an example is submitted to the defence."""
        return 1

    def run(
        self,
        model: nn.Module | Surface,
        images: Tensor,
        criterion: Criterion,
        *,
        seed: int = 0,
        batch: int = 256,
        observe: Observer = silent,
    ) -> AdversarialExamples:
        """Attack a model with images in [0, 1]; ``batch`` bounds how many are in work at a time."""
        return self.examples(
            AttackTask(model=model, images=images, criterion=criterion, seed=seed, batch=batch, observe=observe)
        )

    @abstractmethod
    def examples(self, task: AttackTask) -> AdversarialExamples:
        """Return an example for each wish of a task."""

    def describe(self) -> dict[str, Any]:
        """Return the parameters as plain values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        described = {
            name: value.describe() if isinstance(value, ClassifierAttack) else value for name, value in values.items()
        }
        return {"key": self.key, **described}


@dataclass(frozen=True, kw_only=True)
class GradientAttack(ClassifierAttack):
    """An attack that follows the gradient of one surface, every image on its own.

    Random numbers are drawn for all images before they are divided into batches, so an example does not depend on the
    size of a batch (beyond the last digits of floating-point sums, and a noisy surface's draws).
    """

    @abstractmethod
    def perturb(self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None) -> Tensor:
        """Return an example for each image of a batch."""

    def attempt(
        self, surface: Surface, images: Tensor, criterion: Criterion, start: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return an example for each image of a batch, and which ones hold when the surface is asked once more."""
        found = self.perturb(surface, images, criterion, start).detach()
        with torch.no_grad():
            return found, criterion.holds(surface(found))

    def start(self, images: Tensor, source: torch.Generator) -> Tensor | None:
        """Draw what each image starts with, if the attack starts at random."""
        return None

    def examples(self, task: AttackTask) -> AdversarialExamples:
        """Attack what the model lets an attacker differentiate: its ``surrogate`` if it has one, or itself."""
        surface: Surface = getattr(task.model, "surrogate", task.model)
        images, criterion, batch = task.images, task.criterion, task.batch
        check_images(images)
        if len(criterion) != len(images):
            raise ParameterError(
                "criterion", expected=f"a wish for each of {len(images)} images", got=str(len(criterion))
            )
        starts = self.start(images, generator(images.device, task.seed, self.key, "start"))
        made, granted = [], []
        with replayable(task.model, derive(task.seed, self.key)):
            for first in range(0, len(images), batch):
                part = slice(first, first + batch)
                wishes = criterion.take(part)
                begin = None if starts is None else starts[part]
                found, held = self.attempt(surface, images[part], wishes, begin)
                made.append(found)
                granted.append(held)
                done = min(first + batch, len(images))
                report(task.observe, Progress(stage=f"attacking by {self.key}", done=done, total=len(images)))
        return AdversarialExamples(
            originals=images,
            images=torch.cat(made),
            criterion=criterion,
            success=torch.cat(granted),
            source=torch.arange(len(images), device=images.device),
        )


def gradient(surface: Surface, images: Tensor, loss: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the gradient of each image's own loss, a function of logits, averaged over members and draws."""
    return look(surface, images, loss).slope


@dataclass(frozen=True, kw_only=True, eq=False)
class Look:
    """One pass over a batch: the answers, each image's loss, and its slope."""

    logits: Tensor
    loss: Tensor
    slope: Tensor


def look(surface: Surface, images: Tensor, loss: Callable[[Tensor], Tensor]) -> Look:
    """Ask once, and differentiate each image's own loss, averaged over members and draws."""
    images = images.detach().requires_grad_()
    logits = surface(images)
    values = averaged(loss(logits))
    (slope,) = torch.autograd.grad(values.sum(), images)
    return Look(logits=logits.detach(), loss=values.detach(), slope=slope)


def averaged(values: Tensor) -> Tensor:
    """Average (…, n) over everything but the last axis."""
    return values.reshape(-1, values.shape[-1]).mean(0)


def cross_entropy(criterion: Criterion) -> Callable[[Tensor], Tensor]:
    """Return the loss that an attack lowers: the targets' cross entropy, or minus that of the labels."""
    labels, sign = criterion.goal()

    def loss(logits: Tensor) -> Tensor:
        index = labels.expand(logits.shape[:-1]).unsqueeze(-1)
        return -sign * logits.log_softmax(-1).gather(-1, index).squeeze(-1)

    return loss
