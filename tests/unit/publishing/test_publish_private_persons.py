"""Differentially private releases of persons: what they show, what they keep to themselves, and what is refused."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core import bits as random_bits
from nymity.core.errors import NymityError, ParameterError
from nymity.publishing.jobs.job import Job
from nymity.publishing.running import run
from nymity.report import render_about, render_board, render_report
from nymity.table import sampled_persons
from nymity.table.recoding import Recoding
from nymity.table.sampled_persons import SampledPersonsRecoding
from nymity.table.text import BEYOND

AGE = ny.Hierarchy.from_rows([[str(i), f"{i // 5 * 5}-{i // 5 * 5 + 4}", "*"] for i in range(20)])
WARD = ny.Hierarchy.flat(["A", "B", "C"])
SCHEMA = ny.Schema({"patient": ny.person(missing="drop"), "age": ny.quasi(AGE), "ward": ny.quasi(WARD)})
#: With levels at which no release is empty.
COARSE = ny.Schema({**SCHEMA, "age": ny.quasi(AGE, level=2), "ward": ny.quasi(WARD, level=0)})
METHODS = [ny.SafePub(), ny.EpsilonSafeLattice()]


def promise(c: int | None = 2, **fields: Any) -> ny.DifferentialPrivacy:
    return ny.DifferentialPrivacy(
        **{"epsilon": 2.0, "public_records": 5000, "delta": 1e-4, "records_per_person": c, **fields}
    )


def visits(persons: int = 600, each: int = 4) -> pl.DataFrame:
    """Persons of one age and up to so many visits, the most of them in two wards."""
    rng = np.random.default_rng(persons)
    who = np.repeat(np.arange(persons), rng.integers(1, each + 1, persons))
    wards = ["AABC"[i] for i in rng.integers(0, 4, len(who))]
    return pl.DataFrame({"patient": [f"p{i}" for i in who], "age": who % 20, "ward": wards})


def published(frame: Any = None, c: int = 2, method: Any = None, **further: Any) -> ny.Release:
    table = visits() if frame is None else frame
    return ny.publish(table, SCHEMA, privacy=promise(c), method=method or ny.SafePub(), **further)


# -- what is shown -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
@pytest.mark.parametrize("c", [1, 2, 3])
def test_a_class_has_one_row_of_a_person_and_a_person_at_most_c_rows(c: int, method: Any) -> None:
    source = visits()
    release = published(source, c, method)
    assert release.frame.columns == ["age", "ward"]
    rows = release.frame.with_columns(patient=source["patient"].gather(release.log.source_rows))
    assert rows.unique().height == rows.height
    assert rows.group_by("patient").len()["len"].max() in (None, *range(1, c + 1))
    assert all(size >= promise(c).k for size in release.frame.group_by("age", "ward").len()["len"])
    for row, came_from in zip(release.frame.iter_rows(), release.log.source_rows.tolist(), strict=True):
        raw = source.row(came_from)
        assert row == (
            AGE.generalize(str(raw[1]), release.levels["age"]),
            WARD.generalize(raw[2], release.levels["ward"]),
        )


def test_a_cap_above_what_anybody_has_leaves_out_nothing() -> None:
    everyone, sampled = visits(400, 2), published(visits(400, 2), 50)
    assert everyone.group_by("patient").len()["len"].max() == 2
    assert ny.check(sampled.table, certificate=sampled.certificate).problems == ()


def test_one_person_alone_and_a_table_without_records_give_an_empty_release() -> None:
    lonely = pl.DataFrame({"patient": ["Ann"] * 5000, "age": [7] * 5000, "ward": ["A"] * 5000})
    for frame in (lonely, lonely.clear()):
        assert published(frame).frame.height == 0


def test_the_same_bytes_whoever_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person more, of whatever records, who is never drawn, changes neither table nor certificate."""
    ordered = visits().sort("patient")

    def coins(probability: Fraction, size: int, bits: object) -> NDArray[np.bool_]:
        places = np.arange(size)
        return (places < size_of_others) & (places % 10 < 9)

    for module in (random_bits, sampled_persons):
        monkeypatch.setattr(module, "coins", coins)
        monkeypatch.setattr(module, "at_most_each", lambda owners, most, bits: np.ones(len(owners), dtype=np.bool_))
    monkeypatch.setattr(run, "salt", lambda: "00" * 32)
    last = pl.DataFrame({"patient": ["~"] * 4, "age": [3, 3, 99, None], "ward": ["A", "C", "B", "B"]})
    size_of_others = ordered.select("patient", "ward").unique().height
    made = [
        ny.publish(frame, COARSE, privacy=promise(), method=ny.SafePub())
        for frame in (ordered, pl.concat([ordered, last.cast(ordered.schema)]))
    ]
    one, other = ((release.frame.write_csv(), json.dumps(release.certificate)) for release in made)
    assert made[0].frame.height > 500
    assert one == other


# -- certificate and check -------------------------------------------------------------------------------------------


def test_a_certificate_says_what_the_unit_is_and_nothing_about_the_records() -> None:
    found, other = (published(visits(n)).certificate for n in (600, 601))
    assert found["unit"] == {"counts": "persons", "records_per_person": 2}
    stated = found["differential_privacy"]
    assert stated["unit_of_privacy"].startswith("one person")
    assert stated["records_per_person"] == 2
    row = stated["budget"]["publishing"]["of_each_row"]
    assert Fraction(row["epsilon"]) == Fraction(19, 20)
    assert Fraction(row["delta"]) == Fraction(1, 20_000)
    assert found["differential_privacy"] == other["differential_privacy"]
    assert not any("several records" in text for text in stated["not_protected"])
    assert "verified" not in found["promised"][0]


@pytest.mark.parametrize(
    "forge",
    [
        lambda c: c["unit"].update(records_per_person=1),
        lambda c: c["unit"].update(counts="records"),
        lambda c: c["unit"].update(persons=600),
        lambda c: c["unit"].pop("records_per_person"),
        lambda c: c["differential_privacy"].update(records_per_person=1),
        lambda c: c["differential_privacy"]["budget"]["publishing"].update(k=20),
        lambda c: c["differential_privacy"]["budget"]["publishing"]["of_each_row"].update(epsilon="19/10"),
        lambda c: c["differential_privacy"].update(unit_of_privacy="one record"),
        lambda c: (c["promised"][0].pop("records_per_person"), c["job"]["privacy"][0].pop("records_per_person")),
        lambda c: (
            c["promised"][0].update(records_per_person=1),
            c["job"]["privacy"][0].update(records_per_person=1),
        ),
        lambda c: c["job"]["schema"].pop("patient"),
    ],
)
def test_a_certificate_that_says_two_things_is_found(forge: Callable[[dict[str, Any]], object]) -> None:
    release = published()
    forged = copy.deepcopy(release.certificate)
    forge(forged)
    try:
        found = ny.check(release.table, certificate=forged)
    except NymityError:
        return  # it is no certificate at all
    assert found.problems


def test_a_check_sees_classes_that_are_too_small(tmp_path: Path) -> None:
    release = published(c=1)
    assert str(ny.check(release.table, certificate=release.certificate).answer) == "cannot be seen"
    few = pl.DataFrame({"age": ["*"] * 5, "ward": ["*"] * 5})
    assert str(ny.check(few, certificate=release.certificate).answer) == "does not hold"
    ny.publish(visits(), SCHEMA, privacy=promise(), method=ny.SafePub(), out=tmp_path / "out")
    again = CliRunner().invoke(app, ["check", str(tmp_path / "out")])
    assert again.exit_code == 4, again.output
    assert "not even the records" not in again.output


def test_pages_speak_of_persons(tmp_path: Path) -> None:
    release = ny.publish(visits(), COARSE, privacy=promise(), method=ny.SafePub(), out=tmp_path / "out")
    text = " ".join(re.sub(r"<[^>]+>", " ", render_report(release)).split())
    assert "Of your records at most 2 that differ took part" in text
    assert "each of another person" in text
    assert "One person under several identifiers" in text
    assert f"at most {int(5000 * promise().beta):,} would be sampled" in text
    assert "all of the person" in render_about(tmp_path / "out")
    assert "differential privacy of persons" in render_board(tmp_path / "out")


# -- what is refused -----------------------------------------------------------------------------------------------


def job(schema: Any = SCHEMA, model: Any = None, method: Any = None) -> Job:
    return Job(schema=schema, privacy=(model or promise(),), method=method or ny.SafePub())


def test_a_person_column_asks_for_a_bound_and_a_bound_for_a_person_column() -> None:
    with pytest.raises(ParameterError, match=r"how many records of one person .* forecast --persons shows"):
        job(model=promise(None))
    alone = ny.Schema({**SCHEMA, "patient": ny.identifying()})
    with pytest.raises(ParameterError, match="none without a person column"):
        job(schema=alone)
    with pytest.raises(ParameterError, match="records_per_person"):
        ny.dp.forecast(SCHEMA, promise(None))


@pytest.mark.parametrize("c", [0, -1, 1.5, "2", True, 1001])
def test_a_bound_is_a_whole_number_of_records(c: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        promise(c)
    assert caught.value.where == "differential-privacy.records_per_person"


@pytest.mark.parametrize(
    ("person", "says"),
    [
        (ny.person(), "'drop', got 'error'"),
        (ny.person(missing="drop", pseudonym="random"), "pseudonyms tell which rows are of one"),
    ],
)
def test_gaps_must_not_stop_a_run_and_pseudonyms_not_link_rows(person: Any, says: str) -> None:
    with pytest.raises(NymityError, match=re.escape(says)):
        job(schema=ny.Schema({**SCHEMA, "patient": person}))


def test_other_promises_about_persons_are_no_private_ones() -> None:
    with pytest.raises(NymityError, match="differential-privacy as the only model"):
        job(model=ny.KAnonymity(k=5))
    with pytest.raises(NymityError, match="which keep the promise"):
        Job(schema=SCHEMA, privacy=(promise(),), method=ny.OptimalLattice())


def test_a_method_that_is_run_by_itself_refuses_too() -> None:
    from nymity.table.encoding import encode

    encoded = encode(visits(), SCHEMA)
    with pytest.raises(ParameterError, match="records_per_person"):
        ny.SafePub().run(encoded, [promise(None)])


# -- bad input -----------------------------------------------------------------------------------------------------


def test_records_of_nobody_are_left_out_and_counted_for_the_custodian() -> None:
    """Gaps, spaces and numbers that cannot be told apart name nobody; other spellings of one name are one person."""
    rows = {
        "patient": ["Ann", " Ann ", "", None, "   ", BEYOND, "1234567890123456"],
        "age": [3] * 7,
        "ward": ["A"] * 7,
    }
    release = published(rows)
    assert release.log.figures["records"] == 2
    assert release.log.figures["dropped_for_missing_values"] == 3
    assert release.log.figures["of_nobody"] == 2
    assert release.log.figures["persons"] == 1
    numbers = sampled_persons.person_numbers(pl.Series(["Ann", " Ann ", "", None, "é", "é", BEYOND]))
    assert numbers.tolist() == [0, 0, -1, -1, 1, 1, -1]


# -- a job file, apply and the ledger --------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    visits().write_csv(tmp_path / "visits.csv")
    pl.DataFrame(AGE.rows(), orient="row").write_csv(tmp_path / "age.csv", include_header=False)
    pl.DataFrame(WARD.rows(), orient="row").write_csv(tmp_path / "ward.csv", include_header=False)
    (tmp_path / "job.toml").write_text(
        """
ledger = { path = "ledger.json", source = "visits" }

[source]
path = "visits.csv"
delimiter = ","
encoding = "utf-8"
header = true

[schema]
patient = { role = "person", missing = "drop" }
age = { role = "quasi", hierarchy = { type = "file", path = "age.csv" } }
ward = { role = "quasi", hierarchy = { type = "file", path = "ward.csv" } }

[[privacy]]
model = "differential-privacy"
epsilon = 2.0
delta = 1e-4
public_records = 5000
records_per_person = 2

[method]
name = "safepub"
"""
    )
    ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="visits").open(epsilon=10, delta=1e-3)
    return tmp_path


def test_from_a_job_file_to_a_further_application(folder: Path) -> None:
    made = CliRunner().invoke(app, ["publish", str(folder / "job.toml"), "--out", str(folder / "out")])
    assert made.exit_code == 0, made.output
    ledger = ny.dp.Ledger(path=str(folder / "ledger.json"), source="visits")
    assert ledger.spent() == (2, Fraction(1, 10_000))
    kept = Recoding.load(folder / "out-custodian" / "recoding.json")
    assert isinstance(kept, SampledPersonsRecoding)
    assert (kept.person, kept.records_per_person, kept.k) == ("patient", 2, promise().k)
    again = ny.apply(folder / "out-custodian", visits(700), ledger=ledger)
    assert again.columns == ["age", "ward"]
    assert all(size >= kept.k for size in again.group_by("age", "ward").len()["len"])
    epsilon, delta = ledger.spent()
    assert float(epsilon) == pytest.approx(2 + 1.9, abs=1e-3)
    assert Fraction(1, 10_000) < delta <= Fraction(2, 10_000)
    with pytest.raises(NymityError, match="no column 'patient'"):
        ny.apply(kept, visits().drop("patient"), unaccounted=True)
    lone = visits(1, 3)
    assert ny.apply(kept, pl.concat([lone] * 1000), unaccounted=True).height == 0


def test_a_forecast_shows_what_records_per_person_cost(folder: Path) -> None:
    shown = CliRunner().invoke(app, ["forecast", str(folder / "job.toml"), "--persons", "1500", "--json"])
    assert shown.exit_code == 0, shown.output
    rows = json.loads(shown.stdout)["by_person"]
    assert [row["records_per_person"] for row in rows] == [1, 2, 3, 4, 5]
    for row in rows:
        model = promise(row["records_per_person"])
        assert (row["k"], row["beta"]) == (model.k, float(model.beta))
        assert row["sampled_records"] == int(min(5000, 1500 * row["records_per_person"]) * model.beta)
    words = CliRunner().invoke(app, ["forecast", str(folder / "job.toml")])
    assert "Other numbers of records per person" in words.output
    with pytest.raises(ParameterError, match="none without a person column"):
        ny.dp.forecast(ny.Schema({"ward": ny.quasi(WARD)}), promise(None), persons=5)
    with pytest.raises(ParameterError, match="a promise to persons"):
        ny.dp.forecast(ny.Schema({"ward": ny.quasi(WARD)}), promise(None)).by_person()


def test_a_ledger_adds_up_one_unit(tmp_path: Path) -> None:
    ledger = ny.dp.Ledger(path=str(tmp_path / "ledger.json"), source="visits")
    ledger.open(epsilon=20, delta=1e-2)
    ledger.enter(promise(2), "safepub")
    ledger.enter(promise(3), "safepub")
    assert ledger.spent()[0] == 4
    with pytest.raises(ParameterError, match="releases that protect persons"):
        ledger.enter(promise(None), "safepub")
    with pytest.raises(ParameterError, match="releases that protect persons"):
        ledger.spend(epsilon=1, delta=1e-9, method="something else")
    records = ny.dp.Ledger(path=str(tmp_path / "other.json"), source="visits")
    records.open(epsilon=20, delta=1e-2)
    records.enter(promise(None), "safepub")
    with pytest.raises(ParameterError, match="releases that protect records"):
        records.enter(promise(2), "safepub")
    with pytest.raises(ParameterError, match="both"):
        ny.dp.Ledger(path=str(tmp_path / "third.json"), source="x").open(
            epsilon=9, delta=1e-2, plan=[promise(2), promise(None)]
        )


def test_a_plan_counts_every_row_of_a_person(tmp_path: Path) -> None:
    """A plan of one release costs a person no more than its promise, and more than one row of it would."""
    spent = {}
    for c in (1, 2):
        ledger = ny.dp.Ledger(path=str(tmp_path / f"{c}.json"), source="visits")
        planned = promise(c, epsilon=1.0)
        ledger.open(epsilon=3, delta=2e-4, plan=[planned] * 2)
        spent[c] = [float(ledger.enter(planned, "safepub").epsilon) for _ in range(2)]
        with pytest.raises(ParameterError, match="the plan of"):
            ledger.enter(planned, "safepub")
    row = replace(promise(2, epsilon=1.0), records_per_person=1, epsilon=0.55, epsilon_search=0.1)
    assert spent[2][0] <= 1.01
    assert spent[2][0] > float(row.epsilon_anonymization)
