"""Training: the members of an ensemble, each at its temperature and on its part of the data (table 4.2).

Every random choice of a member (first weights, order of the samples, dropout) follows from the seed, the member's
number and the epoch. So members do not depend on each other, and a run that was interrupted continues as if it had
not been: on a CPU, bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.validation import number, one_of, whole_number
from nymity_robust.architectures import Architecture
from nymity_robust.checkpoints import Checkpoint, fingerprint
from nymity_robust.ensemble import StackedEnsemble
from nymity_robust.images import LabelledImages, check_images
from nymity_robust.seeds import generator


@dataclass(frozen=True, kw_only=True)
class Training:
    """Stochastic gradient descent as in table 4.2: learning rate / (1 + decay · step), momentum, dropout, batches.

    A member's gradient longer than ``clip`` is shortened to it (Pascanu, Mikolov & Bengio 2013); None leaves it. With
    momentum, a few long steps in a row leave every unit of a layer at zero, from where no gradient leads back: without
    clipping 2 of 30 small members end so at a learning rate of 0.02 and 20 of 30 at 0.05, with it none.

    ``start`` says how first weights are drawn (:meth:`~nymity_robust.architectures.Architecture.initial`). The thesis
    states neither that nor a clip; ``glorot`` without one is what the usual library of its year does by default.

    ``at_once`` members are trained in one pass: None takes all of them on a GPU and one on a CPU.
    """

    epochs: int = 3000
    learning_rate: float = 0.01
    decay: float = 1e-6
    momentum: float = 0.9
    dropout: float = 0.5
    batch: int = 128
    seed: int = 0
    start: Literal["he", "glorot"] = "he"
    scaled_start: bool = True
    clip: float | None = 1.0
    at_once: int | None = None

    def __post_init__(self) -> None:
        whole_number("Training.epochs", self.epochs, at_least=1)
        number("Training.learning_rate", self.learning_rate, above=0)
        number("Training.decay", self.decay, at_least=0)
        number("Training.momentum", self.momentum, at_least=0, at_most=1)
        number("Training.dropout", self.dropout, at_least=0, at_most=0.99)
        whole_number("Training.batch", self.batch, at_least=1)
        whole_number("Training.seed", self.seed, at_least=0)
        one_of("Training.start", self.start, ("he", "glorot"))
        if self.clip is not None:
            number("Training.clip", self.clip, above=0)
        if self.at_once is not None:
            whole_number("Training.at_once", self.at_once, at_least=1)


def train(
    architecture: Architecture,
    data: LabelledImages,
    parts: Sequence[Tensor],
    temperatures: Sequence[float],
    training: Training,
    *,
    targets: Tensor | None = None,
    folder: Path | None = None,
    every: int = 100,
    observe: Observer = silent,
) -> StackedEnsemble:
    """Train one member per part and temperature, where the data lie (CPU or GPU).

    ``parts`` are indices into the data: :func:`~nymity_robust.partition.disjoint_parts` or ``shared_parts``.
    ``targets`` (n, classes) are probabilities to learn in place of labels, for distillation. With a ``folder`` the
    state is kept there every ``every`` epochs, and an interrupted run continues from it.
    """
    _check(architecture, data, parts, temperatures)
    goals = F.one_hot(data.labels, architecture.classes).float() if targets is None else targets
    told = _Told(observe, total=len(parts) * training.epochs)
    trained: list[dict[str, Tensor]] = []
    for members in _groups(parts, training.at_once or (len(parts) if data.images.is_cuda else 1)):
        group = _Group(
            architecture,
            data.images,
            goals,
            index=torch.stack([parts[member] for member in members]).to(data.images.device),
            members=members,
            temperatures=torch.tensor([temperatures[member] for member in members], device=data.images.device),
            training=training,
        )
        trained.append(group.run(None if folder is None else folder / f"member-{members[0]}.pt", every, told))
    weights = {name: torch.cat([group[name] for group in trained]) for name in trained[0]}
    return StackedEnsemble(architecture, weights, torch.tensor(temperatures, device=data.images.device))


class _Group:
    """Members that are trained in one pass."""

    def __init__(
        self,
        architecture: Architecture,
        images: Tensor,
        goals: Tensor,
        *,
        index: Tensor,
        members: list[int],
        temperatures: Tensor,
        training: Training,
    ) -> None:
        self.architecture, self.images, self.goals, self.index = architecture, images, goals, index
        self.members, self.temperatures, self.training = members, temperatures, training
        scales = temperatures if training.scaled_start else torch.ones_like(temperatures)
        drawn = architecture.initial([self._source(member, "weights") for member in members], scales, training.start)
        self.weights = {name: weight.requires_grad_() for name, weight in drawn.items()}
        self.optimizer = torch.optim.SGD(
            list(self.weights.values()), lr=training.learning_rate, momentum=training.momentum
        )

    def run(self, path: Path | None, every: int, told: _Told) -> dict[str, Tensor]:
        """Train to the last epoch, from the checkpoint if there is one."""
        kept = None if path is None else Checkpoint(path=path, identity=self._identity())
        first = 0 if kept is None else self._resume(kept)
        told.advance(first * len(self.members))
        for epoch in range(first, self.training.epochs):
            self._epoch(epoch)
            if kept is not None and ((epoch + 1) % every == 0 or epoch + 1 == self.training.epochs):
                kept.save({"epoch": epoch + 1, "weights": self.weights, "optimizer": self.optimizer.state_dict()})
            told.advance(len(self.members))
        return {name: weight.detach() for name, weight in self.weights.items()}

    def _epoch(self, epoch: int) -> None:
        training, samples = self.training, self.index.shape[1]
        sources = [self._source(member, "epoch", epoch) for member in self.members]
        device, hidden = self.images.device, self.architecture.hidden
        order = torch.stack([torch.randperm(samples, generator=source, device=device) for source in sources])
        chances = [torch.rand((samples, hidden), generator=source, device=device) for source in sources]
        keep = (torch.stack(chances) >= training.dropout).float() / (1 - training.dropout)
        shuffled = self.index.gather(1, order)
        for batch, first in enumerate(range(0, samples, training.batch)):
            step = epoch * -(-samples // training.batch) + batch
            for settings in self.optimizer.param_groups:
                settings["lr"] = training.learning_rate / (1 + training.decay * step)
            chosen = shuffled[:, first : first + training.batch]  # (members, batch)
            self._step(self.images[chosen], self.goals[chosen], keep[:, first : first + training.batch])

    def _step(self, images: Tensor, goals: Tensor, keep: Tensor) -> None:
        """Descend by the cross entropy of softmax(z / T): the mean over a batch, summed over members."""
        self.optimizer.zero_grad()
        logits = self.architecture.logits(self.weights, images, keep) / self.temperatures.view(-1, 1, 1)
        loss = -(goals * logits.log_softmax(-1)).sum(-1).mean(1).sum()
        loss.backward()
        if self.training.clip is not None:
            self._shorten(self.training.clip)
        self.optimizer.step()

    def _shorten(self, clip: float) -> None:
        """Shorten the gradient of each member on its own, so that members stay independent of each other."""
        slopes = [weight.grad for weight in self.weights.values() if weight.grad is not None]
        lengths = torch.stack([slope.flatten(1).square().sum(1) for slope in slopes]).sum(0).sqrt()  # (members,)
        factors = (clip / lengths.clamp(min=1e-30)).clamp(max=1)
        for slope in slopes:
            slope.mul_(factors.view(-1, *[1] * (slope.ndim - 1)))

    def _resume(self, kept: Checkpoint) -> int:
        state = kept.load(self.images.device)
        if state is None:
            return 0
        with torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(state["weights"][name])
        self.optimizer.load_state_dict(state["optimizer"])
        return int(state["epoch"])

    def _identity(self) -> dict[str, object]:
        """What a checkpoint must agree with; the number of epochs may grow."""
        settings = {key: value for key, value in asdict(self.training).items() if key not in ("epochs", "at_once")}
        return {
            "architecture": asdict(self.architecture),
            "training": settings,
            "members": self.members,
            "temperatures": self.temperatures.tolist(),
            "samples": fingerprint(self.index, self.images[self.index[0]], self.goals[self.index[0]]),
        }

    def _source(self, member: int, *path: str | int) -> torch.Generator:
        return generator(self.images.device, self.training.seed, "member", member, *path)


class _Told:
    """Counts epochs of members for the observer."""

    def __init__(self, observe: Observer, total: int) -> None:
        self.observe, self.total, self.done = observe, total, 0

    def advance(self, epochs: int) -> None:
        self.done += epochs
        report(self.observe, Progress(stage="training the members", done=self.done, total=self.total))


def _groups(parts: Sequence[Tensor], at_once: int) -> Iterator[list[int]]:
    """Put neighbours with equally many samples together."""
    group: list[int] = []
    for member, part in enumerate(parts):
        if group and (len(group) == at_once or len(parts[group[0]]) != len(part)):
            yield group
            group = []
        group.append(member)
    yield group


def _check(
    architecture: Architecture, data: LabelledImages, parts: Sequence[Tensor], temperatures: Sequence[float]
) -> None:
    check_images(data.images, shape=architecture.shape)
    if data.classes != architecture.classes:
        raise ParameterError("data", expected=f"{architecture.classes} classes", got=str(data.classes))
    if not parts or len(parts) != len(temperatures):
        raise ParameterError(
            "temperatures",
            expected=f"one for each of {len(parts)} members, and at least one",
            got=str(len(temperatures)),
        )
    if any(len(part) == 0 for part in parts):
        raise ParameterError("parts", expected="at least one sample for each member", got="an empty part")
    for temperature in temperatures:
        number("temperature", temperature, above=0)


def seconds_per_step(
    architecture: Architecture, data: LabelledImages, members: int, training: Training, *, steps: int = 10
) -> dict[str, float]:
    """Measure one step of all members, in one pass and one by one: wall seconds, after a warm-up."""
    samples = min(len(data), steps * training.batch)
    parts = [torch.arange(samples)] * members
    found = {}
    for name, at_once in (("stacked", members), ("one_by_one", 1)):
        once = replace(training, epochs=1, at_once=at_once)
        for _ in range(2):
            start = time.perf_counter()
            trained = train(architecture, data, parts, thesis_temperatures(members), once)
            float(trained.weights["logits.bias"].sum())  # waits for the device
            found[name] = (time.perf_counter() - start) * training.batch / samples
    return found


def thesis_temperatures(members: int) -> list[float]:
    """Return 10, 20, …, 10 · members: up to 500 for the thesis's 50 networks."""
    whole_number("members", members, at_least=1)
    return [10.0 * (member + 1) for member in range(members)]
