"""Enhanced beta-likeness (Cao & Karras 2012): beta-likeness that also protects the frequent values.

A large beta caps the share of a frequent value at more than 1, that is not at all. The enhanced form asks for

    (p_v - q_v) / q_v <= min(beta, -ln q_v)    for every v with p_v > q_v,

and (1 - ln q) q is below 1 for every q below 1: no value can fill a class alone unless it fills the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, log

import polars as pl

from nymity.privacy.beta_likeness import BetaLikeness
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured

#: -ln q is irrational. A search takes it as a number of nine decimals that is safely too small, verification as one
#: that is safely too large: what a search accepts keeps the definition, and verification agrees whatever its rounding.
DECIMALS = 9
_ONE = 10**DECIMALS


@dataclass(frozen=True, kw_only=True)
class EnhancedBetaLikeness(BetaLikeness):
    """The share of a value in a class exceeds its share q in the table by at most min(beta, -ln q) times the latter.

    beta is decided in integers, as the decimal written; -ln q to 10**-9 times q, on the side of privacy.
    """

    key = "enhanced-beta-likeness"
    title = "enhanced beta-likeness"

    def _largest_shares(self, overall: list[int], total: int) -> list[tuple[int, int]]:
        """Return the smaller of (1 + beta) q and (1 - ln q) q."""
        whole, shares = _ONE * total, super()._largest_shares(overall, total)
        for code, records in enumerate(overall):
            if records:
                numerator, denominator = shares[code]
                below = max(0, round(log(total / records) * _ONE) - 1)
                if numerator * whole > (_ONE + below) * records * denominator:
                    shares[code] = (_ONE + below) * records, whole
        return shares

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the largest (p - q) / q of a value in a class; infinite where one exceeds -ln q, so no beta holds."""
        reached = super().measure(groups, attribute)
        return reached if attribute is None or _within_logarithm(groups, attribute) else {"beta": inf}

    def holds(self, groups: Groups) -> bool:
        """No value exceeds (1 + beta) q or (1 - ln q) q in a class."""
        return super().holds(groups) and _within_logarithm(groups, self.attribute)

    def is_empty(self, rarest: Fraction | None) -> bool:
        """(1 - ln q) q is below 1 unless there is one value."""
        return rarest == 1

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"enhanced {self.beta}-likeness of {self.attribute!r}: in every group of records that look alike no value "
            f"there is more frequent than in the whole table by more than {self.beta} times its share q in the table, "
            "nor by more than -ln q times that share"
        )


def _within_logarithm(groups: Groups, attribute: str) -> bool:
    """Return whether every value of every class on a table has a share of at most (1 - ln q) q."""
    if groups.persons is not None:
        pairs = groups.person_shares(attribute).pairs()
        return all(p * _ONE <= q * (round(log(1 / q) * _ONE) + _ONE + 1) for p, q in pairs)
    above = ((groups.n_records / pl.col("overall")).log() * _ONE).round().cast(pl.Int128) + (_ONE + 1)
    records, expected = pl.col("records").cast(pl.Int128), pl.col("size").cast(pl.Int128) * pl.col("overall")
    within = records * groups.n_records * _ONE <= expected * above
    return bool(groups.value_counts(attribute).select(within.all()).item())
