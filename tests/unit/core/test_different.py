"""Different numbers of an array: those of np.unique, in as many bits."""

from __future__ import annotations

import numpy as np
import pytest

from nymity.core.different import different


@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
@pytest.mark.parametrize("size", [0, 1, 2, 5, 1000])
def test_they_are_those_of_numpy(dtype: type, size: int) -> None:
    numbers = np.random.default_rng(size).integers(0, 300, size).astype(dtype)
    found = different(numbers)
    assert found.dtype == dtype
    assert np.array_equal(found, np.unique(numbers))
