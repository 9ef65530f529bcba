"""Data to try nymity on: generated hospital stays, and the people who had them."""

from __future__ import annotations

from nymity.datasets.hospital import hospital, hospital_schema

__all__ = ["hospital", "hospital_schema"]


def __dir__() -> list[str]:
    return sorted(__all__)
