"""Thresholds that others have named, with where they did.

They are a starting point for whoever has to answer for a release, and no legal advice: which threshold is right depends
on who gets the data, under which contract, and what the data could do to people.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A threshold for the risk of a record, taken as it is written, and its source."""

    threshold: Fraction
    source: str


PRESETS = {
    "ema": Preset(
        threshold=Fraction("0.09"),
        source="European Medicines Agency, external guidance on policy 0070 on the publication of clinical data "
        "(EMA/90915/2016)",
    ),
    "health-canada": Preset(
        threshold=Fraction("0.09"),
        source="Health Canada, guidance document on the public release of clinical information (2019)",
    ),
    "hipaa": Preset(
        threshold=Fraction("0.05"),
        source="a precedent among those El Emam lists (Guide to the De-Identification of Personal Health Information, "
        "2013) for expert determinations under 45 CFR 164.514(b)(1), which says 'very small' and names no number",
    ),
    "k5": Preset(threshold=Fraction(1, 5), source="groups of at least 5: a common smallest cell of statistics"),
    "k11": Preset(
        threshold=Fraction(1, 11),
        source="groups of at least 11: cell size suppression policy of the US Centers for Medicare & Medicaid "
        "Services, by which no cell of 1 to 10 is reported",
    ),
    "k20": Preset(
        threshold=Fraction(1, 20), source="groups of at least 20: the strictest of the precedents El Emam (2013) lists"
    ),
}
