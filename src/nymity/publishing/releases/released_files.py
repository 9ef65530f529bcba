"""The files of a release as somebody received them: read the one way they are written, compared with what is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nymity.core.commit import refuse_between
from nymity.core.errors import InputError
from nymity.core.validation import columns_there
from nymity.database import DatabaseOutput
from nymity.io import format_of, to_polars
from nymity.publishing.certificates.bucket_tables import check_counts
from nymity.publishing.certificates.certificate_form import (
    CertificateForm,
    ChildTable,
    OutputSection,
    SensitiveTable,
)
from nymity.publishing.certificates.stated import Stated
from nymity.publishing.custodian.reading_back import read_written
from nymity.publishing.jobs.children import HAS_CHILDREN, misjoined, rejoined, split
from nymity.publishing.jobs.job import Job, Output
from nymity.publishing.sealing.fingerprint import content_hash, file_fingerprint, fingerprint
from nymity.table.attribute import Role
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.content_order import content_order, is_sorted
from nymity.table.schema import Schema
from nymity.table.text import as_text, plainly_named

#: What a problem with the table itself is about.
TABLE = "table"


@dataclass(frozen=True, eq=False)
class ReleasedFiles:
    """What was released: the table and, where sensitive values lie apart, their counts; with the files of both."""

    table: pl.DataFrame
    path: Path | None
    counts: pl.DataFrame | None = None
    counts_path: Path | None = None
    #: Files whose cells are not written as they should be.
    odd: tuple[str, ...] = ()
    #: The second of two tables of the same people, whose join ``table`` is, and where they do not fit each other.
    children: pl.DataFrame | None = None
    children_path: Path | None = None
    misfits: tuple[str, ...] = ()
    #: Of a table that was read from a database: the kind of that, the folder of the certificate, and all batches of a
    #: table that grows.
    database: str | None = None
    folder: Path | None = None
    whole: pl.DataFrame | None = None

    @property
    def place(self) -> Path | None:
        """The folder of the release."""
        return self.folder if self.path is None else self.path.parent

    @staticmethod
    def in_database(
        output: DatabaseOutput,
        second: str | None,
        key: str | None,
        top: Sequence[str] | None,
        *,
        folder: Path,
        stated: Stated | None,
    ) -> ReleasedFiles:
        """Read the table, or both, from a database: of one that grows the batch that was written last."""
        first, *further = output.read([output.table, *([] if second is None else [second])])
        kind = output.address.kind
        whole, database = None, None if stated is None else stated.form.output.database
        if stated is not None and database is not None and database.whole is not None:
            # The batch is what was written last. Only after it is cut off are rows put in order.
            whole, first = first[content_order(first)], first.tail(stated.form.output.records)
        table, others = first[content_order(first)], [one[content_order(one)] for one in further]
        if key is not None and others:
            for one in (table, others[0]):
                columns_there(InputError, "release", [key], one.columns)
            return ReleasedFiles(
                rejoined(table, others[0], key, top),
                None,
                children=others[0],
                misfits=tuple(misjoined(table, others[0], key)),
                database=kind,
                folder=folder,
            )
        if others:
            check_counts(table, others[0])
        counts = others[0] if others else None
        return ReleasedFiles(table, None, counts, database=kind, folder=folder, whole=whole)

    @staticmethod
    def read(
        release: Any,
        sensitive: Any,
        output: Output | DatabaseOutput,
        second: str | None,
        key: str | None = None,
        top: Sequence[str] | None = None,
    ) -> ReleasedFiles:
        """Read the table as its ``output`` says, and the second one of a bucketized release.

        That lies beside the first under the name ``second``, unless it is given as ``sensitive``. With a ``key`` it is
        a table of children, and both are joined by it; a frame is their join already. ``top``: columns that are
        published at the top of their hierarchy, where that is known.
        """
        output = output if isinstance(output, Output) else Output()  # a copy that was made of a table, in a file
        table, path, odd = _read(release, output)
        if key is not None:
            return (
                ReleasedFiles(table, None)
                if path is None
                else _with_children(table, path, odd, second, key, top, output)
            )
        if sensitive is None and second is None:
            return ReleasedFiles(table, path, odd=odd)
        if sensitive is None and path is not None:
            sensitive = path.with_name(str(second))
        if sensitive is None:
            raise InputError(
                "release",
                expected="both tables of a bucketized release",
                got="one of them",
                hint="nymity.open(release.table, sensitive=release.sensitive_table, ...)",
            )
        counts, counts_path, also_odd = _read(sensitive, output)
        check_counts(table, counts)
        return ReleasedFiles(table, path, counts, counts_path, (*odd, *also_odd))

    def check_columns(self, quasi: Sequence[str], sensitive: Sequence[str]) -> None:
        """Refuse tables without a column that a promise speaks of."""
        if self.counts is None:
            columns_there(InputError, "release", [*quasi, *sensitive], self.table.columns)
        else:
            columns_there(InputError, "release", quasi, self.table.columns)
            columns_there(InputError, "release", sensitive, self.counts.columns)

    def problems(self, job: Job | None, stated: Stated | None) -> Iterator[tuple[str, str]]:
        """Return what is wrong beside broken promises."""
        for name in self.odd:
            yield TABLE, f"{name} has text that spreadsheets run as a formula, and should have none"
        yield from ((TABLE, says) for says in self.misfits)
        for path in (self.path, self.counts_path, self.children_path):
            if path is not None and not (stated is not None and stated.form.is_first):
                yield from (
                    (TABLE, says) for says in format_of(path).strangers(path)
                )  # those of 0.1.0 may have categories
        if job is not None:
            yield from ((TABLE, says) for says in self._unlike_schema(job.schema))
        schema = job.schema if job is not None else None if stated is None else stated.job.schema
        if schema is not None:
            yield from ((TABLE, says) for says in self._weights_apart(schema))
        if stated is None:
            return
        output = stated.form.output
        if output.row_order == "sorted" and not is_sorted(self.table):
            yield TABLE, "its rows are not sorted, and their order may be that of the source"
        yield from (("columns", says) for says in self._other_cells(stated.form))
        names = [column.name for column in stated.form.columns]
        yield from (("output", says) for says in _tampering(self.table, self.path, output, names))
        if output.child_table is not None:
            yield from self._other_children(output.child_table)
        if self.counts is not None and output.sensitive_table is not None:
            second = output.sensitive_table
            yield from (("output", says) for says in _tampering(self.counts, self.counts_path, second, second.columns))
            gaps = sum(column.null_count() for column in self.counts)
            # Readers of the second table must know whether an empty cell is a value that somebody has.
            if (second.missing_values == "count as a value of their own") != bool(gaps):
                yield "output", "the second table has gaps and the certificate does not say so, or the other way round"
        yield from (("files", says) for says in self._other_files(stated.form))
        if output.database is not None and self.database not in (None, output.database.kind):
            yield "output", f"the table lies in {self.database}, and the certificate says {output.database.kind}"
        if self.whole is not None and output.database is not None and output.database.whole is not None:
            expected = output.database.whole
            if self.whole.height != expected.records or fingerprint(self.whole) != expected.content_sha256:
                yield "output", "the whole table, with all its batches, is not the one the certificate was made for"

    def _other_children(self, expected: ChildTable) -> Iterator[tuple[str, str]]:
        """Compare the table of children with what the certificate describes; a join that was given is split for it."""
        children = self.children
        if children is None:
            key, *columns = expected.columns
            if any(name not in self.table.columns for name in (HAS_CHILDREN, key, *columns)):
                yield "output", f"the release has no columns {', '.join(expected.columns)} for a table of children"
                return
            children = split(self.table, key, columns)[1]
        if not is_sorted(children):
            yield TABLE, "the rows of the table of children are not sorted, and may be in the order of the source"
        yield from (("output", says) for says in _tampering(children, self.children_path, expected, expected.columns))

    def told_apart(self, quasi: Sequence[str]) -> Iterator[str]:
        """Name columns of a Parquet file with one value in several forms: counted as one, but readers see several.

        Text files write them alike.
        """
        if self.path is None or not format_of(self.path).keeps_types:
            return
        for name in quasi:
            if name in self.table.columns and _forms(self.table[name]) > as_text(self.table[name]).n_unique():
                yield (
                    f"column {name!r} has one value in several forms (null, NaN and empty text, or the two zeros), "
                    "which tell apart records that are counted as alike"
                )

    def _unlike_schema(self, schema: Schema) -> Iterator[str]:
        """Return which columns should not be there, and which should."""
        there = {*self.table.columns, *(() if self.counts is None else self.counts.columns)}
        for name in self.table.columns:
            if name in schema and not schema[name].is_published:
                yield f"identifying column {name!r} is in the release"
            elif name not in schema and not (self.counts is not None and name == BUCKET):
                yield f"column {name!r} is in the release, and the job does not know it"
        for name in () if self.counts is None else self.counts.columns:
            if name not in (BUCKET, COUNT) and (name not in schema or schema[name].role is not Role.SENSITIVE):
                yield f"column {name!r} is in the sensitive table, and is no sensitive column of the job"
        for name, attribute in schema.items():
            if attribute.is_published and name not in there:
                yield f"column {name!r} is not in the release, and the job publishes it"

    def _weights_apart(self, schema: Schema) -> Iterator[str]:
        """Say so where weights that should be the mean of their class tell rows of a class apart."""
        weight, classes = schema.coarsened_weight, schema.quasi
        if weight is None or any(name not in self.table.columns for name in (*classes, weight)):
            return
        cells = pl.DataFrame({f"c{i}": as_text(self.table[name]) for i, name in enumerate((*classes, weight))})
        if cells.n_unique() > cells.select(cells.columns[:-1]).n_unique():
            yield f"the weights {weight!r} tell rows of one class apart, and should be the mean of each class"

    def _other_cells(self, form: CertificateForm) -> Iterator[str]:
        """Say where columns have other numbers of cells than the certificate tells; version 1 may have told more."""
        for column in form.columns:
            if column.name not in self.table.columns or (column.cells is None and not column.is_at_top):
                continue
            cells = as_text(self.table[column.name]).fill_null("").unique()
            exact = not form.is_first
            if column.cells is not None and (len(cells) > column.cells or (exact and len(cells) < column.cells)):
                yield f"{column.name!r} has {len(cells):,} different cells, and the certificate counts {column.cells:,}"
            if column.is_at_top and cells.is_in(["*"]).not_().sum() > 1:
                yield f"{column.name!r} tells values, and the certificate says that every cell is that of the top"

    def _other_files(self, form: CertificateForm) -> Iterator[str]:
        """Compare files that lie beside the table; which of them were received is not for us to say."""
        second = (form.output.sensitive_table, form.output.child_table)
        tables = {form.output.file, *(one.file for one in second if one is not None)}
        if self.path is None:
            return
        for item in form.files or ():
            place = self.path.with_name(item.file)
            if item.file not in tables and place.is_file() and file_fingerprint(place) != item.sha256:
                yield f"{item.file} is not the file the certificate was made for (sha256 differs)"


def _forms(column: pl.Series) -> int:
    """Count the cells that differ in any bit; only floating-point numbers and text have several forms of a value."""
    if not column.dtype.is_float():
        return column.n_unique()
    numbers = plainly_named(column).drop_nulls().to_numpy()
    return len(np.unique(numbers.view(f"u{numbers.itemsize}"))) + column.has_nulls()


def _read(release: Any, output: Output) -> tuple[pl.DataFrame, Path | None, tuple[str, ...]]:
    """Read a table the one way it is written; name the file if it cannot have been written so."""
    if not isinstance(release, str | Path):
        return to_polars(release), None, ()
    path = Path(release)
    refuse_between(path.parent)
    table, is_as_written = read_written(path, output)
    return table, path, () if is_as_written else (path.name,)


def _with_children(
    parents: pl.DataFrame,
    path: Path,
    odd: tuple[str, ...],
    second: str | None,
    key: str,
    top: Sequence[str] | None,
    output: Output,
) -> ReleasedFiles:
    """Read the table of children that lies beside that of the parents, and join both."""
    children, children_path, also_odd = _read(path.with_name(str(second)), output)
    for table in (parents, children):
        columns_there(InputError, "release", [key], table.columns)
    return ReleasedFiles(
        rejoined(parents, children, key, top),
        path,
        odd=(*odd, *also_odd),
        children=children,
        children_path=children_path,
        misfits=tuple(misjoined(parents, children, key)),
    )


def _tampering(
    table: pl.DataFrame, path: Path | None, expected: OutputSection | SensitiveTable | ChildTable, names: Sequence[str]
) -> list[str]:
    """Return where a table differs from what the certificate describes."""
    problems = []
    if table.height != expected.records:
        problems.append(f"the certificate states {expected.records:,} records, the table has {table.height:,}")
    if list(table.columns) != list(names):
        problems.append(
            f"the certificate lists the columns {', '.join(names)}, the table has {', '.join(table.columns)}"
        )
    if content_hash(table, getattr(expected, "content_format", None)) != expected.content_sha256:
        problems.append("the cells are not those the certificate was made for (content_sha256 differs)")
    elif path is not None and expected.file_sha256 not in (None, file_fingerprint(path)):
        problems.append("the file is not the one the certificate was made for (file_sha256 differs, same cells)")
    return problems
