"""Epsilon-safe lattice anonymization: chapter 5 of Li (2019), as published and with the promise kept.

All releases of this study are drawn with seeds from public tables: none of them is private.
"""

from __future__ import annotations

from nymity_lab.study.epsilon_safe.exhibits import exhibits
from nymity_lab.study.epsilon_safe.steps import later, steps
from nymity_lab.study.study import Scale, Study

STUDY = Study(
    name="epsilon-safe",
    title="Epsilon-safe lattice anonymization: levels and suppressed records",
    source="Li (2019), MSc thesis, University of Edinburgh, chapter 5",
    version="2",
    scales={
        "smoke": Scale(takes="half a minute"),
        "quick": Scale(takes="about 10 minutes on one core", needs=("adult-census", "acs")),
        "full": Scale(takes="half an hour on two cores", needs=("adult-census", "acs")),
    },
    steps=steps,
    exhibits=exhibits,
    later=later,
)
