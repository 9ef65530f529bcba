"""Code of dataclasses is compiled once, and classes made of kept code are the same."""

from __future__ import annotations

import builtins
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nymity.cli.dataclass_code import compiled_once
from nymity.core import kept


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept, "_FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Sources that were compiled."""
    seen, plain = list[str](), builtins.compile

    def counted(source: Any, *options: Any, **named: Any) -> Any:
        seen.append(source)
        return plain(source, *options, **named)

    monkeypatch.setattr(builtins, "compile", counted)
    return seen


def made() -> type[Any]:
    @dataclass(frozen=True, kw_only=True, order=True)
    class Point:
        x: int
        y: tuple[int, ...] = (1, 2)

    return Point


def test_the_second_command_compiles_nothing_and_makes_the_same_class(folder: Path, compilations: list[str]) -> None:
    plain = made()
    with compiled_once():
        made()
    first = len(compilations)
    assert first > 3
    with compiled_once():
        again = made()
    assert len(compilations) == first
    assert not hasattr(dataclasses, "exec")
    assert repr(again(x=3)) == repr(plain(x=3))
    assert again(x=3) == again(x=3) < again(x=4)
    assert hash(again(x=3)) == hash(plain(x=3))
    assert dataclasses.replace(again(x=3), y=()).y == ()
    with pytest.raises(dataclasses.FrozenInstanceError):
        again(x=3).x = 4
    with pytest.raises(
        TypeError, match=r"made\.<locals>\.Point\.__init__\(\) missing 1 required keyword-only argument"
    ):
        again()


def test_a_damaged_file_is_passed_over_and_written_again(folder: Path, compilations: list[str]) -> None:
    with compiled_once():
        made()
    (file,) = folder.iterdir()
    content = file.read_bytes()
    file.write_bytes(content[:-40] + bytes(40))
    with compiled_once():
        assert made()(x=1).x == 1
    assert file.read_bytes() == content


def test_nothing_is_written_where_nothing_is_new_or_a_command_fails(folder: Path) -> None:
    def fail() -> None:
        with compiled_once():
            made()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(folder.iterdir()) == []
    assert not hasattr(dataclasses, "exec")
    with compiled_once():
        made()
    (file,) = folder.iterdir()
    time = file.stat().st_mtime_ns
    with compiled_once():
        made()
    assert file.stat().st_mtime_ns == time


def test_few_sources_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with compiled_once():
        made()
    (file,) = folder.iterdir()
    size = len(file.read_bytes())
    monkeypatch.setattr("nymity.cli.dataclass_code._MOST", 5)
    with compiled_once():
        dataclass(type("Other", (), {"__annotations__": {"z": int}, "__doc__": "Another."}))
    assert len(file.read_bytes()) < size


def test_methods_have_types_as_annotations_not_their_names(folder: Path) -> None:
    for _ in ("compiled", "kept"):
        with compiled_once():
            point = dataclasses.make_dataclass("Point", [("x", int), ("y", str, "far")])
        assert point.__init__.__annotations__ == {"x": int, "y": str, "return": None}
