"""Sets of items of a run: laid out before the search of levels, generalized and suppressed after it.

Levels of the quasi-identifiers are chosen first, by them alone. Their classes are then fixed, and one cut of the items'
hierarchy is chosen for all of them, with items suppressed in the classes where they stay rare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.baskets import Baskets, ItemTree, search_cut
from nymity.core.errors import HierarchyError, TableError
from nymity.core.quoting import quoted
from nymity.privacy import KMAnonymity, PrivacyModel
from nymity.publishing.certificates.certificate_form import ItemsSection
from nymity.table.encoding import person_ids
from nymity.table.hierarchy import Hierarchy
from nymity.table.item_cells import ItemColumn
from nymity.table.item_recoding import ItemRecoding
from nymity.table.level_recoding import LevelRecoding
from nymity.table.schema import Schema
from nymity.table.text import as_text


@dataclass(frozen=True, eq=False, kw_only=True)
class ItemFigures:
    """What became of the items of the released records.

    folded: records that were put together with another one of the same person. occurrences: of items in records that
    are published. suppressed: of those that are left out. loss: NCP, see
    :mod:`nymity.baskets.cut_search`.

    These are the custodian's: rows do not show what was left out of them or became one, and how much that was would
    tell who had it to whoever knows the rest. A table of persons and items has as many records as items.
    """

    folded: int
    occurrences: int
    suppressed: int
    loss: float
    optimal: bool

    @property
    def withheld(self) -> dict[str, Any]:
        """What the certificate does not tell, for the custodian's log."""
        told = {"occurrences": self.occurrences, "suppressed": self.suppressed, "loss": self.loss}
        return {"items": {"folded_records": self.folded, **told}}


@dataclass(frozen=True, eq=False, kw_only=True)
class ItemSets:
    """The column of sets of a table, its hierarchy, and what is promised of it."""

    column: ItemColumn
    hierarchy: Hierarchy
    tree: ItemTree
    model: KMAnonymity

    @staticmethod
    def of(table: pl.DataFrame, schema: Schema, models: Sequence[PrivacyModel]) -> ItemSets | None:
        """Build the hierarchy of the items and count the sets to look at; None without such a column."""
        model = next((one for one in models if isinstance(one, KMAnonymity)), None)
        if (column := schema.item_column) is None or model is None:
            return None
        entries = column.entries(table[column.name])
        if entries.is_empty():
            raise TableError(f"column {column.name!r}", expected="items in some record", got="none")
        hierarchy = schema.hierarchy(column.name, entries["item"].unique())
        _check_labels(hierarchy, column)
        tree = ItemTree.of(hierarchy, where=f"hierarchy of {column.name!r}")
        sets = ItemSets(column=column, hierarchy=hierarchy, tree=tree, model=model)
        # Sets are counted by record, whatever its class, so that too many are refused before the search.
        sets._baskets(table, np.zeros(table.height, dtype=np.int64)).check_number_of_sets(f"{model.key}.m", model.m)
        return sets

    def decided(
        self, recoding: LevelRecoding, table: pl.DataFrame, *, folded: int
    ) -> tuple[LevelRecoding, ItemFigures]:
        """Choose what items are published as beside the quasi-identifiers of this recoding; ``folded`` is passed on."""
        # Nothing is drawn here: a recoding with sets of items is one of levels, whose cells follow from the records.
        rows = recoding.apply(table).table
        quasi = pl.DataFrame({f"q{i}": as_text(rows[name]) for i, name in enumerate(recoding.hierarchies)})
        # (n_rows,): the class of each published row, 0 and up
        numbered = quasi.select(pl.struct(pl.all()).rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
        baskets = self._baskets(rows, numbered)
        chosen = search_cut(baskets, self.model.k, self.model.m)
        levels = self.tree.level[chosen.cut].tolist()
        items = [label for label in self.hierarchy.values if label is not None]
        # reversed, so that the first row of each class stays
        first = {int(number): row for row, number in reversed(list(enumerate(numbered)))}
        gone: dict[int, list[str]] = {}
        for number, node in chosen.suppressed.tolist():
            gone.setdefault(number, []).append(self.tree.labels[node])
        left_out = tuple((quasi.row(first[number]), tuple(sorted(labels))) for number, labels in sorted(gone.items()))
        made = ItemRecoding(self.column, self.hierarchy, dict(zip(items, levels, strict=True)), left_out)
        n = len(baskets.item)
        figures = ItemFigures(
            folded=folded,
            occurrences=n,
            suppressed=chosen.lost,
            loss=chosen.cost / (n * self.tree.n_items) if n else 0.0,
            optimal=chosen.optimal,
        )
        return replace(recoding, items=made), figures

    def _baskets(self, rows: pl.DataFrame, classes: NDArray[np.int64]) -> Baskets:
        entries = self.column.entries(rows[self.column.name])
        known = {label: code for code, label in enumerate(one for one in self.hierarchy.values if one is not None)}
        codes = entries["item"].replace_strict(list(known), list(known.values()), return_dtype=pl.Int64)
        return Baskets(entries["row"].cast(pl.Int64).to_numpy(), codes.to_numpy(), classes, self.tree)


def one_record_each(
    table: pl.DataFrame, rows: NDArray[np.int64], schema: Schema
) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Fold a table of persons and items to one record for each person, whose set has the items of all its records.

    Everything else that is published must be the same in all records of a person. Returned with the first row of each.
    """
    column, person = schema.item_column, schema.person
    if column is None or person is None:
        return table, rows
    who = person_ids(table[person])
    # (n_rows,): persons by number; first has the first row of each, in the order of the table
    number = who.rank("dense").cast(pl.UInt32) - 1
    first = pl.DataFrame({"who": number}).with_row_index("at").group_by("who").agg(pl.col("at").min()).sort("at")
    for name in table.columns:
        if not schema[name].is_published or name == column.name:
            continue
        # One pair for each person where all their cells agree; every further one is a cell that differs.
        cells = pl.DataFrame({"who": number, "cell": as_text(table[name])}).unique()
        if several := cells.height - first.height:
            raise TableError(
                f"column {name!r}",
                expected=f"one value for each person of {person!r}, whose records are put together to one set of items",
                got=f"{several:,} further values",
                hint="make it the same in all records of a person, or declare it identifying",
            )
    entries = column.entries(table[column.name])
    place = dict(zip(first["who"].to_list(), range(first.height), strict=True))
    of_rows = number.replace_strict(list(place), list(place.values()), return_dtype=pl.UInt32)
    sets = entries.select(row=of_rows[entries["row"]], item=pl.col("item"))
    at = first["at"].to_numpy()
    return table[at].with_columns(column.written(sets, first.height)), rows[at]


def units_read(table: pl.DataFrame, schema: Schema) -> int:
    """Return how many records a certificate says were read: persons, where their records are put together to one."""
    if schema.item_column is None or (person := schema.person) is None:
        return table.height
    return person_ids(table[person].filter(~schema[person].gaps(table[person]))).n_unique()


def items_section(
    column: ItemColumn, recoding: LevelRecoding, figures: ItemFigures, released: pl.DataFrame, digest: str
) -> dict[str, Any]:
    """Return what a certificate says of the items: the cut, of items that the release shows.

    Levels, and how many there are, may depend on items that nobody sees: by masking, on the length of the longest.
    """
    made = recoding.items
    assert made is not None
    entries = column.entries(released[column.name])
    # A group is what stands for another item than itself.
    groups = {published for item, published in made.published.items() if published != item}
    return {
        "column": column.name,
        "published": entries.height,
        "proven_optimal": figures.optimal,
        "hierarchy_sha256": digest,
        "cut": [{"item": item, "group": item in groups} for item in entries["item"].unique().sort().to_list()],
    }


def item_problems(released: pl.DataFrame, schema: Schema, section: ItemsSection | None) -> Iterator[str]:
    """Say where the sets of a release are not as they are written, or not those that its certificate counts."""
    column = schema.item_column
    if column is None or column.name not in released.columns:
        return
    if not column.are_as_written(released[column.name]):
        yield f"sets of {column.name!r} are not written in their one form: sorted, each item once, no spaces around it"
    if section is None:
        return
    entries = column.entries(released[column.name])
    if entries.height != section.published:
        yield f"the certificate counts {section.published:,} published items, the table has {entries.height:,} (items)"
    if {one.item for one in section.cut} != set(entries["item"].to_list()):
        yield "the certificate names other items than the table has (items.cut)"


def item_contradictions(section: ItemsSection | None, schema: Schema) -> Iterator[str]:
    """Say where what a certificate tells of items contradicts itself or its job."""
    column = schema.item_column
    if (None if column is None else column.name) != (None if section is None else section.column):
        yield "a column of items and what is said of it go together (items, job.schema)"
    if section is None:
        return
    if len({one.item for one in section.cut}) < len(section.cut):
        yield "its cut names an item twice (items.cut)"


def _check_labels(hierarchy: Hierarchy, column: ItemColumn) -> None:
    """Refuse names that could not be read again from a released set."""
    for label in {label for labels in hierarchy.labels for label in labels if label is not None}:
        if column.separator in label or label != label.strip() or not label:
            raise HierarchyError(
                f"hierarchy of {column.name!r}",
                expected=f"names without {column.separator!r}, which stands between them, and no spaces around them",
                got=quoted(label),
                hint="another separator, such as separator = '|'",
            )
