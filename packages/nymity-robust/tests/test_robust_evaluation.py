"""Intervals, evaluation, its page, and data."""

from __future__ import annotations

import gzip
import io
import json
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from robust_toys import tiny_data, trained
from torch import Tensor

from nymity.core.errors import FileError, ParameterError
from nymity_robust import (
    FGSM,
    CarliniWagner,
    EnsembleVoting,
    LaplaceNoise,
    NoisyEnsemble,
    Resubmission,
    SingleNetwork,
    WholeEnsemble,
    clopper_pearson,
    evaluate,
    generated,
    load_images,
    measured_rate,
)
from nymity_robust import data as robust_data
from nymity_robust.evaluation_html import evaluation_page, png

BRIEF = CarliniWagner(searches=2, steps=25)


# -- intervals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # known values of the exact interval at 95%
        (0, 10, 0.0, 0.3085),
        (5, 10, 0.1871, 0.8129),
        (9, 9, 0.6637, 1.0),
        (81, 263, 0.2527, 0.3676),
    ],
)
def test_clopper_pearson_gives_the_published_limits(successes: int, trials: int, low: float, high: float) -> None:
    assert clopper_pearson(successes, trials, error=0.05) == pytest.approx((low, high), abs=5e-5)


def test_clopper_pearson_inverts_the_binomial_distribution() -> None:
    """At the lower limit, exactly 2.5% of all draws have as many successes or more."""
    from math import comb

    low, high = clopper_pearson(7, 40, error=0.05)
    above = sum(comb(40, i) * low**i * (1 - low) ** (40 - i) for i in range(7, 41))
    below = sum(comb(40, i) * high**i * (1 - high) ** (40 - i) for i in range(8))
    assert above == pytest.approx(0.025, rel=1e-9)
    assert below == pytest.approx(0.025, rel=1e-9)


def test_examples_of_one_image_do_not_count_as_independent() -> None:
    granted = torch.tensor([True] * 30 + [False] * 30)
    alone = measured_rate(granted)
    by_image = measured_rate(granted, torch.arange(60) // 10)  # six images, all ten of each agree
    assert alone.value == by_image.value == 0.5
    assert by_image.images == 6
    assert by_image.high - by_image.low > 1.8 * (alone.high - alone.low)
    mixed = measured_rate(torch.tensor([True, False] * 30), torch.arange(60) // 10)  # images do not differ
    assert mixed.high - mixed.low == pytest.approx(alone.high - alone.low)
    everything = measured_rate(torch.ones(50, dtype=torch.bool), torch.arange(50) // 5)
    assert everything.low == pytest.approx(clopper_pearson(10, 10, error=0.05)[0])


# -- evaluation ----------------------------------------------------------------------------------------------


def test_an_evaluation_counts_what_the_defence_answers() -> None:
    data = tiny_data("test").take(slice(0, 6))
    attacks = {"one network": SingleNetwork(attack=BRIEF), "whole ensemble": WholeEnsemble(attack=BRIEF)}
    found = evaluate(EnsembleVoting(trained()), attacks, data, name="vote", seed=1)
    assert found.heading == "transfer and adaptive attacks"
    assert found.clean.value == 1.0
    assert found.clean.n == 6
    single, whole = found.outcomes
    assert single.correct.n == 6 * 3 * 3  # images, targets, members
    assert single.correct.images == 6
    for outcome in found.outcomes:
        assert outcome.correct.count + outcome.target.count + outcome.other.count == outcome.correct.n
        assert sum(one.n for one in outcome.curve) == outcome.correct.n
        assert outcome.mean_l2 > 0
    assert whole.target.value > 0.9
    assert whole.crafted.count == whole.target.count  # without noise, the vote answers as the attack was told
    assert single.target.value < whole.target.value
    assert single.member_accuracy is not None
    json.dumps(found.to_dict())


def test_without_an_adaptive_attack_the_heading_says_so() -> None:
    data = tiny_data("test").take(slice(0, 2))
    voting = EnsembleVoting(trained())
    assert evaluate(voting, {"fgsm": FGSM()}, data, wishes="next-label").heading == "transfer attacks only"
    assert evaluate(voting, {}, data).heading == "no attack"
    untargeted = evaluate(trained().member(0), {"fgsm": FGSM()}, data, wishes="untargeted").outcomes[0]
    assert untargeted.target.count == 0
    assert untargeted.member_accuracy is None


def test_resubmission_helps_the_attacker_and_runs_repeat() -> None:
    data = tiny_data("test").take(slice(0, 5))
    noisy = EnsembleVoting(NoisyEnsemble(trained(), LaplaceNoise(b=0.3)))
    whole = WholeEnsemble(attack=BRIEF)
    attacks = {"once": whole, "ten times": Resubmission(attack=whole, tries=10)}
    first = evaluate(noisy, attacks, data, wishes="next-label", seed=2)
    again = evaluate(noisy, attacks, data, wishes="next-label", seed=2)
    once, often = first.outcomes
    assert often.submissions == 10
    assert often.target.count >= once.target.count
    for one, other in zip(first.outcomes, again.outcomes, strict=True):
        assert one.to_dict() | {"seconds": 0} == other.to_dict() | {"seconds": 0}
    with pytest.raises(ParameterError, match="wishes"):
        evaluate(noisy, attacks, data, wishes="everything")


def test_the_page_holds_tables_and_grids() -> None:
    data = tiny_data("test").take(slice(0, 3))
    found = evaluate(EnsembleVoting(trained()), {"f<g>sm": FGSM()}, data, name="a & b", wishes="next-label")
    page = evaluation_page([found])
    assert "transfer attacks only" in page
    assert "a &amp; b" in page
    assert "f&lt;g&gt;sm" in page
    assert page.count("<img") == 6
    assert "http" not in page


def test_a_png_holds_the_pixels() -> None:
    image = torch.tensor([[[0.0, 1.0], [0.5, 0.2]]])
    assert np.asarray(Image.open(io.BytesIO(png(image)))).tolist() == [[0, 255], [128, 51]]
    colours = torch.stack([image[0], 1 - image[0], image[0] * 0])
    found = np.asarray(Image.open(io.BytesIO(png(colours))))
    assert found.tolist() == [[[0, 255, 0], [255, 0, 0]], [[128, 128, 0], [51, 204, 0]]]


# -- data ----------------------------------------------------------------------------------------------------


def write_mnist(folder: Path, count: int = 4) -> Tensor:
    pixels = np.arange(count * 28 * 28, dtype=np.uint8).reshape(count, 28, 28)
    folder.mkdir(parents=True)
    for stem in ("train", "t10k"):
        header = bytes([0, 0, 8, 3]) + struct.pack(">III", count, 28, 28)
        (folder / f"{stem}-images-idx3-ubyte.gz").write_bytes(gzip.compress(header + pixels.tobytes()))
        header = bytes([0, 0, 8, 1]) + struct.pack(">I", count)
        (folder / f"{stem}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(header + bytes(range(count))))
    return torch.from_numpy(pixels.astype(np.float32)) / 255


def test_mnist_is_read_from_idx_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NYMITY_DATA", str(tmp_path))
    pixels = write_mnist(tmp_path / "mnist")
    data = load_images("mnist")
    assert data.shape == (1, 28, 28)
    assert torch.equal(data.images[:, 0], pixels)
    assert data.labels.tolist() == [0, 1, 2, 3]
    (tmp_path / "mnist/train-images-idx3-ubyte.gz").write_bytes(gzip.compress(b"something else"))
    with pytest.raises(FileError, match="a gzipped idx file"):
        load_images("mnist")
    (tmp_path / "mnist/t10k-labels-idx1-ubyte.gz").write_bytes(b"not gzip")
    with pytest.raises(FileError, match="a gzipped idx file"):
        load_images("mnist", "test")


def test_cifar10_is_decoded_and_says_that_it_is_lossy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever decodes the files: here every file is one byte, the brightness."""
    monkeypatch.setenv("NYMITY_DATA", str(tmp_path))
    monkeypatch.setattr(
        robust_data, "_jpeg_decoder", lambda: lambda content: np.full((32, 32, 3), content[0], dtype=np.uint8)
    )
    (tmp_path / "cifar10").mkdir()
    labels = np.array([7, 1], dtype=np.uint8)
    np.savez(
        tmp_path / "cifar10/cifar10_test_jpeg.npz",
        jpeg=np.array([255, 0], dtype=np.uint8),
        offsets=np.arange(3),
        labels=labels,
    )
    data = load_images("cifar10", "test")
    assert data.images.flatten(1).mean(1).tolist() == [1.0, 0.0]
    assert data.shape == (3, 32, 32)
    assert "JPEG" in data.remark
    (tmp_path / "cifar10/cifar10_train_jpeg.npz").write_bytes(b"no archive")
    with pytest.raises(FileError, match="an npz"):
        load_images("cifar10")


def test_jpeg_files_are_decoded_by_pillow() -> None:
    file = io.BytesIO()
    Image.new("RGB", (32, 32), (255, 128, 0)).save(file, "JPEG")
    decoded = robust_data._jpeg_decoder()(file.getvalue())
    assert decoded.shape == (32, 32, 3)
    assert np.abs(decoded.astype(int) - [255, 128, 0]).max() < 6


def test_missing_data_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NYMITY_DATA", raising=False)
    with pytest.raises(FileError, match="NYMITY_DATA is not set"):
        load_images("mnist")
    monkeypatch.setenv("NYMITY_DATA", str(tmp_path))
    with pytest.raises(FileError, match="no such file"):
        load_images("cifar10")
    with pytest.raises(ParameterError, match="did you mean 'mnist'"):
        load_images("mnits")


def test_generated_images_follow_from_the_seed() -> None:
    assert torch.equal(generated(20).images, generated(20).images)
    assert not torch.equal(generated(20).images, generated(20, seed=1).images)
    assert not torch.equal(generated(20).images, generated(20, split="test").images)
    assert load_images("generated", "test").labels.bincount().tolist() == [40] * 10
