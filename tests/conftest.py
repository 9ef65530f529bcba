"""What all tests share: reproducible hypothesis runs, and real data sets where the user has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

from nymity.datasets import PublicDataset, available, public

settings.register_profile(
    "nymity", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("nymity")


@pytest.fixture(scope="session")
def load_public() -> Callable[[str], PublicDataset]:
    """Load a real data set, or skip the test with the reason; mark such tests ``data``."""
    loaded: dict[str, PublicDataset] = {}

    def load(name: str) -> PublicDataset:
        if not available(name):
            pytest.skip(f"the data set {name!r} is not under NYMITY_DATA")
        if name not in loaded:
            loaded[name] = public(name)
        return loaded[name]

    return load
