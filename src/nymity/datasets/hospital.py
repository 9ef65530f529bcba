"""Hospital: a generated table of hospital stays, for the demo, the documentation and the tests.

It holds what makes anonymization interesting: names and record numbers, quasi-identifiers of every kind
(numbers, codes, categories, dates), a skewed sensitive attribute that depends on age and sex, and gaps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.datasets import hospital_people as people
from nymity.table.attribute import identifying, insensitive, quasi, sensitive
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

Codes = NDArray[np.int64]
Days = NDArray[np.datetime64]
Weights = Sequence[Sequence[int] | Codes]  # one row of weights per kind of person

FIRST_DAY, LAST_DAY = date(2023, 1, 1), date(2024, 12, 31)

MARITAL_TREE = {
    "with partner": ["married", "registered partnership"],
    "without partner": ["single", "separated", "divorced", "widowed"],
}
OCCUPATION_TREE = {
    "employed": {
        "health and education": ["nurse", "physician", "teacher", "social worker"],
        "office and trade": ["clerk", "accountant", "sales assistant", "manager"],
        "technology": ["engineer", "software developer", "electrician"],
        "manual work": ["builder", "driver", "cook", "cleaner", "farmer"],
    },
    "not employed": {
        "in education": ["pre-school child", "pupil", "student"],
        "at home": ["homemaker", "unemployed", "pensioner"],
    },
}


def hospital(rows: int = 20_000, seed: int = 7) -> pl.DataFrame:
    """Generate hospital stays, one per patient; the same rows and seed give the same table everywhere.

    Only uniform doubles of PCG64 and whole-number arithmetic are used, so no platform's rounding of a
    logarithm can change a value.
    """
    validation.whole_number("hospital.rows", rows, at_least=1, at_most=_RECORD_NUMBERS)
    validation.whole_number("hospital.seed", seed, at_least=0)
    rng = np.random.Generator(np.random.PCG64(seed))

    age = _draw(rng, [_age_weights()], np.zeros(rows, np.int64))
    sex = _draw(rng, people.SEX_WEIGHTS, _band(age, people.SEX_BANDS))
    diagnosis = _draw(rng, *_by_sex(_diagnosis_weights(), age, people.DIAGNOSIS_BANDS, sex))
    marital = _draw(rng, *_by_sex(people.MARITAL_WEIGHTS, age, people.MARITAL_BANDS, sex))
    occupation = _draw(rng, *_by_sex(people.OCCUPATION_WEIGHTS, age, people.OCCUPATION_BANDS, sex))
    postcodes, postcode_weights = _postcodes()
    postcode = _draw(rng, postcode_weights, ((age >= 18) & (age < 45)).astype(np.int64))
    admission = _admission_dates(rng, diagnosis)

    table = pl.DataFrame(
        {
            "patient_id": _record_numbers(rows),
            "name": _names(rng, sex),
            "birth_date": _birth_dates(rng, admission, age),
            "age": age,
            "sex": _labels(people.SEXES, sex),
            "postcode": _labels(postcodes, postcode),
            "marital_status": _labels(people.MARITAL_STATUSES, marital),
            "occupation": _labels(people.OCCUPATIONS, occupation),
            "admission_date": admission,
            "department": _departments(rng, diagnosis, age),
            "diagnosis": _labels([d.name for d in people.DIAGNOSES], diagnosis),
            "length_of_stay": _stays(rng, diagnosis, age),
            "insurance": _labels(people.INSURANCES, _draw(rng, _insurance_weights(), occupation)),
        }
    )
    return _with_gaps(rng, table)


def hospital_schema() -> Schema:
    """Return the schema the demo uses for :func:`hospital`."""
    return Schema(
        {
            "patient_id": identifying(),
            "name": identifying(),
            "birth_date": identifying(),  # the age says enough; a date of birth singles nearly everyone out
            "age": quasi(Hierarchy.intervals(width=5, levels=4)),
            "sex": quasi(),
            "postcode": quasi(Hierarchy.masking()),
            "marital_status": quasi(Hierarchy.taxonomy(MARITAL_TREE)),
            "occupation": quasi(Hierarchy.taxonomy(OCCUPATION_TREE)),
            "admission_date": quasi(Hierarchy.dates(levels=("month", "quarter", "year"))),
            # Left out of the release. A visitor knows the ward, and the ward nearly tells the diagnosis: published
            # beside it, "obstetrics" would pick the one record of a class it fits and undo its diversity.
            "department": identifying(),
            "diagnosis": sensitive(),
            # Published as they are: an outsider seldom knows the exact days or the insurer. Where he does (a
            # colleague who counts the days of absence), they belong among the quasi-identifiers.
            "length_of_stay": insensitive(),
            "insurance": insensitive(),
        }
    )


# -- columns -------------------------------------------------------------------------------------------------


def _admission_dates(rng: np.random.Generator, diagnosis: Codes) -> Days:
    days = np.arange(np.datetime64(FIRST_DAY), np.datetime64(LAST_DAY) + 1)
    month = days.astype("datetime64[M]").astype(np.int64) % 12
    weekday = (days.astype(np.int64) + 3) % 7  # day 0, 1 January 1970, was a Thursday
    weekdays = np.array(people.WEEKDAY_WEIGHTS)[weekday]
    seasons = list(people.MONTH_WEIGHTS)
    weights = [np.array(people.MONTH_WEIGHTS[season])[month] * weekdays for season in seasons]
    season_of = np.array([seasons.index(d.season) for d in people.DIAGNOSES])
    return np.asarray(days[_draw(rng, weights, season_of[diagnosis])])


def _birth_dates(rng: np.random.Generator, admission: Days, age: Codes) -> Days:
    """Place each birthday in the year that ends on the admission, ``age`` years earlier."""
    month = admission.astype("datetime64[M]")
    day = (admission - month).astype(np.int64)
    day = np.where(month.astype(np.int64) % 12 == 1, np.minimum(day, 27), day)  # 29 February has no anniversary
    anniversary = (month - 12 * age).astype("datetime64[D]") + day
    return np.asarray(anniversary - _draw(rng, [np.ones(365, np.int64)], np.zeros_like(age)))


def _departments(rng: np.random.Generator, diagnosis: Codes, age: Codes) -> pl.Series:
    names = sorted({d.department for d in people.DIAGNOSES} | {"intensive care", "paediatrics"})
    usual = np.array([names.index(d.department) for d in people.DIAGNOSES])[diagnosis]
    paediatrics, intensive = names.index("paediatrics"), names.index("intensive care")
    for_adults = [names.index(name) for name in ("surgery", "trauma surgery", "psychiatry", "obstetrics")]
    usual = np.where((age < 16) & ~np.isin(usual, for_adults), paediatrics, usual)
    in_intensive = _draw(rng, [(100 - d.intensive, d.intensive) for d in people.DIAGNOSES], diagnosis) == 1
    return _labels(names, np.where(in_intensive, intensive, usual))


def _stays(rng: np.random.Generator, diagnosis: Codes, age: Codes) -> Codes:
    """Days: the diagnosis's typical stay, spread to the right, half a percent longer per year beyond 50."""
    typical = np.array([d.stay for d in people.DIAGNOSES])[diagnosis]
    spread = np.array(people.STAY_SPREAD)
    step = _draw(rng, [np.ones(len(spread) - 1, np.int64)], np.zeros_like(age))
    within = _draw(rng, [np.ones(100, np.int64)], np.zeros_like(age))
    permyriad = 100 * spread[step] + within * (spread[step + 1] - spread[step])
    for_age = 200 + np.maximum(age - 50, 0)
    return np.asarray(np.maximum(1, typical * permyriad * for_age // 2_000_000))


def _names(rng: np.random.Generator, sex: Codes) -> pl.Series:
    given_names = [name for which in people.SEXES for name in people.GIVEN_NAMES[which]]
    sizes = [len(people.GIVEN_NAMES[which]) for which in people.SEXES]
    starts = np.cumsum([0, *sizes[:-1]])
    position = _draw(rng, [np.ones(min(sizes), np.int64)], np.zeros_like(sex))
    surnames = [start + end for start in people.SURNAME_BEGINNINGS for end in people.SURNAME_ENDINGS]
    surname = _draw(rng, [1000 // (np.arange(len(surnames)) + 40)], np.zeros_like(sex))
    return _labels(given_names, starts[sex] + position) + " " + _labels(surnames, surname)


_RECORD_NUMBERS = 90_000_000


def _record_numbers(rows: int) -> pl.Series:
    """Eight digits, all different, in no visible order: the factor has no divisor in common with 90 million."""
    numbers = (np.arange(rows, dtype=np.int64) * 38_196_601 + 31_415_926) % _RECORD_NUMBERS + 10_000_000
    return pl.Series(numbers).cast(pl.String)


def _with_gaps(rng: np.random.Generator, table: pl.DataFrame) -> pl.DataFrame:
    gaps = {
        name: pl.Series(_draw(rng, [(1000 - share, share)], np.zeros(table.height, np.int64)) == 1)
        for name, share in people.MISSING_PER_MILLE.items()
    }
    return table.with_columns(pl.when(gap).then(None).otherwise(pl.col(name)).alias(name) for name, gap in gaps.items())


# -- weights -------------------------------------------------------------------------------------------------


def _age_weights() -> Codes:
    weights = np.repeat(np.array(people.AGE_WEIGHTS), 5)
    weights[0] += people.NEWBORN_EXTRA
    return weights


def _diagnosis_weights() -> dict[str, list[Codes]]:
    by_age = np.array([d.by_age for d in people.DIAGNOSES]).T  # (bands, diagnoses)
    return {sex: list(by_age * np.array([getattr(d, sex) for d in people.DIAGNOSES])) for sex in people.SEXES}


def _insurance_weights() -> list[tuple[int, ...]]:
    return [people.INSURANCE_WEIGHTS.get(name, people.DEFAULT_INSURANCE) for name in people.OCCUPATIONS]


def _postcodes() -> tuple[list[str], list[list[int]]]:
    """Return the postcodes and two rows of weights: for everyone, and for young adults, who prefer cities."""
    codes: list[str] = []
    everyone: list[int] = []
    young: list[int] = []
    for prefix, inhabitants, count, city in people.REGIONS:
        for number in range(count):
            district, place = divmod(number, 4)
            codes.append(f"{prefix}{district + 1}{(place * 29 + district * 7) % 100:02d}")
            weight = inhabitants * 60 // (number + 4)
            everyone.append(weight)
            young.append(weight * (3 if city else 2))
    return codes, [everyone, young]


def _by_sex(weights: Mapping[str, Weights], age: Codes, bands: tuple[int, ...], sex: Codes) -> tuple[Weights, Codes]:
    """Stack the tables of both sexes and say which row each person draws from."""
    stacked = [row for which in people.SEXES for row in weights[which]]
    return stacked, sex * len(bands) + _band(age, bands)


# -- drawing -------------------------------------------------------------------------------------------------


def _draw(rng: np.random.Generator, weights: Weights, row: Codes) -> Codes:
    """Draw one column number per entry of ``row``, with the weights of that row.

    All rows lie behind each other on one line of cumulated weights; a draw is a point on the row's stretch.
    """
    table = np.array(weights, dtype=np.int64)  # (rows, values)
    line = np.cumsum(table)
    total = table.sum(axis=1)
    start = np.cumsum(total) - total
    point = (rng.random(len(row)) * total[row]).astype(np.int64) + start[row]
    return np.asarray(np.searchsorted(line, point, side="right") - row * table.shape[1])


def _band(age: Codes, last_ages: tuple[int, ...]) -> Codes:
    return np.asarray(np.searchsorted(np.array(last_ages), age, side="left"))


def _labels(names: Sequence[str], codes: Codes) -> pl.Series:
    return pl.Series(names, dtype=pl.String).gather(pl.Series(codes))
