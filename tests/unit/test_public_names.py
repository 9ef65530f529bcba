from __future__ import annotations

import subprocess
import sys

import pytest

import nymity


@pytest.mark.parametrize("name", nymity.__all__)
def test_every_public_name_loads(name: str) -> None:
    assert getattr(nymity, name) is not None
    assert name in dir(nymity)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'publsh'"):
        _ = nymity.publsh  # type: ignore[attr-defined]


def test_importing_nymity_loads_nothing_heavy() -> None:
    heavy = ("numpy", "polars", "numba", "pydantic", "scipy", "jinja2")
    code = f"import sys, nymity; print(*[m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
