"""Warnings about persons, households and dates that whoever checks a release finds again, as far as it shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from nymity.core.errors import TableError
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats import Caveat
from nymity.publishing.caveats.checked import ShownCaveats
from nymity.publishing.caveats.of_persons import FILLED, INTERSECTED, LINKED, caveats_of_persons, is_intersected
from nymity.publishing.certificate_form import Certificate2
from nymity.publishing.registry import Method, is_private
from nymity.publishing.shifts import SHIFTED, caveats_of_dates
from nymity.publishing.verify import PersonFigures
from nymity.publishing.withheld import Withheld
from nymity.table.schema import Schema


def shown_caveats(
    table: pl.DataFrame,
    schema: Schema,
    models: Sequence[PrivacyModel],
    method: Method | None,
    stated: Certificate2 | None,
    owners: pl.Series | None,
    figures: PersonFigures | None,
) -> ShownCaveats:
    """Look for warnings by persons and by dates in a table.

    ``owners`` says of whom its rows are, and ``figures`` what was counted of them, where that is shown or was given;
    else the figures of the certificate count. How many persons several classes make certain takes the owners.
    """
    if is_private(method):
        return ShownCaveats()
    withheld = Withheld.of(schema, models, method)
    share = None if figures is None else figures.row_share
    if figures is None and stated is not None and stated.unit is not None:
        share = stated.unit.largest_share_of_a_class
    found: list[Caveat] = []
    keys = {FILLED, LINKED}
    if schema.unit is not None:
        found += caveats_of_persons(table, owners, share, schema, models, withheld)
    if schema.unit is None or owners is not None or withheld.counts:
        keys.add(INTERSECTED)
    try:
        shown = table[schema.person] if schema.person in table.columns else None
        found, keys = [*found, *caveats_of_dates(schema.shifted, table, shown)], {*keys, SHIFTED}
    except TableError:  # dates with a time of day, which a file of text does not show as such
        pass
    problems = () if stated is None or INTERSECTED in keys else tuple(_impossible(stated, schema, table))
    return ShownCaveats(found=tuple(found), keys=frozenset(keys), problems=problems)


def _impossible(stated: Certificate2, schema: Schema, table: pl.DataFrame) -> Iterator[str]:
    """Return which warnings of several classes that make values certain cannot be, whoever the rows are of."""
    units = None if stated.unit is None else stated.unit.units
    for one in stated.not_protected:
        caveat = Caveat(key=one.warning, says=one.says, figures=one.figures)
        if one.warning == INTERSECTED and not is_intersected(caveat, schema.sensitive, table, units):
            yield f"it has a warning that cannot be: {one.says}"
