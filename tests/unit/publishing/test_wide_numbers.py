"""Whole numbers of more than 64 bits, as Python has them: numbers of contracts, sums in the smallest coin."""

from __future__ import annotations

import nymity as ny


def test_they_are_inspected_and_published() -> None:
    frame = {"number": [10**30 + n % 2 for n in range(12)], "sex": ["f", "m"] * 6}
    assert ny.inspect(frame)["number"].distinct == 2
    assert ny.publish(frame, {"number": ny.quasi(), "sex": "quasi"}, k=2).holds
