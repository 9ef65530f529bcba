"""SafePub: sections 7 and 8 of Bild, Kuhn and Prasser (2018), as published and with the promise kept.

All releases of this study are drawn with seeds from public tables: none of them is private.
"""

from __future__ import annotations

from nymity_lab.study.safepub.exhibits import exhibits
from nymity_lab.study.safepub.steps import steps
from nymity_lab.study.study import Scale, Study

STUDY = Study(
    name="safepub",
    title="SafePub: true records, differentially private",
    source="Bild, Kuhn and Prasser (2018), PoPETs 2018 (1), sections 7 and 8",
    version="2",
    scales={
        "smoke": Scale(takes="half a minute"),
        "quick": Scale(takes="about 15 minutes on one core", needs=("adult", "fars", "nursery")),
        "full": Scale(takes="a day on two cores", needs=("adult", "fars", "nursery", "acs")),
    },
    steps=steps,
    exhibits=exhibits,
)
