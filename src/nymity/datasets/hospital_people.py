"""The people of the generated hospital: who comes, from where, with what, as whole-number weights.

Every number here is made up to look plausible; none is an estimate of anything. Weights within one tuple are
relative to each other. They are whole numbers so that the generated table is the same on every platform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Season = Literal["even", "winter", "summer"]

SEXES = ("female", "male")

#: Last age of each band that diagnoses depend on: newborns, small children, pupils, ..., 75 and older.
DIAGNOSIS_BANDS = (0, 4, 17, 29, 44, 59, 74, 99)


@dataclass(frozen=True)
class Diagnosis:
    """How often a diagnosis is made in each age band, for whom, where it is treated and for how long."""

    name: str
    department: str
    stay: int  #: typical days
    season: Season
    female: int  #: weight for women
    male: int  #: weight for men
    intensive: int  #: percent treated in intensive care
    by_age: tuple[int, ...]  #: one weight per band of DIAGNOSIS_BANDS


DIAGNOSES = (
    Diagnosis("newborn jaundice", "paediatrics", 3, "even", 9, 10, 1, (60, 0, 0, 0, 0, 0, 0, 0)),
    Diagnosis("bronchiolitis", "paediatrics", 4, "winter", 9, 11, 4, (50, 20, 1, 0, 0, 0, 0, 0)),
    Diagnosis("influenza", "internal medicine", 5, "winter", 10, 10, 4, (10, 12, 8, 7, 6, 8, 12, 16)),
    Diagnosis("gastroenteritis", "internal medicine", 3, "summer", 11, 10, 0, (20, 28, 14, 12, 9, 9, 11, 13)),
    Diagnosis("type 2 diabetes", "internal medicine", 7, "even", 9, 11, 1, (0, 0, 1, 3, 10, 24, 32, 26)),
    Diagnosis("HIV infection", "internal medicine", 8, "even", 4, 12, 2, (0, 0, 0, 5, 9, 6, 2, 1)),
    Diagnosis("asthma", "pulmonology", 4, "winter", 11, 9, 2, (2, 14, 18, 9, 7, 7, 6, 4)),
    Diagnosis("pneumonia", "pulmonology", 7, "winter", 9, 11, 8, (10, 10, 6, 6, 8, 14, 26, 40)),
    Diagnosis("chronic bronchitis", "pulmonology", 7, "winter", 8, 11, 5, (0, 0, 0, 0, 3, 16, 30, 28)),
    Diagnosis("lung cancer", "oncology", 9, "even", 8, 11, 3, (0, 0, 0, 0, 2, 11, 18, 10)),
    Diagnosis("breast cancer", "oncology", 5, "even", 20, 0, 1, (0, 0, 0, 2, 12, 22, 20, 13)),
    Diagnosis("leukaemia", "oncology", 14, "even", 9, 11, 5, (1, 4, 4, 3, 2, 3, 5, 4)),
    Diagnosis("colorectal cancer", "surgery", 10, "even", 9, 11, 6, (0, 0, 0, 1, 4, 13, 20, 18)),
    Diagnosis("acute appendicitis", "surgery", 4, "even", 9, 11, 1, (0, 3, 34, 30, 18, 11, 7, 4)),
    Diagnosis("gallstones", "surgery", 4, "even", 13, 8, 1, (0, 0, 1, 11, 22, 26, 24, 16)),
    Diagnosis("prostate cancer", "urology", 5, "even", 0, 20, 1, (0, 0, 0, 0, 0, 9, 24, 18)),
    Diagnosis("kidney stones", "urology", 3, "summer", 7, 13, 0, (0, 0, 1, 11, 20, 24, 18, 9)),
    Diagnosis("urinary tract infection", "urology", 5, "even", 15, 7, 2, (10, 6, 4, 8, 6, 8, 14, 24)),
    Diagnosis("childbirth", "obstetrics", 3, "even", 20, 0, 0, (0, 0, 1, 75, 85, 0, 0, 0)),
    Diagnosis("pregnancy complication", "obstetrics", 4, "even", 20, 0, 1, (0, 0, 1, 24, 26, 0, 0, 0)),
    Diagnosis("hip fracture", "trauma surgery", 12, "winter", 13, 7, 5, (0, 0, 0, 1, 2, 6, 22, 66)),
    Diagnosis("forearm fracture", "trauma surgery", 2, "summer", 10, 11, 0, (0, 14, 40, 17, 15, 17, 17, 15)),
    Diagnosis("concussion", "neurology", 2, "even", 9, 11, 1, (8, 20, 26, 17, 11, 9, 9, 12)),
    Diagnosis("stroke", "neurology", 11, "even", 9, 11, 14, (0, 0, 0, 2, 7, 22, 44, 58)),
    Diagnosis("epilepsy", "neurology", 4, "even", 10, 10, 3, (4, 10, 12, 10, 9, 9, 9, 9)),
    Diagnosis("heart attack", "cardiology", 7, "winter", 7, 13, 22, (0, 0, 0, 1, 9, 34, 48, 42)),
    Diagnosis("heart failure", "cardiology", 9, "winter", 10, 10, 9, (0, 0, 1, 2, 6, 20, 54, 82)),
    Diagnosis("depression", "psychiatry", 24, "even", 12, 9, 0, (0, 0, 10, 26, 30, 30, 17, 9)),
    Diagnosis("alcohol dependence", "psychiatry", 12, "even", 6, 14, 2, (0, 0, 1, 13, 26, 32, 13, 4)),
    Diagnosis("schizophrenia", "psychiatry", 28, "even", 9, 11, 0, (0, 0, 1, 14, 16, 11, 5, 2)),
)

#: Length of a stay in percent of the diagnosis's typical days; each entry is as likely as the next.
STAY_SPREAD = (15, 30, 40, 48, 55, 62, 68, 75, 82, 90, 97, 105, 113, 122, 133, 145, 160, 182, 215, 270, 380)

#: Weight of one year of age, for the five years 0-4, 5-9, ..., 95-99; newborns come on top.
AGE_WEIGHTS = (30, 14, 14, 22, 30, 38, 42, 40, 36, 42, 52, 62, 70, 78, 84, 88, 80, 50, 18, 4)
NEWBORN_EXTRA = 110

#: Weights of (female, male) by age band; women of childbearing age and the very old are more often women.
SEX_BANDS = (17, 44, 79, 99)
SEX_WEIGHTS = ((47, 53), (56, 44), (48, 52), (60, 40))

MARITAL_STATUSES = ("single", "married", "registered partnership", "separated", "divorced", "widowed")
MARITAL_BANDS = (17, 24, 34, 49, 64, 79, 99)
#: One row per band, in the order of MARITAL_STATUSES.
MARITAL_WEIGHTS = {
    "female": (
        (100, 0, 0, 0, 0, 0),
        (84, 13, 2, 1, 0, 0),
        (46, 43, 5, 3, 3, 0),
        (20, 57, 5, 5, 12, 1),
        (10, 60, 3, 4, 18, 5),
        (6, 52, 1, 2, 14, 25),
        (6, 24, 1, 1, 8, 60),
    ),
    "male": (
        (100, 0, 0, 0, 0, 0),
        (92, 6, 1, 1, 0, 0),
        (58, 33, 5, 2, 2, 0),
        (26, 55, 5, 5, 9, 0),
        (13, 64, 3, 4, 14, 2),
        (7, 71, 1, 2, 11, 8),
        (5, 60, 1, 1, 6, 27),
    ),
}

OCCUPATIONS = (
    "nurse",
    "physician",
    "teacher",
    "social worker",
    "clerk",
    "accountant",
    "sales assistant",
    "manager",
    "engineer",
    "software developer",
    "electrician",
    "builder",
    "driver",
    "cook",
    "cleaner",
    "farmer",
    "pre-school child",
    "pupil",
    "student",
    "homemaker",
    "unemployed",
    "pensioner",
)
OCCUPATION_BANDS = (5, 17, 24, 59, 66, 99)
#: One row per band, in the order of OCCUPATIONS.
OCCUPATION_WEIGHTS = {
    "female": (
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0),
        (7, 0, 1, 3, 8, 1, 11, 0, 1, 1, 1, 0, 1, 4, 4, 0, 0, 2, 46, 5, 7, 0),
        (12, 3, 11, 6, 17, 5, 13, 5, 2, 2, 1, 1, 2, 4, 9, 2, 0, 0, 2, 10, 7, 2),
        (9, 2, 9, 5, 15, 4, 9, 4, 1, 1, 1, 0, 1, 3, 8, 2, 0, 0, 0, 14, 7, 24),
        (0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 6, 0, 90),
    ),
    "male": (
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0),
        (1, 0, 0, 1, 3, 1, 6, 0, 2, 4, 8, 9, 5, 5, 1, 1, 0, 2, 43, 0, 10, 0),
        (2, 3, 4, 2, 6, 4, 6, 10, 9, 8, 10, 12, 11, 5, 2, 3, 0, 0, 2, 1, 8, 4),
        (1, 3, 4, 1, 5, 4, 4, 9, 7, 3, 8, 9, 9, 3, 2, 3, 0, 0, 0, 1, 9, 28),
        (0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 94),
    ),
}

INSURANCES = ("statutory", "private", "state aid", "self-pay")
#: By occupation; everyone else is insured like DEFAULT_INSURANCE.
DEFAULT_INSURANCE = (86, 11, 2, 1)
INSURANCE_WEIGHTS = {
    "physician": (38, 60, 1, 1),
    "manager": (52, 46, 0, 2),
    "engineer": (68, 31, 0, 1),
    "accountant": (74, 25, 0, 1),
    "farmer": (78, 16, 1, 5),
    "unemployed": (60, 1, 38, 1),
    "cleaner": (92, 1, 5, 2),
}

#: Regions as (first two digits, population, number of postcodes, is a city); the first digit is the province.
REGIONS = (
    ("01", 210, 16, True),
    ("02", 110, 11, False),
    ("03", 80, 9, False),
    ("04", 60, 8, False),
    ("11", 160, 13, True),
    ("12", 90, 10, False),
    ("13", 70, 8, False),
    ("21", 100, 10, True),
    ("22", 70, 8, False),
    ("23", 50, 7, False),
)

#: Admissions per day in each month, and percent of them on Monday, ..., Sunday.
MONTH_WEIGHTS: dict[Season, tuple[int, ...]] = {
    "even": (10, 10, 10, 10, 10, 10, 10, 9, 10, 10, 10, 9),
    "winter": (18, 19, 15, 10, 7, 5, 4, 4, 6, 9, 12, 16),
    "summer": (7, 7, 8, 9, 11, 14, 15, 15, 12, 9, 7, 7),
}
WEEKDAY_WEIGHTS = (19, 17, 16, 15, 15, 9, 9)

#: How many of a thousand cells are left empty.
MISSING_PER_MILLE = {"postcode": 25, "marital_status": 32, "occupation": 42, "diagnosis": 5}


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


GIVEN_NAMES = {
    "female": _words(
        "Alma Bettina Carlotta Daria Elin Femke Greta Hanne Ilka Jorun Karla Liv Maren Nele Oda Petra Ronja Silke "
        "Tilda Ulrike Vera Wiebke Yara Zita Amalia Branka Corinna Dilara Eveline Franka"
    ),
    "male": _words(
        "Anton Bastian Corvin Dietmar Enno Fabian Gustav Hannes Ivo Joris Kilian Lorenz Milan Nils Oskar Piet "
        "Quirin Ruben Sören Tammo Uwe Valentin Wim Xaver Yannis Zeno Arvid Bogdan Ciro Emre"
    ),
}
#: A surname is one beginning and one ending.
SURNAME_BEGINNINGS = _words(
    "Alder Birken Dorn Eichen Falken Garten Hasel Igel Kessel Linden Mohn Nessel Otter Quellen Raben Silber Tannen "
    "Ulmen Weiden Zedern Acker Buchen Distel Erlen"
)
SURNAME_ENDINGS = _words("bach berg brink dorf feld grund hof horst kamp mann moor rode stein tal wald wiese")
