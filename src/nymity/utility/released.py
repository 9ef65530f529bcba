"""Released: a released table with all that is known of it, the one thing that queries, learning and attacks take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import SchemaError, TableError
from nymity.io import to_polars
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.encoding import distinct_values
from nymity.table.hierarchy import Hierarchy
from nymity.table.published_cells import ReadCells, StatedLevels, as_they_are, by_recoding, by_text
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from nymity.table.text import all_as_known, as_floats, as_text

if TYPE_CHECKING:
    from nymity.privacy import PrivacyModel
    from nymity.transforms import Transform


@dataclass(frozen=True, eq=False)
class CellReading:
    """What the cells of a release stand for: codes of these hierarchies. Other columns are as they were."""

    hierarchies: Mapping[str, Hierarchy]
    read: ReadCells


@dataclass(frozen=True, eq=False, kw_only=True)
class Released:
    """A released table and what is known of it; what is not known is None, and whoever needs it says so.

    ``counts`` (bucket, sensitive columns …, count) is the second table of a bucketized release. ``source_rows`` is the
    custodian's link, the source row of each released row; ``masked`` marks suppressed rows. ``population`` are the
    quasi-identifiers of the second table it was released beside. ``minimized`` is what its method made small.
    ``levels`` are those that quasi-identifiers are published on, as the certificate says where there is no recoding.
    ``by_schema``: whether the schema, built for the original, gives the very hierarchies of the recoding.
    ``transforms`` are those of the job. ``numbered``: the frame is nymity's own, whose text may be numbers.
    """

    frame: pl.DataFrame
    counts: pl.DataFrame | None = None
    schema: Schema | None = None
    models: tuple[PrivacyModel, ...] = ()
    method: Any = None
    recoding: Recoding | None = None
    source_rows: NDArray[np.int64] | None = None
    masked: NDArray[np.bool_] | None = None
    population: pl.DataFrame | None = None
    minimized: Any = None
    levels: Mapping[str, StatedLevels] | None = None
    by_schema: bool = False
    transforms: tuple[Transform, ...] = ()
    numbered: bool = False

    def __post_init__(self) -> None:
        if not self.numbered:
            object.__setattr__(self, "frame", to_polars(self.frame))
        if self.recoding is not None and not self.recoding.has_own_cells:
            nodes = self.recoding.hierarchies.items()
            object.__setattr__(self, "frame", all_as_known(self.frame, {n: set().union(*h.labels) for n, h in nodes}))
        if self.counts is not None:
            object.__setattr__(self, "counts", to_polars(self.counts))
            _check_fit(self.frame, self.counts)
        if self.source_rows is not None and self.source_rows.shape != (self.frame.height,):
            raise TableError(
                "links",
                expected=f"the original's row of each of {self.frame.height:,} released rows",
                got=f"{self.source_rows.size:,} numbers",
                hint="give the links of this release",
            )
        if self.counts is None and self.recoding is not None and self.recoding.has_counts:
            raise TableError(
                "release",
                expected="the two tables of a bucketized release",
                got="one",
                hint="nymity.open(table, sensitive=second)",
            )

    @property
    def is_private(self) -> bool:
        """Whether its method is differentially private."""
        return self.method is not None and self.method.makes.is_private

    @staticmethod
    def of(release: Any) -> Released:
        """Take a release as it was published or opened, or a table of which nothing else is known."""
        known = release if isinstance(release, Released) else getattr(release, "released", None)
        return known if isinstance(known, Released) else Released(frame=to_polars(release))

    @staticmethod
    def with_schema(where: str, table: Any, schema: Any) -> tuple[Any, Any]:
        """Return the rows of a release with the schema it was released by, or a table with the one that was given."""
        known = getattr(table, "released", None)
        if not isinstance(known, Released):
            if schema is None:
                hint = f'{where}(frame, ["age", "sex"]); ny.inspect(frame).schema() suggests roles'
                raise SchemaError(
                    f"{where}.schema", expected="the quasi-identifiers, or all roles", got="none", hint=hint
                )
            return table, schema
        schema = known.schema_for(where) if schema is None else schema
        unit = getattr(schema, "unit", None)
        if unit is not None and unit not in known.frame.columns:
            raise TableError(
                where,
                expected=f"rows that tell of whom they are, which {unit!r} did",
                got="a release without it",
                hint="release.verification, which counted them",
            )
        return known.frame, schema

    def schema_for(self, where: str) -> Schema:
        """Return the schema, or refuse what cannot be done without."""
        if self.schema is None:
            raise SchemaError(
                where,
                expected="the schema the table was released by",
                got="none",
                hint="nymity.open(table, schema=schema), or job=, or certificate=",
            )
        return self.schema

    def check_readable(self) -> None:
        """Refuse a release without its recoding whose cells do not tell by themselves what they stand for."""
        if self.recoding is None and self.method is not None and not self.method.makes.is_readable:
            raise TableError(
                "release",
                expected="the recoding: means and other centres of groups do not tell what they were made of",
                got="only the table",
                hint="take the custodian's folder of the release, or --recoding",
            )

    def beside(self, source: pl.DataFrame) -> Released:
        """Return it with numbers where the table it was made from has them, and a file holds them as text."""
        names = [] if self.schema is None else [*self.schema.quasi, *self.schema.sensitive]
        known = {name: set(as_text(distinct_values(source[name]))) for name in names if name in source.columns}
        numeric = {name for name, kind in source.schema.items() if kind.is_numeric()}  # means are of no raw value
        frame = all_as_known(self.frame, known)
        return replace(self, frame=pl.DataFrame({c.name: as_floats(c) if c.name in numeric else c for c in frame}))

    def reading(self, source: pl.DataFrame | None = None) -> CellReading | None:
        """Return what cells stand for: by the recoding, or beside the original by the levels that a certificate states.

        A table that comes with neither is read by its text; None if nothing is known.
        """
        if self.counts is not None:
            return CellReading({}, as_they_are)
        if self.recoding is not None:
            quasi = self.recoding.hierarchies if self.schema is None else self.schema.quasi
            return CellReading(hierarchies_for(quasi, self.recoding), by_recoding(self.recoding))
        if source is None or self.schema is None:
            return None
        self.check_readable()
        schema = self.schema
        kept = source.filter(~schema.gaps(source))
        tables = [kept] if self.population is None else [kept, self.population]
        built = {name: schema.hierarchy(name, _values([table[name] for table in tables])) for name in schema.quasi}
        return CellReading(built, by_text(built, source, self.levels))


def hierarchies_for(quasi: Iterable[str], recoding: Recoding) -> Mapping[str, Hierarchy]:
    """Return the hierarchies of a recoding, or refuse that of another release."""
    if set(recoding.hierarchies) != set(quasi):
        raise TableError(
            "recoding",
            expected=f"the quasi-identifiers {', '.join(map(repr, quasi))}",
            got=", ".join(map(repr, recoding.hierarchies)),
            hint="give the recoding of this release",
        )
    return recoding.hierarchies


def _values(columns: list[pl.Series]) -> pl.Series:
    """Return the distinct values of one column in one or two tables."""
    return distinct_values(pl.concat([column.to_frame("c") for column in columns], how="vertical_relaxed")["c"])


def _check_fit(table: pl.DataFrame, counts: pl.DataFrame) -> None:
    """Refuse two tables that do not belong together: each bucket has as many sensitive values as rows.

    Nothing is allocated by a count before all of them were compared with the rows.
    """
    for name, frame, needed in (("table", table, (BUCKET,)), ("second table", counts, (BUCKET, COUNT))):
        for column in needed:
            if column not in frame.columns:
                raise TableError(f"{name} of the buckets", expected=f"a column {column!r}", got="none")
    if not _fit(table, counts):
        raise TableError(
            "buckets",
            expected="as many sensitive values as rows in each",
            got="more or fewer",
            hint="give the two tables of one release",
        )


def _fit(table: pl.DataFrame, counts: pl.DataFrame) -> bool:
    """Return whether each bucket has as many values as rows; no count may exceed the rows, so that sums are sums."""
    numbers = (counts[COUNT], counts[BUCKET], table[BUCKET])
    if not all(column.dtype.is_integer() for column in numbers):
        return False
    if not counts[COUNT].is_between(1, table.height).fill_null(False).all():
        return False
    listed = counts.group_by(BUCKET).agg(pl.col(COUNT).cast(pl.Int64).sum()).sort(BUCKET)
    return bool(listed.rows() == table.group_by(BUCKET).len().sort(BUCKET).rows())
