"""Review: what an attacker reaches who averages over more draws, asks for more margin, or is bounded.

Five parts, each in pieces that are kept in files; a piece whose file is there is not made again, so a review can be
stopped at any time and says for everything how many of all pairs (image, target) it rests on.

``curves``
    Carlini-Wagner for every attacker and κ. Attackers: ``partial`` (some members, without noise), ``whole`` (all
    members, without noise), or a number of draws that expectation over the noise averages. Beside each example stands a
    random perturbation of the same size.
``bookkeeping``
    Examples made for single noisy members and superimposed (section 4.3.3), once judged again on fresh noise, once as
    published: kept because they held under one draw.
``bounded``
    Any wrong label within a radius: PGD and Auto-PGD in L2 and L∞, and the square attack, which needs no gradient.
``masking``
    Checks whether gradients are only hidden (:mod:`nymity_robust.review.masking`).
``samples``
    Appendix B of the thesis: how votes answer two images with every target (:mod:`nymity_robust.samples`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from nymity.core.commit import replace_file
from nymity.core.errors import FileError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.validation import one_of
from nymity_robust.attacks import (
    AdversarialExamples,
    CarliniWagner,
    CarliniWagnerAsPublished,
    ClassifierAttack,
    ExpectationOverTransformation,
    PartialKnowledge,
    Superimposition,
    WholeEnsemble,
    craft_for_members,
    random_of_same_size,
)
from nymity_robust.checkpoints import fingerprint
from nymity_robust.criteria import Criterion, Misclassified
from nymity_robust.device import describe_device
from nymity_robust.ensemble import StackedEnsemble
from nymity_robust.evaluation import wishes_of
from nymity_robust.half_ensemble import HalfEnsemble
from nymity_robust.images import LabelledImages
from nymity_robust.noise import LaplaceNoise, replayable
from nymity_robust.noisy_logit import NoisyEnsemble
from nymity_robust.review.bounded import KINDS, bounded_attacks
from nymity_robust.review.masking import Check, checks, surface
from nymity_robust.review.scrutiny import Scrutiny
from nymity_robust.review.standing import Standing, count_answers, stand
from nymity_robust.review.surface_picture import surface_svg
from nymity_robust.samples import answer_samples
from nymity_robust.seeds import derive
from nymity_robust.voting import EnsembleVoting

#: What a review consists of.
PARTS = ("curves", "bookkeeping", "bounded", "masking", "samples")

#: The piece with the loss surface.
SURFACE = "masking-surface"

#: Attackers of the curves: without noise, then by draws averaged.
ATTACKERS = ("partial", "whole", "1", "4", "16", "64")


class Review:
    """The members, their noise and the images under review, and a folder with the pieces that are made.

    ``batch`` bounds how many inputs (pairs × draws × members) are in work at a time, and so the size of a piece.
    ``half``: attackers compute in half precision (:mod:`nymity_robust.half_ensemble`); who answers them does not.
    ``left`` says how many seconds there are; a piece is begun only if the one before it, of its kind, would fit.
    """

    def __init__(
        self,
        scrutiny: Scrutiny,
        ensemble: StackedEnsemble,
        noise: LaplaceNoise,
        data: LabelledImages,
        folder: Path,
        *,
        batch: int = 256,
        half: bool = False,
        left: Callable[[], float] = lambda: float("inf"),
        observe: Observer = silent,
    ) -> None:
        self.scrutiny, self.data, self.folder = scrutiny, data, folder
        self.batch, self.left, self.observe = batch, left, observe
        self.noise, self.noisy = noise, NoisyEnsemble(ensemble, noise)
        self.defence = EnsembleVoting(self.noisy)
        self.attacked = EnsembleVoting(NoisyEnsemble(HalfEnsemble(ensemble), noise)) if half else self.defence
        self.image, self.criterion = _by_rounds(*wishes_of(data, scrutiny.wishes), images=len(data))
        members = fingerprint(*ensemble.weights.values(), ensemble.temperatures)
        self.identity = json.loads(
            json.dumps(
                {
                    "scrutiny": asdict(scrutiny),
                    "members": members,
                    "noise": noise.b,
                    "batch": batch,
                    "images": fingerprint(data.images, data.labels),
                }
                | ({"attackers": "half precision"} if half else {})
            )
        )
        self._took: dict[str, tuple[float, float]] = {}  # the costliest piece of each sort, and its seconds

    def curves(self, attackers: tuple[str, ...], confidences: tuple[float, ...], *, pairs: int | None = None) -> None:
        """Attack the first ``pairs`` pairs (all unless given) in every way; every image comes once in each round."""
        for attacker in attackers:
            one_of("attacker", attacker, ATTACKERS)
        size = min(len(self.criterion), pairs or len(self.criterion))
        for attacker in attackers:
            step = self._step(attacker)
            for first in range(0, size, step):
                for confidence in confidences:
                    rows = slice(first, min(first + step, len(self.criterion)))
                    name = f"curves-{attacker}-{confidence:g}-{first}"
                    self._piece(name, attacker, partial(self._curve, attacker, confidence, rows, name))

    def bookkeeping(self) -> None:
        """Make examples for every noisy member in both ways, superimpose them, and submit them to the noisy vote."""
        step = max(1, self.batch // len(self.noisy))
        again = self.scrutiny.attack
        published = CarliniWagnerAsPublished(**asdict(again))
        for first in range(0, len(self.criterion), step):
            rows = slice(first, first + step)
            for title, attack in (("again", again), ("as-published", published)):
                name = f"bookkeeping-{title}-{first}"
                self._piece(name, "bookkeeping", partial(self._superimposed, attack, rows, name))

    def bounded(self, kinds: tuple[str, ...] = KINDS) -> None:
        """Attack every image within each radius, towards any wrong label."""
        for kind in kinds:
            one_of("kind", kind, KINDS)
        for name, attack in bounded_attacks(self.scrutiny):
            if attack.kind in kinds:
                work = partial(self._within, attack.averaged(), attack.draws, name)
                self._piece(name, attack.sort, work, cost=attack.cost)

    def masking(self) -> None:
        """Make what the checks for masked gradients compare; pieces that other parts made are theirs too."""
        seed = derive(self.scrutiny.seed, SURFACE)
        look = partial(surface, self.scrutiny, self.defence, self.data, batch=self.batch, seed=seed)
        self._piece(SURFACE, SURFACE, look)
        for check in self._checks():
            for probe in check.probes():
                work = partial(self._within, probe.attack, probe.draws, probe.name)
                self._piece(probe.name, probe.sort, work, cost=probe.cost)

    def samples(self, samples: LabelledImages) -> None:
        """Attack the two samples of appendix B; the panels of its figures go to the folder ``figures``."""

        def show(name: str, picture: bytes) -> None:
            replace_file(self.folder / "figures" / f"{name}.png", lambda staged: staged.write_bytes(picture))

        def work() -> dict[str, Any]:
            answered = answer_samples(
                self.noisy.ensemble,
                self.noise,
                samples,
                self.scrutiny.attack,
                judged=self.scrutiny.judged,
                seed=derive(self.scrutiny.seed, "samples"),
                batch=self.batch,
                show=show,
            )
            return {"data": samples.name, "answered": answered}

        self._piece("samples", "samples", work)

    def gather(self) -> dict[str, Any]:
        """Sum up every piece that is there; written to ``review.json``, a loss surface to ``surface.svg``."""
        clean = self._clean()
        pieces = {path.stem: self._read(path) for path in sorted((self.folder / "pieces").glob("*.json"))}
        result: dict[str, Any] = {
            "identity": self.identity,
            "device": describe_device(self.data.images.device),
            "torch_version": torch.__version__,
            "data": self.data.name,
            "remark": self.data.remark,
            "pairs": len(self.criterion),
            "images": len(self.data),
            "clean": clean.summary(),
            "curves": _curve_table(pieces, clean, len(self.criterion)),
            "bookkeeping": _bookkeeping_table(pieces, len(self.criterion)),
            "bounded": [
                {"name": name, **{kind: Standing.of([pieces[name][kind]]).summary() for kind in ("made", "random")}}
                for name, _ in bounded_attacks(self.scrutiny)
                if name in pieces
            ],
            "masking": [check.judge(pieces) for check in self._checks()],
            "surface": _without_identity(pieces.get(SURFACE)),
            "samples": _without_identity(pieces.get("samples")),
            "hours": sum(piece["seconds"] for piece in pieces.values()) / 3600,
        }
        _write(self.folder / "review.json", result)
        if (found := result["surface"]) is not None:
            drawn = surface_svg(found, f"{self.data.name}: margin around clean images")
            replace_file(self.folder / "surface.svg", lambda staged: staged.write_text(drawn, encoding="utf-8"))
        return result

    # -- pieces ------------------------------------------------------------------------------------------------

    def _piece(self, name: str, sort: str, work: Callable[[], dict[str, Any]], *, cost: float = 1.0) -> None:
        """Make a piece, unless it is there or would not fit: by what the costliest piece of its sort took."""
        path = self.folder / "pieces" / f"{name}.json"
        if path.exists():
            self._spent(sort, cost, self._read(path)["seconds"])
            return
        most, took = self._took.get(sort, (cost, 0.0))
        if self.left() <= 1.1 * took * max(1, cost / most):
            return
        report(self.observe, Progress(stage=name))
        begun = time.perf_counter()
        found = work()
        seconds = time.perf_counter() - begun
        self._spent(sort, cost, seconds)
        _write(path, {"identity": self.identity, "seconds": seconds, **found})

    def _spent(self, sort: str, cost: float, seconds: float) -> None:
        self._took[sort] = max(self._took.get(sort, (0.0, 0.0)), (cost, seconds))

    def _curve(self, attacker: str, confidence: float, rows: slice, name: str) -> dict[str, Any]:
        inner = replace(self.scrutiny.attack, confidence=confidence)
        attack: ClassifierAttack
        if attacker == "partial":
            attack = PartialKnowledge(attack=inner, known=min(self.scrutiny.known, len(self.noisy)))
        elif attacker == "whole":
            attack = WholeEnsemble(attack=inner)
        else:
            attack = ExpectationOverTransformation(attack=inner, draws=int(attacker))
        image, criterion = self.image[rows], self.criterion.take(rows)
        # One seed for partial knowledge, so that every piece knows the same members.
        seed = derive(self.scrutiny.seed, "partial" if attacker == "partial" else name)
        made = attack.run(self.attacked, self.data.images[image], criterion, seed=seed, batch=len(criterion))
        return self._stand(made, image, name)

    def _checks(self) -> list[Check]:
        pixels = self.data.images[0].numel()
        return list(checks(self.scrutiny, len(self.noisy), pixels))

    def _within(self, attack: ClassifierAttack, draws: int, name: str) -> dict[str, Any]:
        criterion, image = Misclassified(labels=self.data.labels), torch.arange(len(self.data))
        batch = max(1, self.batch // (len(self.noisy) * draws))
        seed = derive(self.scrutiny.seed, name)
        made = attack.run(self.attacked, self.data.images, criterion, seed=seed, batch=batch)
        return self._stand(made, image.to(self.data.images.device), name)

    def _stand(self, made: AdversarialExamples, image: Tensor, name: str) -> dict[str, Any]:
        seed = derive(self.scrutiny.seed, "judge", name)
        control = random_of_same_size(made, seed=seed)
        found = {
            kind: stand(self.defence, examples, image=image, draws=self.scrutiny.judged, seed=seed).to_dict()
            for kind, examples in (("made", made), ("random", control))
        }
        return found | {"crafted": made.success.double().tolist()}

    def _superimposed(self, attack: CarliniWagner, rows: slice, name: str) -> dict[str, Any]:
        image, criterion = self.image[rows], self.criterion.take(rows)
        seed, judged = derive(self.scrutiny.seed, name), self.scrutiny.judged
        images = self.data.images[image]
        made = craft_for_members(attack, self.noisy, images, criterion, seed=seed, batch=self.batch)
        found: dict[str, Any] = {"single": self._own(made, image, derive(seed, "own"))}
        for count in (2, 3):
            both = Superimposition(count=count).combine(made)
            standing = stand(self.defence, both, image=image, draws=judged, seed=derive(seed, "judge", count))
            found[f"superimposition-{count}"] = standing.to_dict() | {"crafted": both.success.double().tolist()}
        return found

    def _own(self, made: AdversarialExamples, image: Tensor, seed: int) -> dict[str, Any]:
        """Ask each member again about the examples made for it; means over members, one entry per pair."""
        members, judged = len(self.noisy), self.scrutiny.judged
        own = made.images.unflatten(0, (members, -1))
        wished = torch.zeros(own.shape[:2], device=own.device)
        criterion = made.criterion.take(slice(0, own.shape[1]))
        with replayable(self.noisy, seed), torch.no_grad():
            for _ in range(judged):
                answered = self.noisy(own).argmax(-1)
                wished += torch.stack([criterion.reached(one) for one in answered])
        return {
            "image": image.tolist(),
            "crafted": made.success.double().view(members, -1).mean(0).tolist(),
            "holds_again": (wished / judged).mean(0).tolist(),
            "l2": made.distances().view(members, -1).mean(0).tolist(),
        }

    def _clean(self) -> Standing:
        seed = derive(self.scrutiny.seed, "clean")
        wish = Misclassified(labels=self.data.labels)
        right, wished = count_answers(self.defence, self.data.images, wish, draws=self.scrutiny.judged, seed=seed)
        return Standing(
            draws=self.scrutiny.judged,
            right=right.cpu(),
            wished=wished.cpu(),
            l2=torch.zeros(len(right)),
            image=torch.arange(len(right)),
        )

    def _step(self, attacker: str) -> int:
        draws = int(attacker) if attacker.isdigit() else 1
        return max(1, min(len(self.criterion), self.batch // (len(self.noisy) * draws)))

    def _read(self, path: Path) -> dict[str, Any]:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if kept["identity"] != self.identity:
            raise FileError(
                str(path), expected="a piece of the same review", got="one of another", hint="choose another folder"
            )
        return kept


def _by_rounds(image: Tensor, criterion: Criterion, *, images: int) -> tuple[Tensor, Criterion]:
    """Order pairs so that every image comes once before any comes again, each round with mixed targets."""
    per = len(image) // images
    row = torch.arange(images, device=image.device)
    order = torch.cat([row * per + (row + turn) % per for turn in range(per)])
    return image[order], criterion.take(order)


def _curve_table(pieces: dict[str, dict[str, Any]], clean: Standing, pairs: int) -> list[dict[str, Any]]:
    cells: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for name, piece in pieces.items():
        if name.startswith("curves-"):
            _, attacker, kappa, _ = name.split("-")
            cells.setdefault((attacker, float(kappa)), []).append(piece)
    table = []
    for (attacker, confidence), found in sorted(cells.items(), key=lambda cell: _rank(*cell[0])):
        made, random = (Standing.of([piece[kind] for piece in found]) for kind in ("made", "random"))
        crafted = [value for piece in found for value in piece["crafted"]]
        table.append(
            {
                "attacker": attacker,
                "confidence": confidence,
                "of_pairs": pairs,
                **made.summary(),
                "crafted": sum(crafted) / len(crafted),
                "by_l2": [made.right_within(radius / 2, clean) for radius in range(17)],
                "random": random.summary(),
                "hours": sum(piece["seconds"] for piece in found) / 3600,
            }
        )
    return table


def _rank(attacker: str, confidence: float) -> tuple[int, float]:
    return ATTACKERS.index(attacker), confidence


def _bookkeeping_table(pieces: dict[str, dict[str, Any]], pairs: int) -> list[dict[str, Any]]:
    table = []
    for title in ("again", "as-published"):
        found = [piece for name, piece in pieces.items() if name.startswith(f"bookkeeping-{title}-")]
        if not found:
            continue
        single = [piece["single"] for piece in found]
        entry: dict[str, Any] = {
            "bookkeeping": title,
            "of_pairs": pairs,
            "hours": sum(piece["seconds"] for piece in found) / 3600,
            "single": {
                key: float(torch.tensor([value for part in single for value in part[key]]).double().mean())
                for key in ("crafted", "holds_again", "l2")
            },
        }
        for count in (2, 3):
            parts = [piece[f"superimposition-{count}"] for piece in found]
            entry[f"superimposition-{count}"] = Standing.of(parts).summary()
        table.append(entry)
    return table


def _without_identity(piece: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if piece is None else {key: value for key, value in piece.items() if key != "identity"}


def _write(path: Path, value: Any) -> None:
    text = json.dumps(value, indent=1) + "\n"

    def write(staged: Path) -> None:
        staged.write_text(text, encoding="utf-8")

    replace_file(path, write)
