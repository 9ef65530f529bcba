"""The best plan that time allows: dividing from the top, then the integer program from there on."""

from __future__ import annotations

from nymity.bucket.best_setting import BestSetting, Watch
from nymity.bucket.integer_program import improve
from nymity.bucket.problem import BucketProblem
from nymity.bucket.top_down import top_down
from nymity.core.errors import MissingExtraError


def best(problem: BucketProblem, watch: Watch) -> BestSetting:
    """Return a setting no worse than top-down's, with a proof where time and the extra ``exact`` allow one."""
    start = top_down(problem, watch)
    try:
        return improve(problem, start.buckets, watch)
    except MissingExtraError:
        return start
