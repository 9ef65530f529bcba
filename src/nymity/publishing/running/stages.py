"""Stages: what a run goes through in order, each reported before it begins and timed."""

from __future__ import annotations

import time
from collections.abc import Callable

from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report


class Staged:
    """A run that goes through stages; ``seconds`` has what each took, for the custodian's log."""

    observe: Observer
    seconds: dict[str, float]

    def _stage(self, name: str, work: Callable[[], None]) -> None:
        report(self.observe, Progress(stage=name))
        start = time.perf_counter()
        with interruptible():
            work()
        self.seconds[name] = round(time.perf_counter() - start, 4)
