"""The tables that are released, with hierarchies that are public and the columns that classifiers predict.

``usc`` is US Census of the paper (Adult, hierarchies of ARX) and ``cs`` its Crash statistics (FARS). Time use survey
and Health interviews cannot be had: ``acs``, the American Community Survey, stands in, with hierarchies of ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from nymity.table.hierarchy import Hierarchy
    from nymity.table.schema import Schema

#: What each table is called in exhibits.
NAMES = {
    "usc": "US Census",
    "cs": "Crash statistics",
    "acs": "census (ACS)",
    "nursery": "Nursery",
    "generated": "generated",
}
#: The columns that classifiers predict: table 2, first and second.
TARGETS = {
    "usc": ("marital-status", "salary-class"),
    "cs": ("ihispanic", "irace"),
    "acs": ("Marital", "IncomeGT50K"),
    "nursery": ("classification",),
    "generated": ("rich",),
}
_FILES = {"usc": "adult", "cs": "fars", "nursery": "nursery"}
#: Widths and levels of intervals of the survey's numbers; its other columns are published or not.
_ACS = {
    "Age": (5, 4),
    "Gender": None,
    "Education": (4, 3),
    "Marital": None,
    "Race": None,
    "WorkClass": None,
    "Birthplace": (50, 3),
    "Hours": (10, 4),
    "IncomeGT50K": None,
}


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyTable:
    """A table, and a hierarchy for each column."""

    table: pl.DataFrame
    hierarchies: dict[str, Hierarchy]

    def schema(self, target: str | None = None) -> Schema:
        """All columns are quasi-identifiers; the target's level stays 0."""
        from nymity.table.attribute import quasi
        from nymity.table.schema import Schema

        return Schema(
            {
                name: quasi(hierarchy, missing="error", level=0 if name == target else None)
                for name, hierarchy in self.hierarchies.items()
            }
        )


@lru_cache(maxsize=2)
def source(name: str) -> StudyTable:
    """Read a table."""
    if name == "generated":
        return _generated()
    if name == "acs":
        return _survey()
    from nymity_lab.datasets import public

    found = public(_FILES[name])
    return StudyTable(table=found.table, hierarchies=dict(found.hierarchies))


def _survey() -> StudyTable:
    from nymity.table.hierarchy import Hierarchy
    from nymity_lab.datasets import public

    found = public("acs")
    table = found.table.select(list(_ACS))
    built = {
        name: found.hierarchies[name]
        if shape is None
        else Hierarchy.intervals(width=shape[0], levels=shape[1]).build(table[name])
        for name, shape in _ACS.items()
    }
    return StudyTable(table=table, hierarchies=built)


def _generated() -> StudyTable:
    """Return 1,500 made-up records; whoever is older and works as ``a`` is rich more often."""
    import numpy as np
    import polars as pl

    from nymity.table.hierarchy import Hierarchy

    rng, n = np.random.default_rng(20180), 1_500
    age, sex = rng.integers(20, 60, n), rng.choice(["f", "m"], n)
    job = np.where(rng.random(n) < 0.3, "c", np.where((sex == "f") ^ (rng.random(n) < 0.1), "a", "b"))
    rich = rng.random(n) < np.where(job == "a", 0.2, 0.05) + (age - 20) / 60
    table = pl.DataFrame({"age": age, "sex": sex, "job": job, "rich": np.where(rich, "yes", "no")})
    ages = Hierarchy.intervals(width=10, levels=3).build(pl.Series(range(20, 60)))
    flat = {name: Hierarchy.flat(sorted(table[name].unique())) for name in ("sex", "job", "rich")}
    return StudyTable(table=table, hierarchies={"age": ages, **flat})
