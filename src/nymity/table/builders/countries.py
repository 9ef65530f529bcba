"""Countries: countries become subregions and continents, as the United Nations group them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar

from nymity.table.builders.ready import ReadyHierarchy


@dataclass(frozen=True, kw_only=True)
class Countries(ReadyHierarchy):
    """Place countries in the 22 subregions and the regions of the UN's standard M49: ``KE``, Eastern Africa, Africa.

    Read are the codes of ISO 3166 (``KE``, ``KEN``) and English names, whatever their capitals and hyphens
    (``United-States``). Kosovo and Taiwan, which M49 does not list, are placed where they lie.
    """

    key: ClassVar[str] = "countries"
    expects: ClassVar[str] = "countries by ISO code or English name, such as 'KE', 'KEN' or 'Kenya'"
    names: ClassVar[tuple[str, ...]] = ("subregion", "region")
    stems: ClassVar[tuple[str, ...]] = ("country", "nation", "land", "pays", "pais", "birthplace", "citizen", "iso")

    def place(self, text: str) -> tuple[str, str] | None:
        """Return subregion and region."""
        return _places().get(_plain(text))

    @classmethod
    def is_telling(cls, text: str) -> bool:
        """Small letters could be languages."""
        return len(text) > 3 or text.isupper()


def _plain(text: str) -> str:
    return " ".join(text.replace("-", " ").replace("_", " ").split()).casefold()


@cache
def _places() -> dict[str, tuple[str, str]]:
    """Subregion and region by code and name, from the table beside this file."""
    lines = files(__package__).joinpath("countries.csv").read_text(encoding="utf-8").splitlines()
    found = {}
    for row in csv.DictReader(lines, delimiter=";"):
        for name in (row["alpha-2"], row["alpha-3"], *row["names"].split("|")):
            found[_plain(name)] = row["subregion"], row["region"]
    return found
