"""``python -m nymity_robust.review``: the review of trained members where nothing but torch and numpy is installed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

from nymity.core.errors import FileError, NymityError
from nymity.core.progress import Progress
from nymity.core.validation import one_of
from nymity_robust.checkpoints import join_ensembles, load_ensemble
from nymity_robust.data import load_images
from nymity_robust.device import choose_device
from nymity_robust.noise import LaplaceNoise
from nymity_robust.pipeline import plan
from nymity_robust.review.bounded import KINDS
from nymity_robust.review.review import ATTACKERS, PARTS, Review
from nymity_robust.review.scrutiny import Scrutiny
from nymity_robust.review.tables import review_tables
from nymity_robust.samples import samples_of
from nymity_robust.seeds import generator


def main(arguments: list[str] | None = None) -> int:
    """Make the pieces that are asked for and not there yet, then sum up all that are there; or show a review."""
    usual = Scrutiny()
    parser = argparse.ArgumentParser(prog="python -m nymity_robust.review", description="A noisy vote under scrutiny.")
    parser.add_argument("members", type=Path, nargs="*", help="trained members; several files are joined")
    parser.add_argument("--show", type=Path, help="print the tables of this review.json, and make nothing")
    parser.add_argument("--data", default="mnist")
    parser.add_argument("--scale", default="full", help="the plan whose attack, noise, images and wishes are taken")
    parser.add_argument("--out", type=Path, help="folder; a review begun there is continued")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--attackers", default=",".join(ATTACKERS))
    parser.add_argument("--confidences", default="0,5,10,20")
    parser.add_argument("--pairs", type=int, help="how many pairs of the curves; all unless given")
    parser.add_argument("--images", type=int)
    parser.add_argument("--l2", default="1,2,3,4", help="radii of the bounded attacks, images from -0.5 to 0.5")
    parser.add_argument("--kinds", default=",".join(KINDS), help="of bounded attacks")
    parser.add_argument("--linf", default="0.1,0.2,0.3")
    parser.add_argument("--judged", type=int, default=usual.judged, help="fresh answers to each example")
    parser.add_argument("--steps", type=int, default=usual.pgd_steps, help="of PGD and Auto-PGD")
    parser.add_argument("--draws", type=int, default=usual.pgd_draws, help="that PGD and Auto-PGD average over")
    parser.add_argument("--queries", type=int, default=usual.square_queries, help="of the square attack")
    parser.add_argument("--masking-steps", default=_text(usual.masking_steps), help="to compare with --steps")
    parser.add_argument("--masking-draws", default=_text(usual.masking_draws), help="to compare with --draws")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no piece is begun that would not fit")
    parser.add_argument("--batch", type=int, default=1024, help="pairs × draws × members in work at a time")
    parser.add_argument("--half", action="store_true", help="attackers compute in half precision, by Triton on a GPU")
    parser.add_argument("--device", default="auto")
    given = parser.parse_args(arguments)
    if given.show is None and not (given.members and given.out):
        parser.error("members and --out are needed, or --show")
    begun = time.perf_counter()

    def tell(progress: Progress) -> None:
        sys.stderr.write(f"{time.perf_counter() - begun:6.0f} s  {progress.stage}\n")

    try:
        parts = given.parts.split(",")
        for part in parts:
            one_of("parts", part, PARTS)
        if given.show is not None:
            sys.stdout.write(review_tables(_read(given.show), tuple(parts)))
            return 0
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
                judged=given.judged,
                pgd_steps=given.steps,
                pgd_draws=given.draws,
                square_queries=given.queries,
                masking_steps=_whole(given.masking_steps),
                masking_draws=_whole(given.masking_draws),
                l2=_numbers(given.l2),
                linf=_numbers(given.linf),
                seed=wanted.seed,
            ),
            ensemble,
            LaplaceNoise(b=wanted.noise),
            test.take(chosen[: given.images or wanted.images]).to(device),
            given.out,
            batch=given.batch,
            half=given.half,
            left=lambda: 60 * given.minutes - (time.perf_counter() - begun),
            observe=tell,
        )
        if "bookkeeping" in parts:
            review.bookkeeping()
        if "bounded" in parts:
            review.bounded(tuple(given.kinds.split(",")))
        if "masking" in parts:
            review.masking()
        if "samples" in parts:
            review.samples(samples_of(test).to(device))
        if "curves" in parts:
            review.curves(tuple(given.attackers.split(",")), _numbers(given.confidences), pairs=given.pairs)
        review.gather()
    except NymityError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stderr.write(f"{given.out / 'review.json'}\n")
    return 0


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(str(path), expected="a review.json", got=str(error), hint="the review writes it") from error
    return found


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(value) for value in text.split(","))


def _whole(text: str) -> tuple[int, ...]:
    return tuple(int(value) for value in text.split(","))


def _text(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


if __name__ == "__main__":
    sys.exit(main())
