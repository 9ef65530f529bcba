"""Freeform releases: published, verified against the source, certified, checked, tampered with and refused."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from samples import K2, people, people_schema

from drawing import Chosen
from nymity.core.errors import FileError, InputError, NoSolutionError, ParameterError, PromiseError, TableError
from nymity.lattice.optimal import OptimalLattice
from nymity.partition import freeform
from nymity.partition.freeform import Freeform, FreeformGreedy, FreeformHungarian, FreeformSortGreedy
from nymity.partition.mondrian import Mondrian
from nymity.privacy import DistinctLDiversity, KMap, KMatching
from nymity.publishing.checking.check import check
from nymity.publishing.comparing.compare import compare
from nymity.publishing.comparing.measure import measure
from nymity.publishing.jobs.job import Job
from nymity.publishing.releases.opened import open as open_release
from nymity.publishing.releases.release import Release
from nymity.publishing.running.pipeline import publish
from nymity.report import render_report
from nymity.table.attribute import insensitive, quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.partition_recoding import PLACES
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema

K3 = KMatching(k=3)
METHODS: list[Freeform] = [
    FreeformGreedy(),
    FreeformSortGreedy(cells="set"),
    FreeformHungarian(cells="hierarchy"),
    FreeformGreedy(categorical="order", bounds={"age": (0, 120)}),
]
SCHEMA = people_schema(zip=quasi())


def released(method: Freeform = METHODS[0], k: int = 3) -> Release:
    return publish(people(), SCHEMA, privacy=KMatching(k=k), method=method)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_release(method: Freeform) -> None:
    release = released(method)
    assert release.verification.holds
    assert release.verification.findings[0].measured["k"] >= 3
    assert release.bound is not None
    assert release.bound <= release.loss
    assert (release.suppressed, release.frame.height) == (0, 15)
    assert sorted(release.log.source_rows) == list(range(15))
    for row, source in zip(release.frame.rows(named=True), release.log.source_rows, strict=True):
        raw = people().row(int(source), named=True)
        assert (row["disease"], row["note"]) == (raw["disease"], raw["note"])  # the other columns are of one record
    checked = check(release.frame, job=release.job, certificate=release.certificate, original=people())
    assert checked.holds
    assert checked.verification.findings == release.verification.findings


def test_rows_are_not_k_anonymous_and_nobody_says_so() -> None:
    release = released()
    assert release.verification.smallest_class == 1
    assert measure(release.frame, SCHEMA).models["k-anonymity"][""]["k"] == 1
    assert measure(release.frame, SCHEMA).models["k-matching"][""]["k"] is None
    (promised,) = release.certificate["promised"]
    assert promised["model"] == "k-matching"
    assert promised["verified"] == "against the source at publishing; the release alone cannot show it"
    assert "weaker than 3-anonymity" in promised["means"]
    assert release.certificate["measured"]["smallest_class"] == 1
    assert any("other columns come from" in source for source in release.certificate["random_sources"])
    assert "no-promise-about-sensitive" in {one.key for one in release.warnings}
    page = render_report(release, people())
    assert "This is not k-anonymity" in page
    assert "do not apply" in page
    assert "Highest risk" not in page


def test_written_and_read_again(tmp_path: Path) -> None:
    release = released()
    release.save(tmp_path / "release")
    recoding = Recoding.load(tmp_path / "release-custodian/recoding.json")
    assert recoding.kind == "freeform"
    assert recoding.to_dict() == release.recoding.to_dict()
    people().write_csv(tmp_path / "people.csv")
    found = check(
        tmp_path / "release/release.csv",
        job=release.job,
        certificate=tmp_path / "release/certificate.json",
        original=tmp_path / "people.csv",
    )
    assert found.holds
    assert Job.from_dict(json.loads(json.dumps(release.job.to_dict()))) == release.job


def test_without_the_original_nothing_is_claimed() -> None:
    release = released()
    found = check(release.frame, certificate=release.certificate)
    assert not found.holds
    assert found.verification.holds  # nothing is broken
    assert found.unchecked == (K3.promise(),)
    with pytest.raises(InputError, match="the job as well as the original"):
        check(release.frame, certificate=release.certificate, original=people())


def test_another_original_is_found_out() -> None:
    release = released()
    more = pl.concat([people(), people().head(1)])
    found = check(release.frame, job=release.job, certificate=release.certificate, original=more)
    assert not found.holds
    assert "an original of 15 records" in found.problems[0]
    mixed = people().with_columns(pl.col("zip").reverse())
    assert not check(release.frame, job=release.job, original=mixed).verification.holds
    with pytest.raises(TableError, match="unknown value"):
        check(release.frame, job=release.job, original=people().head(12))


# -- tampering -------------------------------------------------------------------------------------------------


def ages(release: Release, change: dict[str, str]) -> pl.DataFrame:
    assert set(change) <= set(release.frame["age"])
    return release.frame.with_columns(pl.col("age").replace(change))


def test_a_narrowed_cell_breaks_the_promise() -> None:
    release = released()
    cell = next(age for age in release.frame["age"].sort() if "-" in age)
    low = cell.split("-")[0]
    found = check(ages(release, {cell: low}), job=release.job, original=people())
    assert not found.verification.holds
    assert found.verification.findings[0].measured["k"] < 3


def test_a_widened_cell_keeps_the_promise_but_is_another_table() -> None:
    release = released()
    cell = next(age for age in release.frame["age"].sort() if "-" in age)
    low = cell.split("-")[0]
    wide = ages(release, {cell: f"{low}-93"})
    assert check(wide, job=release.job, original=people()).holds
    found = check(wide, job=release.job, certificate=release.certificate, original=people())
    assert found.verification.holds
    assert not found.holds


def test_exchanged_cells_break_the_promise() -> None:
    release = released()
    first, last = release.frame["age"].sort()[0], release.frame["age"].sort()[-1]
    assert not check(ages(release, {first: last, last: first}), job=release.job, original=people()).verification.holds


def test_a_faulty_method_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is verified, whatever the search believes."""
    own = np.tile(np.arange(15)[:, None], (1, 3))
    monkeypatch.setattr(freeform, "draw_links", lambda records, below: records[:, 0])
    monkeypatch.setattr(FreeformGreedy, "match", lambda self, rows, round_, observe: own[:, round_])
    with pytest.raises(PromiseError, match="3-matching"):
        released()


# -- what is drawn ---------------------------------------------------------------------------------------------


def test_equal_records_are_dealt_to_their_rows_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all orders that can be drawn, each of two equal records gets each of their two rows equally often.

    That each record a row covers is drawn with the same chance is computed in the tests of the method.
    """
    frame = pl.DataFrame({"age": [20, 20, 21], "note": ["a", "b", "c"]})
    table = encode(frame, Schema({"age": quasi(), "note": insensitive()}))
    monkeypatch.setattr(freeform, "draw_links", lambda records, below: records[:, 0])
    monkeypatch.setattr(FreeformGreedy, "match", lambda self, rows, round_, observe: np.array([1, 2, 0]))
    seen: Counter[tuple[str, str]] = Counter()
    for order in permutations(range(2)):
        outcome = FreeformGreedy().run(table, [KMatching(k=2)], columns=["age", "note"])
        seen.update(outcome.recoding.apply(frame, draws=Chosen({PLACES: order})).table.rows())
    assert seen == {
        ("20", "a"): 1,
        ("20", "b"): 1,
        ("20-21", "a"): 1,
        ("20-21", "b"): 1,
        ("20-21", "c"): 2,
    }


def test_the_draw_decides_whose_other_columns_a_row_has(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"age": [20, 30, 40], "note": ["a", "b", "c"]})
    table = encode(frame, Schema({"age": quasi(), "note": insensitive()}))
    monkeypatch.setattr(FreeformGreedy, "match", lambda self, rows, round_, observe: np.array([1, 2, 0]))
    cells = ("20-30", "30-40", "20-40")
    for column, notes in enumerate(("abc", "bca")):
        monkeypatch.setattr(freeform, "draw_links", lambda records, below, column=column: records[:, column])
        outcome = FreeformGreedy().run(table, [KMatching(k=2)], columns=["age", "note"])
        assert dict(outcome.recoding.apply(frame).table.rows()) == dict(zip(cells, notes, strict=True))


# -- what is refused -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [K2, DistinctLDiversity(l=2, attribute="disease")], ids=lambda model: model.key)
def test_other_models_are_refused(model: object) -> None:
    with pytest.raises(ParameterError, match="only 'k-matching'") as caught:
        publish(people(), SCHEMA, privacy=[K3, model], method=FreeformGreedy())  # type: ignore[list-item]
    assert "k-matching" in caught.value.hint
    assert "mondrian" in caught.value.hint


def test_populations_and_large_tables_are_refused() -> None:
    with pytest.raises(ParameterError, match="population"):
        publish(people(), SCHEMA, privacy=[K3, KMap(k=2, population=people())], method=FreeformGreedy())
    with pytest.raises(ParameterError, match="most_records"):
        released(FreeformHungarian(most_records=14))
    with pytest.raises((ParameterError, NoSolutionError), match="15"):
        released(k=16)


# -- with other methods ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [OptimalLattice(suppression=0.25), Mondrian(), OptimalLattice(outliers="remove")])
def test_classes_keep_it(method: OptimalLattice | Mondrian) -> None:
    release = publish(people(), people_schema(), privacy=KMatching(k=2), method=method)
    assert release.verification.findings[0].measured["k"] >= 2
    assert check(release.frame, job=release.job, original=people()).holds


def test_too_few_masked_rows_are_removed() -> None:
    """One masked row fits everybody, but its record fits no row but this."""
    frame = pl.DataFrame({"q": ["a"] * 5 + ["b"] * 5 + ["c"]})
    schema = Schema({"q": quasi()})
    release = publish(frame, schema, privacy=KMatching(k=3), method=OptimalLattice(suppression=0.1))
    assert (release.frame.height, release.suppressed) == (10, 1)
    assert release.verification.findings[0].measured["k"] == 5


# -- reading cells ---------------------------------------------------------------------------------------------


def test_ambiguous_cells_are_decided_by_the_recoding() -> None:
    frame = pl.DataFrame({"q": ["a", "b", "a, b", "c"], "s": list("wxyz")})
    schema = Schema({"q": quasi(), "s": sensitive()})
    release = publish(frame, schema, privacy=KMatching(k=3), method=FreeformGreedy())
    assert any(cell in ("{a, b, c}", "{a, a, b, c}") or cell.count(", ") > 2 for cell in release.frame["q"])
    assert check(open_release(release.frame, recoding=release.recoding, job=release.job), original=frame).holds
    assert compare(frame, release).suppressed == 0


def test_a_broken_certificate_is_refused() -> None:
    broken = dict(released().certificate) | {"promised": "k"}
    with pytest.raises(FileError, match="promised"):
        check(released().frame, certificate=broken)
