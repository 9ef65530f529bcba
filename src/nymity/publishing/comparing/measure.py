"""measure: every privacy parameter a table actually reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from nymity.core.card import Card, Carded, CardTable, written
from nymity.core.wording import percent
from nymity.io import to_polars
from nymity.privacy import MODELS, Groups, Measured, plain_measured
from nymity.publishing.certificates.item_sets import one_record_each
from nymity.risk.individual_risk import IndividualRisk
from nymity.risk.profile import measure_risk
from nymity.table.attribute import Role
from nymity.table.encoding import person_ids
from nymity.table.schema import GivenSchema, Schema, check_columns
from nymity.table.text import check_comparable
from nymity.utility.released import Released


@dataclass(frozen=True, kw_only=True, repr=False)
class Measurement(Carded):
    """Classes of a table and the strictest parameters it keeps.

    models: per model key, per sensitive attribute (``""`` for models without one), the parameters reached. individual:
    the risk of records by their sampling weights, where the table has some. Of ``records`` those ``dropped`` say not of
    whom they are, and are in no class. ``perturbed``: columns that others may know, too, and that classes do not count.
    """

    records: int
    masked: int
    classes: int
    smallest_class: int | None
    average_class: float | None
    unique_records: int
    models: dict[str, dict[str, Measured]]
    individual: IndividualRisk | None = None
    dropped: int = 0
    perturbed: tuple[str, ...] = ()

    _instead: ClassVar = {
        **dict.fromkeys(("k", "k_anonymity", "min_class_size"), ".smallest_class"),
        "l_diversity": ".models['distinct-l-diversity']",
        "t_closeness": ".models['t-closeness']",
        "plot": "ny.measure_risk(df, [...]).plot()",
    }

    def card(self) -> Card:
        """Return what is shown: classes, and the strictest parameters of each model."""
        rows = [
            (key, attribute, _in_words(key, plain_measured(reached)))
            for key, attributes in self.models.items()
            for attribute, reached in attributes.items()
        ]
        alone = percent(self.unique_records, self.classes or 1)
        return Card(
            title="Measured",
            facts=[
                ("records", self.records),
                ("classes", self.classes),
                ("smallest class", self.smallest_class),
                ("average class", self.average_class),
                ("classes of one", f"{self.unique_records:,} ({alone})"),
                *([("known to others, and not counted", ", ".join(self.perturbed))] if self.perturbed else []),
            ],
            tables=[CardTable(columns=("model", "about", "the strictest that holds"), rows=rows)],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        models = {
            key: {name: plain_measured(reached) for name, reached in attributes.items()}
            for key, attributes in self.models.items()
        }
        individual = None if self.individual is None else self.individual.to_dict()
        return {**asdict(replace(self, individual=None)), "models": models, "individual": individual}


def _in_words(key: str, reached: Mapping[str, Any]) -> str:
    """Return what a model reached; nothing is known of one that needs another table."""
    if all(value is None for value in reached.values()):
        return "needs a second table" if MODELS[key].second_table else "cannot be measured"
    return ", ".join(f"{name} = {written(value)}" for name, value in reached.items())


def measure(table: Any, schema: GivenSchema | None = None) -> Measurement:
    """Measure a table of any kind of frame; columns of the schema that are not published may be absent from it.

    ``schema`` may be the quasi-identifiers alone: ``ny.measure(df, ["age", "sex"])``. A release has its own.

    Models count persons where the table has a person column; those that cannot are left out. A record without a person
    is refused, or left out where the schema says so, as by ``publish``. Sets of items of a person's records are put
    together first.

    Rows with every quasi-identifier masked are one of the classes, and counted besides.
    """
    table, schema = Released.with_schema("measure", table, schema)
    frame, columns_alone = to_polars(table), not isinstance(schema, Mapping)
    schema = Schema.of(schema)
    if columns_alone and set(schema) <= set(frame.columns):
        frame = frame.select(pl.nth(place) for place, name in enumerate(frame.columns) if name in schema)
    published = schema.among(frame.columns)
    check_columns(schema.among({*frame.columns, *schema.quasi}), frame.columns)
    for name in (*schema.quasi, *published.sensitive):
        check_comparable(frame[name], where=f"column {name!r}")
    records, frame = frame.height, _of_somebody(frame, published)
    dropped = records - frame.height
    if published.item_column is not None:
        frame, _ = one_record_each(frame, np.arange(frame.height), published)
    persons = None if published.unit is None else person_ids(frame[published.unit])
    groups = Groups(
        frame, schema.quasi, hierarchies=schema.sensitive_hierarchies, persons=persons, items=published.item_column
    )
    models: dict[str, dict[str, Measured]] = {}
    for key, model in MODELS.items():
        if persons is not None and model.over_persons is None:
            continue  # it is not defined for persons
        if model.about_items and published.item_column is None:
            continue
        if model.over_persons == "links" and persons is None and (schema.person or schema.household):
            continue  # the table does not show which rows are of one person
        attributes: list[str] = list(published.sensitive) if "attribute" in model.__dataclass_fields__ else [""]  # type: ignore[attr-defined]
        models[key] = {name: model.measure(groups, name or None) for name in attributes}
    sizes = groups.sizes
    return Measurement(
        records=records,
        dropped=dropped,
        masked=groups.masked,
        classes=len(sizes),
        smallest_class=groups.smallest,
        average_class=float(sizes.mean()) if len(sizes) else None,  # type: ignore[arg-type]
        unique_records=int((sizes == 1).sum()),
        models=models,
        perturbed=published.perturbed,
        individual=measure_risk(frame, published).individual if published.weight is not None else None,
    )


def _of_somebody(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return the records that say whose they are: one that does not would count as one more person."""
    whose = schema.among([*schema.columns(Role.PERSON), *schema.columns(Role.HOUSEHOLD)])
    for name, attribute in whose.items():
        attribute.check_gaps(frame[name])
    gaps = whose.gaps(frame)
    return frame.filter(~gaps) if gaps.any() else frame
