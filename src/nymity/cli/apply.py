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
from nymity.core.exit_code import ExitCode
from nymity.core.wording import count

if TYPE_CHECKING:
    from nymity.dp.ledger import Ledger
    from nymity.publishing.running.apply import Applied

EXAMPLES = (
    "nymity apply release-custodian new.csv --out published.csv",
    "nymity apply release-custodian new.csv --out published.csv --delivered release-of-may.csv",
    "nymity apply release-custodian test.csv --out published.csv --job job.toml",
    "nymity apply recoding.json new.csv --out published.csv --unseen error --outliers remove",
    "nymity apply recoding.json new.csv --out published.csv --ledger ledger.json --source patients",
)


class Unseen(StrEnum):
    """What happens to values that fall into no published cell."""

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
    unseen: Annotated[
        Unseen, typer.Option(help="New values that fall into no published cell: mask their rows, or refuse them.")
    ] = Unseen.MASK,
    outliers: Annotated[
        Outliers | None,
        typer.Option(help="Rows outside the published classes (default: as the release did).", show_default=False),
    ] = None,
    export_mapping: Annotated[
        Path | None,
        typer.Option(help="Also write what every raw value is published as.", show_default=False),
    ] = None,
    job: Annotated[
        Path | None,
        typer.Option(
            help="Check the rows by this job (default: by the release beside the folder).",
            show_default=False,
        ),
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

    Same levels, same classes. Values that nobody had before are published where they fall into a published cell. The
    rows are checked as a release of their own, and carry no certificate. They are written also where a promise is
    broken, with exit code 1.
    """
    from nymity.io import ReadOptions, write_table
    from nymity.publishing.jobs.job import Job
    from nymity.publishing.running.apply import applied, kept_recoding
    from nymity.table.recoding import Recoding

    screen = Screen(quiet=quiet, as_json=as_json)
    recoding = kept_recoding(recoding, delivered)
    for target in (out, export_mapping):
        # By the file and not by its name: links and other spellings lead to the same one.
        if target is not None and any(same_file(target, source) for source in (recoding, new)):
            raise FileError(str(target), expected="another file than those that are read", got="one of them")
        if target is not None:  # before a private recoding spends anything
            may_write(target, force=force)
    mapping = None if export_mapping is None else Recoding.load(recoding).with_values(str(recoding)).mapping()
    made = applied(
        recoding,
        new,
        job=None if job is None else Job.load(job),
        unseen=unseen.value,
        outliers=outliers.value if outliers else None,
        ledger=_ledger(ledger, source),
        unaccounted=unaccounted,
        # The recoding knows the columns by name, so there is a header to find them in.
        reading=ReadOptions(delimiter=delimiter, encoding=encoding, header=True, sheet=sheet),
    )
    write_table(made.table, out, made.written)
    if export_mapping is not None and mapping is not None:
        write_table(mapping, export_mapping)
    _show(screen, made, out, export_mapping, job)
    screen.answer({**_plain(made), "file": str(out), "mapping": export_mapping and str(export_mapping)})
    if made.verified is not None and not made.verified.holds:
        raise typer.Exit(ExitCode.BROKEN)


def _ledger(path: Path | None, source: str | None) -> Ledger | None:
    from nymity.dp.ledger import Ledger

    if (path is None) != (source is None):
        raise ParameterError("--ledger", expected="the ledger and its --source, or neither", got="one of them")
    return None if path is None or source is None else Ledger(path=str(path), source=source)


def _plain(made: Applied) -> dict[str, Any]:
    """Return what became of the rows as plain JSON types."""
    from nymity.privacy import plain_measured

    checked = made.verified
    counts = {"rows_out": made.table.height}
    if not made.private:  # how many rows there were is private
        counts = {"rows_in": made.rows, **counts, "masked": made.masked}
    promises = [
        {"promise": one.promise, "holds": one.holds, "measured": plain_measured(one.measured)}
        for one in (() if checked is None else checked.findings)
    ]
    return {
        **counts,
        "unseen": dict(made.unplaced),
        "left_out": dict(made.left_out),
        "certified": False,
        "checked": checked is not None,
        "holds": None if checked is None else checked.holds,
        "promises": promises,
    }


def _show(screen: Screen, made: Applied, out: Path, mapping: Path | None, job: Path | None) -> None:
    if made.private:
        screen.line(f"{count(made.table.height, 'row')} out; the number of rows read is private and not shown")
    else:
        screen.line(
            f"{count(made.rows, 'row')} in, {made.table.height:,} out, {made.masked:,} of them masked, "
            f"{made.removed:,} removed"
        )
    if made.unseen:
        screen.line(f"Masked or removed for {made.unseen}")
    for name, why in made.left_out.items():
        screen.line(f"Without the column {name!r}: {why}")
    screen.line(f"Wrote {out}")
    if mapping is not None:
        screen.line(f"Wrote {mapping} (it lists raw values: keep it with the custodian)")
    screen.show("", *_verdict(made, out, job))


def _verdict(made: Applied, out: Path, job: Path | None) -> list[str]:
    """Say what was found on these rows as a release of their own, or that nobody looked."""
    if made.verified is None:
        return [
            f"Not checked: {made.unchecked}. The promises of the earlier release are not proved for these rows. "
            "Check them first:",
            f"  nymity check {out} --job {job or 'job.toml'}",
        ]
    found = [f"  {'holds' if one.holds else 'BROKEN'}: {one.promise}" for one in made.verified.findings]
    if made.verified.holds:
        return ["Checked as a release of their own, and no certificate was written:", *found]
    return [
        "Checked as a release of their own: they are none. Publish them in one table with the earlier rows, or not at "
        "all:",
        *found,
    ]
