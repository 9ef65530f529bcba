"""Call columns that must not be published by names of others: what they hold has to be enough to leave them out."""

from __future__ import annotations

import random
from collections.abc import Iterable

import polars as pl

from nymity.risk.column_facts import ColumnFacts
from nymity.risk.roles import EVIDENCE, weigh

from .scores import DROPPED
from .tables import Labelled


def names_of_others(tables: Iterable[Labelled], number: int) -> list[str]:
    """Draw names of columns that are published."""
    names = sorted({name for one in tables for name, roles in one.columns.items() if not roles & DROPPED})
    return random.Random("renamed").sample(names, number)


def published_unasked(table: Labelled, frame: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Return the columns that would be published without a question, once for each of the names.

    Each is looked at by itself: of neither its own name nor other columns anything is known.
    """
    found = []
    for column in (column for column, roles in table.columns.items() if roles <= DROPPED):
        values = frame[column].drop_nulls().alias("value")
        counts = (values.filter(values != "") if values.dtype == pl.String else values).value_counts(name="count")
        for name in names:
            facts = ColumnFacts.of(name, frame.height, counts)
            one = weigh(facts, [finding for evidence in EVIDENCE for finding in evidence(facts)])
            if one.role.is_published and not one.is_question:
                found.append(column)
    return found
