"""Bucketization: chapter 7 of Wang (2014), with a census of our own, and buckets beside generalization.

The thesis uses an extract of a census that it does not name exactly; what stands in for it is noted in each exhibit.
"""

from __future__ import annotations

from nymity_lab.study.bucketization.exhibits import exhibits
from nymity_lab.study.bucketization.steps import steps
from nymity_lab.study.study import Scale, Study

STUDY = Study(
    name="bucketization",
    title="Bucketization: buckets of two and several sizes",
    source="Wang (2014), MSc thesis, Simon Fraser University, chapter 7",
    version="1",
    scales={
        "smoke": Scale(takes="half a minute"),
        "quick": Scale(takes="about 5 minutes on two cores", needs=("acs",)),
        "full": Scale(takes="an hour or two on two cores", needs=("acs",)),
    },
    steps=steps,
    exhibits=exhibits,
)
