"""Files that hold a taxonomy: YAML or JSON with a mapping, CSV with child and parent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nymity.core.errors import FileError
from nymity.core.extras import require
from nymity.core.plain_data import parse_json
from nymity.core.quoting import quoted, relayed
from nymity.table.builders.file import DELIMITERS, parse_lines, read_text

SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".yaml", ".yml")


def read_taxonomy(path: Path) -> Mapping[Any, Any] | list[tuple[str, str | None]]:
    """Read a mapping (YAML, JSON) or pairs of child and parent (CSV); any of them may be gzipped."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    kind = suffixes[-1] if suffixes else ""
    if kind not in SUFFIXES:
        raise FileError(str(path), expected=f"a taxonomy file ({', '.join(SUFFIXES)})", got=f"the ending {kind!r}")
    text = read_text(path)
    if kind in (".json", ".yaml", ".yml"):
        content = _json(path, text) if kind == ".json" else _yaml(path, text)
        if not isinstance(content, Mapping):
            raise FileError(
                str(path), expected="a mapping: a tree, or child to parent", got=f"a {type(content).__name__}"
            )
        return content
    return _pairs(path, text)


def _json(path: Path, text: str) -> object:
    return parse_json(text, where=str(path), expected="a taxonomy in JSON")


def _yaml(path: Path, text: str) -> object:
    """Read YAML with every scalar as text: ``NO`` stays Norway, ``007`` keeps its zeros."""
    yaml = require("yaml", extra="yaml", purpose=f"reading {path.name}")
    try:
        return yaml.load(text, Loader=_once(yaml))
    except RecursionError as error:
        raise FileError(str(path), expected="a taxonomy", got="one that is nested too deeply") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}, line {mark.line + 1}" if mark is not None else str(path)
        raise FileError(place, expected="YAML", got=relayed(getattr(error, "problem", None) or error)) from error


def _once(yaml: Any) -> type[Any]:
    """Return a loader that refuses a key that stands twice, where others let the last one win."""

    class Once(yaml.BaseLoader):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            content: dict[Any, Any] = super().construct_mapping(node, deep=deep)
            if len(content) < len(node.value):
                raise yaml.constructor.ConstructorError(None, None, "a key that stands twice", node.start_mark)
            return content

    return Once


def _pairs(path: Path, text: str) -> list[tuple[str, str | None]]:
    """Read the two columns child and parent with the delimiter that gives two cells most often."""
    parsed = [parse_lines(path, text, delimiter) for delimiter in DELIMITERS]
    lines = max(parsed, key=lambda lines: sum(len(cells) == 2 for _, cells in lines))
    if lines and [cell.strip().lower() for cell in lines[0][1]] == ["child", "parent"]:
        lines = lines[1:]
    if not lines:
        raise FileError(str(path), expected="lines with child and parent", got="none")
    pairs: dict[tuple[str, str | None], None] = {}  # a pair said twice is no contradiction
    for number, cells in lines:
        if len(cells) != 2 or not cells[0]:
            raise FileError(f"{path}, line {number}", expected="two cells, child and parent", got=quoted(cells))
        pairs[cells[0], cells[1] or None] = None
    return list(pairs)
