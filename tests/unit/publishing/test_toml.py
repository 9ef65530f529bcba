"""TOML: whatever is written is read back, and comments stay comments."""

from __future__ import annotations

import tomllib
from datetime import date
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nymity.core.errors import JobError
from nymity.publishing.jobs.toml import toml_comment, toml_job

HOSTILE = [
    "",
    "a.b",
    "a b",
    '"',
    "'",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "\x00",
    "\x1b",
    "\x7f",
    "ü",
    "#",
    "[x]",
    "a = 1",
    "\u2028",
]

names = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
scalars = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), names, st.dates(date(1000, 1, 1)))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(names, values, max_size=5), names)
@example({name: {name: [name, {name: name}], "list": [{name: name}, {}]} for name in HOSTILE}, "\n[x]\r\x00 = 1")
def test_whatever_is_written_is_read_back(data: dict[str, Any], comment: str) -> None:
    assert tomllib.loads(toml_job(data, comment)) == data


@given(st.lists(names))
def test_a_comment_holds_nothing(lines: list[str]) -> None:
    assert tomllib.loads(toml_comment("\n".join(lines))) == {}


def test_gaps_in_rows_are_empty_text_and_fields_without_a_value_are_left_out() -> None:
    data = {"rows": [["a", None, "*"]], "more": {"sheet": None, "path": "x"}}
    assert tomllib.loads(toml_job(data)) == {"rows": [["a", "", "*"]], "more": {"path": "x"}}


def test_what_toml_cannot_hold_is_refused() -> None:
    with pytest.raises(JobError, match="text, numbers, dates, lists and tables"):
        toml_job({"a": [object()]})
