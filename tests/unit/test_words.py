"""One word per meaning: no two public classes share a name, and no two files do that hold different things."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
NYMITY = ROOT / "src" / "nymity"
ROOTS = (NYMITY, ROOT / "packages" / "nymity-lab" / "src", ROOT / "packages" / "nymity-robust" / "src")

#: A module of these packages may be named like the one it serves: a command like what it calls, a kernel like the
#: method that uses it, a section of the report or a screen of the workbench like what it shows.
SERVING = {"cli", "kernels", "report", "workbench"}

#: File names that mean the same in every package that has one.
SAME_ROLE = {
    "__init__.py": "the package",
    "outcome.py": "what the methods of the package answer with",
    "problem.py": "what the methods of the package are given",
    "registry.py": "how things are registered, and what is",
}


def doubles(named: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the places of each name that has several."""
    places = defaultdict(list)
    for name, place in named:
        places[name].append(place)
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def classes(root: Path) -> list[tuple[str, str]]:
    return [
        (node.name, f"{path.relative_to(ROOT)}:{node.lineno}")
        for path in sorted(root.rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def test_no_two_public_classes_have_one_name() -> None:
    listed = [named for root in ROOTS for named in classes(root)]
    assert len(listed) > 500  # the roots are where this test thinks
    assert doubles(listed) == {}


def test_no_two_files_have_one_name_for_different_things() -> None:
    paths = [path.relative_to(NYMITY) for path in NYMITY.rglob("*.py")]
    named = [(path.name, str(path)) for path in paths if path.parts[0] not in SERVING and path.name not in SAME_ROLE]
    assert len(named) > 200
    assert doubles(named) == {}


def test_names_of_files_say_what_is_inside() -> None:
    vague = {
        "base.py",
        "common.py",
        "helpers.py",
        "misc.py",
        "page.py",
        "reading.py",
        "stuff.py",
        "util.py",
        "utils.py",
    }
    assert not [str(path) for root in ROOTS for path in root.rglob("*.py") if path.name in vague]


def test_no_package_hides_a_function_of_nymity() -> None:
    """Python binds a loaded subpackage to its name, so a function of ``nymity`` must not share it."""
    import nymity

    packages = {path.parent.name for path in NYMITY.glob("*/__init__.py")}
    functions = {name for name, home in nymity._HOMES.items() if home != "nymity"}
    assert not packages & functions
