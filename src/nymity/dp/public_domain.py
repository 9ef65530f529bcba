"""Domains that are public: hierarchies that do not depend on the records.

A builder makes a hierarchy for the values that occur, and from those a size of the domain, levels and labels that a
record can change. So a private release takes only hierarchies that list every value there can be: files (``file``),
rows in the job (``rows``), and hierarchies that were built already. Whether *these* were made without a look at the
records nobody can check but their author.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from nymity.core.errors import SchemaError
from nymity.core.quoting import as_given
from nymity.core.validation import nearest
from nymity.table.attribute import Attribute, Role
from nymity.table.builders import HierarchyFile, HierarchyRows
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from nymity.table.text import MASK


def check_listed(schema: Schema) -> None:
    """Refuse quasi-identifiers whose hierarchy would be made for the values that occur."""
    for name in schema.quasi:
        source = schema[name].hierarchy
        if isinstance(source, Hierarchy | HierarchyFile | HierarchyRows):
            continue
        raise SchemaError(
            f"schema.{name}.hierarchy",
            expected="a hierarchy that lists every possible value: a file, rows, or one that was built already",
            got=f"{'none' if source is None else 'a builder'}, which leaves it to the values that occur",
            hint="build it for all values there can be: Hierarchy.intervals(width=5).build(polars.Series(range(120))), "
            "and save it to a file",
        )


def public_schema(schema: Schema) -> Schema:
    """Return the schema with finished hierarchies, in which gaps have a place whether there are any or not.

    Reads hierarchy files, and nothing else.
    """
    check_listed(schema)
    return Schema({name: _public(name, attribute) for name, attribute in schema.items()})


def _public(name: str, attribute: Attribute) -> Attribute:
    if attribute.role is not Role.QUASI:
        return attribute
    assert attribute.hierarchy is not None  # checked before
    where = f"hierarchy of {name!r}"
    hierarchy = attribute.hierarchy.build(pl.Series([], dtype=pl.String), where=where)
    if any(MASK in labels for labels in hierarchy.labels[:-1]) or MASK in hierarchy.values:
        raise SchemaError(where, expected=f"{MASK!r} only at the top", got=f"{MASK!r} on a level below")
    if attribute.missing == "category" and hierarchy.height:
        hierarchy = hierarchy.with_missing(where=where)
    if attribute.unlisted is not None and attribute.unlisted not in hierarchy.index:
        raise SchemaError(
            f"schema.{name}.unlisted",
            expected="a value of its hierarchy",
            got=as_given(attribute.unlisted),
            hint=nearest(attribute.unlisted, [value for value in hierarchy.values if value is not None]),
        )
    return replace(attribute, hierarchy=hierarchy)
