"""Names of registered things: ``ny.KAnonymity``, ``Hierarchy.intervals``, and the lists that type checkers read."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import nymity as ny
from nymity.publishing.jobs.registry import METHODS, MODELS
from nymity.quality import LOSSES
from nymity.risk.attacks.registry import ATTACKS
from nymity.table import hierarchy
from nymity.table.builders import BUILDERS
from nymity.table.hierarchy import Hierarchy
from nymity.transforms import TRANSFORMS

REGISTERED: list[type[Any]] = [*MODELS.values(), *METHODS.values(), *LOSSES.values(), *TRANSFORMS.values()]
STUB = Path(ny.__file__).with_suffix(".pyi")


@pytest.mark.parametrize("cls", REGISTERED, ids=lambda cls: cls.__name__)
def test_a_name_of_nymity(cls: type[Any]) -> None:
    assert getattr(ny, cls.__name__) is cls
    if cls.__name__ not in ny.__all__:
        line = f"from {cls.__module__} import {cls.__name__} as {cls.__name__}"
        pytest.fail(f"type checkers do not know ny.{cls.__name__}: add to src/nymity/{STUB.name}: {line}")


def test_a_registered_name_needs_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(vars(ny), "KAnonymity", raising=False)
    monkeypatch.delitem(ny._HOMES, "KAnonymity")
    assert ny.KAnonymity is MODELS["k-anonymity"]


def test_every_line_of_the_stub_is_a_name() -> None:
    lines = [line for line in STUB.read_text(encoding="utf-8").splitlines() if line.startswith("from ")]
    assert len(lines) == len(ny.__all__) == len(set(ny.__all__))

    def place(line: str) -> tuple[str, bool, str]:  # as ruff sorts them: classes first, LKC after Linked
        _, module, _, name, *_ = line.split()
        return module, name[0].islower(), name.casefold()

    assert lines == sorted(lines, key=place)


@pytest.mark.parametrize("cls", ATTACKS.values(), ids=ATTACKS)
def test_a_name_of_risk(cls: type[Any]) -> None:
    assert getattr(ny.risk, cls.__name__) is cls


def test_builders_are_names_of_hierarchy() -> None:
    tree = ast.parse(Path(hierarchy.__file__).read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Hierarchy")
    block = next(node for node in body if isinstance(node, ast.If))
    listed = {one.targets[0].id: ast.unparse(one.value) for one in block.body}  # type: ignore[attr-defined]
    for key, builder in BUILDERS.items():
        name = key.replace("-", "_")
        assert name in dir(Hierarchy)
        if name in vars(Hierarchy):  # a function of its own
            continue
        assert getattr(Hierarchy, name) is builder
        if listed.pop(name, None) != f"builders.{builder.__name__}":
            where = "the TYPE_CHECKING block of Hierarchy in src/nymity/table/hierarchy.py"
            pytest.fail(
                f"type checkers do not know Hierarchy.{name}: add to {where}: {name} = builders.{builder.__name__}"
            )
    assert not listed


def test_other_names_are_none() -> None:
    with pytest.raises(AttributeError, match="'Hierarchy' has no attribute 'nonsense'"):
        _ = Hierarchy.nonsense  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = ny.Nonsense  # type: ignore[attr-defined]
