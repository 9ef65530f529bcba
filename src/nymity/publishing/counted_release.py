"""What is measured of a written table by an engine's group-bys: promises, warnings, and the hash of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from nymity.core.errors import TableError
from nymity.core.format_numbers import CONTENT
from nymity.engines import RECORDS, Rows, counted_hash
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats import Caveat, caveats_of_table
from nymity.publishing.certificate import TableFigures
from nymity.publishing.verify import Verification, verify
from nymity.table.attribute import Role
from nymity.table.schema import Schema


@dataclass(frozen=True, eq=False)
class CountedRelease:
    """A table that was written, in the engine that looks at it; nothing here knows how it was made."""

    rows: Rows
    path: Path
    columns: tuple[str, ...]
    schema: Schema
    models: Sequence[PrivacyModel]
    folder: Path  #: for what does not fit into memory

    @property
    def counted(self) -> pl.DataFrame:
        """The distinct classes with their sensitive values."""
        return self._counted[0]

    @property
    def counts(self) -> pl.Series:
        """How many rows there are of each."""
        return self._counted[1]

    @cached_property
    def _counted(self) -> tuple[pl.DataFrame, pl.Series]:
        names = [name for name in (*self.schema.quasi, *self.schema.sensitive) if name in self.columns]
        parts = list(self.rows.measure(self.path, names))
        if not parts:
            raise TableError(self.path.name, expected="at least one row", got="none")
        found = pl.concat(parts)
        return pl.DataFrame({name: found[f"c{i}"] for i, name in enumerate(names)}), found[RECORDS]

    @property
    def records(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    @cached_property
    def verification(self) -> Verification:
        """Whether every promise holds."""
        return verify(
            self.counted,
            self.schema.quasi,
            self.models,
            hierarchies=self.schema.sensitive_hierarchies,
            records=self.counts,
        )

    @cached_property
    def figures(self) -> TableFigures:
        """What a certificate says of the table."""
        parts = self.rows.measure(self.path, self.columns)
        digest = counted_hash(self.columns, parts, folder=self.folder, expected=self.records)
        return TableFigures(records=self.records, columns=self.columns, sha256=digest, content_format=CONTENT.tag)

    def caveats(self, *, classes: bool) -> list[Caveat]:
        """Return the warnings that the table gives cause for."""
        insensitive = [name for name in self.schema.columns(Role.INSENSITIVE) if name in self.columns]
        return caveats_of_table(
            self.counted,
            quasi=self.schema.quasi,
            sensitive=self.schema.sensitive,
            insensitive=insensitive,
            models=self.models,
            classes=classes,
            records=self.counts,
            unique=self._unique,
        )

    def _unique(self, columns: Sequence[str]) -> int:
        parts = self.rows.measure(self.path, (*self.schema.quasi, *columns))
        return sum(int((part[RECORDS] == 1).sum()) for part in parts)
