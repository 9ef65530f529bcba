from __future__ import annotations

import importlib
import inspect
import pydoc
import subprocess
import sys
from types import FunctionType

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


def functions() -> list[str]:
    return [name for name, home in nymity._HOMES.items() if name.islower() and home != "nymity"]


@pytest.mark.parametrize("name", functions())
def test_a_function_shows_its_own_signature_and_help(name: str) -> None:
    """Python binds a loaded subpackage to its name in ``nymity``: none may bear the name of a function."""
    home = importlib.import_module(nymity._HOMES[name])  # loads every package above the function
    value, own = getattr(nymity, name), getattr(home, name)
    assert isinstance(value, FunctionType)
    assert inspect.signature(value) == inspect.signature(own)
    assert value.__doc__ == own.__doc__
    assert own.__doc__
    shown = pydoc.render_doc(value, renderer=pydoc.plaintext)
    assert shown.startswith(f"Python Library Documentation: function {name} in module {own.__module__}\n")
    assert f"\n{name}(" in shown
