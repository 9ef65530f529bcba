"""Surroundings: limits, users, folders, streams and locales, signals, and two runs at once.

Cases here run in a process of their own. What they try happens in a child of that; then the parent looks at what is
left. ``people.csv`` and ``job.json`` are the old release, ``people2.csv`` and ``job2.json`` the new one.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import pickle
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from . import judge
from .case import Case
from .command import KNOWN, Ended, run
from .outcome import Outcome, Verdict, worst
from .publishing import forced, found

NOBODY = 65534
_AGAIN = "job2.json"
#: Exit codes of commands that were asked to end; where the signal came when all was written, the new release is there.
STOPPED = {129, 130, 143}


def environment(case: Case) -> Verdict:
    """Publish over a release, or into a new folder, under odd circumstances."""
    draw, place = case.draw, _place(case)
    name = draw.choice(list(_CIRCUMSTANCES))
    again = draw.random() < 0.6
    out = "release" if again else draw.choice(["new", "deep/er/new", "n e w", "名"])
    given = [
        "publish",
        _AGAIN if again else "job.json",
        "--out",
        out,
        "--no-report",
        *(forced() if again else []),
        *draw.choice([[], ["--json"], ["-q"]]),
    ]
    arrange = _CIRCUMSTANCES[name](draw, place)

    def work() -> Ended:
        arrange()
        return run(given, encoding=draw.choice(["ascii", "latin-1", "utf-8"]))

    ended = _forked(work, given)
    _undo(place)
    return _judged(name, ended, place, again=again, out=out, may_die=name == "memory", silent=name == "file size")


def kills(case: Case) -> Verdict:
    """Stop a publish at a random moment; what is there after the next run is whole."""
    draw, place = case.draw, _place(case)
    number = draw.choice([signal.SIGKILL] * 4 + [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    given = ["publish", _AGAIN, "--out", "release", "--no-report", "-q", *forced()]
    seen = draw.random() < 0.8
    delay = draw.uniform(0, 0.04) if seen else draw.uniform(0, 0.5)

    def stop(child: int) -> None:
        while seen and not _hidden(place) and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.0005)
        time.sleep(delay)
        os.kill(child, number)  # a child that has ended and was not waited for can still be named

    ended = _forked(lambda: run(given), given, meanwhile=stop)
    if (
        number != signal.SIGKILL
        and ended.code >= 0
        and (left := list(judge.left_lying(place / "release", place / "release-custodian")))
    ):
        return Verdict(outcome=Outcome.LEAK, said=f"after {number!r}: {left}\n{ended.told}")
    return _judged(f"signal {number}", ended, place, again=True, out="release", may_die=True)


def two_at_once(case: Case) -> Verdict:
    """Let two publish into one folder."""
    draw, place = case.draw, _place(case)
    wait = draw.choice([[], ["--wait", "20"]])
    given = [
        ["publish", job, "--out", "release", "--no-report", "-q", *forced(), *wait] for job in ("job.json", _AGAIN)
    ]
    first: list[Ended] = []

    def second(_: int) -> None:
        time.sleep(draw.uniform(0, 0.05))
        first.append(_forked(lambda: run(given[1]), given[1]))

    ended = [_forked(lambda: run(given[0]), given[0], meanwhile=second), *first]
    verdicts = [one.verdict() for one in ended]
    state = _version(place)
    told = "\n".join(one.told for one in ended)
    if state not in ("old", "new") or (wait and any(one.code for one in ended)) or all(one.code for one in ended):
        verdicts.append(Verdict(outcome=Outcome.MIXED, said=f"{state} after two at once\n{told}"))
    return worst(
        [*verdicts, *found(Outcome.LEAK, judge.left_lying(place / "release", place / "release-custodian"), ended[0])]
    )


def processes(case: Case) -> Verdict:
    """Run a command as a real process, with odd streams, locale and environment."""
    draw, place = case.draw, _place(case)
    again = draw.random() < 0.5
    out = "release" if again else "new"
    given = ["publish", _AGAIN if again else "job.json", "--out", out, "--no-report", *(forced() if again else [])]
    reading = draw.random() < 0.4
    if reading:
        given = draw.choice(
            [
                ["check", "release/release.csv"],
                ["inspect", "people.csv"],
                ["risk", "people.csv", "--quasi", "age,job", "--json"],
                ["schema"],
                ["--help"],
                [],
                ["publish", "--help"],
                ["nonsense"],
            ]
        )
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    close: list[int] = []
    streams = draw.choice(["plain", "plain", "closed", "full", "pipe", "no input"])
    if streams == "closed":
        close = draw.choice([[0], [1], [2], [1, 2], [0, 1, 2]])
    elif streams == "full":
        options["stdout"] = Path("/dev/full").open("wb")  # noqa: SIM115 -- for the child
    elif streams == "pipe":
        read, write = os.pipe()
        os.close(read)
        options["stdout"] = write
    variables = draw.choice([{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "utf-16"},
        {"LC_ALL": "tr_TR.UTF-8"}, {"PYTHONOPTIMIZE": "2"}, {"PYTHONWARNINGS": "error"}, {"PYTHONHASHSEED": "1"},
            {"COLUMNS": "0"}, {"HOME": ""}, {"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONSAFEPATH": "1"},
                {"PYTHONDEVMODE": "0"}])  # fmt: skip

    def before() -> None:
        for number in close:
            os.close(number)

    done = subprocess.run(
        [sys.executable, "-m", "nymity", *given],
        env={**os.environ, **variables},
        cwd=place,
        preexec_fn=before,
        timeout=100,
        check=False,
        **options,
    )
    ended = Ended(
        arguments=tuple(given) or ("nothing",),
        code=done.returncode,
        out=(done.stdout or b"").decode(errors="replace"),
        err=(done.stderr or b"").decode(errors="replace"),
    )
    told = f"{streams} {close} {variables}"
    if reading:
        verdict = ended.verdict()
        silent = ended.code in (2, 3) and 2 in close
        return Verdict(outcome=Outcome.ERROR if silent else verdict.outcome, said=f"{told}\n{verdict.said}")
    return _judged(told, ended, place, again=again, out=out, may_die=False, silent=2 in close)


# -- judging -----------------------------------------------------------------------------------------------------------


def _judged(
    what: str, ended: Ended, place: Path, *, again: bool, out: str, may_die: bool, silent: bool = False
) -> Verdict:
    """Judge what a publish left behind, after the next run where it died."""
    release = place / out
    private = release.with_name(f"{release.name}-custodian")
    died = ended.code < 0 or ended.code in (134, 137, 139)
    verdict = ended.verdict()
    if (died and may_die) or (silent and ended.code in (2, 3)):
        verdict = Verdict(outcome=Outcome.ERROR, said=ended.told)
    verdicts = [Verdict(outcome=verdict.outcome, said=f"{what}\n{verdict.said}")]
    if died and private.exists():
        _next_run(private, release)
    faults = found(Outcome.LEAK, (f"{what}: {fault}" for fault in judge.left_lying(release, private)), ended)
    if again:
        state = _version(place)
        success = ended.code in (0, 5)
        wrong = (
            state not in ("old", "new")
            or (success and state != "new")
            or (not died and not success and ended.code in KNOWN - STOPPED and state != "old")
        )
        wrong = wrong and not (place.parent / "kept").exists()  # what lies there is not what was published
        faults += found(Outcome.MIXED, [f"{what}: {state} is there"] if wrong else [], ended)
    elif ended.code not in (0, 5) and not died and release.exists() and any(release.iterdir()):
        faults += found(Outcome.MIXED, [f"{what}: files are left"], ended)
    return worst([*verdicts, *faults])


def _version(place: Path) -> str:
    """Say whether all files belong to the old release or all to the new one."""
    release, private = place / "release", place / "release-custodian"
    try:
        table = release / "release.csv"
        told = json.loads((release / "certificate.json").read_text())
        rows = [
            len(judge.read(table)[1]),
            told["input"]["records"],
            pq.read_metadata(private / "mapping.parquet").num_rows,
        ]
        texts = [table.read_text(), (private / "seen.json").read_text()]
        salt = json.loads((private / "log.json").read_text()).get("salt", "")
        whole = told["output"]["file_sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    except (OSError, ValueError, KeyError, judge.Unreadable) as error:
        return f"something that cannot be read ({error!r})"
    versions = {"old" if count == 30 else "new" if count == 36 else f"{count} rows" for count in rows}
    versions |= {"new" if "Zqnew" in text else "old" for text in texts}
    for name, source in (("old", "people.csv"), ("new", "people2.csv")):
        if salt and _salted(place / source, salt) == told["input"]["salted_sha256"]:
            versions.add(name)
            break
    else:
        versions.add("a log of neither")
    versions |= set() if whole else {"another table"}
    return versions.pop() if len(versions) == 1 else f"mixed: {sorted(versions)}"


def _salted(path: Path, salt: str) -> str:
    from nymity.io import read_table
    from nymity.publishing.sealing.fingerprint import fingerprint

    return fingerprint(read_table(path), salt=salt)


def _next_run(private: Path, release: Path) -> None:
    from nymity.core.commit import committing

    with committing(private, release, private=[private]):
        pass


# -- circumstances -----------------------------------------------------------------------------------------------------

Arrange = Callable[[], None]


def _variable(name: str, values: list[str | None]) -> Callable[[random.Random, Path], Arrange]:
    def choose(draw: random.Random, place: Path) -> Arrange:
        value = draw.choice(values)

        def arrange() -> None:
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
            if name == "TMPDIR":
                tempfile.tempdir = None

        return arrange

    return choose


def _limit(name: int, values: Iterable[int]) -> Callable[[random.Random, Path], Arrange]:
    def choose(draw: random.Random, place: Path) -> Arrange:
        value = draw.choice(list(values))
        if name == resource.RLIMIT_AS:
            value += int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        if name == resource.RLIMIT_NOFILE:  # beyond those that are open, and a few for this campaign itself
            value += max(int(path.name) for path in Path("/proc/self/fd").iterdir()) + 7
        return lambda: resource.setrlimit(name, (value, resource.getrlimit(name)[1]))

    return choose


def _user(prepare: Callable[[random.Random, Path], None]) -> Callable[[random.Random, Path], Arrange]:
    """Let permissions mean something, also for root: without the two capabilities to read and write past them."""

    def choose(draw: random.Random, place: Path) -> Arrange:
        prepare(draw, place)
        return _obey_permissions

    return choose


def _obey_permissions() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, this process
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; then the same of capabilities from 32 on
    if os.geteuid() != 0:
        return
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), "capget")
    sets[0] &= ~0b110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")


def _closed(draw: random.Random, place: Path) -> None:
    """Take a permission from somewhere."""
    draw.choice(
        [
            place,
            place / "release",
            place / "release-custodian",
            place / "people.csv",
            place / "people2.csv",
            place / _AGAIN,
            place / "release/release.csv",
            place / "release/certificate.json",
        ]
    ).chmod(draw.choice([0o555, 0o444, 0o000, 0o111]))


def _of_another(draw: random.Random, place: Path) -> None:
    names = ["release", "release-custodian", "release/release.csv", "release-custodian/log.json", "people2.csv"]
    for name in draw.sample(names, 2):
        (place / name).chmod(0o700 if (place / name).is_dir() else 0o600)
        if os.geteuid() == 0:
            os.chown(place / name, NOBODY, NOBODY)


def _umask(draw: random.Random, place: Path) -> Arrange:
    mask = draw.choice([0, 0, 0, 0o077, 0o777, 0o222, 0o444])
    return lambda: os.umask(mask) and None


def _gone(draw: random.Random, place: Path) -> Arrange:
    def arrange() -> None:
        gone = place.parent / "gone"
        gone.mkdir()
        os.chdir(gone)
        gone.rmdir()

    return arrange


def _odd_target(draw: random.Random, place: Path) -> Arrange:
    """Put something in the way."""

    def arrange() -> None:
        path = draw.choice(
            [
                place / "new",
                place / "new-custodian",
                place / "release/release.csv",
                place / "release/report.html",
                place / "release-custodian/log.json",
                place / "deep",
            ]
        )
        shutil.move(path, place.parent / "kept") if path.exists() else None
        if draw.random() < 0.3 and path.parent == place:
            path.symlink_to(draw.choice(["release", "nowhere", path.name, "/dev/null"]))
        elif path.parent != place:
            path.mkdir()
        else:
            path.write_text("in the way")

    return arrange


_CIRCUMSTANCES: dict[str, Callable[[random.Random, Path], Arrange]] = {
    "columns": _variable("COLUMNS", ["0", "1", "2", "-1", "x", "", "99999", "1" * 30]),
    "lines": _variable("LINES", ["0", "x"]),
    "term": _variable("TERM", ["dumb", "", "x" * 99, None]),
    "color": _variable("FORCE_COLOR", ["1", "3"]),
    "home": _variable("HOME", [None, "/nowhere", "", "/dev/null"]),
    "temporary": _variable("TMPDIR", ["/nowhere", "/proc", "", None]),
    "zone": _variable("TZ", ["Mars/Phobos", "", ":", "UTC+99"]),
    "umask": _umask,
    "file size": _limit(resource.RLIMIT_FSIZE, [0, 1, 300, 1000, 2000, 3000, 5000, 20_000]),
    "open files": _limit(resource.RLIMIT_NOFILE, [0, 1, 2, 3, 4, 6, 8, 12, 20]),
    "memory": _limit(resource.RLIMIT_AS, [2**20, 2**23, 2**25, 2**27, 2**28, 2**29, 2**30, 2**31]),
    "stack": _limit(resource.RLIMIT_STACK, [2**18, 2**20]),
    "permission": _user(_closed),
    "of another": _user(_of_another),
    "folder gone": _gone,
    "in the way": _odd_target,
}  # fmt: skip


# -- processes ---------------------------------------------------------------------------------------------------------


def _place(case: Case) -> Path:
    place = case.folder / "place"
    shutil.copytree(case.stock / "levels", place)
    os.chdir(place)
    return place


def _undo(place: Path) -> None:
    """Let the judge read everything again."""
    for name in ("", "release", "release-custodian"):
        if stat.S_IMODE((place / name).stat().st_mode) in (0o555, 0o444, 0o000, 0o111):
            (place / name).chmod(0o700)


def _hidden(place: Path) -> bool:
    try:
        return any(path.name.startswith(".") for path in (place / "release").iterdir())
    except OSError:
        return False


def _forked(work: Callable[[], Ended], given: list[str], *, meanwhile: Callable[[int], None] = lambda _: None) -> Ended:
    """Do something in a child; where it dies, tell how."""
    answer = Path(tempfile.gettempdir()).parent / f"answer-{time.monotonic_ns()}"
    with answer.open("wb+") as file:
        child = os.fork()
        if child == 0:
            code = 70
            try:
                data = pickle.dumps(work())
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.getrlimit(resource.RLIMIT_FSIZE)[1],) * 2)
                file.write(data)
                file.flush()
                code = 0
            except BaseException as error:  # noqa: BLE001 -- a signal may come when the command has ended
                file.write(
                    pickle.dumps(
                        Ended(
                            arguments=tuple(given),
                            code=130 if isinstance(error, KeyboardInterrupt) else 70,
                            out="",
                            err=repr(error),
                        )
                    )
                )
                file.flush()
            finally:
                os._exit(code)
        meanwhile(child)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        file.seek(0)
        data = file.read()
    answer.unlink()
    return pickle.loads(data) if data else Ended(arguments=tuple(given), code=status, out="", err=f"died with {status}")
