"""The review of a noisy vote: standing over many draws, what luck does, random controls, resumption."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from robust_toys import linear, tiny_data, trained

from nymity.core.errors import FileError, ParameterError
from nymity_robust import (
    L2,
    PGD,
    CarliniWagner,
    CarliniWagnerAsPublished,
    EnsembleVoting,
    LaplaceNoise,
    Misclassified,
    NoisyEnsemble,
    NoisyLogit,
    Norm,
    Square,
    Targeted,
    join_ensembles,
    labels,
    random_of_same_size,
    replayable,
    save_ensemble,
)
from nymity_robust.review import Review, Scrutiny, Standing, stand
from nymity_robust.review.__main__ import main
from nymity_robust.review.review import _by_rounds

LEAST = Scrutiny(
    attack=CarliniWagner(searches=2, steps=6),
    known=2,
    judged=5,
    l2=(1.0,),
    linf=(0.2,),
    pgd_draws=2,
    pgd_steps=3,
    square_draws=2,
    square_queries=4,
    masking_steps=(1, 5),
    masking_draws=(1, 3),
    grid=1,
)


def wishes(count: int = 6) -> tuple[torch.Tensor, Targeted]:
    data = tiny_data("test").take(slice(0, count))
    return data.images, Targeted(labels=data.labels, targets=(data.labels + 1) % 4)


def review(folder: Path, **changes: object) -> Review:
    data = tiny_data("test").take(slice(0, 3))
    return Review(LEAST, trained(), LaplaceNoise(b=0.1), data, folder, batch=12, **changes)  # type: ignore[arg-type]


# -- what held once ------------------------------------------------------------------------------------------


def test_what_held_once_under_noise_is_nearer_and_mostly_does_not_hold_again() -> None:
    images, wanted = wishes(20)
    noisy = NoisyLogit(trained().member(0), LaplaceNoise(b=0.4))
    settings = {"searches": 3, "steps": 60, "continued": False}
    lucky = CarliniWagnerAsPublished(**settings).run(noisy, images, wanted, seed=1)
    fair = CarliniWagner(**settings).run(noisy, images, wanted, seed=1)
    image = torch.arange(20)
    again = {}
    for name, made in (("lucky", lucky), ("fair", fair)):
        standing = stand(noisy, made, image=image, draws=50, seed=2)
        again[name] = float(standing.wished.sum()) / (50 * 20)
    assert lucky.success.float().mean() > 0.95  # so it says
    assert again["lucky"] < lucky.success.float().mean() - 0.2, again
    assert again["lucky"] < again["fair"], again
    assert lucky.distances().mean() < fair.distances().mean()


def test_without_noise_both_ways_of_keeping_find_the_same() -> None:
    images, wanted = wishes()
    model, settings = trained().member(0), {"searches": 3, "steps": 40}
    once = CarliniWagnerAsPublished(**settings).run(model, images, wanted)
    again = CarliniWagner(**settings).run(model, images, wanted)
    assert once.success.all()
    assert again.success.all()
    torch.testing.assert_close(once.distances(), again.distances(), rtol=1e-3, atol=1e-4)


# -- standing ------------------------------------------------------------------------------------------------


def test_standing_counts_answers_one_by_one() -> None:
    images, wanted = wishes(5)
    noisy = EnsembleVoting(NoisyEnsemble(trained(), LaplaceNoise(b=0.5)))
    made = PGD(epsilon=0.3, step=0.05, steps=5).run(trained().member(0), images, wanted)
    standing = stand(noisy, made, image=torch.arange(5), draws=7, seed=3)
    with replayable(noisy, 3):
        answered = torch.stack([labels(noisy, made.images) for _ in range(7)])  # (draws, n)
    assert standing.right.tolist() == (answered == wanted.labels).sum(0).tolist()
    assert standing.wished.tolist() == (answered == wanted.targets).sum(0).tolist()
    assert int(standing.right.sum() + standing.wished.sum()) > 0
    summary = Standing.of([standing.to_dict()]).summary()
    assert summary["right"]["share"] == pytest.approx(float((answered == wanted.labels).double().mean()))
    assert summary["held_once"]["share"] == pytest.approx(float((answered == wanted.targets).any(0).double().mean()))


def test_an_attacker_within_a_radius_submits_the_clean_image_where_the_example_is_too_far() -> None:
    made = Standing(
        draws=10,
        right=torch.tensor([0, 4]),
        wished=torch.tensor([10, 6]),
        l2=torch.tensor([1.0, 3.0]),
        image=torch.tensor([1, 0]),
    )
    clean = Standing(
        draws=10, right=torch.tensor([9, 8]), wished=torch.zeros(2), l2=torch.zeros(2), image=torch.arange(2)
    )
    shares = [made.right_within(radius, clean)["share"] for radius in (0.5, 1.0, 3.0)]
    assert shares == pytest.approx([(0.8 + 0.9) / 2, (0.0 + 0.9) / 2, (0.0 + 0.4) / 2])


# -- controls and the attack without a gradient ---------------------------------------------------------------


def test_a_random_perturbation_is_as_large_and_hardly_does_harm() -> None:
    images, wanted = wishes(20)
    model = trained().member(0)
    made = CarliniWagner(searches=3, steps=40).run(model, images, wanted)
    control = random_of_same_size(made, seed=1)
    torch.testing.assert_close(L2(control.images, images), made.distances(), rtol=1e-3, atol=1e-4)
    assert control.images.min() >= 0
    assert control.images.max() <= 1
    assert made.success.all()
    assert (labels(model, control.images) == wanted.labels).float().mean() > 0.9
    assert not torch.equal(control.images, random_of_same_size(made, seed=2).images)


def test_on_a_linear_model_squares_come_near_the_best_corner() -> None:
    """The best point of the L∞ ball is x − epsilon sign(w_y − w_t): a known gain that random squares approach."""
    model, images = linear(classes=2), torch.full((1, 1, 4, 4), 0.5)
    truth = labels(model, images)
    wanted = Misclassified(labels=truth)
    gap = (model.weight[0] - model.weight[1]).abs().sum()
    made = Square(epsilon=0.1, queries=300).run(model, images, wanted, seed=1)
    gained = float(wanted.margin(model(images)) - wanted.margin(model(made.images)))
    assert 0.9 * 0.1 * float(gap) <= gained <= 1.0001 * 0.1 * float(gap)


def test_squares_stay_in_the_ball_and_fool_a_network() -> None:
    images, wanted = wishes(10)
    model = trained().member(0)
    attack = Square(epsilon=0.4, queries=200)
    made = attack.run(model, images, Misclassified(labels=wanted.labels), seed=1)
    assert (made.distances(Norm(name="linf")) <= 0.4 + 1e-6).all()
    assert made.images.min() >= 0
    assert made.images.max() <= 1
    assert made.success.float().mean() >= 0.5
    again = attack.run(model, images, Misclassified(labels=wanted.labels), seed=1, batch=3)
    assert torch.equal(made.success, again.success)


# -- the review ----------------------------------------------------------------------------------------------


def test_rounds_have_every_image_once_and_mixed_targets() -> None:
    image = torch.arange(4).repeat_interleave(3)
    truth = image % 4
    targets = torch.cat([torch.tensor([t for t in range(4) if t != label]) for label in range(4)])
    ordered, wanted = _by_rounds(image, Targeted(labels=truth, targets=targets), images=4)
    assert isinstance(wanted, Targeted)
    assert ordered.tolist() == [0, 1, 2, 3] * 3
    assert len(wanted.targets[:4].unique()) > 1
    assert {(int(i), int(t)) for i, t in zip(ordered, wanted.targets, strict=True)} == {
        (int(i), int(t)) for i, t in zip(image, targets, strict=True)
    }


def test_a_review_that_was_stopped_goes_on_and_says_how_far_it_came(tmp_path: Path) -> None:
    whole = review(tmp_path / "whole")
    whole.curves(("whole", "1"), (0.0, 5.0))
    complete = whole.gather()
    assert {(row["attacker"], row["examples"], row["of_pairs"]) for row in complete["curves"]} == {
        ("whole", 9, 9),
        ("1", 9, 9),
    }
    begun: list[str] = []
    time_left = iter([float("inf")] * 3 + [0.0] * 100)
    stopped = review(tmp_path / "parts", left=lambda: next(time_left), observe=lambda p: begun.append(p.stage))
    stopped.curves(("whole", "1"), (0.0, 5.0))
    some = stopped.gather()
    assert len(begun) == 3
    assert sum(row["examples"] for row in some["curves"]) == 4 + 4 + 4
    assert all(row["of_pairs"] == 9 for row in some["curves"])
    again: list[str] = []
    rest = review(tmp_path / "parts", observe=lambda p: again.append(p.stage))
    rest.curves(("whole", "1"), (0.0, 5.0))
    assert not set(begun) & set(again)

    def plain(rows: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{key: value for key, value in row.items() if key != "hours"} for row in rows]

    assert plain(rest.gather()["curves"]) == plain(complete["curves"])
    for row in complete["curves"]:
        assert row["by_l2"][0]["share"] == pytest.approx(complete["clean"]["right"]["share"])
        assert row["by_l2"][-1]["share"] == pytest.approx(row["right"]["share"])
        assert row["random"]["mean_l2"] == pytest.approx(row["mean_l2"], rel=1e-3)
    other = Review(
        LEAST, trained(), LaplaceNoise(b=0.2), tiny_data("test").take(slice(0, 3)), tmp_path / "parts", batch=12
    )
    with pytest.raises(FileError, match="a piece of the same review"):
        other.gather()
    with pytest.raises(ParameterError, match="attacker"):
        rest.curves(("3",), (0.0,))


def test_bookkeeping_and_bounded_attacks_are_summed_up(tmp_path: Path) -> None:
    made = review(tmp_path)
    made.bookkeeping()
    made.bounded()
    found = made.gather()
    again, published = found["bookkeeping"]
    assert (again["bookkeeping"], published["bookkeeping"]) == ("again", "as-published")
    for entry in (again, published):
        assert entry["superimposition-3"]["examples"] == entry["of_pairs"] == 9
        assert entry["superimposition-3"]["mean_l2"] > entry["superimposition-2"]["mean_l2"]
    assert published["single"]["l2"] <= again["single"]["l2"] + 1e-6
    names = [entry["name"] for entry in found["bounded"]]
    assert names == [
        *(f"bounded-{kind}-{place}" for kind in ("pgd", "apgd", "apgd-dlr") for place in ("l2-1", "linf-0.2")),
        "bounded-square-linf-0.2",
    ]
    assert found["bounded"][0]["made"]["mean_l2"] <= 1.0 + 1e-5
    assert json.loads((tmp_path / "review.json").read_text())["hours"] > 0


def test_members_from_several_files_are_reviewed_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = trained()
    joined = join_ensembles([whole.subset([0, 1]), whole.subset([2])])
    images = tiny_data("test").images
    assert torch.equal(joined(images), whole(images))
    path = tmp_path / "members.pt"
    save_ensemble(whole, path)
    assert main([str(path), "--data", "generated", "--scale", "tiny", "--out", str(tmp_path)]) == 2
    assert "scale: expected one of" in capsys.readouterr().err


def test_a_costly_piece_that_fits_is_made_though_cheap_ones_took_long_for_their_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every piece takes 5 seconds to be judged, and 1 for each 10 of its cost."""
    clock = [0.0]
    monkeypatch.setattr("nymity_robust.review.review.time.perf_counter", lambda: clock[0])
    begun: list[str] = []
    made = review(tmp_path, left=lambda: 60 - clock[0], observe=lambda progress: begun.append(progress.stage))

    def work(cost: float) -> dict[str, object]:
        clock[0] += 5 + cost / 10
        return {}

    for cost in (50, 1, 200, 200):  # 10, 5.1 and 25 seconds; the last would end after 65
        made._piece(f"{len(begun)}-{cost}", "bounded", lambda cost=cost: work(cost), cost=cost)  # type: ignore[misc]
    assert begun == ["0-50", "1-1", "2-200"]
    assert clock[0] < 60
