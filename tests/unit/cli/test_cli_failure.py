"""Bad input, exit codes, and the program as a process."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from nymity.core.errors import InputError, NoSolutionError, PromiseError

Run = Callable[..., Result]

#: Said once where a message repeats values.
QUOTES = "note: this message quotes values of a table; --no-values leaves them out"
PROGRAM = [sys.executable, "-m", "nymity"]


def change(folder: Path, old: str, new: str) -> None:
    job = folder / "job.toml"
    text = job.read_text(encoding="utf-8")
    assert old in text
    job.write_text(text.replace(old, new), encoding="utf-8")


def refused(nymity: Run, *arguments: str, code: int = 2) -> str:
    """Run what must fail; return the message, which is never a traceback and the same in JSON."""
    done = nymity(*arguments)
    assert done.exit_code == code, done.output
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if line != QUOTES]
    assert len(said) <= 2
    told = nymity(*arguments, "--json")
    assert told.exit_code == code
    error = json.loads(told.stdout)["error"]
    assert error["exit_code"] == code
    lines = [f"error: {error['message']}"] + ([f"try: {error['hint']}"] if error["hint"] else [])
    assert ".nymity-" not in done.stderr, "a hidden folder means nothing to the user"
    assert said == lines
    return str(done.stderr)


PUBLISH = ("publish", "job.toml", "--out", "release", "--no-report")


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "nowhere.csv"),
        ("publish", "nowhere.toml", "--out", "release"),
        ("check", "nowhere.csv"),
        ("check", "nowhere.csv", "--job", "job.toml"),
        ("measure", "nowhere.csv", "--quasi", "age"),
        ("compare", "nowhere.csv", "people.csv", "--job", "job.toml"),
        ("apply", "nowhere.json", "people.csv", "--out", "x.csv"),
        ("hierarchy", "nowhere.csv"),
        ("hierarchy", "nowhere.csv", "--column", "age"),
    ],
)
def test_a_missing_file(folder: Path, nymity: Run, arguments: tuple[str, ...]) -> None:
    assert "nowhere" in refused(nymity, *arguments)


def test_a_missing_source(folder: Path, nymity: Run) -> None:
    (folder / "people.csv").unlink()
    assert "no such file" in refused(nymity, *PUBLISH)
    assert not (folder / "release").exists()


def test_a_ragged_table(folder: Path, nymity: Run) -> None:
    (folder / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    assert "ragged.csv, line 3: expected 2 fields" in refused(nymity, "inspect", "ragged.csv")


def test_a_wrong_encoding(folder: Path, nymity: Run) -> None:
    (folder / "odd.csv").write_bytes(b"a,b\n1,\x81\xff\n")
    message = refused(nymity, "inspect", "odd.csv")
    assert "odd.csv, line 2: expected text in utf-8" in message
    assert "encoding" in message
    assert nymity("inspect", "odd.csv", "--encoding", "latin-1").exit_code == 0
    assert "a text encoding" in refused(nymity, "inspect", "odd.csv", "--encoding", "utf-88")


def test_a_certificate_that_is_none(folder: Path, nymity: Run) -> None:
    assert "--certificate" in refused(nymity, "check", "people.csv")
    (folder / "certificate.json").write_text("{}")
    assert "certificate" in refused(nymity, "check", "people.csv")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("suppression = 0.1", "supression = 0.1", "did you mean 'suppression'?"),
        ("suppression = 0.1", "suppression = 1.5", "job.toml, method.suppression: expected a number from 0 to 1"),
        ("k = 4", "k = 61", "at most 60, the number of records, got 61"),
        ("k = 4", "k = 'four'", "job.toml, privacy[0].k: expected"),
        ('role = "identifying"', 'role = "identifing"', "did you mean 'identifying'?"),
        ("sex = {", 'gender = { role = "quasi" }\nsex = {', "schema.gender: expected a column of the table"),
        ("sex = {", "sex_ = {", "did you mean 'sex'?"),
        ('attribute = "illness"', 'attribute = "ilness"', "did you mean 'illness'?"),
        ("[method]", "[method", "expected valid TOML"),
    ],
)
def test_a_wrong_job(folder: Path, nymity: Run, old: str, new: str, words: str) -> None:
    change(folder, old, new)
    assert words in refused(nymity, *PUBLISH)
    assert not (folder / "release").exists()


def test_no_solution(folder: Path, nymity: Run) -> None:
    change(folder, "k = 4", "k = 50")
    change(folder, 'sex = { role = "quasi" }', 'sex = { role = "quasi", max_level = 0 }')
    message = refused(nymity, *PUBLISH, code=3)
    assert "50-anonymity" in message
    assert "\ntry: " in message


def test_unwritable_places(folder: Path, nymity: Run) -> None:
    (folder / "release").write_text("a file")
    assert "--out: expected a folder" in refused(nymity, *PUBLISH)
    assert "release" in refused(nymity, "publish", "job.toml", "--out", "release/deeper")
    assert "release" in refused(nymity, "inspect", "people.csv", "--job", "release/job.toml")
    assert "release" in refused(nymity, "hierarchy", "people.csv", "--column", "age", "--save", "release/age.csv")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_permission(folder: Path, nymity: Run) -> None:
    (folder / "locked").mkdir(mode=0o500)
    assert "permission" in refused(nymity, "publish", "job.toml", "--out", "locked/release")


def test_wrong_usage_is_typers(folder: Path, nymity: Run) -> None:
    for arguments in (("publish", "job.toml"), ("nonsense",), ("inspect", "people.csv", "--k", "1"), ("compare",)):
        done = nymity(*arguments)
        assert done.exit_code == 2
        assert "Traceback" not in done.output


def test_every_command_helps_with_examples(nymity: Run) -> None:
    from nymity.cli.main import app
    from nymity.cli.plugins import KNOWN

    overview = nymity("--help")
    assert overview.exit_code == 0
    names = [str(command.name) for command in app.registered_commands if command.name not in KNOWN]
    assert {"inspect", "publish", "demo", "check", "measure", "compare", "apply", "schema", "hierarchy"} <= set(names)
    for name in names:
        assert name in overview.stdout
        done = nymity(name, "--help")
        assert done.exit_code == 0
        assert "Examples" in done.stdout
        assert f"nymity {name} " in done.stdout
        assert "--quiet" in done.stdout
        assert "--json" in done.stdout


def test_errors_become_plain_data() -> None:
    from nymity.cli.failure import describe

    assert describe(InputError("x", expected="a", got="b. Try: c", hint="d")) == {
        "kind": "InputError",
        "message": "x: expected a, got b. Try: c",
        "where": "x",
        "expected": "a",
        "got": "b. Try: c",
        "hint": "d",
        "exit_code": 2,
    }
    assert describe(NoSolutionError("none. Try: less"))["hint"] == "less"
    assert describe(PromiseError("broken"))["exit_code"] == 1


# -- as a process ----------------------------------------------------------------------------------------------


def process(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


#: Runs a command and says which of some packages it loaded.
LOADED = """
import sys
from nymity.cli.start import run
heavy = sys.argv.pop(1).split(",")
try:
    run()
except SystemExit as done:
    print("\\nexit code", done.code, "loaded", *[name for name in heavy if name in sys.modules])
"""


@pytest.mark.parametrize(
    ("command", "without"),
    [
        (["--version"], ["numpy", "polars", "numba", "pydantic", "scipy", "jinja2"]),
        (["--help"], ["numpy", "polars", "numba", "pydantic", "scipy", "jinja2"]),
        (["inspect", "people.csv"], ["numba", "scipy", "jinja2", "sklearn", "altair", "nymity.privacy"]),
        (["check", "release"], ["numba", "scipy", "jinja2", "sklearn", "altair"]),
        (["measure", "people.csv", "--quasi", "age,sex"], ["numba", "jinja2", "sklearn", "altair"]),
        (
            ["publish", "job.toml", "--out", "another", "--no-report"],
            ["scipy.linalg", "scipy.special", "pyarrow", "sklearn", "altair", "nymity.report.custodian_page"],
        ),
        (["publish", "job.toml", "--out", "another"], ["scipy.linalg", "sklearn", "altair"]),
    ],
)
def test_commands_load_no_package_that_they_do_not_need(
    published: Path, command: list[str], without: list[str]
) -> None:
    told = subprocess.run(
        [sys.executable, "-c", LOADED, ",".join(without), *command],
        cwd=published,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines()[-1] == "exit code 0 loaded"


def test_a_process_tells_errors_without_traceback(folder: Path) -> None:
    done = process("inspect", "nowhere.csv", folder=folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: nowhere.csv: expected a readable file, got no such file\ntry: ")


def test_a_bug_shows_its_traceback_and_exits_70(folder: Path) -> None:
    code = (
        "import sys, nymity.publishing.preparing.inspect as i, nymity.cli.start as m\n"
        "def broken(*_, **__): raise RuntimeError('a bug')\n"
        "i.inspect = broken; sys.argv = ['nymity', 'inspect', 'people.csv']; m.run()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "Traceback" in done.stderr
    assert "RuntimeError: a bug" in done.stderr


def test_a_panic_is_a_bug(folder: Path) -> None:
    """A panic of polars is no Exception, and would end Python with 1."""
    code = (
        "import sys, nymity.publishing.preparing.inspect as i, nymity.cli.start as m\n"
        "class Panic(BaseException): pass\n"
        "def broken(*_, **__): raise Panic('a panic')\n"
        "i.inspect = broken; sys.argv = ['nymity', 'inspect', 'people.csv']; m.run()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "Panic: a panic" in done.stderr


def unread(*arguments: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run with a pipe for output whose other end is closed."""
    read, write = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            [*PROGRAM, *arguments], cwd=folder, stdout=write, stderr=subprocess.PIPE, timeout=120, check=False
        )
    finally:
        os.close(write)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other pipes")
def test_a_closed_pipe_ends_nothing_half_way(folder: Path) -> None:
    done = unread(*PUBLISH, folder=folder)
    assert (done.returncode, done.stderr) == (5, b"")
    assert {"release.csv", "certificate.json", "about.html"} == {path.name for path in (folder / "release").iterdir()}
    assert unread("check", "release/release.csv", folder=folder).returncode == 5
    with (folder / "release" / "release.csv").open("a") as table:
        table.write("99,male,flu\n")
    assert unread("check", "release/release.csv", folder=folder).returncode == 1  # the answer, not the pipe
    assert unread("inspect", "nowhere.csv", folder=folder).returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="a shell of Unix")
# All three together: test_cli_words.py.
@pytest.mark.parametrize(("closed", "code"), [("<&-", 0), ("2>&-", 0), (">&-", 5), (">&- 2>&-", 5)])
def test_streams_that_are_closed(folder: Path, closed: str, code: int) -> None:
    """What is printed goes nowhere, and not into a file that got the stream's number; 1 would say "broken"."""
    script = " ".join([*PROGRAM, *PUBLISH, closed])
    done = subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, timeout=120, check=False)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert json.loads((folder / "release/certificate.json").read_text())["output"]["records"] > 0


@pytest.mark.skipif(os.name == "nt", reason="a shell of Unix")
@pytest.mark.parametrize("arguments", ["", "key", "no-such-command"])
def test_help_or_an_error_that_cannot_be_printed(arguments: str) -> None:
    """Without a command the list of them is shown; where that is lost it is said."""
    done = subprocess.run(
        ["sh", "-c", f"{' '.join(PROGRAM)} {arguments} >&-"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert ("No such command" if "no-such" in arguments else "not all could be printed: it is closed") in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [PUBLISH, ("inspect", "people.csv", "--json"), ("--version",), ("--help",)])
def test_a_full_disk_below_stdout(folder: Path, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, *arguments], cwd=folder, stdout=full, stderr=subprocess.PIPE, timeout=120, check=False
        )
    assert done.returncode == 5
    assert b"not all could be printed: No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
    assert (folder / "release" / "release.csv").exists() == (arguments == PUBLISH)


def test_exit_codes_are_one_documented_table(nymity: Run) -> None:
    from nymity.core.exit_code import ExitCode

    page = (Path(__file__).parents[3] / "docs/concepts/errors.md").read_text(encoding="utf-8")
    helped = " ".join(nymity("--help").stdout.split())
    for code in ExitCode:
        assert f"| {code.value} | {code.means} |" in page
        assert f"{code.value} {code.means}"[:20] in helped


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals between processes")
@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_during_a_search(published: Path, number: str, code: int) -> None:
    """A process that searches on and on is stopped: a code of its own, earlier files as they were."""
    from nymity.datasets import hospital

    hospital(4_000).write_csv(published / "hospital.csv")
    (published / "long.toml").write_text(_long_job(), encoding="utf-8")
    before = sorted(path.name for path in published.rglob("*"))
    released = (published / "release/release.csv").read_bytes()
    program = (
        "import sys, time, nymity.cli.publish as p, nymity.cli.start as m\n"
        "from contextlib import contextmanager\n"
        "@contextmanager\n"
        "def watching(screen):\n"
        "    def observe(progress):\n"
        "        if progress.stage == 'searching the lattice' and progress.done == 3:\n"
        "            open('searching', 'w').close()\n"
        "        time.sleep(0.02 if progress.done else 0)\n"
        "    yield observe\n"
        "p.watching = watching\n"
        "sys.argv = ['nymity', 'publish', 'long.toml', '--out', 'release', '--force']; m.run()"
    )
    running = subprocess.Popen([sys.executable, "-c", program], cwd=published, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (published / "searching").exists() and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(getattr(signal, number))
    _, told = running.communicate(timeout=60)
    assert running.returncode == code
    assert told == "stopped: interrupted; no file is left half-written\n"
    (published / "searching").unlink()
    assert sorted(path.name for path in published.rglob("*")) == before
    assert (published / "release/release.csv").read_bytes() == released


def _long_job() -> str:
    from nymity.cli.demo import job_text

    return job_text().replace("suppression = 0.05", "suppression = 0.01")


#: Says how long threads of OpenBLAS wait in a busy loop, at the moment when numpy is looked for.
WAITING = """
import os, sys

class Watching:
    def find_spec(self, name, *_):
        if name == "numpy":
            print("waiting", os.environ.get("OPENBLAS_THREAD_TIMEOUT"))

sys.meta_path.insert(0, Watching())
from nymity.cli.start import run
run()
"""


@pytest.mark.parametrize(("given", "waiting"), [({}, "4"), ({"OPENBLAS_THREAD_TIMEOUT": "20"}, "20")])
def test_threads_of_linear_algebra_do_not_wait_in_a_busy_loop(
    given: dict[str, str], waiting: str, tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n30,f\n31,m\n", encoding="utf-8")
    settings = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"} | given
    done = subprocess.run(
        [sys.executable, "-c", WAITING, "measure", "people.csv", "--quasi", "age,sex"],
        cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[0] == f"waiting {waiting}", done.stderr


ARRAYS = """
import resource, sys
import numpy as np
import nymity.cli.main

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])

def allocate():
    np.ones(2**21, np.uint8)
    before = faults()
    for _ in range(100):
        np.ones(2**21, np.uint8)  # 512 pages
    print("anew", faults() - before)
    np.ones(2**24, np.uint8)
    before = resident()
    arrays = []
    for _ in range(4):
        arrays += [np.ones(2**24, np.uint8), bytearray(300_000)]  # which lies behind the array, if that is kept
    del arrays[::2]
    print("kept", resident() - before)
    return 0

nymity.cli.main.run = allocate
from nymity.cli.start import run
run()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no such options")
def test_arrays_of_a_command_are_used_again_and_large_ones_go_back() -> None:
    done = subprocess.run([sys.executable, "-c", ARRAYS], capture_output=True, text=True, timeout=60, check=False)
    found = dict(line.split() for line in done.stdout.splitlines())
    assert int(found["anew"]) < 512, "each array of two megabytes had pages of its own"
    assert int(found["kept"]) < 8192, "sixteen megabytes did not go back"
