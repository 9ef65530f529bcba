"""Warnings of a release whose promises count persons: what whoever knows several records of one could do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from nymity.core.wording import percent
from nymity.privacy import Groups, PrivacyModel
from nymity.publishing.caveats.caveat import Caveat
from nymity.publishing.caveats.of_table import text_of
from nymity.table.schema import Schema

#: A larger share of one person in a class is told.
_LARGE_SHARE = 0.5
#: A column is the same for a person if it is so for this share of the persons with several records.
_SAME = 0.9


def caveats_of_persons(
    released: pl.DataFrame, owners: pl.Series, schema: Schema, models: Sequence[PrivacyModel]
) -> list[Caveat]:
    """Warn of classes that one person fills, and of columns by which the rows of one person are put together.

    ``owners`` says of whom each row of ``released`` is.
    """
    if not released.height:
        return []
    return [*_filled(released, owners, schema, models), *_linking(released, owners, schema, models)]


def _filled(
    released: pl.DataFrame, owners: pl.Series, schema: Schema, models: Sequence[PrivacyModel]
) -> Iterator[Caveat]:
    share = Groups(released, schema.quasi, persons=owners).largest_person_share
    if share is None or share <= _LARGE_SHARE or any(model.over_persons == "records" for model in models):
        return
    says = (
        f"Of the records of some class {percent(float(share))} are of one person: whoever takes one of them for that "
        "person's is right that often, and what most of them say that person has. The model 'dominance' limits it."
    )
    yield Caveat(key="class-of-one-person", says=says, figures={"largest_share": float(share)})


def _linking(
    released: pl.DataFrame, owners: pl.Series, schema: Schema, models: Sequence[PrivacyModel]
) -> Iterator[Caveat]:
    """Warn of a column that is published as it is, the same in all records of a person, and of few persons each.

    Where rows are linked anyway, promises reckon with it.
    """
    if any(model.over_persons == "links" for model in models):
        return
    enough = max((model.smallest_class for model in models), default=1)
    for name in released.columns:
        if name not in schema or name in schema.quasi:
            continue
        rows = pl.DataFrame({"person": owners, "value": text_of(released[name])})
        each = rows.group_by("person").agg(pl.len().alias("rows"), pl.col("value").n_unique().alias("values"))
        several = each.filter(pl.col("rows") > 1)
        if not several.height or float((several["values"] == 1).mean()) < _SAME:  # type: ignore[arg-type]
            continue
        holders = rows.group_by("value").agg(pl.col("person").n_unique().alias("people"))
        fewest = int(holders["people"].min())  # type: ignore[arg-type]
        if fewest >= enough:
            continue
        says = (
            f"{name!r} is the same in all records of a person, and some of its values are of fewer than {enough} "
            "persons: records of one person can be put together by it, and what is promised holds for whoever knows "
            "one record of a person, not several."
        )
        yield Caveat(key="records-of-one-person-linked", says=says, figures={"column": name, "fewest_persons": fewest})
