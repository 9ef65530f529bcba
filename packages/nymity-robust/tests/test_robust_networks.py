"""Architectures, training, ensembles, distillation, checkpoints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from robust_toys import EIGHT, QUICK, TINY, tiny_data, trained

from nymity.core.errors import FileError, Interrupted, ParameterError
from nymity.core.progress import Progress
from nymity_robust import (
    ARCHITECTURES,
    Architecture,
    Committee,
    LabelledImages,
    StackedEnsemble,
    Training,
    disjoint_parts,
    distill,
    hashed_parts,
    labels,
    load_ensemble,
    save_ensemble,
    shared_parts,
    thesis_temperatures,
    train,
)
from nymity_robust.seeds import generator

CPU = torch.device("cpu")
SHORT = Training(epochs=4, batch=32, learning_rate=0.01)


def test_the_networks_are_those_of_table_4_1() -> None:
    mnist, cifar = ARCHITECTURES["mnist"], ARCHITECTURES["cifar10"]
    assert [shape[0] for shape in mnist.layers.values()] == [32, 32, 32, 32, 200, 200, 10]
    assert [shape[0] for shape in cifar.layers.values()] == [64, 64, 64, 64, 256, 256, 10]
    assert mnist.layers["hidden1"] == (200, 4 * 4 * 32)
    assert ARCHITECTURES["mnist-carlini-wagner"].layers["conv3"] == (64, 32, 3, 3)
    assert ARCHITECTURES["cifar10-carlini-wagner"].layers["conv4"] == (128, 128, 3, 3)
    assert thesis_temperatures(50)[::49] == [10, 500]


def test_a_stack_answers_as_its_members_one_by_one() -> None:
    ensemble, images = trained(), tiny_data("test").images
    alone = torch.stack([ensemble.member(i)(images) for i in range(3)])
    for at_once in (1, 2, 3):
        ensemble.at_once = at_once
        torch.testing.assert_close(ensemble(images), alone, rtol=1e-4, atol=1e-3)
        own = torch.stack([images.roll(i, 0) for i in range(3)])
        expected = torch.stack([ensemble.member(i)(own[i]) for i in range(3)])
        torch.testing.assert_close(ensemble(own), expected, rtol=1e-4, atol=1e-3)
    ensemble.at_once = None
    torch.testing.assert_close(ensemble.subset([2, 0])(images), alone[[2, 0]], rtol=1e-4, atol=1e-3)
    torch.testing.assert_close(
        Committee([ensemble.member(i) for i in range(3)], [10, 20, 30]).normalized(images),
        alone / torch.tensor([10.0, 20.0, 30.0]).view(3, 1, 1),
        rtol=1e-4,
        atol=1e-3,
    )


def test_training_learns_at_every_temperature() -> None:
    data = tiny_data("test")
    for member in range(3):
        right = labels(trained().member(member), data.images) == data.labels
        assert right.float().mean() > 0.9
    spread = trained().normalized(data.images).std((1, 2))
    assert spread.max() < 3 * spread.min()  # divided by T, members are alike


@pytest.mark.parametrize("rate", [0.01, 0.05])
def test_training_learns_from_every_start(rate: float) -> None:
    """Table 4.2's learning rate and five times as much: no start is dead, and none needs luck in the last digits."""
    data, test = tiny_data(), tiny_data("test")
    temperatures = [10.0, 20.0, 30.0, 500.0] * 3
    settings = replace(QUICK, learning_rate=rate, seed=1)
    members = train(EIGHT, data, [disjoint_parts(300, 3)[0]] * 12, temperatures, settings)
    right = (members(test.images).argmax(-1) == test.labels).float().mean(1)
    assert right.min() > 0.9, right.tolist()


def test_a_long_gradient_is_shortened_for_each_member_alone() -> None:
    """One full-batch step without momentum moves a member by learning rate · min(length, clip)."""
    data, parts = tiny_data(), [torch.arange(40), torch.arange(40, 80)]
    plain = Training(epochs=1, batch=40, momentum=0, dropout=0, decay=0, learning_rate=1.0, clip=None, at_once=2)

    def moved(settings: Training) -> torch.Tensor:
        sources = [generator(CPU, 0, "member", member, "weights") for member in (0, 1)]
        before, after = TINY.initial(sources, torch.ones(2)), train(TINY, data, parts, [1.0, 1.0], settings).weights
        return torch.cat([(after[name] - before[name]).flatten(1) for name in before], dim=1)

    free = moved(plain)
    lengths = free.norm(dim=1)
    between = float(lengths.mean())  # longer than one gradient, shorter than the other
    assert lengths.min() < 0.99 * between
    expected = free * (between / lengths).clamp(max=1).view(2, 1)
    torch.testing.assert_close(moved(replace(plain, clip=between)), expected, rtol=1e-4, atol=1e-5)


def test_starts_have_the_variance_they_are_named_after() -> None:
    """Uniform in ± limit: He et al. (2015) 2 / inputs, but 1 / inputs at the end; Glorot 2 / (inputs + outputs)."""
    mnist, source = ARCHITECTURES["mnist"], [generator(CPU, 0, "start")]
    he, glorot = (mnist.initial(source, torch.ones(1), start) for start in ("he", "glorot"))
    for name, inputs, outputs, gain in (("conv2", 288, 288, 2), ("hidden2", 200, 200, 2), ("logits", 200, 10, 1)):
        for drawn, variance in ((he, gain / inputs), (glorot, 2 / (inputs + outputs))):
            weight = drawn[f"{name}.weight"]
            assert float(weight.var()) == pytest.approx(variance, rel=0.08)
            assert float(weight.abs().max()) <= (3 * variance) ** 0.5


@pytest.mark.parametrize("scaled", [True, False])
def test_temperature_enters_the_loss_as_softmax_of_z_over_t(scaled: bool) -> None:
    """One full-batch step without momentum and dropout against autograd on a plain network."""
    data, part = tiny_data(), [torch.arange(40)]
    settings = Training(
        epochs=1, batch=40, momentum=0, dropout=0, decay=0, learning_rate=0.1, seed=3, scaled_start=scaled, clip=None
    )
    drawn = TINY.initial([generator(CPU, 3, "member", 0, "weights")], torch.tensor([5.0 if scaled else 1.0]))
    before = TINY.network(drawn, 0).requires_grad_(True)
    after = train(TINY, data, part, [5.0], settings).member(0)
    loss = torch.nn.functional.cross_entropy(before(data.images[:40]) / 5.0, data.labels[:40])
    slopes = torch.autograd.grad(loss, list(before.parameters()))
    for weight, slope, moved in zip(before.parameters(), slopes, after.parameters(), strict=True):
        torch.testing.assert_close(moved, weight.detach() - 0.1 * slope, rtol=1e-4, atol=1e-5)


def test_a_member_does_not_depend_on_who_is_trained_beside_it() -> None:
    data, parts = tiny_data(), disjoint_parts(300, 3)
    alone = train(TINY, data, parts, [10.0, 20.0, 30.0], replace(SHORT, at_once=1))
    together = train(TINY, data, parts, [10.0, 20.0, 30.0], replace(SHORT, at_once=3))
    fewer = train(TINY, data, parts[:2], [10.0, 20.0], replace(SHORT, at_once=1))
    for name, weight in alone.weights.items():
        torch.testing.assert_close(weight, together.weights[name], rtol=1e-3, atol=1e-4)
        assert torch.equal(weight[:2], fewer.weights[name])
    other = train(TINY, data, parts, [10.0, 20.0, 30.0], replace(SHORT, seed=1))
    assert not torch.equal(other.weights["conv1.weight"], alone.weights["conv1.weight"])


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, at_once: int) -> None:
    data, parts, settings = tiny_data(), disjoint_parts(300, 2), replace(SHORT, epochs=6, at_once=at_once)
    whole = train(TINY, data, parts, [10.0, 20.0], settings)

    def stop(progress: Progress) -> bool:
        return progress.done < 8

    with pytest.raises(Interrupted):
        train(TINY, data, parts, [10.0, 20.0], settings, folder=tmp_path, every=2, observe=stop)
    seen: list[int] = []
    resumed = train(
        TINY, data, parts, [10.0, 20.0], settings, folder=tmp_path, every=2, observe=lambda p: seen.append(p.done)
    )
    assert seen[0] >= 4  # it went on where it was
    assert all(torch.equal(whole.weights[name], weight) for name, weight in resumed.weights.items())


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    data, parts = tiny_data(), disjoint_parts(300, 1, size=40)
    train(TINY, data, parts, [10.0], SHORT, folder=tmp_path)
    with pytest.raises(FileError, match="architecture"):
        train(replace(TINY, hidden=8), data, parts, [10.0], SHORT, folder=tmp_path)
    with pytest.raises(FileError, match="temperatures"):
        train(TINY, data, parts, [11.0], SHORT, folder=tmp_path)
    with pytest.raises(FileError, match="samples"):
        train(TINY, data, disjoint_parts(300, 1, size=40, seed=9), [10.0], SHORT, folder=tmp_path)
    (tmp_path / "member-0.pt").write_bytes(b"no checkpoint")
    with pytest.raises(FileError, match="a checkpoint of nymity"):
        train(TINY, data, parts, [10.0], SHORT, folder=tmp_path)


def test_members_are_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "members.pt"
    save_ensemble(trained(), path, facts={"data": "generated", "hashed": False})
    loaded, facts = load_ensemble(path, CPU, architecture=EIGHT)
    assert facts == {"data": "generated", "hashed": False}
    assert torch.equal(loaded(tiny_data("test").images), trained()(tiny_data("test").images))
    with pytest.raises(FileError, match="architecture"):
        load_ensemble(path, CPU, architecture=TINY)
    with pytest.raises(FileError, match="no such file"):
        load_ensemble(tmp_path / "other.pt", CPU)


def test_a_student_learns_from_soft_labels() -> None:
    data, test = tiny_data(), tiny_data("test")
    student = distill(EIGHT, data.take(slice(0, 100)), temperature=20.0, training=QUICK)
    assert len(student) == 1
    assert (labels(student.member(0), test.images) == test.labels).float().mean() > 0.9


def test_parts_are_what_they_say() -> None:
    parts = disjoint_parts(103, 4)
    assert [len(part) for part in parts] == [25] * 4
    assert len(torch.cat(parts).unique()) == 100
    assert [len(part) for part in disjoint_parts(103, 4, size=7)] == [7] * 4
    assert all(torch.equal(part, torch.arange(9)) for part in shared_parts(9, 3))
    images = tiny_data().images
    hashed = hashed_parts(images, 5)
    assert torch.equal(torch.cat(hashed).sort().values, torch.arange(300))
    fewer = hashed_parts(images[1:], 5)  # nobody else moves when one leaves
    left = [{int(i) for i in part if i} for part in hashed]
    assert left == [{int(i) + 1 for i in part} for part in fewer]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "epochs"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"dropout": 1}, "dropout"),
        ({"batch": 0}, "batch"),
        ({"momentum": -1}, "momentum"),
        ({"at_once": 0}, "at_once"),
        ({"clip": 0}, "clip"),
        ({"start": "zero"}, "start"),
    ],
)
def test_bad_settings_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        replace(SHORT, **change)


def test_bad_ensembles_are_refused() -> None:
    data = tiny_data()
    with pytest.raises(ParameterError, match="at least one member, got none"):
        Committee([])
    with pytest.raises(ParameterError, match="members: expected a whole number of at least 1, got 0"):
        thesis_temperatures(0)
    with pytest.raises(ParameterError, match="at least one"):
        train(TINY, data, [], [], SHORT)
    with pytest.raises(ParameterError, match="temperature"):
        train(TINY, data, shared_parts(300, 1), [0.0], SHORT)
    with pytest.raises(ParameterError, match=r"images of shape \(1, 28, 28\)"):
        train(ARCHITECTURES["mnist"], data, shared_parts(300, 1), [1.0], SHORT)
    with pytest.raises(ParameterError, match="16 × 16"):
        Architecture(shape=(1, 15, 15), channels=(2, 2), hidden=4)
    few = LabelledImages(name="few", images=data.images, labels=data.labels % 3, classes=3)
    with pytest.raises(ParameterError, match="classes"):
        train(TINY, few, shared_parts(300, 1), [1.0], SHORT)
    with pytest.raises(ParameterError, match="from 1 to 3"):
        disjoint_parts(10, 3, size=4)
    assert isinstance(trained(), StackedEnsemble)
