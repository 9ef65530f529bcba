"""Metrics: chapters 3 and 4 and appendix A of de Spoelberch's thesis on what information loss metrics predict.

Releases of four data sets by three algorithms, each measured by all of nymity's metrics and by what three classifiers
learn from it; then which metric, or which model of all metrics, tells the more useful of two releases.
"""

from __future__ import annotations

from nymity_lab.study.metrics.exhibits import exhibits, tables
from nymity_lab.study.metrics.steps import later, steps
from nymity_lab.study.study import Scale, Study

_DATA = ("cmc", "ringnorm", "adult-census", "framingham")

STUDY = Study(
    name="metrics",
    title="Information loss metrics: do they tell which release is more useful?",
    source="de Spoelberch, MEng thesis, Imperial College London, chapters 3 and 4 and appendix A",
    version="2",
    scales={
        "smoke": Scale(takes="half a minute"),
        "quick": Scale(takes="about 15 minutes on two cores", needs=_DATA),
        "full": Scale(takes="about an hour on two cores", needs=_DATA),
    },
    steps=steps,
    exhibits=exhibits,
    later=later,
    tables=tables,
)
