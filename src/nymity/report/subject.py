"""Subject: a release beside the table it was made from, with what several sections need of both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.privacy import Groups
from nymity.publishing.compare import Comparison, compare
from nymity.publishing.fingerprint import fingerprint
from nymity.publishing.release import Release


@dataclass(frozen=True, eq=False)
class Subject:
    """What a report is about."""

    release: Release
    original: pl.DataFrame
    comparison: Comparison

    @staticmethod
    def of(release: Release, original: pl.DataFrame, comparison: Comparison | None = None) -> Subject:
        """Pair them, or refuse a table that is not the release's source."""
        if "input" not in release.certificate:
            raise TableError(
                "report",
                expected="a release whose certificate tells about its source",
                got="a differentially private one, which a comparison with its source would break",
            )
        expected = release.certificate["input"]
        if original.height != expected["records"] or sorted(original.columns) != sorted(release.job.schema):
            got = f"{original.height:,} records and {len(original.columns)} columns"
        elif fingerprint(original, salt=release.log.salt) != expected["salted_sha256"]:
            got = "a table of the same size with other cells"
        else:
            return Subject(release, original, comparison or compare(original, release))
        raise TableError(
            "report",
            expected=f"the table the release was made from ({expected['records']:,} records, "
            f"{expected['columns']} columns)",
            got=got,
            hint="pass the same table that was passed to publish",
        )

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return self.release.job.schema.quasi

    @property
    def threshold(self) -> int:
        """Records every class must have by what is promised; smaller categories are not shown by themselves."""
        return max(model.smallest_class for model in self.release.job.privacy)

    @property
    def records(self) -> int:
        """Records of the original."""
        return self.original.height

    @property
    def masked(self) -> int:
        """Records published with every quasi-identifier masked."""
        return int(self.release.log.masked.sum())

    @property
    def dropped(self) -> int:
        """Records left out for their gaps before anything else."""
        return self.release.log.dropped_records

    @property
    def removed(self) -> int:
        """Records left out because no class would have them."""
        return self.release.suppressed - self.masked

    @property
    def published(self) -> int:
        """Records published with some of their quasi-identifiers, or with the top of each."""
        return self.release.frame.height - self.masked

    @cached_property
    def sizes_before(self) -> NDArray[np.int64]:
        """Sizes of the original's classes over raw quasi-identifiers."""
        return Groups(self.original, self.quasi).sizes.to_numpy().astype(np.int64)

    @cached_property
    def sizes_after(self) -> NDArray[np.int64]:
        """Sizes of the release's classes, the masked rows being one."""
        return Groups(self.release.frame, self.quasi).sizes.to_numpy().astype(np.int64)
