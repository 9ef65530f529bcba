"""Checks for masked gradients: they find what hides gradients, let honest members pass, and say what was not run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from robust_toys import tiny_data, trained
from torch import Tensor

from nymity.core.errors import FileError, ParameterError
from nymity_robust import CarliniWagner, EnsembleVoting, LaplaceNoise, NoisyEnsemble, StackedEnsemble, save_ensemble
from nymity_robust.review import Review, Scrutiny
from nymity_robust.review.__main__ import main
from nymity_robust.review.masking import MASKED, NO_SIGN, NOT_RUN, checks, surface
from nymity_robust.review.surface_picture import surface_svg
from nymity_robust.review.tables import review_tables

DOCS = Path(__file__).parents[3] / "docs" / "robustness"

BRIEF = Scrutiny(
    attack=CarliniWagner(searches=1, steps=3),
    known=2,
    judged=5,
    l2=(1.5,),
    linf=(0.55,),  # squares can turn every pixel
    pgd_draws=1,
    pgd_steps=8,
    square_draws=1,
    square_queries=40,
    masking_steps=(1, 16),
    masking_draws=(2,),
    grid=1,
)


class Rounded(StackedEnsemble):
    """Members that see pixels rounded to black and white: no gradient gets through."""

    def forward(self, images: Tensor) -> Tensor:
        return super().forward(images.round())


def rounded() -> Rounded:
    honest = trained()
    return Rounded(honest.architecture, honest.weights, honest.temperatures)


def of_temperature_one() -> StackedEnsemble:
    """Return members whose logits are not divided: so large that cross entropy has no gradient left (distillation)."""
    honest = trained()
    weights = {name: 30 * weight if name.startswith("last") else weight for name, weight in honest.weights.items()}
    return StackedEnsemble(honest.architecture, weights, torch.ones(len(honest)))


def look(ensemble: StackedEnsemble) -> dict[str, Any]:
    noisy = EnsembleVoting(NoisyEnsemble(ensemble, LaplaceNoise(b=0.02)))
    return surface(BRIEF, noisy, tiny_data("test").take(slice(0, 12)), batch=12, seed=1)


# -- the surface ---------------------------------------------------------------------------------------------


def test_the_gradient_leads_where_it_is_not_hidden() -> None:
    honest = look(trained())
    assert (honest["verdict"], honest["gradient_leads"], honest["images"]) == (NO_SIGN, {"first": 12, "last": 12}, 12)
    assert honest["offsets"] == [-1.5, 0.0, 1.5]
    against, here, along = (honest["margin"][place][1] for place in range(3))
    assert along < here < against


@pytest.mark.parametrize("hidden", [rounded, of_temperature_one])
def test_a_surface_without_gradient_is_called_masked(hidden: Any) -> None:
    assert look(hidden())["verdict"] == MASKED


def test_the_picture_has_every_point_and_the_colours_of_both_answers() -> None:
    found = {"offsets": [-1.0, 0.0, 1.0], "margin": [[2.0] * 3, [1.0] * 3, [-2.0] * 3], "images": 7}
    drawn = surface_svg(found, "a & b")
    assert drawn.count("<title>") == 9
    assert drawn.count("#0000ff") == 3
    assert drawn.count("#ff0000") == 3
    assert "a &amp; b" in drawn
    assert "7 images" in drawn


# -- the other checks ----------------------------------------------------------------------------------------


def piece(right: list[int], draws: int = 100) -> dict[str, Any]:
    made = {"draws": draws, "right": right, "wished": [draws - n for n in right], "l2": [1.0] * len(right)}
    return {"made": made | {"image": list(range(len(right)))}}


@pytest.mark.parametrize(
    ("name", "base", "decisive", "verdict"),
    [
        ("unbounded", {"masking-unbounded-linf": 1}, {}, NO_SIGN),
        ("unbounded", {"masking-unbounded-linf": 2}, {}, MASKED),
        ("draws", {"bounded-pgd-linf-0.55": 40}, {"masking-draws-2-linf-0.55": 35}, NO_SIGN),
        ("draws", {"bounded-pgd-linf-0.55": 40}, {"masking-draws-2-linf-0.55": 34}, MASKED),
        ("draws", {"bounded-pgd-linf-0.55": 40}, {"masking-draws-2-linf-0.55": 90}, NO_SIGN),
        ("draws", {"bounded-pgd-linf-0.55": 40}, {}, NOT_RUN),
        ("steps", {"bounded-pgd-linf-0.55": 40}, {"masking-steps-pgd-16-linf-0.55": 30}, MASKED),
        (
            "steps",
            {"bounded-pgd-linf-0.55": 40},
            {"masking-steps-pgd-1-linf-0.55": 10},
            NOT_RUN,
        ),  # fewer steps say nothing
        (
            "transfer",
            {"bounded-pgd-linf-0.55": 40},
            {"masking-transfer-whole-linf-0.55": 60, "masking-transfer-half-linf-0.55": 20},
            MASKED,
        ),
        ("transfer", {"bounded-pgd-linf-0.55": 40}, {"masking-transfer-whole-linf-0.55": 60}, NOT_RUN),
        # The strongest of the gradient attacks counts.
        (
            "black-box",
            {"bounded-pgd-linf-0.55": 40, "bounded-apgd-linf-0.55": 20},
            {"bounded-square-linf-0.55": 30},
            NO_SIGN,
        ),
        (
            "black-box",
            {"bounded-pgd-linf-0.55": 40, "bounded-apgd-linf-0.55": 36},
            {"bounded-square-linf-0.55": 30},
            MASKED,
        ),
    ],
)
def test_verdicts_follow_from_shares_of_right_answers(
    name: str, base: dict[str, int], decisive: dict[str, int], verdict: str
) -> None:
    pieces = {key: piece([right] * 10) for key, right in (base | decisive).items()}
    check = next(check for check in checks(BRIEF, 3, 256) if check.check == name)
    judged = check.judge(pieces)
    assert judged["verdict"] == verdict
    assert len(judged["runs"]) == len(pieces)
    assert judged["of_runs"] == len(check.probes())


def test_a_review_of_hidden_gradients_says_masked_and_one_of_honest_members_does_not(tmp_path: Path) -> None:
    data = tiny_data("test").take(slice(0, 8))
    verdicts = {}
    for name, ensemble in (("honest", trained()), ("rounded", rounded())):
        review = Review(BRIEF, ensemble, LaplaceNoise(b=0.01), data, tmp_path / name, batch=24)
        review.masking()
        found = review.gather()
        assert (tmp_path / name / "surface.svg").is_file()
        text = review_tables(found, ("masking", "bounded"))
        judged = [check["verdict"] for check in (found["surface"], *found["masking"])]
        assert text.count(f"| {MASKED} |") == judged.count(MASKED)
        assert NOT_RUN in text  # Auto-PGD by the ratio of logits was not asked for
        verdicts[name] = {(check["check"], check["norm"]): check["verdict"] for check in found["masking"]}
        verdicts[name]["surface", "l2"] = found["surface"]["verdict"]
    # Of eight images one is 12 points: only what is far from its limit can be asserted.
    for check in (("surface", "l2"), ("unbounded", "linf"), ("unbounded", "l2"), ("black-box", "linf")):
        assert (verdicts["honest"][check], verdicts["rounded"][check]) == (NO_SIGN, MASKED), check


def test_reviews_are_shown_as_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", str(DOCS / "mnist-review.json"), "--parts", "bookkeeping"]) == 0
    printed = capsys.readouterr().out
    assert "| thesis | 96.7 | 90.0 | – |" in printed
    assert "306 of 306 pairs" in printed
    other = tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    assert main(["--show", str(other)]) == FileError.exit_code
    assert "expected what a review wrote" in capsys.readouterr().err
    assert main(["--show", str(tmp_path / "none.json")]) == FileError.exit_code
    save_ensemble(trained(), tmp_path / "members.pt")
    with pytest.raises(SystemExit):
        main([str(tmp_path / "members.pt")])


@pytest.mark.parametrize(
    "settings", [{"masking_steps": (10, 50)}, {"masking_draws": (1, 16)}, {"masking_steps": ()}, {"grid": 0}]
)
def test_a_comparison_with_no_more_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Scrutiny(**settings)


@pytest.mark.parametrize(
    ("file", "part", "page"),
    [
        (f"{data}-{file}.json", part, page)
        for data in ("mnist", "cifar10")
        for file, part, page in (
            ("bounded", "bounded", "results.md"),
            ("bounded", "masking", "results.md"),
            ("bounded", "samples", "lucky-draws.md"),
            ("review", "bookkeeping", "lucky-draws.md"),
        )
    ]
    + [("cifar10-fifty.json", part, "results.md") for part in ("curves", "bounded", "masking")]
    + [("cifar10-fifty.json", "bookkeeping", "lucky-draws.md")],
)
def test_pages_have_what_the_command_prints(
    file: str, part: str, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--show", str(DOCS / file), "--parts", part]) == 0
    printed = capsys.readouterr().out.strip()
    assert printed
    assert printed in (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("data", ["mnist", "cifar10"])
def test_pictures_of_surfaces_are_those_of_the_files(data: str) -> None:
    found = json.loads((DOCS / f"{data}-bounded.json").read_text(encoding="utf-8"))
    drawn = (DOCS / "figures" / f"{data}-surface.svg").read_text(encoding="utf-8")
    assert drawn == surface_svg(found["surface"], f"{data}: margin around clean images")
