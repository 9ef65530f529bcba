"""LKC-privacy (Mohammed, Fung, Hung and Lee 2009): who knows up to l values finds k rows, none of them too telling.

For each set A of l quasi-identifying columns, or of all if there are fewer, and each row r, let G be the rows with the
same cells as r in A, ``*`` being a value of its own. Then

    |G| >= k,   and   |{ rows of G with the sensitive value s }| <= c |G|   for each sensitive value s that is listed.

*Fewer columns follow.* For a part B of A the rows that share their cells in B are a union of such G, which are
disjoint: numbers add up, so there are k rows and each value has no more than the share c. Sets of l columns suffice.

*What somebody learns.* Let x be the raw values of a person in a set B of at most l columns. The person's row shows in B
what x is published as, or ``*`` if cells are suppressed. The rows that fit x are all those that show this, or ``*``:
a union of groups of B. So k rows fit or more, and no listed value has more than the share c of them. The same holds for
who knows what the row shows. Masked rows are groups like others. For more than l columns nothing follows.

*Generalizing keeps it.* Cells that become one join groups, whose unions keep it by the same argument. A table that
breaks it therefore breaks it however much finer it gets; methods that begin at the top and go down stop there.

The paper says confidence for the share c, and has the threshold as "at most", as here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import exact_fraction, nearest, number, short_fraction, whole_number
from nymity.privacy.groups import Groups
from nymity.privacy.known_columns import KnownColumns
from nymity.privacy.model import Measured, Unlimited
from nymity.privacy.sensitive import SensitiveModel, check_name, check_sensitive
from nymity.privacy.sizes import check_k
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable, SensitiveColumn
from nymity.table.text import as_text

#: What is measured of a table where nobody says how many columns are known.
_MEASURED_L = 2


@dataclass(frozen=True, kw_only=True)
class LKCPrivacy(SensitiveModel):
    """Of the rows that share their cells in any l columns there are k, and no sensitive value has more than a share c.

    ``values`` are the sensitive values that nobody may be sure of, all (a missing one too) unless given. Decided in
    integers, with c as the decimal written. ``top-down-specialization`` looks at columns by l; other methods keep it by
    classes that have k records and the shares themselves, which is more than it asks for.
    """

    l: int  # noqa: E741
    k: int
    c: float
    attribute: str
    values: tuple[str, ...] | None = None

    key = "lkc-privacy"
    title = "LKC-privacy"
    beyond_classes = True
    #: A class within c is none any more beside one that is not.
    monotone_generalization = False

    def __post_init__(self) -> None:
        whole_number(f"{self.key}.l", self.l, at_least=1)
        whole_number(f"{self.key}.k", self.k, at_least=1)
        number(f"{self.key}.c", self.c, above=0, at_most=1)
        short_fraction(f"{self.key}.c", self.c)
        check_name(self.key, self.attribute)
        if self.values is None:
            return
        given = self.values
        if isinstance(given, str) or not given or not all(isinstance(value, str) for value in given):
            raise ParameterError(
                f"{self.key}.values", expected="a list of sensitive values, or none", got=as_given(given)
            )
        object.__setattr__(self, "values", tuple(dict.fromkeys(given)))

    @property
    def smallest_class(self) -> int:
        """Classes of k records have k in every set of columns."""
        return self.k

    def check(self, table: EncodedTable) -> None:
        """There cannot be more rows than the table has, and all records together must be within c."""
        check_sensitive(self.key, self.attribute, table)
        check_k(f"{self.key}.k", self.k, table)
        column = table.sensitive[self.attribute]
        for value in self.values or ():
            if value not in column.labels:
                known = [label for label in column.labels if label is not None]
                raise ParameterError(
                    f"{self.key}.values",
                    expected=f"values of {self.attribute!r}",
                    got=as_given(value),
                    hint=nearest(value, known),
                )
        most = max((int(n) for n in column.totals[self.listed(column)]), default=0)
        if most > exact_fraction(self.c) * table.n_records:
            raise ParameterError(
                f"{self.key}.c",
                expected=f"at least {most}/{table.n_records}: so many records have one value of {self.attribute!r}",
                got=str(self.c),
                hint="choose a larger c, or list the values that must not be inferred",
            )

    def listed(self, column: SensitiveColumn) -> NDArray[np.bool_]:
        """Mark the values of an encoded column that it is about, (n_values,)."""
        if self.values is None:
            return np.ones(len(column.labels), dtype=np.bool_)
        return np.array([label in self.values for label in column.labels], dtype=np.bool_)

    def known_columns(self, table: EncodedTable) -> KnownColumns:
        """All of it."""
        listed, l = self.listed(table.sensitive[self.attribute]), min(self.l, len(table.names))  # noqa: E741
        return KnownColumns(l, self.k, exact_fraction(self.c), self.attribute, listed)

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """At least k records, and no listed value has more than c of them: then every union of such has, too."""
        share, histogram = exact_fraction(self.c), classes.histograms[self.attribute]
        assert histogram.column is not None
        listed = self.listed(histogram.column)[histogram.codes]
        most = np.zeros(len(classes), dtype=np.int64)
        np.maximum.at(most, histogram.classes[listed], histogram.counts[listed].astype(np.int64))
        within = most * share.denominator <= classes.sizes.astype(np.int64) * share.numerator
        return np.asarray((classes.units >= self.k) & within)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the fewest rows that share their cells in two columns, and the largest share of a value."""
        return _measured(groups, _MEASURED_L, attribute, None)

    def reached(self, groups: Groups) -> Measured:
        """Return the same of as many columns, and of the listed values."""
        return _measured(groups, self.l, self.attribute, self.values)

    def holds(self, groups: Groups) -> bool:
        """Enough rows have every combination of cells, and no listed value too many of them."""
        share = exact_fraction(self.c)
        return all(
            fewest >= self.k and most <= share
            for fewest, most in _every_set(groups, self.l, self.attribute, self.values)
        )

    def is_empty(self, rarest: Fraction | None) -> bool:
        """A single row would do, with any value."""
        return self.k == 1 and exact_fraction(self.c) == 1

    def row_chance(self, *, classes: bool, complete: bool) -> Unlimited:
        """None, of anyone who knows more columns."""
        return self._unlimited

    def value_shares(self, column: SensitiveColumn) -> Unlimited:
        """None, of anyone who knows more columns."""
        return self._unlimited

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        columns = "the value of a person in one column" if self.l == 1 else f"the values of a person in up to {self.l}"
        columns += " that is quasi-identifying" if self.l == 1 else " columns that are quasi-identifying"
        which = "no value" if self.values is None else "none of the values " + ", ".join(map(repr, self.values))
        return (
            f"LKC-privacy (L={self.l}, K={self.k}, C={self.c}) of {self.attribute!r}: whoever knows {columns} finds at "
            f"least {self.k} published records that fit, * being a value of its own, and {which} of "
            f"{self.attribute!r} has a share of more than {self.c} of them; "
            "nothing is said of those who know more columns"
        )

    @property
    def _unlimited(self) -> Unlimited:
        known = "one column" if self.l == 1 else f"up to {self.l} columns"
        return Unlimited(f"it is about whoever knows {known} of a person, and this attack knows all")


def _measured(groups: Groups, l: int, attribute: str | None, values: tuple[str, ...] | None) -> Measured:  # noqa: E741
    found = list(_every_set(groups, l, attribute, values))
    if not found:
        return {"l": l, "k": None, "c": None}
    share = None if attribute is None else float(max(most for _, most in found))
    return {"l": l, "k": min(fewest for fewest, _ in found), "c": share}


def _every_set(
    groups: Groups,
    l: int,  # noqa: E741
    attribute: str | None,
    values: tuple[str, ...] | None,
) -> list[tuple[int, Fraction]]:
    """Return of every l columns the fewest rows that share their cells, and the largest share of a listed value."""
    asked = ("known columns", l, attribute, values)
    if asked not in groups.found:
        groups.found[asked] = list(_counted_sets(groups, l, attribute, values))
    found: list[tuple[int, Fraction]] = groups.found[asked]
    return found


def _counted_sets(
    groups: Groups,
    l: int,  # noqa: E741
    attribute: str | None,
    values: tuple[str, ...] | None,
) -> Iterator[tuple[int, Fraction]]:
    rows, names = groups.cells.with_columns(groups.records), groups.dividing
    if not rows.height:
        return
    if attribute is not None:
        value = groups.value_of_rows(attribute)
        rows = rows.with_columns(value.alias("value"), _among(value, values).alias("listed"))
    # Exactly l columns: whoever knows fewer finds a larger group, which contains these.
    for chosen in combinations(names, min(l, len(names))):
        sized = rows.group_by(list(chosen)).agg(pl.col("records").sum().alias("size"))
        fewest, most = int(sized["size"].min()), Fraction(0)  # type: ignore[arg-type]
        if attribute is not None:
            held = rows.filter(pl.col("listed")).group_by([*chosen, "value"]).agg(pl.col("records").sum())
            of_groups = held.join(sized, on=list(chosen), nulls_equal=True).select("records", "size").unique()
            most = max((Fraction(n, size) for n, size in of_groups.iter_rows()), default=most)
        yield fewest, most


def _among(values: pl.Series, listed: tuple[str, ...] | None) -> pl.Series:
    if listed is None:
        return pl.repeat(True, len(values), dtype=pl.Boolean, eager=True)
    return as_text(values).is_in(pl.Series(listed, dtype=pl.String).implode()).fill_null(False)
