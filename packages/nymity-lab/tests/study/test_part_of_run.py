"""Parts of a run: of what has no step nothing is made. What one step less leaves out, the studies' own tests say."""

from __future__ import annotations

import pytest

from nymity_lab.study import find_study
from nymity_lab.study.study import Results


@pytest.mark.parametrize(
    ("name", "without_steps"),
    [("bucketization", ["Table 7.2"]), ("epsilon-safe", []), ("local-recoding", []), ("safepub", [])],
)
def test_of_no_step_nothing_is_made_but_settings(name: str, without_steps: list[str]) -> None:
    study = find_study(name)
    none = Results(scale="smoke", by_step={}, missing=tuple(step.id for step in study.steps_at("smoke")))
    assert [exhibit.number for exhibit in study.exhibits(none)] == without_steps
