"""Commands of other distributions: found, loaded only when called, and missed with an answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner, Result

from nymity.cli import plugins
from nymity.cli.main import app, command_line
from nymity.cli.register import group, register
from nymity.core.errors import ParameterError
from nymity.core.exit_code import ExitCode

toy = group("A toy.")


def double(number: int, name: Annotated[str, typer.Option()] = "x") -> None:
    """Print twice the number."""
    if number < 0:
        raise ParameterError("number", expected="0 or more", got=str(number))
    typer.echo(f"{name} = {2 * number}")


def halve(number: int) -> None:
    """Print half of the number."""
    typer.echo(number / 2)


register(toy, "double", double, ["nymity toy double 4"])
register(toy, "halve", halve, ["nymity toy halve 4"])

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line that has nothing but the toy and what is known of this repository, uninstalled."""
    entry = EntryPoint("toy", f"{__name__}:toy", plugins.GROUP)
    monkeypatch.setattr(plugins, "registered", lambda *_: ({"toy": entry}, []))
    app = group("Nothing of its own.")
    plugins.add_plugins(app)
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_a_plugin_gets_its_arguments_and_gives_its_exit_code(run: Run) -> None:
    done = run("toy", "double", "4", "--name", "y")
    assert (done.exit_code, done.stdout) == (0, "y = 8\n")
    refused = run("toy", "double", "--", "-1")
    assert refused.exit_code == ExitCode.INPUT
    assert "number: expected 0 or more, got -1" in refused.output
    assert run("toy", "double", "--nope").exit_code == 2
    assert "Print twice the number" in run("toy", "double", "-h").output
    assert "halve" in run("toy", "--help").output


@pytest.mark.parametrize("arguments", [(), ("lattice", "--data", "x"), ("-h",)])
def test_a_known_command_that_is_absent_says_what_to_install(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("bench", *arguments)
    assert done.exit_code == ExitCode.INPUT
    assert "pip install nymity-lab" in " ".join(done.output.split())
    assert "nymity-robust" in run("--help").output


def test_the_help_imports_no_plugin() -> None:
    look = (
        "import sys, nymity.cli.main as m\n"
        "try: m.app(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'torch', 'nymity_lab', 'nymity_robust', 'polars'} & set(sys.modules), 'imported'"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "study" in done.stdout


def test_only_the_command_that_is_called_is_prepared() -> None:
    publish, notes = command_line(["publish", "job.toml"])
    assert ([one.name for one in publish.registered_commands], publish.registered_groups, notes) == (
        ["publish"],
        [],
        [],
    )
    everything = [one.name for one in app.registered_commands]
    for arguments in ([], ["--help"], ["bench", "files"], ["publsh"], ["key", "new"]):
        assert [one.name for one in command_line(arguments)[0].registered_commands] == everything
    assert {"publish", "check", "bench"} <= set(everything)
