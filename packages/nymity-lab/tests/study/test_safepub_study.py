"""The study safepub: its smallest scale from end to end, its losses against their definitions, its findings by rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.table.hierarchy import Hierarchy
from nymity_lab.dp.comparators.printed_figures import DUELS
from nymity_lab.study import find_study
from nymity_lab.study.exhibit import Exhibit
from nymity_lab.study.runner import StudyRun
from nymity_lab.study.safepub.budgets import budgets
from nymity_lab.study.safepub.duels import chosen_elsewhere, courses, figure_17, largest
from nymity_lab.study.safepub.exhibit_parts import scaled
from nymity_lab.study.safepub.exhibits import exhibits
from nymity_lab.study.safepub.learning import DIFFGEN, TREE, learner_of
from nymity_lab.study.safepub.lost import MODELS, lost
from nymity_lab.study.safepub.releases import BEST, DRAW, K_ANONYMITY, PUBLISHED, WAYS, Sample, Setting, publish
from nymity_lab.study.safepub.steps import beside_budgets
from nymity_lab.study.safepub.study_tables import NAMES, TARGETS, StudyTable, source
from nymity_lab.study.safepub.work import SCHEMES
from nymity_lab.study.study import Results

STUDY = "safepub"
NUMBERS = (
    "Table 1", "Figure 9", "Figure 10", "Figure 11", "Figure 12", "Figure 13", "Figure 14", "Table 2", "Figure 15",
    "Figure 16", "Table 3", "Table 4", "Figure 17", "Figure 18", "Beyond the paper",
    "Beyond the paper, budget",
)  # fmt: skip


def test_every_exhibit_is_there(smoke: StudyRun, folder: Path) -> None:
    assert tuple(exhibit.number for exhibit in smoke.exhibits) == NUMBERS
    assert all(exhibit.panels and exhibit.notes for exhibit in smoke.exhibits)
    assert all(exhibit.findings for exhibit in smoke.exhibits if exhibit.number != "Table 2")
    page = (folder / "study.html").read_text(encoding="utf-8")
    assert all(f"{exhibit.number}: {exhibit.title}" in page for exhibit in smoke.exhibits)


def test_generated_records_decide_nothing_but_what_needs_no_records(smoke: StudyRun) -> None:
    verdicts = {exhibit.number: [finding.holds for finding in exhibit.findings] for exhibit in smoke.exhibits}
    assert verdicts.pop("Figure 9") == [True, True, True]
    assert verdicts.pop("Figure 10") == [True, True]  # k = 74 suffices where 75 is printed, which claims no minimum
    assert {holds for found in verdicts.values() for holds in found} == {None}


def test_printed_values_of_other_tables_are_shown(smoke: StudyRun) -> None:
    table = next(exhibit for exhibit in smoke.exhibits if exhibit.number == "Table 4")
    printed = {(value.at, value.series): value.paper for value in table.panels[0].values if value.ours is None}
    assert printed["Health interviews 2", f"{PUBLISHED}: relative"] == 0.991
    assert printed["US Census 1", "DiffGen: seconds"] == 16.2
    assert len({at for at, _ in printed}) == len(DUELS)


def test_full_scale_asks_for_the_survey_and_steps_have_ids_of_their_own() -> None:
    study = find_study("safepub")
    assert study.scales["full"].needs == ("adult", "fars", "nursery", "acs")
    assert len(study.steps_at("quick")) < len(study.steps_at("full"))


# -- findings follow from the results --------------------------------------------------------------------------


def read(rows: dict[str, Any], number: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Exhibit:
    """Return an exhibit as if real records had given these rows, changed."""
    changed = {id_: [row | change(row) for row in those] for id_, those in rows.items()}
    return exhibits(Results(scale="quick", by_step=changed))[NUMBERS.index(number)]


def test_real_records_decide_every_finding(rows: dict[str, Any]) -> None:
    """But those on draws that differ too much, and those that cannot be compared."""
    found = exhibits(Results(scale="quick", by_step=rows))
    drawn = ("Figure 11", "Figure 15", "Figure 16", "Table 4", "Figure 17", "Beyond the paper, budget")
    settled = [f for exhibit in found if exhibit.number not in drawn for f in exhibit.findings if f.comparable]
    assert all(isinstance(finding.holds, bool) for finding in settled)
    assert [e.number for e in found for f in e.findings if f.verdict == "not comparable"] == [
        "Figure 12", "Figure 12", "Figure 18",
    ]  # fmt: skip


def test_of_a_part_of_a_run_there_is_what_has_all_its_steps(rows: dict[str, Any]) -> None:
    some = {id_: those for id_, those in rows.items() if not id_.startswith("losses")}
    missing = tuple(id_ for id_ in rows if id_ not in some)
    found = exhibits(Results(scale="quick", by_step=some, missing=missing))
    assert [e.number for e in found] == [n for n in NUMBERS if n not in ("Figure 13", "Beyond the paper")]


@pytest.mark.parametrize(("above", "holds"), [(0.029, True), (0.031, False)])
def test_the_gap_to_the_optimum_decides(rows: dict[str, Any], above: float, holds: bool) -> None:
    losses = {BEST: 0.42, PUBLISHED: 0.42 + above}
    exhibit = read(
        rows, "Figure 13", lambda row: {"loss": losses.get(row.get("way", ""), 0.41)} if "loss" in row else {}
    )
    assert exhibit.findings[3].holds is holds
    assert exhibit.findings[2].holds is True  # sampling alone takes 41%


@pytest.mark.parametrize(("cost", "holds"), [(0.019, True), (0.021, False)])
def test_what_honesty_costs_decides(rows: dict[str, Any], cost: float, holds: bool) -> None:
    losses = {DRAW: 0.5 + cost, PUBLISHED: 0.5}
    exhibit = read(rows, "Beyond the paper", lambda row: {"loss": losses.get(row.get("way", ""), 0.5)})
    assert exhibit.findings[0].holds is holds


@pytest.mark.parametrize(("accuracy", "holds"), [(0.9, True), (0.5, False), (0.77, None)])
def test_relative_accuracies_decide_figure_16(rows: dict[str, Any], accuracy: float, holds: bool | None) -> None:
    def learned(row: dict[str, Any]) -> dict[str, Any]:
        original = {"accuracy": 1.0, "zero_r": 0.0} if "zero_r" in row else {}
        each = [accuracy - 0.001, accuracy + 0.001]
        return original or ({"accuracy": accuracy, "each": each} if "anonymization" in row else {})

    exhibit = read(rows, "Figure 16", learned)
    assert exhibit.findings[0].holds is holds
    assert exhibit.findings[1].holds is False  # no better with more steps


# -- DiffGen and SafePub ---------------------------------------------------------------------------------------


def duels(**reached: dict[int, float]) -> Results:
    """Two tables, a and b, on which ways (b_safepub …) reach so much with so many steps; seeds differ a little."""
    names = {"safepub": PUBLISHED, "diffgen": DIFFGEN}
    rows = [
        {"data": data, "number": 1, "way": names[way], "steps": steps, "seed": seed, "accuracy": accuracy + away}
        | {"seconds": 1.0}
        for key, course in reached.items()
        for data, way in [key.split("_")]
        for steps, accuracy in course.items()
        for seed, away in enumerate((-0.001, 0.0, 0.001))
    ]
    ends = [{"data": data, "number": 1, "seed": 0, "original": 1.0, "zero_r": 0.0} for data in "ab"]
    return Results(scale="quick", by_step={"duel.x": rows, "bounds.x": ends})


def test_steps_are_chosen_on_the_other_table() -> None:
    """On a, 3 steps are best and 2 are best on b: each gets the other's, however bad that is."""
    every = courses(duels(a_diffgen={1: 0.1, 2: 0.2, 3: 0.3}, b_diffgen={1: 0.5, 2: 0.9, 3: 0.5}))
    found = {name: chosen_elsewhere(every, name) for name in ("a 1", "b 1")}
    assert {name: course.steps for name, course in found.items() if course} == {"a 1": 2, "b 1": 3}
    assert largest(every, "a 1", DIFFGEN).steps == 3
    again = courses(duels(a_diffgen={1: 0.1, 2: 0.2}, b_diffgen={1: 0.5, 2: 0.5}))
    equal = chosen_elsewhere(again, "a 1")
    assert equal is not None
    assert equal.steps == 1  # the fewest of equal ones


@pytest.mark.parametrize(("late", "holds"), [(0.8, [True, False]), (0.6, [False, True]), (0.7, [None, None])])
def test_steps_decide_figure_17(late: float, holds: list[bool | None]) -> None:
    found = duels(a_safepub={1: 0.7, 9: late}, a_diffgen={2: 0.1, 4: 0.7, 8: late})
    if late == 0.7:  # draws that differ by more than what they gain
        rows = found.by_step["duel.x"]
        rows[:] = [row | {"accuracy": row["accuracy"] + 0.05 * row["seed"] * (row["steps"] % 7)} for row in rows]
        rows[:] = [row | {"accuracy": row["accuracy"] - 0.05 * (row["steps"] % 7)} for row in rows]
    assert [finding.holds for finding in figure_17(found).findings] == holds


@pytest.mark.parametrize(("height", "levels"), [(1, (0, 1, 1)), (2, (0, 1, 2)), (4, (1, 2, 3)), (5, (1, 3, 4))])
def test_low_levels_are_low(height: int, levels: tuple[int, ...]) -> None:
    assert tuple(level(height) for level in SCHEMES.values()) == levels
    assert levels[0] <= height / 4


@pytest.mark.parametrize(("change", "holds"), [(-0.02, True), (0.02, False), (0.0, None)])
def test_draws_decide_figure_11(rows: dict[str, Any], change: float, holds: bool | None) -> None:
    def kept(row: dict[str, Any]) -> dict[str, Any]:
        if "scheme" not in row:
            return {}
        middle = 0.5 + (change if row["epsilon"] == 2.0 else 0.0)
        return {"kept": middle, "each": [middle, middle + (0.001 if row["epsilon"] == 2.0 else 0.0)]}

    assert read(rows, "Figure 11", kept).findings[1].holds is holds


def test_relative_accuracies_are_scaled() -> None:
    assert scaled(0.75, 0.9, 0.7) == pytest.approx(0.25)
    assert scaled(0.7, 0.9, 0.7) == 0


# -- losses ----------------------------------------------------------------------------------------------------

AGES = Hierarchy.from_rows([[str(i), f"{i // 3 * 3}+", "*"] for i in range(9)])
SEXES = Hierarchy.flat(["f", "m"])


def small(ages: list[int], sexes: list[str]) -> StudyTable:
    return StudyTable(table=pl.DataFrame({"age": ages, "sex": sexes}), hierarchies={"age": AGES, "sex": SEXES})


def at_levels(found: StudyTable, levels: dict[str, int], kept: list[int]) -> Sample:
    cells = {
        name: [h.generalize(str(found.table[name][i]), levels[name]) for i in kept]
        for name, h in found.hierarchies.items()
    }
    return Sample(levels, pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String)), np.array(kept, dtype=np.int64))


def by_definition(found: StudyTable, release: Sample) -> dict[str, float]:
    """The five losses, record by record and cell by cell."""
    n, names = found.table.height, list(found.hierarchies)
    kept = set(release.source_rows.tolist())
    granular = level = bits = all_bits = 0.0
    for name, hierarchy in found.hierarchies.items():
        values = [str(value) for value in found.table[name]]
        general = [hierarchy.generalize(value, release.levels[name]) for value in values]
        domain = hierarchy.values
        for i, value in enumerate(values):
            leaves = sum(hierarchy.generalize(other, release.levels[name]) == general[i] for other in domain)
            granular += (leaves - 1) / len(domain) if i in kept else 1 - 1 / len(domain)
            level += release.levels[name] / hierarchy.height if i in kept else 1
            bits += log2((general.count(general[i]) if i in kept else n) / values.count(value))
            all_bits += log2(n / values.count(value))
    classes, raw = Counter(release.rows.rows()), Counter(found.table.rows())
    squares = sum(size**2 for size in classes.values()) + (n - len(kept)) * n
    least = sum(size**2 for size in raw.values())
    average = len(kept) / len(classes) if classes else n
    return {
        "granularity": granular / (n * sum(1 - 1 / len(h.values) for h in found.hierarchies.values())),
        "intensity": level / (n * len(names)),
        "discernibility": (squares - least) / (n * n - least),
        "entropy": bits / all_bits,
        "group-size": max(0.0, (average - n / len(raw)) / (n - n / len(raw))),
    }


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n=st.integers(2, 12))
def test_losses_are_those_of_the_definition(data: st.DataObject, n: int) -> None:
    ages = data.draw(st.lists(st.integers(0, 8), min_size=n, max_size=n))
    sexes = data.draw(st.lists(st.sampled_from("fm"), min_size=n, max_size=n))
    found = small([0, 8, *ages], ["f", "m", *sexes])
    levels = {"age": data.draw(st.integers(0, 2)), "sex": data.draw(st.integers(0, 1))}
    kept = sorted(data.draw(st.sets(st.integers(0, n + 1))))
    release = at_levels(found, levels, kept)
    assert lost(found, release) == pytest.approx(by_definition(found, release))


def test_a_table_as_it_is_loses_nothing_and_an_empty_one_everything() -> None:
    found = small([0, 1, 1, 5], ["f", "m", "f", "m"])
    assert lost(found, at_levels(found, {"age": 0, "sex": 0}, [0, 1, 2, 3])) == pytest.approx(dict.fromkeys(MODELS, 0))
    assert lost(found, at_levels(found, {"age": 0, "sex": 0}, [])) == pytest.approx(dict.fromkeys(MODELS, 1))


# -- releases --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_released_rows_are_those_of_their_source(way: str) -> None:
    found = source("generated")
    setting = Setting(score="classification", target="rich", steps=20)
    release = publish(found, way, setting, 3)
    assert release.levels["rich"] == 0
    for row, number in list(zip(release.rows.iter_rows(named=True), release.source_rows.tolist(), strict=True))[::50]:
        raw = found.table.row(number, named=True)
        published = {name: str(value) for name, value in row.items()}
        assert published == {n: h.generalize(str(raw[n]), release.levels[n]) for n, h in found.hierarchies.items()}
    smallest = release.rows.group_by(release.rows.columns).len()["len"].min()
    k = 5 if "5-anonymity" in way else 1 if "alone" in way else setting.promise(found.table.height, way).k
    assert smallest is None or smallest >= k  # type: ignore[operator]
    assert publish(found, way, setting, 3).rows.equals(release.rows)
    assert way == K_ANONYMITY or publish(found, way, setting, 4).source_rows.tolist() != release.source_rows.tolist()


def test_the_published_k_is_larger_and_budgets_add_up() -> None:
    setting = Setting(anonymization=0.9, search=0.1)
    ours, theirs = setting.promise(30_162, DRAW), setting.promise(30_162, PUBLISHED)
    assert (ours.k, theirs.k) == (44, 58)
    assert ours.beta == theirs.beta
    assert ours.epsilon == 1.0


def test_every_table_has_a_name_and_targets() -> None:
    assert set(NAMES) == set(TARGETS)
    assert all(target in source("generated").hierarchies for target in TARGETS["generated"])


def test_a_label_of_two_levels_is_read_on_the_one_that_was_published() -> None:
    """Without the levels '10-19' of US Census could not be read, and steps failed."""
    twice = Hierarchy.from_rows([["1", "b", "c", "*"], ["2", "c", "c", "*"], ["3", "d", "d", "*"]])
    table = pl.DataFrame({"x": ["1", "2", "3", "2"] * 5, "rich": ["yes", "yes", "no", "no"] * 5})
    part = StudyTable(table=table, hierarchies={"x": twice, "rich": Hierarchy.flat(["no", "yes"])})
    learner = learner_of(part, "rich")

    def features(level: int) -> list[list[float]]:
        cells = [twice.generalize(value, level) for value in table["x"]]
        rows = pl.DataFrame({"x": cells, "rich": table["rich"]})
        sample = Sample(levels={"x": level, "rich": 0}, rows=rows, source_rows=np.arange(20))
        examples = learner.examples(sample)
        found: list[list[float]] = examples.rows.take(np.arange(4)).toarray().tolist()
        return found

    assert features(1)[1] == features(0)[1]
    assert features(2)[0] == features(2)[1] != features(1)[1]


@pytest.mark.parametrize(("each", "holds"), [([0.9, 0.91], True), ([0.5, 0.51], False), ([0.1, 0.99], None)])
def test_a_budget_is_better_by_its_interval(each: list[float], holds: bool | None) -> None:
    about = {"data": "US Census", "target": "t", "number": 1, "classifier": TREE, "steps": 300, "anonymization": 0.9}
    original = {"data": "US Census", "target": "t", "classifier": TREE, "accuracy": 1.0, "zero_r": 0.0}
    by_step = {
        "original.usc.t": [original],
        "learned.usc.t.published": [about | {"way": PUBLISHED, "each": [0.7, 0.71]}],
        "budget.usc.t": [about | {"way": DRAW, "search": 0.3, "each": each}],
    }
    (found,) = budgets(Results(scale="quick", by_step=by_step)).findings
    assert found.holds is holds


def test_what_budgets_need_comes_before_other_learning() -> None:
    planned = [step.id for step in find_study("safepub").steps_at("quick")]
    assert len(planned) == 209
    last = max(place for place, id_ in enumerate(planned) if id_.startswith("budget") or beside_budgets(id_, "quick"))
    assert [id_ for id_ in planned[:last] if id_.startswith("learned")] == [
        f"learned.usc.{target}.published.anonymization=0.9.steps=300" for target in ("marital-status", "salary-class")
    ]
