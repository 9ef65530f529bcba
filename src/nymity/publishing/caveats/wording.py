"""How numbers are written in warnings."""

from __future__ import annotations

from nymity.core.wording import count


def people(number: int) -> str:
    """Write ``1 person``, ``2 people``."""
    return count(number, "person", "people")
