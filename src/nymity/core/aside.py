"""Long calls into compiled code that cannot be interrupted, made in a thread of their own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

from nymity.core.progress import Observer, Progress, report

_SECONDS_BETWEEN_REPORTS = 0.2

T = TypeVar("T")


def aside(solve: Callable[[], T], observe: Observer, progress: Progress) -> T:
    """Return what a call returns, reporting progress meanwhile.

    Nobody waits for its thread any more once the observer or Ctrl-C asks to stop.
    """
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(solve())
        except Exception as error:  # noqa: BLE001 -- raised again in the thread that waits
            answer.set_exception(error)

    # A daemon: if the run is stopped, the process need not wait for a call that nobody can interrupt.
    Thread(target=run, daemon=True).start()
    while not wait([answer], timeout=_SECONDS_BETWEEN_REPORTS).done:
        report(observe, progress)
    return answer.result()
