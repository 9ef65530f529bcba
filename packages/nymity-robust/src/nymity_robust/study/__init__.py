"""Robustness: chapter 4 of Liang (2020), Noisy Logit and Ensemble Voting, then the adaptive attacks it does not run.

A step is a whole run of :mod:`nymity_robust.pipeline` for one data set, which keeps its state: members are trained
once, and an interrupted run goes on where it was. ``full`` is meant for a GPU, where ``python -m nymity_robust --scale
full --out OUT/work/DATA`` makes the same run with nothing but torch installed; the study then reads what it left.
"""

from __future__ import annotations

from nymity_lab.study.study import Scale, Step, Study
from nymity_robust.study.exhibits import exhibits
from nymity_robust.study.work import chapter_four

_DATA = {"smoke": ("generated",), "quick": ("mnist",), "full": ("mnist", "cifar10")}


def steps(scale: str) -> list[Step]:
    """Return one run for each data set."""
    return [
        Step(
            id=data,
            run=chapter_four,
            parameters={"data": data, "scale": scale},
            seconds={"smoke": 20, "quick": 900, "full": 100_000}[scale],
            keeps_state=True,
        )
        for data in _DATA[scale]
    ]


STUDY = Study(
    name="robustness",
    title="Robustness: Noisy Logit and Ensemble Voting, attacked seriously",
    source="Liang (2020), MSc thesis, McMaster University, chapter 4",
    version="2",  # 1: Carlini-Wagner chose without κ, and first weights were others
    scales={
        "smoke": Scale(takes="a minute"),
        "quick": Scale(takes="about 20 minutes on two cores"),
        "full": Scale(takes="a quarter of an hour for each data set on a GPU"),
    },
    steps=steps,
    exhibits=exhibits,
)
