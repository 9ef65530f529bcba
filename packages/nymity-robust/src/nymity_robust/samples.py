"""Samples: appendix B of the thesis. Two images with every other label as target, perturbations superimposed.

Tables B.1 and B.2 print how the vote classifies them, figures B.1 to B.4 show them: the image, the two or three
smallest examples, and their sum. The samples are a 7 and a 2, a cat and a ship: the first two test images of MNIST and
of CIFAR-10, so most likely those. Here the first test image of each of these labels is taken, which on MNIST are the
same two; the JPEG copy of CIFAR-10 is in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from nymity_robust.attacks import AdversarialExamples, CarliniWagner, CarliniWagnerAsPublished, Superimposition
from nymity_robust.attacks.single_network import craft_for_members
from nymity_robust.criteria import every_target
from nymity_robust.distances import RelativePerturbation
from nymity_robust.ensemble import Ensemble
from nymity_robust.images import LabelledImages
from nymity_robust.noise import LaplaceNoise, replayable
from nymity_robust.noisy_logit import NoisyEnsemble
from nymity_robust.pictures import contact_sheet, png
from nymity_robust.querying import labels
from nymity_robust.seeds import derive
from nymity_robust.voting import EnsembleVoting

#: The labels of samples 1 and 2.
LABELS = {"mnist": (7, 2), "cifar10": (3, 8), "generated": (0, 1)}

#: The figure of appendix B that shows sample 1; sample 2 has the next number.
FIRST_FIGURE = {"mnist": 1, "cifar10": 3, "generated": 1}

#: How examples are made and kept: without noise; with noise, held again on a fresh draw; with noise, held once.
WAYS = ("plain", "noisy", "as-published")


def samples_of(test: LabelledImages) -> LabelledImages:
    """Return the first image of each of the two labels."""
    first = [int((test.labels == label).nonzero()[0]) for label in LABELS[test.name]]
    return test.take(torch.tensor(first, device=test.labels.device))


def answer_samples(
    ensemble: Ensemble,
    noise: LaplaceNoise,
    samples: LabelledImages,
    attack: CarliniWagner,
    *,
    judged: int,
    seed: int,
    batch: int,
    show: Callable[[str, bytes], None],
) -> list[dict[str, Any]]:
    """Make and superimpose the examples in every way, and ask the vote, with noise ``judged`` times.

    Returns one entry for each sample, way and count: the most frequent answer to each target, its share of the answers,
    and the perturbation's size relative to the image. ``show`` gets each panel of the figures as a PNG file: rows are
    targets; columns the image, the smallest examples, their sum.
    """
    index, criterion = every_target(samples.labels, samples.classes)
    images, found = samples.images[index], []
    per = len(index) // len(samples)
    for way in WAYS:
        members = ensemble if way == "plain" else NoisyEnsemble(ensemble, noise)
        inner = CarliniWagnerAsPublished(**asdict(attack)) if way == "as-published" else attack
        crafted = craft_for_members(inner, members, images, criterion, seed=derive(seed, way), batch=batch)
        for count in (2, 3):
            adding = Superimposition(count=count)
            both, single = adding.combine(crafted), adding.smallest(crafted).indices
            named, share = _answers(EnsembleVoting(members), both, 1 if way == "plain" else judged, derive(seed, count))
            size = RelativePerturbation()(both.images, both.originals)
            sheet = _sheet(crafted, both, single)  # (n, columns, channels, height, width)
            for number in range(len(samples)):
                rows = slice(number * per, (number + 1) * per)
                figure = FIRST_FIGURE[samples.name] + number
                panel = f"figure-b{figure}-{way}-{count}"
                show(panel, png(contact_sheet(sheet[rows])))
                found.append(
                    {
                        "sample": number + 1,
                        "label": int(samples.labels[number]),
                        "way": way,
                        "count": count,
                        "targets": criterion.targets[rows].tolist(),
                        "answers": named[rows].tolist(),
                        "share": [round(value, 4) for value in share[rows].tolist()],
                        "perturbation": [round(value, 5) for value in size[rows].tolist()],
                    }
                )
    return found


def _answers(voting: EnsembleVoting, made: AdversarialExamples, draws: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return the most frequent answer of each example and its share."""
    with replayable(voting, seed):
        asked = torch.stack([labels(voting, made.images) for _ in range(draws)])  # (draws, n)
    named = asked.mode(0).values
    return named.cpu(), (asked == named).double().mean(0).cpu()


def _sheet(crafted: AdversarialExamples, both: AdversarialExamples, smallest: Tensor) -> Tensor:
    own = crafted.images.unflatten(0, (-1, len(both)))  # (members, n, …)
    row = torch.arange(len(both), device=smallest.device)
    return torch.stack([both.originals, *own[smallest, row], both.images], dim=1)
