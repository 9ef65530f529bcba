"""``nymity apply``: the same recoding on new rows."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nymity.cli.console import Screen
from nymity.cli.inputs import may_write, same_file
from nymity.cli.shared_options import AsJson, Delimiter, Delivered, Encoding, Force, Quiet, Sheet
from nymity.core.errors import FileError, ParameterError
from nymity.core.wording import count

if TYPE_CHECKING:
    from nymity.dp.ledger import Ledger

EXAMPLES = (
    "nymity apply release-custodian new.csv --out published.csv",
    "nymity apply release-custodian new.csv --out published.csv --delivered release-of-may.csv",
    "nymity apply recoding.json new.csv --out published.csv --unseen mask --outliers remove",
    "nymity apply recoding.json new.csv --out published.csv --ledger ledger.json --source patients",
)


class Unseen(StrEnum):
    """What happens to values that the recoding does not know."""

    ERROR = "error"
    MASK = "mask"


class Outliers(StrEnum):
    """What happens to rows outside the published classes."""

    MASK = "mask"
    REMOVE = "remove"
    KEEP = "keep"


def command(
    recoding: Annotated[
        Path, typer.Argument(help="The custodian's folder of a release, or recoding.json in it.", show_default=False)
    ],
    new: Annotated[Path, typer.Argument(help="The new rows.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Where the published rows go.", show_default=False)],
    unseen: Annotated[Unseen, typer.Option(help="Values the recoding does not know: refuse, or mask.")] = Unseen.ERROR,
    outliers: Annotated[
        Outliers | None,
        typer.Option(help="Rows outside the published classes (default: as the release did).", show_default=False),
    ] = None,
    export_mapping: Annotated[
        Path | None,
        typer.Option(help="Also write what every raw value is published as.", show_default=False),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(help="For a differentially private recoding: the ledger to enter it in.", show_default=False),
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Whose ledger that is, as it was opened.", show_default=False)
    ] = None,
    delivered: Delivered = None,
    unaccounted: Annotated[
        bool, typer.Option(help="Apply a differentially private recoding without a ledger.")
    ] = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Publish new rows by the recoding of an earlier release.

    Same levels, same classes. The result carries no certificate until it is checked.
    """
    from nymity.io import ReadOptions, write_table
    from nymity.publishing.apply import account, kept_recoding, read_rows_for
    from nymity.publishing.redrawing import further_draws, log_beside
    from nymity.table.recoding import Recoding
    from nymity.table.sampled_recoding import SampledRecoding

    screen = Screen(quiet=quiet, as_json=as_json)
    recoding = kept_recoding(recoding, delivered)
    for target in (out, export_mapping):
        if target is not None and any(same_file(target, source) for source in (recoding, new)):
            raise FileError(str(target), expected="another file than those that are read", got="one of them")
        if target is not None:  # before a private recoding spends anything
            may_write(target, force=force)
    decided = Recoding.load(recoding)
    # The recoding knows the columns by name, so there is a header to find them in.
    reading = ReadOptions(delimiter=delimiter, encoding=encoding, header=True, sheet=sheet)
    rows = read_rows_for(decided, new, reading)
    account(decided, rows.columns, _ledger(ledger, source), unaccounted=unaccounted)
    draws = further_draws(decided, log_beside(recoding), rows)
    further = decided.for_further_rows()
    recoded = further.apply(rows, unseen=unseen.value, outliers=outliers.value if outliers else None, draws=draws)
    write_table(recoded.table, out)
    if export_mapping is not None:
        write_table(decided.mapping(), export_mapping)
    counts = {"rows_in": rows.height, "rows_out": recoded.table.height, "masked": int(recoded.masked.sum())}
    if isinstance(decided, SampledRecoding):  # how many rows there were is private
        counts = {"rows_out": recoded.table.height}
    _show(screen, counts, out, export_mapping)
    screen.answer({**counts, "file": str(out), "mapping": export_mapping and str(export_mapping), "certified": False})


def _ledger(path: Path | None, source: str | None) -> Ledger | None:
    from nymity.dp.ledger import Ledger

    if (path is None) != (source is None):
        raise ParameterError("--ledger", expected="the ledger and its --source, or neither", got="one of them")
    return None if path is None or source is None else Ledger(path=str(path), source=source)


def _show(screen: Screen, counts: dict[str, Any], out: Path, mapping: Path | None) -> None:
    if "rows_in" in counts:
        rows_in, rows_out, masked = counts["rows_in"], counts["rows_out"], counts["masked"]
        screen.line(
            f"{count(rows_in, 'row')} in, {rows_out:,} out, {masked:,} of them masked, {rows_in - rows_out:,} removed"
        )
    else:
        screen.line(f"{count(counts['rows_out'], 'row')} out; the number of rows read is private and not shown")
    screen.line(f"Wrote {out}")
    if mapping is not None:
        screen.line(f"Wrote {mapping} (it lists raw values: keep it with the custodian)")
    screen.show(
        "",
        "No certificate: the promises of the earlier release are not proved for these rows. Check them first:",
    )
    screen.line(f"  nymity check {out} --job job.toml")
