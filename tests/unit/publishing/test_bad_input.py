"""Input that cannot be published: each is refused with its place and the way out, never with a traceback."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from samples import DIVERSE, K2, people, people_schema, simple

import nymity as ny
from nymity.core.errors import (
    FileError,
    HierarchyError,
    InputError,
    JobError,
    NoSolutionError,
    ParameterError,
    SchemaError,
    TableError,
)
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import DistinctLDiversity, KAnonymity
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema


def test_an_empty_table() -> None:
    with pytest.raises(TableError, match="at least one record, got an empty table"):
        publish(people()[:0], people_schema(), privacy=K2)
    with pytest.raises(TableError, match="at least one record"):
        publish({"q": []}, Schema({"q": quasi()}), privacy=K2)


def test_a_table_without_columns() -> None:
    for nothing in (pl.DataFrame(), {}, pd.DataFrame()):
        with pytest.raises(InputError):
            publish(nothing, Schema({}), privacy=K2)
        with pytest.raises(SchemaError, match="no column 'q'"):
            publish(nothing, Schema({"q": quasi()}), privacy=K2)


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("")
    with pytest.raises(FileError, match="an empty file"):
        publish(tmp_path / "t.csv", people_schema(), privacy=K2)
    (tmp_path / "t.csv").write_text("name,age,zip,sex,disease,note\n")
    with pytest.raises(TableError, match="an empty table"):
        publish(tmp_path / "t.csv", people_schema(), privacy=K2)
    with pytest.raises(FileError, match="no such file"):
        publish(tmp_path / "none.csv", people_schema(), privacy=K2)


def test_duplicate_columns() -> None:
    frame = pd.DataFrame([["a", "b"], ["a", "b"]], columns=["q", "q"])
    with pytest.raises(TableError, match="'q' twice"):
        publish(frame, Schema({"q": quasi()}), privacy=K2)


def test_a_role_without_column() -> None:
    with pytest.raises(SchemaError, match=r"schema.ages: .*no column 'ages'. Try: did you mean 'age'"):
        publish(people(), people_schema(ages=quasi()), privacy=K2)


def test_a_column_without_role() -> None:
    wider = people().with_columns(phone=pl.lit("555"), fax=pl.lit("555"))
    with pytest.raises(SchemaError, match="a role for every column, got none for 'phone', 'fax'"):
        publish(wider, people_schema(), privacy=K2)
    many = people().with_columns(pl.lit("x").alias(f"extra{i}") for i in range(8))
    with pytest.raises(SchemaError, match="'extra4' and 3 more"):
        publish(many, people_schema(), privacy=K2)


def test_no_schema_no_model_no_quasi_identifier() -> None:
    with pytest.raises(JobError, match=r"schema: .*publish\(frame, \{"):
        publish(people(), privacy=K2)
    with pytest.raises(JobError, match="privacy: expected at least one privacy model"):
        publish(people(), people_schema())
    schema = Schema({name: insensitive() for name in people().columns})
    with pytest.raises(SchemaError, match="at least one quasi-identifier"):
        publish(people(), schema, privacy=K2)


def test_values_the_hierarchy_does_not_know() -> None:
    few = Hierarchy.from_rows([["0211", "*"], ["0212", "*"]])
    table = people().with_columns(zip=pl.Series(["0211", "0212", *(f"9{i:02d}" for i in range(13))]))
    with pytest.raises(HierarchyError) as caught:
        publish(table, people_schema(zip=quasi(few)), privacy=K2)
    assert caught.value.where == "hierarchy of 'zip'"
    assert "13 unknown values: '900', '901', '902', '903', '904' and 8 more" in str(caught.value)
    assert "'905'" not in str(caught.value)


def test_text_where_numbers_should_be() -> None:
    with pytest.raises(HierarchyError, match="hierarchy of 'sex'"):
        publish(people(), people_schema(sex=quasi(Hierarchy.intervals(width=5))), privacy=K2)


def test_more_than_the_table_has() -> None:
    with pytest.raises(ParameterError, match=r"at most 15, the number of records, got 16"):
        publish(people(), people_schema(), privacy=KAnonymity(k=16))
    with pytest.raises(ParameterError, match=r"at most 3, the different values of 'disease', got 4"):
        publish(people(), people_schema(), privacy=DistinctLDiversity(l=4, attribute="disease"))
    release = publish(people(), people_schema(), privacy=KAnonymity(k=15))
    assert set(release.levels.values()) != {0}


def test_a_model_for_a_column_that_is_not_sensitive() -> None:
    with pytest.raises(ParameterError, match=r"sensitive column \('disease'\), got 'desease'.*did you mean 'disease'"):
        publish(people(), people_schema(), privacy=DistinctLDiversity(l=2, attribute="desease"))
    with pytest.raises(ParameterError, match="declare 'sex' sensitive"):
        publish(people(), people_schema(), privacy=DistinctLDiversity(l=2, attribute="sex"))


def test_everything_would_have_to_be_suppressed() -> None:
    """Level 0 is fixed and everybody is unique."""
    schema = Schema({"q": quasi(level=0), "v": insensitive()})
    table = pl.DataFrame({"q": ["a", "b", "c"], "v": [1, 2, 3]})
    with pytest.raises(NoSolutionError, match="every record would have to be suppressed") as caught:
        publish(table, schema, privacy=K2, method=OptimalLattice(suppression=1.0))
    assert caught.value.exit_code == 3


def test_too_little_may_be_suppressed() -> None:
    schema = Schema({"q": quasi(level=0), "v": insensitive()})
    table = pl.DataFrame({"q": ["a", "a", "a", "b"], "v": [1, 2, 3, 4]})
    with pytest.raises(NoSolutionError, match=r"suppression <= 0.2; the least was 25.0% \(1 of 4 records\)"):
        publish(table, schema, privacy=K2, method=OptimalLattice(suppression=0.2))
    assert publish(table, schema, privacy=K2, method=OptimalLattice(suppression=0.25)).suppressed == 1


def test_the_reserved_value() -> None:
    table = people().with_columns(sex=pl.Series(["*", *people()["sex"][1:]]))
    with pytest.raises(TableError, match=r"column 'sex': expected no value '\*'"):
        publish(table, people_schema(), privacy=K2)
    elsewhere = people().with_columns(note=pl.lit("*"), disease=pl.Series(["*", *people()["disease"][1:]]))
    release = publish(elsewhere, people_schema(), privacy=[K2, DIVERSE], method=OptimalLattice(suppression=0.2))
    assert set(release.frame["note"]) == {"*"}


ODD: list[list[Any]] = [
    [[1], [2]],
    [{"x": 1}, {"x": 2}],
    [b"x", b"y"],
    [timedelta(1), timedelta(2)],
    [object(), object()],
]


@pytest.mark.parametrize("role", [quasi(), sensitive()])
@pytest.mark.parametrize("values", ODD)
def test_columns_that_hold_no_single_values(values: list[Any], role: Any) -> None:
    dtype = pl.Object if type(values[0]) is object else None
    table = pl.DataFrame({"q": ["a", "a"], "odd": pl.Series(values, dtype=dtype)})
    with pytest.raises(TableError, match="column 'odd': expected one number, date or text per cell"):
        publish(table, Schema({"q": quasi(), "odd": role}), privacy=K2)


@pytest.mark.parametrize("values", ODD)
def test_identifying_columns_may_hold_anything(values: list[Any]) -> None:
    dtype = pl.Object if type(values[0]) is object else None
    table = pl.DataFrame({"q": ["a", "a"], "odd": pl.Series(values, dtype=dtype)})
    release = publish(table, Schema({"q": quasi(), "odd": identifying()}), privacy=K2)
    assert release.frame.columns == ["q"]


def test_objects_cannot_be_published() -> None:
    table = pl.DataFrame({"q": ["a", "a"], "odd": pl.Series([object(), object()], dtype=pl.Object)})
    with pytest.raises(TableError, match="column 'odd'"):
        publish(table, Schema({"q": quasi(), "odd": insensitive()}), privacy=K2)


@pytest.mark.parametrize("source", [None, 5, [1, 2], pl.Series([1])])
def test_things_that_are_no_table(source: Any) -> None:
    with pytest.raises(InputError, match=r"expected a .*(table|frame)"):
        publish(source, people_schema(), privacy=K2)


def test_levels_beyond_the_hierarchy() -> None:
    with pytest.raises(SchemaError, match=r"schema.sex.max_level: expected at most 1"):
        publish(people(), people_schema(sex=quasi(max_level=2)), privacy=K2)
    with pytest.raises(SchemaError, match=r"schema.sex.min_level"):
        publish(people(), people_schema(sex=quasi(min_level=2)), privacy=K2)


def test_one_record_and_one_value() -> None:
    alone = simple({"q": ["a"], "v": [1]}, privacy=KAnonymity(k=1))
    assert alone.frame.rows() == [("a", 1)]
    alike = simple({"q": ["a"] * 5})
    assert alike.frame["q"].to_list() == ["a"] * 5
    gaps = simple({"q": pl.Series([None] * 5, dtype=pl.String)})
    assert gaps.frame["q"].to_list() == [None] * 5
    nothing = simple({"q": [None] * 5})
    assert nothing.frame["q"].to_list() == [None] * 5


@pytest.mark.parametrize(
    "cells",
    [
        [1, 1, 2, 2],
        [1.5, 1.5, 2.0, 2.0],
        [True, True, False, False],
        pl.Series(["2020-01-01", "2020-01-01", "2021-01-01", None]).str.to_date(),
        pl.Series(["a", "a", "b", "b"], dtype=pl.Categorical),
        pl.Series(["a", "a", "b", "b"], dtype=pl.Enum(["b", "a"])),
        pl.Series([1, 1, 2, 2], dtype=pl.UInt8),
        pl.Series([1, 1, 2, 2], dtype=pl.Float32),
        pl.Series([1, 1, 2, 2], dtype=pl.Datetime("ms")),
        pl.Series([1, 1, 2, 2], dtype=pl.Time),
        pl.Series([1.5, 1.5, 2.0, 2.0]).cast(pl.Decimal(10, 2)),
    ],
)
def test_quasi_identifiers_of_any_type(cells: Any) -> None:
    release = simple({"q": cells, "v": [1, 2, 3, 4]}, method=OptimalLattice(suppression=0.5))
    sizes = release.frame.filter(pl.col("q").cast(pl.String) != "*").group_by("q").len()["len"]
    assert sizes.min() == 2


@pytest.mark.parametrize(
    "cells",
    [
        [1.5, 2.0, float("nan"), 1.5],
        [1, 1, None, 2],
        ["a", "a", "", None],
        [date(2020, 1, 1), date(2020, 1, 1), None, date(2021, 1, 1)],
        [True, False, None, True],
    ],
)
def test_a_name_like_a_pattern_with_any_type(cells: list[object]) -> None:
    """Polars reads ^a$ as a pattern, even as the name of a series."""
    table = pl.DataFrame({"^a$": cells, "b$": ["x"] * 4})
    inspected = ny.inspect(table)
    assert inspected["^a$"].name == "^a$"
    for source in (None, ny.Hierarchy.suggest(table["^a$"])):
        for missing in ("category", "drop"):
            schema = ny.Schema({"^a$": ny.quasi(source, missing=missing), "b$": ny.sensitive()})  # type: ignore[arg-type]
            release = ny.publish(table, schema, privacy=ny.KAnonymity(k=1))
            assert release.frame.columns == ["^a$", "b$"]
            assert ny.measure(release.table, schema).records == release.frame.height
            assert ny.compare(table, release).suppressed == 0
