"""Money: amounts become bands that widen with the amount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, ClassVar

import polars as pl

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.table.builders.column import distinct
from nymity.table.builders.number import read_number
from nymity.table.builders.range_label import RANGE_FORMS, range_label
from nymity.table.builders.ready import ReadyHierarchy
from nymity.table.hierarchy import Hierarchy
from nymity.table.label_form import LabelForm
from nymity.table.rule import NOWHERE, Fixes, is_flag

#: Where a decade is cut on each level, as factors of its power of ten, and how many decades make a band.
_CUTS: dict[str, tuple[int, ...]] = {"thirds of a decade": (1, 2, 5), "decade": (1,), "three decades": (1,)}
_LARGEST = Fraction(10**15)


@dataclass(frozen=True, kw_only=True)
class Money(ReadyHierarchy):
    """Group amounts into bands on a logarithmic scale: ``2000-4999``, ``1000-9999``, ``1000-999999``.

    Equal widths put nearly all incomes into one interval; these bands cut each power of ten at 1, 2 and 5, then hold
    one power of ten, then three. On every level amounts below ``lowest``, a power of ten, are one group, debts another
    (``under 0``), and with ``top`` the largest a third (``200000+``). Amounts with cents are written
    ``2000 to under 5000``.
    """

    key: ClassVar[str] = "money"
    expects: ClassVar[str] = "amounts of money"
    names: ClassVar[tuple[str, ...]] = tuple(_CUTS)
    stems: ClassVar[tuple[str, ...]] = (
        *(
            "income",
            "salary",
            "wage",
            "earn",
            "price",
            "cost",
            "charge",
            "amount",
            "loan",
            "balance",
            "revenue",
            "rent",
        ),
        *("rent", "lohn", "gehalt", "einkommen", "preis", "kosten", "betrag", "umsatz", "salaire", "revenu", "prix"),
        *("ingreso", "inkomen"),
    )
    by_values: ClassVar[bool] = False
    coarser: ClassVar[str] = "bands of amounts, wider for larger ones"
    forms: ClassVar[tuple[LabelForm, ...]] = RANGE_FORMS
    fixes: ClassVar[Fixes] = {"whole": is_flag}

    lowest: int = 1
    top: float | None = None

    def __post_init__(self) -> None:
        validation.whole_number("money.lowest", self.lowest, at_least=1, at_most=10**9)
        if str(self.lowest).strip("0") != "1":
            raise ParameterError("money.lowest", expected="a power of ten", got=str(self.lowest))
        if self.top is not None:
            validation.number("money.top", self.top, above=self.lowest, at_most=float(_LARGEST))
        super().__post_init__()

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the bands of a column; all amounts whole are written with both ends inside."""
        whole = all(number is None or number.denominator == 1 for number in map(read_number, distinct(values).texts))
        return self.built(values, {"whole": whole and float(self.top or 0).is_integer()}, where)

    def place(self, text: str) -> list[str] | None:
        """Return the band of an amount with cents on each level."""
        return self.labels(text, {"whole": False})

    def labels(self, text: str, fixed: Mapping[str, Any]) -> list[str] | None:
        """Return the band of an amount on each level; beside whole ones it must lie between the ends as written."""
        number, whole = read_number(text), fixed["whole"]
        if number is None or abs(number) > _LARGEST:
            return None
        around = [Fraction(floor(number)), Fraction(ceil(number))] if whole else [number]
        found = [[range_label(*self._band(end, name), whole=whole) for name in self.names] for end in around]
        return [low if low == high else NOWHERE for low, high in zip(found[0], found[-1], strict=True)]

    def _band(self, number: Fraction, level: str) -> tuple[Fraction | None, Fraction | None]:
        lowest, top = Fraction(self.lowest), None if self.top is None else validation.exact_fraction(self.top)
        if number < 0:
            return None, Fraction(0)
        if top is not None and number >= top:
            return top, None
        low, high = (Fraction(0), lowest) if number < lowest else self._around(number, level)
        return low, high if top is None else min(high, top)

    def _around(self, number: Fraction, level: str) -> tuple[Fraction, Fraction]:
        step = 3 if level == "three decades" else 1
        ten = Fraction(self.lowest)
        while number >= ten * 10**step:
            ten *= 10**step
        edges = [*(ten * cut for cut in _CUTS[level]), ten * 10**step]
        low = max(edge for edge in edges if edge <= number)
        return low, edges[edges.index(low) + 1]
