"""apply: the same recoding on new rows, and what is to be said of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.commit import settle
from nymity.core.errors import ParameterError
from nymity.core.paths import path_text
from nymity.core.wording import count
from nymity.dp.ledger import Ledger
from nymity.dp.sampling import cost_of_sampling
from nymity.io import (
    ReadOptions,
    Valued,
    WriteOptions,
    compact,
    like,
    read_text_cells,
    read_valued,
    text_cells,
    to_polars,
)
from nymity.io.formats import format_of
from nymity.privacy import PrivacyModel
from nymity.publishing.certificates.stated import Stated
from nymity.publishing.certificates.verify import Verification, verify
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.publishing.custodian.custody import Custody, places
from nymity.publishing.custodian.redrawing import Log, check_log, further_draws, log_beside
from nymity.publishing.jobs.job import Job, Output
from nymity.publishing.releases.release import Release
from nymity.publishing.sealing.signing import CERTIFICATE_NAME
from nymity.publishing.steps.transforming import coded_alike
from nymity.table.encoding import person_ids
from nymity.table.recoding import Outliers, Recoding, Unseen
from nymity.table.sampled_recoding import SampledRecoding
from nymity.table.schema import Schema
from nymity.table.text import gathered
from nymity.transforms import Transform


class UnseenWarning(UserWarning):
    """Rows were masked or removed because of values that nobody had and that fall into no published cell."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Applied:
    """Further rows as they are published.

    rows: how many there were. masked, removed: of them. unplaced: rows with a value that nobody had and that falls into
    no published cell, by column. left_out: columns that further rows are published without, and why. verified: what was
    measured on these rows as a release of their own, and ``unchecked`` why nothing was. private: nobody may know how
    many rows there were. written: how a file of them is written.
    """

    table: pl.DataFrame = field(repr=False)
    source_rows: NDArray[np.int64] = field(repr=False)
    rows: int
    masked: int
    unplaced: Mapping[str, int]
    left_out: Mapping[str, str]
    verified: Verification | None
    unchecked: str = ""
    private: bool = False
    written: WriteOptions = field(default_factory=WriteOptions)

    @property
    def removed(self) -> int:
        """Rows that are not published."""
        return self.rows - self.table.height

    @property
    def unseen(self) -> str:
        """What is to be said of values that fall into no published cell; empty where there are none."""
        told = ", ".join(f"{name!r} in {count(rows, 'row')}" for name, rows in self.unplaced.items())
        return f"values that nobody had before and that fall into no published cell: {told}" if told else ""


def apply(
    recoding: Recoding | Release | str | Path,
    table: Any,
    *,
    unseen: Unseen | None = None,
    outliers: Outliers | None = None,
    ledger: Ledger | None = None,
    unaccounted: bool = False,
    reading: ReadOptions = ReadOptions(),  # noqa: B008 -- frozen
    log: Log | None = None,
    delivered: Any = None,
) -> Any:
    """Publish new rows by a recoding that was decided before; returns the kind of frame it was given.

    ``recoding`` is one, its release, its file, or the custodian's folder it lies in: that of the release that is out
    now, or of the one whose file ``delivered`` is, also if it was replaced since.

    A recoding is a function of the values: one that nobody had before is published like others where it falls into a
    published cell. Rows with ``unseen`` values, which do not, are masked, and counted in a warning unless ``mask`` is
    said; with ``error`` they are refused. Rows whose generalized combination is not a published class are treated as
    the recoding says unless ``outliers`` overrides it (``mask``, ``remove`` or ``keep``). Rows are sorted by nothing:
    their order follows the input, and the result carries no certificate until it is checked. :func:`applied` tells
    more of it.

    Where rows could go to several classes, one is drawn. The key is that of ``log``, by default of the log that lies
    beside a recoding's file: the same rows are then published the same way every time. Without one it is a new key.

    The recoding of a differentially private release draws another sample, which spends a budget once more. So it needs
    the ``ledger`` to enter that in, or ``unaccounted=True`` from somebody who adds up budgets by other means. A file
    must then be read as ``reading`` states, for nothing may be found out from its records; and rows with values that
    are not listed are left out, whatever ``unseen`` says.
    """
    made = applied(
        recoding,
        table,
        unseen="mask" if unseen is None else unseen,
        outliers=outliers,
        ledger=ledger,
        unaccounted=unaccounted,
        reading=reading,
        log=log,
        delivered=delivered,
    )
    if unseen is None and made.unseen:
        warnings.warn(made.unseen, UnseenWarning, stacklevel=2)
    return made.table if isinstance(table, str | Path) else like(table, made.table)


def applied(
    recoding: Recoding | Release | str | Path,
    table: Any,
    *,
    job: Job | None = None,
    unseen: Unseen = "mask",
    outliers: Outliers | None = None,
    ledger: Ledger | None = None,
    unaccounted: bool = False,
    reading: ReadOptions = ReadOptions(),  # noqa: B008 -- frozen
    log: Log | None = None,
    delivered: Any = None,
) -> Applied:
    """Publish new rows as :func:`apply` does, and say what became of them.

    They are checked as a release of their own: by what the ``job`` promises, or the release that the recoding is of,
    where it is given or lies beside the custodian's folder.
    """
    check_log(log)
    validation.instance("reading", reading, ReadOptions, expected="ReadOptions(...)")
    if ledger is not None:
        validation.instance("ledger", ledger, Ledger, expected="a Ledger")
    if outliers is not None:
        validation.one_of("outliers", outliers, ("mask", "remove", "keep"))
    if isinstance(recoding, Release):
        job, log, recoding = job or recoding.job, log or recoding.log, recoding.recoding
    place = None if isinstance(recoding, Recoding) else kept_recoding(recoding, delivered)
    decided = recoding if isinstance(recoding, Recoding) else Recoding.load(str(place))
    read = _rows(decided, table, _as_the_source(reading, job, place))
    rows = read.table
    # Before anything is drawn: a crash after this line has spent too much, never too little.
    account(decided, rows.columns, ledger, unaccounted=unaccounted)
    kept = log if log is not None or place is None else log_beside(place)
    if isinstance(kept, CustodianLog) and kept.draw_key is None:
        kept = None  # a seeded release has none
    draws = further_draws(decided, kept, rows)
    if decided.no_further:
        raise ParameterError(
            "recoding",
            expected="one that is a function of a row",
            got=f"that of a release whose {decided.no_further}",
            hint="publish the whole table again, with the new rows",
        )
    made = decided.for_further_rows().apply(rows, unseen=unseen, outliers=outliers, draws=draws)
    source = pl.Series(made.source_rows, dtype=pl.UInt32)
    beside = {name: gathered(rows[name], source) for name in decided.beside if name in rows.columns}
    # Codings that depend on the cell alone are done again; what was drawn is not, so its columns are left out.
    coded = coded_alike(_transforms(job, place), pl.DataFrame(beside))
    cells = {column.name: column for column in (*made.table, *coded.values())}
    # By name: of a list of series, polars calls one without a name column_0.
    published = compact(pl.DataFrame({name: cells[name] for name in decided.columns if name in cells}))
    verified, unchecked = _checked(decided, _promised(job, place), published, rows, made.source_rows)
    return Applied(
        table=published,
        source_rows=made.source_rows,
        rows=rows.height,
        masked=int(made.masked.sum()),
        unplaced=made.unplaced,
        left_out={name: why for name, why in decided.beside.items() if name not in coded},
        verified=verified,
        unchecked=unchecked,
        private=decided.is_private,
        written=_written(read, job, place),
    )


#: The schema and the models that further rows are checked by.
_Promised = tuple[Schema, Sequence[PrivacyModel]]


def _promised(job: Job | None, place: Path | None) -> _Promised | None:
    """Return what a job promises, or the release that lies beside a custodian's folder; None where there is neither."""
    if job is not None:
        return job.schema, job.privacy
    stated = _stated_beside(place)
    return None if stated is None or stated.job.schema is None else (stated.job.schema, stated.job.models)


def _transforms(job: Job | None, place: Path | None) -> Sequence[Transform]:
    """Return how columns are changed, by the job or by the release that lies beside a custodian's folder."""
    if job is not None:
        return job.transforms
    stated = _stated_beside(place)
    return () if stated is None else stated.job.transforms


def _as_the_source(reading: ReadOptions, job: Job | None, place: Path | None) -> ReadOptions:
    """Return how cells are read: as is said, or where nothing is, like those that the recoding was decided on."""
    if reading.of_values:
        return reading
    if job is not None:
        return replace(reading, **({} if job.source is None else job.source.stated_values))
    stated = _stated_beside(place)
    return reading if stated is None else replace(reading, **stated.reading.of_values)


def _written(read: Valued, job: Job | None, place: Path | None) -> WriteOptions:
    """Return how a file of these rows is written: like the release, else like the file that they were read from."""
    stated = None if job is not None else _stated_beside(place)
    output = Output() if job is None else job.output
    output = output if stated is None else stated.job.output
    like_release = replace(output, format="csv") if isinstance(output, Output) else Output()
    return replace(like_release.like(read.found).options, dictionary=read.dictionary)


def _stated_beside(place: Path | None) -> Stated | None:
    """Return the certificate of the release that lies beside a custodian's folder, if it does."""
    folder = None if place is None else Custody(place.parent).release
    if folder is None or not (folder / CERTIFICATE_NAME).is_file():
        return None
    return Stated.read(folder / CERTIFICATE_NAME)


def _checked(
    recoding: Recoding,
    promised: _Promised | None,
    published: pl.DataFrame,
    rows: pl.DataFrame,
    source: NDArray[np.int64],
) -> tuple[Verification | None, str]:
    """Measure the promises on further rows alone, or say why that cannot be."""
    if recoding.is_private:
        return None, "what is promised is how they were drawn, which no row shows"
    if promised is None:
        return None, "no job and no release was given that says what is promised"
    schema, models = promised
    if recoding.has_counts:
        return None, "they are the records of the release"
    if beside := [model.key for model in models if model.second_table or model.needs_source or model.about_items]:
        return None, f"{', '.join(beside)} takes more than these rows"
    if schema.unit is not None and schema.unit not in rows.columns:
        return None, f"promises count {schema.counts}, and the table has no column {schema.unit!r}"
    if not published.height:
        return None, "there are none"
    persons = None if schema.unit is None else person_ids(rows[schema.unit])[source]
    if persons is not None and (nobody := persons.null_count()):
        return None, f"promises count {schema.counts}, and of {count(nobody, 'row')} nothing tells whose they are"
    hierarchies = schema.sensitive_hierarchies
    found = verify(
        published,
        schema.quasi,
        models,
        hierarchies=hierarchies,
        persons=persons,
        unit=schema.counts,
        perturbed=schema.perturbed,
    )
    return found, ""


def kept_recoding(place: str | Path, delivered: Any = None) -> Path:
    """Return the file of a recoding: itself, or that of a custodian's folder; what a dead run left there is settled."""
    path = Path(path_text("recoding", place, expected="a recoding, its file, or a custodian's folder"))
    settle(*places(path if path.is_dir() else path.parent))
    if not path.is_dir():
        if delivered is not None:
            raise ParameterError("delivered", expected="a custodian's folder to look in", got=f"the file {path}")
        return path
    return Custody(path).log_of(delivered).recoding


def _read_rows_for(recoding: Recoding, path: str | Path, reading: ReadOptions) -> Valued:
    """Read the rows of a file that a recoding is to publish; as text, without a guess, if it is a private one."""
    if recoding.reads is None:
        return read_valued(path, reading)
    if unstated := format_of(Path(path)).unstated(reading):
        raise ParameterError(
            unstated[0],
            expected=f"{', '.join(unstated)} stated: what is found out from the records is not private",
            got="none",
            hint='ny.ReadOptions(delimiter=",", encoding="utf-8", header=True); --delimiter , --encoding utf-8',
        )
    return Valued(table=read_text_cells(path, reading, recoding.reads), found=reading)


def _rows(recoding: Recoding, table: Any, reading: ReadOptions) -> Valued:
    if isinstance(table, str | Path):
        return _read_rows_for(recoding, table, reading)
    return Valued(table=to_polars(table) if recoding.reads is None else text_cells(table, recoding.reads))


def account(recoding: Recoding, columns: Sequence[str], ledger: Ledger | None, *, unaccounted: bool) -> None:
    """Enter what an application of a private recoding costs, before it draws; refuse one that nobody adds up.

    A table that lacks a column costs nothing: nothing will be drawn.
    """
    if not isinstance(recoding, SampledRecoding):
        if ledger is not None:
            raise ParameterError("ledger", expected="a differentially private recoding to enter", got=recoding.kind)
        return
    if ledger is not None and {*recoding.columns, *recoding.reads} <= set(columns):
        cost = cost_of_sampling(recoding.k, recoding.beta)
        assert cost.epsilon is not None  # it was given
        per_person = recoding.most_of_a_person
        rows = 1 if per_person is None else per_person
        ledger.spend(
            epsilon=rows * cost.epsilon,
            delta=rows * Fraction(cost.upper),
            method="apply",
            k=recoding.k,
            beta=recoding.beta,
            records_per_person=per_person,
        )
    elif ledger is None and not unaccounted:
        raise ParameterError(
            "ledger",
            expected="the ledger of the records: each application publishes another sample and spends budget again",
            got="none",
            hint="ledger=ny.dp.Ledger(path=..., source=...), or unaccounted=True if you add up budgets by other means",
        )
