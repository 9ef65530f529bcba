from __future__ import annotations

import pytest

from nymity.core.errors import MissingExtraError
from nymity.core.extras import require


def test_an_installed_package_is_returned() -> None:
    import json

    assert require("json", extra="none", purpose="reading") is json


def test_a_missing_one_names_the_extra() -> None:
    with pytest.raises(MissingExtraError, match=r'reading Excel needs .* pip install "nymity\[excel\]"'):
        require("no_such_package.part", extra="excel", purpose="reading Excel")
