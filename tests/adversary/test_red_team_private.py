"""Forged certificates of private releases, and forgeries of several fields at once that only the job contradicts."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nymity as ny
from nymity.publishing.releases.release import Release
from nymity.publishing.steps.shifts import SHIFTS, caveats_of_dates

AGES = ny.Hierarchy.from_rows([[str(i), f"{i // 10 * 10}-", "*"] for i in range(40)])
Edit = Callable[[dict[str, Any]], Any]
LEDGER = {
    "used": True,
    "composition": "epsilons and deltas add up",
    "releases": 1,
    "spent": {"epsilon": 2.0, "delta": 1e-6},
    "budget": {"epsilon": 4.0, "delta": 1e-5},
}


@cache
def private(
    most: int | None, *, drop: bool = True, ledger: ny.dp.Ledger | None = None, order: Any = "sorted"
) -> Release:
    rng, n = np.random.default_rng(1), 3_000
    table = {"p": [f"p{i % 1_500}" for i in range(n)], "age": [str(age) for age in rng.integers(0, 40, n)]}
    person = ny.identifying() if most is None else ny.person(missing="drop")
    promise = ny.DifferentialPrivacy(epsilon=2.0, delta=1e-6, public_records=n, records_per_person=most)
    schema = {"p": person, "age": ny.quasi(AGES, missing="drop" if drop else "category")}
    output = ny.Output(row_order=order)
    return ny.publish(table, schema, privacy=promise, method=ny.SafePub(), ledger=ledger, output=output)


def problems(made: Release, edit: Edit, *, job: bool = False) -> tuple[str, ...]:
    certificate = copy.deepcopy(made.certificate)
    edit(certificate)
    given: dict[str, Any] = {"job": made.job} if job else {}
    return ny.check(made.frame, certificate=certificate, **given).problems


def entered(told: dict[str, Any], **changed: Any) -> None:
    """Say that a ledger was used, and take the warning away that there was none."""
    told["differential_privacy"]["ledger"] = {**LEDGER, **changed}
    told["not_protected"] = [one for one in told["not_protected"] if one["warning"] != "no-ledger"]


@pytest.mark.parametrize("most", [None, 1, 2])
def test_an_honest_private_certificate_is_believed(most: int | None, tmp_path: Path) -> None:
    for drop in (True, False):
        assert problems(private(most, drop=drop), lambda told: None) == ()
        assert problems(private(most, drop=drop), lambda told: None, job=True) == ()
    assert problems(private(most, order="shuffled"), lambda told: None) == ()
    ledger = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="visits")
    ledger.open(epsilon=6, delta=1e-4)
    for _ in range(2):
        private.cache_clear()
        made = private(most, ledger=ledger)
        assert made.certificate["differential_privacy"]["ledger"]["used"] is True
        assert problems(made, lambda told: None) == ()


def test_an_honest_plan_is_believed(tmp_path: Path) -> None:
    ledger = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="visits")
    promise = private(None).job.privacy[0]
    ledger.open(epsilon=6, delta=1e-4, plan=[promise, promise])
    assert problems(private(None, ledger=ledger), lambda told: None) == ()


@pytest.mark.parametrize(
    "edit",
    [
        lambda told: told["differential_privacy"]["ledger"].update(used=True),
        lambda told: told["differential_privacy"].update(ledger=dict(LEDGER)),
        lambda told: told["differential_privacy"].update(ledger=None),
        lambda told: told["differential_privacy"]["ledger"].update(warning="nothing to see"),
        lambda told: entered(told, spent={"epsilon": 0.5, "delta": 1e-6}),
        lambda told: entered(told, spent={"epsilon": 5.0, "delta": 1e-6}),
        lambda told: entered(told, spent={"epsilon": 2.0, "delta": 1e-4}),
        lambda told: entered(told, spent={"epsilon": 3.0, "delta": 1e-6}),
        lambda told: entered(told, spent={"epsilon": "2", "delta": 1e-6}),
        lambda told: entered(told, spent={"epsilon": True, "delta": 1e-6}),
        lambda told: entered(told, spent={"epsilon": -2.0, "delta": 1e-6}),
        lambda told: entered(told, spent=[2.0, 1e-6]),
        lambda told: entered(told, releases=0),
        lambda told: entered(told, releases=True),
        lambda told: entered(told, composition="trust"),
        lambda told: entered(told, signed_by="somebody"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("most", [None, 2])
def test_a_ledger_that_cannot_be_is_told(most: int | None, edit: Edit) -> None:
    assert any("ledger" in problem for problem in problems(private(most), edit))


@pytest.mark.parametrize("most", [None, 2])
def test_a_private_release_names_each_of_its_draws(most: int | None) -> None:
    made = private(most)
    for number in range(len(made.certificate["random_sources"])):
        found = problems(made, lambda told, number=number: told["random_sources"].pop(number))  # type: ignore[misc]
        assert any("random_sources" in problem for problem in found)
    found = problems(made, lambda told: told["random_sources"].append("operating system: nothing of that kind"))
    assert any("random_sources" in problem for problem in found)


def test_a_private_release_has_no_warning_that_cannot_be() -> None:
    made_up = {"warning": "class-of-one-person", "says": "Somebody is alone."}
    assert any(
        "class-of-one-person" in problem
        for problem in problems(private(2), lambda told: told["not_protected"].append(made_up))
    )


def test_what_becomes_of_gaps_is_what_the_job_says() -> None:
    """That gaps are a value of their own can be, and only the job knows better; that they stop a run cannot."""
    found = problems(private(2), lambda told: told["job"]["schema"]["age"].update(missing="error"))
    assert any("job.schema.age" in problem for problem in found)
    found = problems(private(2), lambda told: told["job"]["schema"]["age"].pop("missing"), job=True)
    assert any("job.schema.age" in problem for problem in found)


@cache
def visits() -> Release:
    table = {
        "p": [f"p{i // 3}" for i in range(30)],
        "age": list(range(30)),
        "day": [f"2024-01-{i % 28 + 1:02}" for i in range(30)],
    }
    schema = {"p": ny.person(), "age": ny.quasi(), "day": ny.insensitive()}
    return ny.publish(table, schema, privacy=ny.KAnonymity(k=3), method=ny.Mondrian())


def test_dates_are_moved_where_the_job_says_so() -> None:
    """The column, its warning and its draw fit together, and only the job knows better."""
    made = visits()

    def moved(told: dict[str, Any]) -> None:
        told["job"]["schema"]["day"]["shift"] = "per person"
        told["random_sources"].append(f"operating system: {SHIFTS}")
        (caveat,) = caveats_of_dates(["day"], made.frame, None)
        told["not_protected"].insert(0, {"warning": caveat.key, "says": caveat.says, "figures": dict(caveat.figures)})

    assert any("job.schema.day" in problem for problem in problems(made, moved, job=True))


@pytest.mark.parametrize("more", [-1, 1, 1_000])
def test_the_number_of_cells_is_that_of_the_table(more: int) -> None:
    def counted(told: dict[str, Any]) -> None:
        (age,) = (column for column in told["columns"] if column["name"] == "age")
        age["cells"] += more

    assert any("'age'" in problem for problem in problems(visits(), counted))
    assert problems(visits(), lambda told: None, job=True) == ()
