"""Attacks beside those of foolbox, where it is installed: the same gradient steps, and examples no farther away."""

from __future__ import annotations

import pytest
import torch
from robust_toys import tiny_data, trained

from nymity_robust import FGSM, CarliniWagner, IterativeFGSM, Misclassified, Targeted

foolbox = pytest.importorskip("foolbox", reason="a cross-check with foolbox where it is installed")


@pytest.fixture
def member() -> torch.nn.Module:
    return trained().member(0).eval()


@pytest.fixture
def peer(member: torch.nn.Module) -> object:
    return foolbox.PyTorchModel(member, bounds=(0, 1), device="cpu")


def test_gradient_steps_are_the_same(member: torch.nn.Module, peer: object) -> None:
    data = tiny_data("test")
    away = foolbox.criteria.Misclassification(data.labels)
    theirs = foolbox.attacks.LinfFastGradientAttack()(peer, data.images, away, epsilons=0.1)[1]
    ours = FGSM(epsilon=0.1).run(member, data.images, Misclassified(labels=data.labels))
    torch.testing.assert_close(ours.images, theirs)
    stepped = foolbox.attacks.LinfBasicIterativeAttack(abs_stepsize=0.02, steps=10, random_start=False)
    theirs = stepped(peer, data.images, away, epsilons=0.1)[1]
    ours = IterativeFGSM(epsilon=0.1, step=0.02, steps=10).run(member, data.images, Misclassified(labels=data.labels))
    torch.testing.assert_close(ours.images, theirs)


def test_carlini_wagner_reaches_as_many_targets_no_farther_away(member: torch.nn.Module, peer: object) -> None:
    data = tiny_data("test").take(slice(0, 12))
    targets = (data.labels + 1).remainder(4)
    attack = foolbox.attacks.L2CarliniWagnerAttack(
        binary_search_steps=4, steps=60, stepsize=0.1, initial_const=1.0, abort_early=False
    )
    _, theirs, reached = attack(peer, data.images, foolbox.criteria.TargetedMisclassification(targets), epsilons=None)
    wanted = Targeted(labels=data.labels, targets=targets)
    ours = CarliniWagner(searches=4, steps=60).run(member, data.images, wanted)
    assert ours.success.sum() >= reached.sum()
    both = ours.success & reached
    away = (theirs - data.images).flatten(1).norm(dim=1)
    assert both.any()
    assert ours.distances()[both].mean() <= 1.02 * away[both].mean()


@pytest.mark.parametrize("kappa", [0.0, 5.0, 20.0])
def test_carlini_wagner_reaches_the_margin_as_often(member: torch.nn.Module, peer: object, kappa: float) -> None:
    """A first c far too small and few steps: most searches fail, and their last points must not be chosen."""
    data = tiny_data("test").take(slice(0, 24))
    wanted = Targeted(labels=data.labels, targets=(data.labels + 1).remainder(4))
    attack = foolbox.attacks.L2CarliniWagnerAttack(
        binary_search_steps=6, steps=30, stepsize=0.1, initial_const=0.01, abort_early=False, confidence=kappa
    )
    wish = foolbox.criteria.TargetedMisclassification(wanted.targets)
    theirs = attack(peer, data.images, wish, epsilons=None)[1]
    reached = wanted.margin(member(theirs)) <= -kappa + 1e-3
    assert reached.any()
    away = (theirs - data.images).flatten(1).norm(dim=1)
    for continued in (True, False):
        made = CarliniWagner(searches=6, steps=30, constant=0.01, confidence=kappa, continued=continued)
        ours = made.run(member, data.images, wanted)
        mine = wanted.margin(member(ours.images)) <= -kappa + 1e-3
        assert mine[reached].all()
        assert ours.distances()[reached].mean() <= 1.02 * away[reached].mean()
