"""Certificates against closed forms, brute force and attacks."""

from __future__ import annotations

from itertools import combinations, product
from math import exp, log, sqrt
from statistics import NormalDist

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from robust_toys import Linear, tiny_data, trained

from nymity.core.errors import ParameterError
from nymity_robust import (
    Committee,
    EnsembleVoting,
    GaussianNoise,
    LabelledImages,
    LaplaceNoise,
    NoisyEnsemble,
    NoisyLogit,
    Smoothing,
    certify_partition,
    certify_smoothing,
    partition_radii,
    smoothing_radius,
)

MANY = Smoothing(selection=50, draws=4000, error=0.001)


def halves(pixels: int = 4) -> tuple[Linear, LabelledImages]:
    """A linear classifier w · x > 2 with w = (1, 1, …), and one image on each side of the plane."""
    weight = torch.stack([torch.zeros(pixels), torch.ones(pixels)])
    images = torch.stack([torch.full((1, 1, pixels), 0.3), torch.full((1, 1, pixels), 0.8)])
    data = LabelledImages(name="halves", images=images, labels=torch.tensor([0, 1]), classes=2)
    return Linear(weight, torch.tensor([0.0, -2.0])), data


def test_radii_are_those_of_the_theorems() -> None:
    assert smoothing_radius(GaussianNoise(sigma=0.5), 0.99) == pytest.approx(0.5 * NormalDist().inv_cdf(0.99))
    assert smoothing_radius(LaplaceNoise(b=0.5), 0.99) == pytest.approx(0.5 * log(50))
    for p in (0.6, 0.9, 0.999):  # with p_B = 1 − p_A it is the larger of the two forms of Teng et al.
        two = max(0.25 * log(p / (1 - p)), -0.5 * log(1 - p + (1 - p)))
        assert smoothing_radius(LaplaceNoise(b=0.5), p) == pytest.approx(two)
    with pytest.raises(ParameterError, match=r"above 0\.5"):
        smoothing_radius(LaplaceNoise(b=1), 0.5)


def test_the_laplace_radius_is_tight_for_a_half_space() -> None:
    """One pixel, threshold at d: p = 1 − exp(−d / b) / 2, and the radius is d itself."""
    for d, b in product((0.1, 1.0), (0.3, 2.0)):
        assert smoothing_radius(LaplaceNoise(b=b), 1 - exp(-d / b) / 2) == pytest.approx(d)


def test_a_gaussian_certificate_never_exceeds_the_distance_to_the_plane() -> None:
    """For a half-space the smoothed boundary is the plane itself: the true radius is |w · x − 2| / ‖w‖."""
    model, data = halves()
    found = certify_smoothing(NoisyLogit(model, GaussianNoise(sigma=0.4)), data, MANY, seed=1)
    true = torch.tensor([0.8, 1.2], dtype=torch.float64) / 2
    assert found.unit == "L2"
    assert (found.radii <= true).all()
    assert (found.radii > 0.75 * true).all()
    assert found.answers.tolist() == [0, 1]
    assert found.accuracy_at(0.0) == 1.0
    assert found.accuracy_at(float(true.max())) == 0.0


def test_a_laplace_certificate_never_exceeds_what_an_attack_needs() -> None:
    """In L1 the plane is nearest along any axis, at |w · x − 2| / max |w|."""
    model, data = halves()
    found = certify_smoothing(NoisyLogit(model, LaplaceNoise(b=0.3)), data, MANY, seed=1)
    assert found.unit == "L1"
    assert (found.radii <= torch.tensor([0.8, 1.2])).all()
    assert (found.radii > 0).all()


@pytest.mark.parametrize(("noise", "divisor"), [(GaussianNoise(sigma=0.4), sqrt(5)), (LaplaceNoise(b=0.3), 5.0)])
def test_noise_of_their_own_divides_the_radius(noise: GaussianNoise | LaplaceNoise, divisor: float) -> None:
    """Five equal half-spaces that vote: averaging noise makes p larger, but the plane is where it was."""
    model, data = halves()
    members = Committee([model] * 5)
    own = certify_smoothing(EnsembleVoting(NoisyEnsemble(members, noise)), data, MANY, seed=1)
    shared = certify_smoothing(EnsembleVoting(NoisyEnsemble(members, noise, shared=True)), data, MANY, seed=1)
    true = torch.tensor([0.8, 1.2], dtype=torch.float64) / (2 if isinstance(noise, GaussianNoise) else 1)
    assert own.facts["radius_divisor"] == divisor
    assert shared.facts["radius_divisor"] == 1
    assert (own.radii <= true).all()
    assert (own.radii * divisor > true).any()  # undivided, it would promise too much
    assert (shared.radii <= true).all()


def test_what_cannot_be_certified_is_not() -> None:
    model, data = halves()
    far = certify_smoothing(NoisyLogit(model, GaussianNoise(sigma=100.0)), data, Smoothing(draws=50), seed=1)
    assert far.answers.tolist() == [-1, -1]
    assert far.radii.tolist() == [0, 0]
    assert far.to_dict()["abstained"] == 1.0
    with pytest.raises(ParameterError, match="noisy"):
        certify_smoothing(EnsembleVoting(trained()), data, MANY)


@given(votes=st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_the_partition_radius_is_that_of_brute_force(votes: list[int]) -> None:
    """Change any r members to any labels: the winner stays up to the radius, and falls right beyond it."""

    def winner(given: list[int]) -> int:
        return max(range(3), key=lambda label: (given.count(label), -label))

    def falls(r: int) -> bool:
        for chosen in combinations(range(len(votes)), r):
            for labels in product(range(3), repeat=r):
                changed = list(votes)
                for place, label in zip(chosen, labels, strict=True):
                    changed[place] = label
                if winner(changed) != winner(votes):
                    return True
        return False

    winners, radii = partition_radii(torch.tensor([[votes.count(label) for label in range(3)]]))
    radius = int(radii[0])
    assert int(winners[0]) == winner(votes)
    assert not falls(radius)
    assert radius == len(votes) or falls(radius + 1)


def test_a_vote_of_disjointly_trained_members_is_certified() -> None:
    data = tiny_data("test")
    found = certify_partition(trained(), data, hashed=False)
    assert found.unit == "training samples replaced"
    assert found.radii.max() == 1  # all three agree: one may change
    assert found.accuracy_at(1) > 0.8
    assert found.to_dict()["members"] == 3
