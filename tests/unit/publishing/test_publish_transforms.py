"""Transforms in a job: published, warned of, checked, drawn again by the same log, and refused where promises are."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import TableError

ROLES = {"age": "quasi", "sex": "quasi", "income": "insensitive", "area": "insensitive", "ill": "sensitive"}


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, 120),
            "sex": rng.choice(["f", "m"], 120),
            "income": rng.integers(1_000, 9_000, 120),
            "area": rng.choice(list("ABCD"), 120),
            "ill": rng.choice(["flu", "cold", "none"], 120),
        }
    )


def published(people: Any, *transforms: Any, **further: Any) -> ny.Release:
    return ny.publish(people, ROLES, k=3, method=ny.OptimalLattice(suppression=0), transforms=transforms, **further)


def by_record(release: ny.Release, name: str) -> list[Any]:
    """The column in the order of the records."""
    rows = np.argsort(release.log.source_rows)
    return release.frame[name].gather(rows).to_list()


def test_the_promise_is_kept_and_the_rest_is_changed(people: pl.DataFrame) -> None:
    release = published(
        people, ny.TopCoding(columns=["income"], fewest=10), ny.RecordSwapping(columns=["area"], share=1)
    )
    assert release.verification.holds
    incomes = by_record(release, "income")
    limit = sorted(people["income"])[-10]
    assert incomes == [f"{limit}+" if value >= limit else str(value) for value in people["income"]]
    assert sorted(by_record(release, "area")) == sorted(people["area"])
    assert by_record(release, "area") != people["area"].to_list()
    assert by_record(release, "ill") == people["ill"].to_list()


def test_every_change_that_is_drawn_is_warned_of(people: pl.DataFrame, tmp_path: Path) -> None:
    release = published(people, ny.Rounding(columns=["income"], base=100), ny.PostRandomization(columns=["area"]))
    warned = [one for one in release.certificate["not_protected"] if one["warning"] == "changed-values"]
    assert [one["figures"] for one in warned] == [{"column": "area"}]
    assert "not true" in warned[0]["says"]
    assert release.certificate["random_sources"] == ["operating system: post-randomization (2)"]
    assert [one["transform"] for one in release.certificate["job"]["transforms"]] == ["rounding", "post-randomization"]
    release.save(tmp_path / "out")
    assert ny.check(tmp_path / "out").holds
    assert ny.check(tmp_path / "out", job=release.job, original=people).holds


def told(result: Any) -> list[str]:
    return [f"{one.says} {one.why}" for one in result.findings if one.answer.value != "holds"]


def forged(certificate: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    return {
        "leaves out a warning": lambda: certificate.update(
            not_protected=[one for one in certificate["not_protected"] if one["warning"] != "changed-values"]
        ),
        "what transforms drew": lambda: certificate.update(random_sources=[]),
        "cannot be": lambda: certificate["job"].pop("transforms"),
        "job.transforms": lambda: certificate["job"]["transforms"][0].update(transform="no-such"),
        "insensitive or perturbed columns": lambda: certificate["job"]["transforms"][0].update(columns=["age"]),
    }


UNREADABLE = "job.transforms"


@pytest.mark.parametrize("problem", list(forged({})))
def test_forged_certificates_are_told(people: pl.DataFrame, tmp_path: Path, problem: str) -> None:
    published(people, ny.PostRandomization(columns=["area"])).save(tmp_path / "out")
    place = tmp_path / "out" / "certificate.json"
    certificate = json.loads(place.read_text(encoding="utf-8"))
    forged(certificate)[problem]()
    place.write_text(json.dumps(certificate), encoding="utf-8")
    if problem in UNREADABLE:
        with pytest.raises(ny.NymityError, match=problem):
            ny.check(tmp_path / "out")
        return
    result = ny.check(tmp_path / "out")
    assert not result.holds
    assert any(problem in one for one in told(result)), told(result)


def test_a_job_with_other_transforms_is_told(people: pl.DataFrame, tmp_path: Path) -> None:
    release = published(people, ny.AdditiveNoise(columns=["income"], share=0.5))
    release.save(tmp_path / "out")
    other = dataclasses.replace(release.job, transforms=(ny.AdditiveNoise(columns=["income"], share=0.1),))
    result = ny.check(tmp_path / "out", job=other)
    assert any("other transforms" in one for one in told(result))


def test_the_same_log_draws_the_same_and_another_strength_does_not(people: pl.DataFrame) -> None:
    """x + 0.1 z and x + 0.2 z with one z would be two equations for each true x."""
    weak = published(people, ny.AdditiveNoise(columns=["income"], share=0.1))
    again = published(people.reverse(), ny.AdditiveNoise(columns=["income"], share=0.1), log=weak.log)
    assert again.frame.equals(weak.frame)
    strong = published(people, ny.AdditiveNoise(columns=["income"], share=0.2), log=weak.log)
    true = people["income"].to_numpy()
    first, second = (np.array(by_record(one, "income")) - true for one in (weak, strong))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.5  # 120 pairs: more than five standard errors


@pytest.mark.parametrize("method", ["anatomy", "buckets"])
@pytest.mark.parametrize(
    "transform",
    [ny.TopCoding(columns=["income"], fewest=5), ny.AdditiveNoise(columns=["income"])],
    ids=lambda one: one.key,
)
def test_buckets_are_published_beside_changed_columns(
    people: pl.DataFrame, tmp_path: Path, method: str, transform: Any
) -> None:
    model = ny.FrequencyLDiversity(l=2, attribute="ill")
    release = ny.publish(people, ROLES, privacy=[model], method=method, transforms=[transform])
    release.save(tmp_path / "out")
    assert ny.check(tmp_path / "out").holds
    with pytest.raises(ny.NymityError, match="second one"):
        ny.publish(
            people, ROLES, privacy=[model], method=method, transforms=[ny.Shuffling(columns=["area"], within=["ill"])]
        )


def test_a_job_file_and_python_say_the_same(people: pl.DataFrame, tmp_path: Path) -> None:
    people.write_csv(tmp_path / "people.csv")
    job = published(people, {"transform": "shuffling", "columns": ["area"], "within": ["sex"]}).job
    data = {**job.to_dict(), "source": "people.csv"}
    assert data["transforms"] == [{"transform": "shuffling", "columns": ["area"], "within": ["sex"]}]
    (tmp_path / "job.json").write_text(json.dumps(data), encoding="utf-8")
    read = ny.Job.load(tmp_path / "job.json")
    assert read.transforms == job.transforms
    assert ny.publish(read).verification.holds


def test_further_rows_come_without_columns_that_all_rows_decide(people: pl.DataFrame) -> None:
    noise, rounding = ny.AdditiveNoise(columns=["income"]), ny.Rounding(columns=["income"], base=100)
    for transforms in ([noise], [ny.TopCoding(columns=["income"], fewest=5)], [rounding, noise]):
        assert "income" not in ny.apply(published(people, *transforms), people).columns


def test_cells_of_further_rows_are_coded_as_those_of_the_release(people: pl.DataFrame, tmp_path: Path) -> None:
    codings = [
        ny.Rounding(columns=["income"], base=100),
        ny.TopCoding(columns=["income"], limit=8_000),
        ny.RecordSwapping(columns=["area"]),
    ]
    release = published(people, *codings)
    release.save(tmp_path / "release")
    further = people.head(9).with_columns(income=pl.Series([149, 150, 7_949, 7_950, 8_000, 9_999, 0, -51, None]))
    wanted = ["100", "200", "7900", "8000+", "8000+", "8000+", "0", "-100", None]
    for recoding in (release, tmp_path / "release-custodian"):
        made = ny.apply(recoding, further)
        assert made.columns == ["age", "sex", "income", "ill"]
        assert made["income"].to_list() == wanted
    alone = tmp_path / "recoding.json"
    alone.write_bytes((tmp_path / "release-custodian" / "recoding.json").read_bytes())
    assert "income" not in ny.apply(alone, further).columns  # a recoding alone does not know how
    whole = ny.apply(release, people)
    assert sorted(whole["income"]) == sorted(release.frame["income"])


@pytest.mark.parametrize(
    ("transforms", "further", "says"),
    [
        ([{"transform": "additive-noise", "columns": ["age"]}], {}, "whose role is 'quasi'"),
        ([{"transform": "post-randomization", "columns": ["ill"]}], {}, "whose role is 'sensitive'"),
        ([{"transform": "additive-noise", "columns": ["incom"]}], {}, "did you mean 'income'"),
        ([{"transform": "additive-nois", "columns": ["income"]}], {}, "did you mean 'additive-noise'"),
        ([{"transform": "additive-noise"}], {}, "a field 'columns'"),
        ([ny.AdditiveNoise(columns=["income"]), ny.RankSwapping(columns=["income"])], {}, "several for 'income'"),
        ([ny.RecordSwapping(columns=["area"], match=["name"])], {}, "columns that are published"),
        (5, {}, "a transform such as AdditiveNoise"),
    ],
)
def test_what_cannot_be_changed_is_refused(people: pl.DataFrame, transforms: Any, further: Any, says: str) -> None:
    with pytest.raises(ny.NymityError, match=says):
        ny.publish(people, ROLES, k=3, transforms=transforms, **further)


def test_links_private_methods_and_engines_are_refused(people: pl.DataFrame) -> None:
    noise = ny.AdditiveNoise(columns=["income"])
    linked = {**ROLES, "who": ny.person(pseudonym="random")}
    models = [ny.LinkedKAnonymity(k=2, knows=1)]
    with pytest.raises(ny.NymityError, match="2 rows that share theirs with others"):
        ny.publish(people.with_columns(who=pl.int_range(120) % 119), linked, privacy=models, transforms=[noise])
    keyed = {**ROLES, "who": ny.person(pseudonym="keyed")}
    with pytest.raises(ny.NymityError, match="keyed ones in 'who'"):
        ny.publish(people.with_columns(who=pl.int_range(120)), keyed, privacy=models, transforms=[noise])
    job = published(people, noise).job
    with pytest.raises(ny.NymityError, match="looks at all records"):
        dataclasses.replace(job, engine=ny.Engine(kind="streaming"), output=ny.Output(format="parquet"))


def test_pseudonyms_of_single_rows_go_with_draws_and_shared_ones_are_told(people: pl.DataFrame, tmp_path: Path) -> None:
    noise, coding = ny.AdditiveNoise(columns=["income"]), ny.Rounding(columns=["income"], base=10)
    linked = {**ROLES, "who": ny.person(pseudonym="random")}
    models = [ny.LinkedKAnonymity(k=2, knows=1)]
    ny.publish(
        people.with_columns(who=pl.int_range(120) % 60), linked, privacy=models, transforms=[coding]
    )  # draws nothing
    release = ny.publish(people.with_columns(who=pl.int_range(120)), linked, privacy=models, transforms=[noise])
    assert release.table["who"].n_unique() == 120
    release.save(tmp_path / "release")
    assert ny.check(tmp_path / "release").holds
    who = release.table["who"].to_list()
    release.table.with_columns(who=pl.Series([who[0], *who[:1], *who[2:]])).write_csv(
        tmp_path / "release" / "release.csv"
    )
    said = [one.says for one in ny.check(tmp_path / "release").findings]
    assert any(one.startswith("2 rows share a pseudonym with others") for one in said)


def test_what_became_of_columns_is_measured(people: pl.DataFrame) -> None:
    transforms = (ny.AdditiveNoise(columns=["income"], share=0.5), ny.Shuffling(columns=["area"]))
    release = published(people, *transforms)
    found = ny.risk.changed_columns(people, release)
    before, after = people["income"].to_numpy(), np.array(by_record(release, "income"))
    assert found["income"].kept == np.mean(before == after)
    assert found["income"].il1s == pytest.approx(np.mean(np.abs(before - after)) / np.sqrt(2) / before.std(ddof=1))
    assert found["income"].near == pytest.approx(np.mean(np.abs(before - after) <= 0.1 * before.std(ddof=1)))
    areas = zip(people["area"], by_record(release, "area"), strict=True)
    assert found["area"].kept == np.mean([a == b for a, b in areas])
    chances = []
    for x, own in zip(before, after, strict=True):
        distances = np.abs(after - x)
        chances.append(0 if (distances < abs(own - x)).any() else 1 / (distances == abs(own - x)).sum())
    assert found.linked == pytest.approx(np.mean(chances))
    assert found.by_chance == pytest.approx(1 / 120)


@pytest.mark.parametrize("limit", [None, 5_000])
def test_how_much_of_a_mean_is_one_records_is_measured(limit: int | None, people: pl.DataFrame, tmp_path: Path) -> None:
    people = people.with_columns(rent=pl.Series(np.random.default_rng(2).lognormal(5, 2, 120)).round(0).cast(pl.Int64))
    coded = [] if limit is None else [ny.TopCoding(columns=["income"], limit=limit, shown="limit")]
    several = [ny.Microaggregation(columns=["income", "rent"], k=3), *coded, ny.PostRandomization(columns=["area"])]
    roles = {**ROLES, "rent": "insensitive"}
    release = ny.publish(people, roles, k=3, method="mondrian", transforms=several, out=tmp_path / "release")
    groups = list(zip(by_record(release, "income"), by_record(release, "rent"), strict=True))
    for name in ("income", "rent"):
        held: dict[Any, list[int]] = {}
        for group, true in zip(groups, people[name], strict=True):
            held.setdefault(group, []).append(min(true, limit) if limit is not None and name == "income" else true)
        assert min(map(len, held.values())) >= 3
        share = max(max(numbers) / sum(numbers) for numbers in held.values())
        for known in (release, ny.open(tmp_path / "release")):
            assert ny.risk.changed_columns(people, known)[name].dominance == pytest.approx(share)
    assert ny.risk.changed_columns(people, release)["area"].dominance is None


def test_numbers_of_a_file_are_measured_as_those_in_memory(people: pl.DataFrame, tmp_path: Path) -> None:
    release = published(people, ny.Microaggregation(columns=["income"], k=3), out=tmp_path / "release")
    assert any(cell.endswith(".0") for cell in ny.open(tmp_path / "release").table["income"].cast(pl.String))
    one, other = (ny.risk.changed_columns(people, known) for known in (release, ny.open(tmp_path / "release")))
    assert one["income"].il1s is not None
    assert one == other


def test_no_share_is_measured_of_numbers_that_no_group_has(people: pl.DataFrame) -> None:
    release = published(people, ny.AdditiveNoise(columns=["income"]))
    assert ny.risk.changed_columns(people, release)["income"].dominance is None


def test_what_is_not_changed_is_linked_and_kept(people: pl.DataFrame) -> None:
    unique = people.with_columns(income=pl.int_range(120), rent=pl.int_range(120) * 2)
    release = ny.publish(unique, {**ROLES, "rent": "insensitive"}, k=3)
    found = ny.risk.changed_columns(unique, release, columns=["income", "rent"])
    assert (found.linked, found.correlation_change, found.eigenvalue_change) == (
        1.0,
        pytest.approx(0),
        pytest.approx(0),
    )
    assert found["rent"].il1s == 0
    with pytest.raises(ny.NymityError, match="custodian's log"):
        ny.risk.changed_columns(unique, release.frame)


def test_a_limit_leaves_enough_of_those_who_are_published() -> None:
    people = pl.DataFrame({"age": [1] * 50 + [2] * 2, "income": [*range(50), 999, 1_000]})
    release = ny.publish(
        people,
        {"age": ny.quasi(), "income": "insensitive"},
        k=3,
        method=ny.OptimalLattice(suppression=0.1),
        transforms=[ny.TopCoding(columns=["income"], fewest=3)],
    )
    assert release.suppressed == 2
    assert [value for value in release.frame["income"] if "+" in value] == ["47+"] * 3


@pytest.mark.parametrize("key", ["microaggregation", "optimal-microaggregation"])
def test_a_mean_is_never_that_of_one_person(key: str) -> None:
    visits = [("Ann", 90_000)] * 3 + [(f"p{i}", i) for i in range(9)]
    table = pl.DataFrame({"who": [who for who, _ in visits], "age": 3, "income": [income for _, income in visits]})
    roles = {"who": ny.person(), "age": "quasi", "income": "insensitive"}
    means = [{"transform": key, "columns": ["income"], "k": 3}]
    with pytest.raises(TableError, match="one record of each person"):
        ny.publish(table, roles, k=3, transforms=means)
    once = table.unique("who")
    assert ny.publish(once, roles, k=3, transforms=means).frame["income"].max() < 90_000


def test_a_table_in_another_order_is_not_given_the_same_noise_in_it(people: pl.DataFrame) -> None:
    """Two orders of one noise are as many differences of it as there are records: all of it would be known."""
    roles = {"w": "weight", **ROLES}
    weights = [pl.Series("w", row) for row in ([1 + i % 7 for i in range(120)], [1 + (i * i) % 11 for i in range(120)])]
    noise, log = [], None
    for column in weights:
        table = pl.DataFrame([column, *people])
        release = ny.publish(table, roles, k=3, transforms=[ny.AdditiveNoise(columns=["income"], share=9)], log=log)
        log = log or release.log
        drawn = zip(by_record(release, "income"), people["income"].gather(sorted(release.log.source_rows)), strict=True)
        noise.append({after - before for after, before in drawn})
    assert len(noise[0] & noise[1]) < 20


@pytest.mark.parametrize(
    ("transform", "wrong"),
    [
        (ny.TopCoding(columns=["income"], fewest=10), {"fewest": 11}),
        (ny.TopCoding(columns=["income"], share=0.1, shown="limit"), {"share": 0.2}),
        (ny.BottomCoding(columns=["income"], fewest=10, shown="limit"), {"fewest": 14}),
        (ny.TopCoding(columns=["income"], limit=8_000, shown="limit"), {"limit": 7_000}),
        (ny.BottomCoding(columns=["income"], limit=2_000), {"limit": 3_000}),
        (ny.Rounding(columns=["income"], base=10), {"base": 50}),
        (ny.RandomRounding(columns=["income"], base=0.5), {"base": 0.3}),
        (ny.Microaggregation(columns=["income", "area"], k=3), {"k": 6}),
        (ny.OptimalMicroaggregation(columns=["income"], k=3), {"k": 7}),
    ],
)
def test_cells_that_a_transform_does_not_leave_are_told(
    people: pl.DataFrame, transform: Any, wrong: dict[str, Any], tmp_path: Path
) -> None:
    further = () if "income" in transform.columns and not transform.is_coding else (ny.Shuffling(columns=["income"]),)
    published(people, transform, *further).save(tmp_path / "release")
    assert ny.check(tmp_path / "release").holds
    path = tmp_path / "release" / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    certificate["job"]["transforms"][0].update(wrong)
    path.write_text(json.dumps(certificate), encoding="utf-8")
    found = ny.check(tmp_path / "release")
    assert any("not what" in one for one in found.problems), found.problems


@pytest.mark.parametrize("cell", ["abc", "inf", "1e400"])
def test_cells_that_are_no_numbers_are_told_as_well(people: pl.DataFrame, cell: str) -> None:
    release = published(people, ny.Rounding(columns=["income"], base=100))
    income = ["100"] * 119 + [cell]
    found = ny.Rounding(columns=["income"], base=100).contradicted(release.frame.with_columns(income=pl.Series(income)))
    assert "no multiples" in found


def test_what_a_later_transform_changes_is_no_contradiction(people: pl.DataFrame) -> None:
    noise = ny.AdditiveNoise(columns=["income"], share=0.5)
    assert ny.check(published(people, ny.Rounding(columns=["income"], base=1_000), noise)).holds


def test_infinite_numbers_are_measured_without_a_warning(people: pl.DataFrame) -> None:
    infinite = people.with_columns(income=pl.when(pl.col("age") > 50).then(float("inf")).otherwise(pl.col("income")))
    found = ny.risk.changed_columns(infinite, published(infinite, ny.Shuffling(columns=["income"])))
    assert np.isfinite(found["income"].il1s)
