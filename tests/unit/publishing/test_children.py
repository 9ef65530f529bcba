"""Two tables of the same people: k over the join, consistent pseudonyms, one certificate; and what cannot be joined."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import naive
import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import JobError, NymityError, TableError
from nymity.publishing import toml_job
from nymity.publishing.checking.check import Answer
from nymity.publishing.jobs.children import HAS_CHILDREN, misjoined, rejoined, split
from nymity.table.schema import Schema
from nymity.table.text import as_text

PROMISE = ny.LinkedKAnonymity(k=2, knows="all")
METHOD = ny.OptimalLattice(suppression=0.6)


def patients() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "patient": ["Ann", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus"],
            "born": [1980, 1980, 1981, 1981, 1980, 1981, 1950],
            "sex": ["f", "m", "f", "m", "f", "f", "m"],
        }
    )


def visits() -> pl.DataFrame:
    """Ann and Cleo were on two wards, Ben and Dan on one, Gus where nobody was; Eve and Fay had no visit."""
    return pl.DataFrame(
        {
            "patient": ["Gus", "Ann", "Ann", "Cleo", "Cleo", "Ben", "Dan"],
            "year": [2020, 2021, 2022, 2022, 2021, 2021, 2021],
            "ward": ["skin", "heart", "lung", "lung", "heart", "heart", "heart"],
            "note": [7, 1, 2, 3, 4, 5, 6],
        }
    )


def schema(pseudonym: str | None = "random", **roles: Any) -> Schema:
    return Schema(
        {
            "patient": ny.person(pseudonym=pseudonym),  # type: ignore[arg-type]
            "born": ny.quasi(ny.Hierarchy.intervals(width=2, levels=2), level=1),
            "sex": ny.quasi(level=0),
            "year": ny.quasi(level=0),
            "ward": ny.quasi(level=0),
            "note": ny.insensitive(),
            **roles,
        }
    )


def published(parents: Any = None, children: Any = None, roles: Schema | None = None, **options: Any) -> Any:
    return ny.publish(
        patients() if parents is None else parents,
        schema() if roles is None else roles,
        children=visits() if children is None else children,
        **{"privacy": [PROMISE], "method": METHOD, **options},
    )


@st.composite
def families(draw: st.DrawFn) -> tuple[pl.DataFrame, pl.DataFrame, Schema, ny.LinkedKAnonymity]:
    """Few parents with few values, and children with few values, gaps among both."""
    n = draw(st.integers(1, 7))
    cell = st.sampled_from(["a", "b", "c", None])
    parents = pl.DataFrame(
        {"id": [f"p{i}" for i in range(n)], "q": draw(st.lists(cell, min_size=n, max_size=n))},
        schema={"id": pl.String, "q": pl.String},
    )
    of = draw(st.lists(st.integers(0, n - 1), max_size=9))
    two = [draw(st.lists(cell, min_size=len(of), max_size=len(of))) for _ in range(2)]
    children = pl.DataFrame(
        {"id": [f"p{i}" for i in of], "r": two[0], "s": two[1]},
        schema={"id": pl.String, "r": pl.String, "s": pl.String},
    )
    k = draw(st.integers(1, min(3, n)))
    promise = ny.LinkedKAnonymity(k=k, knows=draw(st.sampled_from([1, 2, "all"])))
    some = ny.Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    roles = Schema(
        {
            "id": ny.person(pseudonym=draw(st.sampled_from(["random", "keyed"]))),
            "q": ny.quasi(some),
            "r": ny.quasi(some),
            "s": draw(st.sampled_from([ny.quasi(), ny.insensitive()])),
        }
    )
    return parents, children, roles, promise


def persons_of(parents: Any, children: Any, key: str, quasi: set[str]) -> dict[str, Counter[Any]]:
    """Everybody as the two tables show them: the own row, and a multiset of rows of children; of none, that."""
    found: dict[str, Counter[Any]] = {}
    own = {row[key]: tuple(str(v) for name, v in row.items() if name in quasi) for row in parents.to_dicts()}
    for person, cells in own.items():
        mine = [row for row in children.to_dicts() if row[key] == person]
        rows = [(cells, tuple(str(v) for name, v in row.items() if name in quasi)) for row in mine]
        found[person] = Counter(rows or [(cells, "no children")])
    return found


@given(families(), st.sampled_from([0.0, 0.5, 0.9]))
@settings(max_examples=150, deadline=None)
def test_whoever_has_both_tables_finds_k_persons(found: Any, suppression: float) -> None:
    """The promise by its definition, on the two tables as they are published; and nobody is left out in vain."""
    parents, children, roles, promise = found
    method = ny.OptimalLattice(suppression=suppression)
    try:
        release = ny.publish(parents, roles, children=children, privacy=[promise], method=method)
    except ny.NoSolutionError:
        return
    quasi = set(release.job.schema.quasi)
    first, second = release.tables.values()
    shown = persons_of(first, second, "id", quasi)
    assert (naive.fewest_sharing(shown, promise.knows) or promise.k) >= promise.k
    assert len(shown) == first.height
    assert set(second["id"]) <= set(first["id"])
    recoded = {
        name: {
            value: release.recoding.hierarchies[name].generalize(value, release.levels[name])
            for value in as_text(table[name]).unique().to_list()
        }
        for table in (parents, children)
        for name in table.columns
        if name in quasi
    }
    general = [
        table.with_columns(
            pl.Series(name, [recoded[name][v] for v in as_text(table[name]).to_list()], dtype=pl.String)
            for name in table.columns
            if name in recoded
        )
        for table in (parents, children)
    ]
    everybody = persons_of(*general, "id", quasi)
    kept = naive.linked(everybody, promise.k, promise.knows)
    published = Counter(frozenset(rows.items()) for rows in shown.values())
    assert published == Counter(frozenset(everybody[person].items()) for person in kept)


@given(families())
@settings(max_examples=60, deadline=None)
def test_what_was_split_is_joined_again(found: Any) -> None:
    parents, children, roles, _ = found
    promise = ny.LinkedKAnonymity(k=1, knows="all")
    release = ny.publish(parents, roles, children=children, privacy=[promise], method=METHOD)
    first, second = split(release.frame, "id", release.child_columns)
    assert rejoined(first, second, "id").equals(release.frame)
    assert not list(misjoined(first, second, "id"))
    assert (first.height, second.height) == (parents.height, children.height)


class TestPublished:
    def test_two_tables_with_one_key(self, tmp_path: Path) -> None:
        release = published(out=tmp_path / "out")
        first, second = (pl.read_csv(tmp_path / "out" / f"release{name}.csv") for name in ("", "-children"))
        assert first.columns == ["patient", "born", "sex"]
        assert second.columns == ["patient", "year", "ward", "note"]
        assert first.height == 6  # all but Gus
        assert second.height == 6
        assert set(second["patient"]) < set(first["patient"])
        assert list(release.tables) == ["release.csv", "release-children.csv"]
        told = release.certificate["output"]
        assert told["child_table"]["records"] == 6
        assert {one["file"] for one in release.certificate["files"]} == set(release.tables)
        assert json.loads((tmp_path / "out" / "certificate.json").read_text()) == release.certificate

    def test_everything_holds_for_whoever_gets_them(self, tmp_path: Path) -> None:
        published(out=tmp_path / "out").save(tmp_path / "out", custodian=tmp_path / "elsewhere", force=True)
        found = ny.check(tmp_path / "out")
        assert found.holds, found.problems
        assert found.promises[0].measured == {"k": 2, "knows": "all"}
        assert ny.open(tmp_path / "out").table[HAS_CHILDREN].to_list().count("no") == 2

    def test_no_children_is_not_any_child(self) -> None:
        """At the top of every hierarchy a visit is ``*``; somebody without visits is still told by the tables."""
        top = {name: ny.quasi(level=1) for name in ("year", "ward", "born", "sex")}
        release = published(patients()[[0, 1, 4]], visits()[[1, 5]], schema(**top))
        assert release.suppressed == 1  # Eve, who is the only one without visits
        first, second = release.tables.values()
        assert (first.height, second.height) == (2, 2)

    def test_gaps_of_a_child_are_not_no_child(self) -> None:
        blank = visits().with_columns(year=pl.lit(None, pl.Int64), ward=pl.lit(None, pl.String))
        release = published(patients()[[0, 2, 4]], blank.filter(pl.col("patient").is_in(["Ann", "Cleo"])))
        assert release.suppressed == 1
        assert set(release.tables["release.csv"]["sex"]) == {"f"}

    def test_nobody_has_children(self, tmp_path: Path) -> None:
        published(children=visits()[:0], out=tmp_path / "out")
        assert ny.check(tmp_path / "out").holds
        assert pl.read_csv(tmp_path / "out" / "release-children.csv").height == 0

    def test_all_with_children_are_left_out_at_the_top(self, tmp_path: Path) -> None:
        """No cell is left that would say that columns of children are published at the top."""
        top = {name: ny.quasi(level=1) for name in ("year", "ward")}
        promise = ny.LinkedKAnonymity(k=3, knows=1)
        few = patients()[[0, 4, 5, 5]].with_columns(pl.Series("patient", ["Ann", "Eve", "Fay", "Ivy"]))
        release = published(few, visits()[[1]], schema(**top), privacy=[promise], out=tmp_path / "out")
        assert release.frame["ward"].to_list() == ["*"] * 3
        assert ny.check(tmp_path / "out").holds
        assert ny.open(tmp_path / "out").table["ward"].to_list() == ["*"] * 3

    def test_the_order_of_both_sources_has_no_part(self) -> None:
        one = published()
        other = published(patients().reverse(), visits().reverse(), log=one.log)
        assert one.frame.equals(other.frame)

    @pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "tsv", "xlsx"])
    def test_formats(self, tmp_path: Path, kind: str) -> None:
        published(out=tmp_path / "out", output=ny.Output(format=kind, name="study"))
        assert (tmp_path / "out" / f"study-children.{kind}").is_file()
        assert ny.check(tmp_path / "out").holds

    def test_a_key_with_another_name(self, tmp_path: Path) -> None:
        visits().rename({"patient": "who"}).write_csv(tmp_path / "v.csv")
        release = published(children=ny.Children(path=str(tmp_path / "v.csv"), key="who"))
        assert release.tables["release-children.csv"].columns == ["patient", "year", "ward", "note"]

    def test_columns_that_are_not_published(self) -> None:
        release = published(roles=schema(note=ny.identifying(), sex=ny.identifying()))
        first, second = release.tables.values()
        assert (first.columns, second.columns) == (["patient", "born"], ["patient", "year", "ward"])

    def test_no_name_in_either_table(self, tmp_path: Path) -> None:
        published(out=tmp_path / "out")
        told = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
        assert not [name for name in patients()["patient"] if name.encode() in told]
        assert str(tmp_path).encode() not in told

    def test_dates_move_together_in_both_tables(self) -> None:
        """One number of days for each person, in the table of parents and in that of children."""
        from datetime import date

        parents = patients().with_columns(enrolled=date(2020, 1, 1))
        children = visits().with_columns(seen=date(2020, 3, 1))
        moved = {name: ny.insensitive(shift="per person") for name in ("enrolled", "seen")}
        first, second = published(parents, children, schema(**moved)).tables.values()
        both = second.join(first, on="patient")
        assert set((both["seen"] - both["enrolled"]).dt.total_days()) == {60}
        assert both["seen"].n_unique() > 1


def test_a_job_is_enough_to_check(tmp_path: Path) -> None:
    release = published(out=tmp_path / "out")
    (tmp_path / "out" / "certificate.json").unlink()
    found = ny.check(tmp_path / "out" / "release.csv", job=release.job)
    assert found.holds, found.problems
    stricter = replace(release.job, privacy=(ny.LinkedKAnonymity(k=3, knows="all"),))
    assert ny.check(tmp_path / "out" / "release.csv", job=stricter).answer is Answer.BROKEN


def test_any_kind_of_frame() -> None:
    pandas = pytest.importorskip("pandas")
    release = published(patients().to_pandas(), visits().to_pandas())
    assert all(isinstance(table, pandas.DataFrame) for table in release.tables.values())


class TestTampered:
    @pytest.fixture
    def out(self, tmp_path: Path) -> Path:
        published(out=tmp_path / "out")
        return tmp_path / "out"

    def change(self, out: Path, name: str, edit: Any) -> Any:
        table = pl.read_csv(out / name)
        edit(table).write_csv(out / name)
        return ny.check(out)

    def judged(self, out: Path) -> str:
        try:
            return ny.check(out).answer
        except NymityError:
            return "refused"

    def test_a_child_of_another_parent(self, out: Path) -> None:
        some = pl.read_csv(out / "release-children.csv")["patient"]
        found = self.change(
            out, "release-children.csv", lambda t: t.with_columns(pl.col("patient").replace(some[0], some[5]))
        )
        assert found.promises[0].answer is Answer.BROKEN
        assert any("content_sha256" in problem for problem in found.problems)

    def test_a_child_without_a_parent(self, out: Path) -> None:
        found = self.change(
            out, "release-children.csv", lambda t: t.with_columns(pl.col("patient").replace(t["patient"][0], "p" * 33))
        )
        assert found.answer is Answer.BROKEN
        assert any("have no parent" in problem for problem in found.problems)

    def test_a_parent_twice(self, out: Path) -> None:
        found = self.change(out, "release.csv", lambda t: pl.concat([t, t[:1]]))
        assert any("have a 'patient' of another row" in problem for problem in found.problems)

    def test_a_parent_less(self, out: Path) -> None:
        assert self.change(out, "release.csv", lambda t: t[1:]).answer is Answer.BROKEN

    def test_children_in_another_order(self, out: Path) -> None:
        found = self.change(out, "release-children.csv", lambda t: t.reverse())
        assert any("not sorted" in problem for problem in found.problems)

    def test_a_column_more(self, out: Path) -> None:
        found = self.change(out, "release-children.csv", lambda t: t.with_columns(name=pl.lit("x")))
        assert any("the table has patient, year, ward, note, name" in problem for problem in found.problems)

    def test_a_column_of_both(self, out: Path) -> None:
        found = self.change(out, "release-children.csv", lambda t: t.with_columns(sex=pl.lit("x")))
        assert any("both tables have the columns 'sex'" in problem for problem in found.problems)

    @pytest.mark.parametrize("name", ["release.csv", "release-children.csv"])
    def test_the_column_of_the_join_in_a_file(self, out: Path, name: str) -> None:
        found = self.change(out, name, lambda t: t.with_columns(pl.lit("yes").alias(HAS_CHILDREN)))
        assert any("should be in none" in problem for problem in found.problems)

    def test_numbers_and_gaps_for_keys(self, out: Path) -> None:
        found = self.change(
            out, "release-children.csv", lambda t: t.with_columns(pl.Series("patient", range(t.height)))
        )
        assert any("6 rows of the table of children have no parent" in problem for problem in found.problems)
        found = self.change(out, "release.csv", lambda t: t.with_columns(pl.lit(None, pl.String).alias("patient")))
        assert any("6 records of the table of parents have no 'patient'" in problem for problem in found.problems)

    def test_no_table_of_children(self, out: Path) -> None:
        (out / "release-children.csv").unlink()
        with pytest.raises(NymityError, match=r"release-children\.csv"):
            ny.check(out)

    @pytest.mark.parametrize(
        "place",
        [
            ("job", "children"),
            ("output", "child_table"),
            ("job", "schema", HAS_CHILDREN, "max_level"),
            ("output", "child_table", "file_sha256"),
        ],
        ids=".".join,
    )
    def test_a_certificate_with_a_part_less(self, out: Path, place: tuple[str, ...]) -> None:
        told = json.loads((out / "certificate.json").read_text())
        part = told
        for step in place[:-1]:
            part = part[step]
        del part[place[-1]]
        (out / "certificate.json").write_text(json.dumps(told))
        assert self.judged(out) in (Answer.BROKEN, "refused")

    @pytest.mark.parametrize(
        ("place", "value"),
        [
            (("records",), 5),
            (("content_sha256",), "0" * 64),
            (("columns",), ["patient", "year", "ward"]),
            (("columns",), ["year", "patient", "ward", "note"]),
            (("columns",), ["patient", "year", "ward", "note", HAS_CHILDREN]),
        ],
    )
    def test_a_certificate_of_other_children(self, out: Path, place: tuple[str, ...], value: Any) -> None:
        told = json.loads((out / "certificate.json").read_text())
        told["output"]["child_table"][place[0]] = value
        (out / "certificate.json").write_text(json.dumps(told))
        assert ny.check(out).answer is Answer.BROKEN


class TestBadInput:
    def test_children_without_a_parent(self) -> None:
        alone = visits().with_columns(pl.col("patient").replace({"Ann": "Zoe", "Gus": "Yan"}))
        with pytest.raises(TableError, match=r"3 records without a parent: 'Yan', 'Zoe'"):
            published(children=alone)

    def test_they_can_be_left_out(self, tmp_path: Path) -> None:
        visits().with_columns(pl.col("patient").replace("Gus", "Yan")).write_csv(tmp_path / "v.csv")
        children = ny.Children(path=str(tmp_path / "v.csv"), without_parent="drop")
        release = published(children=children, out=tmp_path / "out")
        told = release.certificate
        assert told["suppressed"]["dropped_for_missing_values"] == 1
        assert told["input"]["records"] == 10  # nine rows of the join, and the child of nobody
        assert ny.check(tmp_path / "out").holds

    def test_two_records_of_a_parent(self) -> None:
        twice = pl.concat([patients(), patients()[:1], patients()[:1].with_columns(patient=pl.lit(" Ben"))])
        with pytest.raises(TableError, match=r"several for 2 keys: 'Ann', 'Ben'"):
            published(twice)

    @pytest.mark.parametrize("gap", [None, "", "  "])
    def test_gaps_in_keys(self, gap: str | None) -> None:
        with pytest.raises(TableError, match=r"source, column 'patient'.*1 gap"):
            published(patients().with_columns(pl.col("patient").replace("Ann", gap)))
        with pytest.raises(TableError, match=r"children, column 'patient'.*2 gaps"):
            published(children=visits().with_columns(pl.col("patient").replace("Ann", gap)))

    def test_the_same_column_in_both(self) -> None:
        with pytest.raises(TableError, match=r"do not have, but for the key, got 'sex'"):
            published(children=visits().with_columns(sex=pl.lit("f")))

    def test_the_name_of_the_join(self) -> None:
        with pytest.raises(NymityError, match=HAS_CHILDREN):
            published(children=visits().with_columns(pl.lit("x").alias(HAS_CHILDREN)))
        with pytest.raises(JobError, match=HAS_CHILDREN):
            published(roles=schema(**{HAS_CHILDREN: ny.insensitive()}))

    def test_numbers_beside_text(self) -> None:
        numbers = visits().with_columns(pl.Series("patient", range(7)))
        with pytest.raises(TableError, match=r"expected text, as the keys of the parents are, got numbers"):
            published(children=numbers)

    def test_no_key(self) -> None:
        with pytest.raises(TableError, match=r"children: expected the key, column 'patient'"):
            published(children=visits().drop("patient"))

    def test_gaps_as_the_schema_says(self) -> None:
        """Those of children that are not there are none."""
        strict = schema(ward=ny.quasi(missing="error", level=0))
        assert published(roles=strict).certificate["measured"]["holds"]
        with pytest.raises(TableError, match=r"column 'ward'.*1 of them"):
            published(children=visits().with_columns(pl.col("ward").replace("skin", None)), roles=strict)
        with pytest.raises(JobError, match="leave out parents who have no children"):
            published(roles=schema(ward=ny.quasi(missing="drop")))

    @pytest.mark.parametrize("role", [ny.weight(publish="dropped"), ny.household()], ids=lambda one: one.role.value)
    def test_columns_that_everybody_needs(self, role: Any) -> None:
        with pytest.raises(JobError, match="column in the table of parents"):
            published(roles=schema(note=role))

    def test_a_column_without_a_role(self) -> None:
        with pytest.raises(NymityError, match="'more'"):
            published(children=visits().with_columns(more=pl.lit(1)))


class TestRefused:
    def test_without_pseudonyms(self) -> None:
        with pytest.raises(JobError, match="it is the key that joins both tables"):
            published(roles=schema(None))
        with pytest.raises(JobError, match="it is the key that joins both tables"):
            published(roles=schema(patient=ny.identifying()), privacy=[ny.KAnonymity(k=2)])

    def test_other_promises(self) -> None:
        with pytest.raises(JobError, match="linked-k-anonymity"):
            published(privacy=[ny.KAnonymity(k=2)])

    @pytest.mark.parametrize("method", [ny.IterativeRecoding(), ny.Mondrian(), ny.Anatomy()], ids=lambda m: m.key)
    def test_other_methods(self, method: Any) -> None:
        with pytest.raises(JobError, match="one level for each column"):
            published(method=method)

    def test_weights_of_rows_that_are_no_people(self) -> None:
        weighed = patients().with_columns(weight=1.5)
        with pytest.raises(JobError, match="none over people"):
            published(weighed, roles=schema(weight=ny.weight()))
        assert published(weighed, roles=schema(weight=ny.weight(publish="dropped"))).verification.holds

    def test_a_drawn_order(self) -> None:
        with pytest.raises(JobError, match="'sorted' where there are children"):
            published(output=ny.Output(row_order="shuffled"))

    def test_several_tables_of_children(self) -> None:
        with pytest.raises(JobError, match="joins of more tables"):
            published(children=[visits(), visits()])
        plain = ny.Job(schema=schema(), privacy=(PROMISE,), children=ny.Children(path="v.csv")).to_dict()
        for deeper in ([plain["children"]] * 2, {"path": "v.csv", "children": {"path": "w.csv"}}):
            with pytest.raises(JobError, match="children of children, are not published"):
                ny.Job.from_dict({**plain, "children": deeper})

    def test_what_works_on_one_table(self, tmp_path: Path) -> None:
        with pytest.raises(JobError, match="one table"):
            ny.recommend(job_of_files(tmp_path), target="note")

    def test_an_earlier_release(self, tmp_path: Path) -> None:
        published(out=tmp_path / "out")
        with pytest.raises(JobError, match="are not intersected"):
            published(earlier_releases=[tmp_path / "out"])
        with pytest.raises(NymityError, match="one with children"):
            ny.publish(
                patients(),
                {"patient": ny.identifying(), "born": ny.quasi(), "sex": ny.quasi()},
                privacy=[ny.KAnonymity(k=2)],
                earlier_releases=[tmp_path / "out"],
            )


def job_of_files(folder: Path, **roles: Any) -> ny.Job:
    patients().write_csv(folder / "p.csv")
    visits().write_csv(folder / "v.csv")
    return ny.Job(
        schema=schema(**roles),
        privacy=(PROMISE,),
        method=ny.OptimalLattice(suppression=0.3),
        source=ny.Source(path=str(folder / "p.csv")),
        children=ny.Children(path=str(folder / "v.csv")),
    )


def test_explore_looks_at_the_join(tmp_path: Path) -> None:
    born = ny.quasi(ny.Hierarchy.intervals(width=2, levels=2))
    job = job_of_files(tmp_path, born=born, sex=ny.quasi(), year=ny.quasi(), ward=ny.quasi())
    nodes = ny.explore(job)
    assert len(nodes) == 24
    assert nodes.records == 9  # seven visits, and two patients without any
    for levels, loss, suppressed in zip(nodes.levels.tolist(), nodes.loss, nodes.suppressed, strict=True):
        fixed = dict(zip(nodes.names, levels, strict=True))
        once = replace(job, method=ny.FixedLevels(levels=fixed, suppression=1.0))
        if suppressed < nodes.records:
            outcome = ny.publish(once).outcome
            assert (outcome.suppressed, round(outcome.loss, 12)) == (suppressed, round(loss, 12)), fixed


def test_commands_look_at_the_join(tmp_path: Path) -> None:
    job, runner, out = job_of_files(tmp_path), CliRunner(), str(tmp_path / "out")
    (tmp_path / "job.toml").write_text(toml_job(job.to_dict()), encoding="utf-8")
    ny.publish(job, out=out)

    def answered(*words: str) -> Any:
        result = runner.invoke(app, [*words, "--json"])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    given = str(tmp_path / "job.toml")
    assert answered("compare", given, out)["records"] == 9
    assert answered("query", given, out)["records"] == 9
    risk = answered("risk", given)
    assert (risk["records"], risk["persons"]) == (9, 7)
    report = runner.invoke(app, ["report", out, "--for", "custodian", "--job", given])
    assert report.exit_code == 0, report.output
    refused = runner.invoke(app, ["attack", out, "--original", str(tmp_path / "p.csv")])
    assert refused.exit_code != 0
    assert "expected one table" in refused.output


def test_a_job_goes_to_a_file_and_back(tmp_path: Path) -> None:
    children = ny.Children(path="v.csv", key="who", without_parent="drop", delimiter=";")
    job = ny.Job(schema=schema(), privacy=(PROMISE,), source=ny.Source(path="p.csv"), children=children)
    assert ny.Job.from_dict(job.to_dict()) == job
    placed = ny.Job.from_dict(job.to_dict(), folder=tmp_path)
    assert [path.parent for path in placed.inputs] == [tmp_path, tmp_path]
    assert ny.Job.from_dict({**job.to_dict(), "children": "w.csv"}).children == ny.Children(path="w.csv")


def test_a_replaced_release_leaves_no_table_behind(tmp_path: Path) -> None:
    published(out=tmp_path / "out")
    roles = {"patient": ny.identifying(), "born": ny.quasi(), "sex": ny.quasi()}
    ny.publish(patients(), roles, privacy=[ny.KAnonymity(k=2)], out=tmp_path / "out", force=True)
    assert not (tmp_path / "out" / "release-children.csv").exists()
    shown = published().tables["release.csv"]["patient"][0]
    again = published(out=tmp_path / "again")
    person = ny.identify(tmp_path / "again", again.frame["patient"][0], reason="a test").person
    assert person in patients()["patient"].to_list()
    with pytest.raises(NymityError):
        ny.identify(tmp_path / "again", shown, reason="a test")
