"""Texts: every language says the same things, and no screen says anything by itself."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import nymity.workbench
from nymity.workbench.catalogue import LANGUAGES, Texts

FOLDER = Path(nymity.workbench.__file__).parent
PAGES = [
    *FOLDER.glob("screens/*.py"),
    *FOLDER.glob("*_page.py"),
    *FOLDER.glob("*_panel.py"),
    FOLDER / "frame.py",
    FOLDER / "parts.py",
]
#: Calls that show words to people, and which argument has them.
SHOWING = {"text": 1, "icon_button": 1} | dict.fromkeys(
    ["button", "heading", "card", "badge", "tile", "empty_state", "link", "label", "notify", "checkbox", "input"], 0
)
SENTENCE = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}")
#: Settings of widgets, which look like sentences.
SETTINGS = re.compile(r"\b(dense|outlined|no-caps|flat|props)\b")


def places(text: object) -> object:
    if isinstance(text, str):
        return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
    return {form: places(one) for form, one in text.items()}


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_every_language_has_the_same_texts_with_the_same_places(language: str) -> None:
    english, other = Texts.of("en").entries, Texts.of(language).entries
    assert set(other) == set(english)
    assert {key: places(text) for key, text in other.items()} == {key: places(text) for key, text in english.items()}
    long = [key for key, text in english.items() if isinstance(text, str) and len(text.split()) > 3]
    assert not [key for key in long if other[key] == english[key]], "not translated"


def said(path: Path) -> Iterator[str]:
    """Yield what a module shows that is no text of the catalogue: words in calls that show, and whole sentences."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "_code":  # what it says is Python
            alone |= {id(inside) for inside in ast.walk(node)}
    for node in ast.walk(tree):
        words = node.value if isinstance(node, ast.Constant) and id(node) not in alone else None
        if isinstance(words, str) and SENTENCE.search(words) and not SETTINGS.search(words):
            yield words
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            shown = node.args[SHOWING[name] :][:1] if name in SHOWING else []
            spoken = [one.value for one in shown if isinstance(one, ast.Constant)]
            yield from (one for one in spoken if re.search("[A-Za-z]{2}", str(one)))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_page_says_anything_by_itself(path: Path) -> None:
    assert not list(said(path)), "put it into texts/en.toml"


def test_this_would_be_noticed(tmp_path: Path) -> None:
    page = tmp_path / "x.py"
    page.write_text('"""A doc of some words here."""\nheading("Title")\nx = "this is not in the catalogue"\n')
    assert sorted(said(page)) == ["Title", "this is not in the catalogue"]


def keys_used() -> set[str]:
    code = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py"))
    return set(re.findall(r"""texts\(\s*"([a-z_.]+)\"""", code))


def test_every_text_that_is_asked_for_is_there() -> None:
    assert len(keys_used()) > 30
    assert keys_used() <= set(Texts.of("en").entries)


def test_numbers_and_plurals_follow_the_language() -> None:
    english, german = Texts.of("en"), Texts.of("de")
    assert english.number(1234567) == "1,234,567"
    assert german.number(1234567.25, 2) == "1.234.567,25"
    assert english("app.open_points", n=1) == "1 point is open"
    assert german("app.open_points", n=1200) == "1.200 Punkte sind offen"
    assert english.percent(0.00001) == "< 0.1%"
    assert english.percent(0.99999) == "> 99.9%"
    assert english.percent(0.5) == "50.0%"
    assert english.percent(1) == "100%"
    assert Texts.of("xx").language == "en"


def test_values_are_put_in_as_they_are() -> None:
    assert Texts.of("en")("app.saved", version="{n} {0.__class__}") == "saved as version {n} {0.__class__}"
