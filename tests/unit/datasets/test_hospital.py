"""The generated hospital: the same everywhere, consistent in itself, and worth anonymizing."""

from __future__ import annotations

import hashlib
from datetime import date

import numpy as np
import polars as pl
import pytest

from nymity.core.errors import ParameterError
from nymity.datasets import hospital, hospital_people, hospital_schema
from nymity.datasets.hospital import FIRST_DAY, LAST_DAY, MARITAL_TREE, OCCUPATION_TREE, _draw
from nymity.table.attribute import Role

QUASI = ("age", "sex", "postcode", "marital_status", "occupation", "admission_date")


@pytest.fixture(scope="module")
def stays() -> pl.DataFrame:
    return hospital()


def test_the_table_is_the_same_everywhere(stays: pl.DataFrame) -> None:
    assert (
        hashlib.sha256(stays.write_csv().encode()).hexdigest()
        == "f2e30f3ed36f2f2900650c08833001cab62282143f77f91582ae2bad054bed75"
    )


def test_the_seed_makes_the_table() -> None:
    assert hospital(200, seed=3).equals(hospital(200, seed=3))
    assert not hospital(200, seed=3).equals(hospital(200, seed=4))


@pytest.mark.parametrize("rows", [1, 2, 777])
def test_any_number_of_rows(rows: int) -> None:
    assert hospital(rows).height == rows


@pytest.mark.parametrize(("rows", "seed"), [(0, 7), (-1, 7), (2.5, 7), (True, 7), (10, -1), (10, "7"), (10**9, 7)])
def test_wrong_parameters_are_named(rows: int, seed: int) -> None:
    with pytest.raises(ParameterError, match=r"hospital\.(rows|seed): expected a whole number"):
        hospital(rows, seed)


def test_columns_and_types(stays: pl.DataFrame) -> None:
    assert stays.columns == list(hospital_schema())
    assert {name for name, dtype in stays.schema.items() if dtype == pl.Date} == {"birth_date", "admission_date"}
    assert {name for name, dtype in stays.schema.items() if dtype == pl.Int64} == {"age", "length_of_stay"}
    assert all(dtype in (pl.Date, pl.Int64, pl.String) for dtype in stays.dtypes)


def test_record_numbers_are_different(stays: pl.DataFrame) -> None:
    assert stays["patient_id"].n_unique() == stays.height
    assert stays["patient_id"].str.contains(r"^[1-9]\d{7}$").all()


def test_the_age_follows_from_the_dates(stays: pl.DataFrame) -> None:
    for age, birth, admission in stays.select("age", "birth_date", "admission_date").iter_rows():
        had_birthday = (admission.month, admission.day) >= (birth.month, birth.day)
        assert age == admission.year - birth.year - (not had_birthday)
    assert stays["admission_date"].is_between(FIRST_DAY, LAST_DAY).all()
    assert (stays["admission_date"] == date(2024, 2, 29)).any()  # the day that is easy to get wrong


def test_names_fit_the_sex(stays: pl.DataFrame) -> None:
    given = stays["name"].str.split(" ").list.first()
    for sex, names in hospital_people.GIVEN_NAMES.items():
        assert set(given.filter(stays["sex"] == sex)) <= set(names)
    assert not set(hospital_people.GIVEN_NAMES["female"]) & set(hospital_people.GIVEN_NAMES["male"])


def test_postcodes_are_regional(stays: pl.DataFrame) -> None:
    codes = stays["postcode"].drop_nulls()
    assert codes.str.contains(r"^\d{5}$").all()
    assert [codes.str.slice(0, length).n_unique() for length in (1, 2, 5)] == [3, 10, 100]
    assert codes.str.starts_with("0").any()
    sizes = codes.value_counts()["count"]
    assert sizes.max() > 5 * sizes.min()


def test_gaps_are_where_they_are_meant_to_be(stays: pl.DataFrame) -> None:
    gaps = {name: stays[name].null_count() / stays.height for name in stays.columns}
    assert {name for name, share in gaps.items() if share} == set(hospital_people.MISSING_PER_MILLE)
    assert all(0.02 <= gaps[name] <= 0.06 for name in ("postcode", "marital_status", "occupation"))
    assert 0 < gaps["diagnosis"] < 0.01


def test_diagnoses_depend_on_age_and_sex(stays: pl.DataFrame) -> None:
    counts = stays["diagnosis"].drop_nulls().value_counts(sort=True)["count"]
    assert 25 <= len(counts) <= 30
    assert counts[0] > 5 * counts[-1]
    assert set(stays.filter(diagnosis="childbirth")["sex"]) == {"female"}
    assert set(stays.filter(diagnosis="prostate cancer")["sex"]) == {"male"}
    assert stays.filter(diagnosis="newborn jaundice")["age"].max() == 0
    ages = dict(stays.group_by("diagnosis").agg(pl.col("age").mean()).iter_rows())
    assert ages["acute appendicitis"] + 20 < ages["heart failure"]


def test_stays_depend_on_the_diagnosis(stays: pl.DataFrame) -> None:
    days = dict(stays.group_by("diagnosis").agg(pl.col("length_of_stay").mean()).iter_rows())
    assert days["forearm fracture"] < days["pneumonia"] < days["stroke"] < days["schizophrenia"]
    assert stays["length_of_stay"].min() == 1
    assert stays["length_of_stay"].mean() > stays["length_of_stay"].median()  # skewed to the right


def test_life_follows_age(stays: pl.DataFrame) -> None:
    children = stays.filter(pl.col("age") < 16)
    assert set(children["marital_status"].drop_nulls()) == {"single"}
    assert set(children["occupation"].drop_nulls()) == {"pre-school child", "pupil"}
    assert children.filter(pl.col("department") == "paediatrics").height > 0.4 * children.height
    old = stays.filter(pl.col("age") >= 80)
    widowed = old.group_by("sex").agg((pl.col("marital_status") == "widowed").mean())
    assert dict(widowed.iter_rows())["female"] > dict(widowed.iter_rows())["male"] + 0.2
    assert (old["occupation"] == "pensioner").mean() > 0.8


def test_winter_brings_influenza(stays: pl.DataFrame) -> None:
    month = stays["admission_date"].dt.month()
    influenza = stays["diagnosis"] == "influenza"
    assert (influenza & month.is_in([12, 1, 2])).sum() > 2 * (influenza & month.is_in([6, 7, 8])).sum()


def test_the_schema_covers_the_table(stays: pl.DataFrame) -> None:
    schema = hospital_schema()
    schema.check(stays)
    assert schema.quasi == QUASI
    assert schema.sensitive == ("diagnosis",)
    assert schema.columns(Role.IDENTIFYING) == ("patient_id", "name", "birth_date", "department")
    heights = {name: schema.hierarchy(name, stays[name].unique()).height for name in QUASI}
    assert heights == {
        "age": 4,
        "sex": 1,
        "postcode": 5,
        "marital_status": 2,
        "occupation": 3,
        "admission_date": 4,
    }


def test_the_taxonomies_list_every_value() -> None:
    marital = [value for values in MARITAL_TREE.values() for value in values]
    occupation = [value for groups in OCCUPATION_TREE.values() for values in groups.values() for value in values]
    assert sorted(marital) == sorted(hospital_people.MARITAL_STATUSES)
    assert sorted(occupation) == sorted(hospital_people.OCCUPATIONS)


def test_a_good_release_exists(stays: pl.DataFrame) -> None:
    """5-anonymous and 3-diverse with at most 5% suppressed, and no attribute given up entirely."""
    schema = hospital_schema()
    levels = {"age": 3, "sex": 0, "postcode": 4, "marital_status": 0, "occupation": 2, "admission_date": 3}
    generalized = {}
    for name, level in levels.items():
        hierarchy = schema.hierarchy(name, stays[name].unique())
        assert level < hierarchy.height
        texts = stays[name].cast(pl.String).to_list()
        generalized[name] = [hierarchy.generalize(text, level) for text in texts]
    table = pl.DataFrame(generalized).with_columns(stays["diagnosis"])
    classes = table.group_by(QUASI).agg(
        pl.len().alias("size"), pl.col("diagnosis").drop_nulls().n_unique().alias("values")
    )
    kept = classes.filter((pl.col("size") >= 5) & (pl.col("values") >= 3))["size"].sum()
    assert kept >= 0.95 * stays.height


def test_weights_have_the_shape_of_their_labels() -> None:
    for sex in hospital_people.SEXES:
        assert np.array(hospital_people.MARITAL_WEIGHTS[sex]).shape == (
            len(hospital_people.MARITAL_BANDS),
            len(hospital_people.MARITAL_STATUSES),
        )
        assert np.array(hospital_people.OCCUPATION_WEIGHTS[sex]).shape == (
            len(hospital_people.OCCUPATION_BANDS),
            len(hospital_people.OCCUPATIONS),
        )
    assert all(len(d.by_age) == len(hospital_people.DIAGNOSIS_BANDS) for d in hospital_people.DIAGNOSES)
    assert set(hospital_people.INSURANCE_WEIGHTS) <= set(hospital_people.OCCUPATIONS)


def test_draws_follow_their_row_of_weights() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    row = np.repeat([0, 1, 2], 20_000)
    drawn = _draw(rng, [(0, 3, 1), (5, 0, 0), (1, 1, 2)], row)
    shares = np.array([np.bincount(drawn[row == r], minlength=3) / 20_000 for r in range(3)])
    np.testing.assert_array_equal(shares[1], [1, 0, 0])
    assert shares[0, 0] == 0
    # five standard errors of a share of 1/2 among 20,000
    np.testing.assert_allclose(shares, [[0, 0.75, 0.25], [1, 0, 0], [0.25, 0.25, 0.5]], atol=5 * 0.5 / 20_000**0.5)
