"""Tables to learn from: what a model is to predict is one of their columns. Read as their sources hand them out.

=================  =============================================================  ============
``adult-census``   Becker & Kohavi 1996, UCI Adult, the training file             income
``cmc``            National Indonesia Contraceptive Prevalence Survey 1987, UCI   method
``framingham``     Framingham heart study, teaching file                          TenYearCHD
``nursery``        Olave, Rajkovic and Bohanec 1989, UCI Nursery, with a header   classification
``ringnorm``       Breiman 1996, two normal distributions, standardized           class
=================  =============================================================  ============
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

_ADULT = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
_BIRTH = (
    "wife-age", "wife-education", "husband-education", "children", "wife-religion", "wife-working",
    "husband-occupation", "standard-of-living", "media-exposure", "method",
)  # fmt: skip
_RING = (*(f"x{i}" for i in range(1, 21)), "class")

#: Names of the columns where the file has no header, and what is written for a missing value.
TASKS: dict[str, tuple[tuple[str, ...] | None, str]] = {
    "adult-census": (_ADULT, "?"),
    "cmc": (_BIRTH, ""),
    "framingham": (None, "NA"),
    "nursery": (None, "?"),
    "ringnorm": (_RING, ""),
}


def read_task(name: str, path: Path) -> pl.DataFrame:
    """Return all columns as text, missing values as null."""
    names, missing = TASKS[name]
    table = pl.read_csv(path, has_header=names is None, infer_schema=False)
    if names is not None:
        table.columns = list(names)
    words = pl.all().str.strip_chars()
    table = table.with_columns(pl.when(words.is_in([missing, ""])).then(None).otherwise(words).name.keep())
    return table.filter(~pl.all_horizontal(pl.all().is_null()))  # a blank line at the end
