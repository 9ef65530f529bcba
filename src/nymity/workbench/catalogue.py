"""Texts: all that screens say, in one file for each language, so that others can be added.

A text is named by its screen and what it is (``columns.title``). One with a number in it has plural forms::

    [data]
    records = { one = "{n} record", other = "{n} records" }
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

#: Languages by their code, each with what it calls itself and what stands between thousands and before decimals.
LANGUAGES = {"en": ("English", ",", "."), "de": ("Deutsch", ".", ",")}
DEFAULT = "en"


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of one language."""

    language: str
    entries: Mapping[str, str | Mapping[str, str]]

    @staticmethod
    def of(language: str | None) -> Texts:
        """Return the texts of a language, of the default one where it has none."""
        return _loaded(language if language in LANGUAGES else DEFAULT)

    def __call__(self, key: str, *, n: int | None = None, **values: object) -> str:
        """Return a text with values in their places; ``n`` chooses the plural form and stands in it."""
        text = self.entries[key]
        if not isinstance(text, str):
            text = text["one" if n == 1 else "other"]
        shown = {name: self.number(one) if isinstance(one, int) else one for name, one in values.items()}
        return text.format(**shown, **({} if n is None else {"n": self.number(n)}))

    def has(self, key: str) -> bool:
        """Return whether there is such a text."""
        return key in self.entries

    def number(self, value: float, decimals: int = 0) -> str:
        """Write a number as the language does."""
        _, thousands, decimal = LANGUAGES[self.language]
        return f"{value:,.{decimals}f}".translate({ord(","): thousands, ord("."): decimal})

    def percent(self, share: float, decimals: int = 1) -> str:
        """Write a share; a small one is not called none, nor a large one all."""
        low, high = 10.0 ** -(decimals + 2), 1 - 10.0 ** -(decimals + 2)
        if 0 < share < low:
            return f"< {self.number(100 * low, decimals)}%"
        if high < share < 1:
            return f"> {self.number(100 * high, decimals)}%"
        return f"{self.number(100 * share, 0 if share in (0, 1) else decimals)}%"


@cache
def _loaded(language: str) -> Texts:
    content = files("nymity.workbench").joinpath("texts", f"{language}.toml").read_text(encoding="utf-8")
    return Texts(language, dict(_flat(tomllib.loads(content))))


def _flat(data: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str | Mapping[str, str]]]:
    for name, value in data.items():
        if isinstance(value, str) or (isinstance(value, dict) and set(value) == {"one", "other"}):
            yield above + name, value
        else:
            yield from _flat(value, f"{above}{name}.")
