"""The lines that users of pandas, polars and pyarrow write first: each works, or says what to write instead."""

from __future__ import annotations

import inspect
import pydoc
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nymity as ny
from interface import SNAPSHOT, interface
from nymity.core.errors import InputError
from nymity.table.builders import BUILDERS, Ages, Flat, Suggested

ROLES = {"name": "identifying", "age": "quasi", "sex": "quasi", "zip": "quasi", "ill": "sensitive"}


def people(n: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": rng.integers(20, 80, n),
            "sex": rng.choice(["f", "m"], n),
            "zip": rng.choice(["10115", "10117", "20095", "20097"], n),
            "ill": rng.choice(list("abcd"), n),
        }
    )


KINDS: dict[str, tuple[Callable[[pd.DataFrame], Any], type]] = {
    "pandas": (lambda df: df, pd.DataFrame),
    "polars": (pl.from_pandas, pl.DataFrame),
    "lazy": (lambda df: pl.from_pandas(df).lazy(), pl.LazyFrame),
    "pyarrow": (lambda df: pa.Table.from_pandas(df, preserve_index=False), pa.Table),
}

#: A line, and what must be true of what it returns.
LINES: dict[str, Callable[[Any], bool]] = {
    "ny.publish(df, ROLES, k=5)": lambda r: r.job.privacy == (ny.KAnonymity(5),) and r.verification.holds,
    "ny.publish(df, ny.Schema(ROLES), k=5)": lambda r: r.job.schema["age"].hierarchy == Ages(),
    'ny.publish(df, ROLES, privacy="k-anonymity", k=5)': lambda r: r.job.privacy == (ny.KAnonymity(5),),
    'ny.publish(df, ROLES, privacy={"model": "k-anonymity", "k": 5})': lambda r: r.job.privacy == (ny.KAnonymity(5),),
    'ny.publish(df, ROLES, privacy=["k-anonymity", {"model": "t-closeness", "t": 0.9, "attribute": "ill"}], k=4)': (
        lambda r: r.job.privacy == (ny.KAnonymity(4), ny.TCloseness(0.9, attribute="ill"))
    ),
    'ny.publish(df, ROLES, privacy=ny.DistinctLDiversity(2, attribute="ill"), k=4)': lambda r: len(r.job.privacy) == 2,
    'ny.publish(df, ROLES, k=5, method="mondrian")': lambda r: r.job.method == ny.Mondrian(),
    'ny.publish(df, ROLES, k=5, method={"name": "optimal-lattice", "suppression": 0.1})': (
        lambda r: r.job.method == ny.OptimalLattice(suppression=0.1)
    ),
    'ny.publish(df, {**ROLES, "age": ny.quasi("intervals", width=5)}, k=5)': (
        lambda r: r.job.schema["age"].hierarchy == ny.Hierarchy.intervals(width=5)
    ),
    "ny.explore(df, ROLES, k=5)": lambda r: r.records == 240,
    'ny.measure(df, ["age", "sex"])': lambda r: r.models["k-anonymity"][""]["k"] == r.smallest_class,
    "ny.measure(df, ROLES)": lambda r: r.models["distinct-l-diversity"]["ill"]["l"] >= 1,
    'ny.measure_risk(df, ["age", "sex"])': lambda r: r.records == 240,
    "ny.measure_risk(df, ROLES)": lambda r: r.quasi == ("age", "sex", "zip"),
    "ny.inspect(df)": lambda r: r["name"].role == "identifying",
    "ny.publish(df, ny.inspect(df).schema(), k=3)": lambda r: r.verification.holds,
    "ny.recommend(df, ROLES, trials=1, k=3)": lambda r: r.records == 240,
    "ny.publish(df, ROLES, k=np.int64(5))": lambda r: type(r.job.privacy[0].k) is int,
    "ny.publish(df, ROLES, privacy=ny.KAnonymity(np.arange(9)[5]))": lambda r: r.certificate["promised"][0]["k"] == 5,
    'ny.publish(df, {**ROLES, "age": ny.quasi("ages", level=np.int64(1))}, k=2, method="optimal-lattice")': (
        lambda r: r.levels["age"] == 1
    ),
    "ny.publish(df, ROLES, k=5, method=ny.OptimalLattice(suppression=np.float64(0.1)))": (
        lambda r: type(r.job.method.suppression) is float
    ),
    'ny.measure(df, np.array(["age", "sex"]))': lambda r: r.records == 240,
    'ny.measure(df, pd.Index(["age", "sex"]))': lambda r: r.records == 240,
    "ny.measure(ny.publish(df, ROLES, k=5))": lambda r: r.smallest_class >= 5,
    "ny.measure_risk(ny.publish(df, ROLES, k=5))": lambda r: r.unique_records == 0,
    "ny.publish(df, ROLES, k=5).holds": lambda r: r is True,
    "ny.publish(df, ROLES, k=5).to_pandas()": lambda r: isinstance(r, pd.DataFrame),
    "ny.publish(df, ROLES, k=5).to_polars()": lambda r: isinstance(r, pl.DataFrame),
    "ny.risk.attack(ny.publish(df, ROLES, k=5), df)": lambda r: not r.exceeded,
    "ny.compare(df, ny.publish(df, ROLES, k=5))": lambda r: r.records == 240,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("line", LINES)
def test_it_works(line: str, kind: str) -> None:
    make, of = KINDS[kind]
    found = eval(line, {"ny": ny, "np": np, "pd": pd, "df": make(people()), "ROLES": ROLES})
    assert LINES[line](found), found
    if isinstance(found, ny.Release):
        assert isinstance(found.table, of)


#: A line that is close, and what its error says to write.
CLOSE: dict[str, str] = {
    'ny.publish(df, {"age": "quasi", "name": "identifying"}, k=5)': "a role for every column, got none for 'sex'",
    'ny.publish(df, {**ROLES, "age": "quazi"}, k=5)': r"schema.age: .*did you mean 'quasi'\?",
    'ny.publish(df, {**ROLES, "age": ny.quasi}, k=5)': r"schema.age: .*Try: quasi\(\)",
    'ny.publish(df, {"quasi": ["age", "sex"]}, k=5)': r"Try: \{'age': 'quasi', 'sex': 'quasi'\}",
    "ny.publish(df, ROLES)": "at least one privacy model",
    "ny.publish(df, k=5)": r'publish\(frame, \{"age": "quasi"\}, k=5\)',
    "ny.publish(df, ROLES, privacy=5)": "Try: k=5",
    "ny.publish(df, ROLES, privacy=ny.KAnonymity)": r"the class KAnonymity. Try: KAnonymity\(5\)",
    'ny.publish(df, ROLES, privacy="k-anonymity")': r"a field 'k'.*Try: .*k=5",
    'ny.publish(df, ROLES, privacy="k-anonimity", k=5)': "did you mean 'k-anonymity'",
    "ny.publish(df, ROLES, privacy=ny.KAnonymity(3), k=5)": "one k, by `k` or by a model",
    'ny.publish(df, ROLES, privacy=["k-anonymity", 7], k=5)': "a model such as KAnonymity",
    "ny.publish(df, ROLES, k=0)": "a whole number of at least 1",
    'ny.publish(df, ROLES, k=5, method="mondrain")': "did you mean 'mondrian'",
    "ny.publish(df, ROLES, k=5, method=ny.Mondrian)": r"the class Mondrian. Try: Mondrian\(\)",
    "ny.publish(df, ROLES, k=5, method=7)": "a method, such as",
    'ny.measure(df, ["age", "sexx"])': "did you mean 'sex'",
    'ny.measure(df, "age")': r'Try: \{"age": "quasi"',
    'ny.quasi("interval", width=5)': "did you mean 'intervals'",
    'ny.quasi("intervals", widht=5)': "did you mean 'width'",
    "ny.quasi(width=5)": r"quasi\('intervals', width=5\)",
    "ny.quasi(ny.Hierarchy.flat, width=5)": "the name of a builder",
    "ny.Hierarchy.suggest(df)": "one column",
    "ny.Hierarchy.suggest(7)": "one column",
    'ny.publish(df["age"], ROLES, k=5)': "a polars, pandas or pyarrow table",
    'ny.publish(df.to_dict("records"), ROLES, k=5)': r"Try: pandas.DataFrame\(...\)",
    'ny.publish(df, {**ROLES, "age": "quasi-identifier"}, k=5)': "Try: 'quasi'",
    'ny.publish(df, {**ROLES, "name": "direct_identifier"}, k=5)': "Try: 'identifying'",
    'ny.publish(df, {**ROLES, "ill": "keep"}, k=5)': "Try: 'insensitive'",
    "ny.publish(df, ROLES, k=5, l=2)": r"publish.l: .*Try: privacy=ny.DistinctLDiversity\(2, attribute=...\)",
    "ny.publish(df, ROLES, k=5, suppression=0.1)": r"Try: method=ny.OptimalLattice\(suppression=0.1\)",
    'ny.publish(df, quasi=["age"], k=5)': "for the role of every column",
    "ny.publish(df, ROLES, k=5, methd='mondrian')": "did you mean 'method'",
    "ny.publish(df, ROLES, ny.KAnonymity(5))": r"at most 2 without a name: source, schema, got 3. Try: privacy=...",
    "ny.publish()": "publish.source: expected a value",
    "ny.publish(df, ny.inspect(df), k=5)": r"got Inspection. Try: .schema\(\) of it",
    "ny.quasi(ny.Hierarchy.intervals)": "'intervals' by its name, or an instance",
    "ny.measure(df)": r"Try: measure\(frame, ..age., .sex..\)",
    "ny.measure_risk(df)": "measure_risk.schema: expected the quasi-identifiers",
    'ny.measure(df, {"age", "sex"})': "got set",
    "ny.compare(ny.publish(df, ROLES, k=5), df)": "expected the original, then the release",
    "ny.publish(df, ROLES, k=5, random_state=1)": "did you mean 'seed'",
    "ny.publish(df, ROLES, k=5, max_suppression=0.1)": r"Try: method=ny.OptimalLattice\(suppression=0.1\)",
    'ny.publish(df, {**ROLES, "age": ny.Hierarchy.intervals(width=5)}, k=5)': r"Try: ny.quasi\(...\) of the hierarchy",
    'ny.publish(df, {**ROLES, "age": ("quasi", ny.Hierarchy.ages())}, k=5)': r"Try: ny.quasi\(...\) of the hierarchy",
    "ny.publish(df, ny.Job(schema=ny.Schema(ROLES), privacy=(ny.KAnonymity(5),)))": "Try: its parts: schema=job.schema",
    "ny.measure(df, [])": "at least one quasi-identifier",
    'ny.measure(df, quasi=["age", "sex"])': r'Try: \["age", "sex"\] without a name',
    'ny.measure(df, ["age"], "ill")': "at most 2 without a name",
    'ny.identify("out", 3)': r"identify.reason: expected a value, got none$",
    'ny.check("out", df)': r"Try: job=... or certificate=... or source=... or original=",
    "ny.check(df)": r"neither. Try: certificate=",
    "ny.risk.attack(df, ny.publish(df, ROLES, k=5))": "the release, then the original",
    'ny.utility.learn(df, df, "ill")': r"at most 2 without a name: original, release, got 3. Try: target=",
    'ny.Hierarchy.from_dict({"flu": "infection"})': r"Try: Hierarchy.taxonomy\(",
    "ny.apply(df, df)": "got DataFrame",
    'ny.write_table("table.csv", df)': "path: expected a path, got DataFrame",
    "ny.publish(df, ROLES, k=df)": "a whole number of at least 1, got DataFrame",
    'ny.open("no-such-folder")': "a folder of a release, or the file of a table, got nothing there",
    "ny.publish(ROLES, df, k=5)": "publish: expected the table, then its roles, got the table second",
    "ny.publish(df=df, schema=ROLES, k=5)": "Try: the table without a name: it comes first",
    "ny.publish(frame=df, schema=ROLES, k=5)": "Try: the table without a name: it comes first",
    "ny.publish(df, ROLES, k=5, timeout=3)": r"Try: method=ny.AnytimeLattice\(seconds=60\)",
    "ny.publish(df, ROLES, k=5, n_jobs=2)": r"Try: method=ny.OptimalLattice\(threads=2\)",
    "ny.publish(df, ROLES, k=5, verbose=True)": "Try: observe=print$",
    "ny.publish(df, ROLES, k=5, observe=True)": "observe: expected a function of one progress report, .* got True",
    'ny.publish(df, ROLES, k=5, output="folder")': "output: expected an Output, .*Try: out='folder'$",
    'ny.publish(df, ROLES, k=5, output="parquet")': r"Try: ny.Output\(format='parquet'\)$",
    'ny.publish(df, ROLES, k=5, transforms="top-coding")': r"Try: \{'transform': 'top-coding', 'columns': \[...\]\}",
    "ny.publish(df, ROLES, k=5, transforms=ny.TopCoding)": r"the class TopCoding. Try: TopCoding\(...\)",
    'ny.publish(df, ROLES, k=5, method="local suppression")': "Try: 'cell-suppression'$",
    'ny.publish(df, ROLES, k=5, method="flash")': "got 'flash'. Try: 'optimal-lattice'$",
    'ny.publish(df, ROLES, k=5, method="incognito")': "got 'incognito'. Try: 'optimal-lattice'$",
    'ny.publish(df, ROLES, k=5, method="microaggregation")': "Try: 'group-means'$",
    'ny.publish(df, ROLES, k=5, method={"method": "mondrian"})': r"Try: \{'name': 'mondrian'\}",
    'ny.publish(df, ROLES, k=5, method=("mondrian", {}))': "Try: 'mondrian'$",
    'ny.publish(df, ROLES, privacy="l-diversity", k=5)': "Try: 'distinct-l-diversity'$",
    'ny.publish(df, ROLES, privacy={"k-anonymity": 5})': r"only k-anonymity. Try: \{'model': 'k-anonymity', 'k': 5\}",
    'ny.publish(df, ROLES, privacy={"t-closeness": 0.2})': r"\{'model': 't-closeness', 't': 0.2, 'attribute': ...\}",
    'ny.publish(df, ROLES, privacy={"type": "k-anonymity", "k": 5})': r"Try: \{'model': 'k-anonymity', 'k': 5\}",
    "ny.publish(df, [('age', 'quasi'), ('sex', 'quasi')], k=5)": r"got a list of pairs. Try: dict\(...\) of it",
    "ny.publish(df, pd.Series(ROLES), k=5)": r"schema: .*Try: .to_dict\(\) of it",
    'ny.publish(df, {**ROLES, "age": {"role": "quasi", "hierarchy": "ages"}}, k=5)': r"Try: ny.quasi\('ages'\)",
    'ny.publish(df, {**ROLES, "age": {"role": "quasi", "hierarchy": {"type": "intervals", "width": 5}}}, k=5)': (
        r"Try: ny.quasi\('intervals', width=5\)"
    ),
    'ny.publish(df, {**ROLES, "name": "ignore"}, k=5)': "Try: 'identifying', which leaves it out, or 'insensitive'",
    "ny.publish(df.to_dict(), ROLES, k=5)": r"column 'name': expected a list of values, .*Try: .*to_dict\('list'\)",
    'ny.publish("job.toml")': r"Try: publish\(ny.Job.load\('job.toml'\)\)",
    'ny.publish(df, ROLES, k=5, engine="duckdb")': r"Try: .*output=ny.Output\(format=.parquet.\)",
    'ny.publish(df, ROLES, k=5).save("table.csv")': r"folder: expected .*Try: 'table'; release.to_csv\('table.csv'\)",
    'ny.publish(df, ROLES, k=5).report("report.html")': r"Try: .report\(\).save\('report.html'\)",
    'ny.inspect("people.csv")': r"got the text 'people.csv'. Try: ny.read_table\('people.csv'\)",
    'ny.measure("people.csv", ["age"])': r"Try: ny.read_table\('people.csv'\)",
    'ny.risk.attack("folder", df)': r"Try: ny.open\('folder'\) of a release, ny.read_table",
    "ny.inspect(ny.publish(df, ROLES, k=5))": r"got .*Release. Try: .table of it$",
    'ny.inspect(df["age"])': r"Try: .to_frame\(\) of it",
    'ny.measure(df, keyVars=["age"])': r'Try: \["age", "sex"\] without a name',
    'ny.measure_risk(df, ["age"], population=100_000)': r"^population: expected a table.*Try: population_size=100000$",
    'ny.measure_risk(df, ["age"], weights="w")': r"Try: \{.*'weight'\} among the roles",
    'ny.compare(df, ny.publish(df, ROLES, k=5), target="ill")': r"ny.utility.learn\(original, release, target=...\)",
    'ny.read_table("people.csv", sep=";")': r"Try: ny.ReadOptions\(delimiter=...\)",
    'ny.read_table("people.csv", encoding="latin1")': r"Try: ny.ReadOptions\(encoding=...\)",
    'ny.write_table(ny.publish(df, ROLES, k=5), "t.csv")': "Try: .table of it",
    "ny.Job(schema=ROLES, privacy=ny.KAnonymity(5))": r"privacy: expected a list.*Try: \[KAnonymity\(k=5\)\]",
    'ny.Hierarchy.suggest("age")': r"""got str. Try: frame\["age"\]""",
    "ny.Hierarchy.read(df)": "path: expected a path, got DataFrame",
    'ny.Hierarchy.from_rows({"a": ["x", "*"]})': r"got dict. Try: .*\[\[value, group, .\*.\]\]",
    "ny.apply(df, ny.publish(df, ROLES, k=5))": "recoding: expected a recoding, .*got DataFrame",
    "ny.forget(ny.publish(df, ROLES, k=5))": "release: expected a path, got Release$",
    'ny.utility.learn(ny.publish(df, ROLES, k=5), df, target="ill")': r"learn: expected the original, then the release",
    "ny.risk.attack(ny.publish(df, ROLES, k=5), df, attacks=[])": "attacks: expected at least one attack, got none",
    # classes
    'ny.Source("people.csv")': "Source: expected every value by its name, got 1 without",
    'ny.Source(path="people.csv", sep=";")': "Source.sep: .*Try: delimiter=...",
    "ny.KAnonymity()": r"KAnonymity.k: expected a value, got none. Try: KAnonymity\(k=...\)",
    "ny.KAnonymity(n=5)": r"KAnonymity.n: expected one of the parameters k, got 'n'",
    "ny.TCloseness(0.9)": r"TCloseness.attribute: .*Try: TCloseness\(t=..., attribute=...\)",
    'ny.DistinctLDiversity(2, sensitive="ill")': "did you mean 'attribute'",
    "ny.DifferentialPrivacy(1)": r"every value by its name, got 1 without. Try: epsilon=...",
    "ny.Mondrian(k=5)": r"Mondrian.k: .*Try: k=5 in publish, beside the method",
    "ny.OptimalLattice(0.1)": "expected every value by its name, got 1 without. Try: loss=... or suppression=...",
    "ny.OptimalLattice(loss=ny.EntropyLoss)": r"the class EntropyLoss. Try: EntropyLoss\(\)",
    'ny.TopCoding("age", 70)': "expected every value by its name, got 2 without. Try: columns=...",
    "ny.Hierarchy.intervals(5)": "Intervals: expected every value by its name, got 1 without. Try: width=...",
    "ny.Hierarchy.intervals(bins=[0, 20])": "did you mean 'cuts'",
    "ny.Job(df, ROLES)": "Job: expected every value by its name, got 2 without. Try: schema=... or privacy=...",
}


@pytest.mark.parametrize("line", CLOSE)
def test_it_says_what_to_write(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=CLOSE[line]) as caught:
        eval(line, {"ny": ny, "pd": pd, "df": people(), "ROLES": ROLES})
    assert f"expected {caught.value.expected}, got {caught.value.got}" in str(caught.value)


def test_wrong_arguments_are_type_errors_as_everywhere() -> None:
    with pytest.raises(TypeError, match=r"measure\.strict: expected one of the parameters"):
        ny.measure(people(), ["age"], strict=True)


def test_names_that_are_near() -> None:
    with pytest.raises(AttributeError, match="did you mean 'publish'"):
        _ = ny.publsih
    others = {"inspect_table": "inspect", "load": "open", "anonymize": "publish", "read_csv": "read_table"}
    others |= {"pram": "PostRandomization", "freqCalc": "measure", "createSdcObj": "publish", "Data": "read_table"}
    others |= {"AttributeType": "quasi", "dRisk": "measure_risk", "k_anonymity": "measure"}
    for name, meant in others.items():
        with pytest.raises(AttributeError, match=rf"did you mean ny\.{meant}\?"):
            getattr(ny, name)
    with pytest.raises(AttributeError, match=r"did you mean ny\.dp\.PrivateLogisticRegression\?"):
        _ = ny.PrivateLogisticRegression  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="did you mean 'intervals'"):
        _ = ny.Hierarchy.interval  # type: ignore[attr-defined]
    for package, name in (("risk", "driver"), ("utility", "lern"), ("dp", "ledgers")):
        with pytest.raises(AttributeError, match=rf"module 'nymity.{package}' has .*Try: did you mean"):
            getattr(getattr(ny, package), name)
    assert re.fullmatch(r"\d+\.\d+.*", ny.__version__)


def test_one_column_of_any_kind() -> None:
    ages = people()["age"]
    kinds = (ages, ages.astype("Int64"), ages.astype(float), pl.Series("age", ages), ages.to_numpy(), ages.to_list())
    assert {ny.Hierarchy.suggest(one, name="age") for one in kinds} == {Ages()}
    assert ny.Hierarchy.suggest(ages) == Ages()  # by its own name
    assert ny.Hierarchy.suggest(pd.cut(ages, 3)) == Flat()
    assert ny.Hierarchy.suggest(pd.Series(["b", None, "a"], dtype="category")) == Flat()


def test_an_expression_is_not_a_column() -> None:
    with pytest.raises(InputError, match=r"^values: expected one column: .*got Expr. Try: frame\[.age.\]$"):
        ny.Hierarchy.suggest(pl.col("age"))


def test_a_frame_in_place_of_a_column_is_not_quoted() -> None:
    """``df.name`` is a column of the frame: its values must not be in a message."""
    df = people().rename(columns={"sex": "dtype"})
    with pytest.raises(InputError, match="one column") as caught:
        ny.Hierarchy.suggest(df)
    assert "p1" not in str(caught.value)


def test_builders_take_any_column() -> None:
    ages = people()["age"]
    for values in (ages, ages.to_numpy(), ages.to_list()):
        assert Flat().build(values).values == Flat().build(pl.Series(ages)).values
    days = pd.Series(pd.to_datetime(["2020-01-01", "2021-02-03"]))
    assert ny.Hierarchy.dates().build(days).values == ("2020-01-01", "2021-02-03")
    listed = ny.Hierarchy.from_rows([["1", "low", "*"], ["5", "low", "*"]])
    assert listed.build(pd.Series([1, 5])).values == ("1", "5")


def test_days_of_pandas_are_days() -> None:
    """pandas keeps dates as midnights: ranges of them are written as days, and a clock stays one."""
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(240) % 50, unit="D")
    cells = ny.publish(people().assign(day=days), {**ROLES, "day": "quasi"}, k=5, method="mondrian").table["day"]
    assert cells.str.fullmatch(r"\d{4}-\d\d-\d\d( to \d{4}-\d\d-\d\d)?").all()
    clock = people().assign(day=days + pd.Timedelta("1h"))
    assert "01:00" in ny.publish(clock, {**ROLES, "day": "insensitive"}, k=5).frame["day"].cast(pl.String)[0]


def test_persons_are_not_counted_as_rows() -> None:
    """A release does not tell of whom its rows are: what was counted when it was made is not counted again by rows."""
    df = people().assign(who=[f"w{n // 2}" for n in range(240)])
    release = ny.publish(df, {**ROLES, "who": "person"}, k=5)
    with pytest.raises(InputError, match=r"tell of whom they are, which 'who' did.*release.verification"):
        ny.measure(release)


@pytest.mark.parametrize("name", sorted({*ny.__all__} - {"recommend", "bucket", "datasets", "dp", "risk", "utility"}))
def test_no_error_quotes_a_table(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever swaps two arguments gives a table for a number or a path: its cells are somebody's."""
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame({"name": ["Zaphod"] * 12, "age": range(12)})
    what = getattr(ny, name)
    if isinstance(what, type) and issubclass(what, Exception):
        return
    needed = {"source": table, "table": table, "frame": table, "original": table, "release": table, "path": "no.csv"}
    needed |= {"schema": {"name": "identifying", "age": "quasi"}, "k": 2, "attribute": "age", "columns": ["age"]}
    listed = [one for one in inspect.signature(what).parameters.values() if one.kind is not one.VAR_KEYWORD]
    for given in (table, pl.from_pandas(table), table.to_numpy()):
        for parameter in listed:
            values = {one.name: needed.get(one.name, 2) for one in listed if one.default is one.empty}
            values[parameter.name] = given
            first = [values.pop(one.name) for one in listed if one.kind is one.POSITIONAL_ONLY]
            said = ""
            try:
                what(*first, **values)
            except Exception as error:  # noqa: BLE001 -- what any of them says is looked at
                said = str(error)
            assert "Zaphod" not in said, parameter.name


def test_an_inspection_is_a_mapping_of_its_columns() -> None:
    seen = ny.inspect(people())
    assert list(seen) == list(people().columns) == list(seen.keys())
    assert len(seen) == 5
    assert dict(seen)["age"].role == "quasi"


def test_a_job_as_text() -> None:
    job = ny.publish(people(), ROLES, k=5).job
    assert ny.Job.from_dict(tomllib.loads(job.to_toml())) == job
    with pytest.raises(AttributeError, match=r"Try: Path\(path\).write_text\(job.to_toml\(\)\)"):
        job.save("job.toml")


def test_what_is_looked_at_fits_on_a_line() -> None:
    release = ny.publish(people(), ROLES, k=5)
    assert repr(ny.quasi("masking")).startswith("quasi(hierarchy=Masking(")
    assert repr(ny.quasi(weight=2)) == "quasi(weight=2)"
    assert repr(ny.identifying()) == "identifying()"
    assert all(re.fullmatch(r"Caveat\([a-z-]+: .+\)", repr(one)) for one in release.warnings)
    lines = repr(release.verification).splitlines()
    assert lines[0] == "Verification: every promise holds"
    assert max(map(len, lines)) <= 100
    losses = ny.compare(people(), release).losses
    assert all(repr(one).startswith(f"Measured({one.name}: ") for one in losses)


def test_makers_of_hierarchies_that_others_have() -> None:
    makers = {"from_csv": "read", "from_frame": "from_rows", "prefix": "masking", "from_tree": "taxonomy"}
    for name, meant in makers.items():
        with pytest.raises(AttributeError, match=rf"Try: .*{meant}"):
            getattr(ny.Hierarchy, name)


def test_packages_list_their_own_names() -> None:
    for package in (ny.risk, ny.utility, ny.dp, ny.datasets):
        assert dir(package) == sorted(package.__all__)


def test_attributes_that_frames_have() -> None:
    release = ny.publish(people(), ROLES, k=5)
    for name, meant in (
        ("records", ".verification"),
        ("schema", ".job.schema"),
        ("apply", "ny.apply"),
        ("df", ".table"),
        ("shape", ".table"),
        ("to_parquet", "write_table"),
        ("k", "smallest_class"),
        ("verify", ".check"),
        ("promises", ".job.privacy"),
        ("losses", "ny.compare"),
        ("utility", "ny.compare"),
    ):
        with pytest.raises(AttributeError, match=f"Try: .*{meant}"):
            getattr(release, name)
    with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
        _ = release.nothing


def test_attributes_of_results_that_others_have(tmp_path: Path) -> None:
    release = ny.publish(people(), ROLES, k=5)
    release.save(tmp_path / "r")
    risk, opened = ny.measure_risk(people(), ["age", "sex"]), ny.open(tmp_path / "r")
    hierarchy = ny.Hierarchy.ages().build(people()["age"])
    for one, name, meant in (
        (risk, "max_risk", ".prosecutor.highest"),
        (risk, "global_risk", ".marketer"),
        (ny.measure(people(), ["age"]), "k_anonymity", ".smallest_class"),
        (ny.compare(people(), release), "loss", ".value"),
        (opened, "to_pandas", ".table.to_pandas"),
        (opened, "to_csv", "ny.write_table"),
        (opened, "frame", ".table"),
        (hierarchy, "levels", ".height"),
    ):
        with pytest.raises(AttributeError, match=f"Try: {re.escape(meant)}"):
            getattr(one, name)


def test_a_hierarchy_of_the_rows_of_a_frame() -> None:
    rows = [["a", "x", "*"], ["b", "x", "*"]]
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows, orient="row"), np.array(rows)):
        assert ny.Hierarchy.from_rows(frame).rows() == rows
    mapped = ny.Hierarchy.from_rows(pd.DataFrame([[1, "low", "*"], [2, "high", None]]).fillna("*"))
    assert mapped.build(pd.Series([1, 2])).values == ("1", "2")


def test_what_is_short_to_look_at(tmp_path: Path) -> None:
    """Nothing that a call returns prints a wall of fields."""
    release = ny.publish(people(), ROLES, k=5)
    release.save(tmp_path / "r")
    opened = ny.open(tmp_path / "r")
    risk = ny.measure_risk(people(), ["age", "sex"])
    filled = ny.preset("hipaa-safe-harbor", release.job, people())
    assert "hipaa-safe-harbor" in repr(filled)
    assert "cannot check" in repr(filled)
    for one in (opened.certificate, filled, risk.prosecutor, ny.forget(tmp_path / "r"), release.log):
        lines = repr(one).splitlines()
        assert len(lines) <= 40, type(one)
        assert max(map(len, lines)) <= 120, type(one)
    assert "highest 100%" in repr(risk.prosecutor)
    assert "5-anonymity" in repr(opened.certificate)


def test_columns_that_pandas_has() -> None:
    df = people()
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(len(df)) % 700, unit="D")
    df = df.assign(
        age=pd.cut(df["age"], [0, 30, 50, 80]),
        sex=df["sex"].astype("category"),
        ill=df["ill"].astype("string"),
        zip=df["zip"].astype("Int64").mask(df.index == 3),
        day=days,
        smokes=pd.array([True, False, None] * 80, dtype="boolean"),
    )
    release = ny.publish(df, {**ROLES, "day": "quasi", "smokes": "quasi"}, k=3)
    assert release.verification.holds
    assert isinstance(release.table, pd.DataFrame)
    assert set(release.table["age"].unique()) <= {"(0, 30]", "(30, 50]", "(50, 80]", "*"}
    assert release.job.schema["day"].hierarchy.key == "dates"


def test_other_frames() -> None:
    import duckdb
    import narwhals as nw

    df = people()
    wrapped = ny.publish(nw.from_native(df), ROLES, k=5)
    assert isinstance(wrapped.table, nw.DataFrame)
    assert isinstance(wrapped.table.to_native(), pd.DataFrame)
    lazy = ny.publish(nw.from_native(pl.from_pandas(df).lazy()), ROLES, k=5)
    assert isinstance(lazy.table, nw.LazyFrame)
    relation = ny.publish(duckdb.sql("select * from df"), ROLES, k=5)
    assert isinstance(relation.table, pl.DataFrame)
    assert relation.frame.equals(wrapped.frame)
    assert lazy.frame.equals(wrapped.frame)


def test_a_streaming_engine_suggests_the_same(tmp_path: Path) -> None:
    pl.from_pandas(people()).write_parquet(tmp_path / "in.parquet")
    output = ny.Output(format="parquet")
    written = ny.publish(tmp_path / "in.parquet", ROLES, k=5, engine="streaming", out=tmp_path / "r", output=output)
    here = ny.publish(tmp_path / "in.parquet", ROLES, k=5)
    assert written.job.schema["age"].hierarchy == Ages() == here.job.schema["age"].hierarchy
    assert written.levels == here.levels


def test_certificates_name_what_was_suggested(tmp_path: Path) -> None:
    ny.publish(people(), ROLES, k=5).save(tmp_path / "r")
    certificate = (tmp_path / "r" / "certificate.json").read_text()
    assert '"ages"' in certificate
    assert '"suggested"' not in certificate
    assert ny.check(tmp_path / "r").holds


def test_private_methods_take_no_suggestion() -> None:
    promise = ny.DifferentialPrivacy(epsilon=1, public_records=240, delta=1e-6)
    with pytest.raises(InputError, match="a hierarchy that lists every possible value"):
        ny.publish(people(), {**ROLES, "ill": "identifying"}, privacy=promise, method="safepub")


def test_names_of_parameters_are_told_apart() -> None:
    """``ny.quasi("intervals", width=5, weight=2)``: what is the hierarchy's and what the column's."""
    of_column = set(inspect.signature(ny.quasi).parameters) - {"parameters"}
    for builder in BUILDERS.values():
        assert not of_column & {"hierarchy", *getattr(builder, "__dataclass_fields__", {})} - {"hierarchy"}, builder


def test_a_word_for_a_role_leaves_the_hierarchy_open() -> None:
    schema = ny.Schema({"age": "quasi", "ill": "sensitive"})
    assert schema["age"] == ny.quasi("suggested")
    assert schema["age"].hierarchy == Suggested()
    assert schema["ill"] == ny.sensitive()
    assert ny.Job.from_dict(ny.Job(schema=schema, privacy=(ny.KAnonymity(2),)).to_dict()).schema == schema


# -- a release --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def release() -> ny.Release:
    return ny.publish(people(), ROLES, k=5)


def test_save_and_open(release: ny.Release, tmp_path: Path) -> None:
    release.save(tmp_path / "out")
    opened = ny.open(tmp_path / "out")
    assert opened.table.cast(pl.String).equals(release.frame.cast(pl.String))
    assert "What was promised" in opened.report().html


def test_to_csv(release: ny.Release, tmp_path: Path) -> None:
    place = release.to_csv(tmp_path / "people.csv")
    assert place.read_bytes().startswith(b"age,sex,zip,ill\n")
    assert len(pd.read_csv(place)) == release.frame.height
    with pytest.raises(InputError, match=r"ends in \.csv"):
        release.to_csv(tmp_path / "people.parquet")
    two = ny.publish(people(), ROLES, privacy=ny.FrequencyLDiversity(2, attribute="ill"), method="buckets")
    with pytest.raises(InputError, match=r"one table, got 2.*save\(folder\)"):
        two.to_csv(tmp_path / "two.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def test_report(release: ny.Release, tmp_path: Path) -> None:
    page = release.report(people())
    assert "report for the data custodian" in page.html
    assert page.save(tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    frame = page._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!doctype html&gt;')
    assert "<script" not in frame
    assert len(repr(page)) < 100


# -- what help shows ----------------------------------------------------------------------------------------------


def test_dir_lists_names_of_nymity_alone() -> None:
    code = "import nymity as ny, nymity.publishing.releases.release; print(*dir(ny))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(ny.__all__)


def test_help_is_grouped_and_names_what_there_is() -> None:
    shown = ny.__doc__
    groups = [line for line in shown.splitlines() if line and line[0] not in " `" and not line.endswith(".")]
    assert groups == [
        "A table about people", "What columns are", "A release", "What holds, and what is left", "Promises", "Methods",
        "Transforms of columns that no promise is about",
    ]  # fmt: skip
    lists = shown.partition("A table about people")[2].partition("``help(")[0]
    named = {word for line in lists.splitlines() if line.startswith("    ") for word in re.findall(r"\w+", line)}
    inside = {"attack", "drivers", "count", "learn"}  # of ny.risk and ny.utility
    assert {name for name in named - inside - {"the", "default"} if not hasattr(ny, name)} == set()
    assert "A table about people" in pydoc.render_doc(ny, renderer=pydoc.plaintext)


def test_help_and_signatures_stay() -> None:
    """What callers write and read: a change here is a change of the interface, for the CHANGELOG."""
    assert interface() == SNAPSHOT.read_text(encoding="utf-8"), "python -m tests.interface writes it anew"


def test_one_number_comes_first_without_its_name() -> None:
    assert ny.KAnonymity(5) == ny.KAnonymity(k=5)
    assert ny.TCloseness(0.2, attribute="ill") == ny.TCloseness(t=0.2, attribute="ill")
    with pytest.raises(TypeError):
        ny.TCloseness(0.2, "ill")  # type: ignore[misc]
    with pytest.raises(TypeError):
        ny.RecursiveDiversity(3, 2, attribute="ill")  # type: ignore[misc]
