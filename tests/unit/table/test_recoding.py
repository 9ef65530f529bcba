"""Recoding: what is published, what is suppressed, and the same again from a file."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import naive
from nymity.core.errors import FileError, NoSolutionError, ParameterError, SchemaError, TableError
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity
from nymity.table.attribute import insensitive, quasi
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.level_recoding import Layer, LevelRecoding
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from strategies import Case, cases, node_between, typed_columns

AGES = Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], [None, None, "*"]])
SEXES = Hierarchy.flat(["f", "m"])


def recoding(
    levels: dict[str, int] | None = None, classes: Sequence[Sequence[int]] = ((0, 0), (1, 0)), **changes: Any
) -> LevelRecoding:
    """Publish age low or high with sex f, nothing else."""
    fields: dict[str, Any] = {
        "columns": ("note", "age", "sex"),
        "hierarchies": {"age": AGES, "sex": SEXES},
        "layers": (Layer(levels or {"age": 1, "sex": 0}, np.array(classes, dtype=np.int64).reshape(-1, 2)),),
    }
    return LevelRecoding(**(fields | changes))


TABLE = pl.DataFrame(
    {"sex": ["f", "m", "f", "f"], "age": [1, 2, 3, None], "note": ["p", "q", "r", "s"], "name": ["A", "B", "C", "D"]}
)


# -- what is published -------------------------------------------------------------------------------------------


def test_mask() -> None:
    recoded = recoding().apply(TABLE)
    assert recoded.table.columns == ["note", "age", "sex"]
    assert recoded.table.rows() == [("p", "low", "f"), ("q", "*", "*"), ("r", "high", "f"), ("s", "*", "*")]
    assert recoded.source_rows.tolist() == [0, 1, 2, 3]
    assert recoded.masked.tolist() == [False, True, False, True]


def test_remove() -> None:
    recoded = recoding(outliers="remove").apply(TABLE)
    assert recoded.table.rows() == [("p", "low", "f"), ("r", "high", "f")]
    assert recoded.source_rows.tolist() == [0, 2]
    assert recoded.masked.tolist() == [False, False]


def test_keep_and_missing_values_below_the_top() -> None:
    recoded = recoding().apply(TABLE, outliers="keep")
    assert recoded.table.rows() == [("p", "low", "f"), ("q", "low", "m"), ("r", "high", "f"), ("s", None, "f")]
    assert not recoded.masked.any()


def test_the_override_of_outliers() -> None:
    assert recoding().apply(TABLE, outliers="remove").table.height == 2
    assert recoding(outliers="remove").apply(TABLE, outliers="mask").table.height == 4


def test_missing_at_the_top() -> None:
    recoded = recoding({"age": 2, "sex": 0}, classes=[(0, 0), (0, 1)]).apply(TABLE)
    assert recoded.table["age"].to_list() == ["*"] * 4
    assert not recoded.masked.any()


def test_the_arguments_stay_as_they_are() -> None:
    before = TABLE.clone()
    recoding().apply(TABLE)
    assert_frame_equal(TABLE, before)


def test_no_rows_and_no_classes() -> None:
    empty = recoding().apply(TABLE[:0])
    assert empty.table.height == 0
    assert empty.table.columns == ["note", "age", "sex"]
    nothing = recoding(classes=[])
    assert nothing.apply(TABLE).masked.all()
    assert nothing.apply(TABLE, outliers="remove").table.shape == (0, 3)


# -- values the recoding does not know ---------------------------------------------------------------------------

NEW = pl.DataFrame({"sex": ["f", "x", "f"], "age": [9, 1, 1], "note": ["p", "q", "r"]})


def test_unseen_values_are_an_error() -> None:
    with pytest.raises(TableError, match=r"column 'age': expected values the recoding knows, got 1 it does not: '9'"):
        recoding().apply(NEW)
    with pytest.raises(TableError, match=r"column 'sex'.*1 it does not: 'x'.*unseen='mask'"):
        recoding().apply(NEW.with_columns(age=pl.lit(1)))
    without = Hierarchy.from_rows(AGES.rows()[:3])
    with pytest.raises(TableError, match=r"column 'age'.*\(missing\)"):
        recoding(hierarchies={"age": without, "sex": SEXES}).apply(TABLE)


def test_unseen_values_are_masked() -> None:
    masked = recoding().apply(NEW, unseen="mask")
    assert masked.table.rows() == [("p", "*", "*"), ("q", "*", "*"), ("r", "low", "f")]
    assert masked.masked.tolist() == [True, True, False]
    assert recoding().apply(NEW, unseen="mask", outliers="remove").source_rows.tolist() == [2]
    kept = recoding().apply(NEW, unseen="mask", outliers="keep").table
    assert kept.rows() == [("p", "*", "f"), ("q", "low", "*"), ("r", "low", "f")]


def test_unknown_words() -> None:
    with pytest.raises(ParameterError, match="unseen: expected one of 'error', 'mask', got 'drop'"):
        recoding().apply(TABLE, unseen="drop")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="outliers: expected one of 'mask', 'remove', 'keep', got 'removed'"):
        recoding().apply(TABLE, outliers="removed")  # type: ignore[arg-type]


def test_a_column_is_missing() -> None:
    with pytest.raises(SchemaError, match="no column 'age'"):
        recoding().apply(TABLE.drop("age"))
    unpublished = recoding(columns=("note", "sex"))
    with pytest.raises(SchemaError, match="no column 'age'"):
        unpublished.apply(TABLE.drop("age"))
    assert unpublished.apply(TABLE).table.columns == ["note", "sex"]


# -- types -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([1, 2, 2, None]),
        pl.Series([1, 2, 2, None], dtype=pl.Int8),
        pl.Series([0.5, 2.25, 2.25, None], dtype=pl.Float32),
        pl.Series([True, False, False, None]),
        pl.Series(["a", "b", "b", None]),
        pl.Series(["a", "b", "b", None], dtype=pl.Categorical),
        pl.Series(["a", "b", "b", None], dtype=pl.Enum(["b", "a"])),
        pl.Series([dt.date(2020, 1, 1), dt.date(2021, 1, 1), None, None]),
        pl.Series([dt.datetime(2020, 1, 1, 12), None, None, None]),
        pl.Series([dt.time(12), None, None, None]),
        pl.Series([None, None, None, None]),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_column_at_level_0_keeps_its_type(column: pl.Series) -> None:
    table = pl.DataFrame({"a": column, "b": ["x"] * 4})
    encoded = encode(table, Schema({"a": quasi(level=0), "b": quasi()}))
    outcome = OptimalLattice().run(encoded, [KAnonymity(k=1)])
    assert outcome.levels == {"a": 0, "b": 0}
    assert_frame_equal(outcome.recoding.apply(table).table, table, categorical_as_str=True)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["", None, "b", "b"]),
        pl.Series(["", None, "b", "b"], dtype=pl.Categorical),
        pl.Series([float("nan"), None, 1.5, 1.5]),
        pl.Series([0.0, -0.0, 1.5, 1.5]),
    ],
    ids=["text", "category", "nan", "zeros"],
)
def test_what_counts_as_one_value_is_published_as_one(column: pl.Series) -> None:
    """Two records in one class of the search must not be told apart by how a gap or zero is written."""
    table = pl.DataFrame({"a": column})
    outcome = OptimalLattice().run(encode(table, Schema({"a": quasi(level=0)})), [KAnonymity(k=2)])
    assert outcome.suppressed == 0
    published = outcome.recoding.apply(table).table
    assert published["a"].dtype == column.dtype
    assert sorted(Counter(published.write_csv().splitlines()[1:]).values()) == [2, 2]


@pytest.mark.parametrize("name", ["*", "^x$", "cell", "row", "q0", ""])
@pytest.mark.parametrize("column", [pl.Series(["a", "b", "a"]), pl.Series([0.5, None, 0.5]), pl.Series([1, 2, 1])])
@pytest.mark.parametrize("suppression", [0.0, 0.4])
def test_columns_with_the_names_of_patterns(name: str, column: pl.Series, suppression: float) -> None:
    table = pl.DataFrame({name: column, "other": ["x", "x", "x"]})
    encoded = encode(table, Schema({name: quasi(), "other": quasi()}))
    recoding = OptimalLattice(suppression=suppression).run(encoded, [KAnonymity(k=2)]).recoding
    published = recoding.apply(table, outliers="mask").table
    assert published.columns == [name, "other"]
    assert published[name].null_count() == 0
    assert published[name].to_list().count("*") == (1 if suppression else 3)


# -- properties --------------------------------------------------------------------------------------------------


@st.composite
def recoded_cases(draw: st.DrawFn) -> tuple[Case, naive.Node, int]:
    case = draw(cases())
    return case, draw(node_between((0,) * len(case.top), case.top)), draw(st.integers(1, 4))


def recoding_of(case: Case, node: naive.Node, k: int) -> tuple[LevelRecoding, set[int]]:
    """Publish the classes of a node that have at least k records, found without the engine."""
    encoded, found = case.encoded, naive.classes(case.records, node)
    labels = [h.labels[level] for h, level in zip(encoded.hierarchies, node, strict=True)]
    kept = [row for row, members in found.items() if len(members) >= k]
    codes = [[labels[a].index(cell) for a, cell in enumerate(row)] for row in kept]
    recoding = LevelRecoding(
        columns=encoded.names,
        hierarchies=dict(zip(encoded.names, encoded.hierarchies, strict=True)),
        layers=(
            Layer(dict(zip(encoded.names, node, strict=True)), np.array(codes, dtype=np.int64).reshape(-1, len(node))),
        ),
    )
    return recoding, {r for row, members in found.items() if len(members) < k for r in members}


@given(recoded_cases())
@settings(max_examples=80)
def test_cells_against_the_hierarchies(drawn: tuple[Case, naive.Node, int]) -> None:
    case, node, k = drawn
    recoding, gone = recoding_of(case, node, k)
    expected = case.records.at(node)
    masked = recoding.apply(case.frame)
    assert set(np.flatnonzero(masked.masked)) == gone
    assert masked.table.rows() == [("*",) * len(node) if r in gone else row for r, row in enumerate(expected)]
    removed = recoding.apply(case.frame, outliers="remove")
    assert removed.source_rows.tolist() == [r for r in range(len(expected)) if r not in gone]
    assert removed.table.rows() == [row for r, row in enumerate(expected) if r not in gone]
    assert recoding.apply(case.frame, outliers="keep").table.rows() == expected


@given(recoded_cases())
@settings(max_examples=40)
def test_a_loaded_recoding_does_the_same(drawn: tuple[Case, naive.Node, int]) -> None:
    case, node, k = drawn
    first, _ = recoding_of(case, node, k)
    again = Recoding.from_dict(json.loads(json.dumps(first.to_dict())))
    for outliers in ("mask", "remove", "keep"):
        one, other = (r.apply(case.frame, outliers=outliers) for r in (first, again))
        assert_frame_equal(one.table, other.table)
        assert one.source_rows.tolist() == other.source_rows.tolist()
        assert one.masked.tolist() == other.masked.tolist()
    assert_frame_equal(first.mapping(), again.mapping())
    assert again.to_dict() == first.to_dict()


@given(recoded_cases())
@settings(max_examples=40)
def test_mapping_lists_every_raw_value(drawn: tuple[Case, naive.Node, int]) -> None:
    case, node, k = drawn
    recoding, _ = recoding_of(case, node, k)
    expected = [
        (name, row[0], level, row[level])
        for name, level, h in zip(case.encoded.names, node, case.encoded.hierarchies, strict=True)
        for row in h.rows()
    ]
    assert recoding.mapping().rows() == expected
    assert recoding.mapping().columns == ["column", "value", "level", "published"]


@given(st.data())
@settings(max_examples=80)
def test_no_class_below_k_is_published(data: st.DataObject) -> None:
    """Whatever the types and gaps: the rows a reader sees, masked ones too, come in groups of at least k."""
    n = data.draw(st.integers(1, 20))
    table = pl.DataFrame({f"c{i}": data.draw(typed_columns(n)) for i in range(data.draw(st.integers(1, 3)))})
    k = data.draw(st.integers(1, min(4, n)))
    outliers = data.draw(st.sampled_from(["mask", "remove"]))
    encoded = encode(table, Schema({name: quasi() for name in table.columns}))
    method = OptimalLattice(suppression=data.draw(st.sampled_from([0.0, 0.3, 1.0])), outliers=outliers)
    outcome = method.run(encoded, [KAnonymity(k=k)])
    recoded = outcome.recoding.apply(table)
    lines = recoded.table.write_csv(quote_style="always", null_value="").splitlines()[1:]
    published = Counter(lines)
    assert all(size >= k for size in published.values())
    assert published
    stays = outliers == "mask" and outcome.suppressed >= k  # as masked rows
    assert recoded.table.height == (n if stays else n - outcome.suppressed)
    assert recoded.masked.sum() == (outcome.suppressed if stays else 0)


# -- files -------------------------------------------------------------------------------------------------------


def test_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "recoding.json"
    hierarchies = {"age": AGES, "sex": Hierarchy.flat(["f", "m", 'ä"\n;'])}
    first = recoding(hierarchies=hierarchies, outliers="remove")
    first.save_with_values(path)
    again = Recoding.load(path)
    assert again.hierarchies == first.hierarchies
    assert (again.columns, again.levels, again.outliers) == (first.columns, first.levels, "remove")
    assert_frame_equal(again.apply(TABLE).table, first.apply(TABLE).table)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"gone.*expected a file that can be written"):
        recoding().save(tmp_path / "gone" / "recoding.json")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"3", b"null", b"{}", b'{"format": "other"}'])
def test_files_that_are_no_recodings(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"broken\.json: expected a recoding"):
        Recoding.load(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(FileError, match="expected a recoding"):
            Recoding.load(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"columns": None}, "columns that are no list of texts"),
        ({"outliers": "burn"}, "'burn'"),
        ({"layers": [{"levels": {"age": 3, "sex": 0}, "classes": []}]}, "level of 'age'.*from 0 to 2, got 3"),
        ({"layers": [{"levels": {"age": -1, "sex": 0}, "classes": []}]}, "level of 'age'.*got -1"),
        ({"layers": [{"levels": {"age": True, "sex": 0}, "classes": []}]}, "level of 'age'.*got True"),
        ({"layers": [{"levels": {"age": 1, "zip": 0}, "classes": []}]}, "no field 'sex'"),
        ({"layers": [{"levels": {"age": 1, "sex": 0}}]}, "no field 'classes'"),
        ({"layers": []}, "no layers"),
        ({"layers": [3]}, ""),
        ({"hierarchies": []}, ""),
        ({"hierarchies": {"age": [["1", "*"], ["1", "*"]], "sex": [["f", "*"]]}}, "'1' again"),
        ({"hierarchies": {"age": [["1", "a"], ["2", "b"]], "sex": [["f", "*"]]}}, "top level"),
        ({"layers": [{"levels": {"age": 1, "sex": 0}, "classes": [[0], [1, 2]]}]}, ""),
        ({"layers": [{"levels": {"age": 1, "sex": 0}, "classes": [["low", "f"]]}]}, "low"),
        ({"layers": [{"levels": {"age": 1, "sex": 0}, "classes": [[0, 1, 2]]}]}, ""),
        ({"layers": [{"levels": {"age": 1, "sex": 0}, "classes": None}]}, ""),
        ({"layers": [{"levels": {"age": 2, "sex": 0}, "classes": [[1, 0]]}]}, "a value that is not there"),
        ({"layers": [{"levels": {"age": 1, "sex": 0}, "classes": [[0, -1]]}]}, "a value that is not there"),
    ],
)
def test_files_with_a_wrong_field(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(recoding().to_dict() | change))
    with pytest.raises(FileError, match=rf"broken\.json: expected a recoding.*{said}"):
        Recoding.load(path)


@pytest.mark.parametrize("field", ["columns", "layers", "hierarchies", "outliers"])
def test_files_without_a_field(tmp_path: Path, field: str) -> None:
    path = tmp_path / "broken.json"
    data = recoding().to_dict()
    del data[field]
    path.write_text(json.dumps(data))
    with pytest.raises(FileError, match=rf"broken\.json.*no field '{field}'"):
        Recoding.load(path)


# -- layers ------------------------------------------------------------------------------------------------------


def layered(**changes: Any) -> LevelRecoding:
    """First raw ages with sex f, then low or high with any sex."""
    first, second = Layer({"age": 0, "sex": 0}, np.array([[0, 0]])), Layer({"age": 1, "sex": 1}, np.array([[0, 0]]))
    return recoding(layers=(first, second), **changes)


def test_a_row_is_published_by_the_first_layer_that_has_its_class() -> None:
    recoded = layered().apply(TABLE)
    assert recoded.table.rows() == [("p", "1", "f"), ("q", "low", "*"), ("r", "*", "*"), ("s", "*", "*")]
    assert recoded.masked.tolist() == [False, False, True, True]
    assert layered(outliers="remove").apply(TABLE).source_rows.tolist() == [0, 1]
    assert layered(outliers="keep").apply(TABLE).table["age"].to_list() == ["1", "low", "high", None]
    assert dict(layered().levels) == {"age": 1, "sex": 1}


def test_layers_in_a_file_and_a_mapping(tmp_path: Path) -> None:
    layered().save(tmp_path / "recoding.json")
    again = Recoding.load(tmp_path / "recoding.json")
    assert_frame_equal(again.apply(TABLE).table, layered().apply(TABLE).table)
    ages = again.mapping().filter(pl.col("column") == "age")
    assert ages.filter(pl.col("value") == "2").select("level", "published").rows() == [(0, "2"), (1, "low")]


# -- new rows ----------------------------------------------------------------------------------------------------


def test_new_rows_of_a_wider_type() -> None:
    """A recoding made for text serves numbers, and the other way round."""
    table = pl.DataFrame({"a": ["1", "2", "1", "2"], "z": [0, 0, 0, 0]})
    outcome = OptimalLattice().run(encode(table, Schema({"a": quasi(), "z": insensitive()})), [KAnonymity(k=2)])
    for column in (pl.Series([2, 1]), pl.Series(["2", "1"])):
        published = outcome.recoding.apply(pl.DataFrame({"a": column})).table
        assert published["a"].cast(pl.Int64).to_list() == [2, 1]
    with pytest.raises(NoSolutionError):
        OptimalLattice().run(encode(table, Schema({"a": quasi(level=0), "z": insensitive()})), [KAnonymity(k=3)])


def test_new_rows_with_a_fraction_among_them() -> None:
    table = pl.DataFrame({"a": [1.0, 2.0, 1.0, 2.0]})
    outcome = OptimalLattice().run(encode(table, Schema({"a": quasi()})), [KAnonymity(k=2)])
    recoded = outcome.recoding.apply(pl.DataFrame({"a": [1.0, 2.5]}), unseen="mask")
    assert recoded.masked.tolist() == [False, True]
