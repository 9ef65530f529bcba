"""Half precision: the kernels in Triton's interpreter, against torch's convolutions in single precision.

Where weights are -1, 0 or 1 and pixels multiples of 1/4, half precision holds all sums: then logits and slopes are the
same to the last bit, ties in pooling included.
"""

from __future__ import annotations

import os
from dataclasses import replace
from math import prod
from pathlib import Path

import pytest
import torch
from robust_toys import tiny_data, trained
from test_robust_review import LEAST

from nymity.core.errors import MissingExtraError, ParameterError
from nymity_robust import Architecture, CarliniWagner, EnsembleVoting, LaplaceNoise, NoisyEnsemble, StackedEnsemble
from nymity_robust.half_ensemble import HalfEnsemble
from nymity_robust.review import Review

os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported: there is no GPU
pytest.importorskip("triton", reason="the kernels need Triton: pip install 'nymity-robust[gpu]'")


def coarse(architecture: Architecture, members: int, seed: int) -> StackedEnsemble:
    """Members whose weights are -1, 0 or 1, about five of those that a unit adds up not 0."""
    source = torch.Generator().manual_seed(seed)

    def drawn(shape: tuple[int, ...]) -> torch.Tensor:
        kept = torch.rand(shape, generator=source) < 5 / prod(shape[2:])
        return kept * (2.0 * torch.randint(0, 2, shape, generator=source) - 1)

    weights: dict[str, torch.Tensor] = {}
    for name, (out, *rest) in architecture.layers.items():
        weights[f"{name}.weight"] = drawn((members, out, *rest))
        weights[f"{name}.bias"] = torch.randint(-1, 2, (members, out), generator=source).float()
    return StackedEnsemble(architecture, weights, torch.full((members,), 2.0))


def asked(ensemble: StackedEnsemble | HalfEnsemble, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    images = images.clone().requires_grad_()
    logits = ensemble.normalized(images)
    (slope,) = torch.autograd.grad((2 * logits[..., 0] - logits[..., 1]).sum(), images)
    return logits.detach(), slope


@pytest.mark.parametrize(
    "architecture",
    [
        Architecture(shape=(1, 16, 16), channels=(8, 8), hidden=16, classes=4),
        Architecture(shape=(3, 18, 17), channels=(16, 20), hidden=12, classes=3),  # sides that pooling cuts
    ],
    ids=["one colour", "three colours"],
)
def test_where_nothing_is_rounded_answers_and_slopes_are_the_same_bits(architecture: Architecture) -> None:
    stacked = coarse(architecture, members=2, seed=4)
    half = HalfEnsemble(stacked)
    images = torch.randint(0, 5, (2, 2, *architecture.shape), generator=torch.Generator().manual_seed(5)) / 4
    for seen in (images, images[0, :1]):  # images of each member's own, and such that all see
        logits, slope = asked(stacked, seen)
        assert logits.unique().numel() > 4
        assert (slope != 0).double().mean() > 0.02
        found, back = asked(half, seen)
        assert torch.equal(found, logits)
        assert torch.equal(back, slope)


def test_trained_members_answer_as_before_but_for_rounding_however_small_slopes_are() -> None:
    stacked, images = trained(), tiny_data("test").images[:2]
    half = HalfEnsemble(stacked)
    logits, slope = asked(stacked, images)
    found, back = asked(half, images)
    assert float((found - logits).norm() / logits.norm()) < 2e-3
    assert float((back - slope).norm() / slope.norm()) < 0.1  # a ReLU or a pool that turns moves a slope a lot
    tiny = images.clone().requires_grad_()
    (small,) = torch.autograd.grad(1e-9 * (lambda z: 2 * z[..., 0] - z[..., 1])(half.normalized(tiny)).sum(), tiny)
    torch.testing.assert_close(1e9 * small, back, rtol=1e-3, atol=1e-6)
    part = half.subset([2, 0])
    torch.testing.assert_close(part(images), half(images)[[2, 0]])
    assert len(part) == 2


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:overflow:RuntimeWarning")  # a GPU is silent
@pytest.mark.parametrize("name", ["conv2.weight", "logits.weight"], ids=["answers", "slopes"])
def test_members_that_half_precision_cannot_hold_are_refused(name: str) -> None:
    stacked = trained()
    large = {**stacked.weights, name: stacked.weights[name] * 1e6}
    half = HalfEnsemble(StackedEnsemble(stacked.architecture, large, stacked.temperatures))
    with pytest.raises(ParameterError, match="at most 65,504 on the way"):
        asked(half, tiny_data("test").images[:1])


def test_what_half_precision_needs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from triton import knobs

    with monkeypatch.context() as patch:
        patch.setattr(knobs.runtime, "interpret", False)
        with pytest.raises(ParameterError, match="expected members on a GPU, got cpu"):
            HalfEnsemble(trained())
    monkeypatch.setattr("nymity_robust.half_ensemble.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install \"nymity-robust\[gpu\]\""):
        HalfEnsemble(trained())


def test_only_attackers_compute_in_half_precision(tmp_path: Path) -> None:
    data = tiny_data("test").take(slice(0, 2))
    least = replace(LEAST, attack=CarliniWagner(searches=1, steps=1), judged=2)
    made = Review(least, trained(), LaplaceNoise(b=0.1), data, tmp_path, batch=6, half=True)
    assert isinstance(made.attacked.ensemble, NoisyEnsemble)
    assert isinstance(made.attacked.ensemble.ensemble, HalfEnsemble)
    assert isinstance(made.defence, EnsembleVoting)
    assert isinstance(made.noisy.ensemble, StackedEnsemble)
    made.curves(("1",), (0.0,), pairs=2)
    assert made.identity["attackers"] == "half precision"
    row = made.gather()["curves"][0]
    assert row["examples"] == 2
