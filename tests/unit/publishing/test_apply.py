"""apply: a decision once made, on rows that come later."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from samples import multiset, people, released

import nymity as ny
from nymity.core.errors import FileError, ParameterError, SchemaError, TableError
from nymity.publishing.running.apply import UnseenWarning, applied, apply

KINDS: dict[type[Any], Callable[[pl.DataFrame], Any]] = {
    pl.DataFrame: lambda table: table,
    pl.LazyFrame: lambda table: table.lazy(),
    pd.DataFrame: lambda table: table.to_pandas(),
    pa.Table: lambda table: table.to_arrow(),
    dict: lambda table: table.to_dict(as_series=False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_callers_kind_of_frame_comes_back(kind: type[Any]) -> None:
    result = apply(released().recoding, KINDS[kind](people()))
    assert isinstance(result, kind)
    table = result.collect() if isinstance(result, pl.LazyFrame) else pl.DataFrame(result)
    assert multiset(table) == multiset(released().frame)


def test_the_source_again_gives_the_release(tmp_path: Path) -> None:
    release = released(out=tmp_path / "r")
    saved = tmp_path / "r-custodian" / "recoding.json"
    for recoding in (release.recoding, saved, str(saved)):
        result = apply(recoding, people())
        assert result.columns == release.frame.columns
        assert multiset(result) == multiset(release.frame)
    people().write_csv(tmp_path / "people.csv")
    assert multiset(apply(saved, tmp_path / "people.csv")) == multiset(release.frame)
    assert multiset(apply(saved, str(tmp_path / "people.csv"))) == multiset(release.frame)


def test_rows_keep_their_order() -> None:
    result = apply(released().recoding, people())
    assert result["disease"].to_list() == people()["disease"].to_list()


def test_identifying_columns_stay_behind_and_may_be_absent() -> None:
    assert "name" not in apply(released().recoding, people()).columns
    assert apply(released().recoding, people().drop("name")).equals(apply(released().recoding, people()))
    wider = people().with_columns(phone=pl.lit("555"))
    assert "phone" not in apply(released().recoding, wider).columns


def later(**cells: Any) -> pl.DataFrame:
    return pl.DataFrame({name: [value] for name, value in (people().row(0, named=True) | cells).items()})


def test_unseen_values_are_refused_or_masked() -> None:
    recoding = released().recoding
    with pytest.raises(TableError, match=r"column 'zip': .*1 it does not: '0777'.*unseen='mask'"):
        apply(recoding, later(zip="0777"), unseen="error")
    with pytest.warns(UnseenWarning, match="fall into no published cell: 'zip' in 1 row$"):
        assert apply(recoding, later(zip="0777")).row(0)[:3] == ("*", "*", "*")
    result = apply(recoding, later(zip="0777"), unseen="mask")
    assert result.row(0)[:3] == ("*", "*", "*")
    assert result.row(0)[3:] == ("flu", "n0")
    gap = apply(recoding, later(sex=None), unseen="mask")
    assert gap.row(0)[:3] == ("*", "*", "*")


def test_many_unseen_values_are_counted() -> None:
    many = people().with_columns(zip=pl.Series([f"x{i:02d}" for i in range(15)]))
    with pytest.raises(TableError, match=r"15 it does not: 'x00', 'x01', 'x02', 'x03', 'x04' …"):
        apply(released().recoding, many, unseen="error")


def test_outliers_are_treated_as_decided_or_as_asked() -> None:
    recoding = released().recoding
    outlier = later(age=88, zip="0912", sex="m")
    masked = apply(recoding, outlier)
    assert masked.row(0)[:3] == ("*", "*", "*")
    assert apply(recoding, outlier, outliers="mask").equals(masked)
    assert apply(recoding, outlier, outliers="remove").height == 0
    kept = apply(recoding, outlier, outliers="keep").row(0, named=True)
    for name, level in released().levels.items():
        raw = str(outlier[name][0])
        assert kept[name] == recoding.hierarchies[name].generalize(raw, level)
    assert "*" not in {kept["age"], kept["zip"]}


def test_wrong_words_are_answered() -> None:
    with pytest.raises(ParameterError, match="did you mean 'mask'"):
        apply(released().recoding, people(), unseen="maks")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="did you mean 'remove'"):
        apply(released().recoding, people(), outliers="remov")  # type: ignore[arg-type]


def test_a_column_that_is_missing() -> None:
    with pytest.raises(SchemaError, match=r"no column 'zip'. Try: did you mean 'Zip'"):
        apply(released().recoding, people().rename({"zip": "Zip"}))


def test_files_that_are_no_recoding(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('{"format": "other"}')
    with pytest.raises(FileError, match="a recoding"):
        apply(tmp_path / "r.json", people())
    with pytest.raises(FileError, match=r"none\.json"):
        apply(tmp_path / "none.json", people())


def test_no_rows_give_no_rows() -> None:
    result = apply(released().recoding, people()[:0])
    assert result.height == 0
    assert result.columns == released().frame.columns


# -- a function of the values ------------------------------------------------------------------------------------


def split(rows: int = 400) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A plain split into rows to learn from and rows to test on: ages of the second that the first lacks."""
    table = ny.datasets.hospital(rows=rows).select("age", "postcode", "sex", "diagnosis")
    odd = pl.int_range(pl.len()) % 2 == 1
    train, test = table.filter(odd), table.filter(~odd)
    assert set(test["postcode"]) - set(train["postcode"])
    return train, test


HOSPITAL = ny.Schema(
    {
        "age": ny.quasi(ny.Hierarchy.intervals(width=5)),
        "postcode": ny.quasi(ny.Hierarchy.masking()),
        "sex": ny.quasi(),
        "diagnosis": ny.sensitive(),
    }
)


@pytest.mark.parametrize(
    ("method", "most"),
    [
        (ny.OptimalLattice(suppression=0.05), 0.1),
        (ny.Mondrian(cells="hierarchy"), 0.5),
        (ny.Mondrian(), 0.95),  # its cells span no more than the records had
    ],
)
def test_a_plain_split_works(tmp_path: Path, method: Any, most: float) -> None:
    """From Python, from the files of a release, and from what a colleague elsewhere is given."""
    train, test = split()
    release = ny.publish(train, HOSPITAL, privacy=ny.KAnonymity(k=5), method=method)
    release.save(tmp_path / "r")
    made = applied(release, test)
    assert made.table.columns == release.frame.columns
    assert made.masked <= most * test.height
    assert made.verified is not None
    folder = tmp_path / "r-custodian"
    of_file = applied(folder, test)
    assert of_file.table.equals(made.table)
    assert of_file.verified is not None
    assert [one.promise for one in of_file.verified.findings] == [one.promise for one in made.verified.findings]
    alone = tmp_path / "elsewhere" / "recoding.json"
    alone.parent.mkdir()
    alone.write_bytes((folder / "recoding.json").read_bytes())
    there = applied(alone, test)
    assert there.table.columns == made.table.columns
    assert there.unchecked == "no job and no release was given that says what is promised"
    if not isinstance(method, ny.Mondrian):  # whose classes may share values
        assert there.table.equals(made.table)


def test_rows_are_checked_as_a_release_of_their_own() -> None:
    release = released()
    both = applied(release, pl.concat([people(), people()]))
    assert both.verified is not None
    assert both.verified.holds
    one = applied(release, people()[:1])
    assert one.verified is not None
    assert not one.verified.holds
    assert applied(release.recoding, people()[:1]).verified is None
    assert applied(release.recoding, people()[:1], job=release.job).verified is not None
    assert applied(release, people()[:0]).unchecked == "there are none"


def test_unseen_values_in_published_cells_are_published() -> None:
    """20-29 is out, and nobody was 25."""
    ages = pl.DataFrame({"age": [20, 21, 22, 28, 29, 41, 44, 47]})
    schema = ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=2))})
    release = ny.publish(ages, schema, privacy=ny.KAnonymity(k=3))
    made = applied(release, pl.DataFrame({"age": [25, 49, 33]}))
    assert made.table["age"].to_list() == ["20-29", "40-49", "*"]
    assert dict(made.unplaced) == {"age": 1}
    assert (made.rows, made.masked, made.removed) == (3, 1, 0)


@pytest.mark.parametrize("by_job", [True, False])
def test_cells_of_a_file_are_read_like_those_of_the_source(tmp_path: Path, by_job: bool) -> None:
    """German numbers, dates and a code for missing: the source itself comes back as it was published."""
    rows = [
        f"{20 + i % 40};{1 + i % 28:02}.0{1 + i % 9}.2020;{1 + i % 5}.{i:03},50;{'-9' if i % 7 == 0 else i % 3}"
        for i in range(80)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["alter;tag;kosten;stufe", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        """
        [source]
        path = "t.csv"
        missing_in = { stufe = ["-9"] }
        decimal = ","
        thousands = "."
        dates = "%d.%m.%Y"
        [schema.alter]
        role = "quasi"
        hierarchy = { type = "intervals", width = 10, levels = 2 }
        [schema.tag]
        role = "quasi"
        hierarchy = { type = "dates", levels = ["month", "year"] }
        [schema.kosten]
        role = "sensitive"
        [schema.stufe]
        role = "quasi"
        [[privacy]]
        model = "k-anonymity"
        k = 2
        """,
        encoding="utf-8",
    )
    job = ny.Job.load(tmp_path / "job.toml")
    release = ny.publish(job)
    release.save(tmp_path / "r")
    made = applied(tmp_path / "r-custodian", tmp_path / "t.csv", job=job if by_job else None)
    assert sorted(map(str, made.table.rows())) == sorted(map(str, release.table.rows()))
    assert made.table["kosten"].dtype == pl.Float64
