"""Taxonomy: trees, tables of parents, files."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import FileError, HierarchyError, MissingExtraError, ParameterError
from nymity.table.builders import Taxonomy

WORLD = {"World": {"Europe": ["France", "Italy"], "Asia": {"East": ["Japan"], "India": None}}}
PARENTS = {
    "France": "Europe",
    "Italy": "Europe",
    "Europe": "World",
    "Asia": "World",
    "East": "Asia",
    "India": "Asia",
    "Japan": "East",
}
ROWS = [
    ["France", "France", "Europe", "*"],
    ["Italy", "Italy", "Europe", "*"],
    ["Japan", "East", "Asia", "*"],
    ["India", "India", "Asia", "*"],
]


def rows(builder: Taxonomy, values: object) -> list[list[str | None]]:
    return builder.build(pl.Series(values)).rows()


def test_a_tree_with_one_root() -> None:
    assert rows(Taxonomy(tree=WORLD), ["Japan", None]) == [*ROWS, [None, None, None, "*"]]


def test_parents_say_the_same() -> None:
    built = Taxonomy(parents=PARENTS).build(pl.Series(["Japan"])).rows()
    assert sorted(built) == sorted(ROWS)
    assert sorted(Taxonomy(parents={**PARENTS, "World": None}).build(pl.Series(["Japan"])).rows()) == sorted(ROWS)


def test_above_several_roots_a_root_is_added() -> None:
    assert rows(Taxonomy(tree=WORLD["World"]), ["India"]) == ROWS
    assert rows(Taxonomy(tree={"*": WORLD["World"]}), ["India"]) == ROWS
    assert rows(Taxonomy(tree={"a": None, "b": {}, "c": []}), ["b"]) == [["a", "*"], ["b", "*"], ["c", "*"]]
    assert rows(Taxonomy(tree={"a": None}), ["a"]) == [["a", "*"]]


def test_leaves_in_lists_may_have_branches_beside_them() -> None:
    assert rows(Taxonomy(tree={"x": ["a", {"y": ["b", 3]}], "z": [True]}), ["b"]) == [
        ["a", "a", "x", "*"],
        ["b", "y", "x", "*"],
        ["3", "y", "x", "*"],
        ["true", "true", "z", "*"],
    ]


def test_inner_concepts_as_values() -> None:
    built = rows(Taxonomy(tree=WORLD), ["Asia", "East", "World", "Japan"])
    assert ["Asia", "Asia", "Asia", "*"] in built
    assert ["East", "East", "Asia", "*"] in built
    assert ["World", "*", "*", "*"] in built
    assert not any(row[0] == "Europe" for row in built)


def test_values_outside_the_tree_are_named_and_counted() -> None:
    with pytest.raises(HierarchyError, match=r"got 6 other values on level 0: 'a', 'b', 'c', 'd', 'e' and 1 more"):
        Taxonomy(tree=WORLD).build(pl.Series(["Japan", *"abcdef"]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tree": {"x": ["a"], "y": ["a"]}}, "taxonomy.tree: .*got 'a' below 'x' and below 'y'"),
        ({"tree": {"x": ["a", "a"]}}, "got 'a' below 'x' twice"),
        ({"tree": {"x": ["x"]}}, "got a cycle: 'x' below 'x'"),
        ({"tree": {"r": ["s"], "x": {"y": ["x"]}}}, "got a cycle: 'x' below 'y' below 'x'"),
        ({"tree": {}}, "an empty taxonomy"),
        ({"tree": {"*": None}}, "an empty taxonomy"),
        ({"tree": {"x": {"*": ["a"]}}}, r"'\*' as the root only, got '\*' below 'x'"),
        (
            {"parents": {"a": "b", "b": "c", "c": "a", "d": "a"}},
            "taxonomy.parents: .*a cycle: 'a' below 'b' below 'c' below 'a'",
        ),
    ],
)
def test_what_is_not_a_tree_is_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        Taxonomy(**parameters)


def test_a_mapping_that_contains_itself_ends() -> None:
    tree: dict[str, Any] = {}
    tree["x"] = tree
    with pytest.raises(HierarchyError, match="'x'"):
        Taxonomy(tree=tree)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "one of tree, parents and file, got none"),
        ({"tree": {"a": None}, "parents": {"a": "b"}}, "got tree and parents"),
        ({"tree": ["a"]}, "taxonomy.tree: expected a mapping"),
        ({"tree": {"x": "a"}}, r"expected a mapping or a list below 'x', got 'a'\. Try: put it in a list: \['a'\]"),
        ({"tree": {"x": [["a"]]}}, "expected text or a number"),
        ({"parents": {"a": ["b"]}}, "expected text or a number"),
        ({"file": 3}, "taxonomy.file: expected a path"),
        ({"file": ""}, "taxonomy.file: expected a path"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Taxonomy(**parameters)


def test_the_tree_is_the_builders_own() -> None:
    tree: dict[str, Any] = {"x": ["a"], "y": ["b"]}
    builder = Taxonomy(tree=tree)
    tree["x"].append("c")
    assert rows(builder, ["a"]) == [["a", "x", "*"], ["b", "y", "*"]]
    assert hash(builder) == hash(Taxonomy(tree={"x": ["a"], "y": ["b"]}))


YAML = "World:\n  Europe: [France, Italy]\n  Asia:\n    East: [Japan]\n    India:\n"
CSV = "child,parent\n" + "".join(f"{child},{parent}\n" for child, parent in PARENTS.items())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.json", json.dumps(WORLD)),
        ("t.json", json.dumps(PARENTS)),
        ("t.yaml", YAML),
        ("t.YML", YAML),
        ("t.csv", CSV),
        ("t.csv", "\ufeff" + CSV.replace(",", ";")),
        ("t.tsv", CSV.replace(",", "\t") + "World\t\n\nJapan\tEast\n"),
        ("t.csv.gz", CSV),
    ],
)
def test_files(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    builder = Taxonomy(file=path)  # type: ignore[arg-type]
    assert builder.file == str(path)
    assert sorted(rows(builder, ["Japan"])) == sorted(ROWS)


def test_yaml_scalars_stay_as_written(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("north: [NO, SE]\ncodes: [007, 1.50]\n")
    assert [row[0] for row in rows(Taxonomy(file=str(tmp_path / "t.yaml")), ["NO"])] == ["NO", "SE", "007", "1.50"]


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("t.json", '{"a":\n', FileError, "t.json: expected a taxonomy in JSON, got .*line 2"),
        ("t.json", "[1]", FileError, "a mapping: a tree, or child to parent, got a list"),
        ("t.yaml", "a: [b\nc: d: e\n", FileError, "t.yaml, line 2: expected YAML"),
        ("t.yaml", "x: a\ny: [b]\n", ParameterError, "t.yaml"),
        ("t.csv", "a,b\nc\n", FileError, r"t.csv, line 2: expected two cells, child and parent, got \['c'\]"),
        ("t.csv", "child,parent\n", FileError, "lines with child and parent, got none"),
        ("t.csv", "a,x\na,y\n", HierarchyError, "t.csv: .*'a' below 'x' and below 'y'"),
        ("t.csv", "a,b\nb,a\n", HierarchyError, "t.csv: .*cycle"),
        ("t.xml", "<a/>", FileError, "got the ending '.xml'"),
        ("taxonomy", "", FileError, "got the ending ''"),
    ],
)
def test_faulty_files_are_named(tmp_path: Path, name: str, text: str, error: type[Exception], message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(error, match=message):
        Taxonomy(file=str(tmp_path / name)).build(pl.Series(["a"]))


def test_absent_files_and_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match="no such file"):
        Taxonomy(file=str(tmp_path / "t.json")).build(pl.Series(["a"]))
    (tmp_path / "t.yaml").write_text("a:\n")
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    with pytest.raises(MissingExtraError, match=r"nymity\[yaml\]"):
        Taxonomy(file=str(tmp_path / "t.yaml")).build(pl.Series(["a"]))


@given(st.data())
def test_random_trees(data: st.DataObject) -> None:
    """Every level holds an ancestor (or the value itself), and a step up never skips past the next ancestor."""
    count = data.draw(st.integers(1, 12))
    parents = {f"n{child}": f"n{data.draw(st.integers(0, child - 1))}" for child in range(1, count + 1)}
    values = data.draw(st.lists(st.sampled_from(sorted(parents)), min_size=1))
    hierarchy = Taxonomy(parents=parents).build(pl.Series(values))
    assert set(values) <= set(hierarchy.values)
    assert set(parents) - set(parents.values()) <= set(hierarchy.values)
    for row in hierarchy.rows():
        for below, above in pairwise(row):
            parent = parents[str(below)]
            assert above in (below, "*" if parent == "n0" else parent)
