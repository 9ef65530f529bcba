"""Page: an evaluation as one HTML file that opens without a network, with grids of images as in appendix B."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator

from torch import Tensor

from nymity.core.template import Template
from nymity_robust.evaluation import AttackOutcome, Evaluation
from nymity_robust.pictures import png
from nymity_robust.rates import MeasuredRate

_PAGE = Template("evaluation.html", "nymity_robust")


def evaluation_page(evaluations: Iterable[Evaluation]) -> str:
    """Write evaluations as one page."""
    return str(_PAGE.page(list(evaluations), facts=_facts, share=_share, images=_images))


def _facts(evaluation: Evaluation) -> str:
    return (
        f"{evaluation.data}, seed {evaluation.seed}, {evaluation.device}, torch {evaluation.torch_version}, "
        f"{evaluation.seconds:.0f} s. {evaluation.remark}"
    )


def _images(outcome: AttackOutcome) -> Iterator[tuple[str, str, int]]:
    """Give each image beside its adversarial example, and what the defence answered."""
    for original, example, answer in zip(*outcome.shown, strict=True):
        yield _url(original), _url(example), int(answer)


def _url(image: Tensor) -> str:
    return f"data:image/png;base64,{base64.b64encode(png(image)).decode()}"


def _share(one: MeasuredRate) -> str:
    return f"{one.value:.1%} ({one.low:.1%} to {one.high:.1%})"
