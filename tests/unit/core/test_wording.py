"""Words of promises: a name, a colon and a sentence, whatever the names of columns hold."""

from __future__ import annotations

import pytest

from nymity.core.wording import name_and_sentence, name_of


@pytest.mark.parametrize(
    "column", ["ill", "ill: x", "it's: x", 'so "called": x', 'it\'s "both": x', "back\\: x", "': "]
)
def test_what_a_name_quotes_may_hold_a_colon(column: str) -> None:
    name, sentence = f"2-diversity of {column!r}", f"no value of {column!r} is: alone"
    assert name_and_sentence(f"{name}: {sentence}") == (name, sentence)
    assert name_and_sentence(f"NOT FOR WHO KNOWS IT: {name}: {sentence}") == (f"NOT FOR WHO KNOWS IT: {name}", sentence)
    assert name_of(f"{name}: {sentence}") == name


def test_words_without_a_name() -> None:
    assert name_and_sentence("each person's own promise") == ("", "each person's own promise")
    assert name_of("each person's own promise") == "each person's own promise"
    assert name_and_sentence("NOT PRIVATE: nothing is promised") == ("NOT PRIVATE", "nothing is promised")
