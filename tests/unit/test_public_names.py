from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import nymity


@pytest.mark.parametrize("name", nymity.__all__)
def test_every_public_name_loads(name: str) -> None:
    assert getattr(nymity, name) is not None
    assert name in dir(nymity)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'publsh'"):
        _ = nymity.publsh  # type: ignore[attr-defined]


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(nymity.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == set(nymity.__all__)


def test_importing_nymity_loads_nothing_heavy() -> None:
    heavy = ("numpy", "polars", "numba", "pydantic", "scipy", "jinja2")
    code = f"import sys, nymity; print(*[m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
