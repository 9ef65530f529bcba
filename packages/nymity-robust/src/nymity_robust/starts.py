"""``python -m nymity_robust.starts``: what first weights and shortened gradients do to a vote under noise.

Every fifth member of a plan is trained in four ways, from the same seeds and on the same images: with weights drawn as
He or as Glorot, with and without shortened gradients. Then the members, their vote and both under noise answer
images that were held out. Ways that are in the file already are not trained again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Literal

import torch

from nymity.core.commit import replace_file
from nymity.core.errors import NymityError
from nymity_robust.architectures import ARCHITECTURES
from nymity_robust.criteria import Misclassified
from nymity_robust.data import load_images
from nymity_robust.device import choose_device, describe_device
from nymity_robust.ensemble import Ensemble
from nymity_robust.images import LabelledImages
from nymity_robust.noise import LaplaceNoise, replayable
from nymity_robust.noisy_logit import NoisyEnsemble
from nymity_robust.partition import disjoint_parts
from nymity_robust.pipeline import RunSettings, plan
from nymity_robust.querying import answers
from nymity_robust.rates import measured_rate
from nymity_robust.review.standing import count_answers
from nymity_robust.seeds import derive, generator
from nymity_robust.training import Training, thesis_temperatures, train
from nymity_robust.voting import EnsembleVoting

#: One member in so many is trained.
EVERY = 5

#: Fresh answers to each image.
DRAWS = 20


def ways(usual: Training) -> list[Training]:
    """Return the four ways to train, the package's own first."""
    starts: tuple[Literal["he", "glorot"], ...] = ("he", "glorot")
    return [replace(usual, start=start, clip=clip) for start, clip in product(starts, (usual.clip, None))]


def try_way(wanted: RunSettings, training: Training, device: torch.device, *, images: int) -> dict[str, Any]:
    """Train one way and let members and vote answer images that no member has seen."""
    data = load_images(wanted.data)
    order = torch.randperm(len(data), generator=generator(torch.device("cpu"), wanted.seed, "validation"))
    learned = data.take(order[wanted.validation :]).to(device)
    held_out = data.take(order[: min(images, wanted.validation)]).to(device)
    every = min(EVERY, wanted.members)
    parts = disjoint_parts(len(learned), wanted.members, size=wanted.size, seed=wanted.seed)[every - 1 :: every]
    temperatures = thesis_temperatures(wanted.members)[every - 1 :: every]
    begun = time.perf_counter()
    ensemble = train(ARCHITECTURES[wanted.data], learned, parts, temperatures, training)
    seconds = time.perf_counter() - begun
    noisy = NoisyEnsemble(ensemble, LaplaceNoise(b=wanted.noise))
    return {
        "start": training.start,
        "clip": training.clip,
        "members": len(parts),
        "epochs": training.epochs,
        "images": len(held_out),
        "draws": DRAWS,
        "noise": wanted.noise,
        "single": _single(ensemble, held_out, seed=wanted.seed),
        "single_noisy": _single(noisy, held_out, seed=wanted.seed),
        "vote": _vote(ensemble, held_out, draws=1, seed=wanted.seed),
        "vote_noisy": _vote(noisy, held_out, draws=DRAWS, seed=wanted.seed),
        "seconds": seconds,
    }


def _single(ensemble: Ensemble, data: LabelledImages, *, seed: int) -> list[float]:
    """Return each member's share of right answers."""
    with replayable(ensemble, derive(seed, "single")):
        named = answers(ensemble, data.images, axis=1).argmax(-1)
    return [float(share) for share in (named == data.labels).double().mean(1)]


def _vote(ensemble: Ensemble, data: LabelledImages, *, draws: int, seed: int) -> dict[str, Any]:
    right, _ = count_answers(
        EnsembleVoting(ensemble),
        data.images,
        Misclassified(labels=data.labels),
        draws=draws,
        seed=derive(seed, "vote"),
    )
    return measured_rate(right / draws).to_dict()


def table(found: list[dict[str, Any]]) -> str:
    """Return the file as a table of text."""
    lines = ["| start | gradients | members | vote | members with noise | vote with noise |", "| --- " * 6 + "|"]
    for way in found:
        shares = [
            f"{100 * sum(way[key]) / len(way[key]):.1f}"
            if key.startswith("single")
            else f"{100 * way[key]['share']:.1f}"
            for key in ("single", "vote", "single_noisy", "vote_noisy")
        ]
        clip = "of any length" if way["clip"] is None else f"at most {way['clip']:g}"
        lines.append(f"| {way['start']} | {clip} | " + " | ".join(shares) + " |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Train what is missing in the file, and print it."""
    parser = argparse.ArgumentParser(
        prog="python -m nymity_robust.starts", description="Four ways to train, under noise."
    )
    parser.add_argument("--data", default="mnist", choices=("generated", "mnist"))
    parser.add_argument("--scale", default="full")
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--out", type=Path, required=True, help="file; what it has is kept")
    parser.add_argument("--device", default="auto")
    given = parser.parse_args(arguments)
    try:
        wanted, device = plan(given.data, given.scale), choose_device(given.device)
        kept = json.loads(given.out.read_text(encoding="utf-8")) if given.out.exists() else {"ways": []}
        for training in ways(wanted.training):
            if not any((way["start"], way["clip"]) == (training.start, training.clip) for way in kept["ways"]):
                kept["ways"].append(try_way(wanted, training, device, images=given.images))
                kept |= {"data": given.data, "scale": given.scale, "device": describe_device(device)}
                _write(given.out, json.dumps(kept, indent=1) + "\n")
        sys.stdout.write(table(kept["ways"]))
    except NymityError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


def _write(path: Path, text: str) -> None:
    replace_file(path, lambda staged: staged.write_text(text, encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
