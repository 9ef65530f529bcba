"""Data to try nymity on: generated hospital stays, and loaders for public data on the user's disk."""

from __future__ import annotations

from nymity.datasets.hospital import hospital, hospital_schema
from nymity.datasets.public import PUBLIC_NAMES, PublicDataset, available, public

__all__ = ["hospital", "hospital_schema", "PUBLIC_NAMES", "PublicDataset", "available", "public"]


def __dir__() -> list[str]:
    return sorted(__all__)
