"""Bounded attacks: the ball they stay in, Auto-PGD where the best point is known, beside PGD, and under noise."""

from __future__ import annotations

import pytest
import torch
from robust_toys import Linear, tiny_data, trained
from torch import Tensor, nn

from nymity.core.errors import ParameterError
from nymity_robust import (
    APGD,
    PGD,
    ExpectationOverTransformation,
    LaplaceNoise,
    Misclassified,
    NoisyLogit,
    Norm,
    Targeted,
    labels,
    replayable,
)
from nymity_robust.attacks.apgd import LOSSES, _Best, _checkpoints, logits_ratio
from nymity_robust.attacks.attack import GradientAttack, averaged, cross_entropy
from nymity_robust.attacks.ball import Ball

NORMS = ("linf", "l2")


def black_white_and_grey(count: int, pixels: int, seed: int) -> Tensor:
    """Images of which a third of the pixels is black, a third white: walls are near."""
    source = torch.Generator().manual_seed(seed)
    grey = torch.rand((count, 1, 1, pixels), generator=source)
    kind = torch.randint(0, 3, grey.shape, generator=source)
    return torch.where(kind == 0, 0.0, torch.where(kind == 1, 1.0, grey))


# -- the ball ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("size", [0.05, 1.0, 40.0])
def test_a_projection_is_the_nearest_point_of_the_ball_and_the_box(norm: str, size: float) -> None:
    """p is the nearest point of a convex set to z where (z − p) · (y − p) ≤ 0 for every y of the set."""
    images = black_white_and_grey(40, 6, seed=1)
    source = torch.Generator().manual_seed(2)
    wanted = images + size * torch.randn(images.shape, generator=source)
    ball = Ball(norm=norm, radius=0.4)
    found = ball.project(wanted, images)
    inside = Norm(name=norm)
    assert (inside(found, images) <= 0.4 + 1e-6).all()
    assert found.min() >= 0
    assert found.max() <= 1
    for _ in range(300):
        other = (images + 0.8 * (2 * torch.rand(images.shape, generator=source) - 1)).clamp(0, 1)
        allowed = inside(other, images) <= 0.4
        blocked = ((wanted - found) * (other - found)).flatten(1).sum(1)
        assert (blocked[allowed] <= 1e-5 * (1 + size)).all()
    again = ball.project(found, images)
    torch.testing.assert_close(again, found, rtol=0, atol=1e-6)


def test_what_is_inside_stays_and_what_is_wanted_of_walls_is_made_up_by_others() -> None:
    ball = Ball(norm="l2", radius=0.5)
    image = torch.tensor([0.0, 0.5, 1.0]).view(1, 1, 1, 3)
    near = image + torch.tensor([0.1, 0.2, -0.1]).view(1, 1, 1, 3)
    assert torch.equal(ball.project(near, image), near)
    assert torch.equal(ball.project(image, image), image)
    # Two pixels are pressed against walls, so that the third alone takes the whole radius.
    pressed = image + torch.tensor([-3.0, 0.6, 3.0]).view(1, 1, 1, 3)
    torch.testing.assert_close(ball.project(pressed, image).flatten(), torch.tensor([0.0, 1.0, 1.0]))


# -- known answers -------------------------------------------------------------------------------------------


def best_linear(images: Tensor, slope: Tensor, norm: str, radius: float) -> Tensor:
    """Return the point of the ball and the box where slope · x is least.

    In L∞ every pixel goes its own way. In L2 it is x − clip(t · slope) (Lagrange), with the t that uses up the radius.
    """
    if norm == "linf":
        return (images - radius * slope.sign()).clamp(0, 1)
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        moved = (images.double() - middle * slope.double()).clamp(0, 1)
        low, high = (middle, high) if (moved - images).norm() <= radius else (low, middle)
    return (images.double() - low * slope.double()).clamp(0, 1).float()


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("loss", list(LOSSES))
def test_on_a_linear_network_apgd_finds_the_best_point_of_the_ball(norm: str, loss: str) -> None:
    """Classes 0 and 1 answer ±w · x, two others never matter: both losses fall with w · x and nothing else."""
    source = torch.Generator().manual_seed(3)
    w = torch.randn(16, generator=source)
    zero = torch.zeros(16)
    for seed in range(4):
        images = black_white_and_grey(1, 16, seed=seed).view(1, 1, 4, 4)
        bias = torch.tensor([1.0 - float(w @ images.flatten()), float(w @ images.flatten()) - 1.0, -30.0, -31.0])
        model = Linear(torch.stack([w, -w, zero, zero]), bias)
        truth = labels(model, images)
        assert truth.tolist() == [0]
        exact = best_linear(images, w.view(1, 1, 4, 4), norm, 0.3)
        for wanted in (Misclassified(labels=truth), Targeted(labels=truth, targets=1 - truth)):
            made = APGD(epsilon=0.3, norm=norm, steps=100, loss=loss).run(model, images, wanted, seed=seed)
            gained = float(w @ (images - made.images).flatten())
            possible = float(w @ (images - exact).flatten())
            assert gained <= possible + 1e-4
            assert gained >= 0.999 * possible


def test_losses_are_what_the_paper_defines() -> None:
    logits = torch.tensor([[5.0, 3.0, 1.0, 0.0], [1.0, 4.0, 2.0, 3.0]], dtype=torch.float64)
    truth = torch.tensor([0, 0])
    any_wrong = logits_ratio(Misclassified(labels=truth))(logits)
    torch.testing.assert_close(any_wrong, torch.tensor([(5 - 3) / (5 - 1), (1 - 4) / (4 - 2)], dtype=torch.float64))
    target = logits_ratio(Targeted(labels=truth, targets=torch.tensor([1, 2])))(logits)
    expected = [(5 - 3) / (5 - (1 + 0) / 2), (1 - 2) / (4 - (2 + 1) / 2)]
    torch.testing.assert_close(target, torch.tensor(expected, dtype=torch.float64))
    scaled = logits_ratio(Misclassified(labels=truth))(1e6 * logits + 7)
    torch.testing.assert_close(scaled, any_wrong)
    assert _checkpoints(100) == {22, 41, 57, 70, 80, 87, 93, 99}
    assert _checkpoints(1) == {1}


# -- on small networks ---------------------------------------------------------------------------------------


class Cooled(nn.Module):
    """A member whose logits are divided by its temperature; undivided, cross entropy is 0 to the last digit."""

    def __init__(self) -> None:
        super().__init__()
        self.member = trained().member(0)

    def forward(self, images: Tensor) -> Tensor:
        answer: Tensor = self.member(images) / trained().temperatures[0]
        return answer


@pytest.mark.parametrize(("norm", "epsilon"), [("linf", 0.1), ("l2", 1.0)])
def test_apgd_lowers_the_loss_as_far_as_pgd_with_as_many_steps(norm: str, epsilon: float) -> None:
    data = tiny_data("test").take(slice(0, 24))
    model, wanted = Cooled(), Misclassified(labels=data.labels)
    reached: dict[str, Tensor] = {}
    fooled: dict[str, int] = {}
    attacks: dict[str, GradientAttack] = {
        "pgd": PGD(norm=norm, epsilon=epsilon, step=2.5 * epsilon / 30, steps=30),
        "apgd": APGD(norm=norm, epsilon=epsilon, steps=30),
        "dlr": APGD(norm=norm, epsilon=epsilon, steps=30, loss="dlr"),
    }
    for name, attack in attacks.items():
        made = attack.run(model, data.images, wanted, seed=5)
        assert (made.distances(Norm(name=norm)) <= epsilon + 1e-5).all()
        assert made.images.min() >= 0
        assert made.images.max() <= 1
        reached[name], fooled[name] = cross_entropy(wanted)(model(made.images)), int(made.success.sum())
        assert (reached[name] < cross_entropy(wanted)(model(data.images))).all()
    # Single images may end in another valley; all together are no worse off.
    assert float(reached["apgd"].mean()) <= float(reached["pgd"].mean()) + 0.01
    assert fooled["apgd"] >= fooled["pgd"]
    assert fooled["dlr"] >= fooled["pgd"] - 2


def test_apgd_follows_from_the_seed_and_treats_every_image_on_its_own() -> None:
    data = tiny_data("test").take(slice(0, 6))
    model, wanted = Cooled(), Misclassified(labels=data.labels)
    attack = APGD(norm="l2", epsilon=1.0, steps=15)
    whole = attack.run(model, data.images, wanted, seed=3)
    assert torch.equal(whole.images, attack.run(model, data.images, wanted, seed=3).images)
    torch.testing.assert_close(
        attack.run(model, data.images, wanted, seed=3, batch=2).images, whole.images, rtol=0, atol=1e-3
    )
    assert torch.equal(whole.success, wanted.reached(labels(model, whole.images)))


def test_under_noise_apgd_does_not_trust_a_lucky_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over fresh draws its examples do more than those of the published algorithm, which never asks again."""
    data = tiny_data("test").take(slice(0, 24))
    noisy, wanted = NoisyLogit(Cooled(), LaplaceNoise(b=0.3)), Misclassified(labels=data.labels)

    def fresh() -> float:
        attack = ExpectationOverTransformation(attack=APGD(norm="l2", epsilon=1.5, steps=30), draws=1)
        made = [attack.run(noisy, data.images, wanted, seed=seed).images for seed in range(3)]
        with replayable(noisy, 99), torch.no_grad():
            asked = [cross_entropy(wanted)(noisy(images)) for _ in range(30) for images in made]
        return float(averaged(torch.stack(asked)).mean())

    asked_again = fresh()
    monkeypatch.setattr(_Best, "ask_again", lambda best, seen: None)
    assert asked_again < fresh() - 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: APGD(epsilon=0), "APGD.epsilon"),
        (lambda: APGD(epsilon=float("nan")), "APGD.epsilon"),
        (lambda: APGD(steps=0), "APGD.steps"),
        (lambda: APGD(norm="l1"), "APGD.norm"),
        (lambda: APGD(loss="hinge"), "APGD.loss"),
        (lambda: Ball(norm="l0", radius=1.0), "Ball.norm"),
        (lambda: Ball(norm="l2", radius=-1.0), "Ball.radius"),
    ],
)
def test_bad_settings_are_refused(make: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()  # type: ignore[operator]


def test_the_ratio_of_logits_needs_classes_enough() -> None:
    images, truth = torch.full((1, 1, 1, 2), 0.5), torch.tensor([0])
    for classes, wanted in (
        (2, Misclassified(labels=truth)),
        (3, Targeted(labels=truth, targets=truth + 1)),
    ):
        model = Linear(torch.eye(classes, 2), torch.zeros(classes))
        with pytest.raises(ParameterError, match="classes"):
            APGD(loss="dlr", steps=2).run(model, images, wanted)
