"""The confidence κ of Carlini-Wagner: reached wherever it can be, beside a plain implementation of the paper's loop."""

from __future__ import annotations

import pytest
import torch
from robust_toys import linear, tiny_data, trained
from torch import Tensor, nn

from nymity_robust import (
    CarliniWagner,
    EnsembleVoting,
    LaplaceNoise,
    NoisyEnsemble,
    Targeted,
    WholeEnsemble,
    labels,
    replayable,
)

#: A hard case: c begins far too small and has few steps, so most searches fail and leave a candidate near the image.
HARD = {"searches": 6, "steps": 30, "constant": 0.01}


def hard_wishes(count: int = 8) -> tuple[Tensor, Targeted]:
    data = tiny_data("test").take(slice(0, count))
    return data.images, Targeted(labels=data.labels, targets=(data.labels + 1) % 4)


def paper_example(
    model: nn.Module, image: Tensor, target: int, kappa: float, *, searches: int, steps: int, constant: float
) -> Tensor | None:
    """Carlini & Wagner (2017), VI-A, for one image: f6, tanh, Adam, search over c; the nearest with f = −κ or None."""
    low, high, c = 0.0, float("inf"), constant
    nearest, best = float("inf"), None
    for _ in range(searches):
        w = torch.atanh(0.999999 * (2 * image - 1)).requires_grad_()
        adam, reached = torch.optim.Adam([w], lr=0.1), False
        for _ in range(steps):
            moved = (torch.tanh(w) + 1) / 2
            z = model(moved[None])[0]
            others = torch.cat([z[:target], z[target + 1 :]])
            f = torch.clamp(others.max() - z[target], min=-kappa)
            length = (moved - image).square().sum()
            if (others.max() - z[target]).item() <= -kappa:
                reached = True
                if length.item() < nearest:
                    nearest, best = length.item(), moved.detach().clone()
            adam.zero_grad()
            (length + c * f).backward()
            adam.step()
        low, high = (low, c) if reached else (c, high)
        c = 10 * c if high == float("inf") else (low + high) / 2
    return best


@pytest.mark.parametrize("continued", [True, False])
@pytest.mark.parametrize("kappa", [0.0, 5.0, 20.0])
def test_the_margin_is_reached_where_the_paper_reaches_it_and_no_farther_away(kappa: float, continued: bool) -> None:
    images, wanted = hard_wishes()
    model = trained().member(0)
    ours = CarliniWagner(**HARD, confidence=kappa, continued=continued).run(model, images, wanted)
    reached = wanted.margin(model(ours.images)) <= -kappa + 1e-3
    compared = []
    for row, (image, target) in enumerate(zip(images, wanted.targets, strict=True)):
        theirs = paper_example(model, image, int(target), kappa, **HARD)
        if theirs is not None:
            assert reached[row], f"κ = {kappa} is missed for image {row}"
            compared.append((float(ours.distances()[row]), float((theirs - image).norm())))
    assert len(compared) >= 6
    mine, papers = (sum(values) for values in zip(*compared, strict=True))
    assert mine <= 1.02 * papers


def test_a_margin_out_of_reach_leaves_the_example_that_comes_nearest_to_it() -> None:
    """On a linear model the largest margin in the box is known; it is far beyond the boundary, though not by κ."""
    model, images = linear(classes=2), torch.full((1, 1, 4, 4), 0.5)
    truth = labels(model, images)
    wanted = Targeted(labels=truth, targets=1 - truth)
    gap = (model.weight[1 - truth] - model.weight[truth]).flatten()
    corner = (gap > 0).float().view(1, 1, 4, 4)
    most = float(-wanted.margin(model(corner)))
    made = CarliniWagner(searches=4, steps=200, confidence=most + 10).run(model, images, wanted)
    assert made.success.all()
    assert float(-wanted.margin(model(made.images))) > 0.95 * most


def test_under_noise_a_margin_in_the_choice_makes_examples_hold_again() -> None:
    """Of examples just beyond the boundary noise brings many back; with κ they hold, and lie farther away."""
    images, wanted = hard_wishes(12)
    noisy = EnsembleVoting(NoisyEnsemble(trained(), LaplaceNoise(b=0.3)))
    held, away = {}, {}
    for kappa in (0.0, 10.0):
        made = WholeEnsemble(attack=CarliniWagner(**HARD, confidence=kappa)).run(noisy, images, wanted)
        with replayable(noisy, 5):
            again = torch.stack([wanted.reached(labels(noisy, made.images)) for _ in range(20)])
        held[kappa], away[kappa] = float(again.float().mean()), float(made.distances().mean())
    assert held[10.0] > held[0.0] + 0.15, held
    assert away[10.0] > away[0.0]
