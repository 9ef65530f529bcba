"""What is measured of a written table by an engine's group-bys: promises, warnings, and the hash of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from nymity.core.errors import TableError
from nymity.core.format_numbers import CONTENT
from nymity.engines import RECORDS, Rows, counted_hash
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats import Caveat, caveats_of_table
from nymity.publishing.caveats.of_persons import caveats_of_persons
from nymity.publishing.certificates.certificate import TableFigures
from nymity.publishing.certificates.verify import Verification, verify
from nymity.publishing.jobs.withheld import Withheld
from nymity.table.attribute import Role
from nymity.table.encoding import person_ids
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
    owned: Path | None = None  #: the same classes and values, with the column that says of whom rows are

    @property
    def counted(self) -> pl.DataFrame:
        """The distinct classes with their sensitive values; of each person's rows, where that is known."""
        return self._counted[0].drop(self.schema.unit or (), strict=False)

    @property
    def counts(self) -> pl.Series:
        """How many rows there are of each."""
        return self._counted[1]

    @cached_property
    def persons(self) -> pl.Series | None:
        """Of whom the rows of each distinct class and value are, where that is known."""
        if self.owned is None or self.schema.unit is None:
            return None
        return person_ids(self._counted[0][self.schema.unit])

    @cached_property
    def _counted(self) -> tuple[pl.DataFrame, pl.Series]:
        if self.owned is None or self.schema.unit is None:
            return self._found
        names = self._found[0].columns
        whose = self._measured(self.owned, [*names, self.schema.unit])
        # It was written by another reading of the source, and stands for the release from here on.
        self._check_same(self._found, whose, names)
        return whose

    @cached_property
    def _found(self) -> tuple[pl.DataFrame, pl.Series]:
        names = [name for name in (*self.schema.quasi, *self.schema.sensitive) if name in self.columns]
        return self._measured(self.path, names)

    def check_beside(self, path: Path) -> None:
        """Refuse a file that has other classes than the release: the source was read once more for it."""
        classes = [name for name in self.schema.quasi if name in self.columns]
        self._check_same(self._found, self._measured(path, classes), classes)

    def _measured(self, path: Path, names: Sequence[str]) -> tuple[pl.DataFrame, pl.Series]:
        none = pl.DataFrame(schema={**{f"c{i}": pl.String for i in range(len(names))}, RECORDS: pl.Int64})
        found = pl.concat(list(self.rows.measure(path, names)) or [none])
        return pl.DataFrame({name: found[f"c{i}"] for i, name in enumerate(names)}), found[RECORDS]

    @staticmethod
    def _check_same(
        found: tuple[pl.DataFrame, pl.Series], others: tuple[pl.DataFrame, pl.Series], names: Sequence[str]
    ) -> None:
        """Refuse counted rows that have other cells, in these columns, than those that were written."""
        parts = [
            pl.DataFrame({**{f"c{i}": table[name] for i, name in enumerate(names)}, RECORDS: counts * sign})
            # The same rows in both: their counts cancel out, whatever order they were counted in.
            for (table, counts), sign in ((found, 1), (others, -1))
        ]
        left = pl.concat(parts).group_by([f"c{i}" for i in range(len(names))]).agg(pl.col(RECORDS).sum())
        if (left[RECORDS] != 0).any():
            raise TableError(
                "source",
                expected="the same rows each time it is read",
                got="others",
                hint="the source changed while it was read: publish again once nobody writes to it",
            )

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
            persons=self.persons,
            unit=self.schema.counts,
        )

    @cached_property
    def figures(self) -> TableFigures:
        """What a certificate says of the table."""
        parts: Iterable[pl.DataFrame]
        table, counts = self._found
        if set(table.columns) == set(self.columns):  # all of them were counted
            parts = [pl.DataFrame({**{f"c{i}": table[name] for i, name in enumerate(self.columns)}, RECORDS: counts})]
        else:
            parts = self.rows.measure(self.path, self.columns)
        digest = counted_hash(self.columns, parts, folder=self.folder, expected=self.records)
        return TableFigures(records=self.records, columns=self.columns, sha256=digest, content_format=CONTENT.tag)

    def caveats(self, *, classes: bool) -> list[Caveat]:
        """Return the warnings that the table gives cause for."""
        insensitive = [name for name in self.schema.columns(Role.INSENSITIVE) if name in self.columns]
        found = caveats_of_table(
            self.counted,
            quasi=self.schema.quasi,
            sensitive=self.schema.sensitive,
            insensitive=insensitive,
            models=self.models,
            classes=classes,
            persons=self.persons is not None,
            records=self.counts,
            unique=self._unique,
        )
        return found if self.persons is None else [*found, *self._caveats_of_persons(self.persons, insensitive)]

    def _caveats_of_persons(self, persons: pl.Series, insensitive: Sequence[str]) -> list[Caveat]:
        assert self.verification.persons is not None
        share = self.verification.persons.row_share
        cells = {name: self.rows.measure(self.path, [name]) for name in insensitive}
        differing = {name: sum(part.height for part in parts) > 1 for name, parts in cells.items()}
        withheld = Withheld.of(self.schema, self.models, None)
        return caveats_of_persons(self.counted, persons, share, self.schema, self.models, withheld, differing)

    def _unique(self, columns: Sequence[str]) -> int:
        parts = self.rows.measure(self.path, (*self.schema.quasi, *columns))
        return sum(int((part[RECORDS] == 1).sum()) for part in parts)
