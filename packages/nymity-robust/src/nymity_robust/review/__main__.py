"""``python -m nymity_robust.review``: the review of trained members where nothing but torch and numpy is installed."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch

from nymity.core.errors import NymityError
from nymity.core.progress import Progress
from nymity.core.validation import one_of
from nymity_robust.checkpoints import join_ensembles, load_ensemble
from nymity_robust.data import load_images
from nymity_robust.device import choose_device
from nymity_robust.noise import LaplaceNoise
from nymity_robust.pipeline import plan
from nymity_robust.review.review import ATTACKERS, PARTS, Review, Scrutiny
from nymity_robust.seeds import generator


def main(arguments: list[str] | None = None) -> int:
    """Make the pieces that are asked for and not there yet, then sum up all that are there."""
    parser = argparse.ArgumentParser(prog="python -m nymity_robust.review", description="A noisy vote under scrutiny.")
    parser.add_argument("members", type=Path, nargs="+", help="trained members; several files are joined")
    parser.add_argument("--data", default="mnist")
    parser.add_argument("--scale", default="full", help="the plan whose attack, noise, images and wishes are taken")
    parser.add_argument("--out", type=Path, required=True, help="folder; a review begun there is continued")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--attackers", default=",".join(ATTACKERS))
    parser.add_argument("--confidences", default="0,5,10,20")
    parser.add_argument("--pairs", type=int, help="how many pairs of the curves; all unless given")
    parser.add_argument("--images", type=int)
    parser.add_argument("--l2", default="1,2,3,4", help="radii of the bounded attacks, images from -0.5 to 0.5")
    parser.add_argument("--linf", default="0.1,0.2,0.3")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no piece is begun that would not fit")
    parser.add_argument("--batch", type=int, default=1024, help="pairs × draws × members in work at a time")
    parser.add_argument("--device", default="auto")
    given = parser.parse_args(arguments)
    begun = time.perf_counter()

    def tell(progress: Progress) -> None:
        sys.stderr.write(f"{time.perf_counter() - begun:6.0f} s  {progress.stage}\n")

    try:
        parts = given.parts.split(",")
        for part in parts:
            one_of("parts", part, PARTS)
        device, wanted = choose_device(given.device), plan(given.data, given.scale)
        torch.backends.cudnn.benchmark = True  # the same shapes are asked thousands of times
        ensemble = join_ensembles([load_ensemble(path, device)[0] for path in given.members])
        test = load_images(wanted.data, "test")
        chosen = torch.randperm(len(test), generator=generator(torch.device("cpu"), wanted.seed, "test"))
        review = Review(
            Scrutiny(
                attack=wanted.attack,
                wishes=wanted.wishes,
                known=wanted.known,
                l2=_numbers(given.l2),
                linf=_numbers(given.linf),
                seed=wanted.seed,
            ),
            ensemble,
            LaplaceNoise(b=wanted.noise),
            test.take(chosen[: given.images or wanted.images]).to(device),
            given.out,
            batch=given.batch,
            left=lambda: 60 * given.minutes - (time.perf_counter() - begun),
            observe=tell,
        )
        if "bookkeeping" in parts:
            review.bookkeeping()
        if "bounded" in parts:
            review.bounded()
        if "curves" in parts:
            review.curves(tuple(given.attackers.split(",")), _numbers(given.confidences), pairs=given.pairs)
        review.gather()
    except NymityError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stderr.write(f"{given.out / 'review.json'}\n")
    return 0


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(value) for value in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
