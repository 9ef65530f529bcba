"""Masked rows are one more class: whoever knows the published combinations knows whose rows they are."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    DistinctLDiversity,
    KAnonymity,
    KMatching,
    PrivacyModel,
    ProsecutorRisk,
    SampleUniques,
)
from nymity.publishing.certificates.verify import verify
from nymity.publishing.comparing.measure import measure
from nymity.publishing.running.pipeline import publish
from nymity.table.attribute import quasi, sensitive
from nymity.table.schema import Schema

AGES = [31, 32, 33, 34, 35, 36, 61]
ILL = ["flu", "cold", "flu", "asthma", "cold", "flu", "HIV"]
SEVEN = pl.DataFrame({"age": AGES, "ill": ILL})
SCHEMA = Schema({"age": quasi(ny.Hierarchy.intervals(width=10, origin=31)), "ill": sensitive()})

#: Promises that a single masked row breaks.
MODELS: list[PrivacyModel] = [
    KAnonymity(k=3),
    ProsecutorRisk(limit=0.34),
    AlphaKAnonymity(alpha=1, k=3, attribute="ill"),
    KMatching(k=3),
    AverageRisk(limit=0.25),
    SampleUniques(limit=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.key)
def test_nobody_is_alone_among_the_masked_rows(model: PrivacyModel) -> None:
    """Six people in their thirties and one of 61: no class covers her, so a masked row would be hers."""
    privacy = [model] if isinstance(model, KAnonymity) else [model, KAnonymity(k=2)]
    release = publish(SEVEN, SCHEMA, privacy=privacy, method=OptimalLattice(suppression=0.2))
    assert release.frame["age"].to_list() == ["31-40"] * 6
    assert "HIV" not in release.frame["ill"].to_list()
    assert release.certificate["suppressed"] == {
        "records": 1,
        "masked": 0,
        "removed": 1,
        "dropped_for_missing_values": 0,
    }


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.key)
def test_who_leaves_one_row_masked_has_broken_the_promise(model: PrivacyModel) -> None:
    """The release as it was before, put together by hand."""
    table = pl.DataFrame({"age": ["31-40"] * 6 + ["*"], "ill": ILL})
    originals = ny.privacy.consistency.Originals(SEVEN, {"age": SCHEMA.hierarchy("age", SEVEN["age"])})
    found = verify(table, ["age"], [model], originals=originals)
    assert not found.holds
    assert (found.classes, found.smallest_class, found.masked) == (2, 1, 1)
    assert found.findings[0].only_masked
    assert "masked" in str(found.findings[0].why)
    fine = verify(table.head(6), ["age"], [model], originals=originals)
    assert fine.holds
    assert not fine.findings[0].only_masked
    assert fine.findings[0].why is None


def test_a_class_that_fails_too_is_not_blamed_on_the_masked_rows() -> None:
    table = pl.DataFrame({"age": ["a", "a", "a", "b", "*"]})
    (finding,) = verify(table, ["age"], [KAnonymity(k=2)]).findings
    assert not finding.holds
    assert not finding.only_masked


def test_enough_masked_rows_stay() -> None:
    ages = [*AGES, 75, 99]
    table = pl.DataFrame({"age": ages, "ill": [*ILL, "flu", "cold"]})
    release = publish(table, SCHEMA, privacy=[KAnonymity(k=3)], method=OptimalLattice(suppression=0.4))
    assert sorted(release.frame["age"].to_list()) == ["*"] * 3 + ["31-40"] * 6
    assert (release.verification.classes, release.verification.smallest_class) == (2, 3)
    assert release.certificate["measured"]["classes"] == 2


def test_masked_rows_and_a_class_of_stars_are_one_class() -> None:
    """A tree of uneven depth publishes some values as ``*`` below its top: these rows look like masked ones."""
    rows = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["odd", "*", "*"], ["other", "*", "*"]]
    schema = Schema({"x": quasi(ny.Hierarchy.from_rows(rows), max_level=1)})
    values = ["a1", "a2", "a1", "odd", "odd", "other", "b1"]
    release = publish(
        pl.DataFrame({"x": values}), schema, privacy=[KAnonymity(k=3)], method=OptimalLattice(suppression=0.2)
    )
    assert sorted(release.frame["x"].to_list()) == ["*"] * 4 + ["a"] * 3  # b1 is one of four that look alike
    assert release.certificate["suppressed"]["masked"] == 1
    assert release.verification.classes == 2


@pytest.mark.parametrize("model", [AverageRisk(limit=0.25), SampleUniques(limit=0)], ids=lambda model: model.key)
def test_masked_rows_count_in_a_mean(model: PrivacyModel) -> None:
    """Without them the mean is fine, with the one row it is not, in a search and on a table alike."""
    schema = Schema({"x": quasi(max_level=0)})
    table = pl.DataFrame({"x": ["a"] * 4 + ["b"] * 4 + ["c"]})
    release = publish(table, schema, privacy=[model], method=OptimalLattice(suppression=0.2))
    assert sorted(release.frame["x"].to_list()) == ["a"] * 4 + ["b"] * 4
    assert model.reached(ny.privacy.Groups(table, ["x"])) == measure(table, schema).models[model.key][""]


def test_strict_is_gone() -> None:
    table: Any = pl.DataFrame({"age": ["*", "b", "b"]})
    schema = Schema({"age": quasi()})
    for call in (
        lambda: measure(table, schema, strict=True),  # type: ignore[call-arg]
        lambda: ny.measure_risk(table, schema, strict=True),  # type: ignore[call-arg]
        lambda: ny.risk.drivers(table, schema, strict=True),  # type: ignore[call-arg]
    ):
        with pytest.raises(TypeError, match="strict"):
            call()


def test_default_releases_of_small_tables_leave_no_few_masked_rows() -> None:
    """Tables of a hospital as 0.1.0 published them with 1 to k - 1 masked rows nearly every second time."""
    seen = []
    for rows in (40, 80, 160):
        for seed in range(4):
            frame = ny.datasets.hospital(rows, seed=seed)
            method = OptimalLattice(suppression=0.05)
            release = publish(frame, ny.datasets.hospital_schema(), privacy=KAnonymity(k=5), method=method)
            seen.append((release.verification.masked, release.certificate["suppressed"]["removed"]))
    assert all(masked == 0 or masked >= 5 for masked, _ in seen)
    assert any(0 < removed < 5 for _, removed in seen)


def test_a_diverse_masked_class_still_has_to_be_large_enough() -> None:
    """Diversity alone is not enough: two rows of two values are two people."""
    table = pl.DataFrame({"age": [31] * 4 + [61, 75], "ill": ["flu", "cold"] * 3})
    release = publish(
        table,
        SCHEMA,
        privacy=[KAnonymity(k=3), DistinctLDiversity(l=2, attribute="ill")],
        method=OptimalLattice(suppression=0.4),
    )
    assert "*" not in release.frame["age"].to_list()
