"""Warnings of a release: what someone could still find out although every promise holds."""

from __future__ import annotations

from nymity.publishing.caveats.caveat import ORDER, Caveat, differences, verdict, worst_first
from nymity.publishing.caveats.checked import CheckedCaveats, checked_caveats
from nymity.publishing.caveats.gather import caveats_of
from nymity.publishing.caveats.of_method import by_nature, foreseen, known_seed
from nymity.publishing.caveats.of_table import SEEN, caveats_of_table, unique_rows

__all__ = [
    "Caveat",
    "CheckedCaveats",
    "ORDER",
    "SEEN",
    "by_nature",
    "caveats_of",
    "caveats_of_table",
    "checked_caveats",
    "differences",
    "foreseen",
    "known_seed",
    "unique_rows",
    "verdict",
    "worst_first",
]
