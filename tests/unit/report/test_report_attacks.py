"""The section on attacks: bars with limits, words for each attack, and nothing about private releases."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import nymity as ny
from nymity.publishing.releases.release import Release
from nymity.report import quick_attacks, render_report
from nymity.report.attacks import attacks_section
from nymity.report.drivers import drivers_figure
from nymity.report.markup import Figures
from nymity.report.subject import Subject


@pytest.fixture(scope="module")
def ward() -> tuple[pl.DataFrame, Release]:
    frame = ny.datasets.hospital(400, seed=2)
    models = [ny.KAnonymity(k=4), ny.FrequencyLDiversity(l=2, attribute="diagnosis")]
    method = ny.OptimalLattice(suppression=0.1)
    return frame, ny.publish(frame, ny.datasets.hospital_schema(), privacy=models, method=method)


def test_every_attack_has_a_bar_and_its_limit(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    found = quick_attacks(release, frame)
    assert found is not None
    figures = Figures()
    section = attacks_section(found, figures)
    bars = {row["c"]: row for row in figures.specs[0]["data"]["values"]}
    assert list(bars) == ["linkage", "homogeneity", "skewness", "background-knowledge"]
    assert (bars["linkage"]["l"], bars["linkage"]["k"]) == (0.25, "plain")
    assert bars["skewness"]["l"] == 0.5
    words = " ".join(section.parts)
    assert "300 people with seed 1" in words
    assert "Assumed: the attacker knows" in words
    assert "No attack did better than promised." in words


def test_an_exceeded_limit_is_marked(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    known = replace(release.released, models=(ny.KAnonymity(k=300),))
    found = ny.risk.attack(known, original=frame, attacks=["linkage", "membership"])
    figures = Figures()
    words = " ".join(attacks_section(found, figures).parts)
    assert figures.specs[0]["data"]["values"][0]["k"] == "strong"
    assert "1 attack did better than promised" in words
    assert "Not run" in words


def test_attacks_are_the_same_every_time(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    assert quick_attacks(release, frame) == quick_attacks(release, frame)


@pytest.mark.parametrize("method", [ny.Anatomy(), ny.FreeformGreedy()], ids=lambda method: method.key)
def test_the_page_has_the_section_for_every_kind_of_release(method: ny.Anatomy | ny.FreeformGreedy) -> None:
    frame = ny.datasets.hospital(80, seed=2)
    model = ny.FrequencyLDiversity(l=2, attribute="diagnosis") if isinstance(method, ny.Anatomy) else ny.KMatching(k=3)
    release = ny.publish(frame, ny.datasets.hospital_schema(), privacy=[model], method=method)
    assert render_report(release, frame, attacks=quick_attacks(release, frame)).count('id="attacks"') == 1


def test_private_releases_are_not_attacked_for_their_page() -> None:
    frame = pl.DataFrame({"q": [str(i % 2) for i in range(400)]})
    schema = ny.Schema({"q": ny.quasi(ny.Hierarchy.from_rows([["0", "*"], ["1", "*"]]))})
    model = ny.DifferentialPrivacy(epsilon=1.0, public_records=1000)
    release = ny.publish(frame, schema, privacy=[model], method=ny.SafePub())
    assert quick_attacks(release, frame) is None


def test_the_map_of_columns_counts_uniques(ward: tuple[pl.DataFrame, Release]) -> None:
    frame, release = ward
    figures = Figures()
    drivers_figure(Subject.of(release, frame), figures)
    fields = {(row["c"], row["x"]): row["s"] for row in figures.specs[0]["data"]["values"]}
    assert len(fields) == 36
    pairs = frame.group_by("age", "postcode").len()["len"]
    assert fields["age", "postcode"] == fields["postcode", "age"] == pytest.approx(int((pairs == 1).sum()) / 400)
    assert fields["sex", "sex"] == 0
