"""``python -m nymity_robust.choice``: what κ in Carlini-Wagner's choice among its candidates changes.

Adaptive attacks on a noisy vote, made as the plan's run makes them. Beside each example stands the one that would have
been taken by a choice without κ: among the same candidates, by the same answers about them, the nearest that holds at
all or, if there is none, what misses by least. Both are then answered anew, many times.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from nymity.core.commit import replace_file
from nymity.core.errors import FileError, NymityError
from nymity_robust.attacks.adaptive import (
    ExpectationOverTransformation,
    PartialKnowledge,
    RepeatedQueries,
    WholeEnsemble,
)
from nymity_robust.attacks.attack import averaged
from nymity_robust.attacks.carlini_wagner import CarliniWagner, take
from nymity_robust.checkpoints import join_ensembles, load_ensemble
from nymity_robust.criteria import Criterion, Misclassified
from nymity_robust.data import load_images
from nymity_robust.device import choose_device, describe_device
from nymity_robust.ensemble import StackedEnsemble
from nymity_robust.evaluation import wishes_of
from nymity_robust.images import LabelledImages
from nymity_robust.noise import LaplaceNoise
from nymity_robust.noisy_logit import NoisyEnsemble
from nymity_robust.pipeline import RunSettings, attacks_of, plan
from nymity_robust.review.standing import Standing, count_answers, stand
from nymity_robust.seeds import derive, generator
from nymity_robust.voting import EnsembleVoting

#: Fresh answers to each example.
JUDGED = 100

TITLES = {"generated": "generated", "mnist": "MNIST", "cifar10": "CIFAR-10"}


@dataclass(frozen=True, kw_only=True)
class BothChoices(CarliniWagner):
    """Chooses by κ, and notes what a choice without κ takes from the same candidates, and which held by κ."""

    without: list[Tensor] = field(default_factory=list, compare=False, repr=False)
    held: list[Tensor] = field(default_factory=list, compare=False, repr=False)

    def _choose(self, images: Tensor, criterion: Criterion, candidates: list[Tensor], asked: list[Tensor]) -> Tensor:
        holds = torch.stack([criterion.holds(logits) for logits in asked])
        missed = torch.stack([averaged(criterion.margin(logits)) for logits in asked])
        self.without.append(take(images, candidates, holds, missed))
        self.held.append(torch.stack([criterion.holds(logits, self.confidence) for logits in asked]).any(0))
        return super()._choose(images, criterion, candidates, asked)


def compare_choices(
    wanted: RunSettings, ensemble: StackedEnsemble, data: LabelledImages, *, judged: int, batch: int
) -> dict[str, Any]:
    """Attack the noisy vote by each adaptive attack with a κ; judge the examples of both choices."""
    defence = EnsembleVoting(NoisyEnsemble(ensemble, LaplaceNoise(b=wanted.noise)))
    index, criterion = wishes_of(data, wanted.wishes)
    images, choices = data.images[index], []
    for title, attack in attacks_of(wanted, noisy=True).items():
        if not isinstance(attack, WholeEnsemble | PartialKnowledge | ExpectationOverTransformation | RepeatedQueries):
            continue
        if not isinstance(attack.attack, CarliniWagner) or attack.attack.confidence == 0:  # both choices are alike
            continue
        both, seed = BothChoices(**asdict(attack.attack)), derive(wanted.seed, "noisy", title)
        made = replace(attack, attack=both).run(
            defence, images, criterion, seed=seed, batch=max(1, batch // wanted.draws)
        )
        others = replace(made, images=torch.cat(both.without))
        found = {
            when: stand(defence, examples, image=index, draws=judged, seed=derive(seed, "judged")).summary()
            for when, examples in (("before", others), ("after", made))
        }
        otherwise = (made.images != others.images).flatten(1).any(1)
        counts = {"chosen_otherwise": int(otherwise.sum()), "held_by_kappa": int(torch.cat(both.held).sum())}
        choices.append({"attack": title, "pairs": len(images)} | counts | found)
    about = {"confidence": wanted.confidence, "draws_averaged": wanted.draws, "noise": wanted.noise}
    clean = _clean(defence, data, judged=judged, seed=wanted.seed)
    return about | {"members": len(ensemble), "clean": clean, "choices": choices}


def _clean(defence: EnsembleVoting, data: LabelledImages, *, judged: int, seed: int) -> dict[str, Any]:
    wrong = Misclassified(labels=data.labels)
    right, wished = count_answers(defence, data.images, wrong, draws=judged, seed=derive(seed, "clean"))
    every = torch.arange(len(data))
    still = torch.zeros(len(data))
    return Standing(draws=judged, right=right.cpu(), wished=wished.cpu(), l2=still, image=every).summary()


def table(found: dict[str, Any]) -> str:
    """Return the file as a table of text."""
    heads = ("data", "attack", "chosen without κ", "chosen with κ", "other choice", "mean L2 without, with")
    lines = ["| " + " | ".join(heads) + " |", "| --- " * len(heads) + "|"]
    for data, about in found.items():
        for choice in about["choices"]:
            made = [choice[when] for when in ("before", "after")]
            right = [
                f"{100 * one['right']['share']:.1f} ({100 * one['right']['low']:.1f}–{100 * one['right']['high']:.1f})"
                for one in made
            ]
            sizes = ", ".join(f"{one['mean_l2']:.2f}" for one in made)
            otherwise = f"{choice['chosen_otherwise']} of {choice['pairs']}"
            lines.append(f"| {TITLES[data]} | {choice['attack']} | {right[0]} | {right[1]} | {otherwise} | {sizes} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Compare the choices for one kind of images, put them into the file beside those of others, and print it."""
    parser = argparse.ArgumentParser(
        prog="python -m nymity_robust.choice", description="Carlini-Wagner's choice with and without κ."
    )
    parser.add_argument("members", type=Path, nargs="*", help="trained members; several files are joined")
    parser.add_argument("--show", type=Path, help="print the table of this file, and make nothing")
    parser.add_argument("--data", default="mnist", choices=tuple(TITLES))
    parser.add_argument("--scale", default="full", help="the plan whose attacks, noise, images and wishes are taken")
    parser.add_argument("--judged", type=int, default=JUDGED, help="fresh answers to each example")
    parser.add_argument("--batch", type=int, default=1024, help="pairs × draws in work at a time")
    parser.add_argument("--out", type=Path, help="file; what it has of other images is kept")
    parser.add_argument("--device", default="auto")
    given = parser.parse_args(arguments)
    if given.show is None and not (given.members and given.out):
        parser.error("members and --out are needed, or --show")
    try:
        if given.show is not None:
            sys.stdout.write(table(_read(given.show)))
            return 0
        device, wanted = choose_device(given.device), plan(given.data, given.scale)
        ensemble = join_ensembles([load_ensemble(path, device)[0] for path in given.members])
        test = load_images(wanted.data, "test")
        chosen = torch.randperm(len(test), generator=generator(torch.device("cpu"), wanted.seed, "test"))
        data = test.take(chosen[: wanted.images]).to(device)
        kept = _read(given.out) if given.out.exists() else {}
        made = {"torch_version": torch.__version__, "device": describe_device(device)}
        found = compare_choices(wanted, ensemble, data, judged=given.judged, batch=given.batch)
        kept |= {given.data: made | found}
        replace_file(given.out, lambda staged: staged.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8"))
        sys.stdout.write(table(kept))
    except NymityError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = "python -m nymity_robust.choice writes it"
        raise FileError(str(path), expected="choices with and without κ", got=str(error), hint=hint) from error
    return found


if __name__ == "__main__":
    sys.exit(main())
