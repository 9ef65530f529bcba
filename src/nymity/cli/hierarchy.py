"""``nymity hierarchy``: look at a hierarchy file, or get one suggested for a column."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.tree import Tree

from nymity.cli.console import Screen, add_row, cell, table
from nymity.cli.inputs import may_write
from nymity.cli.shared_options import AsJson, Force, Quiet, Reading, reads_a_table
from nymity.core.errors import HierarchyError, ParameterError, SchemaError
from nymity.core.validation import nearest

if TYPE_CHECKING:
    from nymity.table.hierarchy import Hierarchy

EXAMPLES = (
    "nymity hierarchy age.csv",
    "nymity hierarchy --column age patients.csv",
    "nymity hierarchy --column age patients.csv --save age.csv",
)


@reads_a_table
def command(
    file: Annotated[
        Path, typer.Argument(help="A hierarchy (one line per value, level 0 first), or with --column a table.")
    ],
    column: Annotated[
        str | None, typer.Option(help="Suggest a hierarchy for this column of the table.", show_default=False)
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the suggested hierarchy here, to be edited.", show_default=False)
    ] = None,
    branches: Annotated[int, typer.Option(help="Branches to draw at each value.", min=1)] = 5,
    force: Force = False,
    *,
    reading: Reading,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Draw a hierarchy, or suggest one for a column."""
    from nymity.core.commit import replace_file

    screen = Screen(quiet=quiet, as_json=as_json)
    specification: dict[str, Any] | None = None
    if column is None:
        if save is not None:
            raise ParameterError("--save", expected="--column beside it: there is nothing else to save", got="none")
        hierarchy = _read(file, reading.get("delimiter"))
    else:
        if save is not None:
            may_write(save, force=force)
        hierarchy, specification = _suggest(file, column, reading)
    screen.line(f"{file}, column {column}" if column is not None else str(file), style="bold")
    screen.line()
    screen.show(_levels(hierarchy), "", _tree(hierarchy, branches))
    if save is not None:
        replace_file(save, hierarchy.save)
    _show_use(screen, column, specification, save)
    screen.answer(_as_data(hierarchy, specification, save))


def _read(file: Path, delimiter: str | None) -> Hierarchy:
    from nymity.table.hierarchy import Hierarchy

    try:
        return Hierarchy.read(file, delimiter=delimiter)
    except HierarchyError as error:
        hint = "; ".join(filter(None, (error.hint, "if this is a table, name a column of it with --column")))
        raise HierarchyError(error.where, expected=error.expected, got=error.got, hint=hint) from error


def _suggest(file: Path, column: str, reading: Reading) -> tuple[Hierarchy, dict[str, Any] | None]:
    """Return the suggested hierarchy, and how a job file would ask for it."""
    from nymity.io import ReadOptions, read_table
    from nymity.publishing.codec import dump_piece
    from nymity.table.hierarchy import Hierarchy

    data = read_table(file, ReadOptions(**reading))
    if column not in data.columns:
        raise SchemaError(
            str(file),
            expected=f"a column {column!r}",
            got=f"the columns {', '.join(map(repr, data.columns))}",
            hint=nearest(column, data.columns),
        )
    builder = Hierarchy.suggest(data[column])
    specification = None if isinstance(builder, Hierarchy) else dump_piece(builder, tag="type")
    return builder.build(data[column], where=f"hierarchy of {column!r}"), specification


def _levels(hierarchy: Hierarchy) -> Table:
    shown = table("level", "values", "such as", right=("level", "values"))
    for level, labels in enumerate(hierarchy.labels):
        add_row(shown, level, len(labels), _some([_name(label) for label in labels]))
    return shown


def _tree(hierarchy: Hierarchy, branches: int) -> Tree:
    """Draw from the top; the raw values below a value stand behind it on one line."""

    def grow(at: Tree, level: int, code: int) -> None:
        below = sorted(set(hierarchy.codes[level - 1][hierarchy.codes[level] == code].tolist()))
        names = [_name(hierarchy.labels[level - 1][child]) for child in below[:branches]]
        more = f"… {len(below) - branches:,} more" if len(below) > branches else ""
        if level == 1:
            at.add(_some([_name(hierarchy.labels[0][child]) for child in below]), style="dim")
            return
        for name, child in zip(names, below, strict=False):
            grow(at.add(name), level - 1, child)
        if more:
            at.add(more, style="dim")

    root = Tree(_name(hierarchy.labels[-1][0]))
    if hierarchy.height:
        grow(root, hierarchy.height, 0)
    return root


def _some(names: list[str]) -> str:
    """List a few names in one line: all of five, or three and how many more there are."""
    return ", ".join(names) if len(names) <= 5 else f"{', '.join(names[:3])} … {len(names) - 3:,} more"


def _name(label: str | None) -> str:
    return "(missing)" if label is None else cell(label)


def _show_use(screen: Screen, column: str | None, specification: dict[str, Any] | None, save: Path | None) -> None:
    from nymity.publishing.toml import toml_job

    if save is not None:
        specification = {"type": "file", "path": save.as_posix()}
        screen.line()
        screen.line(f"Wrote {save}")
    if specification is not None:
        screen.line()
        screen.line("In a job file:")
        screen.line(indent(toml_job({"schema": {column: {"hierarchy": specification}}}).rstrip(), "  "))


def _as_data(hierarchy: Hierarchy, specification: dict[str, Any] | None, save: Path | None) -> dict[str, Any]:
    return {
        "height": hierarchy.height,
        "level_sizes": [len(labels) for labels in hierarchy.labels],
        "rows": hierarchy.rows(),
        "specification": specification,
        "saved": None if save is None else str(save),
    }
