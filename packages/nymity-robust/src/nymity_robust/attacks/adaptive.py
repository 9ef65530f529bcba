"""Adaptive attacks: an attacker who knows that answers are noisy and that members vote, and acts on it.

Each hands another surface to a gradient attack (Carlini-Wagner unless told otherwise). What the thesis did not run, and
what an evaluation of such defences is worth nothing without (Athalye, Carlini & Wagner 2018; Tramèr et al. 2020).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import ClassVar

import torch
from torch import Tensor, nn

from nymity.core.validation import whole_number
from nymity_robust.attacks.attack import (
    AdversarialExamples,
    AttackTask,
    ClassifierAttack,
    GradientAttack,
    Surface,
)
from nymity_robust.attacks.carlini_wagner import CarliniWagner
from nymity_robust.attacks.single_network import ensemble_of
from nymity_robust.noise import replayable
from nymity_robust.noisy_logit import NoisyEnsemble, NoisyLogit
from nymity_robust.seeds import derive, generator


@dataclass(frozen=True, kw_only=True)
class _AdaptiveAttack(ClassifierAttack):
    """A gradient attack on a surface that suits the defence."""

    adaptive: ClassVar[bool] = True
    attack: GradientAttack = field(default_factory=CarliniWagner)

    @abstractmethod
    def surface(self, model: nn.Module, seed: int) -> Surface:
        """Return what is differentiated in place of the defence."""

    def examples(self, task: AttackTask) -> AdversarialExamples:
        """Run the gradient attack on the surface."""
        surface = self.surface(task.model, task.seed)
        with replayable(task.model, derive(task.seed, self.key)):
            return self.attack.examples(replace(task, model=surface))


@dataclass(frozen=True, kw_only=True)
class WholeEnsemble(_AdaptiveAttack):
    """Attacks all members at once, without noise: the mean of their losses, with logits divided by temperatures.

    The attacker has copies of the networks. Without the division, members with a large temperature would drown out
    the others. A member that is fooled no longer counts in Carlini & Wagner's loss, so the effort goes where votes are
    still to be won; an example holds when the vote does.
    """

    key: ClassVar[str] = "whole-ensemble"

    def surface(self, model: nn.Module, seed: int) -> Surface:
        """Return the genuine members' answers: (members, n, classes)."""
        ensemble = ensemble_of(model, self.key)
        genuine = ensemble.ensemble if isinstance(ensemble, NoisyEnsemble) else ensemble
        return genuine.normalized


@dataclass(frozen=True, kw_only=True)
class PartialKnowledge(_AdaptiveAttack):
    """Attacks as :class:`WholeEnsemble` but knows only ``known`` members, drawn at random."""

    key: ClassVar[str] = "partial-knowledge"
    known: int = 5

    def __post_init__(self) -> None:
        whole_number("PartialKnowledge.known", self.known, at_least=1)

    def surface(self, model: nn.Module, seed: int) -> Surface:
        """Return the answers of the genuine members that are known."""
        ensemble = ensemble_of(model, self.key)
        whole_number("PartialKnowledge.known", self.known, at_most=len(ensemble))
        source = generator(torch.device("cpu"), seed, self.key)
        chosen = torch.randperm(len(ensemble), generator=source)[: self.known].tolist()
        return WholeEnsemble().surface(ensemble.subset(sorted(chosen)), seed)


@dataclass(frozen=True, kw_only=True)
class ExpectationOverTransformation(_AdaptiveAttack):
    """Descends by the mean loss over ``draws`` of the noise, drawn anew at every step (Athalye et al. 2018)."""

    key: ClassVar[str] = "expectation-over-transformation"
    draws: int = 8

    def __post_init__(self) -> None:
        whole_number("ExpectationOverTransformation.draws", self.draws, at_least=1)

    def surface(self, model: nn.Module, seed: int) -> Surface:
        """Return the answers to all draws: (…, draws, n, classes)."""
        return repeated(_answering(model), self.draws)


@dataclass(frozen=True, kw_only=True)
class RepeatedQueries(_AdaptiveAttack):
    """Asks the same input ``queries`` times and takes the mean of the noisy logits for the genuine ones.

    The way around the noise that section 4.5 of the thesis names and leaves untested.
    """

    key: ClassVar[str] = "repeated-queries"
    queries: int = 8

    def __post_init__(self) -> None:
        whole_number("RepeatedQueries.queries", self.queries, at_least=1)

    def surface(self, model: nn.Module, seed: int) -> Surface:
        """Return the mean of the answers: (…, n, classes)."""
        asked = repeated(_answering(model), self.queries)
        return lambda images: asked(images).mean(-3)


@dataclass(frozen=True, kw_only=True)
class Resubmission(ClassifierAttack):
    """Submits the examples of another attack up to ``tries`` times, until one noisy draw answers as wished.

    A defence that answers at random is as strong as its worst draw, if nobody counts the queries.
    """

    key: ClassVar[str] = "resubmission"
    adaptive: ClassVar[bool] = True
    attack: ClassifierAttack = field(default_factory=WholeEnsemble)
    tries: int = 10

    def __post_init__(self) -> None:
        whole_number("Resubmission.tries", self.tries, at_least=1)

    @property
    def submissions(self) -> int:
        """Return ``tries``: the evaluation submits the examples so often."""
        return self.tries

    def examples(self, task: AttackTask) -> AdversarialExamples:
        """Make the examples as the other attack does."""
        return self.attack.examples(task)


def repeated(surface: Surface, count: int) -> Surface:
    """Ask a surface ``count`` times in one pass: (…, count, n, classes)."""

    def asked(images: Tensor) -> Tensor:
        return surface(images.repeat(count, 1, 1, 1)).unflatten(-2, (count, len(images)))

    return asked


def _answering(model: nn.Module) -> Surface:
    """Return the differentiable answer with its noise: of a vote, an ensemble, or a single noisy network."""
    if isinstance(model, NoisyLogit):
        return model
    return ensemble_of(model, "adaptive attack").normalized
