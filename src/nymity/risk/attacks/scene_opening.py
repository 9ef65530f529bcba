"""Opening a release for attacks: what it is made of, and whether the original belongs to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from nymity.core.errors import TableError
from nymity.io import to_polars
from nymity.risk.attacks.released_rows import Ints, Matcher, ReleasedRows
from nymity.risk.attacks.scene import NOT_THERE, SEVERAL, People, Scene, coded, drawn_codes
from nymity.table.bucket_recoding import BucketRecoding
from nymity.table.encoding import labelled, person_ids
from nymity.table.hierarchy import Label
from nymity.table.partition_recoding import FreeformRecoding, PartitionRecoding, SuppressedRowsRecoding
from nymity.table.published_cells import as_they_are
from nymity.table.schema import Schema, require_columns
from nymity.utility.released import Released

#: What to try where a table lacks a column.
WHOLE = "give tables that have every column of the schema"
#: Which code each value of each quasi-identifier has.
Index = Mapping[str, Mapping[Label, int]]


def open_scene(
    release: Any,
    *,
    original: Any = None,
    population: Any = None,
    control: Any = None,
    name: str = "release",
    **settings: Any,
) -> Scene:
    """Take a release apart, and put the original and other people beside it; errors call it by its ``name``."""
    if original is not None and (linked_to := getattr(release, "linked_to", None)) is not None:
        release = linked_to(to_polars(original))  # where an engine wrote it, and numbered no rows
    released = Released.of(release)
    schema = released.schema_for("attack")
    if original is not None and not (released.numbered and isinstance(original, pl.DataFrame)):
        original = to_polars(original)  # else text may be numbers in both
    source = None if original is None else _published_records(original, schema)
    if source is not None:
        released = released.beside(source[0])
    scene = _bare(released, schema, name, settings)
    if released.population is None and population is not None:
        released = replace(released, population=to_polars(population))
    reading = released.reading(None if source is None else source[0])
    if reading is None:
        return scene
    index: Index = {name: hierarchy.index for name, hierarchy in reading.hierarchies.items()}
    if released.counts is not None:  # quasi-identifiers are as they were
        index = {name: _numbered(labels) for name, labels in scene.rows.labels.items()}
    scene = replace(
        scene,
        index={name: index[name] for name in schema.quasi},
        matcher=Matcher.of(scene.rows, reading.read),
        population=_others("population", population, index, schema),
        control=_others("control", control, index, schema),
    )
    return _drawn(scene) if source is None else _beside(scene, *source, released.source_rows, name)


# -- taking apart ----------------------------------------------------------------------------------------------


def _bare(released: Released, schema: Schema, name: str, settings: Mapping[str, Any]) -> Scene:
    """Return the release without anybody beside it."""
    apart = schema.sensitive if released.counts is None else ()
    require_columns(name, [*schema.quasi, *apart], released.frame.columns, hint=WHOLE)
    kind, rows = _kind(released), ReleasedRows.of(released.frame, schema.quasi)
    # cells overlap: rows of stars may be anybody's
    if kind in (PartitionRecoding.kind, FreeformRecoding.kind, SuppressedRowsRecoding.kind):
        rows = replace(rows, suppressed=-1)
    return Scene(
        kind=kind,
        schema=schema,
        rows=rows,
        frame=released.frame,
        counts=released.counts,
        recoding=released.recoding,
        models=released.models,
        method=released.method,
        **settings,
    )


def _kind(released: Released) -> str:
    """Return the kind of the recoding; where it is not there, what the tables and the method tell."""
    if released.counts is not None:
        return BucketRecoding.kind
    if released.recoding is not None:
        return released.recoding.kind
    method = released.method
    return "table" if method is None or method.makes.has_classes else method.makes.kind


def _published_records(source: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, Ints]:
    """Return the records that could be published, and their rows in the source."""
    require_columns("original", [*schema.quasi, *schema.sensitive], source.columns, hint=WHOLE)
    return schema.without_gaps(source)


def _numbered(labels: Sequence[Label]) -> dict[Label, int]:
    return {label: number for number, label in enumerate(labels)}


def _others(where: str, table: Any, index: Index, schema: Schema) -> People | None:
    if table is None:
        return None
    frame = to_polars(table)
    require_columns(where, schema.quasi, frame.columns, hint=WHOLE)
    return coded(frame, index)


# -- who is where ----------------------------------------------------------------------------------------------


def _drawn(scene: Scene) -> Scene:
    """Without the original, take a row for a person with any of the values that its cells stand for.

    The people of masked rows have values that fit no other class, whatever they are. Pseudonyms tell whose rows are.
    """
    unit = scene.schema.unit
    told = unit is not None and scene.schema[unit].pseudonym is not None and unit in scene.frame.columns
    owners = _owners(scene.frame, scene.schema) if told else None
    codes = drawn_codes(scene, np.arange(scene.frame.height), "people")
    codes[:, scene.rows.class_of == scene.rows.suppressed] = -1
    people = People(frame=scene.frame, codes=codes)
    return replace(scene, people=people, own=scene.rows.class_of, drawn=True, owners=owners, row_owners=owners)


def _beside(scene: Scene, source: pl.DataFrame, kept: Ints, link: Ints | None, name: str) -> Scene:
    """Find everybody's row: by the custodian's link where it fits this original, else by what fits."""
    people, owners = coded(source, scene.index), _owners(source, scene.schema)
    scene = replace(scene, owners=owners)
    matcher, rows = scene.matcher, scene.rows
    assert matcher is not None
    place = None if link is None else _places(link, kept)
    # The link is believed only where every row fits the record it names: another original may have as many rows.
    if place is not None and matcher.fit(people.codes[:, place], rows.class_of).all() and _same(scene, source, place):
        own = np.full(len(people), NOT_THERE, dtype=np.int64)
        own[place] = rows.class_of
        row_owners = None if owners is None else owners[place]
        return replace(scene, people=people, own=own, linked=True, row_owners=row_owners)
    _check_belongs(scene, people, matcher, name)
    return replace(scene, people=people, own=_fitting_class(people, matcher))


def _owners(source: pl.DataFrame, schema: Schema) -> Ints | None:
    """Number the persons, or households, that records are of; None where promises count records, or nothing tells."""
    if schema.unit is None or schema.unit not in source.columns:
        return None
    return labelled(person_ids(source[schema.unit]))[1]


def _places(link: Ints, kept: Ints) -> Ints | None:
    """Where the source row of each released row is among the records that were kept; None if some is not."""
    at = np.searchsorted(kept, link)
    return at if len(kept) and (at < len(kept)).all() and (kept[at] == link).all() else None


def _same(scene: Scene, source: pl.DataFrame, place: Ints) -> bool:
    """Return whether the sensitive values of linked rows agree."""
    names = scene.sensitive if scene.counts is None else ()
    for name in names:
        (released, numbers), (own, codes) = labelled(scene.frame[name]), labelled(source[name])
        known = _numbered(own)
        if (np.array([known.get(label, -1) for label in released])[numbers] != codes[place]).any():
            return False
    return True


def _check_belongs(scene: Scene, people: People, matcher: Matcher, release: str) -> None:
    """Refuse an original that some rows cannot come from; sensitive values have to agree too."""
    names = scene.sensitive if scene.counts is None else ()
    whole = ReleasedRows.of(scene.frame, [*scene.schema.quasi, *names])
    cells, codes = {name: matcher.cells[name] for name in matcher.cells}, list(people.codes)
    for name in names:
        cells[name] = as_they_are(name, whole.labels[name])
        (own, numbers), known = labelled(people.frame[name]), _numbered(whole.labels[name])
        # Sensitive values are published as they are: a record explains only rows with its own.
        codes.append(np.array([known.get(label, -1) for label in own], dtype=np.int64)[numbers])
    missing = Matcher(whole, cells).unexplained(np.unique(np.stack(codes), axis=1))
    unexplained = int(whole.sizes[missing].sum())
    if unexplained or scene.frame.height > len(people):
        raise TableError(
            "original",
            expected=f"the table that the {release} was made from",
            got=f"{unexplained:,} of {scene.frame.height:,} released rows that no source row can explain"
            if unexplained
            else f"{len(people):,} records, fewer than the {scene.frame.height:,} released rows",
            hint="give the table, schema and recoding of this release",
        )


def _fitting_class(people: People, matcher: Matcher) -> Ints:
    """Return the only class that fits each person; masked rows if no other does, and ``SEVERAL`` where more do."""
    rows = matcher.rows
    shown = (rows.published > 0).astype(np.int64)
    number = shown * np.arange(1, len(shown) + 1)
    fits, which = (matcher.counts(people.codes, weights)[:, 0] for weights in (shown, number))
    own = np.where(fits == 1, which - 1, SEVERAL)
    own[fits == 0] = rows.suppressed if rows.suppressed >= 0 else NOT_THERE
    return own
