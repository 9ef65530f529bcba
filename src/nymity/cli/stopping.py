"""How a command is stopped: Ctrl-C, SIGTERM and SIGHUP all come out as KeyboardInterrupt, once."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

from nymity.core.exit_code import ExitCode
from nymity.core.signals import ENDING

#: The signals that stopped this process, and when, in the order they came.
_received: list[tuple[int, float]] = []
#: Seconds in which further signals change nothing, so that they do not break off the cleaning up.
_GRACE = 2.0
#: Seconds after which an interrupt that got lost comes again.
_PAUSE = 0.01
_lost: list[bool] = []


def watch_signals() -> None:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does: cleaned up, told, and with a code of their own."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, _stop)
    sys.unraisablehook = _unraisable


def let_go() -> None:
    """Let nothing stop what is left to do: a command that is done ends with its own code."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def was_stopped() -> bool:
    """Return whether a signal has asked the command to end."""
    return bool(_received)


def stop_code() -> ExitCode:
    """Return the exit code of a command that was stopped."""
    return ExitCode.of_signal(_received[0][0]) if _received else ExitCode.INTERRUPTED


def _stop(number: int, _: FrameType | None) -> None:
    now = time.monotonic()
    if _received and now - _received[-1][1] < _GRACE and not _lost:
        return
    _lost.clear()
    _received.append((number, now))
    raise KeyboardInterrupt


def _unraisable(unraisable: Any) -> None:
    """Let an interrupt come again that Python had to drop, as it must in callbacks of compiled code."""
    if "ignored due to race condition" in str(unraisable.exc_value):  # a signal that came just before it was let go
        return
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    _lost.append(True)
    again = threading.Timer(_PAUSE, _interrupt)
    again.daemon = True
    again.start()


def _interrupt() -> None:
    """Interrupt the main thread, also one that waits."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()
