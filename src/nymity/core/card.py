"""Card: what a result shows of itself to people, as text on one screen and as a card in a notebook.

A result says what it is about once, by facts and tables (:meth:`Carded.card`); how that looks is decided here. Cards
hold figures and names of columns, never rows: notebooks are passed on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from nymity.core.extras import require
from nymity.core.template import Template

if TYPE_CHECKING:
    import polars as pl

Tone = Literal["good", "warned", "bad", ""]
#: Rows of a table, and characters of a line and of a cell, that people look at.
_ROWS, _WIDTH, _CELL = 12, 100, 44
#: Bars of a chart that people can still tell apart.
_BARS = 24
_TEMPLATE = Template("card.html", "nymity.core")


@dataclass(frozen=True, kw_only=True)
class CardTable:
    """A table of a card; numbers of the column ``bars`` are drawn as bars, as long as they are large."""

    title: str = ""
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    bars: str | None = None

    @property
    def heads(self) -> list[str]:
        """The names of columns, as text."""
        return [written(name) for name in self.columns]

    @property
    def shown(self) -> list[list[str]]:
        """The first rows, as text."""
        return [[written(cell) for cell in row] for row in self.rows[:_ROWS]]

    @property
    def more(self) -> str:
        """How many rows are not shown."""
        return f"… and {len(self.rows) - _ROWS:,} more: .to_frame() has all" if len(self.rows) > _ROWS else ""

    @property
    def widths(self) -> list[float | None]:
        """How long the bar of each row that is shown is, in percent."""
        if self.bars is None:
            return [None] * len(self.rows)
        place = self.columns.index(self.bars)
        numbers = [float(row[place]) if isinstance(row[place], int | float) else None for row in self.rows[:_ROWS]]
        longest = max((abs(number) for number in numbers if number is not None), default=0) or 1
        return [None if number is None else round(100 * abs(number) / longest, 1) for number in numbers]

    def frame(self) -> pl.DataFrame:
        """Return all rows as a Polars table."""
        import polars as pl

        cells = {name: [row[place] for row in self.rows] for place, name in enumerate(self.columns)}
        return pl.DataFrame({name: pl.Series(_of_one_kind(column), strict=False) for name, column in cells.items()})


@dataclass(frozen=True, kw_only=True)
class Card:
    """What is shown: a title, a verdict and how good it is, facts with their labels, warnings and tables."""

    title: str
    verdict: str = ""
    tone: Tone = ""
    facts: Sequence[tuple[str, Any]] = ()
    sentences: Sequence[str] = ()
    warnings: Sequence[str] = ()
    tables: Sequence[CardTable] = field(default=())
    foot: str = ""

    def __post_init__(self) -> None:
        for name in ("title", "verdict", "foot"):
            object.__setattr__(self, name, _printable(getattr(self, name)))
        for name in ("sentences", "warnings"):
            object.__setattr__(self, name, [_printable(text) for text in getattr(self, name)])

    @property
    def told(self) -> list[tuple[str, str]]:
        """The facts that there are, as text."""
        return [(label, written(value)) for label, value in self.facts if value is not None]

    def text(self) -> str:
        """Return it as lines of at most 100 characters, few enough for one screen."""
        lines = wrap(f"{self.title}: {self.verdict}" if self.verdict else self.title, _WIDTH)[:2]
        width = max((len(label) for label, _ in self.facts), default=0)
        for label, value in self.told:
            first, *further = wrap(value, _WIDTH - width - 4) or [""]
            lines += [f"  {label:{width}}  {first}", *(" " * (width + 4) + line for line in further[:2])]
        for sentence in self.sentences:
            lines += wrap(sentence, _WIDTH, initial_indent="  ", subsequent_indent="  ")[:3]
        for warning in self.warnings[:3]:
            lines += wrap(warning, _WIDTH, initial_indent="  ! ", subsequent_indent="    ")[:2]
        if len(self.warnings) > 3:
            lines.append(f"  ! … and {len(self.warnings) - 3} more")
        for table in self.tables:
            lines += ["", *_lined(table)]
        return "\n".join([*lines, *([self.foot] if self.foot else [])])

    def html(self) -> str:
        """Return it as HTML that runs nothing, fetches nothing, and holds every value escaped."""
        return str(_TEMPLATE.card(self, _style()))


class Carded:
    """A result that people look at: its text and its notebook card, and its table to go on with."""

    #: What users of other packages write after a dot, and what there is here.
    _instead: ClassVar[Mapping[str, str]] = {}

    def __getattr__(self, name: str) -> Any:
        if name in self._instead:
            message = f"{type(self).__name__!r} object has no attribute {name!r}. Try: {self._instead[name]}"
            raise AttributeError(message, name=name, obj=self)
        return object.__getattribute__(self, name)  # raises what a property raised, or that there is none

    def card(self) -> Card:
        """Return what is shown."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.card().text()

    def _repr_html_(self) -> str:
        return self.card().html()

    def to_frame(self) -> pl.DataFrame:
        """Return the table that the card shows the first rows of, as a Polars frame."""
        shown = self.card()
        return self._of("to_frame", "a table", shown, shown.tables).frame()

    def plot(self) -> Any:
        """Return the table as a bar chart of altair, which is an extra: ``nymity[plot]``."""
        altair = require("altair", extra="plot", purpose="plotting")
        shown = self.card()
        table = self._of("plot", "figures to draw", shown, [one for one in shown.tables if one.bars is not None])
        place = table.columns.index(str(table.bars))
        # Names of columns could mean something in a specification; titles are only written.
        drawn = [row for row in table.rows if row[place] is not None]
        rows = [{"label": written(row[0]), "value": row[place]} for row in drawn[:_BARS]]
        title = table.title or shown.title
        title = title if len(drawn) <= _BARS else f"{title} (the first {_BARS} of {len(drawn):,})"
        chart = altair.Chart(altair.Data(values=rows), title=title)
        # A title beside the labels would be drawn over long ones; above them it is not.
        beside = {"titleAngle": 0, "titleAlign": "right", "titleX": -8, "titleY": -8, "labelLimit": 480}
        label = altair.Y("label:N", sort=None, title=table.columns[0], axis=altair.Axis(**beside))
        return chart.mark_bar().encode(x=altair.X("value:Q", title=str(table.bars)), y=label)

    @staticmethod
    def _of(where: str, what: str, shown: Card, tables: Sequence[CardTable]) -> CardTable:
        if tables:
            return tables[0]
        from nymity.core.errors import ParameterError

        raise ParameterError(where, expected=f"a result with {what}", got=shown.title)


def written(cell: Any) -> str:
    """Return a cell as people read it, on one line."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:.4g}"
    text = _printable(str(cell))
    return text if len(text) <= 4 * _CELL else f"{text[: 4 * _CELL]}…"


def _printable(text: str) -> str:
    """Return text without what moves a cursor or turns the direction of writing."""
    return "".join(one if one.isprintable() else "�" for one in text)


def _lined(table: CardTable) -> list[str]:
    cells = [table.heads, *table.shown]
    cells = [[cell if len(cell) <= _CELL else f"{cell[: _CELL - 1]}…" for cell in row] for row in cells]
    widths = [max(len(row[place]) for row in cells) for place in range(len(table.columns))]
    numeric = [all(isinstance(row[place], int | float | None) for row in table.rows) for place in range(len(widths))]
    lines = [
        "  ".join(
            f"{cell:>{n}}" if right else f"{cell:{n}}" for cell, n, right in zip(row, widths, numeric, strict=True)
        )
        for row in cells
    ]
    title = [f"  {table.title}"] if table.title else []
    return [
        *title,
        *(f"  {line[: _WIDTH - 2]}".rstrip() for line in lines),
        *([f"  {table.more}"] if table.more else []),
    ]


def _of_one_kind(column: list[Any]) -> list[Any]:
    kinds = {type(cell) for cell in column if cell is not None}
    return (
        column
        if kinds <= {int} or kinds <= {float, int} or kinds <= {bool}
        else [None if cell is None else str(cell) for cell in column]
    )


@cache
def _style() -> Any:
    from markupsafe import Markup

    return Markup((files("nymity.core") / "templates" / "card.css").read_text(encoding="utf-8"))
