"""Warnings: what a release that keeps every promise still gives away, counted by hand and by slow oracles."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import DIVERSE, K2, people, people_schema, released

import nymity as ny
from nymity.publishing.caveats import ORDER, Caveat, caveats_of_table, differences, verdict, worst_first
from nymity.publishing.caveats.of_table import plain_form
from nymity.publishing.jobs.job import Output
from nymity.publishing.releases.release import Release
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.schema import Schema

L2 = ny.DistinctLDiversity(l=2, attribute="s")


def warned(release: Release) -> dict[str, Caveat]:
    return {caveat.key: caveat for caveat in release.warnings}


def published(values: dict[str, list[Any]], roles: dict[str, Any], **options: Any) -> Release:
    chosen = {"privacy": [K2], "method": ny.OptimalLattice(suppression=0)} | options
    return ny.publish(pl.DataFrame(values), Schema(roles), **chosen)


# -- insensitive columns ---------------------------------------------------------------------------------------


def test_a_column_that_singles_out_rows_is_told_with_its_share() -> None:
    release = published(
        {"q": ["a"] * 4 + ["b"] * 4, "i": [1, 1, 2, 3, 1, 1, 1, 1], "j": [5, 6, 7, 7, 8, 8, 8, 8]},
        {"q": quasi(), "i": insensitive(), "j": insensitive()},
    )
    found = warned(release)["columns-that-single-out"]
    assert found.figures == {
        "rows": 8,
        "unique_before": 0,
        "unique_once_known": {"i": 2, "j": 2},
        "unique_with_all": 4,
    }
    assert found.says == (
        "25% of rows (2 of 8) are unique once 'i' is known, and 50% once both insensitive columns are known."
    )


def test_columns_that_single_out_nobody_are_no_warning() -> None:
    release = published({"q": ["a"] * 4, "i": [1, 1, 2, 2]}, {"q": quasi(), "i": insensitive()})
    assert release.warnings == ()
    assert release.certificate["not_protected"] == []


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["a", "b", None])] * 2, *[st.sampled_from([1, 2, 3, None])] * 2),
        min_size=1,
        max_size=12,
    )
)
def test_unique_rows_are_those_a_slow_count_finds(rows: list[tuple[Any, ...]]) -> None:
    table = pl.DataFrame(rows, schema={"q": pl.String, "r": pl.String, "i": pl.Int64, "j": pl.Int64}, orient="row")
    found = caveats_of_table(table, quasi=["q", "r"], sensitive=[], insensitive=["i", "j"], models=[])

    def unique(places: list[int]) -> int:
        counts = Counter(tuple(row[place] for place in places) for row in rows)
        return sum(count == 1 for count in counts.values())

    alone, together = unique([0, 1]), unique([0, 1, 2, 3])
    assert [caveat.figures for caveat in found] == (
        [
            {
                "rows": len(rows),
                "unique_before": alone,
                "unique_once_known": {"i": unique([0, 1, 2]), "j": unique([0, 1, 3])},
                "unique_with_all": together,
            }
        ]
        if together > alone
        else []
    )


# -- sensitive columns -----------------------------------------------------------------------------------------


def test_values_that_differ_in_spelling_alone_are_not_diverse() -> None:
    values = ["flu", " FLU", "cold", "gout"]
    release = published({"q": ["a"] * 2 + ["b"] * 2, "s": values}, {"q": quasi(), "s": sensitive()}, privacy=[K2, L2])
    assert release.verification.holds
    found = warned(release)["values-spelled-alike"]
    assert found.figures == {
        "column": "s",
        "values": 4,
        "values_merged": 3,
        "fewest_values": 2,
        "fewest_values_merged": 1,
        "largest_share_merged": 1.0,
    }
    assert "a class has 1 different value at least, not 2" in found.says


@pytest.mark.parametrize(
    "other",
    ["Grippé", "grippé ", "grip\u200bpé", "grippe\u0301", "ＧＲＩＰＰÉ", "\u00a0grippé", "gripp\u00c9"],
)
def test_spellings_that_count_as_one(other: str) -> None:
    assert plain_form(other) == plain_form("grippé")
    assert unicodedata.normalize("NFC", other) != "grippé" or other != "grippé"


@pytest.mark.parametrize("other", ["grippe", "grip pé", "grippé 2"])
def test_spellings_that_stay_apart(other: str) -> None:
    assert plain_form(other) != plain_form("grippé")


def test_a_class_whose_value_is_missing_for_all_is_told_apart_from_what_is_certain() -> None:
    release = published(
        {"q": ["a"] * 3 + ["b"] * 3 + ["c"] * 2, "s": [None, None, None, "x", "x", "x", "x", "y"]},
        {"q": quasi(), "s": sensitive()},
        privacy=[ny.KAnonymity(k=2)],
    )
    found = warned(release)
    bare, missing = found["no-promise-about-sensitive"], found["missing-values"]
    assert bare.figures == {"column": "s", "records": 8, "certain": 6, "certain_missing": 3, "largest_share": 1.0}
    assert "75% of records, 3 of them a missing value" in bare.says
    assert missing.figures["classes_all_missing"] == 1
    assert missing.figures["records_in_classes_all_missing"] == 3
    assert missing.figures["missing"] == 3


def test_a_gap_that_counts_as_a_value_is_told() -> None:
    release = published(
        {"q": ["a", "a", "b", "b"], "s": ["x", None, "x", "y"]}, {"q": quasi(), "s": sensitive()}, privacy=[K2, L2]
    )
    found = warned(release)["missing-values"]
    assert (found.figures["fewest_values"], found.figures["fewest_values_without_gaps"]) == (2, 1)
    assert "a class has 2 different ones at least, but without it 1" in found.says


def test_the_largest_share_of_a_value_without_a_promise() -> None:
    release = published({"q": ["a"] * 4, "s": ["x", "x", "x", "y"]}, {"q": quasi(), "s": sensitive()})
    assert warned(release)["no-promise-about-sensitive"].says == (
        "No promise is about 's': one value has up to 75% of a class."
    )


def test_sensitive_columns_without_a_promise() -> None:
    schema = people_schema(note=sensitive())
    release = ny.publish(people(), schema, privacy=[K2, DIVERSE], method=ny.OptimalLattice(suppression=0.2))
    told = [caveat.figures["column"] for caveat in release.warnings if caveat.key == "no-promise-about-sensitive"]
    assert told == ["note"]


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "X", "x ", "y", None])), min_size=1, max_size=10)
)
def test_figures_of_sensitive_values_are_those_of_a_slow_count(rows: list[tuple[str, str | None]]) -> None:
    table = pl.DataFrame(rows, schema={"q": pl.String, "s": pl.String}, orient="row")
    found = {
        caveat.key: caveat.figures
        for caveat in caveats_of_table(table, quasi=["q"], sensitive=["s"], insensitive=[], models=[L2])
    }
    classes: dict[str, list[str | None]] = defaultdict(list)
    for group, value in rows:
        classes[group].append(value)
    merged = {group: [value and value.strip().lower() for value in values] for group, values in classes.items()}
    fewest, fewest_merged = (min(len(set(values)) for values in of.values()) for of in (classes, merged))
    known = min(len(set(values) - {None}) for values in classes.values())
    different = {value for _, value in rows} - {None}
    spelled = found.get("values-spelled-alike")
    assert (spelled is not None) == (len({value.strip().lower() for value in different if value}) < len(different))
    if spelled is not None:
        assert (spelled["fewest_values"], spelled["fewest_values_merged"]) == (fewest, fewest_merged)
        share = max(count / len(values) for values in merged.values() for count in Counter(values).values())
        assert spelled["largest_share_merged"] == pytest.approx(share, abs=1e-4)
    empty = [values for values in classes.values() if set(values) == {None}]
    missing = found.get("missing-values")
    assert (missing is not None) == (bool(empty) or known < fewest)
    if missing is not None:
        assert missing["records_in_classes_all_missing"] == sum(map(len, empty))
        assert missing["fewest_values_without_gaps"] == known


# -- people ----------------------------------------------------------------------------------------------------


def test_one_person_with_several_records_makes_k_count_records() -> None:
    release = published({"id": ["p", "p", "q", "r"], "a": ["x", "x", "y", "y"]}, {"id": identifying(), "a": quasi()})
    found = warned(release)["several-records-of-one-person"]
    assert found.figures == {
        "column": "id",
        "records": 4,
        "different": 3,
        "most_records_of_one": 2,
        "fewest_people_in_a_class": 1,
    }
    assert "k counts records, not people, and some class is of 1 person" in found.says


def test_names_that_repeat_are_warned_of_also_where_a_number_tells_records_apart() -> None:
    """The number may be that of a visit; whether two kims are one person only the custodian knows."""
    frame = {"id": [1, 2, 3, 4], "name": ["kim", "kim", "lee", "lee"], "a": ["x", "y", "x", "y"]}
    release = published(frame, {"id": identifying(), "name": identifying(), "a": quasi()})
    assert warned(release)["several-records-of-one-person"].figures["column"] == "name"


def test_a_column_of_people_beside_a_number_of_records_is_found() -> None:
    frame = {"visit": [1, 2, 3, 4], "patient": ["p", "p", "q", "q"], "a": ["x", "x", "y", "y"]}
    release = published(frame, {"visit": identifying(), "patient": identifying(), "a": quasi()})
    assert warned(release)["several-records-of-one-person"].figures["column"] == "patient"


def test_people_without_a_name_are_people_of_their_own() -> None:
    frame = {"id": [None, None, "p", "p", "q"], "a": ["x", "x", "y", "y", "y"]}
    release = published(frame, {"id": identifying(), "a": quasi()})
    found = warned(release)["several-records-of-one-person"].figures
    assert (found["records"], found["fewest_people_in_a_class"]) == (3, 2)


# -- method and kind -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "models", "told"),
    [
        (ny.OptimalLattice(suppression=0.2), [K2, DIVERSE], True),
        (ny.OptimalLattice(suppression=0.2), [K2], False),
        (ny.OptimalLattice(loss=ny.ClassificationLoss(), suppression=0.2), [K2], True),
        (ny.Mondrian(), [K2, DIVERSE], True),
        (ny.Mondrian(), [K2], False),
        (ny.FreeformGreedy(), [ny.KMatching(k=2)], False),
        (ny.Buckets(), [ny.FrequencyLDiversity(l=2, attribute="disease")], False),
    ],
)
def test_optimality_is_told_where_sensitive_values_decided(method: Any, models: list[Any], told: bool) -> None:
    found = warned(released(method=method, privacy=models))
    assert ("optimality" in found) == told
    if told:
        assert "minimality" in found["optimality"].says


def test_levels_chosen_by_hand_are_told() -> None:
    """Of a search nothing of the kind is said."""
    assert "chosen-by-hand" not in warned(released(method=ny.OptimalLattice(suppression=0.2), privacy=[K2, DIVERSE]))
    by_hand = warned(released(method=ny.FixedLevels(), privacy=[K2]))
    assert "nothing bounds what the choice itself tells" in by_hand["chosen-by-hand"].says


def test_what_a_kind_leaves_open_is_a_warning_of_the_same_form() -> None:
    release = released(method=ny.Buckets(), privacy=[ny.FrequencyLDiversity(l=2, attribute="disease")])
    keys = [caveat.key for caveat in release.warnings]
    assert keys[-3:] == ["presence", "background-knowledge", "correlation"]
    assert all(set(one) <= {"warning", "says", "figures"} for one in release.certificate["not_protected"])


def test_rows_with_cells_of_their_own_are_not_counted_by_class() -> None:
    release = released(method=ny.FreeformGreedy(), privacy=[ny.KMatching(k=2)])
    assert warned(release)["no-promise-about-sensitive"].figures == {"column": "disease"}
    assert "equal-rows" in warned(release)


def private(frame: pl.DataFrame, **options: Any) -> Release:
    schema = Schema({"a": quasi(ny.Hierarchy.from_rows([["x", "*"], ["y", "*"]])), "id": identifying()})
    model = ny.DifferentialPrivacy(epsilon=2, delta=1e-4, public_records=1000)
    return ny.publish(frame, schema, privacy=[model], method=ny.SafePub(**options))


def test_warnings_of_a_private_release_do_not_depend_on_its_records() -> None:
    one = pl.DataFrame({"a": ["x", "y"] * 300, "id": [str(i) for i in range(600)]})
    other = pl.DataFrame({"a": ["x"] * 900, "id": ["same"] * 900})
    assert private(one).certificate["not_protected"] == private(other).certificate["not_protected"]
    assert [one.key for one in private(one).warnings[:2]] == ["no-ledger", "several-records-of-one-person"]


def test_a_known_seed_is_the_worst_warning() -> None:
    release = private(pl.DataFrame({"a": ["x", "y"] * 300, "id": list(map(str, range(600)))}), not_private_seed=1)
    assert release.warnings[0].key == "known-seed"


# -- order and words -------------------------------------------------------------------------------------------


@given(st.permutations([*ORDER, "presence", "correlation"]))
def test_the_worst_comes_first(keys: list[str]) -> None:
    found = [caveat.key for caveat in worst_first(Caveat(key=key, says="") for key in keys)]
    assert found[: len(ORDER)] == list(ORDER)
    assert found[len(ORDER) :] == [key for key in keys if key not in ORDER]


def test_the_verdict_counts_warnings() -> None:
    assert [verdict(True, n) for n in (0, 1, 2)] == ["holds", "holds, with 1 warning", "holds, with 2 warnings"]
    assert verdict(False, 3) == "does not hold"


def test_a_certificate_that_hides_or_forges_a_warning_is_found() -> None:
    found = [Caveat(key="missing-values", says="bad", figures={"column": "s", "missing": 3})]
    keys = ("missing-values",)
    assert differences([found[0].plain()], found, keys) == []
    assert "leaves out a warning" in differences([], found, keys)[0]
    assert (
        "other figures" in differences([{**found[0].plain(), "figures": {"column": "s", "missing": 1}}], found, keys)[0]
    )
    assert "does not show" in differences([found[0].plain()], [], keys)[0]
    assert differences([{"warning": "optimality", "says": ""}], [], keys) == []


def test_warnings_hold_no_value_of_the_table() -> None:
    frame = people().with_columns(pl.Series("disease", ["zzmark", "ZZMARK ", "zz"] * 5))
    release = ny.publish(frame, people_schema(), privacy=[K2], method=ny.OptimalLattice(suppression=0.2))
    assert "values-spelled-alike" in warned(release)
    assert "zz" not in str(release.certificate["not_protected"]).lower()


# -- checking --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "models"),
    [
        (ny.OptimalLattice(suppression=0.2), [K2]),
        (ny.Mondrian(), [K2, DIVERSE]),
        (ny.FreeformGreedy(), [ny.KMatching(k=2)]),
        (ny.Buckets(), [ny.FrequencyLDiversity(l=2, attribute="disease")]),
    ],
    ids=["levels", "partition", "freeform", "buckets"],
)
@pytest.mark.parametrize("format", ["csv", "parquet", "xlsx"])
def test_a_check_of_the_file_finds_the_same(method: Any, models: list[Any], format: Any, tmp_path: Path) -> None:
    frame = people().with_columns(
        pl.Series("disease", ["flu", "Flu", None, "gout", "7", "flu "] * 2 + ["flu", "cold", "07"]),
        pl.Series("note", [date(2024, 1, 1), None, date(2024, 2, 1)] * 5),
        pl.Series("weight", [0.5, 1.0, 2.0, float("nan"), None] * 3),
    )
    release = ny.publish(
        frame,
        people_schema(weight=insensitive()),
        privacy=models,
        method=method,
        output=Output(format=format),
        out=tmp_path / "release",
    )
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text())
    found = ny.check(tmp_path / "release" / f"release.{format}", certificate=certificate)
    assert found.problems == ()
    assert found.warnings == release.warnings
    assert "values-spelled-alike" in {one.key for one in found.warnings}
    forged_certificate = {**certificate, "not_protected": []}
    forged = ny.check(ny.open(release.table, certificate=forged_certificate, sensitive=release.sensitive_table))
    assert any("leaves out a warning" in text for text in forged.problems)


def _apart(release: Release) -> dict[str, Any]:
    return {} if release.counts is None else {"sensitive": release.sensitive_table}


def test_a_job_alone_shows_what_the_table_shows() -> None:
    release = released(privacy=[K2])
    found = ny.check(release.table, job=release.job)
    assert {one.key for one in found.warnings} == {"columns-that-single-out", "no-promise-about-sensitive"}


def test_texts_of_the_first_format_are_read_as_warnings() -> None:
    folder = Path(__file__).parents[2] / "releases-0.1.0" / "buckets" / "release"
    found = ny.check(folder / "release.csv", certificate=folder / "certificate.json")
    assert found.problems == ()
    assert [one.says[:40] for one in found.warnings if one.key == "presence"] == [
        "Presence: quasi-identifiers are publishe"
    ]


@pytest.mark.parametrize("key", ORDER)
def test_every_warning_has_its_row_in_the_docs(key: str) -> None:
    page = Path(__file__).parents[3] / "docs/concepts/warnings.md"
    assert f"| `{key}` |" in page.read_text(encoding="utf-8")


def test_without_quasi_identifiers_all_rows_are_one_class() -> None:
    frame = pl.DataFrame({"s": ["a", "a"], "i": [1, 2]})
    found = caveats_of_table(frame, quasi=[], sensitive=["s"], insensitive=["i"], models=[])
    assert [caveat.figures.get("unique_with_all", caveat.figures.get("certain")) for caveat in found] == [2, 2]
