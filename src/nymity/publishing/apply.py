"""apply: the same recoding on new rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core import validation
from nymity.core.commit import settle
from nymity.core.errors import ParameterError
from nymity.core.paths import path_text
from nymity.dp.ledger import Ledger
from nymity.dp.sampling import cost_of_sampling
from nymity.io import ReadOptions, compact, like, read_table, read_text_cells, text_cells, to_polars
from nymity.io.formats import format_of
from nymity.publishing.custody import Custody, places
from nymity.publishing.redrawing import Log, check_log, further_draws, log_beside
from nymity.table.recoding import Outliers, Recoding, Unseen
from nymity.table.sampled_recoding import SampledRecoding


def apply(
    recoding: Recoding | str | Path,
    table: Any,
    *,
    unseen: Unseen = "error",
    outliers: Outliers | None = None,
    ledger: Ledger | None = None,
    unaccounted: bool = False,
    reading: ReadOptions = ReadOptions(),  # noqa: B008 -- frozen
    log: Log | None = None,
    delivered: Any = None,
) -> Any:
    """Publish new rows by a recoding that was decided before; returns the kind of frame it was given.

    ``recoding`` is one, its file, or the custodian's folder it lies in: that of the release that is out now, or of the
    one whose file ``delivered`` is, also if it was replaced since.

    Values the recoding's hierarchies do not list are an error or masked (``unseen``). Rows whose generalized
    combination is not a published class are treated as the recoding says unless ``outliers`` overrides it (``mask``,
    ``remove`` or ``keep``). Rows are sorted by nothing: their order follows the input, and the result carries no
    certificate until it is checked.

    Where rows could go to several classes, one is drawn. The key is that of ``log``, by default of the log that lies
    beside a recoding's file: the same rows are then published the same way every time. Without one it is a new key.

    The recoding of a differentially private release draws another sample, which spends a budget once more. So it needs
    the ``ledger`` to enter that in, or ``unaccounted=True`` from somebody who adds up budgets by other means. A file
    must then be read as ``reading`` states, for nothing may be found out from its records; and rows with values that
    are not listed are left out, whatever ``unseen`` says.
    """
    if not isinstance(recoding, Recoding):
        recoding = kept_recoding(recoding, delivered)
    decided = recoding if isinstance(recoding, Recoding) else Recoding.load(recoding)
    check_log(log)
    validation.instance("reading", reading, ReadOptions, expected="ReadOptions(...)")
    if ledger is not None:
        validation.instance("ledger", ledger, Ledger, expected="a Ledger")
    if outliers is not None:
        validation.one_of("outliers", outliers, ("mask", "remove", "keep"))
    rows = _rows(decided, table, reading)
    account(decided, rows.columns, ledger, unaccounted=unaccounted)
    kept = log if log is not None or isinstance(recoding, Recoding) else log_beside(recoding)
    draws = further_draws(decided, kept, rows)
    published = compact(decided.for_further_rows().apply(rows, unseen=unseen, outliers=outliers, draws=draws).table)
    return published if isinstance(table, str | Path) else like(table, published)


def kept_recoding(place: str | Path, delivered: Any = None) -> Path:
    """Return the file of a recoding: itself, or that of a custodian's folder; what a dead run left there is settled."""
    path = Path(path_text("recoding", place, expected="a recoding, its file, or a custodian's folder"))
    settle(*places(path if path.is_dir() else path.parent))
    if not path.is_dir():
        if delivered is not None:
            raise ParameterError("delivered", expected="a custodian's folder to look in", got=f"the file {path}")
        return path
    return Custody(path).log_of(delivered).recoding


def read_rows_for(recoding: Recoding, path: str | Path, reading: ReadOptions) -> pl.DataFrame:
    """Read the rows of a file that a recoding is to publish; as text, without a guess, if it is a private one."""
    if not isinstance(recoding, SampledRecoding):
        return read_table(path, reading)
    if unstated := format_of(Path(path)).unstated(reading):
        raise ParameterError(
            unstated[0],
            expected=f"{', '.join(unstated)} stated: what is found out from the records is not private",
            got="none",
            hint='ny.ReadOptions(delimiter=",", encoding="utf-8", header=True); --delimiter , --encoding utf-8',
        )
    return read_text_cells(path, reading, recoding.reads)


def _rows(recoding: Recoding, table: Any, reading: ReadOptions) -> pl.DataFrame:
    if isinstance(table, str | Path):
        return read_rows_for(recoding, table, reading)
    if not isinstance(recoding, SampledRecoding):
        return to_polars(table)
    return text_cells(table, recoding.reads)


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
            expected="the ledger of the records: each application publishes another sample and spends a budget anew",
            got="none",
            hint="ledger=ny.dp.Ledger(path=..., source=...), or unaccounted=True if you add up budgets by other means",
        )
