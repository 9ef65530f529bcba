"""Stops publishes at random moments, by SIGKILL or by a signal that asks for it, and lets several run at once.

    python -m hostile.kills "publish again" --how kill --times 1000
    python -m hostile.kills "publish again" --how signal --times 300
    python -m hostile.kills "publish again" --how cold --times 30
    python -m hostile.kills "publish again" --how crowd --times 50

``kill`` and ``signal`` stop processes forked from one that has imported everything, three of four while the release is
being written; ``cold`` ones are started anew by the command line, and ``crowd`` lets four publish to one folder.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hostile.faults import BUG, FAILED, Scenario, Template, answers, forked, judged, noted
from nymity.core.exit_code import ExitCode
from nymity.core.signals import ENDING

HOW = ("kill", "signal", "cold", "crowd")
STOPPED = "stopped: interrupted; no file is left half-written\n"
_WRITING, _BEGUN = b"w", b"b"


@dataclass(frozen=True, kw_only=True)
class Stop:
    """One run that was stopped: by what, after how many seconds, how it ended, and what is wrong with that if any."""

    how: str
    by: str
    after: float
    ended: str
    state: str
    wrong: str = ""


def run_stops(name: str, how: str, *, times: int, seed: int = 1) -> list[Stop]:
    """Stop a scenario so many times, in a process of its own."""
    command = [sys.executable, "-m", "hostile.kills", name, "--how", how, "--times", str(times), "--seed", str(seed)]
    return noted([Stop(**line) for line in answers(command, {})], "stops", lambda stop: stop.how)


# -- stopped in the middle -----------------------------------------------------------------------------


def _kills(scenario: Scenario, times: int, rng: random.Random) -> Iterator[Stop]:
    with Template(scenario) as template:
        span = _spans(scenario, template)
        for _ in range(times):
            with template.copied() as folder:
                phase, after = _moment(span, rng)
                code, _ = _stopped(lambda: scenario.act(folder), phase, after, signal.SIGKILL)
                state = judged(scenario, folder)
            ended = {0: "done", -signal.SIGKILL: "killed"}.get(code, f"exit code {code}")
            fine = state == "new" or (state == "old" and ended == "killed")
            wrong = "" if fine and ended in ("done", "killed") else f"{ended}, {state}"
            yield Stop(how="kill", by="SIGKILL", after=after, ended=ended, state=state, wrong=wrong)


def _signals(scenario: Scenario, times: int, rng: random.Random) -> Iterator[Stop]:
    """Ask the command line to end: it ends like Ctrl-C, with a code of its own, and leaves nothing hidden."""
    with Template(scenario) as template:
        span = _spans(scenario, template, through_command_line=True)
        for _ in range(times):
            with template.copied() as folder:
                (phase, after), number = _moment(span, rng), rng.choice(ENDING)
                code, told = _stopped(lambda: _command_line(scenario, folder), phase, after, number)
                yield _asked("signal", scenario, folder, number, after, code, told)


def _cold(scenario: Scenario, times: int, rng: random.Random) -> Iterator[Stop]:
    """Start a process anew and stop it, also while it loads packages."""
    with Template(scenario) as template:
        program = [sys.executable, "-c", "from hostile.kills import cold_start; cold_start()"]
        started = time.monotonic()
        with template.copied() as folder:
            subprocess.run([*program, str(folder)], check=True, capture_output=True)
        span = time.monotonic() - started
        for turn in range(times):
            number = signal.SIGKILL if turn % 4 == 3 else rng.choice(ENDING)
            after = rng.random() * span
            with template.copied() as folder:
                running = subprocess.Popen([*program, str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                time.sleep(after)
                running.send_signal(number)
                _, told = running.communicate(timeout=120)
                if number == signal.SIGKILL:
                    state = judged(scenario, folder)
                    wrong = "" if state in ("old", "new") else state
                    yield Stop(how="cold", by="SIGKILL", after=after, ended="killed", state=state, wrong=wrong)
                else:
                    yield _asked("cold", scenario, folder, number, after, running.returncode, told.decode())


def _asked(how: str, scenario: Scenario, folder: Path, number: int, after: float, code: int, told: str) -> Stop:
    hidden = [str(path) for path in folder.rglob(".nymity-*")]
    state = judged(scenario, folder)
    ended = "done" if code == 0 else f"exit code {code}"
    wrong = ""
    # Python itself takes some milliseconds until any program of ours runs: it dies of the signal then.
    too_early = how == "cold" and code == -number and state == "old" and "nymity/" not in told
    if code not in (0, ExitCode.of_signal(number)) and not too_early:
        wrong = f"ended with {code}: {told[-800:]}"
    elif hidden:
        wrong = f"left behind: {hidden}"
    elif state not in ("old", "new") or (code == 0 and state != "new"):
        wrong = f"{ended}, {state}"
    elif "Traceback" in told and not too_early:
        wrong = f"told: {told[-500:]}"
    return Stop(how=how, by=signal.Signals(number).name, after=after, ended=ended, state=state, wrong=wrong)


def _moment(span: dict[bytes, float], rng: random.Random) -> tuple[bytes, float]:
    phase = _WRITING if rng.random() < 0.75 and _WRITING in span else _BEGUN
    return phase, rng.random() * span[phase] * 1.05


def _spans(scenario: Scenario, template: Template, *, through_command_line: bool = False) -> dict[bytes, float]:
    """Return how long a run takes from its beginning, and from where it begins to write, undisturbed."""
    found: dict[bytes, float] = {}
    for phase in (_BEGUN, _WRITING):
        with template.copied() as folder:
            act = _command_line if through_command_line else lambda scenario, folder: scenario.act(folder)
            began: list[float] = []
            code, told = _stopped(lambda: act(scenario, folder), phase, 600.0, signal.SIGKILL, began=began)  # noqa: B023
            if code:
                raise RuntimeError(f"the scenario ends with {code} undisturbed: {told}")
            if began:
                found[phase] = time.monotonic() - began[0]
    return found


def _stopped(
    work: Callable[[], None], phase: bytes, after: float, number: int, *, began: list[float] | None = None
) -> tuple[int, str]:
    """Run something in a process of its own, stop it so many seconds after a phase began; return code and stderr."""
    read, write = os.pipe()
    errors_read, errors_write = os.pipe()
    child = os.fork()
    if child == 0:
        code = BUG
        try:
            os.close(read)
            os.dup2(errors_write, 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            _tell_when_writing(write)
            os.write(write, _BEGUN)
            work()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        except BaseException:  # noqa: BLE001 -- told by the exit code
            import traceback

            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(write)
    os.close(errors_write)
    while (seen := os.read(read, 1)) not in (phase, b""):
        pass
    if seen and began is not None:
        began.append(time.monotonic())
    if seen:
        select.select([read], [], [], 0)
        _sleep_unless_ended(child, after)
    told = ""
    status = os.waitpid(child, os.WNOHANG)
    if status[0] == 0:
        os.kill(child, number)
        status = os.waitpid(child, 0)
    os.close(read)
    with os.fdopen(errors_read, "rb") as errors:
        told = errors.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(status[1]), told


def _sleep_unless_ended(child: int, seconds: float) -> None:
    if seconds < 1:
        time.sleep(seconds)
        return
    handle = os.pidfd_open(child)
    select.select([handle], [], [], seconds)
    os.close(handle)


def _tell_when_writing(pipe: int) -> None:
    from nymity.publishing.releases.release import Release

    real = Release.save

    def write(self: Release, *arguments: Any, **options: Any) -> Any:
        os.write(pipe, _WRITING)
        return real(self, *arguments, **options)

    Release.save = write  # type: ignore[method-assign]


def _command_line(scenario: Scenario, folder: Path) -> None:
    """Let the command line run what a scenario does, in place of a command."""
    import typer

    from nymity.cli import main, start
    from nymity.cli.failure import guarded

    other = typer.Typer()
    other.command()(guarded(lambda: scenario.act(folder)))
    main.command_line = lambda _: (other, [])
    sys.argv = ["nymity"]
    start.run()


def cold_start() -> None:
    """Run a scenario by the command line; what it needs is loaded when it is needed."""
    folder = Path(sys.argv[1])
    from nymity.cli import start, stopping

    stopping.watch_signals()
    try:
        from hostile.scenarios import SCENARIOS
    except KeyboardInterrupt:
        sys.exit(stopping.stop_code())
    del start
    _command_line(SCENARIOS["publish again"], folder)


# -- several at once -----------------------------------------------------------------------------------


def _crowds(scenario: Scenario, times: int, rng: random.Random) -> Iterator[Stop]:
    """Let four publish to one folder at the same time: some are refused, none is mixed with another."""
    with Template(scenario) as template:
        for _ in range(times):
            with template.copied() as folder:
                children = []
                for _ in range(4):
                    pause = rng.random() * rng.choice((0.01, 0.3))
                    child = os.fork()
                    if child == 0:
                        time.sleep(pause)
                        os._exit(forked(lambda: scenario.act(folder), scenario.expected))
                    children.append(child)
                codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
                hidden = [str(path) for path in folder.rglob(".nymity-*")]
                state = judged(scenario, folder)
            done = codes.count(0)
            wrong = ""
            if set(codes) - {0, FAILED} or not done:
                wrong = f"ended with {codes}"
            elif hidden:
                wrong = f"left behind: {hidden}"
            elif state != "new" and not (done > 1 and state == f"mixed: {done} earlier logs"):
                wrong = state  # those who came one after another replaced each other, and kept each other's logs
            yield Stop(how="crowd", by="each other", after=0.0, ended=f"{done} of 4 done", state=state, wrong=wrong)


def main() -> None:
    """Print one line of JSON for each run."""
    from hostile.scenarios import SCENARIOS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--how", choices=HOW, default="kill")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background
    runs = {"kill": _kills, "signal": _signals, "cold": _cold, "crowd": _crowds}[given.how]
    for stop in runs(SCENARIOS[given.scenario], given.times, random.Random(given.seed)):
        sys.stdout.write(json.dumps(asdict(stop)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
