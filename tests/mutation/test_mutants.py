"""The tool that makes mutants: it makes every kind, names them for good, and every reason still has its mutant."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from .modules import files_of, modules
from .mutants import mutants_of

ROOT = Path(__file__).resolve().parents[2]

SOURCE = '''"""Docstrings stay."""


def salted(names: list[str], salt: str) -> bool:
    """Stay as they are."""
    total = 0
    for name, _ in zip(names, salt, strict=True):
        total += len(name) * 2
    if not names or total < 3:
        raise ValueError("what errors say is not changed")
    return max(total, 1) >= 1 and hashed(salt, "plain")
'''


def edits(source: str) -> dict[str, tuple[str, str]]:
    return {mutant.id: (mutant.before, mutant.after) for mutant in mutants_of(source, "m.py")}


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("compare", "total < 3", "(total <= 3)"),
        ("constant", "3", "4"),
        ("constant", "3", "2"),
        ("and-or", "not names or total < 3", "(not names and total < 3)"),
        ("unary", "not names", "(names)"),
        ("arithmetic", "len(name) * 2", "(len(name) // 2)"),
        ("drop", "total += len(name) * 2", "pass"),
        ("skip-last", "zip(names, salt, strict=True)", "list(zip(names, salt, strict=True))[:-1]"),
        ("opposite", "max(total, 1)", "min(total, 1)"),
        ("swap", 'hashed(salt, "plain")', "hashed('plain', salt)"),
        ("text", '"plain"', "'plainx'"),
    ],
)
def test_every_kind_of_mutant_is_made(kind: str, before: str, after: str) -> None:
    assert (before, after) in [edit for name, edit in edits(SOURCE).items() if f"::{kind}::" in name]


def test_what_people_read_is_left_alone() -> None:
    assert not any("errors say" in after or "Stay" in after for _, after in edits(SOURCE).values())


def test_assertions_are_left_alone() -> None:
    assert not any((before, after) == ("True", "False") for before, after in edits(SOURCE).values())


def test_names_do_not_change_when_lines_move() -> None:
    assert list(edits(SOURCE)) == list(edits("\n\n# a comment\n" + SOURCE))


def test_every_mutant_can_be_compiled_and_differs() -> None:
    for mutant in mutants_of(SOURCE, "m.py"):
        ast.parse(mutant.source)
        assert mutant.source != SOURCE


def test_every_module_has_tests_that_must_notice() -> None:
    for module in modules(ROOT):
        assert files_of(module, ROOT), module


def test_every_reason_is_for_a_mutant_that_exists() -> None:
    reasons = tomllib.loads((ROOT / "tests/mutation/equivalent.toml").read_text(encoding="utf-8"))
    known = {
        mutant.id
        for module in modules(ROOT)
        if any(name.startswith(module) for name in reasons)
        for mutant in mutants_of((ROOT / "src/nymity" / module).read_text(encoding="utf-8"), module)
    }
    assert set(reasons) <= known
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in reasons.values())
