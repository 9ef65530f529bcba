"""--no-values: messages describe values of a table and quote none."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer
from typer.testing import Result

from nymity.cli import main
from nymity.cli.failure import describe_bug
from nymity.cli.plugins import KNOWN
from nymity.core.errors import NymityError, TableError
from nymity.core.quoting import MARK, VARIABLE, hiding, quoted, relayed

Run = Callable[..., Result]
SECRET = "zqzq-Anna"

JOB = """
[source]
path = "people.csv"
[schema]
name = { role = "identifying" }
age = { role = "quasi", hierarchy = HIERARCHY }
sex = { role = "quasi" }
illness = { role = "sensitive" }
[[privacy]]
model = "k-anonymity"
k = 4
[method]
name = "optimal-lattice"
"""


def commands(app: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for command in app.registered_commands:
        if not path and command.name in KNOWN:
            continue  # a group of another distribution
        yield (*path, str(command.name)), command.callback
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, (*path, str(group.name)))


@pytest.mark.parametrize("path", [path for path, _ in commands(main.app)], ids=" ".join)
def test_every_command_has_the_option(path: tuple[str, ...], nymity: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert "--no-values" in nymity(*path, "--help").stdout


def with_job(folder: Path, hierarchy: str) -> None:
    (folder / "job.toml").write_text(JOB.replace("HIERARCHY", hierarchy), encoding="utf-8")


def spoil(folder: Path, column: str = "age") -> None:
    people = pl.read_csv(folder / "people.csv").with_columns(pl.col(column).cast(str))
    people[7, column] = SECRET
    people.write_csv(folder / "people.csv")


def not_a_number(folder: Path) -> list[str]:
    spoil(folder)
    return ["publish", "job.toml", "--out", "r"]


def not_a_date(folder: Path) -> list[str]:
    people = pl.read_csv(folder / "people.csv").with_columns(pl.lit("2024-02-13").alias("age"))
    people.write_csv(folder / "people.csv")
    spoil(folder)
    with_job(folder, '{ type = "dates", levels = ["day", "year"] }')
    return ["publish", "job.toml", "--out", "r"]


def not_in_the_order(folder: Path) -> list[str]:
    spoil(folder)
    with_job(folder, f'{{ type = "ordering", order = {[str(n) for n in range(20, 60)]}, group = 2 }}'.replace("'", '"'))
    return ["explore", "job.toml"]


def twice_in_a_hierarchy(folder: Path) -> list[str]:
    (folder / "age.csv").write_text(f"{SECRET};*\n{SECRET};*\n")
    with_job(folder, '{ type = "file", path = "age.csv" }')
    return ["publish", "job.toml", "--out", "r"]


def two_parents(folder: Path) -> list[str]:
    with_job(folder, f'{{ type = "taxonomy", tree = {{ a = ["{SECRET}"], b = ["{SECRET}"] }} }}')
    return ["publish", "job.toml", "--out", "r"]


def unseen_by_a_recoding(folder: Path) -> list[str]:
    spoil(folder, "sex")
    return ["apply", "release-custodian/recoding.json", "people.csv", "--out", "new.csv", "--unseen", "error"]


def unknown_cell(folder: Path) -> list[str]:
    path = folder / "release/release.csv"
    path.write_text(path.read_text().replace("female", SECRET, 1))
    return ["compare", "people.csv", "release/release.csv", "--job", "job.toml"]


def names_that_are_data(folder: Path) -> list[str]:
    (folder / "people.csv").write_text(f"{SECRET},{SECRET}\n1,2\n")
    return ["measure", "people.csv", "--quasi", "a"]


def too_frequent_a_value(folder: Path) -> list[str]:
    ill = pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("flu")).otherwise(pl.lit(SECRET))
    people = pl.read_csv(folder / "people.csv").with_columns(ill.alias("illness"))
    people.write_csv(folder / "people.csv")
    job = JOB.partition("[[privacy]]")[0].replace(", hierarchy = HIERARCHY", "")
    job += '[[privacy]]\nmodel = "frequency-l-diversity"\nl = 2\nattribute = "illness"\n[method]\nname = "anatomy"\n'
    (folder / "job.toml").write_text(job, encoding="utf-8")
    return ["publish", "job.toml", "--out", "r"]


PROVOKED = [
    not_a_number,
    not_a_date,
    not_in_the_order,
    twice_in_a_hierarchy,
    two_parents,
    unseen_by_a_recoding,
    unknown_cell,
    names_that_are_data,
    too_frequent_a_value,
]


@pytest.mark.parametrize("provoke", PROVOKED)
def test_values_are_quoted_and_said_to_be_or_described(
    published: Path, nymity: Run, provoke: Callable[[Path], list[str]]
) -> None:
    arguments = provoke(published)
    plain = nymity(*arguments)
    assert plain.exit_code in (2, 3), plain.output
    assert SECRET in plain.stderr
    assert plain.stderr.count("--no-values leaves them out") == 1
    assert MARK not in plain.stderr
    for told in (nymity(*arguments, "--no-values"), nymity(*arguments, "--no-values", "--json")):
        assert told.exit_code == plain.exit_code
        assert SECRET not in told.output
        assert "--no-values" not in told.stderr
        assert "a text of " in told.stderr
    assert "a text of " in json.loads(nymity(*arguments, "--no-values", "--json").stdout)["error"]["message"]


def test_by_the_environment(published: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = not_a_number(published)
    monkeypatch.setenv(VARIABLE, "1")
    assert SECRET not in nymity(*arguments).output
    monkeypatch.setenv(VARIABLE, "0")
    assert SECRET in nymity(*arguments).output


def test_the_option_ends_with_its_command(published: Path, nymity: Run) -> None:
    arguments = not_a_number(published)
    nymity(*arguments, "--no-values")
    assert SECRET in nymity(*arguments).stderr


def test_a_bug_is_told_without_what_it_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ZeroDivisionError(f"the cell {SECRET}")

    monkeypatch.setattr(main, "command_line", lambda _: (broken, []))
    for option, there in ((), True), (("--no-values",), False):
        monkeypatch.setattr(sys, "argv", ["nymity", *option])
        assert main._exit_code() == 70
        said = capsys.readouterr().err
        assert (SECRET in said) == there
        assert "ZeroDivisionError" in said
        assert "test_cli_no_values.py" in said


def test_causes_of_a_bug_are_left_out_too() -> None:
    bug = KeyError("age")
    bug.__cause__ = ValueError(SECRET)
    assert SECRET not in describe_bug(bug, values=False)
    assert SECRET in describe_bug(bug, values=True)


def test_errors_know_what_they_quote() -> None:
    error = TableError("table", expected="a number", got=quoted(SECRET), hint="another")
    assert error.quotes_values
    assert error.got == repr(SECRET)
    assert MARK not in str(error)
    assert not TableError("table", expected="a number", got="none").quotes_values
    with hiding(True):
        hidden = NymityError(f"it is {quoted(SECRET)} and {relayed(SECRET)}")
    assert not hidden.quotes_values
    assert str(hidden) == "it is a text of 9 characters and something else"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "(missing)"),
        ("1234", "a text of 4 digits"),
        ("x", "a text of 1 letter"),
        ("x y", "a text of 3 characters"),
        ("", "a text of 0 characters"),
        (7, "a number"),
        (True, "a truth value"),
        (b"x", "a value of type bytes"),
    ],
)
def test_what_is_told_instead(value: object, told: str) -> None:
    with hiding(True):
        assert quoted(value) == told
