"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from nymity.core.quoting import VARIABLE

_READING = "How to read the file (found out when not given)"

_VALUES = "What cells mean"

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only; the exit code gives the result.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write the result as JSON to stdout, and nothing else.")]
NoValues = Annotated[
    bool,
    typer.Option(
        "--no-values",
        envvar=VARIABLE,
        show_envvar=False,
        help="Quote no value of a table in errors and warnings; describe it (also by NYMITY_NO_VALUES=1).",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that is already there.")]
Delivered = Annotated[
    Path | None,
    typer.Option(
        help="A delivered file of the release that is meant, also a renamed one: its log is taken of those that a "
        "custodian's folder keeps.",
        show_default=False,
    ),
]
FailOnWarnings = Annotated[
    bool, typer.Option("--fail-on-warnings", help="End with exit code 1 if there is any warning.")
]
JobOption = Annotated[
    Path | None, typer.Option("--job", help="Job file (.toml or .json) that names the roles.", show_default=False)
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the job; repeatable.", show_default=False),
]
CustodianOption = Annotated[
    Path | None,
    typer.Option(
        "--custodian", help="Folder of the custodian's log (default: beside the release, with -custodian appended)."
    ),
]
PopulationOption = Annotated[
    Path | None,
    typer.Option("--population", help="Table of the people the records are of.", show_default=False),
]
Wait = Annotated[float, typer.Option(help="Seconds to wait for another run that writes to the same folders.", min=0)]
ReleaseArgument = Annotated[Path, typer.Argument(help="The release: its folder or table.", show_default=False)]
SensitiveOption = Annotated[
    Path | None,
    typer.Option(
        "--sensitive",
        help="Second table of a bucketized release; looked for beside the first unless given.",
        show_default=False,
    ),
]
RecodingOption = Annotated[
    Path | None,
    typer.Option(
        "--recoding",
        help="The custodian's folder, or recoding.json in it; looked for beside the release unless given.",
        show_default=False,
    ),
]
Quasi = Annotated[
    str | None, typer.Option(help="Quasi-identifiers, comma-separated, in place of a job.", show_default=False)
]
Delimiter = Annotated[
    str | None, typer.Option(help="What separates cells, such as ';'.", rich_help_panel=_READING, show_default=False)
]
Encoding = Annotated[
    str | None, typer.Option(help="Such as utf-8 or cp1252.", rich_help_panel=_READING, show_default=False)
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether row 1 names the columns.", rich_help_panel=_READING),
]
HeaderRow = Annotated[
    int | None,
    typer.Option(
        help="Line or row that names the columns, below titles.", rich_help_panel=_READING, show_default=False
    ),
]
Footer = Annotated[
    int | None,
    typer.Option(help="Rows at the end that are no records, as sums.", rich_help_panel=_READING, show_default=False),
]
Numbered = Annotated[
    list[str] | None,
    typer.Option(help="A name that several columns have: NAME_1, NAME_2; repeat it.", rich_help_panel=_READING),
]
Sheet = Annotated[
    str | None, typer.Option(help="Name of an Excel sheet.", rich_help_panel=_READING, show_default=False)
]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="A cell that stands for no answer, such as NA; repeat it.", rich_help_panel=_VALUES),
]
Decimal = Annotated[
    str | None, typer.Option(help="What stands before decimals: , or .", rich_help_panel=_VALUES, show_default=False)
]
Thousands = Annotated[
    str | None, typer.Option(help="What stands between thousands.", rich_help_panel=_VALUES, show_default=False)
]
Dates = Annotated[
    str | None, typer.Option(help="The form of dates, such as %d.%m.%Y.", rich_help_panel=_VALUES, show_default=False)
]

#: How a command is told to read a table: fields of :class:`nymity.io.ReadOptions`, None where it is to be found out.
Reading = dict[str, Any]
_FIELDS = {
    "delimiter": Delimiter,
    "encoding": Encoding,
    "header": Header,
    "header_row": HeaderRow,
    "footer": Footer,
    "sheet": Sheet,
    "numbered": Numbered,
    "missing": Missing,
    "decimal": Decimal,
    "thousands": Thousands,
    "dates": Dates,
}


def reads_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each field of its parameter ``reading``, in that one's place."""

    @wraps(command)
    def told(**options: Any) -> None:
        given = {field: options.pop(field) for field in _FIELDS}
        command(reading={field: value for field, value in given.items() if value not in (None, [])}, **options)

    written = signature(command, eval_str=True)
    parameters: list[Parameter] = []
    for name, parameter in written.parameters.items():
        fields = _FIELDS if name == "reading" else {}
        parameters += [parameter.replace(name=field, default=None, annotation=fields[field]) for field in fields]
        parameters += [] if fields else [parameter]
    told.__signature__ = written.replace(parameters=parameters)  # type: ignore[attr-defined]
    told.__annotations__ = {one.name: one.annotation for one in parameters}
    return told
