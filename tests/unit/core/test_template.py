"""Templates: everything is escaped, in every package, and nothing says otherwise."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from nymity.core.template import Template, _environment

ROOT = Path(__file__).parents[3]
TEMPLATES = sorted([*ROOT.glob("src/**/templates/*.html"), *ROOT.glob("packages/*/src/**/templates/*.html")])


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_turns_escaping_off(path: Path) -> None:
    assert not re.search(r"\|\s*safe\b|autoescape|Markup", path.read_text(encoding="utf-8"))


def test_there_are_templates_in_every_distribution() -> None:
    assert len(TEMPLATES) >= 10
    assert {path.relative_to(ROOT).parts[0] for path in TEMPLATES} == {"src", "packages"}


def test_what_is_given_is_escaped_and_what_is_missing_an_error() -> None:
    parts = Template("parts.html", "nymity.report")
    assert parts.paragraph('<b onclick="x">&', "\"'") == '<p class="&#34;&#39;">&lt;b onclick=&#34;x&#34;&gt;&amp;</p>'
    assert _environment("nymity.report").autoescape is True
    with pytest.raises(UndefinedError):
        parts.paragraph()
    with pytest.raises(AttributeError):
        parts.no_such_part()


def test_a_template_can_be_copied() -> None:
    assert copy.copy(Template("parts.html", "nymity.report")).paragraph("x") == "<p>x</p>"
