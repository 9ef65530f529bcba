"""The study metrics: its smallest scale from end to end, and its parts against their definitions."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nymity.core.errors import Interrupted
from nymity.core.progress import Progress
from nymity.publishing.comparing.metrics import METRICS
from nymity.quality import LOSSES
from nymity.quality.trust import measured_trust
from nymity.utility.naive_bayes import area_of
from nymity_lab.study import find_study
from nymity_lab.study.metrics import meta, paper
from nymity_lab.study.metrics.beyond import trust
from nymity_lab.study.metrics.data import BINS, GENERATED, TARGET, ThesisColumns, _split, _values, load
from nymity_lab.study.metrics.distributions import k_and_accuracy
from nymity_lab.study.metrics.duels import Duels, mean_with_interval
from nymity_lab.study.metrics.exhibits import exhibits
from nymity_lab.study.metrics.release_groups import PARTS, THESIS, by_encoding, release_groups_of
from nymity_lab.study.metrics.releases import ALGORITHMS, DATAFLY, MONDRIAN, SHUFFLED, make
from nymity_lab.study.metrics.shipped import ship
from nymity_lab.study.metrics.work import ENCODINGS, JOINED, PROXY, PUBLISHED, UTILITIES, _learner, _released
from nymity_lab.study.runner import StudyRun, run_study
from nymity_lab.study.study import Results
from nymity_lab.study.workers import plain_rows

NUMBERS = (
    "Figure 3.4", "Figure 4.1", "Figure 4.2", "Figure 4.3", "Figure 4.4", "Figure 4.5", "Figure 4.6", "Figure 4.7",
    "Figure 4.8", "Table 4.1", "Figure 4.9", "Table 4.2", "Table 4.3", "Table 4.4", "Table 4.5", "Appendix A",
    "Beyond 1", "Beyond 2",
)  # fmt: skip
#: Figures of metrics alone, which no encoding has a part in.
ALONE = ("Figure 4.3", "Figure 4.4")


@pytest.fixture(scope="module")
def smoke(folder: Path) -> StudyRun:
    """Interrupted after a few steps, then resumed."""

    def stop(progress: Progress) -> None:
        if progress.done >= 3:
            raise Interrupted

    with pytest.raises(Interrupted):
        run_study(find_study("metrics"), "smoke", out=folder, jobs=1, observe=stop)
    assert len(list((folder / "steps").iterdir())) >= 3
    assert not (folder / "study.json").exists()
    return run_study(find_study("metrics"), "smoke", out=folder, jobs=1)


@pytest.fixture(scope="module")
def results(smoke: StudyRun, folder: Path) -> Results:
    """What the steps found, in their order, as if it were of real data."""

    def rows(id_: str) -> Any:
        return json.loads((folder / "steps" / f"{id_}.json").read_text(encoding="utf-8"))["rows"]

    first = {step.id: rows(step.id) for step in smoke.study.steps_at("smoke")}
    later = smoke.study.later(Results(scale="smoke", by_step=first))
    return Results(scale="quick", by_step=first | {step.id: rows(step.id) for step in later})


# -- the study as a whole --------------------------------------------------------------------------------------


def test_every_exhibit_is_there(smoke: StudyRun, folder: Path) -> None:
    again = tuple(f"{number}, features joined" for number in NUMBERS if number not in ALONE)
    assert tuple(exhibit.number for exhibit in smoke.exhibits) == NUMBERS + again
    assert all(exhibit.findings and exhibit.panels and exhibit.notes for exhibit in smoke.exhibits)
    assert all(panel.values for exhibit in smoke.exhibits for panel in exhibit.panels)
    assert {finding.holds for exhibit in smoke.exhibits for finding in exhibit.findings} == {None}
    page = (folder / "study.html").read_text(encoding="utf-8")
    assert all(f"{exhibit.number}: {exhibit.title}" in page for exhibit in smoke.exhibits)
    assert '"regression"' in page  # lines through the points


def test_every_figure_is_kept(smoke: StudyRun, folder: Path) -> None:
    releases = pl.read_parquet(folder / "releases.parquet")
    assert releases.height == 2 * 3 * 6 * len(ENCODINGS)
    assert {f"metric {name}" for name in (*THESIS, PROXY)} <= set(releases.columns)
    assert {f"utility {name}" for name in UTILITIES} <= set(releases.columns)
    assert releases["k"].min() >= 2  # type: ignore[operator]
    assert pl.read_parquet(folder / "meta-metrics.parquet")["rate"].is_between(0, 1).all()
    assert pl.read_parquet(folder / "originals.parquet")["data"].unique(maintain_order=True).to_list() == list(
        GENERATED
    )


def test_resumed_it_has_what_steps_find_by_themselves(smoke: StudyRun, results: Results) -> None:
    study = find_study("metrics")
    assert smoke.steps == len(results.by_step)
    assert smoke.computed <= smoke.steps - 3
    every = {step.id: step for step in (*study.steps_at("smoke"), *study.later(replace(results, scale="smoke")))}
    assert set(every) == set(results.by_step)
    for id_ in (
        "releases.generated-a.datafly.000",
        "releases.generated-b.mondrian.003",
        "meta.joined.generated-a.mondrian",
    ):
        again = plain_rows(every[id_].run(**every[id_].parameters))
        assert [row | {"seconds": 0} for row in again] == [row | {"seconds": 0} for row in results.by_step[id_]]


def test_findings_follow_from_the_results(results: Results) -> None:
    """With metrics that are the utility itself, every pair is picked right."""

    def doctored(row: dict[str, Any]) -> dict[str, Any]:
        known = {f"utility {name}": row["utility LR AUROC"] for name in UTILITIES}
        return row | known | {f"metric {name}": -row["utility LR AUROC"] for name in THESIS}

    perfect = {
        id_: [doctored(row) for row in rows] if id_.startswith("releases") else rows
        for id_, rows in results.by_step.items()
    }
    cell = release_groups_of(by_encoding(replace(results, by_step=perfect))[JOINED])[0]
    rates = cell.duels.rates[[cell.names.index(name) for name in THESIS]]
    assert rates == pytest.approx(np.tile(1 - cell.duels.ties / 2, (len(THESIS), 1)))
    found = {exhibit.number: exhibit for exhibit in exhibits(replace(results, by_step=perfect))}
    assert [finding.holds for finding in found["Table 4.1"].findings] == [False, False, False]
    assert found["Figure 4.2"].findings[0].holds is False
    honest = {exhibit.number: exhibit for exhibit in exhibits(results)}
    assert honest["Table 4.1, features joined"].findings[2].holds is True  # 50% to 65% on average


def test_the_thesis_tables_are_complete() -> None:
    assert {len(row) for row in paper.CHOICES.values()} == {len(THESIS)}
    assert sorted(name for part in PARTS for name in part) == sorted(THESIS)
    assert (len(paper.ALGORITHMS), len(paper.DATA), len(paper.UTILITIES)) == (3 * 2, 4 * 3, 6 * 5)
    assert {name for pair in paper.UTILITIES for name in pair} == set(UTILITIES)
    assert set(THESIS) <= {*LOSSES, *METRICS}


def test_figures_to_ship(smoke: StudyRun, folder: Path, tmp_path: Path, results: Results) -> None:
    ship(folder, tmp_path / "trust.json")
    written = json.loads((tmp_path / "trust.json").read_text(encoding="utf-8"))
    assert (written["scale"], written["releases"], written["data"]) == ("smoke", 36, list(GENERATED))
    for encoding, part in by_encoding(results).items():
        rows = {(row["metric"], row["utility"]): row for row in trust(part)}
        shipped = written["encodings"][encoding]
        for name, found in shipped.items():
            assert found["overall"]["rate"] == pytest.approx(rows[name, "all"]["rate"], abs=1e-4)
            assert set(found["by_utility"]) == set(UTILITIES)
        assert shipped["height"]["overall"]["pairs"] < shipped["loss"]["overall"]["pairs"]


def test_figures_that_come_with_nymity_are_those_of_the_kept_run() -> None:
    kept = Path(__file__).parents[4] / "docs" / "studies" / "records" / "metrics-trust.parquet"
    for row in pl.read_parquet(kept).iter_rows(named=True):
        metric = measured_trust(row["encoding"])[row["metric"]]
        shipped = metric.overall if row["utility"] == "all" else metric.by_utility[row["utility"]]
        for part in ("rate", "low", "high"):
            assert getattr(shipped, part) == pytest.approx(row[part], abs=1e-6), (row["metric"], row["utility"], part)


def test_encodings_share_metrics_and_differ_in_what_is_learned(results: Results) -> None:
    published, joined = (part.rows("releases") for part in by_encoding(results).values())
    assert len(published) == len(joined) == 36
    for theirs, ours in zip(published, joined, strict=True):
        assert (theirs["encoding"], ours["encoding"]) == ENCODINGS
        same = [name for name in theirs if name.startswith(("metric", "raw")) or name in ("data", "number", "k")]
        assert [theirs[name] for name in same] == [ours[name] for name in same]
    assert any(
        theirs[f"utility {u}"] != ours[f"utility {u}"]
        for theirs, ours in zip(published, joined, strict=True)
        for u in UTILITIES
    )


@pytest.mark.parametrize(
    ("accuracy", "falls", "noise"),
    [
        (lambda k, wobble, base: base + 0.3 - 0.015 * k + wobble, True, True),
        (lambda k, wobble, base: base + 0.1 + 0.005 * k + wobble, False, False),
        (lambda k, wobble, base: base + wobble * k, None, None),
    ],
)
def test_figure_3_4_is_decided_by_intervals(results: Results, accuracy: Any, falls: Any, noise: Any) -> None:
    """A fall of all orders holds, a rise of all does not, and orders that differ decide nothing."""
    part = by_encoding(results)[PUBLISHED]
    base = part.rows("original")[0]["most frequent class"]
    rows = [
        {"data": GENERATED[0], "k": k, "number": n, "accuracy": accuracy(k, wobble, base)}
        for k in (2, 10, 20)
        for n, wobble in enumerate((-0.004, 0.0, 0.004))
    ]
    known = {id_: found for id_, found in part.by_step.items() if not id_.startswith("figure-3.4")}
    found = k_and_accuracy(replace(part, by_step=known | {"figure-3.4.k=2": rows})).findings
    assert [finding.holds for finding in found] == [falls, noise]


# -- data ------------------------------------------------------------------------------------------------------


def test_records_are_divided_within_classes() -> None:
    classes = np.array(list("aaaaaaaabbbb") * 5)
    kept, tested = _split(classes, None, np.random.default_rng(0))
    assert sorted([*kept, *tested]) == list(range(60))
    assert (classes[tested] == "a").sum(), (classes[tested] == "b").sum() == (10, 5)
    fewer = _split(classes, 6, np.random.default_rng(0))
    assert [len(part) for part in fewer] == [6, 6]
    assert set(fewer[0]) < set(kept)


def test_bins_have_equal_widths_and_a_gap_is_a_category() -> None:
    column = pl.Series("x", ["0", "4.9", "5", "99.9", "100", None])
    source = ThesisColumns(public="", target="", continuous=("x",))
    assert _values(column, source).to_list() == [0, 0, 1, BINS - 1, BINS - 1, -1]
    ordinal = _values(pl.Series("x", ["7", "3", None]), ThesisColumns(public="", target=""))
    assert ordinal.to_list() == [7, 3, 2]
    words = _values(pl.Series("x", ["b", None]), ThesisColumns(public="", target="", unordered=("x",)))
    assert words.to_list() == ["b", "missing"]


# -- releases --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("number", [0, 1])
def test_releases_are_k_anonymous_and_true(algorithm: str, number: int) -> None:
    data = load("generated-a", None)
    made = make(data, algorithm, number)
    quasi = [column.name for column in data.columns]
    sizes = made.table.group_by(quasi).len()
    masked = pl.all_horizontal(pl.col(quasi).cast(pl.String) == "*")
    assert sizes.filter(~masked)["len"].min() >= made.k  # type: ignore[operator]
    assert sizes.filter(masked)["len"].sum() <= made.k
    assert made.table[TARGET].equals(data.table[TARGET])
    for column in data.columns:
        for raw, cell in zip(data.table[column.name].to_list(), made.table[column.name].to_list(), strict=True):
            covered = str(cell).strip("{}").split(", ")
            assert cell == "*" or str(raw) in covered
    assert make(data, algorithm, number).table.equals(made.table)
    assert not make(data, algorithm, number + 10).table.equals(made.table)


def test_only_datafly_keeps_neighbours_together() -> None:
    data = load("generated-a", None)
    places = {label: place for place, label in enumerate(data.columns[1].labels)}  # twenty bins of income

    def gaps(algorithm: str) -> bool:
        hierarchies = [make(data, algorithm, number).recoding.hierarchies["income"] for number in range(3)]
        groups = [
            [places[str(v)] for v, code in zip(h.values, h.codes[1], strict=True) if code == group]
            for h in hierarchies
            for group in set(h.codes[1].tolist())
        ]
        return any(max(group) - min(group) >= len(group) for group in groups)

    assert (gaps(DATAFLY), gaps(SHUFFLED)) == (False, True)
    cells = make(data, MONDRIAN, 0).recoding.to_dict()["cells"]["income"]["covered"]
    assert any(max(cell) - min(cell) >= len(cell) for cell in cells)


def test_k_is_given_or_drawn() -> None:
    data = load("generated-b", None)
    assert make(data, MONDRIAN, 0, k=9).k == 9
    drawn = [make(data, MONDRIAN, number).k for number in range(12)]
    assert min(drawn) >= 2
    assert len(set(drawn)) > 1


# -- duels -----------------------------------------------------------------------------------------------------

SMALL = st.integers(0, 3).map(float)


@given(
    st.integers(2, 7).flatmap(
        lambda n: st.tuples(arrays(float, (2, n), elements=SMALL), arrays(float, (2, n), elements=SMALL))
    )
)
@settings(max_examples=60, deadline=None)
def test_rates_are_what_their_definition_says(drawn: tuple[Any, Any]) -> None:
    scores, utilities = drawn
    scores = np.where(scores == 3, np.nan, scores)
    duels = Duels(scores=scores, utilities=utilities)
    for s in range(2):
        for u in range(2):
            credits = []
            for i, j in combinations(range(scores.shape[1]), 2):
                prefers, better = scores[s, i] - scores[s, j], utilities[u, i] - utilities[u, j]
                if not np.isnan(prefers):
                    credits.append(0.5 if prefers * better == 0 else float(prefers * better > 0))
            expected = np.mean(credits) if credits else np.nan
            assert duels.rates[s, u] == pytest.approx(expected, nan_ok=True)


def test_a_thousand_pairs_are_drawn_of_many() -> None:
    rng = np.random.default_rng(1)
    utility = rng.random((1, 80))
    duels = Duels(scores=np.concatenate([utility, -utility, rng.random((1, 80))]), utilities=utility)
    assert duels.pairs.shape == (1_000, 2)
    assert len({tuple(pair) for pair in duels.pairs.tolist()}) == 1_000
    assert duels.rates[:2, 0].tolist() == [1, 0]
    rate, low, high = mean_with_interval([duels], 2)
    assert low < rate < high
    assert low < 0.5 < high
    assert 0.05 < high - low < 0.25  # 80 releases: about ±7 points


def test_equally_useful_pairs_can_count_as_right() -> None:
    duels = Duels(scores=np.array([[1.0, 2.0, 3.0]]), utilities=np.array([[5.0, 5.0, 4.0]]))
    assert duels.ties.tolist() == [1 / 3]
    assert duels.rates[0, 0] == pytest.approx(0.5 / 3)
    assert duels.generous[0, 0] == pytest.approx(1 / 3)


# -- Meta-Metrics ----------------------------------------------------------------------------------------------

KINDS = ["single metric", "linear regression", "logistic regression of pairs"]


def learned(
    metrics: Any, utility: Any, models: list[str], others: list[Any] | None = None
) -> dict[tuple[str, str], float]:
    rows = meta.meta_metrics(JOINED, "a", "x", metrics.tolist(), {"u": utility.tolist()}, others or [], models, seed=3)
    return {(row["by"], row["to"]): row["rate"] for row in rows if "rate" in row}


def test_a_model_finds_what_metrics_tell() -> None:
    rng = np.random.default_rng(0)
    metrics = rng.random((40, 3))
    utility = metrics @ [1.0, -2.0, 0.5]
    other = rng.random((30, 3))
    there = {
        "data": "b",
        "algorithm": "x",
        "metrics": other.tolist(),
        "utilities": {"u": (-(other @ [1.0, -2.0, 0.5])).tolist()},
    }
    for kind in KINDS[1:]:
        found = learned(metrics, utility, [kind], [there])
        assert found["utility", "u"] > 0.95
        assert found["data", "b"] < 0.05  # there, everything is the other way round


def test_no_release_is_predicted_by_a_model_that_has_seen_it() -> None:
    """Noise cannot be predicted; a model that knew the tested releases, or was chosen by them, would seem to."""
    rng = np.random.default_rng(0)
    rates = [learned(rng.random((40, 12)), rng.random(40), KINDS)["utility", "u"] for _ in range(2)]
    assert 0.3 < np.mean(rates) < 0.7  # 280 pairs


def test_constant_utilities_are_even() -> None:
    metrics = np.random.default_rng(0).random((10, 2))
    assert learned(metrics, np.zeros(10), KINDS)["utility", "u"] == 0.5


def test_a_sum_of_metrics_is_tested_elsewhere() -> None:
    rng = np.random.default_rng(0)

    def place(data: str, algorithm: str, sign: float) -> dict[str, Any]:
        metrics = rng.random((20, 2))
        utilities = {"u": (sign * metrics[:, 0]).tolist(), "v": (sign * metrics[:, 0] * 2).tolist()}
        return {"data": data, "algorithm": algorithm, "metrics": metrics.tolist(), "utilities": utilities}

    rows = meta.pooled_metrics(JOINED, [place("a", "x", 1), place("b", "x", 1), place("c", "y", -1)], seed=0)
    found = {(row["by"], row["data"], row["utility"]): row["rate"] for row in rows}
    assert found["other algorithm", "c", "u"] < 0.1  # trained on a and b, where the first metric is good
    assert found["other algorithm", "a", "v"] < 0.1  # trained on c alone, where it is bad
    assert len(rows) == 12


# -- our candidate ---------------------------------------------------------------------------------------------


def test_learnability_of_the_original_and_of_nothing() -> None:
    learner, data = _learner("generated-a", None), load("generated-a", None)
    releases = [make(data, MONDRIAN, 0, k) for k in (2, 200)]
    original, some, nothing = (
        area_of(learner, examples) for examples in (learner.original, *(_released(learner, made) for made in releases))
    )
    assert original > some > nothing
    assert original > 0.7
    assert nothing == 0.5
