"""Where the tables of a release are put, and read back from before anybody else sees them: files, or a database.

Both are contexts around one commit (:mod:`nymity.core.commit`). ``remote`` is what has to be committed beside files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol

import polars as pl

from nymity.core.commit import Stage
from nymity.core.errors import InputError, PromiseError, TableError
from nymity.core.journal import Remote
from nymity.database import DatabaseOutput, TableWriter
from nymity.io import Dictionary, write_table
from nymity.publishing.custodian.reading_back import read_release
from nymity.publishing.jobs.job import Output
from nymity.publishing.sealing.fingerprint import file_fingerprint, fingerprint
from nymity.table.content_order import content_order
from nymity.table.numbered_text import with_plain_text

#: A table with the name it is published under.
Named = tuple[str, pl.DataFrame]
#: Measures the promises of a table: what certificates have of that, and whether all hold.
Measure = Callable[[pl.DataFrame], Mapping[str, Any]]


class Place(Protocol):
    """Somewhere tables can be put."""

    @property
    def remote(self) -> Remote | None:
        """What is committed together with files."""

    def __enter__(self) -> Place: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def check(self, names: Sequence[str]) -> None:
        """Refuse tables that are in the way, before any work is done."""

    def put(self, stage: Stage, tables: Sequence[Named], columns: Sequence[Mapping[str, Any]]) -> list[pl.DataFrame]:
        """Write tables, whose ``columns`` a certificate describes, and return what is read back."""

    def described(self, stage: Stage, measure: Measure) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return what certificates say of each table, and of the place."""

    def seal(self, certificate: bytes) -> list[str]:
        """Take the finished certificate; return the files that are to be moved into place."""


class FilePlace:
    """Files of a folder."""

    remote = None

    def __init__(self, output: Output, labels: Dictionary) -> None:
        self.output = output
        self.labels = labels
        self.names: list[str] = []

    def __enter__(self) -> FilePlace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is open: stages are removed by the commit."""

    def check(self, names: Sequence[str]) -> None:
        """Nothing: what lies in the folders of a release is spared by :mod:`nymity.publishing.custodian.custody`."""

    def put(self, stage: Stage, tables: Sequence[Named], columns: Sequence[Mapping[str, Any]]) -> list[pl.DataFrame]:
        """Write the files, and read each as anybody would."""
        del columns
        self.names = [name for name, _ in tables]
        for name, frame in tables:
            write_table(frame, stage / name, replace(self.output.options, dictionary=self.labels))
        return [self._read_back(stage, name, frame) for name, frame in tables]

    def described(self, stage: Stage, measure: Measure) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return the hashes of the files."""
        del measure
        files = [{"file": name, "file_sha256": file_fingerprint(stage / name)} for name in self.names]
        return files, {"formulas_neutralized": self.output.neutralizes}

    def seal(self, certificate: bytes) -> list[str]:
        """Return the files; the certificate lies beside them."""
        del certificate
        return self.names

    def _read_back(self, stage: Stage, name: str, frame: pl.DataFrame) -> pl.DataFrame:
        try:
            written = read_release(stage / name, self.output, frame)
        except InputError as error:
            raise unholdable(name, f"a file that cannot be read back ({error.got})") from error
        if written is frame or _are_equal(written, frame):
            return frame  # the same cells, which need not lie in memory twice
        if fingerprint(written) != fingerprint(frame):
            raise unholdable(name, "another table when it is read back")
        return written


class DatabasePlace:
    """Tables of a database, in one transaction."""

    def __init__(self, output: DatabaseOutput) -> None:
        self.output = output
        self.remote: TableWriter = TableWriter(output)
        self._whole: pl.DataFrame | None = None
        self._content = ""

    def __enter__(self) -> DatabasePlace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remote.close()

    def check(self, names: Sequence[str]) -> None:
        """Ask the database."""
        self.remote.check(names)

    def put(self, stage: Stage, tables: Sequence[Named], columns: Sequence[Mapping[str, Any]]) -> list[pl.DataFrame]:
        """Write the tables and read them back, a batch and the table it is added to alike."""
        del stage
        self.check([name for name, _ in tables])
        says = {str(column["name"]): _in_words(column) for column in columns}
        written = []
        for name, numbered in tables:
            frame = with_plain_text(numbered)
            if not self._content:
                self._content = fingerprint(frame)
                # The same batch twice would count everybody in it twice, and promises would seem to hold.
                self.remote.refuse_repeated(self._content)
            there = {name: says.get(name, "") for name in frame.columns}
            found = self.remote.put(name, frame, "published by nymity: its certificate is in nymity_releases", there)
            # Read back in the order of writing: the new batch comes last.
            batch = found.tail(frame.height)
            written.append(_compared(name, batch, frame))
            if self.output.grows:
                self._whole = found[content_order(found)]
        return written

    def described(self, stage: Stage, measure: Measure) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return which table it is, and of one that grows what the whole of it is like."""
        del stage
        about: dict[str, Any] = {
            "kind": self.output.address.kind,
            **{name: value for name in ("schema", "table", "mode") if (value := getattr(self.output, name))},
        }
        if self._whole is not None:
            about["whole"] = {
                "records": self._whole.height,
                "content_sha256": fingerprint(self._whole),
                "measured": measure(self._whole),
            }
            if not about["whole"]["measured"]["holds"]:
                raise PromiseError(
                    "the batch keeps its promises, but the whole table that it would be added to does not; nothing was "
                    "written. Try: a table of its own (mode = 'create'), or publish all records anew (mode = 'replace')"
                )
        return [{} for _ in range(2)], {"database": about}

    def seal(self, certificate: bytes) -> list[str]:
        """Enter the certificate beside the table; there are no files but those beside it."""
        self.remote.record(certificate, self._content)
        return []


def place_of(output: Output | DatabaseOutput, labels: Dictionary) -> Place:
    """Return where a job's output puts tables; formats that can take labels get those that the source came with."""
    return DatabasePlace(output) if isinstance(output, DatabaseOutput) else FilePlace(output, labels)


def unholdable(name: str, got: str, hint: str = "another output format, such as parquet") -> TableError:
    """Say that what was written is not what is read."""
    return TableError(
        name,
        expected="a format that can hold every cell and name of the release",
        got=f"{got}; nothing was published",
        hint=hint,
    )


def _are_equal(written: pl.DataFrame, frame: pl.DataFrame) -> bool:
    """Whether two tables have the same columns of the same types with the same cells, so that no hash tells them apart.

    A hash also takes tables for the same whose cells are written alike.
    """
    return written.schema == with_plain_text(frame.clear()).schema and written.equals(frame)


def _compared(name: str, found: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table as it is read from a database, in the order of its cells, if it is what was written."""
    if found.equals(frame):
        return frame
    ordered = found[content_order(found)]
    if fingerprint(ordered) != fingerprint(frame):
        hint = "look for triggers, rules and policies that change or hide its rows, or publish to files"
        raise unholdable(name, "another table when it is read back", hint)
    return ordered


def _in_words(column: Mapping[str, Any]) -> str:
    """Say what a published column is."""
    role = {"quasi": "quasi-identifier", "bucket": "number of the bucket"}.get(column["role"], column["role"])
    if column.get("unchanged"):
        return f"{role}, as it was"
    if "level" in column:
        return f"{role}, generalized to level {column['level']} of {column['height']}"
    if "levels" in column:
        return f"{role}, generalized to levels {', '.join(map(str, column['levels']))} of {column['height']}"
    return f"{role}, generalized" if "cells" in column else str(role)
