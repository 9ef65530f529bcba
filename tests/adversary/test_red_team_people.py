"""What a red team said falsely about people: pages, forged certificates, warnings that were missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.report.about import render_about
from nymity.report.board import render_board

#: Each of the three has a row in two of three wards; whoever knows both wards of one has found the person.
THREE = pl.DataFrame({"who": ["Ann", "Ann", "Ben", "Ben", "Cleo", "Cleo"], "ward": list("ABBCAC")})


def _three(knows: int | str, k: int = 2) -> ny.Release:
    promise = ny.LinkedKAnonymity(k=k, knows=knows)  # type: ignore[arg-type]
    return ny.publish(THREE, {"who": ny.person(pseudonym="random"), "ward": ny.quasi()}, privacy=promise)


def test_no_page_calls_linked_rows_safe_from_who_knows_more_than_was_promised(tmp_path: Path) -> None:
    release = _three(1)
    assert sorted(release.frame["ward"]) == sorted(THREE["ward"])
    release.save(tmp_path / "r")
    for page in (render_about(tmp_path / "r"), render_board(tmp_path / "r")):
        assert "knows everything in the quasi-identifying columns" not in page
        assert "that look like no other" not in page
        assert "a chance of at most" not in page
        assert "highest chance" not in page
    assert "Nothing is promised against whoever knows more records of one person" in render_about(tmp_path / "r")


def _forged(release: ny.Release, folder: Path, **changes: Any) -> Any:
    release.save(folder)
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    model = changes.pop("model")
    plain = {"model": model.key, **{name: value for name, value in vars(model).items() if not name.startswith("_")}}
    certificate["promised"] = [{**plain, "means": model.promise()}]
    certificate["measured"]["models"] = [{"model": model.key, "holds": True, "k": 4}]
    if "privacy" in certificate["job"]:
        certificate["job"]["privacy"] = [plain]
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return ny.check(folder)


@pytest.mark.parametrize(
    "model",
    [
        ny.LinkedKAnonymity(k=3, knows="all", of="household"),
        ny.LinkedKAnonymity(k=3, knows="all"),
        ny.KMAnonymity(k=3, m=2),
    ],
    ids=["households", "persons", "items"],
)
def test_a_promise_about_a_column_that_is_not_there_is_not_believed(model: Any, tmp_path: Path) -> None:
    table = pl.DataFrame({"q": [1, 1, 1, 1], "h": ["x", "x", "y", "y"], "ills": ["a;b", "a", "b", "c"]})
    schema = {"q": ny.quasi(), "h": ny.insensitive(), "ills": ny.insensitive()}
    release = ny.publish(table, schema, privacy=ny.KAnonymity(k=3))
    assert _forged(release, tmp_path / "r", model=model).answer == "does not hold"


def test_linked_rows_and_sets_cannot_be_passed_off_as_single_rows(tmp_path: Path) -> None:
    assert _forged(_three(1), tmp_path / "linked", model=ny.KAnonymity(k=2)).answer == "does not hold"
    table = pl.DataFrame({"q": [1] * 4, "ills": ["a", "a", "b", "b"]})
    sets = ny.publish(table, {"q": ny.quasi(), "ills": ny.items()}, privacy=ny.KMAnonymity(k=2, m=1))
    assert _forged(sets, tmp_path / "sets", model=ny.KAnonymity(k=2)).answer == "does not hold"


def test_the_key_of_a_log_links_deliveries_and_says_so(tmp_path: Path) -> None:
    schema = {"who": ny.person(pseudonym="keyed"), "ward": ny.quasi()}
    promise = ny.LinkedKAnonymity(k=2, knows="all")
    first = pl.DataFrame({"who": list("abcd"), "ward": list("AABB")})
    one = ny.publish(first, schema, privacy=promise, out=tmp_path / "x1")
    assert all(caveat.key != "linked-deliveries" for caveat in one.warnings)
    second = pl.DataFrame({"who": list("abcd"), "ward": list("ABAB")})
    two = ny.publish(second, schema, privacy=promise, log=tmp_path / "x1-custodian")
    assert set(one.frame["who"]) == set(two.frame["who"])
    assert any(caveat.key == "linked-deliveries" for caveat in two.warnings)


def test_reports_try_the_attacks_that_linked_rows_are_open_to(tmp_path: Path) -> None:
    from nymity.report.attacks import quick_attacks

    found = quick_attacks(_three(1), THREE)
    assert found is not None
    assert "linked-records" in {result.key for result in found.results}


def test_people_of_a_sample_are_counted_once() -> None:
    """Fifty persons with a record in each of four classes, each standing for ten people: 500, not 2,000."""
    table = pl.DataFrame({"who": np.repeat(np.arange(50), 4), "q": [0, 1, 2, 3] * 50, "w": [10.0] * 200})
    schema = ny.Schema({"who": ny.person(), "q": ny.quasi(), "w": ny.weight(publish="dropped")})
    individual = ny.measure_risk(table, schema).individual
    assert individual is not None
    assert individual.population == pytest.approx(500)


@pytest.mark.parametrize("number", [10**6, 10**9])
def test_more_than_anybody_has_costs_nothing(number: int) -> None:
    linked = ny.publish(
        THREE,
        {"who": ny.person(pseudonym="random"), "ward": ny.quasi()},
        privacy=ny.LinkedKAnonymity(k=2, knows=number),
        method=ny.OptimalLattice(suppression=1),
    )
    assert linked.certificate["measured"]["holds"]
    table = pl.DataFrame({"q": [1] * 4, "ills": ["a;b", "a;b", "b", "b"]})
    sets = ny.publish(table, {"q": ny.quasi(), "ills": ny.items()}, privacy=ny.KMAnonymity(k=2, m=number))
    assert sets.certificate["measured"]["holds"]


def test_shifted_dates_are_not_called_true(tmp_path: Path) -> None:
    table = pl.DataFrame({"who": list("abcd"), "q": [1] * 4, "day": ["2024-01-02"] * 4})
    schema = {"who": ny.person(), "q": ny.quasi(), "day": ny.insensitive(shift="per person")}
    ny.publish(table, schema, privacy=ny.KAnonymity(k=2)).save(tmp_path / "r")
    page = render_about(tmp_path / "r")
    assert "moved by one number of days for each person" in page
    assert "as it was in the source" not in page


def test_records_put_together_are_no_loss() -> None:
    table = pl.DataFrame({"who": list("aabbcc"), "q": [1] * 6, "ills": list("xyxyxy")})
    schema = {"who": ny.person(), "q": ny.quasi(), "ills": ny.items()}
    release = ny.publish(table, schema, privacy=ny.KMAnonymity(k=3, m=2))
    assert release.frame.height == 3
    found = ny.compare(table, release)
    assert found.suppressed == 0


def test_names_in_french_are_not_published() -> None:
    draw = np.random.default_rng(2)
    table = pl.DataFrame(
        {
            "Nom": draw.choice(["Bernard", "Petit", "Durand", "Moreau"], 200),
            "Prénom": draw.choice(["Anna", "Luc", "Zoé"], 200),
            "Sexe": draw.choice(["F", "M"], 200),
            "Service": draw.choice(["cardio", "neuro"], 200),
        }
    )
    roles = {column.name: column.role for column in ny.inspect(table).columns}
    assert roles["Nom"] == roles["Prénom"] == "identifying"


def test_a_forged_number_of_persons_is_seen_beside_the_original(tmp_path: Path) -> None:
    table = pl.DataFrame({"who": list("aabbccdd"), "q": [1] * 8})
    release = ny.publish(table, {"who": ny.person(), "q": ny.quasi()}, privacy=ny.KAnonymity(k=4))
    release.save(tmp_path / "r")
    assert ny.check(tmp_path / "r", original=table).answer == "holds"
    path = tmp_path / "r" / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    certificate["unit"]["persons"] = 5
    path.write_text(json.dumps(certificate), encoding="utf-8")
    assert ny.check(tmp_path / "r", original=table).answer == "does not hold"


def test_an_original_of_others_is_told_also_where_rows_are_linked(tmp_path: Path) -> None:
    _three(1).save(tmp_path / "r")
    assert ny.check(tmp_path / "r", original=THREE).answer == "holds"
    assert ny.check(tmp_path / "r", original=pl.DataFrame({"who": ["x"], "ward": ["y"]})).answer == "does not hold"


def test_a_table_of_tables_is_refused_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    schema = {"who": ny.person(pseudonym="random"), "ward": ny.quasi()}
    with pytest.raises(ny.NymityError, match="a whole table"):
        ny.publish(THREE, schema, privacy=ny.LinkedKAnonymity(k=2, knows=1), children={"visits": THREE})
    assert "panicked" not in capfd.readouterr().err
