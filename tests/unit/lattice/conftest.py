"""Searches of the small tables here would end before they go on compiled: they do so after the first step."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nymity.lattice import optimal


@pytest.fixture(autouse=True, scope="module")
def compiled_after_a_step() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal, "FIRST_STEPS", 1)
        yield
