"""Transforms: cells of columns that are changed, not generalized. One file each, one line here."""

# ruff: noqa: I001 -- the order of lists
from __future__ import annotations

from nymity.core.registry import registered
from nymity.transforms.transform import Transform as Transform

from nymity.transforms.end_coding import TopCoding as TopCoding
from nymity.transforms.end_coding import BottomCoding as BottomCoding
from nymity.transforms.rounding import Rounding as Rounding
from nymity.transforms.rounding import RandomRounding as RandomRounding
from nymity.transforms.microaggregation import Microaggregation as Microaggregation
from nymity.transforms.microaggregation import OptimalMicroaggregation as OptimalMicroaggregation
from nymity.transforms.noise import AdditiveNoise as AdditiveNoise
from nymity.transforms.noise import CorrelatedNoise as CorrelatedNoise
from nymity.transforms.noise import MultiplicativeNoise as MultiplicativeNoise
from nymity.transforms.randomization import PostRandomization as PostRandomization
from nymity.transforms.swapping import RankSwapping as RankSwapping
from nymity.transforms.swapping import RecordSwapping as RecordSwapping
from nymity.transforms.swapping import Shuffling as Shuffling

#: Every transform by its key.
TRANSFORMS: dict[str, type[Transform]] = registered(vars(), Transform)

__all__ = ["TRANSFORMS", "Transform", *(one.__name__ for one in TRANSFORMS.values())]
