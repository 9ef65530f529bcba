"""Queries: how many records have one of these values here, and one of those there?

A query is a mapping of columns to what they may be: one value, several, or a range of numbers::

    {"sex": "F", "age": Between(30, 39), "disease": ["flu", "cold"]}

A record counts if every named column has an admitted value. ``None`` admits missing values; a range does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.quoting import quoted
from nymity.core.validation import columns_there, exact_fraction, nearest, number
from nymity.table.hierarchy import Label, some_of
from nymity.table.text import as_text
from nymity.table.value_order import numbers

#: Columns and what they may be: a value, several, or :class:`Between`.
Query = Mapping[str, Any]


@dataclass(frozen=True)
class Between:
    """Numbers from ``low`` to ``high``, both included."""

    low: float
    high: float

    def __post_init__(self) -> None:
        number("Between.low", self.low)
        number("Between.high", self.high, at_least=self.low)


def check_columns(query: Query, known: Iterable[str]) -> None:
    """Refuse anything but a mapping of known columns."""
    if not isinstance(query, Mapping):
        raise ParameterError(
            "query", expected="columns and what they may be, such as {'sex': 'F'}", got=type(query).__name__
        )
    if not query:
        raise ParameterError("query", expected="at least one column", got="none")
    columns = list(known)
    columns_there(
        ParameterError, "query", query, columns, expected=f"columns that were published ({', '.join(columns)})"
    )


def admitted(name: str, wanted: Any, domain: Sequence[Label]) -> NDArray[np.bool_]:
    """Return which values of a column a query admits, (n_values,)."""
    if isinstance(wanted, Between):
        return _in_range(name, wanted, domain)
    labels = {_label(value) for value in _several(wanted)}
    if not labels:
        raise ParameterError(f"query, column {name!r}", expected="at least one value", got="none")
    unknown = sorted((label for label in labels if label not in set(domain)), key=str)
    if unknown:
        raise ParameterError(
            f"query, column {name!r}",
            expected=f"values of the column: {some_of(domain)}",
            got=", ".join(map(quoted, unknown[:5])),
            hint=nearest(str(unknown[0]), [label for label in domain if label is not None]),
        )
    return np.array([label in labels for label in domain], dtype=np.bool_)


def _in_range(name: str, wanted: Between, domain: Sequence[Label]) -> NDArray[np.bool_]:
    known = numbers(domain)
    if known is None:
        raise ParameterError(
            f"query, column {name!r}",
            expected="a column of numbers for a range",
            got=some_of(domain),
            hint="list the values that are meant",
        )
    low, high = exact_fraction(wanted.low), exact_fraction(wanted.high)
    return np.array([label in known and low <= known[label] <= high for label in domain], dtype=np.bool_)


def _several(wanted: Any) -> list[Any]:
    return list(wanted) if isinstance(wanted, Iterable) and not isinstance(wanted, str) else [wanted]


def _label(value: Any) -> Label:
    """Write a value as tables are read: 30, 30.0 and "30" are the same."""
    text: Label = as_text(pl.Series([value]))[0]
    return text
