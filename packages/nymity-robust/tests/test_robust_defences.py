"""Noise, Noisy Logit, Ensemble Voting, criteria, distances."""

from __future__ import annotations

import math

import pytest
import torch
from robust_toys import linear, tiny_data, trained
from torch import Tensor, nn

from nymity.core.errors import ParameterError
from nymity_robust import (
    L2,
    Committee,
    EnsembleVoting,
    GaussianNoise,
    LabelledImages,
    LaplaceNoise,
    Misclassified,
    NoisyEnsemble,
    NoisyLogit,
    Norm,
    RelativePerturbation,
    Targeted,
    choose_device,
    every_target,
    labels,
    replayable,
)


class Recorder(nn.Module):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Tensor] = []
        self.inner = nn.Flatten()

    def forward(self, images: Tensor) -> Tensor:
        self.seen.append(images)
        return self.inner(2 * images)


class Fixed(nn.Module):
    """Always names one label of five."""

    def __init__(self, label: int) -> None:
        super().__init__()
        self.label = label

    def forward(self, images: Tensor) -> Tensor:
        return torch.eye(5)[self.label].expand(len(images), 5)


def test_noise_is_drawn_anew_for_each_query_and_acts_on_the_input() -> None:
    recorder, images = Recorder(), torch.full((50, 1, 20, 20), 0.5)
    noisy = NoisyLogit(recorder, LaplaceNoise(b=0.5))
    first, second = noisy(images), noisy(images)
    assert not torch.equal(recorder.seen[0], recorder.seen[1])
    assert not torch.equal(recorder.seen[0][0], recorder.seen[0][1])  # each image of a batch has its own
    assert torch.equal(first, (2 * recorder.seen[0]).flatten(1))  # the answer is that to the noisy input
    assert torch.equal(second, (2 * recorder.seen[1]).flatten(1))
    drawn = recorder.seen[0] - images
    assert abs(float(drawn.mean())) < 0.02
    assert abs(float(drawn.abs().mean()) - 0.5) < 0.02  # E|x| = b
    assert abs(float(drawn.std()) - 0.5 * math.sqrt(2)) < 0.03
    assert float(recorder.seen[0].min()) < 0  # nothing is clipped


def test_every_layer_answers_from_the_noisy_input() -> None:
    recorder, images = Recorder(), torch.rand((3, 1, 4, 4))
    noisy = NoisyLogit(recorder, GaussianNoise(sigma=0.1))
    at_layer = noisy.at("inner", images)
    assert torch.equal(at_layer, (2 * recorder.seen[0]).flatten(1))
    network = NoisyLogit(trained().member(0), LaplaceNoise(b=0.1))
    assert network.at("hidden1", tiny_data("test").images).shape == (60, 32)
    with pytest.raises(ParameterError, match="did you mean 'hidden1'"):
        network.at("hiden1", images)


def test_a_seed_makes_the_noise_replayable_and_goes_away_again() -> None:
    noisy, images = NoisyLogit(nn.Flatten(), LaplaceNoise(b=1.0)), torch.rand((2, 1, 3, 3))
    with replayable(noisy, 5):
        first, then = noisy(images), noisy(images)
    with replayable(noisy, 5):
        again = noisy(images)
    assert torch.equal(first, again)
    assert not torch.equal(first, then)
    assert not torch.equal(noisy(images), again)


def test_no_noise_changes_nothing() -> None:
    images = tiny_data("test").images
    quiet = NoisyEnsemble(trained(), LaplaceNoise(b=0))
    torch.testing.assert_close(quiet(images), trained()(images), rtol=1e-4, atol=1e-3)


def test_members_draw_noise_of_their_own_unless_it_is_shared() -> None:
    images, members = torch.rand((2, 1, 3, 3)), Committee([nn.Flatten(), nn.Flatten()])
    own = NoisyEnsemble(members, GaussianNoise(sigma=1))(images)
    shared = NoisyEnsemble(members, GaussianNoise(sigma=1), shared=True)(images)
    assert not torch.equal(own[0], own[1])
    assert torch.equal(shared[0], shared[1])


def test_most_votes_win_and_ties_go_to_the_smallest_label() -> None:
    images = torch.rand((1, 1, 2, 2))
    for votes, winner in (([3, 3, 1], 3), ([4, 1], 1), ([2, 4, 4, 2, 0], 2), ([0], 0), ([4, 3, 2, 1], 1)):
        voting = EnsembleVoting(Committee([Fixed(label) for label in votes]))
        assert labels(voting, images).tolist() == [winner]
        assert voting(images)[0].tolist() == [votes.count(label) for label in range(5)]


def test_the_surrogate_is_differentiable_and_divides_by_temperature() -> None:
    images = tiny_data("test").images[:4].clone().requires_grad_()
    for ensemble in (trained(), NoisyEnsemble(trained(), LaplaceNoise(b=0.05))):
        (slope,) = torch.autograd.grad(EnsembleVoting(ensemble).surrogate(images).sum(), images)
        assert (slope.flatten(1).norm(dim=1) > 0).all()
    divided = torch.stack([trained().member(i)(images) / (10 * (i + 1)) for i in range(3)])
    torch.testing.assert_close(EnsembleVoting(trained()).surrogate(images), divided, rtol=1e-4, atol=1e-4)


def test_margins_are_negative_exactly_where_the_wish_is_granted() -> None:
    logits = torch.tensor([[1.0, 3.0, 2.0], [5.0, 0.0, 1.0]])
    wanted = Targeted(labels=torch.tensor([0, 1]), targets=torch.tensor([1, 2]))
    assert wanted.margin(logits).tolist() == [-1.0, 4.0]
    assert wanted.holds(logits).tolist() == [True, False]
    wrong = Misclassified(labels=torch.tensor([1, 1]))
    assert wrong.margin(logits).tolist() == [1.0, -5.0]
    assert wrong.holds(logits).tolist() == [False, True]
    other = logits + torch.tensor([0.0, 0.0, 9.0])  # names 2 for both
    draws = torch.stack([logits, other, other])
    assert wanted.margin(draws).shape == (3, 2)
    assert wanted.holds(draws).tolist() == [False, True]  # what most draws name
    assert wanted.holds(logits, confidence=0.9).tolist() == [True, False]
    assert wanted.holds(logits, confidence=1.1).tolist() == [False, False]
    assert wrong.holds(logits, confidence=5.1).tolist() == [False, False]


def test_every_image_meets_every_other_label() -> None:
    index, wanted = every_target(torch.tensor([2, 0]), 4)
    assert index.tolist() == [0, 0, 0, 1, 1, 1]
    assert wanted.targets.tolist() == [0, 1, 3, 1, 2, 3]


def test_distances() -> None:
    one, other = torch.zeros((2, 1, 2, 2)), torch.zeros((2, 1, 2, 2))
    other[0, 0, 0] = torch.tensor([3.0, -4.0])
    assert L2(other, one).tolist() == [5.0, 0.0]
    assert Norm(name="l1")(other, one).tolist() == [7.0, 0.0]
    assert Norm(name="l0")(other, one).tolist() == [2.0, 0.0]
    assert Norm(name="linf")(other, one).tolist() == [4.0, 0.0]
    assert RelativePerturbation()(one, other).tolist() == [1.0, 0.0]


def test_bad_input_is_refused() -> None:
    good = torch.rand((2, 1, 4, 4))
    label = torch.tensor([0, 1])
    with pytest.raises(ParameterError, match="pixels from 0 to 1, got pixels from 0 to 255"):
        LabelledImages(name="x", images=torch.tensor([0.0, 255.0]).view(2, 1, 1, 1), labels=label)
    with pytest.raises(ParameterError, match="pixels from 0 to 1"):
        LabelledImages(name="x", images=good.index_fill(0, label[:1], math.nan), labels=label)
    with pytest.raises(ParameterError, match="float tensor"):
        LabelledImages(name="x", images=good[0], labels=label)
    with pytest.raises(ParameterError, match="float tensor"):
        LabelledImages(name="x", images=(good * 255).byte(), labels=label)
    with pytest.raises(ParameterError, match="at least one image"):
        LabelledImages(name="x", images=good[:0], labels=label[:0])
    with pytest.raises(ParameterError, match="labels from 0 to 9, got 10"):
        LabelledImages(name="x", images=good, labels=label + 9)
    with pytest.raises(ParameterError, match="2 labels"):
        LabelledImages(name="x", images=good, labels=label[:1])
    with pytest.raises(ParameterError, match="label 1 as target of image 1"):
        Targeted(labels=label, targets=torch.tensor([3, 1]))
    with pytest.raises(ParameterError, match="b: expected a number of at least 0, got -1"):
        LaplaceNoise(b=-1)
    with pytest.raises(ParameterError, match="sigma"):
        GaussianNoise(sigma=-0.1)
    if not torch.cuda.is_available():
        with pytest.raises(ParameterError, match="a GPU that torch can use"):
            choose_device("cuda")
    with pytest.raises(ParameterError, match="device"):
        choose_device("tpu")
    assert linear()(good).shape == (2, 4)
