from __future__ import annotations

import pytest

from nymity.core.errors import Interrupted
from nymity.core.progress import Progress, report, silent


def test_an_observer_that_returns_false_stops_the_work() -> None:
    with pytest.raises(Interrupted, match="during searching after 7 steps"):
        report(lambda progress: progress.done < 7, Progress(stage="searching", done=7))


@pytest.mark.parametrize("answer", [None, True])
def test_any_other_answer_goes_on(answer: bool | None) -> None:
    seen = []

    def observe(progress: Progress) -> bool | None:
        seen.append(progress)
        return answer

    report(observe, Progress(stage="searching", done=1, total=3, best=0.5))
    assert seen == [Progress(stage="searching", done=1, total=3, best=0.5)]
    assert silent(seen[0]) is None
