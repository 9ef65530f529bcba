from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """Tiny networks gain nothing from threads; ``make robust-everywhere`` shows that results do not depend on them."""
    before = torch.get_num_threads()
    torch.set_num_threads(int(os.environ.get("NYMITY_TEST_THREADS", "1")))
    yield
    torch.set_num_threads(before)
