"""BucketRecoding: quasi-identifiers as they are, and sensitive values apart from them, by bucket.

Each record belongs to a bucket. One table has its quasi-identifiers and the number of the bucket, another how many
records of the bucket have which sensitive value (Xiao and Tao 2006). Who of a bucket has which value is published
nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.draws import Draws, KeyedDraws
from nymity.core.errors import TableError
from nymity.core.quoting import quoted
from nymity.table.cells import whole_numbers
from nymity.table.content_order import content_order
from nymity.table.encoding import codes_of, distinct_values
from nymity.table.hierarchy import Hierarchy, Label, label_texts
from nymity.table.recoding import Outliers, Recoded, Recoding, Unseen, check_places, written_alike

#: Columns that a release gets beside those of the table.
BUCKET, COUNT = "bucket", "count"

#: What is drawn: the numbers of buckets, and an order of the records in which those of a value fill its places.
NUMBERS = "numbers of buckets"
MEMBERS = "who of a value is in which bucket"

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Slots:
    """One entry for each bucket and value that occurs in it, by bucket, then value; all arrays (n_entries,).

    bucket: from 0, those of one size one after another. value: its number. records: how many.
    """

    bucket: Ints
    value: Ints
    records: Ints

    @property
    def n_buckets(self) -> int:
        """Number of buckets."""
        return int(self.bucket.max(initial=-1)) + 1

    @property
    def sizes(self) -> Ints:
        """Records of each bucket, (n_buckets,)."""
        return np.bincount(self.bucket, weights=self.records).astype(np.int64)

    @property
    def totals(self) -> Ints:
        """Records of each value, (n_values,)."""
        return np.bincount(self.value, weights=self.records).astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class BucketRecoding(Recoding):
    """The published columns, the sensitive ``attribute`` with its ``labels``, and the buckets.

    ``ids`` (n_buckets,) are the numbers that buckets are published with.

    **What a guess can rest on.** Let c_bv be the records of value v that bucket b has, and n_v those of the table. The
    slots are a function of the n_v alone. Given them, the n_v people with v are put into the places for v by one of
    n_v! / prod_b c_bv! equally likely assignments. A release shows who is in which bucket, and the c_bv. A table that
    fits it has the same n_v, hence the same slots, and for each value just one of its assignments leads to the release.
    So every table that fits has the same chance to lead to it, prod_v (prod_b c_bv! / n_v!), times that of the drawn
    numbers of buckets. Whoever knows the program and everybody's quasi-identifiers learns that the values of a bucket
    belong to its members and nothing else: if all assignments were equally likely before, a member of b has v with
    probability c_bv / sum_v c_bv.
    """

    columns: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    attribute: str
    labels: tuple[Label, ...]
    slots: Slots
    ids: Ints
    outliers: Outliers = "keep"
    beside: Mapping[str, str] = field(default_factory=dict)

    kind: ClassVar[str] = "buckets"
    has_counts: ClassVar[bool] = True
    unprotected: ClassVar[tuple[str, ...]] = (
        "presence: quasi-identifiers are published as they are, so that anybody can see who is in the table",
        "background knowledge: whoever knows the values of some members of a bucket has fewer left for the others",
        "correlation: where quasi-identifiers suggest a value, a guess can be better than its share of the bucket",
    )

    def recode(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, draws: Draws | None) -> Recoded:
        """Put every record into a bucket; ``counts`` of the answer is the table of sensitive values.

        The table must be the one that the buckets were planned for: these have a place for each of its records.
        """
        ids = self.ids[self._assigned(table, draws or KeyedDraws.fresh())]
        published = {
            name: written_alike(table[name].alias("c")) if name in self.hierarchies else table[name]
            for name in self.columns
            if name != BUCKET
        }
        values = written_alike(table[self.attribute].alias("c"))
        # Sorted by value within a bucket: the order of records would pair rows with values again.
        counts = pl.DataFrame({"b": ids, "v": values}).group_by("b", "v").len("n").sort("b", "v")
        return Recoded(
            pl.DataFrame({**published, BUCKET: ids}),
            np.arange(table.height),
            np.zeros(table.height, dtype=np.bool_),
            counts.select(pl.col("b").alias(BUCKET), pl.col("v").alias(self.attribute), pl.col("n").alias(COUNT)),
        )

    @property
    def drawn(self) -> tuple[str, ...]:
        """How buckets are numbered, and who is in them."""
        return (NUMBERS, MEMBERS)

    def for_further_rows(self) -> BucketRecoding:
        """Return this, which has places for the records that it was made for and refuses others."""
        return replace(self, columns=self.further_columns)

    def levels_in_use(self, name: str) -> list[int]:
        """That of the raw values."""
        return [0]

    def published_as(self, name: str) -> dict[str, Any]:
        """Quasi-identifiers are published as they are."""
        return {"unchanged": True}

    def mapping(self) -> pl.DataFrame:
        """Return what raw values are published as: themselves."""
        rows = [(name, value, value) for name, hierarchy in self.hierarchies.items() for value in hierarchy.values]
        return pl.DataFrame(rows, schema={"column": str, "value": str, "published": str}, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return {
            **self._described(),
            "attribute": self.attribute,
            "labels": list(self.labels),
            "slots": {name: getattr(self.slots, name).tolist() for name in ("bucket", "value", "records")},
            "ids": self.ids.tolist(),
        }

    @classmethod
    def _rebuilt(
        cls, data: Mapping[str, Any], columns: tuple[str, ...], hierarchies: dict[str, Hierarchy]
    ) -> BucketRecoding:
        slots = Slots(*(whole_numbers(data["slots"][name]) for name in ("bucket", "value", "records")))
        ids, labels = whole_numbers(data["ids"]), label_texts("labels", data["labels"])
        if not isinstance(data["attribute"], str):
            raise ValueError("a sensitive column whose name is no text")
        # A file may have been edited: numbers that lead nowhere must not become indices.
        for what, numbers, n in (("bucket", slots.bucket, len(ids)), ("value", slots.value, len(labels))):
            if ((numbers < 0) | (numbers >= n)).any():
                raise ValueError(f"the number of a {what} that is not there")
        check_places(slots.records)
        if len(ids) != slots.n_buckets or len(labels) != len(slots.totals):
            raise ValueError("buckets without a number, or values without a label")
        return BucketRecoding(columns, hierarchies, data["attribute"], labels, slots, ids, data["outliers"])

    # -- inside ----------------------------------------------------------------------------------------

    def _needed(self) -> list[str]:
        return [*(name for name in self.columns if name != BUCKET), self.attribute]

    def _assigned(self, table: pl.DataFrame, draws: Draws) -> Ints:
        """The bucket of each row: the rows of a value, in drawn order, take its places in turn."""
        values = self._values(table)
        order = content_order(table, self._needed())[draws.permutation(MEMBERS, table.height)]
        rows = order[np.argsort(values[order], kind="stable")]
        places = np.argsort(self.slots.value, kind="stable")
        buckets = np.empty(table.height, dtype=np.int64)
        buckets[rows] = np.repeat(self.slots.bucket[places], self.slots.records[places])
        return buckets

    def _values(self, table: pl.DataFrame) -> Ints:
        column = table[self.attribute].alias("cell")
        values = codes_of(column, distinct_values(column), {label: code for code, label in enumerate(self.labels)})
        found = np.bincount(values[values >= 0], minlength=len(self.labels))
        for label, wanted, got in zip(self.labels, self.slots.totals.tolist(), found.tolist(), strict=True):
            if wanted != got or (values < 0).any():
                raise TableError(
                    f"column {self.attribute!r}",
                    expected=f"the records that the buckets were made for, {wanted:,} with {quoted(label)}",
                    got=f"{got:,}" if wanted != got else f"{np.count_nonzero(values < 0):,} with other values",
                    hint="publish the table again: buckets have no places for further records",
                )
        return values.astype(np.int64)
