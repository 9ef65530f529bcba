"""Adult as it comes from UCI (Becker and Kohavi 1996): ten columns with hierarchies, and a training and a test part.

Li (2019) releases four, six, eight and ten attributes of it, whose lattices have 108, 648, 7,776 and 62,208 nodes. Six
are named there, with their numbers of levels. The others follow from its figures: only these four bring the 100
columns of its table 5.7 after one-hot encoding, and their levels are those that give the numbers of nodes. The
hierarchies are ours. They list every value of the data's documentation, whether it occurs or not, so that a private
release can use them.
"""

from __future__ import annotations

import polars as pl

from nymity.core.errors import FileError
from nymity.table.attribute import quasi
from nymity.table.builders import Intervals, Taxonomy
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from nymity_lab.datasets.public import learning_table, locate

#: What is to be predicted; published as it is.
TARGET = "income"
#: Levels of each attribute, raw values and ``*`` among them, in the order of the thesis.
LEVELS = {
    "age": 4,
    "workclass": 3,
    "education": 3,
    "marital-status": 3,
    "relationship": 3,
    "race": 2,
    "occupation": 3,
    "hours-per-week": 4,
    "sex": 2,
    "native-country": 4,
}

_NUMBERS = {
    "age": (range(17, 91), Intervals(cuts=((25, 35, 45, 55, 65), (35, 55)))),
    "hours-per-week": (range(1, 100), Intervals(cuts=((20, 35, 40, 41, 50, 60), (35, 41)))),
}


def _words(text: str) -> list[str]:
    return text.split()


_TREES: dict[str, dict[str, object]] = {
    "workclass": {
        "private": ["Private"],
        "self-employed": _words("Self-emp-not-inc Self-emp-inc"),
        "government": _words("Federal-gov Local-gov State-gov"),
        "unpaid": _words("Without-pay Never-worked"),
    },
    "education": {
        "no diploma": _words("Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th"),
        "high school": _words("HS-grad Some-college"),
        "associate": _words("Assoc-voc Assoc-acdm"),
        "degree": _words("Bachelors Masters Prof-school Doctorate"),
    },
    "marital-status": {
        "married": _words("Married-civ-spouse Married-AF-spouse"),
        "single": _words("Never-married Divorced Separated Widowed Married-spouse-absent"),
    },
    "relationship": {
        "spouse": _words("Husband Wife"),
        "other": _words("Not-in-family Own-child Unmarried Other-relative"),
    },
    "occupation": {
        "office": _words("Adm-clerical Exec-managerial Prof-specialty Sales Tech-support"),
        "manual": _words("Craft-repair Farming-fishing Handlers-cleaners Machine-op-inspct Transport-moving"),
        "service": _words("Armed-Forces Other-service Priv-house-serv Protective-serv"),
    },
    "native-country": {
        "home": {"United States": _words("United-States Outlying-US(Guam-USVI-etc) Puerto-Rico")},
        "abroad": {
            "America": _words(
                "Canada Columbia Cuba Dominican-Republic Ecuador El-Salvador Guatemala Haiti Honduras Jamaica Mexico "
                "Nicaragua Peru Trinadad&Tobago"
            ),
            "Asia": _words("Cambodia China Hong India Iran Japan Laos Philippines South Taiwan Thailand Vietnam"),
            "Europe": _words(
                "England France Germany Greece Holand-Netherlands Hungary Ireland Italy Poland Portugal Scotland "
                "Yugoslavia"
            ),
        },
    },
}
_FLAT = {
    "race": _words("White Black Asian-Pac-Islander Amer-Indian-Eskimo Other"),
    "sex": _words("Female Male"),
    TARGET: ["<=50K", ">50K"],
}


def census_hierarchies() -> dict[str, Hierarchy]:
    """Return a hierarchy for each of the ten attributes and for income."""
    nothing = pl.Series([], dtype=pl.String)
    built = {name: builder.build(pl.Series(values)) for name, (values, builder) in _NUMBERS.items()}
    built |= {name: Taxonomy(tree=tree).build(nothing) for name, tree in _TREES.items()}
    built |= {name: Hierarchy.flat(values) for name, values in _FLAT.items()}
    return {name: built[name] for name in (*LEVELS, TARGET)}


def census_schema(attributes: int = 10) -> Schema:
    """Return a schema of the first so many attributes and income, which stays as it is and counts for no loss."""
    hierarchies = census_hierarchies()
    names = list(LEVELS)[:attributes]
    schema = {name: quasi(hierarchies[name], missing="drop") for name in names}
    return Schema({**schema, TARGET: quasi(hierarchies[TARGET], missing="drop", level=0, weight=0)})


def census_parts() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return training (30,162) and test records (15,060) that lack no value: ten attributes and income, as text.

    The test part is ``adult.test`` beside ``adult.data``; its first line is no record, and its labels end with a dot.
    """
    train, place = learning_table("adult-census"), locate("adult-census")
    beside = place.with_name(place.name.replace("adult.data", "adult.test"))
    if not beside.is_file():
        raise FileError("the test part of Adult", expected=f"{beside.name} next to {place.name}", got="no such file")
    words = pl.all().str.strip_chars().replace("?", None)
    test = pl.read_csv(beside, has_header=False, new_columns=train.columns, skip_rows=1, infer_schema=False)
    test = test.with_columns(words).with_columns(pl.col(TARGET).str.strip_chars_end("."))
    return train.select(*LEVELS, TARGET).drop_nulls(), test.select(*LEVELS, TARGET).drop_nulls()
