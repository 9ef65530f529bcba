"""Subject: a release beside the table it was made from, with what several sections need of both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import FileError, TableError
from nymity.lattice.nodes import EvaluatedNodes
from nymity.privacy import Groups, PrivacyModel
from nymity.publishing.certificates.certificate_form import CertificateForm, LossSection, Suppressed
from nymity.publishing.certificates.item_sets import one_record_each, units_read
from nymity.publishing.comparing.compare import Comparison, compare
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.publishing.releases.opened import OpenedRelease
from nymity.publishing.releases.release import Release
from nymity.report.page_wording import amount
from nymity.table.attribute import Role
from nymity.table.encoding import counted_rows, person_ids
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from nymity.table.text import gathered


def check_source(opened: OpenedRelease, original: pl.DataFrame, *, known: bool = False) -> CustodianLog:
    """Return the custodian's log of a release, or refuse a table that is not the release's source.

    The cells of one that is ``known`` to be are not hashed once more.
    """
    stated, log, schema = opened.certificate.input, opened.custodian_log, opened.schema
    if stated is None:
        raise TableError(
            "report",
            expected="a release whose certificate tells about its source",
            got="a differentially private one, which a comparison with its source would break",
        )
    if log is None or schema is None:
        raise _no_log(opened)
    same_columns = sorted(original.columns) == sorted(schema)
    if not same_columns or units_read(original, schema) != stated.records:
        got = f"{original.height:,} records and {len(original.columns)} columns"
    elif not (known or opened.is_made_of(original)):
        got = "a table of the same size with other cells"
    else:
        return log
    raise TableError(
        "report",
        expected=f"the table the release was made from ({stated.records:,} records, {stated.columns} columns)",
        got=got,
        hint="pass the same table that was passed to publish",
    )


def _no_log(opened: OpenedRelease) -> FileError:
    return FileError(
        str(opened.files.path or "release"),
        expected="the custodian's log of the release, which a report for the custodian rests on",
        got="none",
        hint="nymity.open(release, custodian=folder)",
    )


def _places(chosen: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """Return which of the chosen rows each row is, (n_rows,)."""
    places = np.zeros(n_rows, dtype=np.int64)
    places[chosen] = np.arange(len(chosen))
    return places


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """What a report is about: make it with :meth:`of`.

    ``original``: the records that were published from: one for each person, where a table of persons and items was put
    together, as its ``source`` is not.
    """

    opened: OpenedRelease
    log: CustodianLog
    recoding: Recoding
    schema: Schema
    original: pl.DataFrame
    source: pl.DataFrame
    compared: Comparison | None = None  #: by all measures, where that was asked before

    @staticmethod
    def of(
        release: Release | OpenedRelease,
        original: pl.DataFrame,
        comparison: Comparison | None = None,
        *,
        known: bool = False,
    ) -> Subject:
        """Pair them, or refuse a table that is not ``known`` to be the release's source, and is not."""
        opened = OpenedRelease.of(release)
        log = check_source(opened, original, known=known)
        recoding, schema = opened.recoding, opened.schema
        assert schema is not None
        if recoding is None:
            raise _no_log(opened)
        records = original
        if schema.item_column is not None and schema.person is not None:
            records, kept = one_record_each(*schema.without_gaps(original), schema)
            log = replace(log, source_rows=_places(kept, original.height)[log.source_rows])
        return Subject(
            opened=opened,
            log=log,
            recoding=recoding,
            schema=schema,
            original=records,
            source=original,
            compared=comparison,
        )

    @cached_property
    def comparison(self) -> Comparison:
        """What the release lost by all measures; it takes a while unless it was asked before."""
        return compare(self.source, self.opened) if self.compared is None else self.compared

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The released table."""
        return self.opened.released.beside(self.source).frame

    @property
    def owned(self) -> pl.DataFrame:
        """The released table with whose its rows are and the weights of their records, which the original tells."""
        roles = (Role.PERSON, Role.HOUSEHOLD, Role.WEIGHT)
        known = [name for role in roles for name in self.schema.columns(role)]
        return self.frame.with_columns(gathered(self.original[name], self.log.source_rows) for name in known)

    def raw_cells(self, name: str) -> pl.Series:
        """What the records of the released rows have in a column of the original."""
        return gathered(self.original[name], self.log.source_rows)

    @cached_property
    def owners(self) -> NDArray[np.int64] | None:
        """Of whom each record of the original is, as numbers, -1 for nobody; None where records are counted."""
        if (unit := self.schema.unit) is None:
            return None
        whose = person_ids(self.original[unit])
        numbers = whose.cast(pl.Enum(whose.drop_nulls().unique())).to_physical().cast(pl.Int64)
        return numbers.fill_null(-1).to_numpy()

    @property
    def certificate(self) -> CertificateForm:
        """What was certified."""
        return self.opened.certificate

    @property
    def promises(self) -> tuple[PrivacyModel, ...]:
        """The models that hold."""
        return self.opened.promises

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return self.schema.quasi

    @property
    def threshold(self) -> int:
        """Records, or persons, every class has as promised; smaller categories are not shown by themselves."""
        return max(model.smallest_class for model in self.promises)

    @property
    def loss(self) -> LossSection:
        """What the method kept small, and what is proved of it."""
        assert self.certificate.loss is not None  # as of all but private releases
        return self.certificate.loss

    @property
    def lost(self) -> str:
        """What was lost by the loss that was kept small, where a certificate tells it."""
        return "not told" if self.loss.value is None else amount(self.loss.value)

    @property
    def minimized(self) -> Any:
        """The loss that the method kept small, or its like, with a name and a title."""
        return self.opened.minimized

    @cached_property
    def nodes(self) -> EvaluatedNodes | None:
        """What was seen of the lattice, where one was searched and that was kept."""
        if self.log.nodes is None:
            return None
        return EvaluatedNodes.of_frame(self.log.nodes, self.records - self.dropped)

    @property
    def records(self) -> int:
        """Records of the original; its persons, where they were put together."""
        assert self.certificate.input is not None  # as of all but private releases
        return self.certificate.input.records

    @property
    def masked(self) -> int:
        """Records published with every quasi-identifier masked."""
        return self._suppressed.masked

    @property
    def dropped(self) -> int:
        """Records left out for their gaps before anything else."""
        return self._suppressed.dropped_for_missing_values

    @property
    def removed(self) -> int:
        """Records left out because no class would have them."""
        return self._suppressed.removed

    @property
    def suppressed(self) -> int:
        """Records that were masked or removed."""
        return self._suppressed.records

    @property
    def published(self) -> int:
        """Records published with some of their quasi-identifiers, or with the top of each."""
        return self.frame.height - self.masked

    @property
    def _suppressed(self) -> Suppressed:
        assert self.certificate.suppressed is not None  # as of all but private releases
        return self.certificate.suppressed

    @cached_property
    def people_before(self) -> NDArray[np.int64]:
        """Persons, or households, of the original's classes; records where nobody said of whom they are."""
        return self._groups_before.people.to_numpy().astype(np.int64) if self.schema.unit else self.sizes_before

    @property
    def highest_risk_before(self) -> float:
        """The largest share of a class of the original that one person, or record, has."""
        share = self._groups_before.largest_person_share
        return float(share) if share is not None else 0.0

    @cached_property
    def _groups_before(self) -> Groups:
        unit = self.schema.unit
        return Groups(self.original, self.quasi, persons=None if unit is None else person_ids(self.original[unit]))

    @cached_property
    def sizes_before(self) -> NDArray[np.int64]:
        """Sizes of the original's classes over raw quasi-identifiers."""
        cells = Groups(self.original, self.quasi).cells  # rows as they are follow each other in no order
        return counted_rows(cells, cells.columns)[1].astype(np.int64)

    @cached_property
    def raw_codes(self) -> dict[str, NDArray[np.int64]]:
        """Codes of the original's records, by column, of those that a section asked for."""
        return {}

    @cached_property
    def sizes_after(self) -> NDArray[np.int64]:
        """Sizes of the release's classes, the masked rows being one."""
        return Groups(self.frame, self.quasi).sizes.to_numpy().astype(np.int64)
