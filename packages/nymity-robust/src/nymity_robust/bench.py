"""Robustness: Carlini-Wagner beside other implementations at equal steps, and how members are trained fastest.

One plain member (T = 1, seed 1, ten epochs on 6,000 images of MNIST), the first 50 test images it classifies correctly,
target (label + 1) mod 10, four searches of 60 steps, one CPU thread. foolbox and cleverhans attack the same member
where they are installed. The start of our attack was tuned on a member with seed 0, not on this one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from nymity.core.progress import Observer, silent
from nymity_lab.bench.measuring import measured
from nymity_lab.bench.result import BenchResult, Line
from nymity_lab.bench.unit import cpu_seconds

if TYPE_CHECKING:
    from torch import Tensor, nn

    from nymity_robust import AdversarialExamples, LabelledImages, Targeted

PROVENANCE = (
    "recorded once, not measured here, on another trained member of this architecture, 50 pairs chosen the same way, "
    "4 x 60 steps: foolbox 86% at mean L2 3.95, cleverhans 100% at 2.72, about 14 CPU seconds each"
)


def bench_robust(observe: Observer = silent) -> BenchResult:
    """Measure the attack and the training; needs MNIST under NYMITY_DATA and torch."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return measured("robust", PROVENANCE, _lines, observe)
    finally:
        torch.set_num_threads(threads)


def _lines(unit: float) -> Iterator[Line]:
    yield from _carlini_wagner(unit)
    yield from _training(unit)


def _carlini_wagner(unit: float) -> Iterator[Line]:
    import nymity_robust as robust

    data, test = robust.load_images("mnist").take(slice(0, 6000)), robust.load_images("mnist", "test")
    settings = robust.Training(epochs=10, learning_rate=0.05, seed=1)
    ensemble = robust.train(robust.ARCHITECTURES["mnist"], data, robust.shared_parts(len(data), 1), [1.0], settings)
    member = ensemble.member(0).eval()
    right = robust.labels(member, test.images) == test.labels
    pairs = test.take(right.nonzero().flatten()[:50])
    wanted = robust.Targeted(labels=pairs.labels, targets=(pairs.labels + 1).remainder(10))
    attack = robust.CarliniWagner(searches=4, steps=60)
    found: list[AdversarialExamples] = []
    seconds = cpu_seconds(lambda: found.append(attack.run(member, pairs.images, wanted)), repeat=1)
    papers_start = replace(attack, inset=0.999999).run(member, pairs.images, wanted)
    beside = f"with the paper's start {_failed(papers_start):.0%} of them fail, mean L2 {_size(papers_start):.2f}"
    note = f"member with {float(right.double().mean()):.2%} test accuracy; {beside}"
    name = "Carlini-Wagner, share of failed pairs"
    yield Line(name=name, value=_failed(found[0]), unit="", target=0.01, reference=0.0, note=note)
    name = "Carlini-Wagner, mean L2 of successes"
    yield Line(name=name, value=_size(found[0]), unit="", target=2.72, reference=2.72)
    note = f"{seconds / unit:.0f} U; {len(pairs) / seconds:.1f} images per second"
    yield Line(name="Carlini-Wagner, CPU", value=seconds, unit="s", target=14.0, reference=14.0, note=note)
    yield from _peers(member, pairs, wanted)


def _peers(member: nn.Module, pairs: LabelledImages, wanted: Targeted) -> Iterator[Line]:
    """Let others attack the same member, where they are installed, with equal searches, steps and rate."""
    for name, run in {"foolbox": _foolbox, "cleverhans": _cleverhans}.items():
        if find_spec(name) is None:
            continue
        start = time.process_time()
        made = run(member, pairs.images, wanted)
        seconds = time.process_time() - start
        reached = wanted.reached(member(made).argmax(-1))
        size = float((made - pairs.images).flatten(1).norm(dim=1)[reached].mean())
        note = f"{1 - float(reached.double().mean()):.0%} of the pairs fail, mean L2 of successes {size:.2f}"
        yield Line(name=f"Carlini-Wagner by {name}, CPU", value=seconds, unit="s", note=note)


def _foolbox(member: nn.Module, images: Tensor, wanted: Targeted) -> Tensor:
    import foolbox

    attack = foolbox.attacks.L2CarliniWagnerAttack(
        binary_search_steps=4, steps=60, stepsize=0.1, initial_const=1.0, abort_early=False
    )
    model = foolbox.PyTorchModel(member, bounds=(0, 1), device="cpu")
    _, (found, *_), _ = attack(
        model, images, foolbox.criteria.TargetedMisclassification(wanted.targets), epsilons=[None]
    )
    made: Tensor = found
    return made


def _cleverhans(member: nn.Module, images: Tensor, wanted: Targeted) -> Tensor:
    from cleverhans.torch.attacks.carlini_wagner_l2 import carlini_wagner_l2

    made: Tensor = carlini_wagner_l2(
        member, images, 10, y=wanted.targets, targeted=True, lr=0.1, initial_const=1.0, binary_search_steps=4,
        max_iterations=60,
    )  # fmt: skip
    return made.detach()


def _training(unit: float) -> Iterator[Line]:
    """Train 1, 4 and 8 members one by one and in one pass: the table that decides."""
    import nymity_robust as robust

    data = robust.load_images("mnist")
    for members in (1, 4, 8):
        parts = robust.disjoint_parts(len(data), members, size=256)
        temperatures = robust.thesis_temperatures(members)
        for at_once in sorted({1, members}):
            settings = robust.Training(epochs=1, at_once=at_once)
            work = partial(robust.train, robust.ARCHITECTURES["mnist"], data, parts, temperatures, settings)
            work()  # warm-up
            cost = cpu_seconds(work, repeat=3) / members
            way = "one by one" if at_once == 1 else "stacked"
            name = f"training, {members} members, {way}, per member and 256 samples"
            yield Line(name=name, value=cost / unit, unit="G", note=f"{cost:.2f} s")


def _failed(made: AdversarialExamples) -> float:
    return 1 - float(made.success.double().mean())


def _size(made: AdversarialExamples) -> float:
    return float(made.distances()[made.success].mean())
