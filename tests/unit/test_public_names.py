"""What is public: the names of nymity, and what each of its packages shows to the others."""

from __future__ import annotations

import ast
import importlib
import inspect
import pydoc
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import nymity


@pytest.mark.parametrize("name", nymity.__all__)
def test_every_public_name_loads(name: str) -> None:
    assert getattr(nymity, name) is not None
    assert name in dir(nymity)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'publsh'"):
        _ = nymity.publsh  # type: ignore[attr-defined]


def test_what_risk_loads_later_is_listed_all_the_same() -> None:
    risk = importlib.import_module("nymity.risk")
    assert set(risk.__all__) <= set(dir(risk))
    for unknown in ("", "nope", "Nope"):
        with pytest.raises(AttributeError, match=f"no attribute '{unknown}'"):
            getattr(risk, unknown)


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


# -- packages --------------------------------------------------------------------------------------------------

NYMITY = Path(nymity.__file__).parent
PACKAGES = sorted(path.parent.name for path in NYMITY.glob("*/__init__.py"))

#: What everything stands on. Other packages use more of it than it promises to keep.
GROUND = {"core", "kernels"}

#: Registries of what lies in other packages: a line there is all that a new metric or method takes. What they list is
#: public by that, and not listed again by the package that it lies in.
REGISTRIES = {Path("publishing/comparing/metrics.py"), Path("publishing/jobs/registry.py")}

#: Packages with names that users call as ``ny.dp.delta``, or import from them as the documentation shows.
FOR_USERS = {name for name, home in nymity._HOMES.items() if home == "nymity"} | {"report"}


@cache
def imported() -> tuple[tuple[str, Path, ast.alias], ...]:
    """Return each name that a file imports from a module of nymity: the module, the file and the name."""
    found = []
    for path in sorted([*NYMITY.rglob("*.py"), *NYMITY.rglob("*.pyi")]):
        place = path.relative_to(NYMITY)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("nymity."):
                found += [(f"{node.module}.", place, alias) for alias in node.names]
    return tuple(found)


def taken_by_others(package: str) -> dict[str, str]:
    """Return the names that files of other packages import from this one, each with such a file."""
    own = [(one, place) for module, place, one in imported() if module.startswith(f"nymity.{package}.")]
    lines = {one.name for one, place in own if place in REGISTRIES and one.asname == one.name}
    return {one.name: str(place) for one, place in own if place.parts[0] != package and one.name not in lines}


def shown(package: str) -> list[str]:
    return importlib.import_module(f"nymity.{package}").__all__


@pytest.mark.parametrize("package", [name for name in PACKAGES if name not in GROUND])
def test_a_package_lists_what_others_take_from_it(package: str) -> None:
    listed, taken = shown(package), taken_by_others(package)
    assert len(listed) == len(set(listed))
    missing = {name: file for name, file in taken.items() if name not in listed}
    assert not missing, f"write them into __all__ of src/nymity/{package}/__init__.py, or do without"
    if package not in FOR_USERS:
        unused = sorted(set(listed) - set(taken))
        assert not unused, f"take them out of __all__ of src/nymity/{package}/__init__.py: no other package uses them"


@pytest.mark.parametrize("package", PACKAGES)
def test_what_a_package_lists_is_there(package: str) -> None:
    loaded = importlib.import_module(f"nymity.{package}")
    for name in shown(package):
        value = getattr(loaded, name)
        if isinstance(value, ModuleType):  # Python binds a loaded module to its name: it is what the name shows
            value = getattr(value, name)
        assert value is not None
    with pytest.raises(AttributeError):
        _ = loaded.no_such_name


def test_public_names_are_few() -> None:
    assert sum(len(shown(package)) for package in PACKAGES) <= 625
