"""Every metric on releases of every kind, against its definition and by hand; what is undefined says why."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from samples import people, people_schema, released

import naive
import nymity as ny
from metric_oracles import ORACLES, Cell, Pair
from nymity.core.errors import ParameterError, TableError
from nymity.publishing.comparing.compare import Comparer, Comparison, compare
from nymity.publishing.comparing.metrics import METRICS
from nymity.publishing.releases.release import Release
from nymity.quality import LOSSES, ambiguity, diameter
from nymity.quality.metric import GROUPS
from nymity.table.attribute import quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.schema import Schema
from nymity.utility import Released, query_metric
from strategies import Case, cases, node_between

#: What need not be monotone under generalization: it looks at frequencies, distances or single queries.
NOT_MONOTONE = {
    "entropy-conditional",
    "squared-distance",
    "hellinger",
    "bivariate-correlation",
    "bivariate-correlation-corrected",
    "count-queries",
}


@pytest.fixture(scope="module", autouse=True)
def fewer_queries() -> Iterator[None]:
    """Ask fewer queries, for the oracle's sake."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query_metric, "QUERIES", 70)
        yield


def by_key(comparison: Comparison) -> dict[str, Any]:
    return {m.key: m for m in comparison.measured if m.key in METRICS}


def agrees(comparison: Comparison, pair: Pair) -> None:
    found = by_key(comparison)
    assert found.keys() == ORACLES.keys()
    for key, oracle in ORACLES.items():
        expected = oracle(pair)
        if expected is None:
            assert found[key].value is None, key
            assert found[key].undefined, key
        else:
            assert found[key].value == pytest.approx(expected, rel=1e-9, abs=1e-7), key


# -- against the definitions -----------------------------------------------------------------------------------


@st.composite
def full_domain(draw: st.DrawFn, **options: Any) -> tuple[Case, naive.Node, set[tuple[Any, ...]]]:
    """A table, a node of its lattice, and classes to suppress."""
    case = draw(cases(weighted=False, missing=False, numeric=True, max_records=14, **options))
    node = draw(node_between((0,) * len(case.top), case.top))
    classes = sorted({*case.records.at(node)})
    return case, node, set(draw(st.lists(st.sampled_from(classes), max_size=2)))


def generalized(case: Case, node: naive.Node, gone: set[tuple[Any, ...]], *, remove: bool) -> tuple[pl.DataFrame, Pair]:
    """Publish at a node, some classes suppressed: the table, and what became of each record."""
    names, hierarchies = list(case.schema.quasi), case.encoded.hierarchies
    rows, after = [], list[tuple[Cell, ...] | None]()
    for row in case.records.at(node):
        hidden = row in gone or all(cell == "*" for cell in row)
        cells = zip(hierarchies, node, row, strict=True)
        after.append(None if hidden else tuple(_covered(h, level, label) for h, level, label in cells))
        if not (hidden and remove):
            rows.append(["*"] * len(row) if hidden else list(row))
    kept = [row for row in after if row is not None]
    levels = [node[a] if kept else h.height for a, h in enumerate(hierarchies)]
    table = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return table, Pair(case.records.rows, after, hierarchies, levels)


def _covered(hierarchy: Hierarchy, level: int, label: Any) -> Cell:
    return frozenset(v for v in hierarchy.values if hierarchy.generalize(v, level) == label)


@settings(max_examples=25)
@given(drawn=full_domain(), remove=st.booleans())
def test_full_domain_releases(drawn: Any, remove: bool) -> None:
    case, node, gone = drawn
    table, pair = generalized(case, node, gone, remove=remove)
    found = compare(case.frame, ny.open(table, schema=case.schema))
    if pair.levels is not None and found.levels != dict(zip(case.schema.quasi, pair.levels, strict=True)):
        assume(False)  # a label of two levels is read on the lower one
    agrees(found, pair)


KINDS: dict[str, Any] = {
    "levels": ny.OptimalLattice(suppression=0.2),
    "removed": ny.OptimalLattice(suppression=0.2, outliers="remove"),
    "layers": ny.IterativeRecoding(share=0),
    "mondrian": ny.Mondrian(),
    "sets": ny.Mondrian(cells="set"),
    "nodes": ny.Mondrian(cells="hierarchy"),
    "grown": ny.KMember(),
    "freeform": ny.FreeformGreedy(),
}


def made(kind: str, table: pl.DataFrame | None = None, schema: Schema | None = None) -> Release:
    model: Any = ny.KMatching(k=3) if kind == "freeform" else ny.KAnonymity(k=3)
    chosen = people() if table is None else table
    return ny.publish(chosen, schema or people_schema(), privacy=model, method=KINDS[kind])


def what_became(table: pl.DataFrame, release: Release) -> Pair:
    """Follow the custodian's log, row by row."""
    names = list(release.job.schema.quasi)
    recoding: Any = release.recoding
    hierarchies = [recoding.hierarchies[name] for name in names]
    columns = [naive.texts(table[name].to_list()) for name in names]
    after = list[tuple[Cell, ...] | None]([None] * table.height)
    for released_row, source in enumerate(release.log.source_rows.tolist()):
        if not release.log.masked[released_row]:
            labels = [naive.texts(release.frame[name].to_list())[released_row] for name in names]
            after[source] = tuple(_stands_for(recoding, name, label) for name, label in zip(names, labels, strict=True))
    levels = list(release.levels.values()) if release.levels and len(recoding.layers) == 1 else None
    return Pair(list(zip(*columns, strict=True)), after, hierarchies, levels)


def _stands_for(recoding: Any, name: str, label: Any) -> Cell:
    hierarchy = recoding.hierarchies[name]
    if isinstance(recoding, PartitionRecoding):
        cells = recoding.cells[name]
        codes = [set(cells.codes(n).tolist()) for n, known in enumerate(cells.labels) if known == label]
        return frozenset(hierarchy.values[code] for code in set.union(*codes))
    levels = sorted({layer.levels[name] for layer in recoding.layers})
    return next(c for level in levels if (c := _covered(hierarchy, level, label)))


@pytest.mark.parametrize("kind", KINDS)
def test_releases_of_every_kind(kind: str) -> None:
    release = made(kind)
    agrees(compare(people(), release), what_became(people(), release))


def test_gaps_and_single_values() -> None:
    table = people().with_columns(
        age=pl.Series([None, 22, None, *people()["age"][3:]]), zip=pl.Series(["1", None, *people()["zip"][2:]]), one=1
    )
    schema = people_schema(one=quasi())
    for kind in ("levels", "mondrian"):
        release = made(kind, table, schema)
        agrees(compare(table, release), what_became(table, release))


@settings(max_examples=20)
@given(case=cases(weighted=False, numeric=True, max_records=14), k=st.integers(1, 4))
def test_local_recodings(case: Case, k: int) -> None:
    assume(case.frame.height >= k)
    release = ny.publish(case.frame, case.schema, privacy=ny.KAnonymity(k=k), method=ny.Mondrian())
    agrees(compare(case.frame, release), what_became(case.frame, release))


# -- by hand ---------------------------------------------------------------------------------------------------


def test_by_hand() -> None:
    """Two columns, four records; the last is suppressed, the others' ages are published as tens."""
    rows = [["20", "20s", "*"], ["24", "20s", "*"], ["30", "30s", "*"], ["40", "40s", "*"]]
    schema = Schema({"age": quasi(Hierarchy.from_rows(rows)), "sex": quasi()})
    original = pl.DataFrame({"age": ["20", "24", "30", "40"], "sex": ["f", "f", "m", "m"]})
    table = pl.DataFrame({"age": ["20s", "20s", "30s", "*"], "sex": ["f", "f", "m", "*"]})
    found = {key: m.value for key, m in by_key(compare(original, ny.open(table, schema=schema))).items()}
    assert found["relative-distance"] == 1 / 2 + 0
    assert found["granularity"] == pytest.approx((1 / 4 + 1 / 4 + 3 / 4 + 1 / 2) / 8)
    assert found["information-loss"] == pytest.approx((4 / 20 + 4 / 20 + 1 + 1) / 4)
    means = 2 * (2 / 20) ** 2 + (1 - (0 + 0.2 + 0.5 + 1) / 4) ** 2  # 22 for twice, 28.5 for the suppressed 40
    assert found["squared-distance"] == pytest.approx((means + (1 - 1 / 2) / 2) / 4)
    assert found["entropy-conditional"] == pytest.approx(1 + 1 + 2 + 1)
    assert found["mutual-information"] == pytest.approx(((2 - 2 / 4) / 2 + 1) / 2)
    assert found["diameter"] == 2
    ages, sexes = (1.25, 1.25, 1.25, 0.25), (2.5, 1.5)
    of_ages, of_sexes = sum((1 - x**0.5) ** 2 for x in ages) / 8, sum((2**0.5 - x**0.5) ** 2 for x in sexes) / 8
    assert found["hellinger"] == pytest.approx((of_ages**0.5 + of_sexes**0.5) / 2)
    told = [(1.125, 0.125), (1.125, 0.125), (0.125, 1.125), (0.125, 0.125)]  # ages by sexes, the suppressed one spread
    chi = sum((x - sum(row) * c / 4) ** 2 / (sum(row) * c / 4) for row in told for x, c in zip(row, sexes, strict=True))
    assert found["bivariate-correlation"] == pytest.approx(1 - (chi / 4) ** 0.5)


def test_the_corrected_v_by_hand() -> None:
    """Two independent binary columns show V = 0; ten records that agree show phi² = 1, less 1/9, over 1 - 1/9."""
    original = pl.DataFrame({"a": ["0", "1"] * 5, "b": ["0", "1"] * 5})
    schema = Schema({"a": quasi(), "b": quasi()})
    found = by_key(compare(original, ny.open(original.with_columns(a=pl.lit("*")), schema=schema)))
    assert found["bivariate-correlation"].value == 1
    assert found["bivariate-correlation-corrected"].value == pytest.approx(((1 - 1 / 9) / (1 - 1 / 9)) ** 0.5)


def test_conditional_entropy_is_entropy_without_suppression() -> None:
    release = ny.publish(people(), people_schema(), privacy=ny.KAnonymity(k=2), method=ny.OptimalLattice(suppression=0))
    found = compare(people(), release)
    assert found.value("entropy-conditional") == pytest.approx(found.value("entropy"))


# -- the scale -------------------------------------------------------------------------------------------------


def test_the_original_is_zero_and_full_suppression_one() -> None:
    masked = people().with_columns(age=pl.lit("*"), zip=pl.lit("*"), sex=pl.lit("*"))
    for table, end in ((people(), 0), (masked, 1), (masked[:0], 1)):
        found = compare(people(), ny.open(table, schema=people_schema()))
        scaled = {m.name: m.scaled for m in found.measured}
        none = {name for name, value in scaled.items() if value is None}
        assert none == {"bivariate-correlation-corrected"}  # nothing but chance connects the columns of this table
        assert [v for v in scaled.values() if v is not None] == pytest.approx([end] * (len(scaled) - 1))
        why = {m.undefined for m in found.measured if m.scaled is None}
        assert why == {"no scale: the original and full suppression are alike"}


@settings(max_examples=25)
@given(case=cases(weighted=False, max_records=12), seed=st.randoms())
def test_the_scale_of_any_table(case: Case, seed: Any) -> None:
    order = list(range(case.frame.height))
    seed.shuffle(order)
    found = compare(case.frame, ny.open(case.frame[order], schema=case.schema))
    for m in found.measured:
        assert m.value == m.original, m.name
        assert m.scaled == (None if m.original == m.suppressed else 0), m.name


@settings(max_examples=25)
@given(drawn=full_domain(), data=st.data())
def test_what_is_monotone(drawn: Any, data: st.DataObject) -> None:
    case, low, _ = drawn
    high = data.draw(node_between(low, case.top))
    values = []
    for node in (low, high):
        table, pair = generalized(case, node, set(), remove=False)
        assume(None not in pair.after)
        values.append(by_key(compare(case.frame, ny.open(table, schema=case.schema))))
    for key in METRICS.keys() - NOT_MONOTONE:
        before, after = (found[key].value for found in values)
        if before is not None and after is not None:
            worse = before - after if METRICS[key].better == "higher" else after - before
            assert worse >= -1e-9, key


def test_a_value_above_one_is_shown() -> None:
    """Cells of two equally frequent values are less certain than the whole column, in which a third prevails."""
    original = pl.DataFrame({"q": ["a", "b", *"c" * 98]})
    rows = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]]
    table = pl.DataFrame({"q": ["{a, b}"] * 2 + ["{a, b, c}"] * 98})
    found = by_key(compare(original, ny.open(table, schema=Schema({"q": quasi(Hierarchy.from_rows(rows))}))))[
        "entropy-conditional"
    ]
    column = -sum(f * np.log2(f) for f in (0.01, 0.01, 0.98))
    assert found.suppressed == pytest.approx(100 * column)
    assert found.value == pytest.approx(2 + 98 * column)
    assert found.scaled == pytest.approx((2 + 98 * column) / (100 * column))
    assert found.scaled > 1


# -- order and names -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["levels", "layers", "mondrian", "freeform"])
def test_order_of_rows_and_columns_of_the_release_do_not_matter(kind: str) -> None:
    release = made(kind)
    known = compare(people(), release)
    for table in (release.frame[::-1], release.frame.select(reversed(release.frame.columns))):
        assert compare(people(), ny.open(table, schema=people_schema(), recoding=release.recoding)) == known
    assert compare(people()[::-1], ny.open(release.frame, schema=people_schema(), recoding=release.recoding)) == known


def test_names_of_values_do_not_matter() -> None:
    rows = [["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"], ["4", "high", "*"]]
    plain = pl.DataFrame({"a": [*"1123344"], "b": [*"xxyyxyx"]})
    table = plain.with_columns(a=pl.Series([*["low"] * 3, *["high"] * 4]))
    named = [["é " + row[0], "ü" + row[1], "*"] for row in rows]
    one = Schema({"a": quasi(Hierarchy.from_rows([["v" + r[0], *r[1:]] for r in rows])), "b": quasi()})
    other = Schema({"~a": quasi(Hierarchy.from_rows(named)), "~b": quasi()})
    before = compare(plain.with_columns(a="v" + pl.col("a")), ny.open(table, schema=one))
    after = compare(
        plain.select((pl.lit("é ") + pl.col("a")).alias("~a"), pl.col("b").alias("~b")),
        ny.open(table.select((pl.lit("ü") + pl.col("a")).alias("~a"), pl.col("b").alias("~b")), schema=other),
    )
    assert [m.value for m in after.measured] == pytest.approx([m.value for m in before.measured])


# -- rows that cannot be matched -------------------------------------------------------------------------------


def undefined(comparison: Comparison) -> dict[str, str]:
    return {m.name: m.undefined or "" for m in comparison.measured if m.value is None}


def test_classes_that_lost_some_of_their_records() -> None:
    release = released()
    found = compare(people(), ny.open(release.frame.filter(pl.Series(~release.log.masked))[1:], schema=people_schema()))
    assert undefined(found).keys() == {"squared-distance", "mutual-information"}
    assert set(undefined(found).values()) == {
        "rows cannot be matched with the original's: classes are not kept as a whole"
    }


def test_an_original_in_another_order_is_matched_by_the_recoding() -> None:
    release = made("mondrian")
    assert compare(people()[::-1], release) == compare(people(), release)


def test_rows_that_the_recoding_does_not_make() -> None:
    release = made("mondrian")
    found = compare(people(), ny.open(release.frame[:-1], schema=people_schema(), recoding=release.recoding))
    assert "the recoding makes other rows of it" in undefined(found)["mutual-information"]
    assert found.suppressed == 1


def test_more_rows_than_the_original_has() -> None:
    release = made("mondrian")
    with pytest.raises(TableError, match=r"released table: expected at most the 15 records of the original, got 30"):
        compare(people(), ny.open(pl.concat([release.frame] * 2), schema=people_schema(), recoding=release.recoding))


def test_a_dropped_record_shifts_the_log() -> None:
    table = people().with_columns(sex=pl.Series([None, *people()["sex"][1:]]))
    release = made("mondrian", table, people_schema(sex=quasi(missing="drop")))
    kept = table[1:]
    pair = what_became(table, release)
    agrees(compare(table, release), dataclasses.replace(pair, before=pair.before[1:], after=pair.after[1:]))
    assert by_key(compare(kept, release)) == by_key(compare(table, release))


# -- what is undefined, and why --------------------------------------------------------------------------------


def test_undefined_for_classes_with_cells_of_their_own() -> None:
    found = undefined(compare(people(), made("mondrian")))
    assert found.keys() == {"height", "entropy", "entropy-normalized", "relative-distance"}
    assert all("classes have cells of their own" in why for why in found.values())


def test_undefined_for_several_levels() -> None:
    found = undefined(compare(people(), made("layers")))
    assert found.keys() == {"height", "entropy", "entropy-normalized", "relative-distance"}
    assert all("on several levels" in why for why in found.values())


def test_undefined_without_pairs_values_or_target() -> None:
    one = pl.DataFrame({"q": ["a", "a"], "s": ["x", "y"]})
    found = compare(one, ny.open(one.drop("s"), schema=Schema({"q": quasi(), "s": sensitive()})))
    assert undefined(found) == {
        "classification": "the column 's' is not in the released table",
        "mutual-information": "every column has one value",
        "bivariate-correlation": "a table with one quasi-identifier has no pairs",
        "bivariate-correlation-corrected": "a table with one quasi-identifier has no pairs",
    }


def test_buckets_leave_quasi_identifiers_as_they_are() -> None:
    table = pl.DataFrame({"age": [*range(12)], "sex": ["f", "m"] * 6, "ill": [*"abcabcabcabc"]})
    schema = Schema({"age": quasi(), "sex": quasi(), "ill": sensitive()})
    release = ny.publish(table, schema, privacy=ny.FrequencyLDiversity(l=2, attribute="ill"), method=ny.Anatomy())
    found = compare(table, release)
    assert undefined(found) == {"classification": "the column 'ill' is not in the released table"}
    assert {m.scaled for m in found.metrics if m.scaled is not None} == {0}


def test_a_diameter_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """No two rows differ in all three columns: that must be proved by comparing them."""
    table = pl.DataFrame({"a": [*"100"], "b": [*"010"], "c": [*"001"]})
    schema = Schema(dict.fromkeys("abc", quasi()))
    assert compare(table, ny.open(table, schema=schema)).value("diameter") == 2
    monkeypatch.setattr(diameter, "MOST_CELLS", 0)
    found = by_key(compare(table, ny.open(table, schema=schema)))["diameter"]
    assert (found.value, found.scaled) == (None, None)
    assert found.undefined == "it lies between 2 and 3: too many rows to compare them all"


def test_a_domain_that_cannot_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ambiguity, "MAX_COVERED", 1000)
    found = {m.name: m for m in compare(people(), ny.open(people(), schema=people_schema())).measured}
    assert "3 quasi-identifiers with 10^2 combinations" in str(found["ambiguity"].undefined)
    assert found["loss"].value == 0


# -- the answer ------------------------------------------------------------------------------------------------


def test_values_by_name() -> None:
    found = compare(people(), made("mondrian"))
    assert found.value("granularity") == by_key(found)["granularity"].value
    with pytest.raises(ParameterError, match="got 'height', undefined: classes have cells"):
        found.value("height")
    with pytest.raises(ParameterError, match="'granularity'"):
        found.value("granularty")


def test_every_measure_explains_itself() -> None:
    for kind in (*LOSSES.values(), *METRICS.values()):
        assert kind.group in GROUPS
        assert kind.better in ("lower", "higher")
        assert all(text == text.strip() != "" for text in (kind.title, kind.unit, kind.limits))
        assert not kind.title.endswith(".")
    assert not METRICS.keys() & LOSSES.keys()


def test_many_releases_of_one_original() -> None:
    """The original is encoded once, and again where a release was made with other hierarchies."""
    comparer = Comparer(people(), people_schema())
    for kind in ("levels", "mondrian", "levels", "layers", "freeform"):
        release = made(kind)
        assert comparer.compare(release) == compare(people(), release)
    other = people_schema(zip=quasi())
    release = made("levels", schema=other)
    assert comparer.compare(release) == compare(people(), release)
    with pytest.raises(TableError, match="the quasi-identifier 'zip'"):
        comparer.compare(people().drop("zip"))


def test_released_tables_with_hierarchies_of_their_own() -> None:
    """As a study makes them: a tree for each release, rows in the order of the original."""
    names = ["age", "zip", "sex"]
    table = people().select(names)
    comparer = Comparer(table, Schema(dict.fromkeys(names, quasi())))
    for seed in range(3):
        schema = Schema({name: quasi(Hierarchy.random_tree(seed=seed)) for name in names})
        for method in (ny.Datafly(), ny.Mondrian()):
            release = ny.publish(table, schema, privacy=ny.KAnonymity(k=2), method=method)  # type: ignore[arg-type]
            made = release.recoding.apply(table)
            known = {m.name: m for m in compare(table, release).measured}
            for rows in (made.source_rows, None):
                found = comparer.compare(Released(frame=made.table, recoding=release.recoding, source_rows=rows))
                assert all(known[m.name] == m for m in found.measured)
            wrong = made.source_rows[::-1]
            shuffled = comparer.compare(Released(frame=made.table, recoding=release.recoding, source_rows=wrong))
            assert undefined(shuffled).keys() == undefined(found).keys()  # a wrong log is not believed
