"""Pipeline: chapter 4 of the thesis again, then the adaptive attacks it did not run; resumable, one JSON result.

Members are trained, an example is made for every member, image and target, with and without Noisy Logit, and judged
alone (tables 4.3 and 4.4) and superimposed by two and three (tables 4.5 to 4.8). Then come the adaptive attacks and the
certificates. Every stage leaves a file in the folder; a stage whose file is there is not run again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from nymity.core.commit import replace_file
from nymity.core.errors import FileError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.validation import one_of, whole_number
from nymity_robust.architectures import ARCHITECTURES
from nymity_robust.attacks import (
    AdversarialExamples,
    CarliniWagner,
    ClassifierAttack,
    ExpectationOverTransformation,
    PartialKnowledge,
    RepeatedQueries,
    Resubmission,
    SingleNetwork,
    Superimposition,
    WholeEnsemble,
    craft_for_members,
)
from nymity_robust.certificates import Smoothing, certify_partition, certify_smoothing
from nymity_robust.checkpoints import Checkpoint, save_ensemble
from nymity_robust.criteria import Criterion, Targeted
from nymity_robust.data import load_images
from nymity_robust.device import describe_device
from nymity_robust.distances import RelativePerturbation
from nymity_robust.ensemble import Ensemble, StackedEnsemble
from nymity_robust.evaluation import clean_accuracy, judge, wishes_of
from nymity_robust.images import LabelledImages
from nymity_robust.noise import LaplaceNoise, replayable
from nymity_robust.noisy_logit import NoisyEnsemble
from nymity_robust.partition import disjoint_parts, shared_parts
from nymity_robust.querying import answers
from nymity_robust.samples import answer_samples, samples_of
from nymity_robust.seeds import derive, generator
from nymity_robust.training import Training, seconds_per_step, thesis_temperatures, train
from nymity_robust.voting import EnsembleVoting


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """What a run does: everything its figures depend on.

    ``confidence`` is κ of the adaptive attacks, in logits divided by T. An example with κ = 0 lies just beyond the
    boundary, where any noise brings half of the answers back: against noise that measures the wrong thing.
    """

    data: str
    members: int
    size: int | None
    training: Training
    validation: int
    images: int
    wishes: str
    noise: float
    attack: CarliniWagner
    known: int
    draws: int
    tries: int
    smoothing: Smoothing
    certified: int
    confidence: float = 5.0
    seed: int = 0

    def __post_init__(self) -> None:
        whole_number("RunSettings.members", self.members, at_least=3)
        for name in ("images", "validation", "certified"):
            whole_number(f"RunSettings.{name}", getattr(self, name), at_least=1)


def plan(data: str, scale: str) -> RunSettings:
    """Return the plan of a scale: ``smoke`` (seconds), ``quick`` (minutes on a CPU) or ``full`` (a GPU)."""
    one_of("scale", scale, ("smoke", "quick", "full"))
    one_of("data", data, ("generated", "mnist", "cifar10"))
    partitioned, noise = data != "cifar10", {"generated": 0.15, "mnist": 0.5, "cifar10": 0.03}[data]
    if scale == "full":
        return RunSettings(
            data=data,
            members=50 if partitioned else 10,
            size=1100 if data == "mnist" else None,
            training=Training(epochs=3000 if partitioned else 150),
            validation=5000,
            images=34,  # 306 pairs with every target
            wishes="every-target",
            noise=noise,
            attack=CarliniWagner(searches=6, steps=200, continued=False),
            known=10 if partitioned else 3,
            draws=4,
            tries=10,
            smoothing=Smoothing(selection=100, draws=10_000),
            certified=200,
        )
    small = scale == "smoke"
    return RunSettings(
        data=data,
        members=3 if small else 5,
        size=1100 if data == "mnist" else 200,
        training=Training(epochs=40, batch=16 if data == "generated" else 128, learning_rate=0.02, dropout=0.1),
        validation=50 if small else 1000,
        images=6 if small else 12,
        wishes="next-label",
        noise=noise,
        attack=CarliniWagner(searches=3, steps=30) if small else CarliniWagner(searches=4, steps=60),
        known=2,
        draws=2 if small else 8,
        tries=3 if small else 10,
        smoothing=Smoothing(selection=20, draws=200) if small else Smoothing(),
        certified=3 if small else 20,
    )


def attacks_of(wanted: RunSettings, *, noisy: bool) -> dict[str, ClassifierAttack]:
    """Return a plan's attacks by title; those that average over noise, or wait for a lucky draw, where there is any."""
    inner = wanted.attack
    firm = replace(inner, confidence=wanted.confidence)
    whole = WholeEnsemble(attack=firm)
    plain: dict[str, ClassifierAttack] = {
        "single-network": SingleNetwork(attack=inner),
        "superimposition-2": Superimposition(attack=inner, count=2),
        "superimposition-3": Superimposition(attack=inner, count=3),
        "whole-ensemble-nearest": WholeEnsemble(attack=inner),
        "whole-ensemble": whole,
        "partial-knowledge": PartialKnowledge(attack=firm, known=wanted.known),
    }
    against_noise: dict[str, ClassifierAttack] = {
        "expectation-over-transformation": ExpectationOverTransformation(attack=firm, draws=wanted.draws),
        "repeated-queries": RepeatedQueries(attack=firm, queries=wanted.draws),
        "resubmission": Resubmission(attack=whole, tries=wanted.tries),
    }
    return plain | against_noise if noisy else plain


def run_pipeline(
    wanted: RunSettings, folder: Path, device: torch.device, *, batch: int = 256, observe: Observer = silent
) -> dict[str, Any]:
    """Run a plan in a folder, or continue it; returns the result that is also in ``result.json``."""
    if (done := _finished(wanted, folder)) is not None:
        return done
    run = _Run(wanted, folder, device, batch, observe)
    ensemble = run.members()
    noisy = NoisyEnsemble(ensemble, LaplaceNoise(b=wanted.noise))
    result: dict[str, Any] = {
        "plan": asdict(wanted),
        "device": describe_device(device),
        "torch_version": torch.__version__,
        "remark": run.test.remark,
        "training": run.stage("training", lambda: run.training_facts(ensemble)),
        "seconds_per_step": run.stage("seconds-per-step", run.seconds_per_step),
        "defences": {
            "ensemble": run.defence("ensemble", ensemble),
            "ensemble-with-noisy-logit": run.defence("noisy", noisy),
        },
        "certificates": run.stage("certificates", lambda: run.certificates(ensemble)),
        "samples": run.stage("samples", lambda: run.samples(ensemble)),
    }
    _write(folder / "result.json", result)
    return result


class _Run:
    """One run of a plan: its data, its folder, and the stages that are already there."""

    def __init__(self, wanted: RunSettings, folder: Path, device: torch.device, batch: int, observe: Observer) -> None:
        self.plan, self.folder, self.device, self.batch, self.observe = wanted, folder, device, batch, observe
        # as a file gives it back, where tuples have become lists
        self.identity = json.loads(json.dumps(asdict(wanted)))
        data = load_images(wanted.data)
        order = torch.randperm(len(data), generator=generator(torch.device("cpu"), wanted.seed, "validation"))
        self.train = data.take(order[wanted.validation :]).to(device)
        self.validation = data.take(order[: wanted.validation]).to(device)
        test = load_images(wanted.data, "test")
        chosen = torch.randperm(len(test), generator=generator(torch.device("cpu"), wanted.seed, "test"))
        self.test = test.take(chosen).to(device)
        self.two = samples_of(test).to(device)

    def members(self) -> StackedEnsemble:
        """Train the members, or continue."""
        wanted = self.plan
        parts = (
            disjoint_parts(len(self.train), wanted.members, size=wanted.size, seed=wanted.seed)
            if self._disjoint
            else shared_parts(len(self.train), wanted.members)
        )
        ensemble = train(
            ARCHITECTURES[wanted.data],
            self.train,
            parts,
            thesis_temperatures(wanted.members),
            wanted.training,
            folder=self.folder / "training",
            observe=self.observe,
        )
        save_ensemble(ensemble, self.folder / "members.pt", facts={"data": wanted.data, "disjoint": self._disjoint})
        return ensemble

    def training_facts(self, ensemble: StackedEnsemble) -> dict[str, Any]:
        """Measure single accuracy and that of the vote on the images held out from training."""
        named = answers(ensemble, self.validation.images, axis=1).argmax(-1)
        single = (named == self.validation.labels).double().mean(1)
        vote, _ = clean_accuracy(EnsembleVoting(ensemble), self.validation, seed=self.plan.seed)
        return {
            "mean_single_accuracy": float(single.mean()),
            "single_accuracy": single.tolist(),
            "vote": vote.to_dict(),
            "disjoint": self._disjoint,
        }

    def defence(self, name: str, ensemble: Ensemble) -> dict[str, Any]:
        """Attack a vote of the ensemble in every way."""
        wanted, voting = self.plan, EnsembleVoting(ensemble)
        data = self.test.take(slice(0, wanted.images))
        clean, single = clean_accuracy(voting, data, seed=wanted.seed)
        outcomes = {
            title: self.stage(f"{name}-{title}", partial(self._outcome, name, title, attack, voting, data))
            for title, attack in attacks_of(wanted, noisy=isinstance(ensemble, NoisyEnsemble)).items()
        }
        pair = self.stage(f"{name}-one-pair", partial(self._one_pair, name, ensemble, data))
        return {"clean": clean.to_dict(), "clean_member_accuracy": single, "one_pair": pair, "outcomes": outcomes}

    def seconds_per_step(self) -> dict[str, float]:
        """Time the training of all members, stacked and one by one."""
        wanted = self.plan
        return seconds_per_step(ARCHITECTURES[wanted.data], self.train, wanted.members, wanted.training)

    def certificates(self, ensemble: StackedEnsemble) -> list[dict[str, Any]]:
        """Certify the vote under one draw of noise for all members and, if trained so, against poisoned data."""
        wanted, data = self.plan, self.test.take(slice(0, self.plan.certified))
        noisy = EnsembleVoting(NoisyEnsemble(ensemble, LaplaceNoise(b=wanted.noise), shared=True))
        found = [certify_smoothing(noisy, data, wanted.smoothing, seed=wanted.seed, observe=self.observe).to_dict()]
        if self._disjoint:
            found.append(certify_partition(ensemble, self.test.take(slice(0, 1000)), hashed=False).to_dict())
        return found

    def samples(self, ensemble: StackedEnsemble) -> list[dict[str, Any]]:
        """Attack the two samples of appendix B; its figures go to the folder ``figures``."""
        wanted = self.plan

        def show(name: str, picture: bytes) -> None:
            replace_file(self.folder / "figures" / f"{name}.png", lambda staged: staged.write_bytes(picture))

        return answer_samples(
            ensemble,
            LaplaceNoise(b=wanted.noise),
            self.two,
            wanted.attack,
            judged=wanted.smoothing.selection,
            seed=derive(wanted.seed, "samples"),
            batch=self.batch,
            show=show,
        )

    def stage(self, name: str, work: Callable[[], Any]) -> Any:
        """Return what a stage found, from its file if there is one."""
        path = self.folder / "stages" / f"{name}.json"
        if path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            if kept["plan"] != self.identity:
                raise FileError(
                    str(path), expected="a stage of the same plan", got="one of another", hint="choose another folder"
                )
            return kept["found"]
        report(self.observe, Progress(stage=f"stage {name}"))
        # the same values in this run as in one that reads the file
        found = json.loads(json.dumps(work()))
        _write(path, {"plan": self.identity, "found": found})
        return found

    @property
    def _disjoint(self) -> bool:
        return self.plan.data != "cifar10"

    def _outcome(
        self, name: str, title: str, attack: ClassifierAttack, voting: EnsembleVoting, data: LabelledImages
    ) -> dict[str, Any]:
        """Attack a vote in one way; examples made for single members are shared by those who add them up."""
        seed, start = derive(self.plan.seed, name, title), time.perf_counter()
        index, criterion = wishes_of(data, self.plan.wishes)
        images = data.images[index]
        if isinstance(attack, SingleNetwork):
            made = self._crafted(name, voting.ensemble, images, criterion)
        elif isinstance(attack, Superimposition):
            made = attack.combine(self._crafted(name, voting.ensemble, images, criterion))
        else:
            batch = max(1, self.batch // self.plan.draws)
            made = attack.run(voting, images, criterion, seed=seed, batch=batch, observe=self.observe)
        seconds = time.perf_counter() - start
        return judge(title, attack, voting, made, image=index, seed=seed, seconds=seconds).to_dict()

    def _one_pair(self, name: str, ensemble: Ensemble, data: LabelledImages) -> dict[str, Any]:
        """Show one image and target, on every member (figure 4.7): a 7 as 0, or a ship as an airplane."""
        index, criterion = wishes_of(data, self.plan.wishes)
        assert isinstance(criterion, Targeted)
        label, target = {"mnist": (7, 0), "cifar10": (8, 0)}.get(self.plan.data, (0, 1))
        fitting = ((criterion.labels == label) & (criterion.targets == target)).nonzero().flatten()
        chosen = int(fitting[0]) if len(fitting) else 0
        made = self._crafted(name, ensemble, data.images[index], criterion)
        made = made.take((made.source == chosen).nonzero().flatten())
        with replayable(ensemble, derive(self.plan.seed, name, "one pair")):
            answered = ensemble(made.images.unsqueeze(1)).argmax(-1).flatten()
        return {
            "label": int(criterion.labels[chosen]),
            "target": int(criterion.targets[chosen]),
            "perturbation": RelativePerturbation()(made.images, made.originals).tolist(),
            "answers": answered.tolist(),
        }

    def _crafted(
        self, name: str, ensemble: Ensemble, images: torch.Tensor, criterion: Criterion
    ) -> AdversarialExamples:
        """Make the examples for every member, a batch of wishes at a time, each kept in a file."""
        parts, step = [], max(1, self.batch // len(ensemble))
        identity = self.identity | {"batch": self.batch}
        for first in range(0, len(images), step):
            rows = slice(first, first + step)
            kept = Checkpoint(path=self.folder / "examples" / f"{name}-{first}.pt", identity=identity)
            state = kept.load(self.device)
            if state is None:
                made = craft_for_members(
                    self.plan.attack,
                    ensemble,
                    images[rows],
                    criterion.take(rows),
                    seed=derive(self.plan.seed, name, first),
                    batch=self.batch,
                    observe=self.observe,
                )
                state = {"images": made.images, "success": made.success}
                kept.save(state)
            parts.append(state)
        return _by_member(parts, len(ensemble), images, criterion)


def _finished(wanted: RunSettings, folder: Path) -> dict[str, Any] | None:
    """Return the result of the same plan, if the folder has it."""
    try:
        done: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except OSError:
        return None
    return done if done["plan"] == json.loads(json.dumps(asdict(wanted))) else None


def _by_member(
    parts: list[dict[str, Any]], members: int, images: torch.Tensor, criterion: Criterion
) -> AdversarialExamples:
    """Join parts that each lie member by member into one that does."""
    rows = torch.arange(len(images), device=images.device).repeat(members)
    joined = {
        key: torch.cat([part[key].unflatten(0, (members, -1)) for part in parts], dim=1).flatten(0, 1)
        for key in ("images", "success")
    }
    return AdversarialExamples(
        originals=images[rows],
        images=joined["images"],
        criterion=criterion.take(rows),
        success=joined["success"],
        source=rows,
        member=torch.arange(members, device=images.device).repeat_interleave(len(images)),
    )


def _write(path: Path, value: Any) -> None:
    text = json.dumps(value, indent=1) + "\n"

    def write(staged: Path) -> None:
        staged.write_text(text, encoding="utf-8")

    replace_file(path, write)
