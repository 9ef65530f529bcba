"""Local recoding: chapter 3 and appendix A of Liang (2020), with census, accident and hospital data of our own.

The thesis draws from a census extract of IPUMS that it does not name exactly; what stands in for it, and which
attributes are used where it does not say, is noted in each exhibit.
"""

from __future__ import annotations

from nymity_lab.study.local_recoding.exhibits import exhibits
from nymity_lab.study.local_recoding.steps import steps
from nymity_lab.study.study import Scale, Study

STUDY = Study(
    name="local-recoding",
    title="Local recoding: exact, greedy, clustered, cut and freeform",
    source="Liang (2020), MSc thesis, McMaster University, chapter 3 and appendix A",
    version="1",
    scales={
        "smoke": Scale(takes="a minute"),
        "quick": Scale(takes="about 10 minutes on two cores", needs=("acs", "fars", "diabetes130")),
        "full": Scale(takes="hours", needs=("acs", "fars", "diabetes130")),
    },
    steps=steps,
    exhibits=exhibits,
)
