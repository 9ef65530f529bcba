"""Attacks: on linear models with known answers, on small trained networks, and on noisy ensembles."""

from __future__ import annotations

import pytest
import torch
from robust_toys import linear, tiny_data, trained

from nymity.core.errors import ParameterError
from nymity_robust import (
    APGD,
    ATTACKS,
    FGSM,
    JSMA,
    L2,
    LBFGS,
    PGD,
    AdversarialExamples,
    CarliniWagner,
    ClassifierAttack,
    EnsembleVoting,
    ExpectationOverTransformation,
    GaussianNoise,
    GradientAttack,
    IterativeFGSM,
    LaplaceNoise,
    Misclassified,
    NoisyEnsemble,
    NoisyLogit,
    Norm,
    PartialKnowledge,
    RepeatedQueries,
    Resubmission,
    SingleNetwork,
    Superimposition,
    Targeted,
    WholeEnsemble,
    craft_for_members,
    labels,
    replayable,
)

BRIEF = CarliniWagner(searches=2, steps=40)
FIRM = CarliniWagner(searches=2, steps=40, confidence=4.0)
GRADIENT: list[GradientAttack] = [
    BRIEF,
    PGD(epsilon=0.4, step=0.05, steps=20),
    PGD(epsilon=4.0, step=0.5, steps=20, norm="l2"),
    APGD(epsilon=0.4, steps=20),
    APGD(epsilon=4.0, steps=20, norm="l2", loss="dlr"),
    IterativeFGSM(epsilon=0.4, step=0.05, steps=20),
    FGSM(epsilon=0.4),
    LBFGS(searches=4, steps=15),
    JSMA(gamma=0.4),
]


def wishes(count: int = 6) -> tuple[torch.Tensor, Targeted]:
    data = tiny_data("test").take(slice(0, count))
    return data.images, Targeted(labels=data.labels, targets=(data.labels + 1) % 4)


# -- known answers -------------------------------------------------------------------------------------------


def test_on_a_linear_model_carlini_wagner_finds_the_nearest_point() -> None:
    """Against two classes the nearest point is on the hyperplane: distance margin / ‖w_t − w_y‖."""
    model = linear(classes=2)
    images = 0.5 + 0.05 * torch.randn((5, 1, 4, 4), generator=torch.Generator().manual_seed(1))
    truth = labels(model, images)
    wanted = Targeted(labels=truth, targets=1 - truth)
    exact = wanted.margin(model(images)) / (model.weight[0] - model.weight[1]).norm()
    made = CarliniWagner(searches=8, steps=80, rate=0.03).run(model, images, wanted)
    assert made.success.all()
    assert (made.distances() >= exact - 1e-5).all()  # nothing nearer exists
    assert (made.distances() <= 1.03 * exact).all()


def test_on_a_linear_model_the_best_linf_step_is_fgsm() -> None:
    """The margin to class t falls by epsilon · ‖w_t − w_y‖₁, which no other step of that size exceeds."""
    model = linear(classes=2)
    images = torch.full((1, 1, 4, 4), 0.5)
    truth = labels(model, images)
    wanted = Targeted(labels=truth, targets=1 - truth)
    gap = (model.weight[0] - model.weight[1]).abs().sum()
    before = wanted.margin(model(images))
    for attack in (FGSM(epsilon=0.1), IterativeFGSM(epsilon=0.1, step=0.02, steps=20), PGD(epsilon=0.1, step=0.02)):
        made = attack.run(model, images, wanted)
        torch.testing.assert_close(wanted.margin(model(made.images)), before - 0.1 * gap, rtol=1e-4, atol=1e-5)


def test_black_pixels_can_move() -> None:
    """All pixels black or white, and only black ones help: an inset next to 1 leaves them where they are."""
    images, wanted = torch.zeros((1, 1, 4, 4)), Targeted(labels=torch.tensor([0]), targets=torch.tensor([1]))
    model = linear(classes=2)
    model.weight, model.bias = torch.stack([torch.zeros(16), torch.ones(16)]), torch.tensor([2.0, 0.0])
    assert CarliniWagner(searches=3, steps=30).run(model, images, wanted).success.all()
    saturated = CarliniWagner(searches=3, steps=30, inset=0.999999, continued=False).run(model, images, wanted)
    assert not saturated.success.any()


def test_jsma_changes_the_best_pair_first() -> None:
    images = torch.zeros((1, 1, 2, 2))
    model = linear(classes=2, pixels=4)
    model.weight = torch.tensor([[0.0, -1.0, -1.0, -3.0], [0.1, 0.2, 3.0, 1.0]])
    model.bias = torch.tensor([3.0, 0.0])
    wanted = Targeted(labels=torch.tensor([0]), targets=torch.tensor([1]))
    made = JSMA(gamma=0.5).run(model, images, wanted)
    assert made.images.flatten().tolist() == [0.0, 0.0, 1.0, 1.0]
    assert made.success.all()
    with pytest.raises(ParameterError, match="targeted"):
        JSMA().run(model, images, Misclassified(labels=torch.tensor([0])))


def test_superimposition_adds_the_smallest_perturbations_and_clips() -> None:
    originals = torch.tensor([0.2, 0.9]).view(1, 1, 1, 2).repeat(3, 1, 1, 1)
    changes = torch.tensor([[0.1, 0.0], [0.0, 0.3], [-0.4, 0.0]]).view(3, 1, 1, 2)
    wanted = Targeted(labels=torch.zeros(3, dtype=torch.int64), targets=torch.ones(3, dtype=torch.int64))
    made = AdversarialExamples(
        originals=originals,
        images=originals + changes,
        criterion=wanted,
        success=torch.ones(3, dtype=torch.bool),
        source=torch.zeros(3, dtype=torch.int64),
        member=torch.arange(3),
    )
    two = Superimposition(count=2).combine(made)
    torch.testing.assert_close(two.images.flatten(), torch.tensor([0.3, 1.0]))  # 0.9 + 0.3 is clipped
    three = Superimposition(count=3).combine(made)
    torch.testing.assert_close(three.images.flatten(), torch.tensor([0.0, 1.0]))
    assert two.success.all()


# -- what every attack promises ------------------------------------------------------------------------------


@pytest.mark.parametrize("attack", GRADIENT, ids=lambda attack: f"{attack.key}-{getattr(attack, 'norm', '')}")
def test_examples_hold_on_fresh_evaluation_within_the_stated_norm(attack: GradientAttack) -> None:
    images, wanted = wishes()
    model = trained().member(0)
    made = attack.run(model, images, wanted, seed=3)
    assert made.success.any()
    assert torch.equal(wanted.reached(labels(model, made.images)), made.success)
    assert made.images.min() >= 0
    assert made.images.max() <= 1
    torch.testing.assert_close(made.distances(), L2(made.images, images))
    if isinstance(attack, PGD | APGD | FGSM | IterativeFGSM):
        norm = Norm(name=getattr(attack, "norm", "linf"))
        assert (made.distances(norm) <= attack.epsilon + 1e-5).all()
    if isinstance(attack, JSMA):
        assert (made.distances(Norm(name="l0")) <= 0.4 * 256).all()


@pytest.mark.parametrize("attack", [BRIEF, GRADIENT[1]], ids=lambda attack: attack.key)
def test_examples_follow_from_the_seed_and_not_from_the_batch(attack: GradientAttack) -> None:
    images, wanted = wishes()
    model = trained().member(0)
    one = attack.run(model, images, wanted, seed=3)
    assert torch.equal(one.images, attack.run(model, images, wanted, seed=3).images)
    other = attack.run(model, images, wanted, seed=3, batch=4)
    torch.testing.assert_close(one.distances(), other.distances(), rtol=0.02, atol=1e-3)


def test_untargeted_needs_less_than_targeted() -> None:
    images, wanted = wishes()
    model = trained().member(0)
    any_label = BRIEF.run(model, images, Misclassified(labels=wanted.labels))
    assert any_label.success.all()
    assert any_label.distances().mean() <= BRIEF.run(model, images, wanted).distances().mean() + 0.01


def test_confidence_asks_for_a_larger_margin() -> None:
    images, wanted = wishes()
    model = trained().member(0)
    made = CarliniWagner(searches=4, steps=60, confidence=5.0).run(model, images, wanted)
    assert made.success.all()
    assert (wanted.margin(model(made.images)) <= -4.9).all()


def test_a_lucky_draw_does_not_count() -> None:
    """With strong noise many candidates hold on the way; the success reported is that of another draw."""
    images, wanted = wishes(20)
    noisy = NoisyLogit(trained().member(0), LaplaceNoise(b=0.6))
    made = CarliniWagner(searches=2, steps=10).run(noisy, images, wanted, seed=1)
    with replayable(noisy, 77):
        again = torch.stack([wanted.reached(labels(noisy, made.images)) for _ in range(20)]).float().mean(0)
    assert abs(float(made.success.float().mean() - again.mean())) < 0.35
    assert made.success.float().mean() < 1


# -- attacks on ensembles ------------------------------------------------------------------------------------


def test_an_example_for_every_member_in_one_pass_fools_its_own_member() -> None:
    images, wanted = wishes(3)
    made = craft_for_members(BRIEF, trained(), images, wanted, batch=6)
    assert len(made) == 9
    assert made.member is not None
    assert made.member.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert made.success.all()
    for member in range(3):
        mine = made.take((made.member == member).nonzero().flatten())
        assert torch.equal(mine.originals, images)
        assert mine.criterion.reached(labels(trained().member(member), mine.images)).all()


def test_random_members_are_drawn_per_wish() -> None:
    images, wanted = wishes(4)
    voting = EnsembleVoting(trained())
    made = SingleNetwork(attack=BRIEF, members=1).run(voting, images, wanted, seed=2)
    assert made.member is not None
    assert sorted(made.source.tolist()) == [0, 1, 2, 3]
    assert len(made.member.unique()) > 1
    for row in range(4):
        member = trained().member(int(made.member[row]))
        reached = labels(member, made.images[row : row + 1]) == wanted.targets[made.source[row]]
        assert bool(reached) == bool(made.success[row])
    assert len(SingleNetwork(attack=BRIEF).run(voting, images[:1], wanted.take(slice(0, 1)))) == 3


@pytest.mark.parametrize(
    "attack",
    [
        WholeEnsemble(attack=FIRM),
        PartialKnowledge(attack=FIRM, known=2),
        ExpectationOverTransformation(attack=FIRM, draws=3),
        RepeatedQueries(attack=FIRM, queries=3),
        Resubmission(attack=WholeEnsemble(attack=FIRM), tries=4),
        Superimposition(attack=FIRM, count=2),
    ],
    ids=lambda attack: attack.key,
)
def test_attacks_on_a_noisy_vote_run_and_repeat(attack: ClassifierAttack) -> None:
    images, wanted = wishes(4)
    noisy = EnsembleVoting(NoisyEnsemble(trained(), LaplaceNoise(b=0.05)))
    made = attack.run(noisy, images, wanted, seed=4)
    assert made.success.float().mean() >= 0.5
    assert torch.equal(made.images, attack.run(noisy, images, wanted, seed=4).images)
    assert attack.adaptive is (attack.key != "superimposition")


def test_the_whole_ensemble_falls_where_a_single_network_attack_fails() -> None:
    images, wanted = wishes(6)
    voting = EnsembleVoting(trained())
    whole = WholeEnsemble(attack=BRIEF).run(voting, images, wanted)
    assert whole.success.all()
    assert wanted.reached(labels(voting, whole.images)).all()
    single = SingleNetwork(attack=BRIEF, members=1).run(voting, images, wanted)
    assert single.criterion.reached(labels(voting, single.images)).float().mean() < 0.5


def test_the_estimate_over_draws_converges() -> None:
    """The gradient's error falls like 1 / √draws: with 64 draws it is far smaller than with 1."""
    noisy = NoisyLogit(trained().member(0), GaussianNoise(sigma=0.3))
    images = tiny_data("test").images[:2]

    def slope(draws: int, seed: int) -> torch.Tensor:
        surface = ExpectationOverTransformation(draws=draws).surface(noisy, 0)
        moved = images.clone().requires_grad_()
        with replayable(noisy, seed):
            (found,) = torch.autograd.grad(surface(moved).mean(-3)[:, 0].sum(), moved)
        return found

    exact = slope(2000, 0)
    errors = {draws: sum(float((slope(draws, s) - exact).norm()) for s in range(1, 5)) for draws in (1, 16, 64)}
    assert errors[16] < 0.5 * errors[1]
    assert errors[64] < 0.7 * errors[16]


def test_every_attack_is_registered_frozen_and_describes_itself() -> None:
    assert len(ATTACKS) == 16
    for key, kind in ATTACKS.items():
        attack = kind()
        assert attack.describe()["key"] == key
        assert hash(attack) == hash(kind())
        with pytest.raises(AttributeError):
            attack.steps = 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CarliniWagner(steps=0), "steps"),
        (lambda: CarliniWagner(inset=1.0), "inset"),
        (lambda: FGSM(epsilon=0), "epsilon"),
        (lambda: PGD(norm="l1"), "norm"),
        (lambda: JSMA(gamma=2), "gamma"),
        (lambda: Superimposition(count=0), "count"),
        (lambda: PartialKnowledge(known=0), "known"),
        (lambda: Resubmission(tries=0), "tries"),
        (lambda: SingleNetwork(members=4).run(EnsembleVoting(trained()), *wishes(2)), "members"),
        (lambda: PartialKnowledge(known=4).run(EnsembleVoting(trained()), *wishes(2)), "known"),
        (lambda: WholeEnsemble().run(trained().member(0), *wishes(2)), "an ensemble"),
        (lambda: FGSM().run(trained().member(0), wishes(2)[0] * 2, wishes(2)[1]), "pixels from 0 to 1"),
        (lambda: FGSM().run(trained().member(0), wishes(2)[0], wishes(3)[1]), "a wish for each of 2"),
    ],
)
def test_bad_settings_are_refused(make: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()  # type: ignore[operator]
