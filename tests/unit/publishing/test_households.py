"""Households are found by their members together: k of them must look alike, member by member, as it is published."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import nymity as ny
from nymity.core.errors import JobError, ParameterError, TableError
from nymity.publishing.checking.check import Answer
from nymity.table.schema import Schema
from nymity.table.text import as_text
from strategies import cases

PROMISE = ny.LinkedKAnonymity(k=3, knows="all", of="household")
METHOD = ny.OptimalLattice(suppression=0.6)


def survey() -> pl.DataFrame:
    """Four couples with a child of the same ages, one couple without, and somebody who lives alone."""
    rows = [(f"h{i}", f"h{i}-{who}", age, sex) for i in range(4) for who, age, sex in
            (("a", 34, "f"), ("b", 36, "m"), ("c", 4, "f"))]  # fmt: skip
    rows += [("h4", "h4-a", 34, "f"), ("h4", "h4-b", 36, "m"), ("h5", "h5-a", 34, "f")]
    return pl.DataFrame(rows, schema=["home", "who", "age", "sex"], orient="row")


def schema(pseudonym: str | None = "random", **further: Any) -> Schema:
    return Schema(
        {
            "home": ny.household(pseudonym=pseudonym),  # type: ignore[arg-type]
            "who": ny.person(),
            "age": ny.quasi(level=0),
            "sex": ny.quasi(level=0),
            **further,
        }
    )


def published(pseudonym: str | None = "random", **options: Any) -> Any:
    return ny.publish(survey(), schema(pseudonym), privacy=[PROMISE], method=METHOD, **options)


@st.composite
def households(draw: st.DrawFn) -> tuple[pl.DataFrame, Schema, ny.LinkedKAnonymity]:
    """A random table whose persons, with a record or more each, live in few households."""
    case = draw(cases(n_sensitive=1, missing=False, max_records=14))
    n = case.frame.height
    home = draw(st.lists(st.integers(0, draw(st.integers(0, 5))), min_size=n, max_size=n))
    member = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    table = case.frame.with_columns(
        pl.Series("home", [f"h{h}" for h in home]),
        pl.Series("who", [f"p{h}-{m}" for h, m in zip(home, member, strict=True)]),
    )
    k = draw(st.integers(1, min(3, len(set(home)))))
    promise = ny.LinkedKAnonymity(k=k, knows=draw(st.sampled_from([1, 2, "all"])), of="household")
    roles = {"home": ny.household(pseudonym=draw(st.sampled_from([None, "random", "keyed"])))}
    if draw(st.booleans()):
        roles["who"] = ny.person()
    else:
        roles["who"] = ny.identifying()
    return table, Schema({**case.schema, **roles}), promise


@given(households(), st.sampled_from([0.0, 0.5, 0.9]))
@settings(max_examples=120, deadline=None)
def test_the_largest_set_of_households_is_published(found: Any, suppression: float) -> None:
    """At the levels that were chosen, by trying all sets of households."""
    table, roles, promise = found
    try:
        release = ny.publish(table, roles, privacy=[promise], method=ny.OptimalLattice(suppression=suppression))
    except ny.NoSolutionError:
        return
    quasi = release.job.schema.quasi
    homes: dict[str, Counter[Any]] = {}
    for row in zip(table["home"].to_list(), *(as_text(table[name]).to_list() for name in quasi), strict=True):
        cells = zip(quasi, row[1:], strict=True)
        seen = tuple(release.recoding.hierarchies[name].generalize(v, release.levels[name]) for name, v in cells)
        homes.setdefault(row[0], Counter())[seen] += 1
    kept = naive.linked(homes, promise.k, promise.knows)
    assert set(table["home"].gather(release.log.source_rows).to_list()) == kept
    assert release.frame.height == sum(homes[home].total() for home in kept)
    unit = release.certificate["unit"]
    assert (unit["counts"], unit["households"]) == ("households", len(homes))
    assert unit["lost_to_suppression"] == unit["touched_by_suppression"] == len(homes) - len(kept)
    measured = release.certificate["measured"]["models"][0]
    assert measured["k"] == naive.fewest_sharing({home: homes[home] for home in kept}, promise.knows)


@pytest.mark.parametrize("kind", ["random", "keyed"])
class TestPublished:
    def test_whole_households_go(self, kind: str) -> None:
        release = published(kind)
        assert release.frame.columns == ["home", "age", "sex"]
        assert release.frame.group_by("home").len()["len"].to_list() == [3] * 4
        assert release.certificate["columns"][0] == {"name": "home", "role": "household"}

    def test_the_release_alone_shows_that_it_holds(self, kind: str, tmp_path: Path) -> None:
        published(kind).save(tmp_path / "out", custodian=tmp_path / "elsewhere")
        found = ny.check(tmp_path / "out")
        assert found.holds, found.problems
        assert found.promises[0].measured == {"k": 4, "knows": "all"}
        assert "4 households" not in found.promises[0].says
        assert "at least 3 households" in found.promises[0].says

    def test_members_moved_to_another_household_are_seen(self, kind: str) -> None:
        release = published(kind)
        one, other = release.frame["home"].unique().sort().to_list()[:2]
        child = (pl.col("home") == one) & (pl.col("age") == 4)
        moved = release.frame.with_columns(pl.when(child).then(pl.lit(other)).otherwise(pl.col("home")).alias("home"))
        promise = ny.check(moved, job=release.job).promises[0]
        assert (promise.answer, promise.measured) == (Answer.BROKEN, {"k": 1, "knows": "all"})

    def test_names_in_place_of_pseudonyms_are_seen(self, kind: str) -> None:
        release = published(kind)
        shown = release.frame["home"].unique().to_list()
        named = release.frame.with_columns(pl.col("home").replace(shown, [f"Elm Street {i}" for i in range(4)]))
        assert any("should hold pseudonyms" in one for one in ny.check(named, job=release.job).problems)

    def test_no_name_leaves_the_custodians_folder(self, kind: str, tmp_path: Path) -> None:
        published(kind).save(tmp_path / "out")
        told = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
        assert b"h0" not in told.replace(b"sha256", b"")
        shown = pl.read_csv(tmp_path / "out" / "release.csv")["home"][0]
        assert ny.identify(tmp_path / "out", shown, reason="a test").person in {"h0", "h1", "h2", "h3"}


class TestWithoutPseudonyms:
    def test_the_original_shows_it(self, tmp_path: Path) -> None:
        published(None).save(tmp_path / "out")
        alone = ny.check(tmp_path / "out")
        assert alone.answer is Answer.UNSEEN
        assert "does not show of which household" in alone.promises[0].why
        found = ny.check(tmp_path / "out", original=survey())
        assert found.holds, found.problems
        assert found.promises[0].measured == {"k": 4, "knows": "all"}

    def test_another_original_breaks_it(self, tmp_path: Path) -> None:
        published(None).save(tmp_path / "out")
        other = survey().with_columns(pl.Series("home", [f"h{i % 6}" for i in range(15)]))
        assert ny.check(tmp_path / "out", original=other).answer is Answer.BROKEN


def test_other_promises_count_households_then() -> None:
    """Four households of three: k = 4 of households, though a class would have more records at another level."""
    free = Schema({**schema(), "age": ny.quasi(), "sex": ny.quasi()})
    release = ny.publish(survey(), free, privacy=[PROMISE, ny.KAnonymity(k=4)], method=METHOD)
    assert release.certificate["promised"][1]["means"].startswith("4-anonymity of households")
    with pytest.raises(ParameterError, match="at most 6, the number of households"):
        ny.publish(survey(), free, privacy=[PROMISE, ny.KAnonymity(k=7)], method=METHOD)


@pytest.mark.parametrize("change", ["counts", "households", "both", "means"])
def test_a_certificate_that_says_two_things(tmp_path: Path, change: str) -> None:
    published().save(tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    told = json.loads(path.read_text())
    if change == "counts":
        told["unit"]["counts"] = "persons"
    elif change == "households":
        told["unit"]["households"] = 1
    elif change == "both":
        told["unit"]["persons"] = 6
    else:
        told["promised"][0]["of"] = told["job"]["privacy"][0]["of"] = "person"
    path.write_text(json.dumps(told))
    assert ny.check(tmp_path / "out").answer is Answer.BROKEN


class TestRefused:
    def test_a_pseudonym_without_a_promise(self) -> None:
        for model in (ny.KAnonymity(k=2), ny.LinkedKAnonymity(k=2, knows="all")):
            with pytest.raises(JobError, match="which rows are of one household"):
                ny.publish(survey(), schema(), privacy=[model])

    def test_pseudonyms_of_persons_inside_households(self) -> None:
        with pytest.raises(JobError, match="linked inside a household"):
            ny.publish(survey(), schema(None, who=ny.person(pseudonym="random")), privacy=[PROMISE])

    def test_a_schema_without_households(self) -> None:
        with pytest.raises(JobError, match="role = 'household'"):
            ny.publish(survey(), schema(None, home=ny.identifying()), privacy=[PROMISE])

    def test_persons_and_households_in_one_job(self) -> None:
        both = [PROMISE, ny.LinkedKAnonymity(k=2, knows=1)]
        with pytest.raises(ParameterError, match="one unit for all promises"):
            ny.publish(survey(), schema(None), privacy=both)

    def test_another_word(self) -> None:
        with pytest.raises(ParameterError, match="household"):
            ny.LinkedKAnonymity(k=2, knows=1, of="family")  # type: ignore[arg-type]

    @pytest.mark.parametrize("method", [ny.IterativeRecoding(), ny.Mondrian(), ny.Anatomy()], ids=lambda m: m.key)
    def test_methods_that_publish_a_value_in_several_ways(self, method: Any) -> None:
        with pytest.raises(JobError, match="household"):
            ny.publish(survey(), schema(None), privacy=[PROMISE], method=method)

    def test_a_person_in_several_households(self) -> None:
        moved = survey().with_columns(pl.col("who").replace("h1-a", "h0-a"))
        with pytest.raises(TableError, match="several for 1 person: 'h0-a'"):
            ny.publish(moved, schema(), privacy=[PROMISE])


class TestWarnings:
    def keys(self, release: Any) -> list[str]:
        return [one.key for one in release.warnings]

    def test_a_promise_to_households_needs_none(self) -> None:
        assert "households-together" not in self.keys(published())

    def test_other_columns_that_members_share_are_not_told(self) -> None:
        table = survey()[:12].with_columns(pl.col("home").alias("street"))
        release = ny.publish(table, schema(None, street=ny.insensitive()), privacy=[ny.KAnonymity(k=3)], method=METHOD)
        assert "members-of-one-household-linked" not in self.keys(release)
        assert "households-together" in self.keys(release)

    def test_quasi_identifiers_that_members_share(self) -> None:
        """A class of four persons is of two households: the region finds them though k = 4 holds."""
        rows = [(f"h{i}", f"h{i}-{j}", "north" if i < 2 else "south") for i in range(8) for j in range(2)]
        table = pl.DataFrame(rows, schema=["home", "who", "region"], orient="row")
        roles = {"home": ny.household(), "who": ny.person(), "region": ny.quasi(level=0)}
        release = ny.publish(table, roles, privacy=[ny.KAnonymity(k=4)], method=METHOD)
        found = [one for one in release.warnings if one.key == "members-of-one-household-linked"]
        assert [one.figures for one in found] == [{"column": "region", "fewest_households": 2}]
        enough = ny.publish(table, roles, privacy=[ny.KAnonymity(k=2)], method=METHOD)
        assert "members-of-one-household-linked" not in self.keys(enough)
