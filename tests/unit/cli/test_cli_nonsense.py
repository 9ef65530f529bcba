"""Every command with nonsense for each of its parameters: a clear error with its exit code, or a sound answer.

Commands and parameters are read from the command line itself, so that a new one is tried without a word here; it only
needs a call that makes sense in ``CALLS``.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints
from zlib import crc32

import pytest
import typer
from typer.testing import CliRunner, Result

from arx_files import project
from cli_fixtures import K_JOB
from nymity.cli.main import app
from nymity.cli.plugins import GROUP, KNOWN
from nymity.core.exit_code import ExitCode

#: A call of each command that makes sense in the folder of the fixture, as far as that takes no time.
CALLS: dict[str, list[str]] = {
    "demo": ["--out", "demo/release", "--rows", "50", "--no-report"],
    "inspect": ["people.csv", "--job", "starter.toml", "--force"],
    "import": ["project.deid", "--out", "imported"],
    "publish": ["job.toml", "--out", "again", "--no-report"],
    "preset": ["ema-0070", "job.toml", "--job", "preset.toml", "--force"],
    "explore": ["job.toml", "--out", "nodes.csv", "--force"],
    "forecast": ["private.toml"],
    "check": ["release/release.csv"],
    "measure": ["people.csv", "--quasi", "age,sex"],
    "compare": ["people.csv", "release/release.csv", "--job", "job.toml"],
    "query": ["people.csv", "release/release.csv", "--job", "job.toml", "--n", "20"],
    "recommend": ["people.csv", "--trials", "1", "--seconds", "1", "--no-page", "--force"],
    "risk": ["people.csv", "--quasi", "age,sex"],
    "attack": ["release/release.csv", "--job", "job.toml"],
    "apply": ["release-custodian/recoding.json", "people.csv", "--out", "applied.csv"],
    "report": ["release", "--for", "recipients", "--out", "page.html", "--force"],
    "identify": ["release", "--pseudonym", "p0", "--reason", "a finding"],
    "forget": ["forgotten", "--yes"],
    "hierarchy": ["people.csv", "--column", "age"],
    "schema": [],
    "key new": ["odd/key", "--no-passphrase"],
    "key show": ["shown.pub"],
    "study list": [],
    "study run": ["no-such-study"],
    "study keep": ["nowhere", "--commit", "0" * 40],
    "study keep-steps": ["nowhere"],
    "study index": ["nowhere/index.md"],
    "workbench-password": ["passwords", "ada", "--remove"],
    "robust train": ["--out", "models", "--data", "no-such-data"],
    "robust attack": ["nowhere.pt"],
    "robust evaluate": ["nowhere.pt"],
    "robust certify": ["nowhere.pt"],
}

#: Of nobody's password.
HASH = "$argon2id$v=19$m=65536,t=3,p=4$V/NucaLHcnBrbR+4z1tHIg$lT3AtmWzlfnenNzd7gkxxhwaU2zmJ4kvCtGXtQBGJnA"

#: Where 1 is an answer.
ANSWERS = ("check", "attack", "publish")

#: Values that are tried of each parameter in a short run.
SAMPLE = 4

TEXTS = ("", " ", "ä😀\u202e", "x" * 5000, "../..", "[red]", "a\nb", "a=b", "-", "*", "\udcff")
WHOLE = ("", "-1", "0", "1.5", "nan", "9" * 30, "1e3", "²", "\udcff")
NUMBERS = ("", "-1", "0", "nan", "inf", "-inf", "1e-300", "1e300", "0x10", "½")
#: Nothing that lies outside of the test's own folder: whoever may write anywhere would do so.
PLACES = (
    "",
    ".",
    "..",
    "nowhere/nothing{suffix}",
    "people.csv/below{suffix}",
    "odd/folder{suffix}",
    "odd/pipe{suffix}",
    "odd/endless{suffix}",
    "odd/broken{suffix}",
    "odd/loop{suffix}",
    "odd/empty{suffix}",
    "odd/bytes{suffix}",
    "odd/locked{suffix}",
    "odd/\udcff{suffix}",
    "odd/ä😀\n{suffix}",
    "x" * 300 + "{suffix}",
    "people.csv",
    "job.toml",
    "release/certificate.json",
)


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a command: its type, how it is written, and its place if it is an argument."""

    command: str
    name: str
    kind: type
    written: tuple[str, ...]
    place: int | None = None

    def __str__(self) -> str:
        return f"{self.command} {self.written[0]}"


def commands(of: typer.Typer = app, name: str = "") -> Iterator[tuple[str, Callable[..., None]]]:
    for command in of.registered_commands:
        assert command.callback is not None
        if of is app and command.name in KNOWN:
            continue  # one of another distribution, below
        if of is app and command.name == "workbench":
            continue  # it serves until it is interrupted: tests/workbench/test_server.py
        yield f"{name} {command.name}".strip(), command.callback
    for group in of.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, str(group.name))
    for entry in entry_points(group=GROUP) if of is app else ():
        if entry.name != "bench":  # a command for each benchmark, and they measure for minutes
            yield from commands(entry.load(), entry.name)


def parameters() -> Iterator[Parameter]:
    for command, call in commands():
        place = 0
        for name, hint in get_type_hints(call, include_extras=True).items():
            if name == "return":
                continue
            kind, info = hint.__origin__ if hasattr(hint, "__metadata__") else hint, typer.Option()
            for told in getattr(hint, "__metadata__", ()):
                info = told
            kinds = [one for one in (*get_args(kind), kind) if isinstance(one, type) and one is not type(None)]
            inner = next((one for one in kinds if get_origin(one) is None), str)
            if isinstance(info, typer.models.ArgumentInfo):
                yield Parameter(command=command, name=name, kind=inner, written=(name,), place=place)
                place += 1
                continue
            told = [one for one in (info.default, *(info.param_decls or ())) if isinstance(one, str)]
            options = tuple(option for one in told for option in one.split("/"))
            yield Parameter(command=command, name=name, kind=inner, written=options or (f"--{name.replace('_', '-')}",))


FLAGS = [(p.command, flag) for p in parameters() if p.kind is bool for flag in p.written]
OTHERS = [parameter for parameter in parameters() if parameter.kind is not bool]


def test_every_command_has_a_call() -> None:
    assert {name for name, _ in commands()} == set(CALLS)


@pytest.mark.parametrize("parameter", OTHERS, ids=str)
def test_nonsense_is_refused_in_one_form(place: Path, parameter: Parameter) -> None:
    wrong = {}
    for value in nonsense(parameter):
        problem = judge(parameter.command, *run(parameter.command, with_value(parameter, value)))
        if problem:
            wrong[value[:60]] = problem
    assert not wrong


@pytest.mark.parametrize(("name", "flag"), FLAGS)
def test_every_flag(place: Path, name: str, flag: str) -> None:
    assert not judge(name, *run(name, [*CALLS[name], flag]))


def test_the_calls_make_sense(place: Path) -> None:
    """Otherwise the parameters were not looked at."""
    for name, call in CALLS.items():
        result, hung = run(name, call)
        assert not hung
        awaited = ("study run", "study keep", "study keep-steps", "study index", "identify")
        unready = name.startswith("robust") or name in awaited
        assert result.exit_code == (2 if unready else 0), (name, result.output)


def judge(name: str, result: Result, hung: bool) -> str:
    """Say what is wrong with how a call ended."""
    error = result.exception
    if hung:
        return "hangs"
    if error is not None and not isinstance(error, SystemExit):
        return f"{type(error).__name__}: {error}"
    if result.exit_code not in list(ExitCode) or (result.exit_code == ExitCode.BROKEN and name not in ANSWERS):
        return f"exit code {result.exit_code}"
    if result.exit_code in (ExitCode.INPUT, ExitCode.NO_SOLUTION):
        told = result.stderr
        if "Usage:" in told:  # typer's own form
            return ""
        if not re.search(r"^error: .", told, re.MULTILINE) or len(told.splitlines()) > 4:
            return f"told as {told[:300]!r}"
        if result.exit_code == ExitCode.INPUT and not re.search(r"error: .+: expected .+, got .+|extra|steps? ", told):
            return f"told as {told[:300]!r}"
    return ""


def nonsense(parameter: Parameter) -> list[str]:
    """Return nonsense of the parameter's type: all of it if NYMITY_NONSENSE is set, else some, drawn by its name."""
    values = sorted(all_nonsense(parameter), key=lambda value: crc32(f"{parameter} {value!r}".encode()))
    return values if os.environ.get("NYMITY_NONSENSE") else values[:SAMPLE]


def all_nonsense(parameter: Parameter) -> tuple[str, ...]:
    if issubclass(parameter.kind, Enum):
        return ("", "nonsense", "\udcff")
    if parameter.kind is int:
        return WHOLE
    if parameter.kind is float:
        return NUMBERS
    if parameter.kind is not Path:
        return TEXTS
    suffix = Path(usual(parameter) or ".csv").suffix
    return tuple(place.format(suffix=suffix) for place in PLACES)


def usual(parameter: Parameter) -> str | None:
    """Return what the call that makes sense has for a parameter."""
    call = CALLS[parameter.command]
    if parameter.place is not None:
        return call[parameter.place]
    given = next((call[call.index(option) + 1] for option in parameter.written if option in call), None)
    return given or SUFFIXES.get(parameter.name)


#: What options are about that the calls do not have.
SUFFIXES = {
    "job": "x.toml",
    "certificate": "x.json",
    "recoding": "x.json",
    "key": "x.pub",
    "ledger": "x.json",
    "links": "x.parquet",
    "out": "x",
    "custodian": "x",
    "log": "x",
}


def with_value(parameter: Parameter, value: str) -> list[str]:
    """Put a value into the call of a command."""
    call = list(CALLS[parameter.command])
    if parameter.place is not None:
        call[parameter.place] = value
        return call
    for option in parameter.written:
        if option in call:
            at = call.index(option)
            del call[at : at + 2]
    return [*call, parameter.written[0], value]


def run(name: str, call: list[str]) -> tuple[Result, bool]:
    """Run a command; say whether it had to be stopped."""
    try:
        with at_most(90):
            return CliRunner().invoke(app, [*name.split(), *call]), False
    except TimeoutError:
        return CliRunner().invoke(app, ["--version"]), True


class Hangs(BaseException):
    """Raised where a command does not end; no handler of errors catches it."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    except Hangs:
        raise TimeoutError from None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


PRIVATE = """
[source]
path = "people.csv"
delimiter = ","
encoding = "utf-8"
header = true

[schema]
name = { role = "identifying" }
age = { role = "identifying" }
sex = { role = "quasi", hierarchy = { type = "rows", rows = [["female", "*"], ["male", "*"]] } }
illness = { role = "identifying" }

[[privacy]]
model = "differential-privacy"
epsilon = 1
public_records = 1000

[method]
name = "safepub"
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release, a private job, a key, and things that are no files, or not what their names say."""
    from nymity.publishing.sealing.signing import new_key

    folder = tmp_path_factory.mktemp("template")
    rows = [f"Person {i},{20 + i % 40},{('female', 'male')[i % 3 == 0]},{('flu', 'cold')[i % 2]}" for i in range(60)]
    (folder / "people.csv").write_text("\n".join(["name,age,sex,illness", *rows]) + "\n", encoding="utf-8")
    (folder / "job.toml").write_text(K_JOB, encoding="utf-8")
    (folder / "private.toml").write_text(PRIVATE, encoding="utf-8")
    project(folder / "project.deid")
    new_key(folder / "shown")
    with chdir(folder):
        for name in ("release", "forgotten"):
            done = CliRunner().invoke(app, ["publish", "job.toml", "--out", name, "--no-report"])
            assert done.exit_code == 0, done.output
    (folder / "odd").mkdir()
    for suffix in ("", ".csv", ".toml", ".json", ".pub", ".parquet", ".pt", ".deid"):
        (folder / "odd" / f"empty{suffix}").touch()
        (folder / "odd" / f"bytes{suffix}").write_bytes(bytes(range(256)) * 4)
    return folder


@pytest.fixture
def place(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same folder once more, in which the command runs, with what cannot be copied."""
    folder = shutil.copytree(template, tmp_path / "place")
    for suffix in ("", ".csv", ".toml", ".json", ".pub", ".parquet", ".pt", ".deid"):
        (folder / "odd" / f"folder{suffix}").mkdir()
        os.mkfifo(folder / "odd" / f"pipe{suffix}")
        (folder / "odd" / f"endless{suffix}").symlink_to("/dev/zero")
        (folder / "odd" / f"broken{suffix}").symlink_to("nothing")
        (folder / "odd" / f"loop{suffix}").symlink_to(f"loop{suffix}")
        (folder / "odd" / f"locked{suffix}").write_text("a,b\n1,2\n", encoding="utf-8")
        (folder / "odd" / f"locked{suffix}").chmod(0)
    (folder / "passwords").write_text(f"ada:{HASH}\n", encoding="utf-8")
    (folder / "passwords").chmod(0o600)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NYMITY_DATA", raising=False)
    return folder
