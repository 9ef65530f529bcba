"""Samples of appendix B: what votes answer to superimposed examples, and the pictures of them."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch
from PIL import Image
from robust_toys import tiny_data, trained

from nymity_robust import CarliniWagner, EnsembleVoting, LaplaceNoise, Superimposition, craft_for_members, labels
from nymity_robust.criteria import every_target
from nymity_robust.pictures import contact_sheet, png
from nymity_robust.samples import WAYS, answer_samples, samples_of
from nymity_robust.seeds import derive
from nymity_robust.thesis import SAMPLES


@pytest.mark.parametrize("channels", [1, 3])
def test_a_picture_is_read_as_it_was_written(channels: int) -> None:
    image = torch.rand((channels, 5, 7), generator=torch.Generator().manual_seed(1))
    with Image.open(io.BytesIO(png(image))) as found:
        assert found.size == (7, 5)
        pixels = np.asarray(found).reshape(5, 7, channels)
    assert np.array_equal(pixels, (image * 255).round().byte().permute(1, 2, 0).numpy())


def test_a_contact_sheet_has_rows_and_columns_in_order() -> None:
    images = torch.arange(6).view(2, 3, 1, 1, 1).expand(2, 3, 1, 4, 4) / 10
    sheet = contact_sheet(images)
    assert sheet.shape == (1, 12, 18)
    assert sheet[0, 3::6, 3::6].tolist() == (torch.arange(6).view(2, 3) / 10).tolist()
    assert sheet[0, 0, 0] == 0.5


def test_answers_are_those_of_the_vote_to_the_sums() -> None:
    two, attack, shown = samples_of(tiny_data("test")), CarliniWagner(searches=1, steps=15), {}
    found = answer_samples(
        trained(), LaplaceNoise(b=0.1), two, attack, judged=3, seed=5, batch=64, show=shown.__setitem__
    )
    assert two.labels.tolist() == [0, 1]
    assert [(entry["way"], entry["count"], entry["sample"]) for entry in found] == [
        (way, count, sample) for way in WAYS for count in (2, 3) for sample in (1, 2)
    ]
    index, wanted = every_target(two.labels, 4)
    crafted = craft_for_members(attack, trained(), two.images[index], wanted, seed=derive(5, "plain"), batch=64)
    for count in (2, 3):
        both = Superimposition(count=count).combine(crafted)
        answered = labels(EnsembleVoting(trained()), both.images).tolist()
        mine = [entry for entry in found if entry["way"] == "plain" and entry["count"] == count]
        assert [answer for entry in mine for answer in entry["answers"]] == answered
        assert [target for entry in mine for target in entry["targets"]] == wanted.targets.tolist()
    assert sorted(shown) == sorted(f"figure-b{n}-{way}-{count}" for n in (1, 2) for way in WAYS for count in (2, 3))
    with Image.open(io.BytesIO(shown["figure-b2-plain-3"])) as sheet:
        assert sheet.size == (5 * 18, 3 * 18)  # image, three examples, their sum; three targets


def test_the_thesis_has_nine_targets_of_two_samples() -> None:
    for data, by_label in SAMPLES.items():
        assert len(by_label) == 2, data
        for label, rows in by_label.items():
            assert sorted(rows) == [target for target in range(10) if target != label]
    assert sum(row[1] == 7 for row in SAMPLES["mnist"][7].values()) == 9  # with noise, all nine are right
