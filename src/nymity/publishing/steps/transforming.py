"""Transforms in a run: when cells are changed, what that draws, and what is warned of.

The order is fixed: columns are dropped, generalized and suppressed, then coded, and perturbed last. Transforms look at
published rows alone: whoever is suppressed would hide nobody. A promise is verified on what all of it leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.draws import Draws, KeyedDraws
from nymity.core.errors import TableError
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats.caveat import Caveat
from nymity.publishing.sealing.fingerprint import fingerprint
from nymity.table.content_order import content_order, ranked_text
from nymity.table.schema import Schema
from nymity.table.text import as_text, gathered
from nymity.transforms import TRANSFORMS, Transform

#: The warning of columns that are not true any more.
CHANGED = "changed-values"
#: The same of columns that others may know.
KNOWN = "known-values-changed"


def transformed(
    table: pl.DataFrame,
    transforms: Sequence[Transform],
    draws: Draws,
    units: pl.Series | None,
    perturbed: Sequence[str] = (),
) -> pl.DataFrame:
    """Return published rows after all codings, in their order, and then all that draw; ``units``: of whom rows are.

    A ``perturbed`` column that keeps every cell is refused: what others know would be published as it is.
    """
    for one in transforms:
        if one.is_coding:
            table = _with_columns(table, dict(one.changed(table, draws, one.key, units)))
    for place, one in enumerate(transforms):
        if one.is_coding:
            continue
        # Draws belong to places in an order of contents, so that the source's order of rows has no part in them.
        order = content_order(pl.DataFrame({column.name: ranked_text(column) for column in table}))
        listed = pl.DataFrame({column.name: gathered(column, _places(order)) for column in table})
        back = _places(np.argsort(order))
        # Another table or order draws anew: one noise in two orders would be as many differences as there are rows.
        purpose = f"{purpose_of(place, one)} {fingerprint(listed)}"
        made = one.changed(listed, draws, purpose, None if units is None else gathered(units, _places(order)))
        for name in made:
            if name in perturbed and table.height and as_text(made[name]).equals(as_text(listed[name])):
                raise _nothing_changed(name, one)
        table = _with_columns(table, {name: gathered(column, back) for name, column in made.items()})
    return table


def refuse_linked(transforms: Sequence[Transform], schema: Schema, owners: pl.Series | None) -> None:
    """Refuse to draw for several rows that a pseudonym links: draws for one person average out."""
    if several := _linked_rows(transforms, schema, owners):
        raise TableError(
            f"column {schema.unit!r}",
            expected="one published row for each pseudonym where transforms draw: draws for one person average out",
            got=f"{several:,} rows that share theirs with others",
            hint="leave the pseudonym out, or what draws, or publish one record of each",
        )


def _linked_rows(transforms: Sequence[Transform], schema: Schema, owners: pl.Series | None) -> int:
    """Return how many rows share a pseudonym with others, where transforms draw."""
    drawn = any(not one.is_coding for one in transforms)
    if not drawn or owners is None or schema.unit is None or schema[schema.unit].pseudonym is None:
        return 0
    return int(owners.is_duplicated().sum())


def _nothing_changed(name: str, one: Transform) -> TableError:
    return TableError(
        f"column {name!r}",
        expected="a transform that changes cells of a perturbed column",
        got=f"{one.key}, after which all are as they were",
        hint="a larger share, base or window, fewer columns to compare by; or leave a column of one value out",
    )


def purpose_of(place: int, one: Transform) -> str:
    """Return what a transform draws, in the words of a certificate."""
    return f"{one.title} ({place + 1})"


def purposes(transforms: Sequence[Transform]) -> list[str]:
    """Return everything that transforms draw."""
    return [purpose_of(place, one) for place, one in enumerate(transforms) if not one.is_coding]


def is_purpose(drawn: str) -> bool:
    """Return whether a transform draws this, of any job."""
    title, _, place = drawn.partition(" (")
    return place.removesuffix(")").isdecimal() and any(one.title == title for one in TRANSFORMS.values())


def not_promised_about(
    schema: Schema, transforms: Sequence[Transform], models: Sequence[PrivacyModel]
) -> list[dict[str, Any]]:
    """Return, as certificates do, the columns that others may know and no promise counts, and what voids which."""
    return [
        {
            "column": name,
            "changed_by": [one.key for one in transforms if name in one.columns],
            "models": [model.key for model in models],
            "why": f"rows are alike by other columns alone: whoever knows somebody's {name!r}, or nearly, can look for "
            "the row that comes nearest among those that look alike",
        }
        for name in schema.perturbed
    ]


def caveats_of_transforms(transforms: Sequence[Transform], schema: Schema) -> list[Caveat]:
    """Warn of every column that is not true any more; worse, if others may know the true values."""
    found = []
    for one in transforms:
        for name in () if one.is_coding else one.columns:
            known = name in schema.perturbed
            says = f"Values in {name!r} were changed by {one.title}: they are not true, and no promise is about them. "
            if known:
                says += (
                    "Others may know the true ones: whoever does can look for the nearest row, and no k limits how "
                    "often that is the right one. nymity compare measures it. "
                )
            key = KNOWN if known else CHANGED
            found.append(Caveat(key=key, says=f"{says}What stays: {one.keeps}.", figures={"column": name}))
    return found


def contradicted_transforms(transforms: Sequence[Transform], table: pl.DataFrame, schema: Schema) -> Iterator[str]:
    """Return which columns of a released table cannot have come of the transforms, as far as cells show it."""
    if schema.unit in table.columns and (several := _linked_rows(transforms, schema, table[schema.unit])):
        yield f"{several:,} rows share a pseudonym with others, and its job draws for each of them (job.transforms)"
    ordered = sorted(transforms, key=lambda one: not one.is_coding)
    for place, one in enumerate(ordered):
        later = {name for other in ordered[place + 1 :] if not other.moves for name in other.columns}
        if not later.isdisjoint(one.columns) or any(name not in table.columns for name in one.columns):
            continue
        if says := one.contradicted(table):
            yield f"not what {one.title} leaves: {says} (job.transforms)"


def made_by_transforms(transforms: Sequence[Transform]) -> dict[str, str]:
    """Return columns that a recoding alone cannot publish of further rows, and why."""
    alike = coded_by_cells(transforms)
    return {
        name: f"{one.title} changes it, "
        + ("as the job or the release says" if name in alike else "by a look at all rows of one release")
        for one in transforms
        for name in one.columns
    }


def coded_by_cells(transforms: Sequence[Transform]) -> list[str]:
    """Return the columns of which each cell is coded by itself: further rows have them, if the job is known."""
    looking = {name for one in transforms if not one.of_cells for name in one.columns}
    return [name for one in transforms for name in one.columns if name not in looking]


def coded_alike(transforms: Sequence[Transform], rows: pl.DataFrame) -> dict[str, pl.Series]:
    """Return these columns of further rows, coded as those of the release are."""
    cells = {name: rows[name] for name in coded_by_cells(transforms) if name in rows.columns}
    for one in transforms:
        if names := [name for name in one.columns if name in cells]:
            some = replace(one, columns=tuple(names))
            cells |= some.changed(pl.DataFrame(list(cells.values())), KeyedDraws.public(one.key), one.key)
    return cells


def _with_columns(table: pl.DataFrame, made: dict[str, pl.Series]) -> pl.DataFrame:
    return pl.DataFrame({column.name: made.get(column.name, column) for column in table})


def _places(order: NDArray[np.int64]) -> pl.Series:
    return pl.Series(order, dtype=pl.UInt32)
