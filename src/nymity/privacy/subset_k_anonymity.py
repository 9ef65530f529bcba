"""k-anonymity of every m columns: whoever knows up to m quasi-identifiers of a person finds k rows that fit.

For each set A of m quasi-identifying columns, or of all if there are fewer, and each row r,

    |{ rows s : s and r have the same cells in A }| >= k,

where ``*`` is a value of its own. Statistics offices ask for this where there are many columns and nobody knows all of
them: "all combinations of m variables". Promise it several times for several m, each with its own k.

What follows, for somebody who knows the values x of a person in a set B of at most m columns: B is part of some A. The
person's row r has in B the values x or ``*``. The k rows or more with the same cells as r in A have these in B, too, so
all of them fit. For more than m columns nothing follows. The promise is weaker than k-anonymity, which implies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import polars as pl

from nymity.core.validation import whole_number
from nymity.privacy.groups import Groups
from nymity.privacy.known_columns import KnownColumns
from nymity.privacy.model import Measured, Unlimited
from nymity.privacy.sizes import ModelOfK, SizeModel
from nymity.table.encoding import EncodedTable

#: What is measured of a table where nobody says how many columns are known.
_MEASURED_M = 2


@dataclass(frozen=True, kw_only=True)
class SubsetKAnonymity(ModelOfK, SizeModel):
    """Every combination of cells that a row has in any m quasi-identifying columns, k rows have.

    Methods that make classes keep it by classes of k records; ``subset-suppression`` suppresses far fewer cells.
    """

    k: int
    m: int

    key = "subset-k-anonymity"
    beyond_classes = True
    title = "k-anonymity of every m columns"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number(f"{self.key}.m", self.m, at_least=1)

    def known_columns(self, table: EncodedTable) -> KnownColumns:
        """k rows of every m columns."""
        return KnownColumns(min(self.m, len(table.names)), self.k)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the k of every two columns."""
        return {"k": fewest_alike(groups, _MEASURED_M), "m": _MEASURED_M}

    def reached(self, groups: Groups) -> Measured:
        """Return the k of as many columns."""
        return {"k": fewest_alike(groups, self.m), "m": self.m}

    def holds(self, groups: Groups) -> bool:
        """Enough rows have every combination of cells; without any row nothing can be found."""
        fewest = fewest_alike(groups, self.m)
        return fewest is None or fewest >= self.k

    def row_chance(self, *, classes: bool, complete: bool) -> Unlimited:
        """None, of anyone who knows more columns."""
        return Unlimited(f"it is about whoever knows {_known(self.m)}, and this attack knows all")

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"{self.k}-anonymity of every {_columns(self.m)}: whoever knows {_known(self.m)} finds at least "
            f"{self.k} published records that fit, * being a value of its own; weaker than k-anonymity, and "
            "nothing is said of those who know more columns"
        )

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return self.promise().replace("published records that fit", "persons with a published record that fits")


def fewest_alike(groups: Groups, m: int) -> int | None:
    """Return the fewest records, or persons, that share the cells of a row in m columns; None without a row."""
    rows = groups.cells.with_columns(groups.records.alias("records"))
    if not rows.height:
        return None
    size = pl.col("records").sum()
    if groups.persons is not None:
        rows, size = rows.with_columns(groups.persons.alias("person")), pl.col("person").n_unique()
    # The widest columns first: a combination of one is mostly found there, and nothing is rarer.
    names = sorted(groups.dividing, key=lambda name: -rows[name].n_unique())
    fewest = rows.height if groups.persons is not None else groups.n_records
    for chosen in combinations(names, min(m, len(names))):
        fewest = min(fewest, int(rows.group_by(chosen).agg(size.alias("size"))["size"].min()))  # type: ignore[arg-type]
        if fewest == 1:
            break
    return fewest


def _columns(m: int) -> str:
    return "column" if m == 1 else f"{m} columns"


def _known(m: int) -> str:
    if m == 1:
        return "the value of a person in one column that is quasi-identifying"
    return f"the values of a person in up to {m} columns that are quasi-identifying"
