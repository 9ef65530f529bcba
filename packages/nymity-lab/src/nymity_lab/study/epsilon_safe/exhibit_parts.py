"""What the exhibits of this study share: what differs from the thesis."""

from __future__ import annotations

from nymity_lab.study.epsilon_safe.draws import PRIVATE, PUBLISHED
from nymity_lab.study.study import Results

FORMS = (PUBLISHED, PRIVATE)
HIERARCHIES = (
    "The hierarchies of Adult are ours (nymity_lab/datasets/adult.py), with the thesis's numbers of levels; it prints "
    "none, and names six of ten attributes."
)
PERCENT = (
    "Penalties here count suppressed records. The thesis's fit its figures if its shares are in percent: they are "
    "hundredths of ours."
)
CENSUS = (
    "IPUMS Brazil cannot be had: the American Community Survey stands in, with as many records and hierarchies of "
    "ours, and whether an income exceeds 50,000 is predicted. The thesis's figures are shown beside, of other data."
)
SPLIT = (
    "Penalties are those at which good nodes of the training part are most probable; accuracies are those on the test "
    "part, which nothing was chosen by."
)
TWO_FORMS = (
    "As published: k and beta as in the thesis, its sensitivity, and one sample to draw on and to release; it is not "
    "private. Private: the same epsilon of 1.704, a fresh sample, and the k that follows."
)


def attributes(results: Results) -> list[int]:
    """Return the numbers of attributes that are studied; the first two are those of figure 5.1."""
    return sorted({row["attributes"] for row in results.rows("times")})
