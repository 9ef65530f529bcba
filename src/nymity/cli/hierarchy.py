"""``nymity hierarchy``: look at a hierarchy file, or get one suggested for a column."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.tree import Tree

from nymity.cli.console import Screen, add_row, cell, table
from nymity.cli.idle_levels import idle_said
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
    "nymity hierarchy --column activity census.csv --kind code",
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
    kind: Annotated[
        str | None,
        typer.Option(
            help="What the column holds: code, number, date, category, text, or a ready hierarchy such as icd-10.",
            show_default=False,
        ),
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
    if column is None:
        for option, given in (("--save", save), ("--kind", kind)):
            if given is not None:
                raise ParameterError(option, expected="--column with it: there is nothing to suggest", got="none")
        shown = _Shown(_read(file, reading.get("delimiter")))
    else:
        if save is not None:
            may_write(save, force=force)
        shown = _suggest(file, column, reading, kind)
    screen.line(f"{file}, column {column}" if column is not None else str(file), style="bold")
    screen.line()
    screen.show(_levels(shown), "", _tree(shown.hierarchy, branches))
    idle = shown.hierarchy.idle_levels()
    for sentence in (shown.evidence, idle_said(idle) if idle else ""):
        if sentence:
            screen.line()
            screen.line(sentence)
    if save is not None:
        replace_file(save, shown.hierarchy.save)
    _show_use(screen, column, shown.specification, save)
    screen.answer(_as_data(shown, save))


@dataclass(frozen=True)
class _Shown:
    """A hierarchy, how a job file asks for it, what its levels are called and why it was suggested."""

    hierarchy: Hierarchy
    specification: dict[str, Any] | None = None
    names: tuple[str, ...] = ()
    evidence: str = ""


def _read(file: Path, delimiter: str | None) -> Hierarchy:
    from nymity.table.hierarchy import Hierarchy

    try:
        return Hierarchy.read(file, delimiter=delimiter)
    except HierarchyError as error:
        hint = "; ".join(filter(None, (error.hint, "if this is a table, name a column of it with --column")))
        raise HierarchyError(error.where, expected=error.expected, got=error.got, hint=hint) from error


def _suggest(file: Path, column: str, reading: Reading, kind: str | None) -> _Shown:
    """Return the suggested hierarchy, and how a job file would ask for it."""
    from nymity.io import ReadOptions, read_table
    from nymity.publishing.jobs.codec import dump_piece
    from nymity.table.hierarchy import Hierarchy

    data = read_table(file, ReadOptions(**reading))
    if column not in data.columns:
        raise SchemaError(
            str(file),
            expected=f"a column {column!r}",
            got=f"the columns {', '.join(map(repr, data.columns))}",
            hint=nearest(column, data.columns),
        )
    builder = Hierarchy.suggest(data[column], kind=kind)
    hierarchy = builder.build(data[column], where=f"hierarchy of {column!r}")
    return _Shown(
        hierarchy,
        None if isinstance(builder, Hierarchy) else dump_piece(builder, tag="type"),
        getattr(builder, "level_names", ()),
        _evidence(builder, hierarchy),
    )


def _evidence(builder: Any, hierarchy: Hierarchy) -> str:
    """Say how many values a ready hierarchy knows."""
    if (place := getattr(builder, "place", None)) is None:
        return ""
    values = [value for value in hierarchy.values if value is not None]
    fitting = sum(place(value.strip()) is not None for value in values)
    return f"{fitting:,} of {len(values):,} different values are {builder.expects}"


def _levels(shown: _Shown) -> Table:
    """List the levels, with their names where they have some."""
    hierarchy = shown.hierarchy
    names = ["", *shown.names, ""] if shown.names else None
    heads = ("level", *(("is",) if names else ()), "values", "such as")
    listed = table(*heads, right=("level", "values"))
    for level, labels in enumerate(hierarchy.labels):
        name = [names[level]] if names else []
        add_row(listed, level, *name, len(labels), _some([_name(label) for label in labels]))
    return listed


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
    from nymity.publishing.jobs.toml import toml_job

    if save is not None:
        specification = {"type": "file", "path": save.as_posix()}
        screen.line()
        screen.line(f"Wrote {save}")
    if specification is not None:
        screen.line()
        screen.line("In a job file:")
        screen.line(indent(toml_job({"schema": {column: {"hierarchy": specification}}}).rstrip(), "  "))


def _as_data(shown: _Shown, save: Path | None) -> dict[str, Any]:
    return {
        "height": shown.hierarchy.height,
        "level_sizes": [len(labels) for labels in shown.hierarchy.labels],
        "level_names": list(shown.names),
        "idle_levels": list(shown.hierarchy.idle_levels()),
        "rows": shown.hierarchy.rows(),
        "specification": shown.specification,
        "evidence": shown.evidence or None,
        "saved": None if save is None else str(save),
    }
