"""F'-privacy (Wang 2014, definition 6): a threshold for each sensitive value, since some need more protection.

For each value v a threshold f'_v in (0, 1]: in every class the share of v is at most f'_v. No table meets a threshold
below the value's share of all records, because some class has at least that (lemma 1). A missing value counts as a
value. The definition is about buckets; classes are buckets whose quasi-identifiers are generalized.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given, shown
from nymity.core.validation import MAX_TERM, nearest, number, short_fraction
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured
from nymity.privacy.sensitive import SensitiveModel, check_name, check_sensitive
from nymity.privacy.shares import Caps
from nymity.table.classes import Classes, Histogram
from nymity.table.encoding import EncodedTable, SensitiveColumn
from nymity.table.text import as_text

#: Stands for every value that is not listed; a missing value is listed as "".
OTHERS = "*"


@dataclass(frozen=True, kw_only=True)
class FPrivacy(SensitiveModel):
    """The share of each value in a class is at most the value's threshold.

    ``thresholds`` is one of: a table of values, ``{"HIV": 0.1, "flu": 0.8, "*": 0.5}``, with ``*`` for those not listed
    (no limit unless given) and ``""`` for missing; a formula, ``{"a": 2, "c": 0.1}`` for min(1, a f + c) with f the
    value's share of the table; or both, ``{"HIV": 0.1, "*": {"a": 2, "c": 0.1}}``. Decided in integers, with all
    numbers as the decimals written. Masked rows are one more class, and part of the table.
    """

    thresholds: Mapping[str, float | Mapping[str, float]] = field(hash=False)
    attribute: str

    key = "f-privacy"
    title = "F-privacy"
    #: {p, q} keeps a threshold of 0.5 for p; with {p, p} beside it p holds three of four.
    monotone_generalization = False
    monotone_suppression = False  # removing records changes the f of a formula
    bounds_parts = True
    shares_suffice = True
    over_persons = "shares"
    limits_holders = True

    def __post_init__(self) -> None:
        if not isinstance(self.thresholds, Mapping) or not self.thresholds:
            raise ParameterError(
                f"{self.key}.thresholds",
                expected="a table of values with their thresholds, or a formula such as {'a': 2, 'c': 0.1}",
                got=as_given(self.thresholds),
            )
        copied = {name: dict(t) if isinstance(t, Mapping) else t for name, t in self.thresholds.items()}
        object.__setattr__(self, "thresholds", copied)
        _ = self._parsed  # refuses what is no threshold
        check_name(self.key, self.attribute)

    @property
    def compares(self) -> bool:
        """A formula takes shares of the table; thresholds as such do not."""
        return self._parsed.a > 0

    @property
    def smallest_class(self) -> int:
        """Some value occurs at least once, so 1 / size is at most the largest threshold."""
        known = self._parsed
        return 1 if known.a or not known.c else ceil(1 / max([known.c, *known.listed.values()]))

    def check(self, table: EncodedTable) -> None:
        """Every value listed occurs, and no threshold is below the value's share of the table.

        Suppression could lower that share, but then a release would keep the promise only by leaving out people who
        have the value. Whoever wants that leaves them out of the table.
        """
        check_sensitive(self.key, self.attribute, table)
        column, total = table.sensitive[self.attribute], table.n_records
        names = ["" if label is None else label for label in column.labels]
        self._check_names(names)
        if table.persons is not None:
            self._check_persons()
            return
        for name, records in zip(names, column.totals.tolist(), strict=True):
            if (threshold := self._parsed.threshold(name, records, total)) < Fraction(records, total):
                raise ParameterError(
                    f"{self.key}.thresholds, {_shown(name)}",
                    expected=f"at least {records / total:.6g}, the share of {records:,} of {total:,} records that have "
                    "it: some class has no smaller share",
                    got=f"{float(threshold):.6g}",
                    hint="raise the threshold of this value",
                )

    def _check_persons(self) -> None:
        """Refuse a formula for shares of persons.

        Persons without a value may be in more classes than those with it: no class need have the share of all persons.
        """
        if self._parsed.formula:
            raise ParameterError(
                f"{self.key}.thresholds",
                expected="thresholds as numbers where records are of persons",
                got=as_given(self.thresholds),
                hint="list the values with their largest shares",
            )

    def _check_names(self, names: list[str]) -> None:
        """Refuse values that do not occur, and a formula that could be meant for two values of these names."""
        unknown = [name for name in self._parsed.listed if name not in names]
        if unknown:
            raise ParameterError(
                f"{self.key}.thresholds",
                expected=f"values of {self.attribute!r}, or {OTHERS!r} for all others",
                got=_shown(unknown[0]),
                hint=nearest(unknown[0], names),
            )
        if _is_formula(self.thresholds) and not {"a", "c"}.isdisjoint(names):
            raise ParameterError(
                f"{self.key}.thresholds",
                expected=f"either a formula or values of {self.attribute!r}, which has 'a' or 'c' among them",
                got=as_given(self.thresholds),
                hint=f"{ {OTHERS: self.thresholds} } is the formula, an entry for {OTHERS!r} more makes it values",
            )

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """No value exceeds its threshold."""
        return self._caps(classes.holders(self.attribute)).accept(classes, self.attribute)

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The accepted parts of a class together keep the thresholds too; removing only takes more classes out."""
        if classes.persons is not None:
            return super().most_kept(classes, accepted)
        caps = self._caps(classes.histograms[self.attribute])
        return np.minimum(super().most_kept(classes, accepted), caps.most_kept(classes, self.attribute))

    def value_shares(self, column: SensitiveColumn) -> list[Fraction]:
        """The thresholds."""
        totals = column.totals.tolist()
        return [
            self._parsed.threshold(label or "", records, sum(totals))
            for label, records in zip(column.labels, totals, strict=True)
        ]

    def _caps(self, histogram: Histogram) -> Caps:
        known, total = self._parsed, max(1, int(histogram.overall.sum()))
        common = lcm(known.a.denominator, known.c.denominator)
        factor, constant = int(known.a * common), int(known.c * common) * total
        shares = [(factor * records + constant, common * total) for records in histogram.overall.tolist()]
        if known.listed:
            assert histogram.column is not None  # the labels; every search has them
            for code, label in enumerate(histogram.column.labels):
                if (threshold := known.listed.get(label or "")) is not None:
                    shares[code] = threshold.as_integer_ratio()
        return Caps.of(shares)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the strictest formula without a constant: a is the largest ratio of a share in a class to f."""
        if attribute is None or not groups.n_records:
            return {"thresholds": None}
        return {"thresholds": _least_formula(groups.value_counts(attribute), groups.n_records, Fraction(0))}

    def reached(self, groups: Groups) -> Measured:
        """Return thresholds of the same form: the largest share in a class, or the least a with the formula's c."""
        if not groups.n_records:
            return {"thresholds": None}
        listed, others = self._split(groups)
        share = (pl.col("records") / pl.col("size")).max()
        found: dict[str, object] = dict.fromkeys(self._parsed.listed, 0.0)
        found |= dict(listed.group_by("text").agg(share).iter_rows())
        if self._parsed.formula:
            formula = _least_formula(others, groups.n_records, self._parsed.c)
            return {"thresholds": formula if _is_formula(self.thresholds) else {**found, OTHERS: formula}}
        if OTHERS in self.thresholds:
            found[OTHERS] = others.select(share).item() or 0.0
        return {"thresholds": found}

    def holds(self, groups: Groups) -> bool:
        """No value exceeds its threshold in a class."""
        listed, others = self._split(groups)
        a, c, n = self._parsed.a, self._parsed.c, groups.n_records
        records, size, overall = (pl.col(name).cast(pl.Int128) for name in ("records", "size", "overall"))
        within = records * pl.col("denominator") <= size * pl.col("numerator")
        most = overall * (a.numerator * c.denominator) + pl.lit(n, pl.Int128) * (c.numerator * a.denominator)
        within_formula = records * n * (a.denominator * c.denominator) <= size * most
        return bool(listed.select(within.all()).item() and others.select(within_formula.all()).item())

    def _split(self, groups: Groups) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the value counts of a table for listed values, with their thresholds, and for all others."""
        found = groups.value_counts(self.attribute)
        found = found.with_columns(as_text(found["value"]).fill_null("").alias("text"))
        rows = [(name, *threshold.as_integer_ratio()) for name, threshold in self._parsed.listed.items()]
        columns = {"text": pl.String, "numerator": pl.Int64, "denominator": pl.Int64}
        thresholds = pl.DataFrame(rows, schema=columns, orient="row")
        return found.join(thresholds, on="text"), found.join(thresholds, on="text", how="anti")

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Every value may fill a class."""
        known = self._parsed
        others = known.a * (rarest or 0) + known.c
        return others >= 1 and all(threshold == 1 for threshold in known.listed.values())

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        known = self._parsed
        limits = [f"{_shown(name)} at most {self.thresholds[name]}" for name in known.listed]
        if known.formula or OTHERS in self.thresholds:
            most = f"{float(known.a):g} f + {float(known.c):g}" if known.formula else self.thresholds[OTHERS]
            limits.append(f"every {'other ' * bool(limits)}value at most {most}")
        share = ", f being its share of the whole table" if known.formula else ""
        return (
            f"F-privacy of {self.attribute!r}: in every group of records that look alike no value there has more than "
            f"its share, {', '.join(limits)}{share}"
        )

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return f"{self.promise()}, where shares are of the persons who have records in the group"

    @cached_property
    def _parsed(self) -> _Thresholds:
        return _parse(f"{self.key}.thresholds", self.thresholds)


@dataclass(frozen=True, eq=False)
class _Thresholds:
    """Those of the values listed, and min(1, a f + c) for all others: a is 0 unless a formula was given."""

    listed: dict[str, Fraction]
    a: Fraction
    c: Fraction
    formula: bool

    def threshold(self, name: str, records: int, total: int) -> Fraction:
        """Return the threshold of a value that so many of all records have."""
        if name in self.listed:
            return self.listed[name]
        return min(Fraction(1), self.a * Fraction(records, total) + self.c)


def _parse(where: str, thresholds: Mapping[str, float | Mapping[str, float]]) -> _Thresholds:
    others: object = 1
    listed = {}
    for name, threshold in ({OTHERS: thresholds} if _is_formula(thresholds) else thresholds).items():
        if not isinstance(name, str):
            hint = repr("" if name is None else str(name))
            raise ParameterError(where, expected="values as text, a missing one as ''", got=as_given(name), hint=hint)
        if name == OTHERS:
            others = threshold
        else:
            listed[name] = _share(f"{where}, {_shown(name)}", threshold)
    if not isinstance(others, Mapping):
        return _Thresholds(listed, Fraction(0), _share(f"{where}, {OTHERS!r}", others), formula=False)
    return _Thresholds(listed, *_formula(where, others), formula=True)


def _formula(where: str, formula: Mapping[str, object]) -> tuple[Fraction, Fraction]:
    if not _is_formula(formula):
        raise ParameterError(where, expected="a formula of 'a' and 'c' for min(1, a f + c)", got=as_given(formula))
    for name in ("a", "c"):
        number(f"{where}, {name}", formula[name], at_least=0)
    a, c = (short_fraction(f"{where}, {name}", formula[name]) for name in ("a", "c"))  # type: ignore[arg-type]
    if lcm(a.denominator, c.denominator) >= MAX_TERM:
        raise ParameterError(where, expected="a and c of at most nine digits", got=as_given(formula), hint="round them")
    return a, c


def _share(where: str, threshold: object) -> Fraction:
    number(where, threshold, above=0, at_most=1)
    return short_fraction(where, threshold)  # type: ignore[arg-type]


def _is_formula(thresholds: Mapping[str, object]) -> bool:
    return set(thresholds) == {"a", "c"}


def _least_formula(counts: pl.DataFrame, n_records: int, c: Fraction) -> dict[str, float]:
    """Return the least a for which p <= a f + c holds everywhere, and c: the largest (p - c) / f, not below 0."""
    records, size, overall = (pl.col(name).cast(pl.Int128) for name in ("records", "size", "overall"))
    beyond = (records * c.denominator - size * c.numerator) * n_records
    a = (beyond.cast(pl.Float64) / (size * overall * c.denominator).cast(pl.Float64)).max()
    return {"a": max(0.0, counts.select(a).item() or 0.0), "c": float(c)}


def _shown(name: str) -> str:
    return shown(name or None)
